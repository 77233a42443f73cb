//! Counts of the instructions of a warp in a turn.

use crate::lanes::{FULL, LANES, Mask};
use crate::report::Counts;

/// The most instructions of a turn without visible effects.
pub(in crate::machine) const SLICE: u64 = 4096;

/// The number of lanes in a mask: mostly all. Counting takes some fifteen instructions where a
/// processor may lack one for it.
#[inline]
pub(in crate::machine) fn width_of(mask: Mask) -> u32 {
    if mask == FULL { LANES as u32 } else { mask.count_ones() }
}

/// The counts of a warp since it began to run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::machine) struct Tally {
    /// Instructions.
    pub instructions: u64,
    /// The lanes that took part in them, summed up.
    pub lanes: u64,
    /// Branches among them that depend on a predicate.
    pub branches: u64,
    /// Branches at which lanes diverged.
    pub divergent: u64,
}

impl Tally {
    /// Adds the counts of another.
    pub(in crate::machine) fn add(&mut self, other: Tally) {
        self.instructions += other.instructions;
        self.lanes += other.lanes;
        self.branches += other.branches;
        self.divergent += other.divergent;
    }

    /// Adds them to the counts of a launch.
    pub(in crate::machine) fn count_in(self, counts: &mut Counts) {
        counts.warp_instructions += self.instructions;
        counts.lane_instructions += self.lanes;
        counts.branches += self.branches;
        counts.divergent_branches += self.divergent;
    }
}
