//! Conflicts that were found: one for each pair of instructions, with a count and the first example.

use std::collections::{BTreeMap, BTreeSet};

use super::clock::Step;
use super::operation::{Class, Reach, Weakness};
use super::thread::{Thread, ThreadId};
use crate::lower::Pc;
use crate::ptx::Space;
use crate::report::Hazard;

/// One of two conflicting accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct End {
    /// Who.
    pub thread: ThreadId,
    /// The instruction.
    pub pc: Pc,
    /// What it was.
    pub class: Class,
    /// When.
    pub(super) step: Step,
}

/// Two conflicting accesses that nothing orders.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Conflict {
    /// Why it is a race; `None` when the two are morally strong, so that it is none, but which
    /// comes first decides what is read.
    pub weakness: Option<Weakness>,
    /// How they depend on each other, in the order in which they ran.
    pub hazard: Hazard,
    /// The state space.
    pub space: Space,
    /// The first byte that both access.
    pub address: u64,
    /// How many bytes both access.
    pub bytes: u64,
    /// The access that ran first.
    pub earlier: End,
    /// The access that ran second.
    pub later: End,
    /// How often.
    pub count: u64,
    /// Both wrote the same value, every time.
    pub is_same_value: bool,
    /// What the thread of the first example did to synchronise after `earlier`, as instructions.
    pub after: Vec<Pc>,
    /// What the thread of the first example did to synchronise before `later`.
    pub before: Vec<Pc>,
    /// `earlier` is of an asynchronous copy, and its thread had waited for it.
    pub was_waited_for: bool,
}

/// The instructions of a conflict, and whether it is a race.
pub type Pair = (bool, Pc, Pc);

impl Conflict {
    /// What makes it one finding with others.
    pub fn pair(&self) -> Pair {
        let (a, b) = (self.earlier.pc, self.later.pc);
        (self.weakness.is_some(), a.min(b), a.max(b))
    }
}

/// An unordered pair of a strong write and a strong read. It is synchronisation, and no conflict, if
/// the write is of a release pattern and the read of an acquire pattern; whether a fence follows the
/// read is known when its thread has exited. Nor is it one if the read is of a compare-and-swap that
/// did not match; that is known when its thread tries again.
#[derive(Clone, Debug)]
struct Deferred {
    conflict: Conflict,
    writer: ThreadId,
    released: Option<Reach>,
    read_at: Step,
    may_be_poll: bool,
}

/// The conflicts of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Conflicts {
    found: BTreeMap<Pair, Conflict>,
    /// The words that are raced for: space, block of shared memory, address divided by 4.
    pub(super) words: BTreeSet<(Space, u64, u64)>,
    /// Those that were found since somebody last asked.
    fresh: Vec<Pair>,
    deferred: BTreeMap<(ThreadId, Pc, Pc), Deferred>,
}

/// How the write and the read of an unordered strong pair stand in patterns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern {
    /// Who writes.
    pub writer: ThreadId,
    /// The reach of the release pattern that the write is in.
    pub released: Option<Reach>,
    /// Who reads.
    pub reader: ThreadId,
    /// The reach of the read itself, if it acquires.
    pub acquired: Option<Reach>,
    /// When it read.
    pub read_at: Step,
    /// It is a compare-and-swap that waits for what is written.
    pub may_be_poll: bool,
}

/// Whether a release and an acquire with these reaches are morally strong to each other.
fn meet(writer: ThreadId, released: Reach, reader: ThreadId, acquired: Reach) -> bool {
    released.includes(writer.block(), reader.block())
        && acquired.includes(reader.block(), writer.block())
}

impl Conflicts {
    /// Notes a conflict.
    pub(super) fn report(&mut self, conflict: Conflict) {
        let pair = conflict.pair();
        if conflict.weakness.is_some() {
            let is_shared = conflict.space == Space::Shared;
            let block = if is_shared { conflict.later.thread.block() } else { 0 };
            let (first, end) = (conflict.address / 4, conflict.address + conflict.bytes);
            self.words.extend((first..end.div_ceil(4)).map(|w| (conflict.space, block, w)));
        }
        match self.found.get_mut(&pair) {
            Some(known) => {
                known.count += conflict.count;
                known.is_same_value &= conflict.is_same_value;
            }
            None => {
                self.fresh.push(pair);
                self.found.insert(pair, conflict);
            }
        }
    }

