//! Fronts: lanes of several strands of a gang that stand at one place, and what each strand has
//! executed.
//!
//! Strands that stand together have mostly executed the same since their turns. A front keeps that
//! once for all of them, as long as no strand of it has lanes elsewhere; what a strand has executed
//! apart from the others is kept for it alone ([`Tallies`]). Both together are what it has
//! executed.

use super::MOST;
use super::set::Set;
use crate::lanes::Mask;
use crate::lower::Pc;
use crate::machine::segment::{Alike, Tally, width_of};

/// Lanes of strands that stand at one place.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Front {
    /// The rank of the basic block.
    pub(super) rank: u32,
    /// The next operation.
    pub(super) pc: Pc,
    /// The strands that have lanes here.
    here: Set,
    /// The lanes of each strand; none of one that is not here.
    masks: [Mask; MOST],
    /// How many lanes that are.
    width: u64,
    /// How often the part of each strand was passed over; 0 once it has gone on.
    pub(super) passed_over: [i16; MOST],
    /// What each strand has executed with the others; nothing where one of them has lanes
    /// elsewhere.
    pub(super) alike: Alike,
}

impl Front {
    /// Nobody, at a place.
    #[inline(always)]
    pub(super) fn at(rank: u32, pc: Pc) -> Front {
        Front { rank, pc, ..Front::default() }
    }

    /// The same.
    #[inline(always)]
    pub(super) fn clear(&mut self, rank: u32, pc: Pc) {
        *self = Front::at(rank, pc);
    }

    /// The strands that have lanes here.
    #[inline(always)]
    pub(super) fn here(&self) -> Set {
        self.here
    }

    /// The lanes of each strand; none of one that is not here.
    #[inline(always)]
    pub(super) fn masks(&self) -> &[Mask; MOST] {
        &self.masks
    }

    /// How many lanes there are.
    #[inline(always)]
    pub(super) fn width(&self) -> u64 {
        self.width
    }

    /// The lanes of each strand, and where they stand and what they have executed, which a segment
    /// changes.
    #[inline(always)]
    pub(super) fn going(&mut self) -> (&[Mask; MOST], &mut Pc, &mut Alike) {
        (&self.masks, &mut self.pc, &mut self.alike)
    }

    /// Has lanes of a strand come, none of which is here; others of it may be.
    #[inline(always)]
    pub(super) fn come(&mut self, strand: usize, mask: Mask) {
        self.masks[strand] |= mask;
        self.width += width(mask);
        self.here = self.here.with(Set::of(u32::from(mask != 0) << (strand % MOST)));
    }

    /// Takes the lanes of a strand away.
    #[inline(always)]
    pub(super) fn take(&mut self, strand: usize) -> Mask {
        self.here.set(strand, false);
        let mask = std::mem::take(&mut self.masks[strand]);
        self.width -= width(mask);
        mask
    }

