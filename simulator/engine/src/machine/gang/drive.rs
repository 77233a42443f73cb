//! Driving a gang: segments, and the branches between them at which its lanes part, one place after the other.
//!
//! Only registers and the places of lanes change here. It pauses at any other operation, and when a warp has used up
//! its time.

use smallvec::SmallVec;

use super::frontier::{Front, Frontier};
use super::in_place::InPlace;
use super::single::{Step, step_of};
use super::{MOST, Strand};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Gang, Member};
use crate::lower::{Guard, Kind, Operation, Pc};
use crate::machine::grid::SLICE;
use crate::machine::segment::{Alike, End, Walkers, Way, width_of};
use crate::machine::stage::Stage;
use crate::machine::warp::Warp;

/// Why a gang pauses.
pub(super) enum Halt {
    /// Nobody is left.
    Done,
    /// Some of those that go on have used up their time.
    Spent,
    /// They are at an operation that is no branch, and not executed in a segment.
    Operation,
    /// All have taken a turn in place, and do not run ahead of what follows: a look at the state of the machine, or lanes that
    /// have been passed over too often.
    Turned,
}

/// Drives the lanes that go on, and then those that are furthest behind, until something else has to be done; turns that
/// can be taken in place do not stop them.
pub(super) fn drive(
    stage: &mut Stage<'_, '_>,
    warps: &mut [Warp],
    strands: &mut [Strand],
    frontier: &mut Frontier,
    may: &mut InPlace,
) -> Result<Halt, InternalError> {
    let environment = stage.environment;
    let operations = &*environment.program.operations;
    let live = warps.len() - stage.common.ended_warps;
    let mut members = SmallVec::new();
    collect(warps, strands, &mut members)?;
    // Warps of a gang are in one function, so their registers are alike.
    let mut gang = Gang::new(&mut members)
        .ok_or_else(|| internal!("warps of a gang have different registers"))?;
    let mut in_place = true;
    loop {
        let Some(range) = frontier.now.range(strands.len()) else {
            if frontier.next() {
                continue;
            }
            return Ok(Halt::Done);
        };
        let first = range.start;
        let lost = || internal!("a gang has no strand {first}");
        let all = strands.len();
        let mut part = gang.part(range.clone()).ok_or_else(lost)?;
        let strands = &mut strands[range];
        let before = may.taken;
        let can = |frontier: &Frontier, may: &InPlace| {
            may.may(all) && frontier.none_waits && frontier.all_go_on(all)
        };
        let tries = in_place && can(frontier, may);
        let end = if tries {
            match stage.drive_in_place(&mut part, strands, frontier, live, may)? {
                Some(end) => end,
                None => return Ok(Halt::Turned),
            }
        } else {
            walk(operations, &mut part, strands, first, frontier)?
        };
        // It costs more where lanes part before there is a turn.
        in_place = may.taken != before;
        let operation = &operations[frontier.now.pc as usize];
        frontier.now.rank = operation.rank;
        match end {
            End::Horizon => frontier.choose(),
            End::Spent => return Ok(Halt::Spent),
            End::Other => match step_of(operation) {
                Step::Part => {
                    let branch = Branch::of(operations, operation, frontier.now.pc)?;
                    branch.part(&mut part, strands, first, frontier)?;
                }
                // Perhaps it can be done in place.
                Step::Wait if !tries && can(frontier, may) => in_place = true,
                Step::Wait if all_are_here(strands, first, frontier) => {
                    let Front { pc, masks, .. } = &mut frontier.now;
                    for (strand, mask) in strands.iter_mut().zip(&mut masks[first..]) {
                        if *mask != 0 {
                            strand.stop(std::mem::take(mask), *pc);
                        }
                    }
                }
                Step::Single | Step::Wait => return Ok(Halt::Operation),
            },
        }
    }
}

/// Whether no lanes of those strands that go on are elsewhere; `first` is the number of the first strand given.
fn all_are_here(strands: &[Strand], first: usize, frontier: &Frontier) -> bool {
    let mut going = (first..first + strands.len()).filter(|at| frontier.now.masks[*at] != 0);
    frontier.is_one() || going.all(|at| !frontier.is_elsewhere(at))
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
    alike.count_branch(&operations[now.pc as usize], end);
    for ((strand, mask), lanes) in strands.iter_mut().zip(masks).zip(&*lanes) {
        if *mask != 0 {
            strand.tally.add(alike.tally(width_of(*mask), *lanes));
        }
    }
    Ok(end)
}

/// A branch at which lanes part.
struct Branch {
    guard: Guard,
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
        Ok(Branch { guard, ways, taken_first })
    }

    /// Sends the lanes that go on their ways; those furthest behind go on then. The branch has been counted with the segment
    /// that led to it.
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
