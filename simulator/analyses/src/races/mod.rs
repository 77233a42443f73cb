//! Races: conflicting accesses that nothing orders, judged by the memory model and not by timing.
//!
//! The rule is in the PTX ISA's chapter 8, "Memory Consistency Model", and the book's chapter "What
//! orders memory" states it clause by clause. The verdict comes from happens-before (the ISA's
//! causality order) between the accesses of the run, not from the order in which they happened to
//! run.
//!
//! | file | what |
//! |---|---|
//! | `clock` | what a thread knows of others, in clocks shaped like the machine |
//! | `thread` | what a thread knows, has announced and has heard |
//! | `operation` | scopes, strong and weak, morally strong |
//! | `location` | release and acquire patterns through the values of memory |
//! | `element` | one element of an access, and what it stores |
//! | `judge` | an access against the earlier accesses to its words |
//! | `copies` | asynchronous copies as separate threads |
//! | `blocks` | barriers, `bar.warp.sync`, and the order of a warp's instructions under `lockstep` |
//! | `history` | who has accessed a word, as far as it still matters |
//! | `conflict` | what was found |
//! | `update` | what atomics do to a word, and which stores cannot lose it |
//! | `log` | recent synchronisation, to explain a conflict |
//! | `filter` | a fast look at a whole run: which words could race at all |
//! | `analysis` | the two together, as one of the analyses of a check |
//! | `wording` | what was found, in words |
//! | `advice` | what would order it, found by trying |
//! | `policy` | the run judged as if some synchronisation were there |
//! | `unused` | reads with unused values |
//!
//! Deviations, and in which direction they can be wrong:
//!
//! - Only the accesses and the reads-from of the run that happened are judged. If control flow or
//!   addresses depend on the schedule, another schedule may race where this one does not (misses).
//! - The order in which two `fence.sc` ran orders nothing (false alarms for algorithms that rest on
//!   sequential consistency alone, such as Dekker's).
//! - Memory is sequentially consistent, so a read observes the last write (misses what only a
//!   weaker outcome would show; its verdict on the accesses themselves does not depend on it).
//! - Stores are compared by the values of this run. Stores that agree by luck are reported as
//!   stores of one value, or, for lanes of one instruction, not at all (misses).
//! - The accesses of this run decide whether other data depends on relaxed accesses (a note where a
//!   warning is due).
//! - A fence may have served a lock that was given back since. After such a fence later writes do
//!   not count as a flag, unless a loop waits for them (false alarms if a thread looks at the flag
//!   only once, misses for ticket locks).
//! - Asynchronous copies are judged as a separate thread. It begins with the instruction, and a
//!   thread has joined it after the wait. Copies that a thread waits for in groups are one such
//!   thread.
//! - Local memory is private to its thread here, so nothing races on it.

mod advice;
mod analysis;
mod blocks;
mod clock;
mod conflict;
mod copies;
mod element;
mod filter;
mod history;
mod judge;
mod location;
mod log;
mod operation;
mod policy;
mod thread;
mod unused;
mod update;
pub mod wording;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

pub use conflict::{Conflict, End, Pair, Verdict};
pub use filter::{Candidates, Filter};
pub use operation::{Class, Kind, Reach, Weakness};
pub use policy::Policy;
pub use thread::ThreadId;

use warpsim_language::internal;
use warpsim_language::internal::InternalError;

use crate::lanes::{LANES, lanes_of};
use crate::lower::{Order, Pc, Semantics, WarpAction};
use crate::observe::{
    Access, AccessKind, Arrival, BarrierEvent, Event, FirstBug, Interest, LaunchFacts,
    MbarrierEvent, MbarrierStep, Observer, Waited, WarpEvent,
};
use crate::ptx::Space;
use blocks::{Block, Words};
use clock::Step;
use conflict::Conflicts;
use element::Element;
use judge::Judge;
use location::Performed;
use log::{Did, Log};
use operation::acquires;
use thread::Thread;
use unused::Unused;
use update::Update;

/// Events that are looked at to explain a conflict.
const MOST_ASKED: usize = 256;

