//! Parts, in any order, against the exploration as a whole; and parts that do not make a whole.

use std::ops::Range;

use proptest::prelude::*;
use proptest::strategy::Strategy as _;

use super::super::{Exploration, Part, PartError, Strategy, explore, explore_part, explore_parts};
use super::Bench;
use super::exhaustive::program;
use super::model::{Op, Threads, ptx, words};
use crate::{Checking, Device, Launch};

/// A program with one thread in each block on global memory, or one warp on shared memory, checked.
fn bench(threads: &Threads, one_warp: bool) -> Bench {
    let count = threads.len() as u32;
    let launch = if one_warp { Launch::new(1, count) } else { Launch::new(count, 1) };
    let mut bench = Bench::new(&ptx(threads, 3, one_warp), launch, words(threads, 3));
    bench.gpu.settings_mut().checking = Some(Checking::default());
    bench
}

/// The same threads, each on its own variable.
fn apart(threads: &Threads) -> Threads {
    let own = |(thread, ops): (usize, &Vec<Op>)| {
        let of = |op: &Op| match *op {
            Op::Store(_, value) => Op::Store(thread, value),
            Op::Load(_) => Op::Load(thread),
            Op::Add(_, value) => Op::Add(thread, value),
            other @ (Op::Barrier | Op::Await(..) | Op::Lock(_)) => other,
        };
        ops.iter().map(of).collect()
    };
    threads.iter().enumerate().map(own).collect()
}

/// Whatever the order, it leaves the same. How many races there are, and where, depends on how far
/// the second thread is ahead: it looks at a cell only while the first has not passed it.
const SILENT: &str = "
    .version 7.0 .target sm_70 .address_size 64
    .visible .entry k(.param .u64 out) {
      .reg .u64 %o; .reg .u32 %b, %v, %n; .reg .pred %p, %q;
      ld.param.u64 %o, [out]; mov.u32 %b, %ctaid.x; mov.u32 %n, 0; setp.ne.u32 %p, %b, 0;
    again:
      @%p bra second;
      st.global.u32 [%o], 1;
      st.global.u32 [%o+32], 7;
      bra next;
    second:
      ld.global.u32 %v, [%o];
      setp.ne.u32 %q, %v, 0; @%q bra next;
      ld.global.u32 %v, [%o+32];
    next:
      add.u64 %o, %o, 4; add.u32 %n, %n, 1; setp.lt.u32 %q, %n, 6; @%q bra again;
      ret; }";

fn silent() -> Bench {
    let mut bench = Bench::new(SILENT, Launch::new(2, 1), 16);
    bench.gpu.settings_mut().checking = Some(Checking::default());
    bench
}

/// The program that is explored.
#[derive(Clone, Copy, Debug)]
enum Subject {
    Racy { one_warp: bool },
    Clean { one_warp: bool },
    Silent,
}

fn subject() -> impl proptest::strategy::Strategy<Value = Subject> {
    prop_oneof![
        any::<bool>().prop_map(|one_warp| Subject::Racy { one_warp }),
        any::<bool>().prop_map(|one_warp| Subject::Clean { one_warp }),
        Just(Subject::Silent),
    ]
}

fn part(bench: &mut Bench, exploration: &Exploration, numbers: Range<u64>) -> Part {
    explore_part(&mut bench.gpu, &bench.request, exploration, numbers).unwrap()
}

/// How many schedules, and the numbers of the parts, in some order.
fn cut() -> impl proptest::strategy::Strategy<Value = (u64, Vec<Range<u64>>)> {
    (1..50_u64, proptest::collection::vec(any::<prop::sample::Index>(), 0..6)).prop_flat_map(
        |(schedules, cuts)| {
            let mut ends: Vec<u64> =
                cuts.iter().map(|cut| cut.index(schedules as usize + 1) as u64).collect();
            ends.extend([0, schedules]);
            ends.sort_unstable();
            let ranges: Vec<_> = ends.windows(2).map(|pair| pair[0]..pair[1]).collect();
            (Just(schedules), Just(ranges).prop_shuffle())
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(warpsim_effort::cases(40, 1000)) })]

    #[test]
    fn parts_in_any_order_say_what_the_whole_says(
        subject in subject(), threads in program(), (schedules, numbers) in cut(),
        seed in 0..1000_u64, strategy in 0..3_usize,
    ) {
        let strategy = [Strategy::Mixed, Strategy::Random, Strategy::Pct { depth: 2 }][strategy];
        let exploration = Exploration { schedules, seed, strategy, ..Exploration::default() };
        let mut bench = match subject {
            Subject::Racy { one_warp } => bench(&threads, one_warp),
            Subject::Clean { one_warp } => bench(&apart(&threads), one_warp),
            Subject::Silent => silent(),
        };
        let whole = explore(&mut bench.gpu, &bench.request, &exploration).unwrap();
        let is_racy = matches!(subject, Subject::Racy { .. });
        prop_assert!(is_racy || whole.outcomes.len() == 1);
        let parts: Vec<Part> =
            numbers.into_iter().map(|numbers| part(&mut bench, &exploration, numbers)).collect();
        let merged = explore_parts(&mut bench.gpu, &bench.request, &exploration, parts).unwrap();
        prop_assert_eq!(merged, whole);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(warpsim_effort::cases(20, 500)) })]

    #[test]
    fn what_comes_of_it_is_the_same_for_any_number_of_threads(
        subject in subject(), threads in program(), schedules in 1..80_u64, seed in 0..1000_u64, strategy in 0..3_usize,
    ) {
        let strategy = [Strategy::Mixed, Strategy::Random, Strategy::Pct { depth: 2 }][strategy];
        let exploration = Exploration { schedules, seed, strategy, ..Exploration::default() };
        let mut bench = match subject {
            Subject::Racy { one_warp } => bench(&threads, one_warp),
            Subject::Clean { one_warp } => bench(&apart(&threads), one_warp),
            Subject::Silent => silent(),
        };
        let mut on = |count: usize| {
            let exploration = exploration.clone().with_threads(crate::Threads::up_to(count));
            explore(&mut bench.gpu, &bench.request, &exploration).unwrap()
        };
        let alone = on(1);
        prop_assert_eq!(on(2), alone.clone());
        prop_assert_eq!(on(3), alone);
    }
}

