//! The exhaustive search finds what an enumeration without reduction finds.

use std::collections::BTreeSet;

use proptest::prelude::*;
use proptest::strategy::Strategy as _;

use super::super::{Exploration, Explored, Strategy, Unit, explore};
use super::Bench;
use super::model::{Op, Threads, outcomes, ptx, words};
use crate::Launch;
use crate::report::Outcome;

fn all(schedules: u64) -> Exploration {
    let strategy = Strategy::Exhaustive(Unit::Threads);
    Exploration { strategy, schedules, shrinking: 0, ..Exploration::default() }
}

/// The most schedules of a random program. One whose thread awaits what six operations of two
/// others may store has 66,608.
const MOST: u64 = 400_000;

/// Explores a program with one thread in each block.
fn explored(threads: &Threads, variables: usize) -> (Explored, BTreeSet<Option<Vec<u32>>>) {
    let grid = Launch::new(threads.len() as u32, 1);
    let mut bench = Bench::new(&ptx(threads, variables, false), grid, words(threads, variables));
    let explored = explore(&mut bench.gpu, &bench.request, &all(MOST)).unwrap();
    let results = bench.results(&explored);
    (explored, results)
}

fn agrees(threads: &Threads, variables: usize) -> Explored {
    let (explored, found) = explored(threads, variables);
    assert!(explored.complete, "{threads:?}");
    assert_eq!(found, outcomes(threads, variables), "{threads:?}");
    explored
}

#[test]
fn store_buffering_has_its_three_sequentially_consistent_outcomes() {
    let threads = vec![vec![Op::Store(0, 1), Op::Load(1)], vec![Op::Store(1, 1), Op::Load(0)]];
    let explored = agrees(&threads, 2);
    // Six interleavings. Four of them put all of one thread's conflicting pairs the same way. These
    // are equivalent in twos: 0-1, 1-0, and 1-1 from either side.
    assert_eq!(explored.outcomes.len(), 3);
    assert!(explored.schedules <= 4, "{}", explored.schedules);
}

#[test]
fn message_passing_never_shows_the_flag_without_the_data() {
    let threads = vec![vec![Op::Store(0, 7), Op::Store(1, 1)], vec![Op::Load(1), Op::Load(0)]];
    let (_, found) = explored(&threads, 2);
    let reads: BTreeSet<(u32, u32)> = found.into_iter().flatten().map(|w| (w[4], w[5])).collect();
    assert_eq!(reads, BTreeSet::from([(0, 0), (0, 7), (1, 7)]));
    agrees(&threads, 2);
}

#[test]
fn threads_that_share_nothing_need_one_schedule() {
    let threads: Threads =
        (0..6).map(|t| vec![Op::Store(t, 1), Op::Load(t), Op::Add(t, 2)]).collect();
    let explored = agrees(&threads, 6);
    assert_eq!((explored.schedules, explored.outcomes.len()), (1, 1));
}

#[test]
fn atomic_additions_to_one_counter_are_explored_in_every_order_once() {
    let threads: Threads = (0..4).map(|_| vec![Op::Add(0, 1)]).collect();
    let explored = agrees(&threads, 1);
    assert_eq!((explored.schedules, explored.outcomes.len()), (24, 24));
}

#[test]
fn a_counter_that_is_not_atomic_loses_updates() {
    let text = "
        .version 7.0 .target sm_70 .address_size 64
        .visible .entry k(.param .u64 out) {
          .reg .u64 %o; .reg .u32 %v;
          ld.param.u64 %o, [out];
          ld.global.u32 %v, [%o]; add.u32 %v, %v, 1; st.global.u32 [%o], %v;
          ld.global.u32 %v, [%o]; add.u32 %v, %v, 1; st.global.u32 [%o], %v;
          ret; }";
    let mut bench = Bench::new(text, Launch::new(1, 2), 1);
    let explored = explore(&mut bench.gpu, &bench.request, &all(1000)).unwrap();
    assert!(explored.complete);
    // Two threads that each add one twice: 2 at the least (known of this puzzle), 4 at the most.
    let sums: BTreeSet<u32> =
        bench.results(&explored).into_iter().flatten().map(|w| w[0]).collect();
    assert_eq!(sums, BTreeSet::from([2, 3, 4]));
}

