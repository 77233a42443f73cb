//! Outlines against the comparison byte by byte, and the kept tasks against all tasks.

use std::sync::{Arc, LazyLock};

use proptest::prelude::*;

use super::footprint::Task;
use super::*;
use crate::lower::{self, Program};
use crate::observe::Clock;
use warpsim_engine::launch::Launch;

static PROGRAM: LazyLock<Arc<Program>> = LazyLock::new(|| {
    let text = ".version 7.0 .target sm_70 .address_size 64 .visible .entry k() { ret; }";
    let module = crate::ptx::parse("k.ptx", text).expect("valid");
    Arc::new(lower::lower(&module, "k", &Default::default()).expect("lowers"))
});

/// A launch of a kernel that does nothing.
fn facts() -> LaunchFacts {
    LaunchFacts {
        program: Arc::clone(&PROGRAM),
        module: None,
        number: 1,
        launch: Launch::default(),
        shared_bytes: 0,
        is_lockstep: false,
        order: Order::alone(),
        unwritten: Default::default(),
    }
}

const BASE: u64 = 0x2_0000_0000;

/// What a task does: a copy of the host's, or some accesses of a launch.
#[derive(Clone, Debug)]
enum Does {
    Host(HostAccessKind, u64, u64),
    Launch(Vec<(u32, Use, Strength, u64, u64)>),
}

fn place() -> impl Strategy<Value = (u64, u64)> {
    let near = (0..200u64, 1..40u64);
    let far = (0..40_000u64, prop_oneof![1..9u64, 1..9000u64]);
    prop_oneof![near, far].prop_map(|(at, bytes)| (BASE + at, bytes))
}

fn does() -> impl Strategy<Value = Does> {
    let kinds = [
        HostAccessKind::Read,
        HostAccessKind::Write,
        HostAccessKind::Free,
        HostAccessKind::Load,
        HostAccessKind::Store,
    ];
    let host = (prop::sample::select(kinds.to_vec()), place())
        .prop_map(|(kind, (at, bytes))| Does::Host(kind, at, bytes));
    let what = prop::sample::select(vec![Use::Read, Use::Write, Use::Both]);
    let how = prop::sample::select(vec![Strength::Weak, Strength::Device, Strength::System]);
    let access = (0..4u32, what, how, place())
        .prop_map(|(pc, what, how, (at, bytes))| (pc, what, how, at & !3, bytes.div_ceil(4) * 4));
    prop_oneof![host, prop::collection::vec(access, 1..4).prop_map(Does::Launch)]
}

fn task(does: &Does, order: Order, by_host: Strength) -> Footprint {
    match does {
        Does::Host(kind, address, bytes) => {
            let (kind, address, bytes) = (*kind, *address, *bytes);
            Footprint::of_host(&HostAccess { kind, address, bytes, order }, by_host)
        }
        Does::Launch(accesses) => {
            let mut task = Footprint::of_launch(LaunchFacts { order, ..facts() });
            for (pc, what, how, at, bytes) in accesses {
                task.touch(*pc, (*what, *how), (0, 0, 0), (*at, *bytes), 4);
            }
            task
        }
    }
}

proptest! {
    #[test]
    fn an_outline_passes_over_no_conflict(
        a in does(), b in does(), strong: bool,
    ) {
        let by_host = if strong { Strength::System } else { Strength::Weak };
        let order = |number, timeline| {
            Order::new(OperationId { number, timeline }, Clock::default())
        };
        let (a, b) = (task(&a, order(1, 2), by_host), task(&b, order(2, 3), by_host));
        if !a.outline().may_conflict(&b.outline()) {
            prop_assert_eq!(a.conflicts(&b), Vec::new());
        }
    }
}

/// What a program of four streams does: it issues to a stream, has one wait for another, or waits
/// itself for one.
#[derive(Clone, Debug)]
enum Act {
    Issue(u32, Does),
    Follow(u32, u32),
    Wait(u32),
}

fn act() -> impl Strategy<Value = Act> {
    let stream = 1..5u32;
    prop_oneof![
        6 => (stream.clone(), does()).prop_map(|(stream, does)| Act::Issue(stream, does)),
        2 => (stream.clone(), stream.clone()).prop_map(|(a, b)| Act::Follow(a, b)),
        1 => stream.prop_map(Act::Wait),
    ]
}

