//! A single thread cannot tell whether the pass ran, and a broken pass is noticed.

use std::time::Instant;

use super::oracle::{Oracle, Pointer};
use super::programs::program;
use super::{cache, module};
use crate::passes::policy::{Fault, Policy};
use crate::passes::remark::Change;
use crate::ptx::parse;

/// How the host may choose `p`, `q` and `o`: disjoint, equal, overlapping, and into shared memory.
/// The shared variables `s` and `t` lie at 0 and 64.
const POINTERS: [[Pointer; 3]; 4] = [
    [Pointer::Buffer(0), Pointer::Buffer(64), Pointer::Buffer(128)],
    [Pointer::Buffer(0), Pointer::Buffer(0), Pointer::Buffer(0)],
    [Pointer::Buffer(0), Pointer::Buffer(8), Pointer::Buffer(16)],
    [Pointer::Shared(0), Pointer::Shared(72), Pointer::Buffer(0)],
];

/// Programs after which a planted fault must have been noticed.
const CASES_FOR_A_FAULT: u64 = 3000;

/// Why a program shows that the pass is wrong; None when it does not.
fn difference(text: &str, policy: &Policy) -> Option<String> {
    let before = parse("program.ptx", text).ok()?;
    let after = cache(&before, policy).module;
    let (before, after) = (Oracle::new(&before).ok()?, Oracle::new(&after).ok()?);
    for pointers in POINTERS {
        let expected = before.run(pointers).ok()?;
        match after.run(pointers) {
            Ok(found) if found == expected => {}
            Ok(_) => return Some(format!("other results with {pointers:?}")),
            Err(error) => return Some(error),
        }
    }
    None
}

/// Drops statements as long as the program still shows the difference.
fn shrunk(text: &str, policy: &Policy) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    loop {
        let before = lines.len();
        let mut at = lines.len();
        while at > 0 {
            at -= 1;
            let mut fewer = lines.clone();
            fewer.remove(at);
            if difference(&fewer.join("\n"), policy).is_some() {
                lines = fewer;
            }
        }
        if lines.len() == before {
            return lines.join("\n");
        }
    }
}

#[test]
fn every_program_of_the_generator_runs() {
    for seed in 0..500 {
        let text = program(seed);
        let oracle = Oracle::new(&module(&text)).unwrap();
        for pointers in POINTERS {
            let outcome = oracle.run(pointers);
            assert!(outcome.is_ok(), "seed {seed}: {:?}\n{text}", outcome.err());
        }
    }
}

#[test]
fn a_single_thread_cannot_tell_whether_the_pass_ran() {
    let mut counts = [0usize; 4];
    let cases = warpsim_effort::cases(500, 20_000);
    for seed in 0..cases {
        let text = program(seed);
        if let Some(difference) = difference(&text, &Policy::ALL) {
            let small = shrunk(&text, &Policy::ALL);
            panic!("seed {seed}: {difference}\n{small}");
        }
        for remark in cache(&module(&text), &Policy::ALL).remarks {
            let kind = match remark.change {
                Change::Forwarded => 0,
                Change::Reused => 1,
                Change::Overwritten(_) => 2,
                Change::Sunk { .. } => 3,
            };
            counts[kind] += 1;
        }
    }
    let [forwarded, reused, deleted, sunk] = counts;
    println!(
        "{cases} programs (seeds 0 to {}): {forwarded} loads forwarded, {reused} reused, \
         {deleted} stores deleted, {sunk} sunk",
        cases - 1
    );
    let often = cases as usize / 5;
    assert!(counts.iter().all(|count| *count > often), "each rule was at work: {counts:?}");
}

#[test]
fn a_planted_fault_in_each_rule_is_noticed() {
    let mut missed = Vec::new();
    for fault in Fault::ALL {
        let policy = Policy { fault: Some(fault), ..Policy::ALL };
        let start = Instant::now();
        let seen =
            (0..CASES_FOR_A_FAULT).find(|seed| difference(&program(*seed), &policy).is_some());
        match seen {
            Some(seed) => println!("{fault:?}: seed {seed}, {:?}", start.elapsed()),
            None => missed.push(fault),
        }
    }
    assert!(missed.is_empty(), "not noticed in {CASES_FOR_A_FAULT} programs: {missed:?}");
}