#[test]
fn a_polled_flag_ends_the_wait_and_orders_what_came_before_it() {
    let threads = vec![
        vec![Op::Store(0, 7), Op::Store(1, 1)],
        vec![Op::Await(1, 1), Op::Load(0)],
        vec![Op::Load(0)],
    ];
    agrees(&threads, 2);
}

#[test]
fn a_lock_keeps_two_critical_sections_apart() {
    let section = vec![Op::Lock(0), Op::Load(1), Op::Store(1, 5), Op::Add(1, 1), Op::Store(0, 0)];
    agrees(&vec![section.clone(), section.clone()], 2);
    agrees(&vec![section.clone(), section, vec![Op::Load(1)]], 2);
}

#[test]
fn waiting_for_what_never_comes_is_a_livelock() {
    // The second store overwrites the first: whether the reader sees it depends on the schedule.
    let threads = vec![vec![Op::Store(0, 1), Op::Store(0, 2)], vec![Op::Await(0, 1)]];
    let grid = Launch::new(2, 1);
    let mut bench = Bench::new(&ptx(&threads, 1, false), grid, words(&threads, 1));
    let explored = explore(&mut bench.gpu, &bench.request, &all(1000)).unwrap();
    assert!(explored.complete);
    let mut kinds: Vec<Outcome> = explored.outcomes.iter().map(|d| d.outcome).collect();
    kinds.sort();
    assert_eq!(kinds, [Outcome::Completed, Outcome::Livelock]);
    // Two locks taken in opposite orders.
    let locks = |a, b| vec![Op::Lock(a), Op::Lock(b), Op::Store(b, 0), Op::Store(a, 0)];
    agrees(&vec![locks(0, 1), locks(1, 0)], 2);
}

#[test]
fn a_fault_of_one_thread_does_not_hide_what_the_others_would_do() {
    // Thread 0 always faults, thread 1 writes a flag, thread 2 traps when it sees it.
    let text = "
        .version 7.0 .target sm_70 .address_size 64
        .visible .entry k(.param .u64 out) {
          .reg .u64 %o; .reg .u32 %b, %v; .reg .pred %p;
          ld.param.u64 %o, [out]; mov.u32 %b, %ctaid.x;
          setp.eq.u32 %p, %b, 1; @%p bra write;
          setp.eq.u32 %p, %b, 2; @%p bra look;
          st.global.u32 [%o+3], %b;
        write: st.global.u32 [%o], 1; ret;
        look: ld.global.u32 %v, [%o]; setp.ne.u32 %p, %v, 0; @%p trap; ret; }";
    let mut bench = Bench::new(text, Launch::new(3, 1), 1);
    let explored = explore(&mut bench.gpu, &bench.request, &all(1000)).unwrap();
    assert!(explored.complete);
    let mut kinds: Vec<&str> = explored.outcomes.iter().map(|d| d.outcome.name()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["finding", "trap"]);
}

#[test]
fn what_a_barrier_orders_is_not_tried_the_other_way_round() {
    let writer = vec![Op::Store(0, 1), Op::Store(1, 1), Op::Barrier, Op::Load(2)];
    let other = vec![Op::Store(2, 1), Op::Barrier, Op::Load(0), Op::Load(1)];
    let threads = vec![writer, other];
    let mut bench = Bench::new(&ptx(&threads, 3, true), Launch::new(1, 2), words(&threads, 3));
    let explored = explore(&mut bench.gpu, &bench.request, &all(100)).unwrap();
    assert_eq!((explored.complete, explored.schedules, explored.outcomes.len()), (true, 1, 1));
}

