//! The places of a gang's lanes: sets of lanes at one place each, in the order in which they run.
//!
//! The part of a warp that is furthest behind runs first, so that parts meet at the earliest place
//! (thread frontiers: Diamos et al., "SIMD Re-Convergence At Thread Frontiers", MICRO 2011). This
//! happens for all warps of a gang at once: parts of several warps at one place are a [`Group`].
//!
//! What each warp executes, and in which order, equals [`crate::machine::control::divergence`] and
//! [`crate::machine::control::furthest_behind`], since the order of places is the same for all
//! warps. `a_gang_leaves_what_single_turns_leave` (`simulator/tests/suite/gangs.rs`) compares them.

use std::cmp::Ordering;

use super::group::Group;
use crate::lanes::Mask;
use crate::lower::Pc;
use crate::machine::execute::strand_set::Set;
use crate::machine::execute::tallies::Tallies;
use crate::machine::state::block::MOST;
use crate::machine::state::fragment::Fragment;
use crate::machine::state::frame::FrameId;
use crate::machine::state::history::patience::LOOK;

/// A part of a strand that stays at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Left {
    pub(super) mask: Mask,
    pub(super) pc: Pc,
    pub(super) rank: u32,
    pub(super) passed_over: i16,
}

impl Left {
    /// The same as a fragment of a warp, in an activation.
    pub(super) fn fragment(self, frame: FrameId) -> Fragment {
        Fragment { passed_over: self.passed_over, ..Fragment::new(self.mask, self.pc, frame) }
    }
}

/// All places with lanes of a gang.
#[derive(Debug, Default)]
#[expect(
    clippy::vec_box,
    reason = "groups are handed from one to the other, and have some 250 bytes each"
)]
pub(in crate::machine) struct Frontier {
    /// The running group.
    pub(super) now: Box<Group>,
    /// The other groups, the ones furthest behind last. No two have the same place.
    pub(super) rest: Vec<Box<Group>>,
    /// The groups that have stopped before their turn. A strand is in one at most, and then nowhere
    /// else.
    stopped: Vec<Box<Group>>,
    /// Memory for more groups.
    spare: Vec<Box<Group>>,
    /// Parts of stopped strands that do not move before the turn, and the strands that have any.
    aside: Vec<(usize, Left)>,
    have_aside: Set,
    /// No lanes of a warp wait for other lanes of it.
    pub(super) none_waits: bool,
    /// The separate counts of each strand.
    pub(super) tallies: Tallies,
    /// Counts the lanes of each strand that took part in guarded operations of a segment; zero
    /// outside segments.
    pub(super) lanes: [u64; MOST],
}

impl Frontier {
    /// Removes all lanes. The running group is empty at this place, and no lane waits.
    pub(super) fn clear(&mut self, rank: u32, pc: Pc) {
        self.now.clear(rank, pc);
        self.spare.extend(self.rest.drain(..).chain(self.stopped.drain(..)));
        self.aside.clear();
        self.have_aside = Set::NONE;
        self.none_waits = true;
        self.tallies.clear();
    }

    /// Makes the group furthest behind the running one, in place of the previous one. Returns
    /// whether there is any.
    #[inline(always)]
    pub(super) fn next(&mut self) -> bool {
        let Some(mut last) = self.rest.pop() else { return false };
        last.passed_over = [0; MOST];
        self.spare.push(std::mem::replace(&mut self.now, last));
        true
    }

    /// An empty group at a place.
    #[inline(always)]
    pub(super) fn nobody(&mut self, rank: u32, pc: Pc) -> Box<Group> {
        let mut group = self.spare.pop().unwrap_or_default();
        group.clear(rank, pc);
        group
    }

    /// Whether no lane is left.
    pub(super) fn is_empty(&self) -> bool {
        self.rest.is_empty() && self.now.here().is_empty()
    }

    /// Whether all lanes that can move are at one place.
    #[inline]
    pub(super) fn is_one(&self) -> bool {
        self.rest.is_empty()
    }

    /// Whether all of this many strands are in the running group, with all their lanes that can
    /// move.
    #[inline(always)]
    pub(super) fn all_are_here(&self, strands: usize) -> bool {
        self.none_waits
            && self.is_one()
            && self.stopped.is_empty()
            && self.now.here() == Set::first(strands)
    }

    /// The rank of the block of the next group, which others may meet there.
    pub(super) fn horizon(&self) -> u32 {
        self.rest.last().map_or(u32::MAX, |group| group.rank)
    }

    /// Makes the group furthest behind the running one, after the present one has reached its
    /// place.
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

    /// Moves the last of the rest to its place.
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

    /// Adds a group to the others, and merges it with a group at the same place.
    pub(super) fn insert(&mut self, group: Box<Group>) {
        self.rest.push(group);
        self.sort_last();
    }

    /// Adds lanes of one strand.
    pub(super) fn add(&mut self, strand: usize, part: Left) {
        let place = (part.rank, part.pc);
        if self.rest.last().is_none_or(|last| last.place() != place) {
            let nobody = self.nobody(part.rank, part.pc);
            self.insert(nobody);
        }
        let found = self.rest.iter_mut().rev().find(|group| group.place() == place);
        if let Some(group) = found {
            self.tallies.add_alike(group);
            group.passed_over[strand] = match group.masks()[strand] {
                0 => part.passed_over,
                _ => group.passed_over[strand].max(part.passed_over),
            };
            group.come(strand, part.mask);
        }
    }

