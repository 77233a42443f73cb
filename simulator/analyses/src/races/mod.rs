//! Races: conflicting accesses that nothing orders, judged by meaning and not by luck.
//!
//! The rule is that of the PTX ISA's chapter 8, "Memory Consistency Model", as the book's chapter
//! "What orders memory" states it clause by clause. The verdict comes from happens-before (the ISA's
//! causality order) between the accesses of the run that happened, not from the order in which they
//! happened to run.
//!
//! | file | what |
//! |---|---|
//! | `clock` | what a thread knows of others, in clocks shaped like the machine |
//! | `thread` | what a thread knows, has announced and has heard |
//! | `operation` | scopes, strong and weak, morally strong |
//! | `location` | release and acquire patterns through the values of memory |
//! | `blocks` | barriers, `bar.warp.sync`, and the order of a warp's instructions under `lockstep` |
//! | `history` | who has accessed a word, as far as it still matters |
//! | `conflict` | what was found |
//! | `update` | what atomics do to a word, and which stores cannot lose it |
//! | `log` | what was done to synchronise, of late, to explain a conflict |
//! | `filter` | a fast look at a whole run: which words could race at all |
//! | `analysis` | the two together, as one of the analyses of a check |
//! | `wording` | what was found, in words |
//! | `policy` | what if: the run judged as if some synchronisation were there |
//!
//! Deviations, and in which direction they can be wrong:
//!
//! - Only the accesses and the reads-from of the run that happened are judged: where control flow or
//!   addresses depend on the schedule, another schedule may race where this one does not (misses).
//! - The order in which two `fence.sc` ran orders nothing (false alarms for algorithms that rest on
//!   sequential consistency alone, such as Dekker's).
//! - Memory is sequentially consistent, so a read observes the last write (misses what only a weaker
//!   outcome would show; its verdict on the accesses themselves does not depend on it).
//! - Asynchronous copies are judged as a thread of their own, that begins with the instruction and that a thread has joined
//!   when it has waited. Copies of one thread that it waits for in groups are one such thread.
//! - Local memory is private to its thread here, so nothing races on it.

mod analysis;
mod blocks;
mod clock;
mod conflict;
mod filter;
mod history;
mod location;
mod log;
mod operation;
mod policy;
mod thread;
mod update;
pub mod wording;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

pub use conflict::{Conflict, End, Pair};
pub use filter::{Candidates, Filter};
pub use operation::{Class, Kind, Reach, Weakness};
pub use policy::Policy;
pub use thread::ThreadId;

use warpsim_language::internal;
use warpsim_language::internal::InternalError;

use crate::lanes::{LANES, Slot, lanes_of};
use crate::lower::{self, Atomic, Order, Semantics, WarpAction};
use crate::observe::{
    Access, AccessKind, Arrival, BarrierEvent, Completed, Event, FirstBug, Flight, Interest,
    LaunchFacts, MbarrierEvent, MbarrierStep, Observer, Waited, WarpEvent,
};
use crate::ptx::Space;
use crate::report::Hazard;
use blocks::{Block, Words};
use clock::{Knowledge, Step};
use conflict::{Conflicts, Pattern};
use history::{Member, Word};
use location::{Location, Performed};
use log::Log;
use operation::{acquires, weakness};
use thread::Thread;
use update::Update;

/// Conflicts of one word after which no more are looked for: what is wrong with it is known.
const ENOUGH: u32 = 256;

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
    bug: FirstBug,
}

/// One element of an access by one lane.
#[derive(Clone, Copy)]
struct Element {
    performed: Performed,
    pc: lower::Pc,
    space: Space,
    value: u64,
    /// See [`Member::update`].
    update: Option<Update>,
}

impl Races {
    /// A judge that assumes nothing.
    pub fn new() -> Races {
        Races::default()
    }

    /// A judge that asks what if, and looks at these words only.
    pub fn assuming(policy: Policy, candidates: Arc<Candidates>) -> Races {
        Races { policy, candidates: Some(candidates), ..Races::default() }
    }

