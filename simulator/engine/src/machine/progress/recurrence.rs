//! Detects an endless loop by a repeated state.
//!
//! A run is a pure function of its state and its schedule, so a repeated state repeats for ever.
//! After [`FIRST_LOOK`] turns the state is kept, and later ones are compared with it. It is
//! replaced at ever longer intervals (Brent, "An improved Monte Carlo factorization algorithm",
//! 1980). So a loop is found whatever its length and however late it begins. Large global memory
//! ([`BYTES_AT_ONCE`]) is kept only once the rest of the state has repeated. It is not kept in a
//! launch with more memory than [`BYTES_A_TURN`] for each turn so far. `%clock` is not part of the
//! state. When a block ends, the kept state is forgotten.

use std::ops::RangeInclusive;

use crate::machine::memory::{GlobalMemory, Pages};

/// Turns before the first look.
const FIRST_LOOK: u64 = 4096;

/// Turns between looks: at first, and at most. A loop of n turns is found after at most this many
/// times n.
const STRIDE: RangeInclusive<u64> = 64..=1024;

/// The ratio of the turns before a look to the turns between it and the next one, within
/// [`STRIDE`].
const BEFORE: u64 = 64;

/// More turns than any run has.
const NEVER: u64 = 1 << 62;

/// Bytes that may be copied for each turn so far. Copies then cost little beside the turns: a
/// launch with large memory is examined later.
const BYTES_A_TURN: u64 = 128;

/// Bytes for each turn that are copied with the rest of the state, before that has repeated. They
/// cost nothing beside the turns, and a loop is found one repetition earlier.
const BYTES_AT_ONCE: u64 = 4;

/// Turns between looks after this many, a power of two. At a look a gang leaves its turns and
/// begins again. Long runs should not pay for that more often than necessary.
#[inline]
fn stride(turns: u64) -> u64 {
    let of_turns = 1 << (turns / BEFORE).max(1).ilog2();
    of_turns.clamp(*STRIDE.start(), *STRIDE.end())
}

/// A state that may repeat: a grid, with its global memory.
pub(in crate::machine) trait Recurs {
    /// A copy that shares no memory with this state, and has empty global memory.
    fn duplicate_but_global(&mut self) -> Self;

    /// Whether everything except global memory that decides the next steps is the same.
    fn same_but_global(&self, other: &Self) -> bool;

    /// Global memory.
    fn global_memory(&mut self) -> &mut GlobalMemory;

    /// Bytes of all memory of a copy.
    fn memory_bytes(&self) -> u64;
}

/// The history of the run so far.
#[derive(Debug)]
pub(in crate::machine) struct Recurrence<S> {
    turns: u64,
    next_keep: u64,
    kept: Option<Kept<S>>,
}

impl<S> Default for Recurrence<S> {
    fn default() -> Recurrence<S> {
        Recurrence { turns: 0, next_keep: 0, kept: None }
    }
}

/// A state at an earlier moment.
#[derive(Debug)]
struct Kept<S> {
    /// The part that the schedule adds to it.
    key: u64,
    /// Everything except global memory, which is empty.
    state: Box<S>,
    global: Option<GlobalMemory>,
}

impl<S: Recurs> Recurrence<S> {
    /// A recurrence that never looks, for blocks whose run is discarded when they do not end.
    pub(in crate::machine) fn without_looks() -> Recurrence<S> {
        Recurrence { next_keep: NEVER, ..Recurrence::default() }
    }

    /// Counts a turn. Returns whether it is time to look.
    #[inline]
    pub(in crate::machine) fn is_due(&mut self) -> bool {
        self.turns += 1;
        self.looks()
    }

    /// Whether it is time to look after the turns so far.
    #[inline]
    pub(in crate::machine) fn looks(&self) -> bool {
        self.turns.is_multiple_of(stride(self.turns)) && self.turns >= self.first_look()
    }

    /// Turns before the first possible look: no state is kept, and it is not time to keep one.
    #[inline]
    fn first_look(&self) -> u64 {
        match self.kept {
            None => self.next_keep.max(FIRST_LOOK),
            Some(_) => FIRST_LOOK,
        }
    }