    /// Keeps the lanes of some strands, and gives those of the others away.
    pub(super) fn split(&mut self, kept: Set) -> Front {
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

    /// Sends the lanes of strands from this number on apart: those for which something holds stay
    /// here, the others go to `others`, where nobody is. The strands of which there are lanes in
    /// both.
    #[inline(always)]
    pub(super) fn part(
        &mut self,
        others: &mut Front,
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

    /// Has lanes of other strands come, so many of those that are in the set.
    #[inline(always)]
    pub(super) fn let_in(&mut self, strands: Set, masks: &[Mask; MOST], width: u64) {
        self.here = self.here.with(strands);
        self.width += width;
        for (mask, more) in self.masks.iter_mut().zip(masks) {
            *mask |= more;
        }
    }

    /// Those here have had a turn, which passes over them until they go on.
    #[inline(always)]
    pub(super) fn has_turned(&mut self) {
        for (passed_over, mask) in self.passed_over.iter_mut().zip(self.masks) {
            *passed_over = i16::from(mask != 0);
        }
    }

    /// Counts that others have had a turn. How often those are passed over now that are most often.
    #[inline(always)]
    pub(super) fn pass_over(&mut self) -> i16 {
        let mut most = 0;
        for (passed_over, mask) in self.passed_over.iter_mut().zip(self.masks) {
            *passed_over += i16::from(mask != 0);
            most = most.max(*passed_over);
        }
        most
    }

    /// Adds those of another at the same place.
    #[inline(always)]
    pub(super) fn join(&mut self, other: &mut Front, tallies: &mut Tallies) {
        if self.alike != other.alike || !self.here.among(other.here).is_empty() {
            tallies.add_alike(self);
            tallies.add_alike(other);
        }
        self.here = self.here.with(other.here);
        self.width += other.width;
        let passed = self.passed_over.iter_mut().zip(other.passed_over);
        for ((mask, more), (passed, of_more)) in self.masks.iter_mut().zip(other.masks).zip(passed)
        {
            // Of a strand without lanes there is nothing to count.
            *passed = match (*mask, more) {
                (0, _) => of_more,
                (_, 0) => *passed,
                (_, _) => of_more.max(*passed),
            };
            *mask |= more;
        }
    }

    /// Takes what the strands here have executed, with the operation that ends the turn of each,
    /// which counts `one` for each and in which so many lanes take part.
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

/// How many lanes there are in a mask: mostly all, or none.
#[inline(always)]
fn width(mask: Mask) -> u64 {
    if mask == 0 { 0 } else { width_of(mask).into() }
}

/// What each strand has executed apart from the others.
#[derive(Debug, Default)]
pub(in crate::machine) struct Tallies {
    of: [Tally; MOST],
    /// The strands of which there is something; the others have anything.
    any: Set,
}

impl Tallies {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.any = Set::NONE;
    }

    /// That of a strand, to be added to.
    #[inline]
    pub(in crate::machine) fn of(&mut self, strand: usize) -> &mut Tally {
        if !self.any.has(strand) {
            self.any.set(strand, true);
            self.of[strand] = Tally::default();
        }
        &mut self.of[strand]
    }

    /// Begins those of some strands of which there is nothing.
    #[inline(always)]
    fn begin(&mut self, strands: Set) {
        for at in strands.without(self.any).iter() {
            self.of[at] = Tally::default();
        }
        self.any = self.any.with(strands);
    }

    /// Takes that of a strand.
    #[inline(always)]
    pub(super) fn take(&mut self, strand: usize) -> Tally {
        let tally = *self.of(strand);
        self.any.set(strand, false);
        tally
    }

    /// Takes those of some strands, summed up.
    #[inline(always)]
    pub(super) fn take_all(&mut self, strands: Set) -> Tally {
        let mut sum = Tally::default();
        for at in self.any.among(strands).iter() {
            sum.add(self.of[at]);
        }
        self.any = self.any.without(strands);
        sum
    }

    /// The most instructions that one of some strands has executed apart from the others.
    #[inline(always)]
    pub(super) fn most(&self, strands: Set) -> u64 {
        let any = self.any.among(strands).iter();
        any.fold(0, |most, at| most.max(self.of[at].instructions))
    }

    /// Adds what the strands of a front have executed with each other to what each has by itself.
    #[inline(always)]
    pub(super) fn add_alike(&mut self, front: &mut Front) {
        let alike = std::mem::take(&mut front.alike);
        if alike == Alike::default() {
            return;
        }
        self.begin(front.here);
        for at in front.here.iter() {
            self.of[at].add(alike.tally(width_of(front.masks[at]), 0));
        }
    }

    /// The same for strands whose lanes have gone two ways; those `parted` have lanes on both.
    #[inline(always)]
    pub(super) fn add_parted(&mut self, [one, other]: [&mut Front; 2], parted: Set) {
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

    /// Adds what the strands of a front have executed with each other; each has taken part in
    /// guarded operations with so many lanes, which are taken.
    #[inline(always)]
    pub(super) fn add_each(&mut self, front: &mut Front, lanes: &mut [u64; MOST]) {
        let alike = std::mem::take(&mut front.alike);
        self.begin(front.here);
        for at in front.here.iter() {
            let lanes = std::mem::take(&mut lanes[at]);
            self.of[at].add(alike.tally(width_of(front.masks[at]), lanes));
        }
    }
}
