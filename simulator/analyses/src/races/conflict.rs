//! The conflicts found: one for each pair of instructions, with a count and the first example.

use std::collections::{BTreeMap, BTreeSet};

use super::clock::Step;
use super::operation::{Class, Kind, Reach, Weakness};
use super::thread::{Thread, ThreadId};
use crate::lower::{Order, Pc};
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
    /// How strong it was.
    pub order: Order,
    /// When.
    pub(super) step: Step,
}

/// The verdict on a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// The two are morally strong. It is no race, but their order decides which value is read, or
    /// which value stays.
    Unordered,
    /// A race by the model between stores of the same value, at places without any other race.
    /// Whichever comes last, the same value stays.
    SameValue,
    /// A race.
    Race,
}

/// A word of memory: the space, the block (of shared memory; else 0), the address divided by 4.
pub(super) type WordId = (Space, u64, u64);

/// Two conflicting accesses that nothing orders.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Conflict {
    /// The verdict.
    pub verdict: Verdict,
    /// Why the two are not morally strong; `None` when they are.
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
    /// Both stored the same value, every time.
    pub is_same_value: bool,
    /// Lanes of a warp stored it by one instruction, every time.
    pub is_one_instruction: bool,
    /// The instructions by which the thread of the first example synchronised after `earlier`.
    pub after: Vec<Pc>,
    /// The instructions by which the thread of the first example synchronised before `later`.
    pub before: Vec<Pc>,
    /// A third thread that comes after `earlier`, and what it did to synchronise up to `later`.
    pub third: Option<(ThreadId, Vec<Pc>)>,
    /// They would be synchronisation, except for this: the fence before the store has served
    /// already, for a lock that was given back behind it. Every time.
    pub is_spent: bool,
    /// `earlier` is of an asynchronous copy, and its thread had waited for it.
    pub was_waited_for: bool,
    /// The words that such accesses conflicted at.
    pub(super) words: BTreeSet<WordId>,
}

/// The instructions of a conflict, and whether it is a race.
pub type Pair = (bool, Pc, Pc);

impl Conflict {
    /// What makes it one finding with others.
    pub fn pair(&self) -> Pair {
        let (a, b) = (self.earlier.pc, self.later.pc);
        (self.weakness.is_some(), a.min(b), a.max(b))
    }

    /// Whether it involves only relaxed loads and stores. An atomic beside a store may lose its
    /// effect. Code that uses `volatile`, acquires or releases asks for an order.
    pub fn is_relaxed(&self) -> bool {
        let is_relaxed = |end: &End| end.order == Order::Relaxed && end.class.kind != Kind::Atomic;
        self.weakness.is_none() && is_relaxed(&self.earlier) && is_relaxed(&self.later)
    }

    /// Whether one of the two could pass something to the other's thread, if they synchronised.
    pub fn tells(&self) -> bool {
        self.hazard != Hazard::WriteAfterWrite
    }

    /// Whether it is about other memory, by other instructions, than another conflict.
    pub(super) fn is_about_other(&self, other: &Conflict) -> bool {
        let pcs = [other.earlier.pc, other.later.pc];
        let shares_one = pcs.contains(&self.earlier.pc) || pcs.contains(&self.later.pc);
        !shares_one && self.words.is_disjoint(&other.words)
    }

    /// The words that both access.
    fn own_words(&self) -> impl Iterator<Item = WordId> + use<> {
        let is_shared = self.space == Space::Shared;
        let block = if is_shared { self.later.thread.block() } else { 0 };
        let (space, first, end) = (self.space, self.address / 4, self.address + self.bytes);
        (first..end.div_ceil(4)).map(move |word| (space, block, word))
    }
}

/// An unordered pair of a strong write and a strong read. It is synchronisation, and no conflict,
/// if the write is of a release pattern and the read of an acquire pattern; whether a fence follows
/// the read is known when its thread has exited. Nor is it one if the read is of a compare-and-swap
/// that did not match; that is known when its thread tries again.
#[derive(Clone, Debug)]
struct Deferred {
    conflict: Conflict,
    pattern: Pattern,
}

/// The conflicts of a run.
#[derive(Clone, Debug, Default)]
pub(super) struct Conflicts {
    found: BTreeMap<Pair, Conflict>,
    /// Where the first was of lanes of one instruction that stored one value, the first that was
    /// not.
    across: BTreeMap<Pair, Conflict>,
    /// The words with races.
    pub(super) words: BTreeSet<WordId>,
    /// The words among them with races of other accesses than stores of one value.
    differing: BTreeSet<WordId>,
    /// The conflicts that were found since the last call of `fresh`.
    fresh: Vec<Pair>,
    deferred: BTreeMap<(ThreadId, Pc, Pc), Deferred>,
}

/// How the write and the read of an unordered strong pair take part in patterns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pattern {
    /// Who writes.
    pub writer: ThreadId,
    /// The reach of the release pattern that the write is in.
    pub released: Option<Reach>,
    /// The fence of it has served already.
    pub is_spent: bool,
    /// Who reads.
    pub reader: ThreadId,
    /// The reach of the read itself, if it acquires.
    pub acquired: Option<Reach>,
    /// When it read.
    pub read_at: Step,
    /// It is a compare-and-swap that waits for the written value.
    pub may_be_poll: bool,
}

