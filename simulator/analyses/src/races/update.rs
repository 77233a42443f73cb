//! Updates: the effect of atomic read-modify-writes on a word, and the stores that cannot lose one.
//!
//! A strong store beside an atomic loses the atomic's update when it comes between what the atomic
//! read and the next reader. There are two exceptions. The store releases a lock: its thread took
//! the lock by an atomic on the word. As long as the word holds the value left there, the atomics
//! of others change nothing (a compare-and-swap that does not match, an exchange for the same
//! value). Or a compare-and-swap waits for the value of the store: before, it changes nothing. This
//! goes by the operands of the atomics and not by the contents of memory, so it does not depend on
//! the schedule.

use super::element::in_one_word;
use super::operation::Reach;
use crate::lanes::Slot;
use crate::lower::{AtomicOperation, AtomicPiece};
use crate::observe::Event;

/// What an atomic of one lane does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Update {
    operation: AtomicOperation,
    b: u64,
    /// What a compare-and-swap stores.
    c: Option<u64>,
    /// Its thread gets the old value: not so for `red`.
    pub is_seen: bool,
    /// The reach with which it acquires.
    pub acquired: Option<Reach>,
}

impl Update {
    /// What the atomic at an event is about to do to an element in a lane; `None` for another
    /// instruction.
    pub(super) fn of(
        event: &Event<'_>,
        element: usize,
        lane: usize,
        acquired: Option<Reach>,
    ) -> Option<Update> {
        let atomic = event.program.operations.get(event.pc as usize)?.kind.atomic()?;
        let count = atomic.target.pieces();
        let element = if atomic.target.packed { element / 2 } else { element };
        let pieces = atomic.pieces.get(element * count..(element + 1) * count)?;
        let value = |slots: &[Slot]| in_one_word(slots, atomic.wide, event, lane);
        let (b, c) = match *pieces {
            [AtomicPiece { b, c, .. }] => (value(&[b]), c.map(|c| value(&[c]))),
            [low, high] => {
                let c = low.c.zip(high.c);
                (value(&[low.b, high.b]), c.map(|(low, high)| value(&[low, high])))
            }
            _ => return None,
        };
        let is_seen = pieces.iter().any(|piece| piece.destination.is_some());
        Some(Update { operation: atomic.operation, b, c, is_seen, acquired })
    }

    /// Whether it changes nothing before another thread has stored this value.
    pub(super) fn waits_for(&self, value: u64) -> bool {
        self.operation == AtomicOperation::CompareAndSwap && self.b == value
    }

    /// Whether another one changes nothing as long as memory holds what this one has left there.
    pub(super) fn shuts_out(&self, other: &Update) -> bool {
        match self.operation {
            AtomicOperation::CompareAndSwap => self.c.is_some_and(|stored| other.keeps(stored)),
            AtomicOperation::Exchange => other.keeps(self.b),
            // Of what it leaves some bits are known: those that are set.
            AtomicOperation::Or => other.operation == AtomicOperation::Or && other.b & !self.b == 0,
            AtomicOperation::Add
            | AtomicOperation::Min
            | AtomicOperation::Max
            | AtomicOperation::And
            | AtomicOperation::Xor
            | AtomicOperation::Increment
            | AtomicOperation::Decrement => false,
        }
    }

    /// The value of a word after it has taken a lock there: `None` for an update by which no thread
    /// takes a lock.
    fn taken(&self) -> Option<u64> {
        match self.operation {
            AtomicOperation::CompareAndSwap => self.c,
            AtomicOperation::Exchange | AtomicOperation::Or => Some(self.b),
            AtomicOperation::Add
            | AtomicOperation::Min
            | AtomicOperation::Max
            | AtomicOperation::And
            | AtomicOperation::Xor
            | AtomicOperation::Increment
            | AtomicOperation::Decrement => None,
        }
        .filter(|_| self.is_seen)
    }

    /// Whether another one gives back a lock that this one has taken: it changes what this one
    /// left, and is not the next attempt to take it.
    fn is_undone_by(&self, other: &Update) -> bool {
        self.taken().is_some_and(|held| match other.operation {
            AtomicOperation::CompareAndSwap => held == other.b && Some(held) != other.c,
            AtomicOperation::Exchange => held != other.b,
            AtomicOperation::And => held & !other.b != 0,
            AtomicOperation::Add
            | AtomicOperation::Min
            | AtomicOperation::Max
            | AtomicOperation::Or
            | AtomicOperation::Xor
            | AtomicOperation::Increment
            | AtomicOperation::Decrement => false,
        })
    }

