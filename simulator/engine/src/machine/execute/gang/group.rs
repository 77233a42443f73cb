//! Groups: lanes of several strands of a gang at one place, and the counts of each strand.
//!
//! Strands at one place have mostly executed the same since their turns. A group keeps these counts
//! once for all of them, as long as none of its strands has lanes elsewhere. [`Tallies`] keeps the
//! counts that belong to one strand alone. Both together are the counts of the strand.
//!
//! The sums equal the counts of [`crate::machine::execute::fragment`].
//! `a_gang_leaves_what_single_turns_leave` (`simulator/tests/suite/gangs.rs`) compares them in
//! reports.

use crate::lanes::Mask;
use crate::lower::Pc;
use crate::machine::execute::segment::Alike;
use crate::machine::execute::strand_set::Set;
use crate::machine::execute::tallies::Tallies;
use crate::machine::state::block::MOST;
use crate::machine::state::tally::{Tally, width_of};

/// Lanes of strands at one place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    /// The rank of the basic block.
    pub(super) rank: u32,
    /// The next operation.
    pub(super) pc: Pc,
    /// The strands with lanes here.
    here: Set,
    /// The lanes of each strand; none for a strand elsewhere.
    masks: [Mask; MOST],
    /// The number of these lanes.
    width: u64,
    /// How often the part of each strand was passed over; 0 once it has run.
    pub(super) passed_over: [i16; MOST],
    /// The common counts of the strands; nothing if one of them has lanes elsewhere.
    pub(super) alike: Alike,
}

impl Group {
    /// An empty group at a place.
    #[inline(always)]
    pub(super) fn at(rank: u32, pc: Pc) -> Group {
        Group { rank, pc, ..Group::default() }
    }

    /// Becomes an empty group at a place.
    #[inline(always)]
    pub(super) fn clear(&mut self, rank: u32, pc: Pc) {
        *self = Group::at(rank, pc);
    }

    /// The strands with lanes here.
    #[inline(always)]
    pub(super) fn here(&self) -> Set {
        self.here
    }

    /// The lanes of each strand; none for a strand elsewhere.
    #[inline(always)]
    pub(super) fn masks(&self) -> &[Mask; MOST] {
        &self.masks
    }

    /// The number of lanes.
    #[inline(always)]
    pub(super) fn width(&self) -> u64 {
        self.width
    }

    /// The lanes of each strand, and their place and counts, which a segment changes.
    #[inline(always)]
    pub(super) fn going(&mut self) -> (&[Mask; MOST], &mut Pc, &mut Alike) {
        (&self.masks, &mut self.pc, &mut self.alike)
    }

    /// Adds lanes of a strand that are not here; other lanes of it may be.
    #[inline(always)]
    pub(super) fn come(&mut self, strand: usize, mask: Mask) {
        self.masks[strand] |= mask;
        self.width += width(mask);
        self.here = self.here.with(Set::of(u32::from(mask != 0) << (strand % MOST)));
    }

    /// Removes the lanes of a strand.
    #[inline(always)]
    pub(super) fn take(&mut self, strand: usize) -> Mask {
        self.here.set(strand, false);
        let mask = std::mem::take(&mut self.masks[strand]);
        self.width -= width(mask);
        mask
    }

    /// Keeps the lanes of some strands, and returns the others.
    pub(super) fn split(&mut self, kept: Set) -> Group {
        let mut others = *self;
        for at in self.here.iter() {
            if kept.has(at) {
                others.leave(at);
            } else {
                self.leave(at);
            }
        }
        others
    }

    fn leave(&mut self, strand: usize) {
        self.take(strand);
        self.passed_over[strand] = 0;
    }

    /// Parts the lanes of strands from this number on. Lanes for which a predicate holds stay here,
    /// the others go to `others`, which is empty. Returns the strands with lanes in both.
    #[inline(always)]
    pub(super) fn part(
        &mut self,
        others: &mut Group,
        first: usize,
        holds: impl Iterator<Item = Mask>,
    ) -> Set {
        let (mut here, mut there) = (0, 0);
        let masks = self.masks.iter_mut().zip(&mut others.masks).enumerate().skip(first);
        for ((at, (mask, other)), holds) in masks.zip(holds) {
            let all = *mask;
            (*mask, *other) = (all & holds, all & !holds);
            others.width += width(*other);
            here |= u32::from(*mask != 0) << at;
            there |= u32::from(*other != 0) << at;
        }
        self.width -= others.width;
        (self.here, others.here, others.alike) = (Set::of(here), Set::of(there), self.alike);
        self.here.among(others.here)
    }

