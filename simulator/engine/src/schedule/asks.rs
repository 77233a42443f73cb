//! Counts the turns in a row in which a thread only asked whether a phase of an mbarrier object is
//! complete, with a negative answer. Such a thread waits, though it runs. Schedules that would let
//! it run on let others go first.
//!
//! A thread with other work after a few negative answers is passed over too early: it does that
//! work only after others have moved. It gets its turn again, so it is never left out for ever.

use super::View;

/// Turns in a row with a negative answer before all others go first. More than one, since a loop
/// may have other work after some questions.
const MOST: u64 = 8;

/// How often in a row the running thread got a negative answer.
#[derive(Clone, Copy, Debug, Default, Hash)]
pub(super) struct Asks(u64);

impl Asks {
    /// Counts the last turn of a thread (block, warp, lane).
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

/// Whether a thread (block, warp, lane) was found to spin after its last turn.
pub(super) fn does_spin(view: &dyn View, (block, warp, lane): (u64, u32, u32)) -> bool {
    let lanes = view.spinning(block, warp);
    if view.is_lockstep() { lanes != 0 } else { lanes >> lane & 1 == 1 }
}
