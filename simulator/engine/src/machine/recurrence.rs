//! Telling an endless loop by a state that repeats.
//!
//! A run is a pure function of its state and its schedule, so a state that comes again comes for
//! ever. After [`FIRST_LOOK`] turns the state is kept, and later ones are compared with it; it is
//! replaced at ever longer intervals (Brent, "An improved Monte Carlo factorization algorithm",
//! 1980), so that a loop is found whatever its length and however late it begins. Global memory
//! that is large ([`BYTES_AT_ONCE`]) is kept only once the rest of the state has come again, and
//! none in a launch with more memory than [`BYTES_A_TURN`] for each turn so far. `%clock` is not
//! part of the state. When a block ends, what was kept is forgotten.

use std::ops::RangeInclusive;

use super::grid::Machine;
use super::memory::{GlobalMemory, Pages};

/// Turns before the first look.
const FIRST_LOOK: u64 = 4096;

/// Turns between looks: at first, and at most. A loop of n turns repeats after at most this many
/// times n.
const STRIDE: RangeInclusive<u64> = 64..=1024;

/// How many times more turns there are before a look than between it and the next one, within
/// [`STRIDE`].
const BEFORE: u64 = 64;

/// More turns than any run has.
const NEVER: u64 = 1 << 62;

/// Bytes that may be copied for each turn that has been taken: so that copies cost little beside
/// the turns, a launch with large memory is looked at later.
const BYTES_A_TURN: u64 = 128;

/// Bytes for each turn that are copied with the rest of the state, before that has come again: they
/// cost nothing beside the turns, and a loop is found a repetition earlier.
const BYTES_AT_ONCE: u64 = 4;

/// Turns between looks after so many, a power of two. A look costs a gang what it takes to leave
/// its turns and to begin again, which long runs should not pay for more often than they have to.
#[inline]
fn stride(turns: u64) -> u64 {
    let of_turns = 1 << (turns / BEFORE).max(1).ilog2();
    of_turns.clamp(*STRIDE.start(), *STRIDE.end())
}

/// What is remembered of the run so far.
#[derive(Debug, Default)]
pub(super) struct Recurrence {
    turns: u64,
    next_keep: u64,
    kept: Option<Kept>,
}

/// A state at an earlier moment.
#[derive(Debug)]
struct Kept {
    /// What the schedule added to it.
    key: u64,
    /// All but global memory, which is empty.
    machine: Box<Machine>,
    global: Option<GlobalMemory>,
}

impl Recurrence {
    /// One that never looks, of blocks whose run is thrown away when they do not come to their end.
    pub(super) fn without_looks() -> Recurrence {
        Recurrence { next_keep: NEVER, ..Recurrence::default() }
    }

    /// Counts a turn. Whether it is time to look.
    #[inline]
    pub(super) fn is_due(&mut self) -> bool {
        self.turns += 1;
        self.looks()
    }

    /// Whether it is time to look after the turns so far.
    #[inline]
    pub(super) fn looks(&self) -> bool {
        self.turns.is_multiple_of(stride(self.turns)) && self.turns >= self.first_look()
    }

    /// Turns before which there is nothing to look for: no state is kept, and it is not time to
    /// keep one.
    #[inline]
    fn first_look(&self) -> u64 {
        match self.kept {
            None => self.next_keep.max(FIRST_LOOK),
            Some(_) => FIRST_LOOK,
        }
    }

    /// A block has ended: no state from before can come again.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.kept = None;
    }

    /// Turns so far.
    pub(super) fn turns(&self) -> u64 {
        self.turns
    }

    /// Counts turns that were taken elsewhere, by blocks that have ended: no state from before can
    /// come again.
    pub(super) fn skip(&mut self, turns: u64) {
        self.turns += turns;
        // As if there had been a look at each moment that asks for one: the first, and each time
        // that the turns have doubled.
        while self.turns >= self.next_keep.max(FIRST_LOOK) {
            self.next_keep = self.next_keep.max(FIRST_LOOK) * 2;
        }
        self.kept = None;
    }

    /// The turns up to the one after which it is time to look, that one included.
    #[inline]
    pub(super) fn turns_to_look(&self) -> u64 {
        let next = (self.turns + 1).max(self.first_look());
        // Rounded up it comes at most to a power of two, from which on the stride is another, and
        // which is a multiple of both.
        next.next_multiple_of(stride(next)) - self.turns
    }

    /// Counts turns up to the next one after which it is time to look, at most.
    #[inline]
    pub(super) fn count(&mut self, turns: u64) {
        self.turns += turns;
    }

    /// Whether the machine is in the state that was kept; keeps this one when it is time. `key` is
    /// what the schedule adds to the state.
    pub(super) fn repeats(&mut self, machine: &mut Machine, key: u64) -> bool {
        if let Some(kept) = &mut self.kept
            && kept.key == key
            && machine.same_but_global(&kept.machine)
        {
            match &kept.global {
                Some(global) if machine.launched.global == *global => return true,
                Some(_) => {}
                None => kept.global = copy_of_global(machine, self.turns, BYTES_A_TURN),
            }
        }
        if self.turns >= self.next_keep {
            self.next_keep = self.turns * 2;
            let global = copy_of_global(machine, self.turns, BYTES_AT_ONCE);
            let machine = Box::new(machine.duplicate_but_global());
            self.kept = Some(Kept { key, machine, global });
        }
        false
    }
}

/// A copy of global memory, where all memory is no more than so many bytes for each turn.
fn copy_of_global(machine: &mut Machine, turns: u64, bytes_a_turn: u64) -> Option<GlobalMemory> {
    let is_cheap = machine.memory_bytes() / bytes_a_turn <= turns;
    // Pages shared with a snapshot would make each access after it dearer; a copy does not.
    is_cheap.then(|| machine.launched.global.copied(Pages::duplicate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_turns_to_a_look_lead_to_the_next_one() {
        let mut recurrence = Recurrence::default();
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
        // The first comes when there is something to look for.
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
