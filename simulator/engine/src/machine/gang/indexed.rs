//! Indexed branches (`brx.idx`, PTX ISA 9.7.12.4) of the lanes of a gang that go on: each goes to
//! the target of its index, and those of all warps that go to one place go on together.
//!
//! An index without a target is a fault of the kernel: the branch is then left to the turn of the
//! warp, which says so.

use smallvec::SmallVec;

use super::front::Front;
use super::frontier::Frontier;
use super::set::Set;
use crate::lanes::{Gang, LANES, Mask};
use crate::lower::{BranchIndexed, Kind, Operation};

/// The branch that an operation is, if it is an indexed one that all lanes take.
pub(super) fn indexed(operation: &Operation) -> Option<&BranchIndexed> {
    match (&operation.kind, operation.guard) {
        (Kind::BranchIndexed(branch), None) => Some(branch),
        (_, _) => None,
    }
}

/// An indexed branch about to be taken.
pub(super) struct Indexed<'p> {
    operations: &'p [Operation],
    branch: &'p BranchIndexed,
    /// Where lanes go, each place once.
    ways: SmallVec<[Box<Front>; 8]>,
    /// The strands that go to several places.
    parted: Set,
}

impl<'p> Indexed<'p> {
    pub(super) fn new(operations: &'p [Operation], branch: &'p BranchIndexed) -> Indexed<'p> {
        Indexed { operations, branch, ways: SmallVec::new(), parted: Set::NONE }
    }

    /// Sends the lanes that go on their ways, and counts the branch; those furthest behind go on
    /// then. Whether it did: if not, they are where they were. `first` is the number of the first
    /// strand of the gang.
    #[inline(always)]
    pub(super) fn part(
        mut self,
        gang: &Gang<'_, '_>,
        first: usize,
        frontier: &mut Frontier,
    ) -> bool {
        for (warp, index) in gang.words::<u32>(self.branch.index).enumerate() {
            let strand = first + warp;
            let Some(places) = self.send(strand, index, frontier) else {
                self.ways.into_iter().for_each(|front| frontier.spare(front));
                return false;
            };
            self.parted.set(strand, places > 1);
        }
        frontier.now.alike.count_whole_branch();
        frontier.count_walked();
        self.go(frontier);
        true
    }

    /// Finds where the lanes of a strand go. How many places these are; `None` if an index has no
    /// target.
    #[inline(always)]
    fn send(
        &mut self,
        strand: usize,
        index: &[u32; LANES],
        frontier: &mut Frontier,
    ) -> Option<usize> {
        let mut rest = frontier.now.masks()[strand];
        let mut places = 0;
        while rest != 0 {
            let which = index[rest.trailing_zeros() as usize % LANES];
            let pc = *self.branch.targets.get(which as usize)?;
            let lanes = rest & lanes_with(index, which);
            rest &= !lanes;
            let known = self.ways.iter().position(|front| front.pc == pc);
            let way = known.unwrap_or_else(|| {
                let rank = self.operations.get(pc as usize).map_or(u32::MAX, |o| o.rank);
                self.ways.push(frontier.nobody(rank, pc));
                self.ways.len() - 1
            });
            let front = &mut self.ways[way];
            places += usize::from(!front.here().has(strand));
            front.come(strand, lanes);
        }
        Some(places)
    }

    /// Has all go where they were sent.
    #[inline(always)]
    fn go(self, frontier: &mut Frontier) {
        let Frontier { now, tallies, .. } = frontier;
        if self.parted.is_empty() {
            let alike = std::mem::take(&mut now.alike);
            let mut ways = self.ways;
            ways.iter_mut().for_each(|front| front.alike = alike);
            now.clear(now.rank, now.pc);
            ways.into_iter().for_each(|front| frontier.insert(front));
            return;
        }
        tallies.add_alike(now);
        for strand in self.parted.iter() {
            tallies.of(strand).divergent += 1;
        }
        now.clear(now.rank, now.pc);
        self.ways.into_iter().for_each(|front| frontier.insert(front));
    }
}

/// The lanes with an index.
#[inline(always)]
fn lanes_with(index: &[u32; LANES], which: u32) -> Mask {
    let bits =
        index.iter().zip(0..).map(|(index, lane)| if *index == which { 1 << lane } else { 0 });
    bits.fold(0, |mask, bit: Mask| mask | bit)
}