#[test]
fn a_finding_that_changes_no_result_is_kept_with_the_most_times_it_happened() {
    let mut bench = silent();
    let exploration = Exploration::default().with_schedules(40);
    let whole = explore(&mut bench.gpu, &bench.request, &exploration).unwrap();
    let in_order = explore(&mut bench.gpu, &bench.request, &exploration.clone().with_schedules(1));
    assert_eq!((whole.outcomes.len(), whole.schedules), (1, 40));
    assert!(whole.findings.len() > in_order.unwrap().findings.len());
    assert!(whole.findings.iter().any(|finding| finding.count > 1));
    let parts = [20..40, 7..20, 0..7].map(|numbers| part(&mut bench, &exploration, numbers));
    // Most runs say nothing new, and are only counted.
    assert!(parts.iter().all(|part| part.told.len() < 7), "{parts:#?}");
    let merged = explore_parts(&mut bench.gpu, &bench.request, &exploration, parts.to_vec());
    assert_eq!(merged, Ok(whole));
}

/// Two threads that add to a variable, not atomically.
fn racy() -> Threads {
    vec![vec![Op::Load(0), Op::Store(0, 1)], vec![Op::Load(0), Op::Store(0, 2)]]
}

#[test]
fn parts_that_leave_schedules_out_or_have_some_twice_are_refused() {
    let mut bench = bench(&racy(), false);
    let exploration = Exploration::default().with_schedules(30);
    let mut merged = |parts: &[Range<u64>]| {
        let parts = parts.iter().map(|n| part(&mut bench, &exploration, n.clone())).collect();
        explore_parts(&mut bench.gpu, &bench.request, &exploration, parts).map(|all| all.schedules)
    };
    let numbers = |wanted, found| Err(PartError::Numbers { wanted, found });
    assert_eq!(merged(&[20..30, 0..10, 10..20]), Ok(30));
    assert_eq!(merged(&[0..10, 20..30]), numbers(10, 20));
    assert_eq!(merged(&[0..10, 10..20]), numbers(30, 20));
    assert_eq!(merged(&[0..10, 9..20, 20..30]), numbers(10, 9));
    assert_eq!(merged(&[0..10, 11..20, 20..30]), numbers(10, 11));
    assert_eq!(merged(&[0..30, 30..31]), numbers(30, 31));
    assert_eq!(merged(&[]), numbers(30, 0));
}

#[test]
fn a_part_of_another_launch_is_refused_with_why() {
    let exploration = Exploration::default().with_schedules(10);
    let mut first = bench(&racy(), false);
    let here = part(&mut first, &exploration, 0..5);
    let mut told = |there: Part| {
        let parts = vec![here.clone(), there];
        let merged = explore_parts(&mut first.gpu, &first.request, &exploration, parts);
        merged.unwrap_err().to_string()
    };
    let of = |why| {
        format!("the part of the schedules from number 5 up to 10 belongs to another launch: {why}")
    };
    let mut other = bench(&racy(), false);
    let buffer = other.buffer;
    other.gpu.upload(buffer, &[1]).unwrap();
    let memory = part(&mut other, &exploration, 5..10);
    assert_eq!(told(memory), of("the memory before it is different"));
    let mut longer = racy();
    longer[0][1] = Op::Store(1, 1);
    let program = part(&mut bench(&longer, false), &exploration, 5..10);
    assert_eq!(told(program), of("the in-order run has another result"));
}

#[test]
fn a_part_whose_runs_are_not_those_of_its_numbers_is_refused() {
    let mut bench = bench(&racy(), false);
    let exploration = Exploration::default().with_schedules(10);
    let good = part(&mut bench, &exploration, 0..10);
    let mut told = |change: &dyn Fn(&mut Part)| {
        let mut part = good.clone();
        change(&mut part);
        explore_parts(&mut bench.gpu, &bench.request, &exploration, vec![part]).map(|_| ())
    };
    assert_eq!(told(&|_| ()), Ok(()));
    let broken = |what| Err(PartError::Broken { numbers: 0..10, what });
    // As many runs as a shard makes that is off by one.
    let short = broken("its runs are not as many as its schedules");
    assert_eq!(told(&|part| part.told[0].count -= 1), short);
    assert_eq!(told(&|part| part.cut = 1), short);
    assert_eq!(told(&|part| part.cut = u64::MAX), short);
    let order = broken("the numbers of its runs do not ascend within its own");
    assert_eq!(told(&|part| part.told.swap(0, 1)), order);
    assert_eq!(told(&|part| part.told[1].number = 10), order);
    assert_eq!(told(&|part| part.told[0].count = 0), broken("a result that no run had"));
}

#[test]
fn an_exhaustive_search_has_no_parts() {
    let mut bench = bench(&racy(), false);
    let strategy = Strategy::Exhaustive(super::super::Unit::Threads);
    let exploration = Exploration::default().with_strategy(strategy);
    let refused = explore_part(&mut bench.gpu, &bench.request, &exploration, 0..10);
    assert_eq!(refused, Err(PartError::Exhaustive));
}