    /// The strands with lanes in other groups.
    #[inline(always)]
    fn elsewhere(&self) -> Set {
        self.rest.iter().fold(Set::NONE, |all, group| all.with(group.here()))
    }

    /// Whether a strand has lanes in other groups.
    pub(super) fn is_elsewhere(&self, strand: usize) -> bool {
        self.elsewhere().has(strand)
    }

    /// Stops the running group before its turn, and puts the lanes of its strands in other groups
    /// aside. The other group furthest behind runs next.
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

    /// Takes all stopped groups.
    pub(super) fn take_all_stopped(&mut self) -> impl Iterator<Item = Group> {
        let Frontier { stopped, tallies, spare, .. } = self;
        stopped.drain(..).map(|mut group| {
            tallies.add_alike(&mut group);
            let taken = *group;
            spare.push(group);
            taken
        })
    }

    /// The stopped groups.
    #[inline]
    pub(super) fn stopped(&self) -> &[Box<Group>] {
        &self.stopped
    }

    /// Takes the stopped group of a strand, reduced to the strands of a set.
    #[inline(always)]
    pub(super) fn take_stopped(&mut self, strand: usize, set: Set) -> Option<Box<Group>> {
        let at = self.stopped.iter().position(|group| group.here().has(strand))?;
        let group = &mut self.stopped[at];
        let others = group.here().without(set);
        Some(if others.is_empty() {
            self.stopped.swap_remove(at)
        } else {
            let mut taken = self.spare.pop().unwrap_or_default();
            *taken = group.split(others);
            taken
        })
    }

    /// Puts a stopped group back.
    pub(super) fn stop_again(&mut self, group: Box<Group>) {
        self.stopped.push(group);
    }

    /// Takes the memory of a group back.
    pub(super) fn spare(&mut self, group: Box<Group>) {
        self.spare.push(group);
    }

    /// The most instructions that a strand of the running group has executed.
    #[inline(always)]
    pub(super) fn spent(&self) -> u64 {
        self.spent_by(&self.now)
    }

    /// The same for another group.
    #[inline(always)]
    pub(super) fn spent_by(&self, group: &Group) -> u64 {
        group.alike.instructions + self.tallies.most(group.here())
    }

    /// Adds the common counts of the running group to the counts of each strand. This happens if a
    /// segment has counted lanes of some ([`Frontier::lanes`]), or a strand has lanes elsewhere.
    #[inline(always)]
    pub(super) fn count_walked(&mut self) {
        let Frontier { now, tallies, lanes, .. } = self;
        if now.alike.whole != now.alike.instructions {
            tallies.add_each(now, lanes);
        } else if !self.elsewhere().among(self.now.here()).is_empty() {
            self.tallies.add_alike(&mut self.now);
        }
    }

    /// The same for all groups that have not stopped.
    pub(super) fn count_each(&mut self) {
        for group in self.rest.iter_mut().chain([&mut self.now]) {
            self.tallies.add_alike(group);
        }
    }

    /// Takes the parts of a strand that were put aside.
    pub(super) fn take_aside(&mut self, strand: usize) -> impl Iterator<Item = Left> {
        self.have_aside.set(strand, false);
        self.aside.extract_if(.., move |(of, _)| *of == strand).map(|(_, part)| part)
    }

    /// Puts the parts of strands back that were put aside; one more turn has passed over them.
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

    /// Whether some of the other groups have been passed over so often that they come first.
    #[inline(always)]
    pub(super) fn is_overdue(&self) -> bool {
        let most = |group: &Group| group.passed_over.iter().fold(0, |most, n| most.max(*n));
        self.rest.iter().any(|group| most(group) >= LOOK)
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

    /// Takes all lanes of a strand out of the other groups, those furthest behind first. Their
    /// instructions are counted.
    pub(super) fn take(&mut self, strand: usize) -> impl Iterator<Item = Left> {
        let Frontier { rest, tallies, .. } = self;
        rest.iter_mut().rev().filter(move |group| group.here().has(strand)).map(move |group| {
            tallies.add_alike(group);
            let mask = group.take(strand);
            let passed_over = std::mem::take(&mut group.passed_over[strand]);
            Left { mask, pc: group.pc, rank: group.rank, passed_over }
        })
    }
}

/// Counts that a turn of others has passed over parts of strands. Returns whether some were passed
/// over so often that they come first.
#[inline(always)]
pub(super) fn pass_over(rest: &mut [Box<Group>]) -> bool {
    let mut overdue = false;
    for group in rest {
        overdue |= group.pass_over() >= LOOK;
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
            let group = &frontier.now;
            order.push((group.rank, group.pc, group.masks()[..3].to_vec(), group.here().range()));
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
        let group = &frontier.now;
        assert_eq!((group.masks()[0], group.masks()[1], group.passed_over[1]), (0, 0b111, 0));
        assert!(frontier.next() && frontier.now.here().is_empty() && !frontier.next());
    }

    #[test]
    fn who_comes_to_a_place_of_others_goes_on_with_them_or_waits_for_those_behind() {
        let mut frontier = Frontier::default();
        for (rank, pc) in [(5, 50), (2, 20), (9, 90), (7, 70)] {
            frontier.add(0, part(1 << rank, rank, pc, 0));
        }
        assert!(frontier.next() && frontier.now.pc == 20);
        // Still the group furthest behind.
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
