//! Leads a run along the path that the search wants, and writes down what happens.

use std::collections::HashMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::super::Unit;
use super::step::{Location, Step};
use super::trail::{Current, Process, Trail};
use super::tree::{Next, Tree};
use crate::lanes::{Mask, Slot, lanes_of};
use crate::lower::{Atomic, AtomicPiece};
use crate::observe::{
    Access, AccessKind, Arrival, BarrierEvent, Copied, Event, Observer, WarpEvent,
};
use crate::ptx::Space;
use crate::schedule::{Choice, Copies, Move, Schedule, View};

/// Why a run ended, when it was the search that ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Abort {
    /// All that could come has been seen.
    Seen,
    /// It takes too many turns.
    Long,
    /// Every thread that could move spins: it only reads, and sees nothing new.
    Spinning,
}

/// An atomic of one lane, reported before it happens. Whether it changes anything is known after.
#[derive(Clone, Copy, Debug)]
struct Atom {
    lane: usize,
    first: Location,
    /// The operands of its pieces.
    operands: [[u64; Atomic::PIECES]; 2],
    flush: bool,
}

/// The state of the search.
#[derive(Debug)]
pub(super) struct Search {
    unit: Unit,
    most_turns: u64,
    pub(super) tree: Tree,
    pub(super) trail: Trail,
    pub(super) abort: Option<Abort>,
    /// The turns of the present run.
    pub(super) moves: Vec<Move>,
    numbers: HashMap<(u64, u32, u32), Process>,
    moves_of: Vec<Move>,
    /// The atomics of the instruction in progress.
    atomics: Vec<Atom>,
    /// The processes of each block that have exited.
    exited: HashMap<u64, Vec<Process>>,
    /// When asynchronous copies take effect: all at once, or all as late as they may.
    copies_at_once: bool,
    /// There was one.
    has_copies: bool,
}

/// The state of the search, shared by the schedule and the observer of a run.
#[derive(Clone, Debug)]
pub(super) struct Guide(Arc<Mutex<Search>>);

impl Search {
    fn new(unit: Unit, most_turns: u64) -> Search {
        Search {
            unit,
            most_turns,
            tree: Tree::default(),
            trail: Trail::default(),
            abort: None,
            moves: Vec::new(),
            numbers: HashMap::new(),
            moves_of: Vec::new(),
            atomics: Vec::new(),
            exited: HashMap::new(),
            copies_at_once: true,
            has_copies: false,
        }
    }

    /// Whether there is something else to search: the schedules with asynchronous copies that are
    /// late, when there are copies. Begins with it.
    pub(super) fn goes_on(&mut self) -> bool {
        let goes_on = self.has_copies && self.copies_at_once;
        if goes_on {
            self.copies_at_once = false;
            self.tree = Tree::default();
        }
        goes_on
    }

    /// Whether some run had asynchronous copies.
    pub(super) fn has_copies(&self) -> bool {
        self.has_copies
    }

    /// When the copies of a run of this many took effect.
    pub(super) fn copies(&self) -> Copies {
        Copies::all(self.copies_at_once)
    }

    /// Forgets the last run, except for the choices left to try.
    pub(super) fn begin(&mut self) {
        self.trail = Trail::default();
        self.abort = None;
        self.moves.clear();
        self.exited.clear();
    }

    /// The number of the process that a lane belongs to.
    fn process(&mut self, block: u64, warp: u32, lane: usize) -> Process {
        let (unit, lanes) = match self.unit {
            Unit::Threads => (lane as u32, Choice::Only(1 << lane)),
            Unit::Warps => (0, Choice::Together),
        };
        let moves_of = &mut self.moves_of;
        *self.numbers.entry((block, warp, unit)).or_insert_with(|| {
            moves_of.push(Move { block, warp, lanes });
            moves_of.len() - 1
        })
    }

    fn processes(&mut self, block: u64, warp: u32, lanes: Mask) -> Vec<Process> {
        let mut found: Vec<Process> =
            lanes_of(lanes).map(|lane| self.process(block, warp, lane)).collect();
        found.dedup();
        found
    }

