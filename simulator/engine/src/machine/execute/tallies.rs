//! The separate counts of each strand of a gang.

use super::strand_set::Set;
use crate::machine::state::block::MOST;
use crate::machine::state::tally::Tally;

/// The separate counts of each strand.
#[derive(Debug, Default)]
pub(in crate::machine) struct Tallies {
    pub(super) of: [Tally; MOST],
    /// The strands with counts; the entries of the others are arbitrary.
    pub(super) any: Set,
}

impl Tallies {
    /// Clears all counts.
    pub(super) fn clear(&mut self) {
        self.any = Set::NONE;
    }

    /// The counts of a strand, to be added to.
    #[inline]
    pub(in crate::machine) fn of(&mut self, strand: usize) -> &mut Tally {
        if !self.any.has(strand) {
            self.any.set(strand, true);
            self.of[strand] = Tally::default();
        }
        &mut self.of[strand]
    }

    /// Begins the counts of strands that have none.
    #[inline(always)]
    pub(super) fn begin(&mut self, strands: Set) {
        for at in strands.without(self.any).iter() {
            self.of[at] = Tally::default();
        }
        self.any = self.any.with(strands);
    }

    /// Takes the counts of a strand.
    #[inline(always)]
    pub(super) fn take(&mut self, strand: usize) -> Tally {
        let tally = *self.of(strand);
        self.any.set(strand, false);
        tally
    }

    /// Takes the sum of the counts of some strands.
    #[inline(always)]
    pub(super) fn take_all(&mut self, strands: Set) -> Tally {
        let mut sum = Tally::default();
        for at in self.any.among(strands).iter() {
            sum.add(self.of[at]);
        }
        self.any = self.any.without(strands);
        sum
    }

    /// The most instructions in the separate counts of a strand of the set.
    #[inline(always)]
    pub(super) fn most(&self, strands: Set) -> u64 {
        let any = self.any.among(strands).iter();
        any.fold(0, |most, at| most.max(self.of[at].instructions))
    }
}