    /// The conflicts found so far, and forgets them. In the order of their instructions.
    pub fn take_conflicts(&mut self) -> Vec<Conflict> {
        self.conflicts.take()
    }

    /// The words that are raced for: space, block (of shared memory; else 0), address divided by 4.
    pub fn racing_words(&self) -> &BTreeSet<(Space, u64, u64)> {
        &self.conflicts.words
    }

    /// The bug of warpsim that it came to, if it did, and forgets it. What was found does not count
    /// then.
    pub fn bug(&mut self) -> Option<InternalError> {
        self.bug.take()
    }

    /// Whether nothing was found.
    pub fn is_silent(&self) -> bool {
        self.conflicts.is_empty()
    }

    /// Whether something was found in a run that also synchronised by fences and strong accesses, so
    /// that a link of theirs may be what is missing.
    pub fn may_miss_a_link(&self) -> bool {
        self.has_patterns && self.conflicts.has_races()
    }

    /// Tells what the threads of fresh conflicts did to synchronise.
    fn explain_fresh(&mut self) {
        let log = &self.log;
        for conflict in self.conflicts.fresh() {
            let (a, b) = (conflict.earlier, conflict.later);
            if a.thread.is_copy() {
                let block = self.blocks.get_mut(&a.thread.block());
                let owner = block.map(|block| block.thread(a.thread.owner()));
                let knows = owner.is_some_and(|owner| owner.knows.of(a.thread) >= a.step);
                conflict.was_waited_for = knows;
            }
            conflict.after = log.after(a.thread, a.step, b.step);
            conflict.before = log.before(b.thread, b.step);
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

/// What is judged, by what, and what comes of it.
struct Judge<'a> {
    conflicts: &'a mut Conflicts,
    candidates: Option<&'a Candidates>,
    /// Of a copy in bulk: what proxy fences have made visible to it.
    fenced: Option<Arc<Knowledge>>,
    policy: Policy,
}

impl Judge<'_> {
    fn perform(&mut self, element: &Element, by: &mut Thread, words: &mut Words) {
        let Performed { class, thread, step, order, .. } = element.performed;
        let (first, last) = (class.address / 4, (class.address + u64::from(class.bytes) - 1) / 4);
        for number in first..=last {
            let is_candidate = |c: &Candidates| c.contains(element.space, thread.block(), number);
            if !self.candidates.is_none_or(is_candidate) {
                // It cannot race, but it may synchronise.
                if class.strong.is_some() || words.contains_key(&number) {
                    let location = &mut words.entry(number).or_default().location;
                    if number == first {
                        location::perform(location, &element.performed, by, self.policy);
                    } else if class.kind.writes() {
                        *location = None;
                    }
                }
                continue;
            }
            let word = words.entry(number).or_default();
            let mut element = *element;
            if class.kind == Kind::Write && class.strong.is_some() {
                element.update = word.taken_by(&class, thread, by);
            }
            if class.kind == Kind::Atomic {
                self.conflicts.tried_again(thread, &class, element.pc);
            }
            let fenced = self.fenced.as_deref();
            judge(word, number, &element, (by, fenced), self.conflicts, self.policy);
            let mut reach = acquires(order).then_some(class.strong).flatten();
            if let Some(reach) = reach {
                self.conflicts.acquired(thread, &class, reach);
            }
            if class.kind.writes() {
                let location = word.location.as_deref();
                reach = location::release_reach(&element.performed, by, location);
            }
            if class.kind == Kind::Write {
                word.forget_seen(&class, thread, by);
            }
            if number == first {
                location::perform(&mut word.location, &element.performed, by, self.policy);
            } else if class.kind.writes() {
                word.location = None;
            }
            if class.kind.writes() {
                word.forget(&class, thread, by);
            }
            let Element { pc, value, update, .. } = element;
            word.record(class, Member { thread, step, pc, value, reach, update });
        }
    }
}

/// Looks for what conflicts with an access and is not ordered before it.
fn judge(
    word: &mut Word,
    number: u64,
    element: &Element,
    (by, fenced): (&Thread, Option<&Knowledge>),
    conflicts: &mut Conflicts,
    policy: Policy,
) {
    let Performed { class, thread, .. } = element.performed;
    if word.reported >= ENOUGH {
        return;
    }
    let location = word.location.as_deref();
    for group in word.groups.iter().filter(|g| g.class.conflicts(&class)) {
        // A pair of words is judged in the first that both touch.
        if group.class.address.max(class.address) / 4 != number {
            continue;
        }
        let update = is_update(group.class.kind, class.kind);
        if update == Some(false) && always_morally_strong(&group.class, &class) {
            continue;
        }
        let stale = class.non_coherent && group.class.kind.writes();
        for member in group.members.iter() {
            let is_mended = policy.orders(member.thread, thread);
            let is_ordered = member.thread == thread && !thread.is_copy()
                || by.knows.of(member.thread) >= member.step
                || is_mended;
            let was_seen = group.class.kind.writes()
                && location.is_some_and(|l| l.was_seen(&group.class, member.step, thread, by));
            let is_unfenced = !is_mended
                && fenced.is_some_and(|fenced| {
                    let is_of_threads = group.class.kind.writes() && !member.thread.is_copy();
                    is_of_threads
                        && class.kind == Kind::Read
                        && fenced.of(member.thread) < member.step
                });
            if (is_ordered || was_seen) && !stale && !is_unfenced {
                continue;
            }
            let weakness = match is_ordered && is_unfenced {
                true => Some(Weakness::AsyncProxy),
                false => weakness((&group.class, member.thread), (&class, thread)),
            };
            let loses_nothing = match update {
                Some(true) => is_lock(element, member) || is_awaited(element, member),
                Some(false) => true,
                None => false,
            };
            if weakness.is_none() && loses_nothing {
                continue;
            }
            let conflict = conflict(element, &group.class, member, weakness);
            if weakness.is_some() {
                word.reported += 1;
                conflicts.report(conflict);
            } else {
                match pattern(element, &group.class, member, by, location, policy) {
                    Some(pattern) => conflicts.report_unless_synchronisation(conflict, pattern),
                    None => conflicts.report(conflict),
                }
            }
        }
    }
}

/// Of two operations, one of them an atomic: whether the other is a store, which may lose what the
/// atomic does. `None` when neither is an atomic.
fn is_update(a: Kind, b: Kind) -> Option<bool> {
    (a.max(b) == Kind::Atomic).then(|| a.min(b) == Kind::Write)
}

/// Whether of a strong store and an atomic the store leaves a lock that the atomic cannot take
/// before.
fn is_lock(element: &Element, member: &Member) -> bool {
    match (element.update, member.update) {
        (Some(one), Some(other)) => match element.performed.class.kind {
            Kind::Write => one.shuts_out(&other),
            Kind::Read | Kind::Atomic => other.shuts_out(&one),
        },
        _ => false,
    }
}

/// Whether an atomic waits for what an earlier store has put there.
fn is_awaited(element: &Element, store: &Member) -> bool {
    let is_atomic = element.performed.class.kind == Kind::Atomic;
    is_atomic && element.update.is_some_and(|update| update.waits_for(store.value))
}

/// Whether two operations are morally strong whichever threads do them.
fn always_morally_strong(a: &Class, b: &Class) -> bool {
    let wide = Some(Reach::Device);
    (a.strong, b.strong) == (wide, wide) && a.coincides(b)
}

fn conflict(
    element: &Element,
    class: &Class,
    member: &Member,
    weakness: Option<Weakness>,
) -> Conflict {
    let later = element.performed.class;
    let address = class.address.max(later.address);
    let end = (class.address + u64::from(class.bytes)).min(later.address + u64::from(later.bytes));
    let hazard = match (class.kind.writes(), later.kind) {
        (true, Kind::Read) => Hazard::ReadAfterWrite,
        (false, _) => Hazard::WriteAfterRead,
        (true, _) => Hazard::WriteAfterWrite,
    };
    let is_copy = member.thread.is_copy() || element.performed.thread.is_copy();
    let stores = class.kind == Kind::Write && later.kind == Kind::Write && !is_copy;
    Conflict {
        weakness,
        hazard,
        space: element.space,
        address,
        bytes: end - address,
        earlier: End { thread: member.thread, pc: member.pc, class: *class, step: member.step },
        later: End {
            thread: element.performed.thread,
            pc: element.pc,
            class: later,
            step: element.performed.step,
        },
        count: 1,
        is_same_value: stores && class.coincides(&later) && member.value == element.value,
        after: Vec::new(),
        before: Vec::new(),
        was_waited_for: false,
    }
}

/// How the two stand in release and acquire patterns; `None` when neither gives its thread what it
/// read.
fn pattern(
    element: &Element,
    class: &Class,
    member: &Member,
    by: &Thread,
    location: Option<&Location>,
    policy: Policy,
) -> Option<Pattern> {
    let Performed { class: later, thread, step, order, is_seen } = element.performed;
    match (class.kind, later.kind) {
        (Kind::Write, Kind::Read | Kind::Atomic) if is_seen => Some(Pattern {
            writer: member.thread,
            released: member.reach,
            reader: thread,
            acquired: acquires(order).then_some(policy.strength(later.strong)).flatten(),
            read_at: step,
            may_be_poll: false,
        }),
        (Kind::Read | Kind::Atomic, Kind::Write) if member.update.is_none_or(|u| u.is_seen) => {
            Some(Pattern {
                writer: thread,
                released: location::release_reach(&element.performed, by, location),
                reader: member.thread,
                acquired: match member.update {
                    Some(update) => update.acquired,
                    None => member.reach,
                },
                read_at: member.step,
                may_be_poll: member.update.is_some_and(|u| u.waits_for(element.value)),
            })
        }
        _ => None,
    }
}

/// Whether an operation begins copies in bulk that read shared memory.
fn reads_shared_in_bulk(operation: &lower::Operation) -> bool {
    let lower::Kind::Asynchronous(asynchronous) = &operation.kind else { return false };
    match &**asynchronous {
        lower::Asynchronous::Bulk(copy) => copy.from.space == Some(Space::Shared),
        lower::Asynchronous::Copy(_)
        | lower::Asynchronous::Store(_)
        | lower::Asynchronous::Commit(_)
        | lower::Asynchronous::Wait(..)
        | lower::Asynchronous::WaitForReads(_)
        | lower::Asynchronous::WaitAll => false,
    }
}

fn not_alive(block: u64) -> InternalError {
    internal!("block {block} acts, and has not begun or has ended")
}

/// What a lane stores as one element; `None` when that is no store, or has no such element.
fn stored(event: &Event<'_>, element: usize, lane: usize) -> Option<u64> {
    if let lower::Kind::Span(_) = event.operation().kind {
        return Some(0);
    }
    let store = event.operation().kind.store()?;
    let pieces = store.target.pieces();
    let slots = store.sources.get(element * pieces..(element + 1) * pieces)?;
    Some(in_one_word(slots, store.wide, event, lane))
}

/// What the registers of an element hold: of one of 16 bytes, which has two, a number of 64 bits that
/// is the same for the same bytes, and as good as never for others.
fn in_one_word(slots: &[Slot], wide: bool, event: &Event<'_>, lane: usize) -> u64 {
    let value = |slot: Slot| match wide {
        true => event.registers.w64(slot)[lane],
        false => event.registers.w32(slot)[lane].into(),
    };
    match *slots {
        [low, high] => value(low) ^ value(high).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31),
        _ => slots.first().map_or(0, |slot| value(*slot)),
    }
}

