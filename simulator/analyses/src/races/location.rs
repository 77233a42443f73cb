//! How the last write of a location, with its chain of atomics, links release patterns to acquire
//! patterns (PTX ISA 8.8 "Release and Acquire Patterns", 8.9.2 "Observation Order", 8.9.4
//! "Synchronizes-With").
//!
//! A write that was itself seen is ordered before whatever comes after the read that saw it,
//! without any fence (8.9.5 "Causality Order").
//!
//! A write carries what its thread announced by an earlier fence, or by the write itself when it
//! releases. Atomics that observe it pass it on, as long as each is morally strong with the one
//! before. Any other write begins anew.

use std::sync::Arc;

use super::clock::{Knowledge, Step, join_optional, join_shared};
use super::operation::{Class, Kind, Reach, acquires, releases, weakness};
use super::policy::Policy;
use super::thread::{Thread, ThreadId};
use crate::lower::Order;

/// What release patterns have made visible through a location.
#[derive(Clone, Debug, Default)]
struct Released {
    /// What was released with device reach.
    device: Option<Arc<Knowledge>>,
    /// What threads of each block released, for acquirers of the same block.
    blocks: Vec<(u64, Arc<Knowledge>)>,
    /// What was announced by `fence.sc` of device reach, for who executes one.
    sequential: Option<Arc<Knowledge>>,
}

impl Released {
    fn add(&mut self, block: u64, reach: Reach, what: &Arc<Knowledge>) {
        if reach == Reach::Device {
            join_optional(&mut self.device, what);
        }
        match self.blocks.iter_mut().find(|(b, _)| *b == block) {
            Some((_, known)) => join_shared(known, what),
            None => self.blocks.push((block, Arc::clone(what))),
        }
    }

    fn of_block(&self, block: u64) -> Option<&Arc<Knowledge>> {
        self.blocks.iter().find(|(b, _)| *b == block).map(|(_, what)| what)
    }
}

/// The last write of a location.
#[derive(Clone, Debug)]
pub(super) struct Location {
    class: Class,
    thread: ThreadId,
    released: Released,
    /// Release operations on this location. They are also the head of a pattern for later strong
    /// writes of the same thread.
    heads: Vec<(ThreadId, Reach, Arc<Knowledge>)>,
    /// When the write was that the chain of atomics begins with.
    begun: Step,
    /// When the last write was.
    written: Step,
    /// Who has seen the chain, and how far it had come.
    seen: Vec<Seen>,
}

/// A strong read that observed a chain of writes.
#[derive(Clone, Copy, Debug)]
struct Seen {
    thread: ThreadId,
    at: Step,
    last_write: Step,
}

/// Sightings of a chain that are kept; more replace the last one of the same thread.
const SIGHTINGS: usize = 256;

/// Release operations on a location that are kept at the head of patterns.
const HEADS: usize = 64;

impl Location {
    /// Whether a write to this very location at `step` was seen by something that happens before
    /// what `thread` does next.
    pub(super) fn was_seen(
        &self,
        class: &Class,
        step: Step,
        thread: ThreadId,
        by: &Thread,
    ) -> bool {
        self.class.coincides(class)
            && step >= self.begun
            && self.seen.iter().any(|seen| {
                seen.last_write >= step
                    && (seen.thread == thread || by.knows.of(seen.thread) >= seen.at)
            })
    }

    fn see(&mut self, thread: ThreadId, at: Step) {
        let last = self.seen.iter().rposition(|seen| seen.thread == thread);
        if last.is_some_and(|last| self.seen[last].last_write == self.written) {
            return;
        }
        if self.seen.len() >= SIGHTINGS
            && let Some(last) = last
        {
            self.seen.remove(last);
        }
        self.seen.push(Seen { thread, at, last_write: self.written });
    }
}

/// A strong or weak operation on a location.
#[derive(Clone, Copy, Debug)]
pub(super) struct Performed {
    /// What it is.
    pub class: Class,
    /// Its order.
    pub order: Order,
    /// Who does it.
    pub thread: ThreadId,
    /// When.
    pub step: Step,
    /// What it reads is seen by its thread: not of a `red`.
    pub is_seen: bool,
}