    /// Whether it leaves a word with this value unchanged. It is false for updates that compare or
    /// wrap: no thread takes a lock by them.
    fn keeps(&self, held: u64) -> bool {
        match self.operation {
            AtomicOperation::CompareAndSwap => held != self.b || Some(held) == self.c,
            AtomicOperation::Exchange => held == self.b,
            AtomicOperation::Or => held | self.b == held,
            AtomicOperation::And => held & self.b == held,
            AtomicOperation::Add | AtomicOperation::Xor => self.b == 0,
            AtomicOperation::Min
            | AtomicOperation::Max
            | AtomicOperation::Increment
            | AtomicOperation::Decrement => false,
        }
    }
}

/// Locks that a thread may hold, by address; more replace the one that it took first.
#[derive(Clone, Debug, Default)]
pub(super) struct Held(Vec<(u64, Update)>);

/// Locks of a thread that are kept.
const LOCKS: usize = 4;

impl Held {
    /// The thread changes a word, by an atomic or by a store of a value. Whether it gives back a
    /// lock.
    pub(super) fn changes(
        &mut self,
        address: u64,
        update: Option<&Update>,
        stored: Option<u64>,
    ) -> bool {
        let at = self.0.iter().position(|(of, _)| *of == address);
        let gives_back = at.is_some_and(|at| match update {
            Some(update) => self.0[at].1.is_undone_by(update),
            None => stored.is_none() || stored != self.0[at].1.taken(),
        });
        if let Some(at) = at.filter(|_| gives_back) {
            self.0.remove(at);
        } else if let Some(update) = update.filter(|update| update.taken().is_some()) {
            match at {
                Some(at) => self.0[at].1 = *update,
                None => {
                    self.0.truncate(LOCKS - 1);
                    self.0.insert(0, (address, *update));
                }
            }
        }
        gives_back
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AtomicOperation::{Add, And, CompareAndSwap, Exchange, Or};

    fn update(operation: AtomicOperation, b: u64, c: u64) -> Update {
        Update { operation, b, c: Some(c), is_seen: true, acquired: None }
    }

    #[test]
    fn a_thread_that_has_taken_a_lock_shuts_out_those_that_try() {
        let takers = [update(CompareAndSwap, 0, 1), update(Exchange, 1, 0), update(Or, 1, 0)];
        for taker in &takers {
            assert!(taker.shuts_out(taker));
        }
        // Taken by one thread's number, tried with another's.
        assert!(update(CompareAndSwap, 0, 7).shuts_out(&update(CompareAndSwap, 0, 8)));
        // A look changes nothing.
        assert!(update(Exchange, 1, 0).shuts_out(&update(Add, 0, 0)));
    }

    #[test]
    fn a_lock_is_given_back_by_its_holder_and_not_by_the_next_attempt() {
        let takers = [update(CompareAndSwap, 0, 1), update(Exchange, 1, 0), update(Or, 1, 0)];
        for taker in &takers {
            let mut held = Held::default();
            assert!(!held.changes(64, Some(taker), None));
            assert!(!held.changes(64, Some(taker), None), "tried again: {taker:?}");
            assert!(!held.changes(72, Some(&update(Exchange, 0, 0)), None), "another word");
            let mut by_store = held.clone();
            assert!(by_store.changes(64, None, Some(0)));
            assert!(!by_store.changes(64, None, Some(0)), "given back already");
            assert!(held.changes(64, Some(&update(Exchange, 0, 0)), None));
        }
        let mut held = Held::default();
        assert!(!held.changes(64, Some(&update(Add, 1, 0)), None));
        assert!(!held.changes(64, None, Some(0)), "nobody takes a lock by adding");
    }

    #[test]
    fn only_a_compare_and_swap_waits_for_a_value() {
        assert!(update(CompareAndSwap, 1, 2).waits_for(1));
        assert!(!update(CompareAndSwap, 1, 2).waits_for(2));
        assert!(!update(Exchange, 1, 0).waits_for(1));
    }

    #[test]
    fn a_thread_that_counts_or_puts_something_else_there_is_not_shut_out() {
        let taker = update(CompareAndSwap, 0, 1);
        for other in [
            update(Add, 1, 0),
            update(Exchange, 2, 0),
            update(CompareAndSwap, 1, 2),
            update(And, 0, 0),
            update(Or, 2, 0),
        ] {
            assert!(!taker.shuts_out(&other), "{other:?}");
        }
        // A ticket is no lock: what was there is not known.
        assert!(!update(Add, 1, 0).shuts_out(&update(Add, 1, 0)));
    }
}
