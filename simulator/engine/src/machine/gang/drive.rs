//! Driving a gang: segments, and the branches between them at which its lanes part, one place after the other.
//!
//! Only registers and the places of lanes change here. It pauses at any other operation, and when a warp has used up
//! its time.

use smallvec::SmallVec;

use super::frontier::{Front, Frontier};
use super::single::{Step, step_of};
use super::{MOST, Strand};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Gang, Member};
use crate::lower::{Guard, Kind, Operation, Pc};
use crate::machine::grid::SLICE;
use crate::machine::segment::{Alike, End, Walkers, Way};
use crate::machine::warp::Warp;

/// Why a gang pauses.
pub(super) enum Halt {
    /// Nobody is left.
    Done,
    /// Some of those that go on have used up their time.
    Spent,
    /// They are at an operation that is no branch, and not executed in a segment.
    Operation,
}

/// Drives the lanes that go on, and then those that are furthest behind, until something else has to be done.
pub(super) fn drive(
    operations: &[Operation],
    warps: &mut [Warp],
    strands: &mut [Strand],
    frontier: &mut Frontier,
) -> Result<Halt, InternalError> {
    let mut members = SmallVec::new();
    collect(warps, strands, &mut members)?;
    // Warps of a gang are in one function, so their registers are alike.
    let mut gang = Gang::new(&mut members)
        .ok_or_else(|| internal!("warps of a gang have different registers"))?;
    loop {
        let Some(range) = frontier.now.range(strands.len()) else {
            if frontier.next() {
                continue;
            }
            return Ok(Halt::Done);
        };
        let first = range.start;
        let lost = || internal!("a gang has no strand {first}");
        let mut part = gang.part(range.clone()).ok_or_else(lost)?;
        let strands = &mut strands[range];
        let end = walk(operations, &mut part, strands, first, frontier)?;
        let operation = &operations[frontier.now.pc as usize];
        frontier.now.rank = operation.rank;
        match end {
            End::Horizon => frontier.choose(),
            End::Spent => return Ok(Halt::Spent),
            End::Other if step_of(operation) != Step::Part => return Ok(Halt::Operation),
            End::Other => {
                let branch = Branch::of(operations, operation, frontier.now.pc)?;
                branch.part(&mut part, strands, first, frontier)?;
            }
        }
    }
}

/// Collects the warps of strands, with no lane active.
fn collect<'w>(
    warps: &'w mut [Warp],
    strands: &[Strand],
    members: &mut SmallVec<[Member<'w>; MOST]>,
) -> Result<(), InternalError> {
    let mut rest = warps;
    let mut passed = 0;
    for strand in strands {
        let Some((warp, behind)) = rest.split_at_mut(strand.warp - passed).1.split_first_mut()
        else {
            return Err(internal!("a gang has a warp {} that its block lacks", strand.warp));
        };
        passed = strand.warp + 1;
        rest = behind;
        members.push(Member::new(&mut warp.frames[usize::from(strand.frame)].registers, 0));
    }
    Ok(())
}

/// Executes a segment for the lanes that go on; `first` is the number of the first strand given.
fn walk(
    operations: &[Operation],
    gang: &mut Gang<'_, '_>,
    strands: &mut [Strand],
    first: usize,
    frontier: &mut Frontier,
) -> Result<End, InternalError> {
    let horizon = frontier.horizon();
    let Frontier { now, lanes, .. } = frontier;
    let masks = &now.masks[first..first + strands.len()];
    let lanes = &mut lanes[..strands.len()];
    lanes.fill(0);
    let mut allotted = SLICE;
    for ((member, mask), strand) in gang.members_mut().iter_mut().zip(masks).zip(&*strands) {
        member.set_mask(*mask);
        if *mask != 0 {
            allotted = allotted.min(SLICE.saturating_sub(strand.tally.instructions));
        }
    }
    let mut alike = Alike::default();
    let way = Way { allotted, horizon };
    let mut walkers = Walkers::new(gang.whole(), masks, lanes)?;
    let end = walkers.walk(operations, way, &mut now.pc, &mut alike);
    for ((strand, mask), lanes) in strands.iter_mut().zip(masks).zip(&*lanes) {
        if *mask != 0 {
            strand.tally.add(alike.tally(mask.count_ones(), *lanes));
        }
    }
    Ok(end)
}

/// A branch at which lanes part.
struct Branch {
    guard: Guard,
    /// Instructions that it counts for: 0 where it is a part of one.
    one: u64,
    /// Where those go on that come first, and the others: rank and place.
    ways: [(u32, Pc); 2],
    /// Those for which the guard holds come first.
    taken_first: bool,
}

impl Branch {
    fn of(
        operations: &[Operation],
        operation: &Operation,
        pc: Pc,
    ) -> Result<Branch, InternalError> {
        let (Kind::Branch { target, .. }, Some(guard)) = (&operation.kind, operation.guard) else {
            return Err(internal!("lanes part at {pc}, which is no branch with a guard"));
        };
        let place = |pc: Pc| (operations.get(pc as usize).map_or(u32::MAX, |o| o.rank), pc);
        let [taken, others] = [*target, pc + 1].map(place);
        let taken_first = taken < others;
        let ways = if taken_first { [taken, others] } else { [others, taken] };
        Ok(Branch { guard, one: u64::from(!operation.part), ways, taken_first })
    }

    /// Sends the lanes that go on their ways; those furthest behind go on then.
    fn part(
        &self,
        gang: &mut Gang<'_, '_>,
        strands: &mut [Strand],
        first: usize,
        frontier: &mut Frontier,
    ) -> Result<(), InternalError> {
        let [(rank, pc), later] = self.ways;
        let mut behind = Front::at(later.0, later.1);
        let now = &mut frontier.now;
        (now.rank, now.pc) = (rank, pc);
        let (mut any, mut any_behind) = (false, false);
        let members = gang.members().len();
        if members != strands.len() {
            return Err(internal!("a gang of {members} warps, and {} strands", strands.len()));
        }
        let strands = strands.iter_mut().zip(first..);
        for ((_, holds), (strand, at)) in gang.predicates(self.guard.predicate).zip(strands) {
            let mask = now.masks[at];
            let goes_first = if self.guard.negated == self.taken_first { !holds } else { holds };
            let [go, stay] = [mask & goes_first, mask & !goes_first];
            (now.masks[at], behind.masks[at]) = (go, stay);
            any |= go != 0;
            any_behind |= stay != 0;
            let here = u64::from(mask != 0);
            strand.tally.instructions += here * self.one;
            strand.tally.lanes += self.one * u64::from(mask.count_ones());
            strand.tally.branches += here;
            strand.tally.divergent += u64::from(go != 0 && stay != 0);
        }
        if any_behind {
            frontier.insert(behind);
        }
        if any {
            frontier.choose();
        }
        Ok(())
    }
}
