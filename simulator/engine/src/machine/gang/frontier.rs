//! Where the lanes of a gang stand: sets of lanes at one place each, in the order in which they go
//! on.
//!
//! Of the parts of a warp the one furthest behind goes on first, so that they meet at the earliest
//! place (thread frontiers: Diamos et al., "SIMD Re-Convergence At Thread Frontiers", MICRO 2011).
//! Here this is done for all warps of a gang at once: parts of several warps at one place are a
//! [`Front`]. What each warp executes, and in which order, is what [`crate::machine::divergence`]
//! gives it by itself, since the order of places is the same for all.

use std::cmp::Ordering;

use super::MOST;
use super::front::{Front, Tallies};
use super::set::Set;
use crate::lanes::Mask;
use crate::lower::Pc;
use crate::machine::frame::FrameId;
use crate::machine::patience::LOOK;
use crate::machine::warp::Fragment;

/// A part of a strand that stays where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) mask: Mask,
    pub(super) pc: Pc,
    pub(super) rank: u32,
    pub(super) passed_over: i16,
}

impl Left {
    /// The same as a part of a warp, in an activation.
    pub(super) fn fragment(self, frame: FrameId) -> Fragment {
        Fragment { passed_over: self.passed_over, ..Fragment::new(self.mask, self.pc, frame) }
    }
}

/// All places at which lanes of a gang stand.
#[derive(Debug, Default)]
#[expect(
    clippy::vec_box,
    reason = "fronts are handed from one to the other, and have some 250 bytes each"
)]
pub(super) struct Frontier {
    /// Those that go on.
    pub(super) now: Box<Front>,
    /// The others, the ones furthest behind last. No two places are the same.
    pub(super) rest: Vec<Box<Front>>,
    /// Those that have stopped before their turn. A strand is in one at most, and then nowhere
    /// else.
    stopped: Vec<Box<Front>>,
    /// Room for more.
    spare: Vec<Box<Front>>,
    /// Parts of strands that have stopped, which do not move before the turn, and of which strands
    /// there are any.
    aside: Vec<(usize, Left)>,
    have_aside: Set,
    /// No lanes of a warp wait for others of theirs.
    pub(super) none_waits: bool,
    /// What each strand has executed apart from the others.
    pub(super) tallies: Tallies,
    /// Where a segment counts the lanes of each strand that took part in guarded operations; none
    /// outside of one.
    pub(super) lanes: [u64; MOST],
}

impl Frontier {
    /// Forgets everybody; those that go on are nobody at this place, and none waits.
    pub(super) fn clear(&mut self, rank: u32, pc: Pc) {
        self.now.clear(rank, pc);
        self.spare.extend(self.rest.drain(..).chain(self.stopped.drain(..)));
        self.aside.clear();
        self.have_aside = Set::NONE;
        self.none_waits = true;
        self.tallies.clear();
    }

    /// Has those go on that stand furthest behind, instead of who went on before. Whether there are
    /// any.
    #[inline(always)]
    pub(super) fn next(&mut self) -> bool {
        let Some(mut last) = self.rest.pop() else { return false };
        last.passed_over = [0; MOST];
        self.spare.push(std::mem::replace(&mut self.now, last));
        true
    }

    /// Nobody, at a place.
    #[inline(always)]
    pub(super) fn nobody(&mut self, rank: u32, pc: Pc) -> Box<Front> {
        let mut front = self.spare.pop().unwrap_or_default();
        front.clear(rank, pc);
        front
    }