/// Judges the memory accesses of launches.
#[derive(Clone, Debug, Default)]
pub struct Races {
    policy: Policy,
    is_lockstep: bool,
    threads_per_block: u32,
    step: Step,
    blocks: HashMap<u64, Block, FxBuildHasher>,
    global: Words,
    conflicts: Conflicts,
    /// There was a fence or a strong access: the beginning of a release or acquire pattern.
    has_patterns: bool,
    /// Copies in bulk may read shared memory in this launch.
    has_bulk_reads: bool,
    log: Log,
    /// The words to judge; `None` for all.
    candidates: Option<Arc<Candidates>>,
    /// Reads that are left out.
    unused: Option<Arc<Unused>>,
    bug: FirstBug,
}

impl Races {
    /// A judge that assumes nothing.
    pub fn new() -> Races {
        Races::default()
    }

    /// A judge with a policy of assumptions, which looks only at these words.
    pub fn assuming(policy: Policy, candidates: Arc<Candidates>) -> Races {
        Races { policy, candidates: Some(candidates), ..Races::default() }
    }

    /// The same without some reads.
    fn leaving_out(self, unused: Option<Arc<Unused>>) -> Races {
        Races { unused, ..self }
    }

    /// The conflicts found so far, and forgets them. In the order of their instructions.
    pub fn take_conflicts(&mut self) -> Vec<Conflict> {
        self.conflicts.take()
    }

    /// The words with races, even if only between stores of one value: space, block (of shared
    /// memory; else 0), address divided by 4.
    pub fn racing_words(&self) -> &BTreeSet<(Space, u64, u64)> {
        &self.conflicts.words
    }

    /// The bug in warpsim that it met, if any, and forgets it. Its findings do not count then.
    pub fn bug(&mut self) -> Option<InternalError> {
        self.bug.take()
    }

    /// Whether there were fences or strong accesses, so that a link between them may be missing.
    pub fn has_patterns(&self) -> bool {
        self.has_patterns
    }

    /// Adds how the threads of fresh conflicts synchronised.
    fn explain_fresh(&mut self) {
        let log = &self.log;
        for conflict in self.conflicts.fresh() {
            let (a, b) = (conflict.earlier, conflict.later);
            if a.thread.is_copy() {
                let block = self.blocks.get_mut(&a.thread.block());
                conflict.was_waited_for = copies::is_waited_for(block, a.thread, a.step);
            }
            conflict.after = log.after(a.thread, a.step, b.step);
            conflict.before = log.before(b.thread, b.step);
            conflict.third = third(log, &mut self.blocks, a, b);
        }
    }

    /// A block that has begun and not ended.
    #[inline]
    fn block(&mut self, number: u64) -> Option<&mut Block> {
        self.bug.known(self.blocks.get_mut(&number), || not_alive(number))
    }

    fn now(&mut self) -> Step {
        self.step += 1;
        self.step
    }

    /// Performs an access of a thread, or of a copy: `copier` is what the copy knows.
    fn perform(&mut self, element: &Element, copier: Option<&mut Thread>) {
        let thread = element.performed.thread;
        let found = self.blocks.get_mut(&thread.block());
        let Some(block) = self.bug.known(found, || not_alive(thread.block())) else { return };
        let fenced = thread.is_bulk_copy().then(|| Arc::clone(&block.fenced));
        let (by, words) = block.parts(thread, element.space, &mut self.global);
        let conflicts = &mut self.conflicts;
        let candidates = self.candidates.as_deref();
        let mut judge = Judge { conflicts, candidates, fenced, policy: self.policy };
        judge.perform(element, copier.unwrap_or(by), words);
    }
}

/// A third thread that comes after an access and has released something to others since. The
/// release did not reach the other access.
fn third(
    log: &Log,
    blocks: &mut HashMap<u64, Block, FxBuildHasher>,
    earlier: End,
    later: End,
) -> Option<(ThreadId, Vec<Pc>)> {
    let (from, to) = (earlier.step, later.step);
    let mut knows_it = |thread: &ThreadId| {
        let block = blocks.get_mut(&thread.block());
        block.is_some_and(|block| block.thread(*thread).knows.of(earlier.thread) >= from)
    };
    let ends = [earlier.thread.owner(), later.thread.owner()];
    let others = log.telling(from, to).filter(|thread| !ends.contains(thread));
    let found = others.take(MOST_ASKED).find(|thread| knows_it(thread))?;
    Some((found, log.after(found, from, to)))
}

