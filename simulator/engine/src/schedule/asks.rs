//! Counting the turns in a row in which a thread only asked whether a phase of an mbarrier object
//! is complete, and was told no. Such a thread waits, though it runs: schedules that would let it
//! run on let others go first.
//!
//! A thread that has something else to do when it was told no a few times, but does not do it
//! before others have moved, is passed over too early. It comes to its turn again, so that nothing
//! is left out for ever.

use super::View;

/// Turns in a row in which a thread is told no before all others go first. More than one, since a
/// loop may do something else when it has asked some times.
const MOST: u64 = 8;

/// How often in a row the running thread was told no.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(super) struct Asks(u64);

impl Asks {
    /// Counts the turn that a thread (block, warp, lane) has had.
    pub(super) fn count(&mut self, view: &dyn View, (block, warp, lane): (u64, u32, u32)) {
        let lanes = view.asked_in_vain(block, warp);
        let was_told_no = if view.is_lockstep() { lanes != 0 } else { lanes >> lane & 1 == 1 };
        self.0 = if was_told_no { self.0 + 1 } else { 0 };
    }

    /// Whether others should go first.
    pub(super) fn are_enough(self) -> bool {
        self.0 >= MOST
    }
}

/// Whether a thread (block, warp, lane) has been found to spin after the turn that it has had.
pub(super) fn does_spin(view: &dyn View, (block, warp, lane): (u64, u32, u32)) -> bool {
    let lanes = view.spinning(block, warp);
    if view.is_lockstep() { lanes != 0 } else { lanes >> lane & 1 == 1 }
}
