//! Driving a gang: segments, and the branches between them at which its lanes part, one place after the other.
//!
//! Only registers and the places of lanes change here. It pauses at any other operation, and when a warp has used up
//! its time.

use smallvec::SmallVec;

use super::apart::Taken;
use super::frontier::{Front, Frontier};
use super::in_place::Went;
use super::order::InPlace;
use super::set::Set;
use super::single::{Step, step_of};
use super::{MOST, Strand};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Gang, Member};
use crate::lower::{Guard, Kind, Operation, Pc, Program};
use crate::machine::grid::SLICE;
use crate::machine::segment::{Alike, End, Walkers, Way, width_of};
use crate::machine::stage::Stage;
use crate::machine::warp::Warp;
use crate::observe::Who;

/// Why a gang pauses.
pub(super) enum Halt {
    /// Nobody is left: all have stopped, or wait.
    Done,
    /// Some of those that go on have used up their time.
    Spent,
    /// They are at an operation that is no branch, and not executed in a segment.
    Operation,
    /// Some have taken a turn in place, or all of them, and do not run ahead of what follows; the others have stopped.
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
    let (mut members, mut who) = (SmallVec::new(), Vec::new());
    let align = environment.program.local_align;
    let told = stage.observes_accesses() || stage.observes_synchronisation();
    match told {
        true => collect::<true>(warps, strands, &mut members, (align, &mut who))?,
        false => collect::<false>(warps, strands, &mut members, (align, &mut who))?,
    }
    // Warps of a gang are in one function, so their registers are alike.
    let mut gang = Gang::new(&mut members)
        .ok_or_else(|| internal!("warps of a gang have different registers"))?;
    let all = strands.len();
    let everyone = Set::first(all);
    let mut in_place = true;
    loop {
        let Some(range) = frontier.now.here().range() else {
            if frontier.next() {
                continue;
            }
            match stage.take_turns_apart((&mut gang, &who), strands, frontier, live, may)? {
                Taken::Nobody => return Ok(Halt::Done),
                Taken::Some => return Ok(Halt::Turned),
                Taken::All => continue,
            }
        };
        let first = range.start;
        let lost = || internal!("a gang has no strand {first}");
        let mut part = gang.part(range.clone()).ok_or_else(lost)?;
        let strands = strands.get_mut(range).ok_or_else(lost)?;
        let before = may.taken;
        let can = |frontier: &Frontier, may: &InPlace| {
            let ready = everyone.without(may.waiting.strands);
            let counts = may.may(all - may.waiting.count(), all);
            counts && frontier.none_waits && frontier.now.here() == ready
        };
        let tries = in_place && can(frontier, may);
        let end = if tries {
            match stage.drive_in_place((&mut part, &who), (strands, first), frontier, live, may)? {
                Went::On(end) => end,
                Went::Joined => continue,
                Went::Turned => return Ok(Halt::Turned),
            }
        } else if !stage.tells_of(frontier.now.pc)
            && stands_at_a_turn(&operations[frontier.now.pc as usize], strands, first, frontier)
        {
            End::Other
        } else {
            walk((&environment.program, stage.places()), &mut part, strands, first, frontier)?
        };
        // It costs more where lanes part before there is a turn.
        in_place = may.taken != before;
        let operation = &operations[frontier.now.pc as usize];
        frontier.now.rank = operation.rank;
        match end {
            End::Horizon => frontier.choose(),
            End::Spent => return Ok(Halt::Spent),
            End::Other | End::Told => match stage.step_at(operation, frontier.now.pc) {
                Step::Part => {
                    let branch = Branch::of(operations, operation, frontier.now.pc)?;
                    branch.part(&mut part, strands, first, frontier)?;
                }
                Step::Single => return Ok(Halt::Operation),
                Step::Segment => {
                    let pc = frontier.now.pc;
                    return Err(internal!("a segment ends at {pc}, which it can execute"));
                }
                // Perhaps it can be done in place.
                Step::Wait if !tries && end == End::Other && can(frontier, may) => in_place = true,
                Step::Wait => stop_here(strands, first, frontier),
            },
        }
    }
}

/// Whether those that go on stand at an operation that waits for its turn, so that a segment would end before it began;
/// `first` is the number of the first strand given.
fn stands_at_a_turn(
    operation: &Operation,
    strands: &[Strand],
    first: usize,
    frontier: &Frontier,
) -> bool {
    let has_time = |(at, strand): (usize, &Strand)| {
        !frontier.now.here().has(at) || strand.tally.instructions < SLICE
    };
    step_of(operation) == Step::Wait && (first..).zip(strands).all(has_time)
}

/// Stops those that go on, before their turn; `first` is the number of the first strand given.
fn stop_here(strands: &mut [Strand], first: usize, frontier: &mut Frontier) {
    for (at, strand) in (first..).zip(strands) {
        if frontier.now.here().has(at) {
            strand.stop(frontier.now.take(at), frontier.now.pc);
            frontier.put_aside(at);
        }
    }
}

/// Collects the warps of strands, with no lane active; and who they are, where that is told: with what local memory is aligned
/// to.
fn collect<'w, const TOLD: bool>(
    warps: &'w mut [Warp],
    strands: &[Strand],
    members: &mut SmallVec<[Member<'w>; MOST]>,
    (align, who): (u64, &mut Vec<Who<'w>>),
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
        let Warp { number, thread, frames, .. } = warp;
        let frame = &mut frames[usize::from(strand.frame)];
        if TOLD {
            let callee_base = frame.callee_base(align);
            who.push(Who { warp: *number, thread, function: frame.function, callee_base });
        }
        members.push(Member::new(&mut frame.registers, 0));
    }
    Ok(())
}

/// Executes a segment for the lanes that go on, up to the places that somebody wants to be told of; `first` is the number of
/// the first strand given.
fn walk(
    (program, places): (&Program, &[bool]),
    gang: &mut Gang<'_, '_>,
    strands: &mut [Strand],
    first: usize,
    frontier: &mut Frontier,
) -> Result<End, InternalError> {
    let horizon = frontier.horizon();
    let (now, _, lanes) = frontier.parts();
    let (masks, pc) = now.going();
    let masks = &masks[first..first + strands.len()];
    let lanes = &mut lanes[..strands.len()];
    lanes.fill(0);
    let mut spent = 0;
    for ((member, mask), strand) in gang.members_mut().iter_mut().zip(masks).zip(&*strands) {
        member.set_mask(*mask);
        spent = spent.max(if *mask != 0 { strand.tally.instructions } else { 0 });
    }
    let mut alike = Alike::default();
    let way = Way { allotted: SLICE.saturating_sub(spent), horizon, places };
    let mut walkers = Walkers::new(gang.whole(), masks, lanes)?;
    let end = walkers.walk(program, way, pc, &mut alike);
    alike.count_branch(&program.operations[*pc as usize], end);
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
        let members = gang.members().len();
        if members != strands.len() {
            return Err(internal!("a gang of {members} warps, and {} strands", strands.len()));
        }
        let strands = strands.iter_mut().zip(first..);
        for ((_, holds), (strand, at)) in gang.predicates(self.guard.predicate).zip(strands) {
            let mask = now.masks()[at];
            let goes_first = if self.guard.negated == self.taken_first { !holds } else { holds };
            let [go, stay] = [mask & goes_first, mask & !goes_first];
            now.set(at, go);
            behind.set(at, stay);
            strand.tally.divergent += u64::from(go != 0 && stay != 0);
        }
        let any = !now.here().is_empty();
        if !behind.here().is_empty() {
            frontier.insert(behind);
        }
        if any {
            frontier.choose();
        }
        Ok(())
    }
}