/// The numbers of tasks that race, by comparing each with each byte by byte.
fn all_pairs(tasks: &[Footprint]) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    for (at, later) in tasks.iter().enumerate() {
        let of = |task: &Footprint| task.order.operation().number;
        let races = |earlier: &&Footprint| {
            !later.is_ordered_with(earlier) && !earlier.conflicts(later).is_empty()
        };
        found.extend(tasks[..at].iter().filter(races).map(|earlier| (of(later), of(earlier))));
    }
    found
}

proptest! {
    /// With and without telling for whom the host has waited, within a limit that a fraction of
    /// them exceeds, and beside this many other streams that tasks are looked for by their pages.
    #[test]
    fn what_is_kept_races_as_all_do(
        acts in prop::collection::vec(act(), 1..30), forgets: bool,
        limit in prop::option::of(3_000..9_000usize), others in prop::option::of(40..60u32),
    ) {
        let mut races = TaskRaces::default();
        if let Some(limit) = limit {
            races = races.with_limit(limit);
        }
        for number in 0..others.filter(|_| limit.is_none()).unwrap_or(0) {
            let far = Does::Host(HostAccessKind::Write, BASE - 4 * u64::from(number + 1), 4);
            let operation = OperationId { number: 1, timeline: 100 + number };
            races.judge(task(&far, Order::new(operation, Clock::default()), Strength::Weak));
        }
        let (mut streams, mut host) = (vec![Clock::default(); 5], Clock::default());
        let (mut tasks, mut found, mut number) = (Vec::new(), Vec::new(), 0);
        for act in acts {
            match act {
                Act::Issue(stream, does) => {
                    number += 1;
                    let operation = OperationId { number, timeline: stream };
                    let clock = &mut streams[stream as usize];
                    clock.join(&host);
                    let task = task(&does, Order::new(operation, clock.clone()), Strength::Weak);
                    clock.set(operation);
                    tasks.push(task.clone());
                    races.judge(task);
                }
                Act::Follow(one, other) => {
                    let other = streams[other as usize].clone();
                    streams[one as usize].join(&other);
                }
                Act::Wait(stream) => {
                    host.join(&streams[stream as usize]);
                    if forgets {
                        races.forget(&host);
                    }
                }
            }
            found.extend(races.take().iter().map(|race| race.operations.map(|o| o.number)));
        }
        let found: Vec<(u64, u64)> = found.into_iter().map(|[later, earlier]| (later, earlier)).collect();
        let all = all_pairs(&tasks);
        match limit {
            None => prop_assert_eq!(found, all),
            // All reported races are true, and any missing ones were forgotten.
            Some(_) => {
                prop_assert!(found.iter().all(|race| all.contains(race)));
                prop_assert!(found.len() == all.len() || races.forgotten() > 0 || is_repeated(&tasks));
            }
        }
    }
}

/// Whether a stream does the same twice. When room is short, only the last one is kept.
fn is_repeated(tasks: &[Footprint]) -> bool {
    let kind = |task: &Footprint| match &task.task {
        Task::Launch(_) => None,
        Task::Host(access) => Some(access.kind),
    };
    tasks.iter().enumerate().any(|(at, later)| {
        tasks[..at].iter().any(|earlier| {
            (earlier.area == later.area && kind(earlier) == kind(later))
                && earlier.order.operation().timeline == later.order.operation().timeline
        })
    })
}

/// A stream that launches the same twenty thousand times takes little memory. It still races with
/// another stream, and a few of the pairs are reported.
#[test]
fn the_same_launches_of_a_stream_take_the_place_of_few() {
    let mut races = TaskRaces::default().with_limit(1 << 20);
    let does = Does::Launch(vec![(0, Use::Write, Strength::Weak, BASE, 64)]);
    let mut clock = Clock::default();
    for number in 1..=20_000 {
        let operation = OperationId { number, timeline: 2 };
        races.judge(task(&does, Order::new(operation, clock.clone()), Strength::Weak));
        clock.set(operation);
    }
    assert_eq!((races.forgotten(), races.take().len()), (0, 0));
    assert!(races.kept() < 4_000, "{}", races.kept());
    let other = OperationId { number: 20_001, timeline: 3 };
    races.judge(task(&does, Order::new(other, Clock::default()), Strength::Weak));
    let told = races.take();
    assert_eq!(told.len(), kept::MOST_ALIKE);
    assert!(
        told.iter().all(|race| race.operations[0] == other && race.operations[1].timeline == 2)
    );
}
