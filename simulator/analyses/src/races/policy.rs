//! The same run judged as if it had more synchronisation.
//!
//! A race that vanishes when every strong read acquires lacks a fence on the reader's side. So the
//! reason for a race is found by judging again, not by guessing.

use super::operation::{Reach, Weakness};
use super::thread::ThreadId;
use crate::report::Mend;

/// Assumptions beyond what the program says. The default assumes nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Policy {
    /// Every strong read acquires.
    pub assumes_acquire: bool,
    /// Every strong write releases.
    pub assumes_release: bool,
    /// Every scope is the device's.
    pub is_wide: bool,
    /// A block barrier is a fence for other blocks, too.
    pub barriers_are_fences: bool,
    /// Weak accesses are relaxed ones.
    pub assumes_strong: bool,
    /// Whatever this would order is in order.
    pub mended: Option<Mend>,
}

impl Policy {
    /// Every strong access releases and acquires, for all threads.
    pub const SYNCHRONISED: Policy = Policy {
        assumes_acquire: true,
        assumes_release: true,
        is_wide: true,
        barriers_are_fences: false,
        assumes_strong: false,
        mended: None,
    };

    /// The reach of an operation.
    pub fn strength(&self, strong: Option<Reach>) -> Option<Reach> {
        match strong {
            Some(reach) => Some(self.widened(reach)),
            None => self.assumes_strong.then_some(Reach::Device),
        }
    }

    /// A reach, or the device's.
    pub fn widened(&self, reach: Reach) -> Reach {
        if self.is_wide { Reach::Device } else { reach }
    }

    /// Whether the assumed mend orders two threads.
    pub fn orders(&self, a: ThreadId, b: ThreadId) -> bool {
        self.mended.is_some_and(|mended| a.least_mend(b) <= mended)
    }

    /// Whether two operations count as morally strong in spite of a weakness.
    pub fn forgives(&self, weakness: Option<Weakness>) -> bool {
        match weakness {
            None => true,
            Some(Weakness::Scope { .. }) => self.is_wide,
            Some(Weakness::Weak { .. }) => self.assumes_strong,
            Some(Weakness::Proxy | Weakness::AsyncProxy | Weakness::Overlap) => false,
        }
    }
}
