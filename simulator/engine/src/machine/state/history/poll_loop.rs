//! The history of a warp that asks in vain whether the phase of an mbarrier object is complete.
//!
//! [`crate::machine::progress::poll_loop`] uses it to decide that no thread will go on.

use crate::lanes::{LANES, Mask};

/// The history of a warp since a thread of its block last did anything other than ask.
#[derive(Debug, Default)]
pub(in crate::machine) struct PollLoop {
    /// The lanes whose answers in the current turn were all negative.
    pub(in crate::machine) latest: Mask,
    /// The same lanes of the warp's last complete turn, which schedules may know.
    pub(in crate::machine) last: Mask,
    /// The block's count of effects, at the beginning of the history.
    pub(in crate::machine) acts: u64,
    /// Turns in which lanes got a negative answer.
    pub(in crate::machine) turns: u64,
    /// The state of each lane at its last negative answer.
    pub(in crate::machine) held: Option<Box<[u64; LANES]>>,
    /// The lanes that repeat.
    pub(in crate::machine) go_round: Mask,
}

/// Only the part of the history that schedules may know is state: they choose by it.
impl PartialEq for PollLoop {
    fn eq(&self, other: &PollLoop) -> bool {
        self.last == other.last
    }
}

impl PollLoop {
    /// Lanes have asked, and all got a negative answer.
    pub(in crate::machine) fn told_no(&mut self, lanes: Mask) {
        self.latest = lanes;
    }

    /// Whether lanes have asked in the current turn, and all got a negative answer.
    pub(in crate::machine) fn has_been_told_no(&self) -> bool {
        self.latest != 0
    }

    /// The lanes that only asked in the warp's last turn, and all got a negative answer.
    pub(in crate::machine) fn asked_in_vain(&self) -> Mask {
        self.last
    }

    /// Another block begins.
    #[inline]
    pub(in crate::machine) fn forget(&mut self) {
        let PollLoop { latest, last, acts, turns, held, go_round } = self;
        if held.is_some() {
            *held = None;
        }
        (*latest, *last, *acts, *turns, *go_round) = (0, 0, 0, 0, 0);
    }

    /// The part that a snapshot keeps.
    pub(in crate::machine) fn snapshot(&self) -> PollLoop {
        PollLoop { last: self.last, ..PollLoop::default() }
    }
}