    /// The conflicts that are new since the last call, for the example to be told more of.
    pub(super) fn fresh(&mut self) -> impl Iterator<Item = &mut Conflict> {
        let fresh = std::mem::take(&mut self.fresh);
        self.found.iter_mut().filter(move |(pair, _)| fresh.contains(pair)).map(|(_, c)| c)
    }

    /// Whether there are any.
    #[inline]
    pub(super) fn has_fresh(&self) -> bool {
        !self.fresh.is_empty()
    }

    /// Notes an unordered strong write and read, unless they are synchronisation.
    pub(super) fn report_unless_synchronisation(&mut self, conflict: Conflict, pattern: Pattern) {
        let Pattern { writer, released, reader, acquired, read_at, may_be_poll } = pattern;
        if released.is_none() && !may_be_poll {
            return self.report(conflict);
        }
        let met = released.zip(acquired);
        if met.is_some_and(|(released, acquired)| meet(writer, released, reader, acquired)) {
            return;
        }
        let key = (reader, conflict.earlier.pc, conflict.later.pc);
        let deferred = Deferred { conflict, writer, released, read_at, may_be_poll };
        match self.deferred.get_mut(&key) {
            Some(known) if known.read_at > read_at => {}
            Some(known) => *known = deferred,
            None => {
                self.deferred.insert(key, deferred);
            }
        }
    }

    /// A thread acquires a location: what it read there before is of an acquire pattern (PTX ISA
    /// 8.8), and no conflict with the writes of release patterns that this one reaches.
    pub(super) fn acquired(&mut self, reader: ThreadId, class: &Class, reach: Reach) {
        if self.deferred.is_empty() {
            return;
        }
        let waiting = self.deferred.range((reader, 0, 0)..=(reader, Pc::MAX, Pc::MAX));
        let met = waiting.filter(|(_, deferred)| {
            let Conflict { earlier, later, .. } = &deferred.conflict;
            earlier.class.coincides(class)
                && later.class.coincides(class)
                && deferred.released.is_some_and(|r| meet(deferred.writer, r, reader, reach))
        });
        for key in met.map(|(key, _)| *key).collect::<Vec<_>>() {
            self.deferred.remove(&key);
        }
    }

    /// A thread executes an atomic again: if it is one that waits for a value, it did not match
    /// before.
    pub(super) fn tried_again(&mut self, reader: ThreadId, class: &Class, pc: Pc) {
        if self.deferred.is_empty() {
            return;
        }
        let waiting = self.deferred.range((reader, pc, 0)..=(reader, pc, Pc::MAX));
        let again = waiting.filter(|(_, deferred)| {
            deferred.may_be_poll && deferred.conflict.earlier.class == *class
        });
        for key in again.map(|(key, _)| *key).collect::<Vec<_>>() {
            self.deferred.remove(&key);
        }
    }

    /// The threads of a block have exited, or the run is over. What those that have exited were to do
    /// they have done. The others may have synchronised yet: of them nothing is said.
    pub(super) fn settle(&mut self, block: u64, mut thread: impl FnMut(ThreadId) -> Thread) {
        let first = (ThreadId::new(block, 0, 0), 0, 0);
        let last = (ThreadId::new(block, 31, 31), Pc::MAX, Pc::MAX);
        let readers: Vec<_> = self.deferred.range(first..=last).map(|(key, _)| *key).collect();
        for key in readers {
            let Some(deferred) = self.deferred.remove(&key) else { continue };
            let Thread { fenced, exited, .. } = thread(key.0);
            if !exited {
                continue;
            }
            let acquired = Reach::ALL.into_iter().filter(|r| fenced[r.index()] > deferred.read_at);
            let met = deferred.released.zip(acquired.max());
            let synchronises = met.is_some_and(|(released, acquired)| {
                meet(deferred.writer, released, key.0, acquired)
            });
            if !synchronises {
                self.report(deferred.conflict);
            }
        }
    }

    /// The blocks whose threads something waits for.
    pub(super) fn unsettled(&self) -> Vec<u64> {
        let mut blocks: Vec<u64> = self.deferred.keys().map(|(t, ..)| t.block()).collect();
        blocks.dedup();
        blocks
    }

    /// Whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether a race was found.
    pub(super) fn has_races(&self) -> bool {
        self.found.keys().any(|(is_race, ..)| *is_race)
    }

    /// All conflicts, and forgets them.
    pub(super) fn take(&mut self) -> Vec<Conflict> {
        std::mem::take(&mut self.found).into_values().collect()
    }
}
