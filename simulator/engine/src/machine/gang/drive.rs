//! Driving a gang: segments, and the branches between them at which its lanes part, one place after
//! the other.
//!
//! Only registers and the places of lanes change here. It pauses at any other operation, and when a
//! warp has used up its time.

use smallvec::SmallVec;

use super::apart::Taken;
use super::arguments::{Argument, params_of};
use super::frontier::Frontier;
use super::in_place::Went;
use super::indexed::{Indexed, indexed};
use super::order::InPlace;
use super::set::Set;
use super::single::Step;
use super::{MOST, PerWarp, Strand};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Gang, Mask, Member, Work};
use crate::lower::{Guard, Kind, Operation, Pc, Program};
use crate::machine::grid::SLICE;
use crate::machine::segment::{End, Walkers, Way};
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
    /// Some have taken a turn in place, or all of them, and do not run ahead of what follows; the
    /// others have stopped.
    Turned,
}

/// A gang to be driven, which is compiled for each tier of lane loops: sets and sums of lanes are
/// what takes the time.
pub(super) struct Drive<'d, 's, 'a, 'o> {
    pub(super) stage: &'d mut Stage<'s, 'o>,
    pub(super) warps: &'d mut [Warp],
    pub(super) strands: &'d mut [Strand],
    pub(super) frontier: &'a mut Frontier,
    pub(super) may: &'a mut InPlace,
}

impl Work for Drive<'_, '_, '_, '_> {
    type Result = Result<Halt, InternalError>;

    #[inline(always)]
    fn run(self) -> Result<Halt, InternalError> {
        let Drive { stage, warps, strands, frontier, may } = self;
        drive(stage, warps, strands, frontier, may)
    }
}

/// Drives the lanes that go on, and then those that are furthest behind, until something else has
/// to be done; turns that can be taken in place do not stop them.
#[inline(always)]
fn drive(
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
    let mut own = SmallVec::new();
    let align = environment.program.local_align;
    let told = stage.observes_accesses() || stage.observes_synchronisation();
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
            match stage.take_turns_apart((&mut gang, &who), all, frontier, live, may)? {
                Taken::Nobody => return Ok(Halt::Done),
                Taken::Some => return Ok(Halt::Turned),
                Taken::All => continue,
            }
        };
        let pc = frontier.now.pc;
        let can = can_turn(all, frontier, may);
        let told = stage.tells_of(pc);
        // A segment would end before it began.
        let step = stage.step_at(&operations[pc as usize], pc);
        let at_turn = !told && step == Step::Wait && frontier.spent() < SLICE;
        if matches!(step, Step::Call | Step::Return | Step::Exit) && frontier.spent() < SLICE {
            if frontier.all_are_here(all) {
                return Ok(Halt::Operation);
            }
            frontier.stop();
            continue;
        }
        if waits || at_turn && !can {
            match stage.turn_with_arrivals((&mut gang, &who), all, frontier, live, may)? {
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
            match stage.drive_in_place((&mut part, &who), first, frontier, live, may)? {
                Went::On(end) => end,
                Went::Joined => continue,
                Went::Turned => return Ok(Halt::Turned),
            }
        } else {
            walk((&environment.program, stage.places()), &mut part, first, frontier)?
        };
        // It costs more where lanes part before there is a turn.
        in_place = may.taken != before;
        let pc = frontier.now.pc;
        let operation = &operations[pc as usize];
        frontier.now.rank = operation.rank;
        match end {
            End::Horizon => frontier.choose(),
            End::Spent => return Ok(Halt::Spent),
            End::Other | End::Told => match stage.step_at(operation, pc) {
                Step::Part => {
                    Branch::of(operations, operation, pc)?.part(&mut part, first, frontier);
                }
                Step::Indexed => {
                    let branch = indexed(operation);
                    let branch = branch.ok_or_else(|| internal!("{pc} is no indexed branch"))?;
                    // What fails does so in its turn.
                    if !Indexed::new(operations, branch).part(&part, first, frontier) {
                        frontier.stop();
                    }
                }
                Step::Single if put_given(stage, &mut part, &mut own[first..], frontier) => {}
                Step::Single => return Ok(Halt::Operation),
                // Now that they have come there.
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

/// Gives the lanes that go on what the launch tells, and the place of a thread in its block, and
/// reads and writes arguments, as far as such operations follow each other; what is the warps' own.
/// Whether there was one.
#[inline(always)]
fn put_given(
    stage: &Stage<'_, '_>,
    gang: &mut Gang<'_, '_>,
    own: &mut [PerWarp<'_>],
    frontier: &mut Frontier,
) -> bool {
    let operations = &*stage.environment.program.operations;
    let mut any = false;
    while !any || frontier.spent() < SLICE {
        let pc = frontier.now.pc;
        let Operation { kind, guard, part, .. } = &operations[pc as usize];
        if guard.is_some() || stage.tells_of(pc) {
            break;
        }
        let done = match stage.given(kind) {
            Some(given) => given.put(gang, own),
            None => match Argument::of(kind).filter(|_| !stage.observes_accesses()) {
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

/// Whether those that go on are all that do not wait, so that their turns come one after the other,
/// and may be taken in place.
#[inline(always)]
fn can_turn(all: usize, frontier: &Frontier, may: &InPlace) -> bool {
    let everyone = Set::first(all);
    let waiting = &may.waiting;
    let ready = everyone.without(waiting.strands);
    // Of all, those that wait are counted already.
    frontier.none_waits && frontier.now.here() == ready && may.may(all - waiting.count(), all)
}

/// Collects the warps of strands, with no lane active; and who they are, where that is told: with
/// what local memory is aligned to.
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
        let (registers, params) = params_of(frame);
        own.push(PerWarp { thread, params });
        members.push(Member::new(registers, 0));
    }
    Ok(())
}

/// Executes a segment for the lanes that go on, up to the places that somebody wants to be told of;
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

/// A branch at which lanes part.
struct Branch {
    guard: Guard,
    /// Where those go on that come first, and the others: rank and place.
    ways: [(u32, Pc); 2],
    /// Those for which the guard holds come first.
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

    /// Sends the lanes that go on their ways; those furthest behind go on then. The branch has been
    /// counted with the segment that led to it. `first` is the number of the first strand of the
    /// gang.
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
