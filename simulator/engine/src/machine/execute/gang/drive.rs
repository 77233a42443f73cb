//! Drives a gang: segments, and the branches between them at which its lanes diverge, one place
//! after the other.
//!
//! Only registers and the places of lanes change here. It pauses at any other operation, and when a
//! warp has used up its time.
//!
//! This equals `run` of [`crate::machine::execute::fragment`] for one warp after the other.
//! `a_gang_leaves_what_single_turns_leave` (`simulator/tests/suite/gangs.rs`) compares them.

use smallvec::SmallVec;

use super::arguments::{Argument, params_of};
use super::frontier::Frontier;
use super::in_place::Went;
use super::indexed::{Indexed, indexed};
use super::operation::Step;
use super::several_places::Taken;
use super::turn_order::InPlace;
use super::{PerWarp, Strand};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Gang, Mask, Member, Work};
use crate::lower::{Guard, Kind, Operation, Pc, Program};
use crate::machine::execute::segment::{End, Walkers, Way};
use crate::machine::execute::strand_set::Set;
use crate::machine::state::block::MOST;
use crate::machine::state::execution::Execution;
use crate::machine::state::tally::SLICE;
use crate::machine::state::warp::Warp;
use crate::observe::Who;

/// Why a gang pauses.
pub(super) enum Halt {
    /// No lane is left: all have stopped, or wait.
    Done,
    /// Some of the running lanes have used up their time.
    Spent,
    /// The running lanes are at an operation that is no branch and not part of a segment.
    Operation,
    /// Some or all lanes have taken a turn in place, and do not run ahead of the next operation.
    /// The others have stopped.
    Turned,
}

/// A gang to be driven. It is compiled for each tier of lane loops, since sets and sums of lanes
/// take most of the time.
pub(super) struct Drive<'d, 's, 'a, 'o> {
    pub(super) execution: &'d mut Execution<'s, 'o>,
    pub(super) warps: &'d mut [Warp],
    pub(super) strands: &'d mut [Strand],
    pub(super) frontier: &'a mut Frontier,
    pub(super) may: &'a mut InPlace,
}

impl Work for Drive<'_, '_, '_, '_> {
    type Result = Result<Halt, InternalError>;

    #[inline(always)]
    fn run(self) -> Result<Halt, InternalError> {
        let Drive { execution, warps, strands, frontier, may } = self;
        drive(execution, warps, strands, frontier, may)
    }
}

