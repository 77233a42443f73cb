//! Where the lanes of a gang stand: sets of lanes at one place each, in the order in which they go on.
//!
//! Of the parts of a warp the one furthest behind goes on first, so that they meet at the earliest place (thread
//! frontiers: Diamos et al., "SIMD Re-Convergence At Thread Frontiers", MICRO 2011). Here this is done for all warps
//! of a gang at once: parts of several warps at one place are a [`Front`]. What each warp executes, and in which
//! order, is what [`crate::machine::divergence`] gives it by itself, since the order of places is the same for all.

use std::cmp::Ordering;

use super::MOST;
use super::set::Set;
use crate::lanes::Mask;
use crate::lower::Pc;
use crate::machine::divergence::MOST_PASSED_OVER;
use crate::machine::frame::FrameId;
use crate::machine::warp::Fragment;

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
    /// How often the part of each strand was passed over; 0 once it has gone on.
    pub(super) passed_over: [u8; MOST],
}

impl Front {
    /// Nobody, at a place.
    pub(super) fn at(rank: u32, pc: Pc) -> Front {
        Front { rank, pc, ..Front::default() }
    }

    /// The strands that have lanes here.
    #[inline]
    pub(super) fn here(&self) -> Set {
        self.here
    }

    /// The lanes of each strand; none of one that is not here.
    #[inline]
    pub(super) fn masks(&self) -> &[Mask; MOST] {
        &self.masks
    }

    /// The lanes of each strand, and where they stand, which a segment changes.
    #[inline]
    pub(super) fn going(&mut self) -> (&[Mask; MOST], &mut Pc) {
        (&self.masks, &mut self.pc)
    }

    /// Makes other lanes of a strand those that are here.
    #[inline]
    pub(super) fn set(&mut self, strand: usize, mask: Mask) {
        self.masks[strand] = mask;
        self.here.set(strand, mask != 0);
    }

    /// Takes the lanes of a strand away.
    #[inline]
    pub(super) fn take(&mut self, strand: usize) -> Mask {
        self.here.set(strand, false);
        std::mem::take(&mut self.masks[strand])
    }

    /// Has lanes of other strands come, of those that are in the set.
    pub(super) fn let_in(&mut self, strands: Set, masks: &[Mask; MOST]) {
        self.here = self.here.with(strands);
        for (mask, more) in self.masks.iter_mut().zip(masks) {
            *mask |= more;
        }
    }

    /// Those here have had a turn, which passes over them until they go on.
    pub(super) fn has_turned(&mut self) {
        for (passed_over, mask) in self.passed_over.iter_mut().zip(self.masks) {
            *passed_over = u8::from(mask != 0);
        }
    }

    /// Adds those of another at the same place.
    fn join(&mut self, other: &Front) {
        self.here = self.here.with(other.here);
        for (mask, more) in self.masks.iter_mut().zip(other.masks) {
            *mask |= more;
        }
        for (passed, more) in self.passed_over.iter_mut().zip(other.passed_over) {
            *passed = more.max(*passed);
        }
    }

    fn place(&self) -> (u32, Pc) {
        (self.rank, self.pc)
    }
}

/// A part of a strand that stays where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) mask: Mask,
    pub(super) pc: Pc,
    pub(super) rank: u32,
    pub(super) passed_over: u8,
}

impl Left {
    /// The same as a part of a warp, in an activation.
    pub(super) fn fragment(self, frame: FrameId) -> Fragment {
        let passed_over = self.passed_over.into();
        Fragment { passed_over, ..Fragment::new(self.mask, self.pc, frame) }
    }
}

/// All places at which lanes of a gang stand.
#[derive(Debug, Default)]
pub(super) struct Frontier {
    /// Those that go on.
    pub(super) now: Front,
    /// The others, the ones furthest behind last. No two places are the same.
    rest: Vec<Front>,
    /// Parts of strands that have stopped, which do not move before the turn, and of which strands there are any.
    aside: Vec<(usize, Left)>,
    have_aside: Set,
    /// No lanes of a warp wait for others of theirs.
    pub(super) none_waits: bool,
    /// Where a segment counts the lanes of each strand that took part in guarded operations.
    pub(super) lanes: [u64; MOST],
}

impl Frontier {
    /// Forgets everybody; those that go on are nobody at this place, and none waits.
    pub(super) fn clear(&mut self, rank: u32, pc: Pc) {
        self.now = Front::at(rank, pc);
        self.rest.clear();
        self.aside.clear();
        self.have_aside = Set::NONE;
        self.none_waits = true;
    }