fn not_alive(block: u64) -> InternalError {
    internal!("block {block} acts, and has not begun or has ended")
}

impl Observer for Races {
    fn interest(&self) -> Interest {
        Interest::none()
            .with_instructions(self.is_lockstep)
            .with_accesses(true)
            .with_synchronisation(true)
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.is_lockstep = launch.is_lockstep;
        self.threads_per_block = launch.launch.threads_per_block();
        self.has_bulk_reads = launch.program.operations.iter().any(copies::reads_shared_in_bulk);
        self.blocks.clear();
        self.global.clear();
    }

    fn block_begin(&mut self, block: u64) {
        let new = Block::new(block, self.threads_per_block, self.has_bulk_reads);
        self.blocks.insert(block, new);
    }

    fn before(&mut self, event: &Event<'_>) {
        if self.is_lockstep {
            let step = self.now();
            if let Some(block) = self.block(event.block) {
                block.in_step(event.warp, event.mask, step);
            }
        }
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        if !matches!(access.space, Space::Global | Space::Shared) {
            return;
        }
        let mut step = self.now();
        if let Some(flight) = access.flight {
            let Some(block) = self.block(event.block) else { return };
            step = block.begin_copies(flight.number, step);
        }
        let semantics = access.semantics;
        self.has_patterns |= operation::strength(semantics).is_some();
        let is_seen = element::gives_old_value(event);
        let is_store = event.operation().kind.store().is_some();
        for lane in lanes_of(access.mask) {
            let mut thread = ThreadId::new(event.block, event.warp, lane as u32);
            if self.unused.as_ref().is_some_and(|unused| unused.contains(event.pc, thread)) {
                continue;
            }
            let mut copier = None;
            if let Some(flight) = access.flight {
                let Some(block) = self.block(event.block) else { return };
                let copy = copies::begun(block, thread, flight, step);
                (thread, copier) = (copy.thread, Some(copy.knows));
            }
            for element in 0..(access.bytes / access.width.max(1)) as usize {
                let class = Class {
                    kind: Kind::of(access.kind),
                    strong: operation::strength(semantics),
                    non_coherent: access.non_coherent,
                    address: access.addresses[lane] + element as u64 * u64::from(access.width),
                    bytes: access.width as u8,
                };
                let value = match access.kind {
                    AccessKind::Write if is_store => {
                        let found = element::stored(event, element, lane);
                        let lost = || internal!("nothing to store at {}", event.pc);
                        let Some(value) = self.bug.known(found, lost) else { return };
                        Some(value)
                    }
                    AccessKind::Write => element::clears(event).then_some(0),
                    // `update` reports what atomics leave.
                    AccessKind::Read | AccessKind::Atomic => None,
                };
                let order = semantics.order;
                let performed = Performed { class, order, thread, step, is_seen };
                let acquired = acquires(order).then_some(class.strong).flatten();
                let update = Update::of(event, element, lane, acquired);
                let (pc, space) = (event.pc, access.space);
                let element = Element { performed, pc, space, value, update };
                self.perform(&element, copier.as_mut());
            }
        }
        if self.conflicts.has_fresh() {
            self.explain_fresh();
        }
        if operation::strength(semantics).is_some() {
            let did = match access.kind {
                AccessKind::Read => Did::Hearing,
                AccessKind::Write | AccessKind::Atomic => Did::Telling,
            };
            self.log.note((step, did), event.block, event.warp, access.mask, event.pc);
        }
        if let Some(block) = self.block(event.block) {
            block.out_of_step(event.warp);
        }
    }