    /// Who can move and has a reason to.
    fn enabled(&mut self, view: &dyn View) -> (Vec<Process>, bool) {
        let mut enabled = Vec::new();
        for block in view.resident_after(None) {
            for warp in 0..view.warps(block) {
                enabled.extend(self.processes(block, warp, view.ready(block, warp)));
            }
        }
        let all = enabled.len();
        enabled.retain(|p| !self.trail.is_spinning(*p));
        let spin = enabled.len() < all;
        (enabled, spin)
    }

    fn next(&mut self, view: &dyn View) -> Option<Move> {
        self.trail.end_turn(&mut self.tree);
        if self.tree.depth() as u64 >= self.most_turns {
            self.abort = Some(Abort::Long);
            return None;
        }
        let (enabled, spin) = self.enabled(view);
        match self.tree.next(enabled, &self.trail.events) {
            Next::Move(process) => {
                let (step, meetings) = (Step::default(), Vec::new());
                self.trail.current = Some(Current { process, step, meetings });
                let turn = self.moves_of[process];
                self.moves.push(turn);
                Some(turn)
            }
            Next::Seen => {
                self.abort = Some(Abort::Seen);
                None
            }
            Next::Nobody => {
                self.abort = spin.then_some(Abort::Spinning);
                None
            }
        }
    }

    fn step(&mut self) -> Option<&mut Step> {
        self.trail.current.as_mut().map(|current| &mut current.step)
    }

    fn meet(&mut self, processes: Vec<Process>) {
        if let Some(current) = &mut self.trail.current
            && processes.len() > 1
        {
            current.meetings.push(processes);
        }
    }
}

impl Guide {
    /// Begins a search.
    pub(super) fn new(unit: Unit, most_turns: u64) -> Guide {
        Guide(Arc::new(Mutex::new(Search::new(unit, most_turns))))
    }

    /// The state of the search.
    pub(super) fn search(&self) -> MutexGuard<'_, Search> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Display for Guide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("exhaustive")
    }
}

impl Schedule for Guide {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        self.search().next(view)
    }

    fn copies_at_once(&mut self) -> bool {
        let mut search = self.search();
        search.has_copies = true;
        search.copies_at_once
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, _resident: usize) -> Option<u64> {
        None
    }
}

impl Observer for Guide {
    fn before(&mut self, event: &Event<'_>) {
        let mut search = self.search();
        if let Some(step) = search.step() {
            step.trace = trace(step.trace, event);
        }
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        let mut search = self.search();
        let place = |address: u64| match access.space {
            Space::Global => Some(Location::Global(address)),
            Space::Shared => Some(Location::Shared(event.block, address)),
            _ => None,
        };
        let changes = access.kind != AccessKind::Read;
        if let Some(atomic) = told_atomic(event) {
            let flush = access.space == Space::Global;
            let atoms = lanes_of(access.mask).filter_map(|lane| {
                let first = place(access.addresses[lane])?;
                let b = of_pieces(event, atomic, lane, |piece| Some(piece.b));
                let c = of_pieces(event, atomic, lane, |piece| piece.c);
                Some(Atom { lane, first, operands: [b, c], flush })
            });
            search.atomics.extend(atoms);
            return;
        }
        let Some(step) = search.step() else { return };
        for lane in lanes_of(access.mask) {
            if let Some(first) = place(access.addresses[lane]) {
                first.bytes(access.bytes).for_each(|byte| step.touch(byte, changes));
                step.acts |= changes;
            }
        }
    }