/// Whether a read, or an atomic, gives its thread what it read: a `red` does not.
fn gives_old_value(event: &Event<'_>) -> bool {
    // What an mbarrier object makes known goes by its phases.
    match &event.operation().kind {
        lower::Kind::Mbarrier(_) => false,
        kind => kind.atomic().is_none_or(Atomic::gives),
    }
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
        self.has_bulk_reads = launch.program.operations.iter().any(reads_shared_in_bulk);
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
        let is_seen = gives_old_value(event);
        let is_store = event.operation().kind.store().is_some();
        for lane in lanes_of(access.mask) {
            let mut thread = ThreadId::new(event.block, event.warp, lane as u32);
            // A copy knows what its thread knows, and all that it has done.
            let mut copier = None;
            if let Some(Flight { number, completed }) = access.flight {
                let Some(block) = self.block(event.block) else { return };
                let copies = ThreadId::copies_of(thread, completed);
                let owner = block.thread(thread);
                let mut knows = owner.with_itself(thread, step);
                copier = Some(Thread { knows: Arc::clone(&knows), ..owner.clone() });
                if copies.is_awaited_at_mbarrier() {
                    Arc::make_mut(&mut knows).raise_copies(copies, step);
                    block.will_arrive(thread, number, knows);
                }
                thread = copies;
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
                        let found = stored(event, element, lane);
                        let lost = || internal!("nothing to store at {}", event.pc);
                        let Some(value) = self.bug.known(found, lost) else { return };
                        value
                    }
                    // What atomics leave is told by `update`; what a copy brings is not known yet.
                    AccessKind::Write | AccessKind::Read | AccessKind::Atomic => 0,
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
            self.log.note(step, event.block, event.warp, access.mask, event.pc);
        }
        if let Some(block) = self.block(event.block) {
            block.out_of_step(event.warp);
        }
    }

    fn fence(&mut self, event: &Event<'_>, semantics: Semantics) {
        let step = self.now();
        let reach = self.policy.widened(Reach::of(semantics.scope));
        self.has_patterns = true;
        self.log.note(step, event.block, event.warp, event.active, event.pc);
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
            self.log.note(step, barrier.block, arrival.warp, arrival.lanes, arrival.pc);
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
                self.log.note(step, part.block, part.warp, part.active, part.pc);
            }
            if let Some(block) = self.block(event.block) {
                block.order_lanes(event.warp, warp.together, step);
            }
        }
    }

    fn proxy_fence(&mut self, event: &Event<'_>) {
        let step = self.now();
        self.log.note(step, event.block, event.warp, event.active, event.pc);
        let Some(block) = self.block(event.block) else { return };
        for lane in lanes_of(event.active) {
            block.proxy_fence(ThreadId::new(event.block, event.warp, lane as u32), step);
        }
    }

    fn waited(&mut self, event: &Event<'_>, waited: &Waited<'_>) {
        let step = self.now();
        self.log.note(step, event.block, event.warp, waited.lanes, event.pc);
        let Some(block) = self.block(event.block) else { return };
        for lane in lanes_of(waited.lanes) {
            let begun = block.begun_by(waited.through[lane]);
            let thread = ThreadId::new(event.block, event.warp, lane as u32);
            // What has written has read.
            let also = match waited.completed {
                Completed::Bulk => Some(Completed::BulkReads),
                Completed::Small | Completed::BulkReads | Completed::Mbarrier(_) => None,
            };
            for completed in [Some(waited.completed), also].into_iter().flatten() {
                if begun > 0 {
                    let copies = ThreadId::copies_of(thread, completed);
                    block.thread(thread).knows_copies(copies, begun);
                }
            }
        }
    }

    fn mbarrier(&mut self, happens: &MbarrierStep) {
        let step = self.now();
        let &MbarrierStep { block, warp, lane, pc, address, what } = happens;
        match what {
            MbarrierEvent::Arrives { .. }
            | MbarrierEvent::WillArrive { .. }
            | MbarrierEvent::Seen { .. } => self.log.note(step, block, warp, 1 << lane, pc),
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
            // Of a block that has ended nobody knows any more whether it synchronised (a miss).
            let Some(block) = self.blocks.get_mut(&number) else { continue };
            self.conflicts.settle(number, |id| block.thread(id).clone());
        }
        self.explain_fresh();
    }
}

const _: () = assert!(LANES == 32);
