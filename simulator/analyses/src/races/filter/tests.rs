//! The filter against the judge, on random runs that no machine made.

mod together;

use std::collections::BTreeSet;
use std::sync::Arc;

use proptest::prelude::*;

use super::Filter;
use super::stamps::Stamps;
use crate::lanes::{LANES, Mask, Registers, lanes_of, write_lanes};
use crate::lower::{Kind, Order, Placement, Program, Scope, Semantics};
use crate::observe::{
    Access, AccessKind, Analysis, Arrival, BarrierEvent, Event, LaunchFacts, Observer, WarpEvent,
};
use crate::ptx::Space;
use crate::races::Races;
use warpsim_engine::launch::Launch;

/// Threads of a block: its second warp is short.
const THREADS: u32 = 40;

/// Something that happens in a run. Blocks and warps are 0 or 1.
#[derive(Clone, Debug)]
enum Happening {
    Access { block: u64, warp: u32, mask: Mask, shared: bool, what: What, start: u64, stride: u64 },
    Barrier { block: u64 },
    WarpSync { block: u64, warp: u32, mask: Mask },
    Fence { block: u64, warp: u32, mask: Mask },
    Exit { block: u64, warp: u32, mask: Mask },
}

#[derive(Clone, Copy, Debug)]
struct What {
    kind: AccessKind,
    order: Order,
    scope: Scope,
    bytes: u32,
    width: u32,
    non_coherent: bool,
}

fn what() -> impl Strategy<Value = What> {
    let kind =
        prop_oneof![Just(AccessKind::Read), Just(AccessKind::Write), Just(AccessKind::Atomic)];
    let order = prop_oneof![
        4 => Just(Order::Weak),
        1 => Just(Order::Relaxed),
        1 => Just(Order::AcquireRelease),
        1 => Just(Order::Volatile),
    ];
    let scope = prop_oneof![Just(Scope::Block), Just(Scope::Gpu)];
    let shape = prop_oneof![
        6 => Just((4, 4)), 1 => Just((1, 1)), 1 => Just((2, 2)), 1 => Just((8, 8)), 1 => Just((8, 4))
    ];
    (kind, order, scope, shape, proptest::bool::weighted(0.05)).prop_map(
        |(kind, order, scope, (bytes, width), non_coherent)| {
            let is_atomic = kind == AccessKind::Atomic;
            let order = if is_atomic && order == Order::Weak { Order::Relaxed } else { order };
            let (bytes, width) =
                if is_atomic && (bytes < 4 || width < bytes) { (4, 4) } else { (bytes, width) };
            let non_coherent = non_coherent && kind == AccessKind::Read && order == Order::Weak;
            What { kind, order, scope, bytes, width, non_coherent }
        },
    )
}

fn plain() -> impl Strategy<Value = What> {
    let kind = prop_oneof![Just(AccessKind::Read), Just(AccessKind::Write)];
    let bytes = prop_oneof![2 => Just(4), 1 => Just(8)];
    (kind, bytes).prop_map(|(kind, bytes)| What {
        kind,
        order: Order::Weak,
        scope: Scope::System,
        bytes,
        width: bytes,
        non_coherent: false,
    })
}

fn masks() -> impl Strategy<Value = Mask> {
    prop_oneof![Just(Mask::MAX), Just(1), Just(0xff), Just(0xff00), any::<Mask>()]
}

fn access(what: impl Strategy<Value = What>) -> impl Strategy<Value = Happening> {
    let place = (0..2u64, 0..2u32, masks(), any::<bool>());
    (place, what, 0..4u64, 0..3u64).prop_map(
        |((block, warp, mask, shared), what, start, stride)| Happening::Access {
            block,
            warp,
            mask,
            shared,
            what,
            start,
            stride,
        },
    )
}

fn anything() -> impl Strategy<Value = Happening> {
    let at = || (0..2u64, 0..2u32, masks());
    prop_oneof![
        8 => access(what()),
        2 => (0..2u64).prop_map(|block| Happening::Barrier { block }),
        2 => at().prop_map(|(block, warp, mask)| Happening::WarpSync { block, warp, mask }),
        1 => at().prop_map(|(block, warp, mask)| Happening::Fence { block, warp, mask }),
        1 => at().prop_map(|(block, warp, mask)| Happening::Exit { block, warp, mask: mask & 0x0f }),
    ]
}

fn whole_barriers() -> impl Strategy<Value = Happening> {
    let at = (0..2u64, 0..2u32);
    prop_oneof![
        8 => access(plain()),
        2 => (0..2u64).prop_map(|block| Happening::Barrier { block }),
        1 => at.prop_map(|(block, warp)| Happening::WarpSync { block, warp, mask: Mask::MAX }),
    ]
}