    /// Has those go on that stand furthest behind, instead of who went on before. Whether there are any.
    pub(super) fn next(&mut self) -> bool {
        let Some(last) = self.rest.last() else { return false };
        self.now = *last;
        self.now.passed_over = [0; MOST];
        self.rest.truncate(self.rest.len() - 1);
        true
    }

    /// Whether nobody is left.
    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty() && self.now.here.is_empty()
    }

    /// Whether all lanes that can move are at one place.
    #[inline]
    pub(super) fn is_one(&self) -> bool {
        self.rest.is_empty()
    }

    /// Those that go on, the others, and where a segment counts lanes.
    #[inline]
    pub(super) fn parts(&mut self) -> (&mut Front, &mut [Front], &mut [u64; MOST]) {
        (&mut self.now, &mut self.rest, &mut self.lanes)
    }

    /// The rank of the block at which those are that go on next: others may meet them there.
    pub(super) fn horizon(&self) -> u32 {
        self.rest.last().map_or(u32::MAX, |front| front.rank)
    }

    /// Has those go on that now stand furthest behind, after the others have come to a place of theirs.
    pub(super) fn choose(&mut self) {
        let Some(last) = self.rest.last_mut() else { return };
        match self.now.place().cmp(&last.place()) {
            Ordering::Less => {}
            Ordering::Equal => {
                self.now.join(last);
                self.rest.pop();
            }
            Ordering::Greater => {
                std::mem::swap(&mut self.now, last);
                self.sort_last();
            }
        }
        self.now.passed_over = [0; MOST];
    }

    /// Brings the last of the rest to its place.
    fn sort_last(&mut self) {
        let mut at = self.rest.len() - 1;
        while let Some(before) = at.checked_sub(1) {
            match self.rest[at].place().cmp(&self.rest[before].place()) {
                Ordering::Less => return,
                Ordering::Equal => {
                    let one = self.rest.remove(at);
                    self.rest[before].join(&one);
                    return;
                }
                Ordering::Greater => self.rest.swap(before, at),
            }
            at = before;
        }
    }

    /// Adds lanes of strands to the others; who stands at their place already goes on with them.
    pub(super) fn insert(&mut self, front: Front) {
        self.rest.push(front);
        self.sort_last();
    }

    /// Adds lanes of one strand.
    pub(super) fn add(&mut self, strand: usize, part: Left) {
        let place = (part.rank, part.pc);
        if self.rest.last().is_none_or(|last| last.place() != place) {
            self.insert(Front::at(part.rank, part.pc));
        }
        let found = self.rest.iter_mut().rev().find(|front| front.place() == place);
        if let Some(front) = found {
            front.set(strand, front.masks[strand] | part.mask);
            front.passed_over[strand] = front.passed_over[strand].max(part.passed_over);
        }
    }

    /// Whether lanes of a strand are among the others.
    pub(super) fn is_elsewhere(&self, strand: usize) -> bool {
        self.rest.iter().any(|front| front.here.has(strand))
    }

    /// Puts the lanes of a strand that has stopped aside that are elsewhere.
    pub(super) fn put_aside(&mut self, strand: usize) {
        if self.is_elsewhere(strand) {
            self.have_aside.set(strand, true);
            let mut aside = std::mem::take(&mut self.aside);
            aside.extend(self.take(strand).map(|part| (strand, part)));
            self.aside = aside;
        }
    }

    /// Takes those of a strand that were put aside.
    pub(super) fn take_aside(&mut self, strand: usize) -> impl Iterator<Item = Left> {
        self.have_aside.set(strand, false);
        self.aside.extract_if(.., move |(of, _)| *of == strand).map(|(_, part)| part)
    }

    /// Puts those of a strand back that were put aside, of which one more turn has passed over.
    pub(super) fn take_back(&mut self, strand: usize) {
        if self.has_aside(strand) {
            self.have_aside.set(strand, false);
            let mut aside = std::mem::take(&mut self.aside);
            for (of, part) in aside.extract_if(.., |(of, _)| *of == strand) {
                self.add(of, Left { passed_over: part.passed_over + 1, ..part });
            }
            self.aside = aside;
        }
    }

    /// Whether some of those that do not go on have been passed over so often that they come first.
    pub(super) fn is_overdue(&self) -> bool {
        let overdue = |passed_over: &u8| u32::from(*passed_over) >= MOST_PASSED_OVER;
        self.rest.iter().any(|front| front.passed_over.iter().any(overdue))
    }

    /// Whether lanes of a strand have been put aside.
    #[inline]
    pub(super) fn has_aside(&self, strand: usize) -> bool {
        self.have_aside.has(strand)
    }

    /// Takes all lanes of a strand out of the others, those furthest behind first.
    pub(super) fn take(&mut self, strand: usize) -> impl Iterator<Item = Left> {
        self.rest.iter_mut().rev().filter(move |front| front.here.has(strand)).map(move |front| {
            let mask = front.take(strand);
            let passed_over = std::mem::take(&mut front.passed_over[strand]);
            Left { mask, pc: front.pc, rank: front.rank, passed_over }
        })
    }
}