/// Drives the running lanes, and then those furthest behind, until another operation is due. Turns
/// that can be taken in place do not stop them.
#[inline(always)]
fn drive(
    execution: &mut Execution<'_, '_>,
    warps: &mut [Warp],
    strands: &mut [Strand],
    frontier: &mut Frontier,
    may: &mut InPlace,
) -> Result<Halt, InternalError> {
    let environment = execution.environment;
    let operations = &*environment.program.operations;
    let live = warps.len() - execution.common.ended_warps;
    let (mut members, mut who) = (SmallVec::new(), Vec::new());
    let mut own = SmallVec::new();
    let align = environment.program.local_align;
    let told = execution.observes_accesses() || execution.observes_synchronisation();
    match told {
        true => collect::<true>(warps, strands, (&mut members, &mut own), (align, &mut who))?,
        false => collect::<false>(warps, strands, (&mut members, &mut own), (align, &mut who))?,
    }
    // Warps of a gang are in one function, so their registers are alike.
    let mut gang = Gang::new(&mut members)
        .ok_or_else(|| internal!("warps of a gang have different registers"))?;
    let all = strands.len();
    let mut in_place = true;
    let mut waits = false;
    loop {
        let Some(range) = frontier.now.here().range() else {
            if frontier.next() {
                continue;
            }
            match execution.take_turns_apart((&mut gang, &who), all, frontier, live, may)? {
                Taken::Nobody => return Ok(Halt::Done),
                Taken::Some => return Ok(Halt::Turned),
                Taken::All => continue,
            }
        };
        let pc = frontier.now.pc;
        let can = can_turn(all, frontier, may);
        let told = execution.tells_of(pc);
        // A segment would end before it began.
        let step = execution.step_at(&operations[pc as usize], pc);
        let at_turn = !told && step == Step::Wait && frontier.spent() < SLICE;
        if matches!(step, Step::Call | Step::Return | Step::Exit) && frontier.spent() < SLICE {
            if frontier.all_are_here(all) {
                return Ok(Halt::Operation);
            }
            frontier.stop();
            continue;
        }
        if waits || at_turn && !can {
            match execution.turn_with_arrivals((&mut gang, &who), all, frontier, live, may)? {
                Taken::Nobody => {
                    frontier.stop();
                    in_place &= waits;
                }
                Taken::Some => return Ok(Halt::Turned),
                Taken::All => in_place = true,
            }
            waits = false;
            continue;
        }
        let first = range.start;
        let lost = || internal!("a gang has no strand {first}");
        let mut part = gang.part(range).ok_or_else(lost)?;
        let before = may.taken;
        let tries = can && (in_place || at_turn);
        let end = if tries {
            match execution.drive_in_place((&mut part, &who), first, frontier, live, may)? {
                Went::On(end) => end,
                Went::Joined => continue,
                Went::Turned => return Ok(Halt::Turned),
            }
        } else {
            walk((&environment.program, execution.places()), &mut part, first, frontier)?
        };
        // It costs more if lanes diverge before there is a turn.
        in_place = may.taken != before;
        let pc = frontier.now.pc;
        let operation = &operations[pc as usize];
        frontier.now.rank = operation.rank;
        match end {
            End::Horizon => frontier.choose(),
            End::Spent => return Ok(Halt::Spent),
            End::Other | End::Told => match execution.step_at(operation, pc) {
                Step::Part => {
                    Branch::of(operations, operation, pc)?.part(&mut part, first, frontier);
                }
                Step::Indexed => {
                    let branch = indexed(operation);
                    let branch = branch.ok_or_else(|| internal!("{pc} is no indexed branch"))?;
                    // A fault happens in the warp's own turn.
                    if !Indexed::new(operations, branch).part(&part, first, frontier) {
                        frontier.stop();
                    }
                }
                Step::Single if put_given(execution, &mut part, &mut own[first..], frontier) => {}
                Step::Single => return Ok(Halt::Operation),
                // They have only now arrived there.
                Step::Call | Step::Return | Step::Exit => {}
                Step::Segment => {
                    return Err(internal!("a segment ends at {pc}, which it can execute"));
                }
                // Perhaps it can be done in place.
                Step::Wait if !tries && end == End::Other && can => in_place = true,
                Step::Wait => waits = true,
            },
        }
    }
}