    /// An atomic that leaves the word unchanged, such as the attempt to take a lock that is held,
    /// counts as a read.
    fn after(&mut self, event: &Event<'_>) {
        let Some(atomic) = told_atomic(event) else { return };
        let mut search = self.search();
        let atoms = std::mem::take(&mut search.atomics);
        let Some(step) = search.step() else { return };
        let (width, count) = (atomic.target.piece(), atomic.pieces.len());
        let bits = u64::MAX >> (64 - 8 * width.clamp(1, 8));
        for Atom { lane, first, operands: [b, c], flush } in atoms {
            let old = of_pieces(event, atomic, lane, |piece| piece.destination);
            let old = old.map(|old| old & bits);
            let new = atomic.apply(&old, &b, &c, flush);
            let changes: Vec<bool> = (0..count).map(|i| (new[i] ^ old[i]) & bits != 0).collect();
            let bytes = first.bytes(width * count as u32);
            for (byte, at) in bytes.zip(0usize..) {
                step.touch(byte, changes[at / width as usize]);
            }
            step.acts |= changes.contains(&true);
        }
    }

    fn arrive(&mut self, event: &Event<'_>, _: u8, count: Option<u32>, arrival: &Arrival) {
        let mut search = self.search();
        let Some(step) = search.step() else { return };
        let whole_block = count.is_none() && arrival.waits;
        step.touch(Location::Barriers(event.block), !whole_block);
        step.acts = true;
    }

    fn barrier(&mut self, barrier: &BarrierEvent<'_>) {
        let mut search = self.search();
        let mut met = search.exited.get(&barrier.block).cloned().unwrap_or_default();
        if barrier.count.is_some() {
            met.clear();
        }
        for arrival in barrier.arrivals {
            met.extend(search.processes(barrier.block, arrival.warp, arrival.lanes));
        }
        met.sort_unstable();
        met.dedup();
        search.meet(met);
    }

    fn together(&mut self, warp: &WarpEvent<'_>) {
        let mut search = self.search();
        let mut met = Vec::new();
        for part in warp.parts {
            met.extend(search.processes(part.block, part.warp, part.active));
        }
        if let Some(step) = search.step() {
            step.acts = true;
        }
        search.meet(met);
    }

    /// The memory that a copy touches when it takes effect counts as touched by the turn in
    /// progress.
    fn copied(&mut self, copied: &Copied) {
        let mut search = self.search();
        let Some(step) = search.step() else { return };
        let touched = [(copied.from, copied.read, false), (copied.to, copied.bytes, true)];
        for ((space, address), bytes, changes) in touched {
            let first = match space {
                Space::Global => Location::Global(address),
                // Nothing else is copied: the machine gives an error for other spaces.
                _ => Location::Shared(copied.block, address),
            };
            first.bytes(bytes as u32).for_each(|byte| step.touch(byte, changes));
        }
        step.acts = true;
    }

    fn exit(&mut self, event: &Event<'_>) {
        let mut search = self.search();
        let gone = search.processes(event.block, event.warp, event.active);
        search.exited.entry(event.block).or_default().extend(gone);
        let Some(step) = search.step() else { return };
        step.touch(Location::Barriers(event.block), false);
        step.acts = true;
    }
}

/// An atomic whose old value the thread keeps, all of it.
fn told_atomic<'a>(event: &Event<'a>) -> Option<&'a Atomic> {
    let atomic = event.operation().kind.atomic()?;
    atomic.pieces.iter().all(|piece| piece.destination.is_some()).then_some(atomic)
}

/// What a register of each piece of an atomic holds in a lane.
fn of_pieces(
    event: &Event<'_>,
    atomic: &Atomic,
    lane: usize,
    register: impl Fn(&AtomicPiece) -> Option<Slot>,
) -> [u64; Atomic::PIECES] {
    let value = |slot| match atomic.wide {
        true => event.registers.w64(slot)[lane],
        false => event.registers.w32(slot)[lane].into(),
    };
    let of = |piece| register(piece).map(value);
    std::array::from_fn(|i| atomic.pieces.get(i).and_then(of).unwrap_or_default())
}

/// Adds an instruction to the hash of all instructions of a turn.
fn trace(so_far: u64, event: &Event<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (so_far, event.pc, event.function, event.mask).hash(&mut hasher);
    event.registers.hash_lanes(event.mask, &mut hasher);
    hasher.finish()
}