    fn fence(&mut self, event: &Event<'_>, semantics: Semantics) {
        let step = self.now();
        let reach = self.policy.widened(Reach::of(semantics.scope));
        self.has_patterns = true;
        self.log.note((step, Did::Telling), event.block, event.warp, event.active, event.pc);
        let Some(block) = self.block(event.block) else { return };
        for lane in lanes_of(event.active) {
            let id = ThreadId::new(event.block, event.warp, lane as u32);
            let acquires = operation::acquires(semantics.order);
            let releases = operation::releases(semantics.order);
            if semantics.order == Order::SequentiallyConsistent && reach == Reach::Device {
                block.thread(id).fence_in_order(id, step);
            } else {
                block.thread(id).fence(id, reach, step, acquires, releases);
            }
        }
    }

    fn arrive(&mut self, event: &Event<'_>, barrier: u8, _: Option<u32>, arrival: &Arrival) {
        if !arrival.waits {
            let step = self.now();
            if let Some(block) = self.block(event.block) {
                block.arrive(barrier, arrival, step);
            }
        }
    }

    fn barrier(&mut self, barrier: &BarrierEvent<'_>) {
        let (step, policy) = (self.now(), self.policy);
        for arrival in barrier.arrivals {
            self.log.note(
                (step, Did::Meeting),
                barrier.block,
                arrival.warp,
                arrival.lanes,
                arrival.pc,
            );
        }
        if let Some(block) = self.block(barrier.block) {
            block.release(barrier, step, policy);
        }
    }

    fn together(&mut self, warp: &WarpEvent<'_>) {
        let nobody = || internal!("nobody takes part in what lanes do together");
        let Some(event) = self.bug.known(warp.parts.first(), nobody) else { return };
        let found = event.operation().kind.warp();
        let alone = || internal!("lanes together do what is at {}", event.pc);
        let Some(operation) = self.bug.known(found, alone) else { return };
        if operation.action == WarpAction::Sync {
            let step = self.now();
            for part in warp.parts {
                self.log.note((step, Did::Meeting), part.block, part.warp, part.active, part.pc);
            }
            if let Some(block) = self.block(event.block) {
                block.order_lanes(event.warp, warp.together, step);
            }
        }
    }

    fn proxy_fence(&mut self, event: &Event<'_>) {
        let step = self.now();
        self.log.note((step, Did::Meeting), event.block, event.warp, event.active, event.pc);
        let Some(block) = self.block(event.block) else { return };
        for lane in lanes_of(event.active) {
            block.proxy_fence(ThreadId::new(event.block, event.warp, lane as u32), step);
        }
    }

    fn waited(&mut self, event: &Event<'_>, waited: &Waited<'_>) {
        let step = self.now();
        self.log.note((step, Did::Meeting), event.block, event.warp, waited.lanes, event.pc);
        if let Some(block) = self.block(event.block) {
            copies::waited_for(block, event, waited);
        }
    }

    fn mbarrier(&mut self, happens: &MbarrierStep) {
        let step = self.now();
        let &MbarrierStep { block, warp, lane, pc, address, what } = happens;
        match what {
            MbarrierEvent::Arrives { .. }
            | MbarrierEvent::WillArrive { .. }
            | MbarrierEvent::Seen { .. } => {
                self.log.note((step, Did::Meeting), block, warp, 1 << lane, pc);
            }
            MbarrierEvent::Begins | MbarrierEvent::HasArrived { .. } | MbarrierEvent::Completes => {
            }
        }
        if let Some(of) = self.block(block) {
            of.mbarrier(ThreadId::new(block, warp, lane), address, what, step);
        }
    }

    fn exit(&mut self, event: &Event<'_>) {
        let Some(block) = self.block(event.block) else { return };
        for lane in lanes_of(event.active) {
            block.thread(ThreadId::new(event.block, event.warp, lane as u32)).exited = true;
        }
    }

    fn block_end(&mut self, block: u64) {
        if let Some(mut ended) = self.blocks.remove(&block) {
            self.conflicts.settle(block, |id| ended.thread(id).clone());
            self.explain_fresh();
        }
    }

    fn launch_end(&mut self) {
        for number in self.conflicts.unsettled() {
            // Whether a block synchronised is unknown once it has ended (a miss).
            let Some(block) = self.blocks.get_mut(&number) else { continue };
            self.conflicts.settle(number, |id| block.thread(id).clone());
        }
        self.explain_fresh();
    }
}

const _: () = assert!(LANES == 32);