/// Counts that parts of strands have been passed over since a turn of others. Whether some have been so often that they come
/// first.
pub(super) fn pass_over(rest: &mut [Front]) -> bool {
    let mut overdue = false;
    for front in rest {
        for (passed_over, mask) in front.passed_over.iter_mut().zip(front.masks) {
            *passed_over += u8::from(mask != 0);
            overdue |= u32::from(*passed_over) >= MOST_PASSED_OVER;
        }
    }
    overdue
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(mask: Mask, rank: u32, pc: Pc, passed_over: u8) -> Left {
        Left { mask, pc, rank, passed_over }
    }

    #[test]
    fn those_furthest_behind_go_on_first_and_who_stands_at_one_place_goes_on_together() {
        let mut frontier = Frontier::default();
        frontier.add(0, part(0b001, 7, 70, 3));
        frontier.add(1, part(0b111, 2, 21, 0));
        frontier.add(0, part(0b010, 2, 21, 0));
        frontier.add(2, part(0b100, 2, 20, 0));
        frontier.add(0, part(0b100, 7, 70, 1));
        let mut order = Vec::new();
        while frontier.next() {
            let front = &frontier.now;
            order.push((front.rank, front.pc, front.masks[..3].to_vec(), front.here.range()));
        }
        assert_eq!(
            order,
            [
                (2, 20, vec![0, 0, 0b100], Some(2..3)),
                (2, 21, vec![0b010, 0b111, 0], Some(0..2)),
                (7, 70, vec![0b101, 0, 0], Some(0..1)),
            ]
        );
    }

    #[test]
    fn a_strand_that_stops_takes_all_its_lanes_with_it() {
        let mut frontier = Frontier::default();
        frontier.add(0, part(0b001, 7, 70, 3));
        frontier.add(1, part(0b111, 7, 70, 5));
        frontier.add(0, part(0b010, 9, 90, 1));
        let taken: Vec<Left> = frontier.take(0).collect();
        assert_eq!(taken, [part(0b001, 7, 70, 3), part(0b010, 9, 90, 1)]);
        assert_eq!(frontier.take(0).count(), 0);
        assert_eq!(frontier.horizon(), 7);
        assert!(frontier.next());
        let front = &frontier.now;
        assert_eq!((front.masks[0], front.masks[1], front.passed_over[1]), (0, 0b111, 0));
        assert!(frontier.next() && frontier.now.here.is_empty() && !frontier.next());
    }

    #[test]
    fn who_comes_to_a_place_of_others_goes_on_with_them_or_waits_for_those_behind() {
        let mut frontier = Frontier::default();
        for (rank, pc) in [(5, 50), (2, 20), (9, 90), (7, 70)] {
            frontier.add(0, part(1 << rank, rank, pc, 0));
        }
        assert!(frontier.next() && frontier.now.pc == 20);
        // Still the ones furthest behind.
        (frontier.now.rank, frontier.now.pc) = (4, 40);
        frontier.choose();
        assert_eq!((frontier.now.pc, frontier.horizon()), (40, 5));
        // With others.
        (frontier.now.rank, frontier.now.pc) = (5, 50);
        frontier.choose();
        assert_eq!((frontier.now.pc, frontier.now.masks[0]), (50, 1 << 5 | 1 << 2));
        // Behind two, at the place of the second.
        (frontier.now.rank, frontier.now.pc) = (9, 90);
        frontier.choose();
        assert_eq!((frontier.now.pc, frontier.now.masks[0], frontier.horizon()), (70, 1 << 7, 9));
        assert!(frontier.next());
        assert_eq!(frontier.now.masks[0], 1 << 9 | 1 << 5 | 1 << 2);
        assert!(!frontier.next());
    }
}