#[test]
fn the_bound_is_kept_and_said() {
    let threads: Threads = (0..4).map(|_| vec![Op::Add(0, 1), Op::Add(0, 1)]).collect();
    let grid = Launch::new(4, 1);
    let mut bench = Bench::new(&ptx(&threads, 1, false), grid, words(&threads, 1));
    let explored = explore(&mut bench.gpu, &bench.request, &all(50)).unwrap();
    assert_eq!((explored.schedules, explored.complete), (50, false));
    let few_turns = Exploration { turns: 5, ..all(50) };
    let explored = explore(&mut bench.gpu, &bench.request, &few_turns).unwrap();
    assert!(!explored.complete && explored.cut > 0);
}

#[test]
fn warps_as_wholes_are_few_schedules() {
    // Every thread of two warps reads a cell, and thread 0 writes it.
    let text = "
        .version 7.0 .target sm_70 .address_size 64
        .visible .entry k(.param .u64 out) {
          .reg .u64 %o, %a; .reg .u32 %t, %v; .reg .pred %p;
          ld.param.u64 %o, [out]; mov.u32 %t, %tid.x; mul.wide.u32 %a, %t, 4; add.u64 %a, %a, %o;
          setp.ne.u32 %p, %t, 0; @!%p st.global.u32 [%o], 1;
          ld.global.u32 %v, [%o]; st.global.u32 [%a+4], %v; ret; }";
    let mut bench = Bench::new(text, Launch::new(1, 64), 65);
    let strategy = Strategy::Exhaustive(Unit::Warps);
    let exploration = Exploration { strategy, ..all(1000) };
    let explored = explore(&mut bench.gpu, &bench.request, &exploration).unwrap();
    // The second warp reads before the first one writes, or after.
    assert_eq!((explored.complete, explored.schedules, explored.outcomes.len()), (true, 2, 2));
}

fn op(variables: usize) -> impl proptest::strategy::Strategy<Value = Op> {
    let x = 0..variables;
    prop_oneof![
        (x.clone(), 1..3_u32).prop_map(|(x, v)| Op::Store(x, v)),
        x.clone().prop_map(Op::Load),
        (x.clone(), 1..3_u32).prop_map(|(x, v)| Op::Add(x, v)),
        (x.clone(), 1..3_u32).prop_map(|(x, v)| Op::Store(x, v)),
        x.prop_map(Op::Load),
    ]
}

pub(super) fn program() -> impl proptest::strategy::Strategy<Value = Threads> {
    let thread = proptest::collection::vec(op(3), 1..4);
    proptest::collection::vec(thread, 2..4)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(warpsim_effort::cases(60, 1500)) })]

    #[test]
    fn random_programs_have_the_outcomes_of_a_plain_enumeration(threads in program()) {
        let (explored, found) = explored(&threads, 3);
        prop_assert!(explored.complete);
        prop_assert_eq!(found, outcomes(&threads, 3));
    }

    #[test]
    fn so_do_those_that_wait_for_each_other(mut threads in program(), x in 0..3_usize, v in 1..3_u32, lock: bool) {
        threads[0].insert(1, Op::Await(x, v));
        if lock {
            threads[1].insert(0, Op::Lock(0));
        }
        let (explored, found) = explored(&threads, 3);
        prop_assert!(explored.complete);
        prop_assert_eq!(found, outcomes(&threads, 3));
    }

    /// In shared memory, with a barrier that all reach, in one warp.
    #[test]
    fn and_so_do_threads_of_one_warp_with_barriers(threads in program(), at in 0..3_usize) {
        let mut threads = threads;
        for ops in &mut threads {
            let at = at.min(ops.len());
            ops.insert(at, Op::Barrier);
        }
        let block = Launch::new(1, threads.len() as u32);
        let mut bench = Bench::new(&ptx(&threads, 3, true), block, words(&threads, 3));
        let explored = explore(&mut bench.gpu, &bench.request, &all(20_000)).unwrap();
        prop_assert!(explored.complete);
        // The variables are in shared memory, so only what was read is left.
        let mut expected = outcomes(&threads, 3);
        expected = expected.into_iter().map(|o| o.map(|mut w| { w[..3].fill(0); w })).collect();
        prop_assert_eq!(bench.results(&explored), expected);
    }
}