/// A run in progress: who has exited.
struct Run<'a> {
    program: Arc<Program>,
    registers: Registers,
    /// How many accesses there were. No two store the same value, because those races are judged
    /// otherwise.
    accesses: u32,
    live: [[Mask; 2]; 2],
    watch: [&'a mut dyn Observer; 2],
}

impl<'a> Run<'a> {
    fn new(watch: [&'a mut dyn Observer; 2]) -> Run<'a> {
        let text = ".version 7.0 .target sm_70 .address_size 64
            .visible .entry k() { .reg .u64 %a; .reg .u32 %r<4>;
              bar.warp.sync -1;
              st.global.v4.u32 [%a], {%r0, %r1, %r2, %r3};
              ret; }";
        let module = crate::ptx::parse("k.ptx", text).expect("valid");
        let program = crate::lower::lower(&module, "k", &Placement::default()).expect("lowers");
        let slots = program.functions[0].slots;
        let registers = Registers::new(slots, Arc::clone(&program.constants));
        let program = Arc::new(program);
        let mut run = Run { program, registers, accesses: 0, live: [[Mask::MAX, 0xff]; 2], watch };
        let launch = LaunchFacts {
            program: Arc::clone(&run.program),
            module: None,
            number: 1,
            launch: Launch::new(2, THREADS),
            shared_bytes: 256,
            is_lockstep: false,
            order: crate::observe::Order::alone(),
            unwritten: Default::default(),
        };
        for watch in &mut run.watch {
            watch.launch_begin(&launch);
            watch.block_begin(0);
            watch.block_begin(1);
        }
        run
    }

    fn tell(
        &mut self,
        (block, warp, active): (u64, u32, Mask),
        at: fn(&Kind) -> bool,
        what: impl Fn(&mut dyn Observer, &Event<'_>),
    ) {
        let pc = self.program.operations.iter().position(|o| at(&o.kind));
        let event = Event {
            program: &self.program,
            pc: pc.expect("the program has one") as u32,
            block,
            block_index: [block as u32, 0, 0],
            warp,
            mask: active,
            active,
            thread: &[[0; LANES]; 3],
            function: 0,
            callee_base: 0,
            registers: &self.registers,
        };
        if active != 0 {
            self.watch.iter_mut().for_each(|watch| what(*watch, &event));
        }
    }

    /// Gives each lane its own values.
    fn give_values(&mut self) {
        self.accesses += 1;
        let first = self.accesses * LANES as u32;
        for register in &self.program.functions[0].registers {
            if register.ty.bytes() == Some(4) {
                let values = std::array::from_fn(|lane| first + lane as u32);
                write_lanes(&mut self.registers, register.slot, Mask::MAX, &values);
            }
        }
    }

    fn happen(&mut self, happening: &Happening) {
        self.give_values();
        let live = |block: u64, warp: u32| self.live[block as usize][warp as usize];
        match *happening {
            Happening::Access { block, warp, mask, shared, what, start, stride } => {
                let active = mask & live(block, warp);
                let unit = u64::from(what.bytes);
                let base = if shared { 0 } else { 1 << 20 };
                let addresses = std::array::from_fn(|lane| {
                    base + (start * 4).next_multiple_of(unit) + lane as u64 * stride * unit
                });
                let access = Access {
                    flight: None,
                    kind: what.kind,
                    space: if shared { Space::Shared } else { Space::Global },
                    mask: active,
                    addresses: &addresses,
                    bytes: what.bytes,
                    width: what.width,
                    semantics: Semantics { order: what.order, scope: what.scope },
                    non_coherent: what.non_coherent,
                };
                let inside = lanes_of(active).all(|l| !shared || addresses[l] + unit <= 256);
                if inside {
                    let at = match what.kind {
                        AccessKind::Write => |kind: &Kind| matches!(kind, Kind::Store(_)),
                        AccessKind::Read | AccessKind::Atomic => is_sync,
                    };
                    let who = (block, warp, active);
                    self.tell(who, at, |watch, event| watch.access(event, &access));
                }
            }
            Happening::Barrier { block } => {
                let arrivals: Vec<Arrival> = (0..2u32)
                    .map(|warp| Arrival {
                        warp,
                        lanes: live(block, warp),
                        pc: 0,
                        waits: true,
                        aligned: true,
                        predicate: 0,
                    })
                    .filter(|arrival| arrival.lanes != 0)
                    .collect();
                let event = BarrierEvent { block, barrier: 0, count: None, arrivals: &arrivals };
                self.watch.iter_mut().for_each(|watch| watch.barrier(&event));
            }
            Happening::WarpSync { block, warp, mask } => {
                let live = live(block, warp);
                let together = mask & live;
                self.tell((block, warp, together), is_sync, |watch, event| {
                    watch.together(&WarpEvent { live, together, parts: &[*event] });
                });
            }
            Happening::Fence { block, warp, mask } => {
                let semantics =
                    Semantics { order: Order::SequentiallyConsistent, scope: Scope::Gpu };
                let active = mask & live(block, warp);
                let who = (block, warp, active);
                self.tell(who, is_sync, |watch, event| watch.fence(event, semantics));
            }
            Happening::Exit { block, warp, mask } => {
                let active = mask & live(block, warp);
                self.tell((block, warp, active), is_sync, |watch, event| watch.exit(event));
                self.live[block as usize][warp as usize] &= !active;
            }
        }
    }
}

fn is_sync(kind: &Kind) -> bool {
    matches!(kind, Kind::Warp(_))
}

/// The words that the judge finds to race, and the filter.
fn judged(happenings: &[Happening]) -> (BTreeSet<(Space, u64, u64)>, Filter) {
    let (mut judge, mut filter) = (Races::new(), Filter::new());
    let mut run = Run::new([&mut judge, &mut filter]);
    happenings.iter().for_each(|happening| run.happen(happening));
    run.watch.iter_mut().for_each(|watch| {
        watch.block_end(0);
        watch.block_end(1);
        watch.launch_end();
    });
    let words = |c: super::super::Conflict| {
        let block = if c.space == Space::Shared { c.later.thread.block() } else { 0 };
        (c.space, block, c.address / 4)
    };
    assert_eq!((judge.bug(), filter.bug.take()), (None, None));
    (judge.take_conflicts().into_iter().map(words).collect(), filter)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(warpsim_effort::cases(4000, 40_000)))]

    #[test]
    fn whatever_races_is_a_candidate(happenings in proptest::collection::vec(anything(), 1..14)) {
        let (racing, mut filter) = judged(&happenings);
        let candidates = filter.take_candidates();
        for (space, block, word) in racing {
            prop_assert!(candidates.contains(space, block, word), "{:?} {} {}", space, block, word);
        }
    }

    #[test]
    fn with_whole_barriers_alone_nothing_but_what_races_is_a_candidate(
        happenings in proptest::collection::vec(whole_barriers(), 1..14)
    ) {
        let (racing, mut filter) = judged(&happenings);
        let candidates = filter.take_candidates();
        prop_assert_eq!(candidates.is_empty(), racing.is_empty(), "{:?} {:?}", racing, candidates);
    }
}

/// Lane 0 of warp 0 of a block stores the first word of global memory.
fn store(block: u64) -> Happening {
    let what = What {
        kind: AccessKind::Write,
        order: Order::Weak,
        scope: Scope::System,
        bytes: 4,
        width: 4,
        non_coherent: false,
    };
    Happening::Access { block, warp: 0, mask: 1, shared: false, what, start: 0, stride: 1 }
}

#[test]
fn a_launch_is_looked_at_however_many_came_before_it() {
    let mut filter = Filter { stamps: Stamps::with_room(1000), ..Filter::new() };
    for launch in 0..1000 {
        let mut judge = Races::new();
        let mut run = Run::new([&mut judge, &mut filter]);
        [store(0), store(1)].iter().for_each(|happening| run.happen(happening));
        run.watch.iter_mut().for_each(|watch| (0..2).for_each(|block| watch.block_end(block)));
        assert!(!filter.is_without_conflicts(), "launch {launch}");
        assert_eq!(filter.take_candidates().len(), 1, "launch {launch}");
        // Alone, it is ordered behind the launches before.
        let mut run = Run::new([&mut judge, &mut filter]);
        run.happen(&store(0));
        run.watch.iter_mut().for_each(|watch| (0..2).for_each(|block| watch.block_end(block)));
        assert!(filter.is_without_conflicts(), "launch {launch}");
    }
}

#[test]
fn what_no_run_does_is_a_bug_of_warpsim() {
    let (mut judge, mut filter) = (Races::new(), Filter::new());
    let mut run = Run::new([&mut judge, &mut filter]);
    let access = store(0);
    run.happen(&access);
    run.watch.iter_mut().for_each(|watch| watch.block_end(0));
    run.happen(&access);
    drop(run);
    for bug in [judge.bug(), Analysis::bug(&mut filter)] {
        assert_eq!(bug.unwrap().what, "block 0 acts, and has not begun or has ended");
    }
    assert_eq!((judge.bug(), Analysis::bug(&mut filter)), (None, None));
}