    /// Whether nobody is left.
    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty() && self.now.here().is_empty()
    }

    /// Whether all lanes that can move are at one place.
    #[inline]
    pub(super) fn is_one(&self) -> bool {
        self.rest.is_empty()
    }

    /// Whether all of so many strands go on, with all their lanes that can move.
    #[inline(always)]
    pub(super) fn all_are_here(&self, strands: usize) -> bool {
        self.none_waits
            && self.is_one()
            && self.stopped.is_empty()
            && self.now.here() == Set::first(strands)
    }

    /// The rank of the block at which those are that go on next: others may meet them there.
    pub(super) fn horizon(&self) -> u32 {
        self.rest.last().map_or(u32::MAX, |front| front.rank)
    }

    /// Has those go on that now stand furthest behind, after the others have come to a place of
    /// theirs.
    #[inline(always)]
    pub(super) fn choose(&mut self) {
        let Some(last) = self.rest.last_mut() else { return };
        match self.now.place().cmp(&last.place()) {
            Ordering::Less => {}
            Ordering::Equal => {
                self.now.join(last, &mut self.tallies);
                self.spare.extend(self.rest.pop());
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
                    let mut one = self.rest.remove(at);
                    self.rest[before].join(&mut one, &mut self.tallies);
                    self.spare.push(one);
                    return;
                }
                Ordering::Greater => self.rest.swap(before, at),
            }
            at = before;
        }
    }

    /// Adds lanes of strands to the others; who stands at their place already goes on with them.
    pub(super) fn insert(&mut self, front: Box<Front>) {
        self.rest.push(front);
        self.sort_last();
    }

    /// Adds lanes of one strand.
    pub(super) fn add(&mut self, strand: usize, part: Left) {
        let place = (part.rank, part.pc);
        if self.rest.last().is_none_or(|last| last.place() != place) {
            let nobody = self.nobody(part.rank, part.pc);
            self.insert(nobody);
        }
        let found = self.rest.iter_mut().rev().find(|front| front.place() == place);
        if let Some(front) = found {
            self.tallies.add_alike(front);
            front.passed_over[strand] = match front.masks()[strand] {
                0 => part.passed_over,
                _ => front.passed_over[strand].max(part.passed_over),
            };
            front.come(strand, part.mask);
        }
    }

    /// The strands that have lanes among the others.
    #[inline(always)]
    fn elsewhere(&self) -> Set {
        self.rest.iter().fold(Set::NONE, |all, front| all.with(front.here()))
    }

    /// Whether lanes of a strand are among the others.
    pub(super) fn is_elsewhere(&self, strand: usize) -> bool {
        self.elsewhere().has(strand)
    }

    /// Stops those that go on, before their turn, and puts those of their lanes aside that are
    /// elsewhere; those furthest behind of the others go on.
    #[inline(always)]
    pub(super) fn stop(&mut self) {
        let parted = self.elsewhere().among(self.now.here());
        for strand in parted.iter() {
            self.have_aside.set(strand, true);
            let mut aside = std::mem::take(&mut self.aside);
            aside.extend(self.take(strand).map(|part| (strand, part)));
            self.aside = aside;
        }
        let next = match self.rest.pop() {
            Some(mut next) => {
                next.passed_over = [0; MOST];
                next
            }
            None => self.nobody(self.now.rank, self.now.pc),
        };
        self.stopped.push(std::mem::replace(&mut self.now, next));
    }

    /// Takes all that have stopped.
    pub(super) fn take_all_stopped(&mut self) -> impl Iterator<Item = Front> {
        let Frontier { stopped, tallies, spare, .. } = self;
        stopped.drain(..).map(|mut front| {
            tallies.add_alike(&mut front);
            let taken = *front;
            spare.push(front);
            taken
        })
    }

    /// Those that have stopped.
    #[inline]
    pub(super) fn stopped(&self) -> &[Box<Front>] {
        &self.stopped
    }

    /// Takes those that have stopped with a strand, of the strands of a set.
    #[inline(always)]
    pub(super) fn take_stopped(&mut self, strand: usize, set: Set) -> Option<Box<Front>> {
        let at = self.stopped.iter().position(|front| front.here().has(strand))?;
        let front = &mut self.stopped[at];
        let others = front.here().without(set);
        Some(if others.is_empty() {
            self.stopped.swap_remove(at)
        } else {
            let mut taken = self.spare.pop().unwrap_or_default();
            *taken = front.split(others);
            taken
        })
    }

    /// Puts those back that have stopped.
    pub(super) fn stop_again(&mut self, front: Box<Front>) {
        self.stopped.push(front);
    }

    /// Takes room back.
    pub(super) fn spare(&mut self, front: Box<Front>) {
        self.spare.push(front);
    }

    /// The most instructions that one of those that go on has executed.
    #[inline(always)]
    pub(super) fn spent(&self) -> u64 {
        self.spent_by(&self.now)
    }

    /// The same of another front.
    #[inline(always)]
    pub(super) fn spent_by(&self, front: &Front) -> u64 {
        front.alike.instructions + self.tallies.most(front.here())
    }

    /// Adds what those that go on have executed with each other to what each has by itself, if a
    /// segment has counted lanes of some ([`Frontier::lanes`]), or one has lanes elsewhere.
    #[inline(always)]
    pub(super) fn count_walked(&mut self) {
        let Frontier { now, tallies, lanes, .. } = self;
        if now.alike.whole != now.alike.instructions {
            tallies.add_each(now, lanes);
        } else if !self.elsewhere().among(self.now.here()).is_empty() {
            self.tallies.add_alike(&mut self.now);
        }
    }

    /// The same for all that have not stopped, wherever they have lanes.
    pub(super) fn count_each(&mut self) {
        for front in self.rest.iter_mut().chain([&mut self.now]) {
            self.tallies.add_alike(front);
        }
    }

    /// Takes those of a strand that were put aside.
    pub(super) fn take_aside(&mut self, strand: usize) -> impl Iterator<Item = Left> {
        self.have_aside.set(strand, false);
        self.aside.extract_if(.., move |(of, _)| *of == strand).map(|(_, part)| part)
    }

    /// Puts those of strands back that were put aside, of which one more turn has passed over.
    pub(super) fn take_back(&mut self, strands: Set) {
        for strand in self.have_aside.among(strands).iter() {
            self.have_aside.set(strand, false);
            let mut aside = std::mem::take(&mut self.aside);
            for (of, part) in aside.extract_if(.., |(of, _)| *of == strand) {
                self.add(of, Left { passed_over: part.passed_over + 1, ..part });
            }
            self.aside = aside;
        }
    }

    /// Whether some of those that do not go on have been passed over so often that they come first.
    #[inline(always)]
    pub(super) fn is_overdue(&self) -> bool {
        let most = |front: &Front| front.passed_over.iter().fold(0, |most, n| most.max(*n));
        self.rest.iter().any(|front| most(front) >= LOOK)
    }

    /// Whether lanes of some of these strands have been put aside.
    #[inline(always)]
    pub(super) fn have_aside(&self, strands: Set) -> bool {
        !self.have_aside.among(strands).is_empty()
    }

    /// Whether lanes of a strand have been put aside.
    #[inline]
    pub(super) fn has_aside(&self, strand: usize) -> bool {
        self.have_aside.has(strand)
    }

    /// Takes all lanes of a strand out of the others, those furthest behind first; what they have
    /// executed is counted.
    pub(super) fn take(&mut self, strand: usize) -> impl Iterator<Item = Left> {
        let Frontier { rest, tallies, .. } = self;
        rest.iter_mut().rev().filter(move |front| front.here().has(strand)).map(move |front| {
            tallies.add_alike(front);
            let mask = front.take(strand);
            let passed_over = std::mem::take(&mut front.passed_over[strand]);
            Left { mask, pc: front.pc, rank: front.rank, passed_over }
        })
    }
}