    /// Adds lanes of other strands: this many, of the strands in the set.
    #[inline(always)]
    pub(super) fn let_in(&mut self, strands: Set, masks: &[Mask; MOST], width: u64) {
        self.here = self.here.with(strands);
        self.width += width;
        for (mask, more) in self.masks.iter_mut().zip(masks) {
            *mask |= more;
        }
    }

    /// The strands here have had a turn, which passes over them until they run.
    #[inline(always)]
    pub(super) fn has_turned(&mut self) {
        for (passed_over, mask) in self.passed_over.iter_mut().zip(self.masks) {
            *passed_over = i16::from(mask != 0);
        }
    }

    /// Counts that others have had a turn. Returns how often the most neglected part was passed
    /// over.
    #[inline(always)]
    pub(super) fn pass_over(&mut self) -> i16 {
        let mut most = 0;
        for (passed_over, mask) in self.passed_over.iter_mut().zip(self.masks) {
            *passed_over += i16::from(mask != 0);
            most = most.max(*passed_over);
        }
        most
    }

    /// Merges another group at the same place.
    #[inline(always)]
    pub(super) fn join(&mut self, other: &mut Group, tallies: &mut Tallies) {
        if self.alike != other.alike || !self.here.among(other.here).is_empty() {
            tallies.add_alike(self);
            tallies.add_alike(other);
        }
        self.here = self.here.with(other.here);
        self.width += other.width;
        for at in 0..MOST {
            let (mask, more) = (self.masks[at], other.masks[at]);
            let (passed, of_more) = (self.passed_over[at], other.passed_over[at]);
            // The most of the two; a group without lanes of the strand has no say. Written without
            // branches and iterators, so that the compiler does it for several strands at once.
            let here = if mask == 0 { of_more } else { passed };
            let there = if more == 0 { passed } else { of_more };
            self.passed_over[at] = here.max(there);
            self.masks[at] = mask | more;
        }
    }

    /// Takes the counts of the strands here, including the operation that ends the turn of each. It
    /// counts `one` for each, and this many lanes take part in it.
    #[inline(always)]
    pub(super) fn take_turn(&mut self, tallies: &mut Tallies, one: u64, lanes: u64) -> Tally {
        let count = self.here.count() as u64;
        let mut turn = std::mem::take(&mut self.alike).of_all(count, self.width);
        turn.add(tallies.take_all(self.here));
        turn.add(Tally { instructions: one * count, lanes: one * lanes, ..Tally::default() });
        turn
    }

    pub(super) fn place(&self) -> (u32, Pc) {
        (self.rank, self.pc)
    }
}

/// The number of lanes in a mask: mostly all, or none.
#[inline(always)]
fn width(mask: Mask) -> u64 {
    if mask == 0 { 0 } else { width_of(mask).into() }
}

impl Tallies {
    /// Adds the common counts of a group to the counts of each strand.
    #[inline(always)]
    pub(super) fn add_alike(&mut self, group: &mut Group) {
        let alike = std::mem::take(&mut group.alike);
        if alike == Alike::default() {
            return;
        }
        self.begin(group.here);
        for at in group.here.iter() {
            self.of[at].add(alike.tally(width_of(group.masks[at]), 0));
        }
    }

    /// The same for strands whose lanes have gone two ways; `parted` strands have lanes on both.
    #[inline(always)]
    pub(super) fn add_parted(&mut self, [one, other]: [&mut Group; 2], parted: Set) {
        let alike = std::mem::take(&mut one.alike);
        other.alike = Alike::default();
        let all = one.here.with(other.here);
        self.begin(all);
        for at in all.iter() {
            let tally = &mut self.of[at];
            tally.add(alike.tally(width_of(one.masks[at] | other.masks[at]), 0));
            tally.divergent += u64::from(parted.has(at));
        }
    }

    /// Adds the common counts of a group to the counts of each strand. Each has taken part in
    /// guarded operations with this many lanes, which are cleared.
    #[inline(always)]
    pub(super) fn add_each(&mut self, group: &mut Group, lanes: &mut [u64; MOST]) {
        let alike = std::mem::take(&mut group.alike);
        self.begin(group.here);
        for at in group.here.iter() {
            let lanes = std::mem::take(&mut lanes[at]);
            self.of[at].add(alike.tally(width_of(group.masks[at]), lanes));
        }
    }
}