/// Carries out what an operation observes and makes visible. The location is `None` before the
/// first write to it.
pub(super) fn perform(
    location: &mut Option<Box<Location>>,
    operation: &Performed,
    by: &mut Thread,
    policy: Policy,
) {
    let Performed { class, thread, .. } = operation;
    let observed = location.as_ref().is_some_and(|location| {
        class.kind.reads()
            && policy.forgives(weakness((&location.class, location.thread), (class, *thread)))
    });
    if observed
        && operation.is_seen
        && let Some(location) = location
    {
        hear(&location.released, operation, by, policy);
        location.see(*thread, operation.step);
    }
    if !class.kind.writes() {
        return;
    }
    let Some(reach) = policy.strength(class.strong) else {
        *location = None;
        return;
    };
    let new = || {
        let (begun, written) = (operation.step, operation.step);
        let (released, heads, seen) = Default::default();
        Location { class: *class, thread: *thread, released, heads, begun, written, seen }
    };
    let Location { mut released, mut heads, begun, seen, .. } = match location.take() {
        Some(old) if observed && class.kind == Kind::Atomic => *old,
        Some(old) if old.class.coincides(class) => Location { heads: old.heads, ..new() },
        _ => new(),
    };
    let block = thread.block();
    for reach in Reach::ALL {
        if let Some(announced) = &by.announced[reach.index()] {
            released.add(block, policy.widened(reach), announced);
        }
    }
    if let Some(announced) = &by.sequential.announced {
        join_optional(&mut released.sequential, announced);
    }
    for (_, reach, head) in heads.iter().filter(|(t, ..)| t == thread) {
        released.add(block, *reach, head);
    }
    if releases(operation.order) || policy.assumes_release {
        let head = by.with_itself(*thread, operation.step);
        released.add(block, reach, &head);
        heads.retain(|(t, ..)| t != thread);
        heads.truncate(HEADS);
        heads.push((*thread, reach, head));
    }
    let written = operation.step;
    let (class, thread) = (*class, *thread);
    *location = Some(Box::new(Location { class, thread, released, heads, begun, written, seen }));
}

/// Takes in what an observed write carries: at once when the operation acquires, else at a later
/// fence.
fn hear(released: &Released, operation: &Performed, by: &mut Thread, policy: Policy) {
    if let Some(announced) = &released.sequential {
        join_optional(&mut by.sequential.heard, announced);
    }
    let near = released.of_block(operation.thread.block());
    let far = released.device.as_ref();
    if let Some(near) = near {
        by.hear(near, Reach::Block);
    }
    if let Some(far) = far {
        by.hear(far, if policy.is_wide { Reach::Block } else { Reach::Device });
    }
    let acquiring = acquires(operation.order) || policy.assumes_acquire;
    let Some(reach) = policy.strength(operation.class.strong).filter(|_| acquiring) else { return };
    if let Some(near) = near {
        join_shared(&mut by.knows, near);
    }
    if let Some(far) = far.filter(|_| reach == Reach::Device) {
        join_shared(&mut by.knows, far);
    }
}

/// The reach of a write in a release pattern. `None` when it is not in one. And whether the pattern
/// rests on a fence that has already served, for a lock that was given back after it.
pub(super) fn release_reach(
    operation: &Performed,
    by: &Thread,
    location: Option<&Location>,
) -> (Option<Reach>, bool) {
    let fenced = Reach::ALL.into_iter().filter(|r| by.announced[r.index()].is_some()).max();
    let itself = operation.class.strong.filter(|_| releases(operation.order));
    let same = location.filter(|location| location.class.coincides(&operation.class));
    let heads = same.map_or(&[][..], |location| &location.heads);
    let headed = heads.iter().filter(|(thread, ..)| *thread == operation.thread);
    let of_operations = itself.max(headed.map(|(_, reach, _)| *reach).max());
    let is_spent = of_operations.is_none() && by.gave_back;
    (fenced.max(of_operations), is_spent)
}
