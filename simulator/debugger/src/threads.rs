//! Threads of a launch, by their numbers.

use std::fmt;

use warpsim::lanes::{Mask, lanes_of};
use warpsim::observe::Step;

/// A thread of the launch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId {
    /// The block's linear number.
    pub block: u64,
    /// The warp in the block.
    pub warp: u32,
    /// The lane in the warp.
    pub lane: u32,
}

impl ThreadId {
    /// Whether a step moved the thread.
    pub(crate) fn is_in(self, step: &Step) -> bool {
        (step.block, step.warp) == (self.block, self.warp) && step.mask >> self.lane & 1 == 1
    }
}

impl fmt::Display for ThreadId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "block {} warp {} lane {}", self.block, self.warp, self.lane)
    }
}

/// The lanes of a mask as threads of a warp.
pub(crate) fn threads(block: u64, warp: u32, lanes: Mask) -> impl Iterator<Item = ThreadId> {
    lanes_of(lanes).map(move |lane| ThreadId { block, warp, lane: lane as u32 })
}
