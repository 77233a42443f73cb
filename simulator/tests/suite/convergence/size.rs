//! The analysis of a program before it runs must not take the square of its length.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use super::{kernel, run};
use warpsim::host::Model;
use warpsim::ptx::Module;

/// Conditions one after the other, with barriers between them.
fn conditions(count: u32) -> Module {
    let mut body = String::from("setp.eq.u32 %p1, %t, 7;\n");
    for i in 0..count {
        let barrier = if i % 8 == 0 { "bar.sync 0;" } else { "" };
        let _ = writeln!(body, "@%p1 bra L{i}; add.u32 %r1, %r1, {i}; L{i}: {barrier}");
    }
    kernel("", &body)
}

/// Jumps from anywhere to anywhere, with barriers between them.
fn scattered(count: u32) -> Module {
    let mut body = String::from("setp.eq.u32 %p1, %t, 7;\n");
    for i in 0..count {
        let barrier = if i % 8 == 0 { "bar.sync 0;" } else { "" };
        let to = i.wrapping_mul(2_654_435_761) % count;
        let _ = writeln!(body, "L{i}: {barrier} add.u32 %r1, %r1, {i}; @%p1 bra L{to};");
    }
    kernel("", &body)
}

/// Early returns, one after the other, and a barrier behind each.
fn early_returns(count: u32) -> Module {
    let mut body = String::from("setp.eq.u32 %p1, %t, 7;\n");
    for i in 0..count {
        let _ = writeln!(body, "@%p1 bra E{i}; bar.sync 0; bra L{i}; E{i}: ret; L{i}:");
    }
    kernel("", &body)
}

/// The same, with lines of a source in which each barrier comes after its condition.
fn early_returns_with_lines(count: u32) -> Module {
    let mut body = String::new();
    for i in 0..count {
        let line = i + 1;
        let _ = writeln!(body, ".loc 1 {line} 3\nsetp.eq.u32 %p1, %t, 7;\n@%p1 bra E{i};");
        let _ = writeln!(body, ".loc 1 {line} 9\nbar.sync 0; bra L{i}; E{i}: ret; L{i}:");
    }
    kernel(".file 1 \"k.cu\"", &body)
}

/// A barrier that a warp passes by, and behind it further paths to the warp's later places. All lie
/// before the next place where threads wait.
fn passed_by(count: u32) -> Module {
    let mut body = String::from("setp.ge.u32 %p1, %t, 32; setp.eq.u32 %p2, %t, 99;\n");
    body += "@%p1 bra END; bar.sync 0;\n";
    for i in 0..count {
        let _ = writeln!(body, "@%p2 bra END; add.u32 %r1, %r1, {i};");
    }
    body += "bar.warp.sync -1; END: red.global.add.u32 [%o], 1;";
    kernel("", &body)
}

fn fastest(module: &Module, threads: u32) -> Duration {
    let once = |_| {
        let start = Instant::now();
        run(module, "k", threads, Model::Independent, "in-order");
        start.elapsed()
    };
    (0..3).map(once).min().unwrap()
}

/// Asserts that the first takes less than this many times as long as the second. Others may be
/// using the machine, so one quick run is enough.
fn assert_less_than(times: f64, what: &str, (long, short): (&Module, &Module), threads: u32) {
    let mut ratios = Vec::new();
    while ratios.len() < 3 {
        let (long, short) = (fastest(long, threads), fastest(short, threads));
        let ratio = long.as_secs_f64() / short.as_secs_f64();
        if ratio < times {
            return;
        }
        ratios.push(ratio);
    }
    panic!("{what}: {ratios:?}");
}

#[test]
fn looking_at_four_times_as_long_a_program_does_not_take_sixteen_times_as_long() {
    for (what, program, count, threads) in [
        ("conditions", conditions as fn(u32) -> Module, 5_000, 1),
        ("scattered", scattered, 5_000, 1),
        ("early returns", early_returns, 2_500, 1),
        ("passed by", passed_by, 2_000, 64),
    ] {
        assert_less_than(9.0, what, (&program(4 * count), &program(count)), threads);
    }
}

#[test]
fn looking_at_lines_does_not_take_the_length_of_the_program_for_each_pair() {
    let both = (&early_returns_with_lines(400), &early_returns(400));
    assert_less_than(8.0, "with lines", both, 1);
}

#[test]
fn who_passes_by_one_of_two_rendezvous_is_told_of_the_branch_before_that_one() {
    let (_, findings) = run(&passed_by(3), "k", 64, Model::Independent, "in-order");
    let notes: Vec<&String> = findings.iter().flat_map(|finding| &finding.notes).collect();
    let parts: Vec<_> = notes.iter().filter(|note| note.contains("their paths split")).collect();
    assert_eq!(parts, [&"their paths split at `bra` (PTX line 14)"]);
}