impl Pattern {
    /// Whether the release and an acquire with this reach are morally strong to each other.
    fn meets(&self, acquired: Reach) -> bool {
        let (writer, reader) = (self.writer.block(), self.reader.block());
        let reaches = |released: Reach| released.includes(writer, reader);
        self.released.is_some_and(reaches) && acquired.includes(reader, writer)
    }
}

impl Conflicts {
    /// Notes a conflict.
    pub(super) fn report(&mut self, mut conflict: Conflict) {
        let pair = conflict.pair();
        if conflict.weakness.is_some() {
            self.words.extend(conflict.own_words());
            if !conflict.is_same_value {
                self.differing.extend(conflict.own_words());
            }
        }
        let words = conflict.own_words();
        match self.found.get_mut(&pair) {
            Some(known) => {
                known.count += conflict.count;
                known.is_same_value &= conflict.is_same_value;
                known.is_spent &= conflict.is_spent;
                known.words.extend(words);
                if known.is_one_instruction && !conflict.is_one_instruction {
                    known.is_one_instruction = false;
                    self.fresh.push(pair);
                    self.across.insert(pair, conflict);
                }
            }
            None => {
                conflict.words.extend(words);
                self.fresh.push(pair);
                self.found.insert(pair, conflict);
            }
        }
    }

    /// The verdict on a conflict, now that all are known. `None` for one that is no mistake: lanes
    /// of a warp store one value by one instruction.
    fn verdict(&self, conflict: &Conflict) -> Option<Verdict> {
        if conflict.weakness.is_none() {
            return Some(Verdict::Unordered);
        }
        if !conflict.is_same_value || !conflict.words.is_disjoint(&self.differing) {
            return Some(Verdict::Race);
        }
        (!conflict.is_one_instruction).then_some(Verdict::SameValue)
    }

    /// The conflicts that are new since the last call, so that the caller can add facts to their
    /// examples.
    pub(super) fn fresh(&mut self) -> impl Iterator<Item = &mut Conflict> {
        let fresh = std::mem::take(&mut self.fresh);
        let all = self.found.iter_mut().chain(&mut self.across);
        all.filter(move |(pair, _)| fresh.contains(pair)).map(|(_, conflict)| conflict)
    }

    /// Whether there are any.
    #[inline]
    pub(super) fn has_fresh(&self) -> bool {
        !self.fresh.is_empty()
    }

    /// Notes an unordered strong write and read, unless they are synchronisation.
    pub(super) fn report_unless_synchronisation(&mut self, conflict: Conflict, pattern: Pattern) {
        let Pattern { released, reader, acquired, read_at, may_be_poll, .. } = pattern;
        if released.is_none() && !may_be_poll {
            return self.report(conflict);
        }
        let deferred = Deferred { conflict, pattern };
        if acquired.is_some_and(|acquired| pattern.meets(acquired)) {
            return self.synchronises(deferred);
        }
        let Conflict { earlier, later, .. } = &deferred.conflict;
        let key = (reader, earlier.pc, later.pc);
        match self.deferred.get_mut(&key) {
            Some(known) if known.pattern.read_at > read_at => {}
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
                && deferred.pattern.meets(reach)
        });
        for key in met.map(|(key, _)| *key).collect::<Vec<_>>() {
            if let Some(deferred) = self.deferred.remove(&key) {
                self.synchronises(deferred);
            }
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
            deferred.pattern.may_be_poll && deferred.conflict.earlier.class == *class
        });
        for key in again.map(|(key, _)| *key).collect::<Vec<_>>() {
            self.deferred.remove(&key);
        }
    }

    /// The threads of a block have exited, or the run is over. Threads that have exited have done
    /// all that they had to do. The others may have synchronised yet: of them nothing is said.
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
            let read_at = deferred.pattern.read_at;
            let acquired = Reach::ALL.into_iter().filter(|r| fenced[r.index()] > read_at);
            match acquired.max().is_some_and(|acquired| deferred.pattern.meets(acquired)) {
                true => self.synchronises(deferred),
                false => self.report(deferred.conflict),
            }
        }
    }

    /// A pair is synchronisation by the model. It is meant to be, unless the fence on the writer's
    /// side has served for a lock.
    fn synchronises(&mut self, deferred: Deferred) {
        let Deferred { mut conflict, pattern } = deferred;
        if pattern.is_spent {
            conflict.is_spent = true;
            self.report(conflict);
        }
    }

    /// The blocks whose threads something waits for.
    pub(super) fn unsettled(&self) -> Vec<u64> {
        let mut blocks: Vec<u64> = self.deferred.keys().map(|(t, ..)| t.block()).collect();
        blocks.dedup();
        blocks
    }

    /// Returns all conflicts with their verdicts, and forgets them.
    pub(super) fn take(&mut self) -> Vec<Conflict> {
        let found = std::mem::take(&mut self.found).into_values();
        let mut across = std::mem::take(&mut self.across);
        let judged = found.filter_map(|mut conflict| {
            conflict.verdict = self.verdict(&conflict)?;
            if conflict.verdict == Verdict::SameValue
                && let Some(other) = across.remove(&conflict.pair())
            {
                // This conflict shows the race that the finding reports; the first one does not.
                let Conflict { verdict, count, is_same_value, .. } = conflict;
                conflict = Conflict { verdict, count, is_same_value, ..other };
            }
            Some(conflict)
        });
        judged.collect()
    }
}