    /// A block has ended: no earlier state can repeat.
    #[inline]
    pub(in crate::machine) fn forget(&mut self) {
        self.kept = None;
    }

    /// Turns so far.
    pub(in crate::machine) fn turns(&self) -> u64 {
        self.turns
    }

    /// Counts turns of ended blocks that ran elsewhere: no earlier state can repeat.
    pub(in crate::machine) fn skip(&mut self, turns: u64) {
        self.turns += turns;
        // As if there had been a look at each required moment: the first, and each doubling of the
        // turns.
        while self.turns >= self.next_keep.max(FIRST_LOOK) {
            self.next_keep = self.next_keep.max(FIRST_LOOK) * 2;
        }
        self.kept = None;
    }

    /// The turns up to the next look, including its own turn.
    #[inline]
    pub(in crate::machine) fn turns_to_look(&self) -> u64 {
        let next = (self.turns + 1).max(self.first_look());
        // Rounding up gives at most a power of two, where another stride begins; it is a multiple
        // of both.
        next.next_multiple_of(stride(next)) - self.turns
    }

    /// Counts turns, at most up to the next look.
    #[inline]
    pub(in crate::machine) fn count(&mut self, turns: u64) {
        self.turns += turns;
    }

    /// Returns whether this is the kept state, and keeps this one when it is time. `key` is the
    /// part that the schedule adds to the state.
    pub(in crate::machine) fn repeats(&mut self, state: &mut S, key: u64) -> bool {
        if let Some(kept) = &mut self.kept
            && kept.key == key
            && state.same_but_global(&kept.state)
        {
            match &kept.global {
                Some(global) if *state.global_memory() == *global => return true,
                Some(_) => {}
                None => kept.global = copy_of_global(state, self.turns, BYTES_A_TURN),
            }
        }
        if self.turns >= self.next_keep {
            self.next_keep = self.turns * 2;
            let global = copy_of_global(state, self.turns, BYTES_AT_ONCE);
            let state = Box::new(state.duplicate_but_global());
            self.kept = Some(Kept { key, state, global });
        }
        false
    }
}

/// A copy of global memory, if all memory is at most this many bytes for each turn.
fn copy_of_global<S: Recurs>(state: &mut S, turns: u64, bytes_a_turn: u64) -> Option<GlobalMemory> {
    let is_cheap = state.memory_bytes() / bytes_a_turn <= turns;
    // Sharing pages with a snapshot would slow down later accesses; a copy does not.
    is_cheap.then(|| state.global_memory().copied(Pages::duplicate))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Turns are counted whatever the state is.
    #[derive(Debug)]
    struct Nothing;

    impl Recurs for Nothing {
        fn duplicate_but_global(&mut self) -> Nothing {
            Nothing
        }

        fn same_but_global(&self, _: &Nothing) -> bool {
            false
        }

        fn global_memory(&mut self) -> &mut GlobalMemory {
            unreachable!("nothing is ever compared")
        }

        fn memory_bytes(&self) -> u64 {
            0
        }
    }

    #[test]
    fn the_turns_to_a_look_lead_to_the_next_one() {
        let mut recurrence = Recurrence::<Nothing>::default();
        let (mut looks, mut longest) = (0, 0);
        while recurrence.turns() < 300_000 {
            let next = recurrence.turns_to_look();
            for turn in 1..=next {
                let is_due = recurrence.is_due();
                assert_eq!(is_due, turn == next, "{} turns", recurrence.turns());
            }
            (looks, longest) = (looks + 1, longest.max(next));
        }
        assert_eq!(recurrence.turns_to_look(), *STRIDE.end());
        // The first look comes when there is something to compare.
        assert_eq!(longest, FIRST_LOOK);
        assert!((300..800).contains(&looks), "{looks} looks");
    }

    #[test]
    fn a_stride_is_a_power_of_two_and_divides_the_next_one() {
        let mut before = *STRIDE.start();
        for turns in 0..200_000 {
            let here = stride(turns);
            assert!(here.is_power_of_two() && STRIDE.contains(&here), "{turns}: {here}");
            // It changes where both have a look.
            assert!(here == before || turns.is_multiple_of(here) && here == 2 * before, "{turns}");
            before = here;
        }
        assert_eq!(before, *STRIDE.end());
    }
}
