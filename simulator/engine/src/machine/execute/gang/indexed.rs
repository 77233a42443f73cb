//! Indexed branches (`brx.idx`, PTX ISA 9.7.12.4) of the running lanes of a gang. Each lane goes to
//! the target of its index, and lanes of all warps at one place go on together.
//!
//! An index without a target is a fault of the kernel. The turn of the warp then executes the
//! branch and reports it.
//!
//! This equals `branch_indexed` of [`crate::machine::execute::control_flow`].
//! `warps_that_do_the_same_again_and_again_leave_what_single_turns_leave`
//! (`simulator/tests/suite/gangs.rs`) compares them.

use smallvec::SmallVec;

use super::frontier::Frontier;
use super::group::Group;
use crate::lanes::{Gang, LANES, Mask};
use crate::lower::{BranchIndexed, Kind, Operation};
use crate::machine::execute::strand_set::Set;

/// The indexed branch of an operation, if all lanes take it.
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
    /// The targets of lanes, each place once.
    ways: SmallVec<[Box<Group>; 8]>,
    /// The strands that go to several places.
    parted: Set,
}

impl<'p> Indexed<'p> {
    pub(super) fn new(operations: &'p [Operation], branch: &'p BranchIndexed) -> Indexed<'p> {
        Indexed { operations, branch, ways: SmallVec::new(), parted: Set::NONE }
    }

    /// Sends the running lanes on their ways, and counts the branch; then the lanes furthest behind
    /// run. Returns whether it did so; if not, they have not moved. `first` is the number of the
    /// first strand of the gang.
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
                self.ways.into_iter().for_each(|group| frontier.spare(group));
                return false;
            };
            self.parted.set(strand, places > 1);
        }
        frontier.now.alike.count_whole_branch();
        frontier.count_walked();
        self.go(frontier);
        true
    }

    /// Finds the targets of a strand's lanes. Returns the number of places; `None` if an index has
    /// no target.
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
            let known = self.ways.iter().position(|group| group.pc == pc);
            let way = known.unwrap_or_else(|| {
                let rank = self.operations.get(pc as usize).map_or(u32::MAX, |o| o.rank);
                self.ways.push(frontier.nobody(rank, pc));
                self.ways.len() - 1
            });
            let group = &mut self.ways[way];
            places += usize::from(!group.here().has(strand));
            group.come(strand, lanes);
        }
        Some(places)
    }

    /// Moves all lanes to their targets.
    #[inline(always)]
    fn go(self, frontier: &mut Frontier) {
        let Frontier { now, tallies, .. } = frontier;
        if self.parted.is_empty() {
            let alike = std::mem::take(&mut now.alike);
            let mut ways = self.ways;
            ways.iter_mut().for_each(|group| group.alike = alike);
            now.clear(now.rank, now.pc);
            ways.into_iter().for_each(|group| frontier.insert(group));
            return;
        }
        tallies.add_alike(now);
        for strand in self.parted.iter() {
            tallies.of(strand).divergent += 1;
        }
        now.clear(now.rank, now.pc);
        self.ways.into_iter().for_each(|group| frontier.insert(group));
    }
}

/// The lanes with an index.
#[inline(always)]
fn lanes_with(index: &[u32; LANES], which: u32) -> Mask {
    let bits =
        index.iter().zip(0..).map(|(index, lane)| if *index == which { 1 << lane } else { 0 });
    bits.fold(0, |mask, bit: Mask| mask | bit)
}