/// Counts that parts of strands have been passed over since a turn of others. Whether some have
/// been so often that they come first.
#[inline(always)]
pub(super) fn pass_over(rest: &mut [Box<Front>]) -> bool {
    let mut overdue = false;
    for front in rest {
        overdue |= front.pass_over() >= LOOK;
    }
    overdue
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(mask: Mask, rank: u32, pc: Pc, passed_over: i16) -> Left {
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
            order.push((front.rank, front.pc, front.masks()[..3].to_vec(), front.here().range()));
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
        assert_eq!((front.masks()[0], front.masks()[1], front.passed_over[1]), (0, 0b111, 0));
        assert!(frontier.next() && frontier.now.here().is_empty() && !frontier.next());
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
        assert_eq!((frontier.now.pc, frontier.now.masks()[0]), (50, 1 << 5 | 1 << 2));
        // Behind two, at the place of the second.
        (frontier.now.rank, frontier.now.pc) = (9, 90);
        frontier.choose();
        assert_eq!((frontier.now.pc, frontier.now.masks()[0], frontier.horizon()), (70, 1 << 7, 9));
        assert!(frontier.next());
        assert_eq!(frontier.now.masks()[0], 1 << 9 | 1 << 5 | 1 << 2);
        assert!(!frontier.next());
    }
}