/// Gives the running lanes values of the launch and the place of a thread in its block, and passes
/// arguments, as long as such operations follow each other. `own` is the data of the warps. Returns
/// whether there was such an operation.
#[inline(always)]
fn put_given(
    execution: &Execution<'_, '_>,
    gang: &mut Gang<'_, '_>,
    own: &mut [PerWarp<'_>],
    frontier: &mut Frontier,
) -> bool {
    let operations = &*execution.environment.program.operations;
    let mut any = false;
    while !any || frontier.spent() < SLICE {
        let pc = frontier.now.pc;
        let Operation { kind, guard, part, .. } = &operations[pc as usize];
        if guard.is_some() || execution.tells_of(pc) {
            break;
        }
        let done = match execution.given(kind) {
            Some(given) => given.put(gang, own),
            None => match Argument::of(kind).filter(|_| !execution.observes_accesses()) {
                Some(argument) => argument.pass(gang, own),
                None => false,
            },
        };
        if !done {
            break;
        }
        any = true;
        let one = u64::from(!part);
        frontier.now.alike.instructions += one;
        frontier.now.alike.whole += one;
        frontier.count_walked();
        let next = &operations[pc as usize + 1];
        (frontier.now.rank, frontier.now.pc) = (next.rank, pc + 1);
        if next.leader && next.rank >= frontier.horizon() {
            frontier.choose();
            break;
        }
    }
    any
}

/// Whether the running lanes are all that do not wait. Then their turns come one after the other,
/// and may be taken in place.
#[inline(always)]
fn can_turn(all: usize, frontier: &Frontier, may: &InPlace) -> bool {
    let everyone = Set::first(all);
    let waiting = &may.waiting;
    let ready = everyone.without(waiting.strands);
    // The waiting ones are counted already.
    frontier.none_waits && frontier.now.here() == ready && may.may(all - waiting.count(), all)
}

/// Collects the warps of strands, with no lane active, and their identities for an observer.
/// `align` is the alignment of local memory.
#[inline(always)]
fn collect<'w, const TOLD: bool>(
    warps: &'w mut [Warp],
    strands: &[Strand],
    (members, own): (&mut SmallVec<[Member<'w>; MOST]>, &mut SmallVec<[PerWarp<'w>; MOST]>),
    (align, who): (u64, &mut Vec<Who<'w>>),
) -> Result<(), InternalError> {
    let mut rest = warps;
    let mut passed = 0;
    for strand in strands {
        let lost = || internal!("a gang has a warp {} that its block lacks", strand.warp);
        let ahead = strand.warp.checked_sub(passed).ok_or_else(lost)?;
        let (_, from) = rest.split_at_mut_checked(ahead).ok_or_else(lost)?;
        let (warp, behind) = from.split_first_mut().ok_or_else(lost)?;
        passed = strand.warp + 1;
        rest = behind;
        let Warp { number, thread, frames, .. } = warp;
        let frame = &mut frames[usize::from(strand.frame)];
        if TOLD {
            let callee_base = frame.callee_base(align);
            who.push(Who { warp: *number, thread, function: frame.function, callee_base });
        }
        let (registers, params) = params_of(frame);
        own.push(PerWarp { thread, params });
        members.push(Member::new(registers, 0));
    }
    Ok(())
}

/// Executes a segment for the running lanes, up to the operations that an observer asks for.
/// `first` is the number of the first strand of the gang.
#[inline(always)]
fn walk(
    (program, places): (&Program, &[bool]),
    gang: &mut Gang<'_, '_>,
    first: usize,
    frontier: &mut Frontier,
) -> Result<End, InternalError> {
    let horizon = frontier.horizon();
    let allotted = SLICE.saturating_sub(frontier.tallies.most(frontier.now.here()));
    let range = first..first + gang.members().len();
    let Frontier { now, lanes, tallies, .. } = frontier;
    let (masks, pc, alike) = now.going();
    let masks = &masks[range.clone()];
    for (member, mask) in gang.members_mut().iter_mut().zip(masks) {
        member.set_mask(*mask);
    }
    let way = Way { allotted, horizon, places };
    let mut walkers = Walkers::new(gang.whole(), masks, &mut lanes[range], (tallies, first))?;
    let end = walkers.walk(program, way, pc, alike);
    alike.count_branch(&program.operations[*pc as usize], end);
    frontier.count_walked();
    Ok(end)
}

/// A branch at which lanes diverge.
struct Branch {
    guard: Guard,
    /// The rank and place of the lanes that come first, and of the others.
    ways: [(u32, Pc); 2],
    /// The lanes whose guard holds come first.
    taken_first: bool,
}

impl Branch {
    #[inline(always)]
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

    /// Sends the running lanes on their ways; then the lanes furthest behind run. The branch has
    /// been counted with the segment that led to it. `first` is the number of the first strand of
    /// the gang.
    #[inline(always)]
    fn part(&self, gang: &mut Gang<'_, '_>, first: usize, frontier: &mut Frontier) {
        let [(rank, pc), later] = self.ways;
        let mut behind = frontier.nobody(later.0, later.1);
        let now = &mut frontier.now;
        (now.rank, now.pc) = (rank, pc);
        let flip = if self.guard.negated == self.taken_first { Mask::MAX } else { 0 };
        let goes_first = gang.held(self.guard.predicate).map(|holds| holds ^ flip);
        let parted = now.part(&mut behind, first, goes_first);
        if !parted.is_empty() {
            frontier.tallies.add_parted([now, &mut behind], parted);
        }
        let any = !now.here().is_empty();
        match behind.here().is_empty() {
            true => frontier.spare(behind),
            false => frontier.insert(behind),
        }
        if any {
            frontier.choose();
        }
    }
}
