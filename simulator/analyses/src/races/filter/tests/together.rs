//! Two comparisons: a filter that gets the accesses of several warps at once, and a filter that
//! gets them one after the other; a block with the memory of an ended block, and a block with its
//! own.

use std::sync::Arc;

use proptest::prelude::*;

use super::super::line::LINE;
use super::super::shadow::{Page, Side};
use super::super::stamps::Stamp;
use super::super::{Candidates, Filter};
use super::is_sync;
use crate::gathered::{self, Gathered, gathered};
use crate::lanes::{LANES, Mask, Registers};
use crate::observe::{Arrival, BarrierEvent, Event, LaunchFacts, Observer, WarpEvent};
use crate::ptx::Space;
use warpsim_engine::launch::Launch;

/// Something that happens to both of two blocks of 128 threads.
#[derive(Clone, Debug)]
enum Together {
    Access(Gathered),
    Barrier(u64),
    WarpSync(u64, u32),
}

fn together() -> impl Strategy<Value = Together> {
    prop_oneof![
        6 => gathered(4).prop_map(Together::Access),
        1 => (0..2_u64).prop_map(Together::Barrier),
        1 => (0..2_u64, 0..4_u32).prop_map(|(block, warp)| Together::WarpSync(block, warp)),
    ]
}

/// A filter at the beginning of a launch of two blocks of 128 threads.
fn beginning() -> Filter {
    let mut filter = Filter::new();
    filter.launch_begin(&LaunchFacts {
        program: Arc::clone(gathered::program()),
        module: None,
        number: 1,
        launch: Launch::new(2, 128),
        shared_bytes: gathered::memory(Space::Shared).1 as u32,
        is_lockstep: false,
        order: crate::observe::Order::alone(),
        unwritten: Default::default(),
    });
    (0..2).for_each(|block| filter.block_begin(block));
    filter
}

/// The stamps of each byte of shared memory: who wrote it, and who read it. A stamp below `ordered`
/// counts as nobody.
fn stamps(page: &Page, ordered: Stamp) -> Vec<[Stamp; 2]> {
    let of = |side: &Side, byte: usize| {
        let (cell, line) = (if page.is_fine { byte } else { byte / 4 }, byte / 4 / LINE);
        let stamp = match side.lines.get(line) {
            None => 0,
            Some(line) if line.is_apart() => side.cells[cell],
            Some(line) => line.of_cell(cell % LINE),
        };
        if stamp < ordered { 0 } else { stamp }
    };
    let bytes = 4 * LINE * page.reads.lines.len();
    (0..bytes).map(|byte| [of(&page.writes, byte), of(&page.reads, byte)]).collect()
}

/// All that a filter knows, once nothing is deferred: of each block and page of global memory who
/// accessed what, and the rest.
fn kept(filter: &Filter) -> (Vec<Vec<[Stamp; 2]>>, String, Candidates) {
    let mut filter = filter.clone();
    (0..filter.blocks.len()).for_each(|place| filter.settle(place));
    let shared = filter.blocks.iter().map(|block| stamps(&block.shared, block.ordered));
    let global = filter.global.pages.iter().map(|page| stamps(page, 0));
    let all = filter.blocks.iter().map(|b| (b.phase, b.ordered, &b.warps, b.exited));
    let (first, directory) = (filter.global.first, &filter.global.directory);
    let rest = format!("{:?} {first} {directory:?}", all.collect::<Vec<_>>());
    (shared.chain(global).collect(), rest, filter.candidates)
}

/// All lanes of a warp synchronise.
fn sync(filter: &mut Filter, block: u64, warp: u32) {
    let program = gathered::program();
    let registers = Registers::new(program.functions[0].slots, Arc::clone(&program.constants));
    let pc = program.operations.iter().position(|operation| is_sync(&operation.kind));
    let event = Event {
        program,
        pc: pc.expect("the program has one") as u32,
        block,
        block_index: [block as u32, 0, 0],
        warp,
        mask: Mask::MAX,
        active: Mask::MAX,
        thread: &[[0; LANES]; 3],
        function: 0,
        callee_base: 0,
        registers: &registers,
    };
    filter.together(&WarpEvent { live: Mask::MAX, together: Mask::MAX, parts: &[event] });
}

/// Something happens to both.
fn happen(happening: &Together, [at_once, singly]: [&mut Filter; 2]) {
    match happening {
        Together::Access(gathered) => gathered.tell(|accesses| {
            at_once.accesses(accesses);
            accesses.each(|event, access| singly.access(event, access));
        }),
        Together::Barrier(block) => {
            let arrival = |warp| Arrival {
                warp,
                lanes: Mask::MAX,
                pc: 0,
                waits: true,
                aligned: true,
                predicate: 0,
            };
            let arrivals: Vec<Arrival> = (0..4).map(arrival).collect();
            let event =
                BarrierEvent { block: *block, barrier: 0, count: None, arrivals: &arrivals };
            [at_once, singly].into_iter().for_each(|filter| filter.barrier(&event));
        }
        Together::WarpSync(block, warp) => {
            [at_once, singly].into_iter().for_each(|filter| sync(filter, *block, *warp));
        }
    }
}

/// The same, by another block, and in shared memory.
fn by(block: u64, happening: &Together) -> Together {
    match happening {
        Together::Access(gathered) => {
            let mut gathered = gathered.clone();
            (gathered.block, gathered.space) = (block, Space::Shared);
            Together::Access(gathered)
        }
        Together::Barrier(_) => Together::Barrier(block),
        Together::WarpSync(_, warp) => Together::WarpSync(block, *warp),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(warpsim_effort::cases(1000, 20_000)))]

    /// All that the filter knows is the same.
    #[test]
    fn accesses_told_at_once_are_seen_as_one_by_one(
        happenings in proptest::collection::vec(together(), 1..12)
    ) {
        let (mut at_once, mut singly) = (beginning(), beginning());
        for happening in &happenings {
            happen(happening, [&mut at_once, &mut singly]);
            prop_assert_eq!(kept(&at_once), kept(&singly));
        }
    }

    #[test]
    fn of_a_block_that_begins_nothing_is_known_whatever_one_did_that_has_ended(
        before in proptest::collection::vec(together(), 1..8),
        after in proptest::collection::vec(together(), 1..8),
    ) {
        let (mut used, mut other) = (beginning(), beginning());
        before.iter().for_each(|happening| happen(&by(0, happening), [&mut used, &mut other]));
        let (mut new, mut singly) = (beginning(), beginning());
        for filter in [&mut used, &mut other, &mut new, &mut singly] {
            filter.take_candidates();
            filter.block_end(0);
            filter.block_begin(2);
        }
        for happening in &after {
            let happening = by(2, happening);
            happen(&happening, [&mut used, &mut other]);
            happen(&happening, [&mut new, &mut singly]);
            prop_assert_eq!(&used.candidates, &new.candidates);
            prop_assert_eq!(&other.candidates, &new.candidates);
        }
        let [used, new] = [used, new].map(|filter| {
            let block = filter.blocks.last().expect("it has begun").clone();
            (block.exited, block.exited_after_access, block.warps.iter().map(|warp| warp.accessed).collect::<Vec<_>>())
        });
        prop_assert_eq!(used, new);
    }
}
