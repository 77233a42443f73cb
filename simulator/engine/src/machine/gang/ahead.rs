//! Warps run ahead: each up to the operation that has to wait for its turn.
//!
//! Strands at one place are driven as one. Those that part at a branch go on separately, the ones furthest behind
//! first, and meet again where their ways join. Nothing that can fail is executed here, nothing that looks at the
//! clock of the block, and nothing that others can notice.

use smallvec::{SmallVec, smallvec};

use super::rounds::is_access;
use super::{MOST, Strand};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Gang, Mask, Member};
use crate::lower::{Kind, Operation, Pc, SpecialRegister};
use crate::machine::access::By;
use crate::machine::divergence;
use crate::machine::grid::{SLICE, choose};
use crate::machine::profile::Model;
use crate::machine::segment::{Alike, End, Walkers, Way};
use crate::machine::stage::Stage;
use crate::machine::stop::Stop;
use crate::machine::warp::Warp;
use crate::ptx::Space;

/// Strands that stand at one place.
type Group = SmallVec<[usize; MOST]>;

/// What an operation is to a warp that runs ahead.
enum Step {
    /// A branch at which lanes, or warps, part.
    Part,
    /// Executed for one warp at a time.
    Single,
    /// It has to wait for the turn.
    Wait,
}

impl Stage<'_, '_> {
    /// Lets all strands run until they stop. They stand at the places of their fragments then.
    pub(super) fn run_ahead(
        &mut self,
        warps: &mut [Warp],
        strands: &mut [Strand],
    ) -> Result<(), Stop> {
        let environment = self.environment;
        let operations = &*environment.program.operations;
        if stand_at_an_access(operations, strands) {
            strands.iter_mut().for_each(|strand| strand.stopped = true);
            return Ok(());
        }
        let mut group = Group::new();
        while let Some(way) = furthest_behind(operations, strands, &mut group) {
            let end = walk(operations, warps, strands, &group, way)?;
            match end {
                End::Horizon => {
                    for at in group.iter().copied() {
                        self.look(warps, &mut strands[at])?;
                    }
                }
                End::Spent => group.iter().for_each(|at| stop_if_spent(&mut strands[*at])),
                End::Other => {
                    let operation = &operations[strands[group[0]].pc as usize];
                    for at in group.iter().copied() {
                        self.step(warps, &mut strands[at], operation)?;
                    }
                }
            }
        }
        for strand in strands {
            warps[strand.warp].fragments[strand.chosen.index].pc = strand.pc;
        }
        Ok(())
    }

    /// A strand at a block of its horizon: others of its warp may be there.
    fn look(&self, warps: &mut [Warp], strand: &mut Strand) -> Result<(), Stop> {
        let program = &self.environment.program;
        let next = &program.operations[strand.pc as usize];
        if !next.leader || next.rank < strand.chosen.horizon {
            return Ok(());
        }
        warps[strand.warp].fragments[strand.chosen.index].pc = strand.pc;
        self.choose_again(warps, strand)
    }

    fn choose_again(&self, warps: &mut [Warp], strand: &mut Strand) -> Result<(), Stop> {
        let warp = &mut warps[strand.warp];
        match choose(warp, self.environment, Mask::MAX)? {
            Some(chosen) => {
                let fragment = &warp.fragments[chosen.index];
                (strand.chosen, strand.mask, strand.pc) = (chosen, fragment.mask, fragment.pc);
            }
            None => return Err(internal!("warp {} has run and cannot move", strand.warp).into()),
        }
        Ok(())
    }

    /// Executes one operation of a strand by itself, or stops it there.
    fn step(
        &mut self,
        warps: &mut [Warp],
        strand: &mut Strand,
        operation: &Operation,
    ) -> Result<(), Stop> {
        match step_of(operation) {
            Step::Part => return self.part(warps, strand, operation),
            Step::Single => {}
            Step::Wait => {
                strand.stopped = true;
                return Ok(());
            }
        }
        let warp = &mut warps[strand.warp];
        let frame = warp.fragments[strand.chosen.index].frame;
        let active = match operation.guard {
            None => strand.mask,
            Some(guard) => strand.mask & guard.lanes(&warp.frames[usize::from(frame)].registers),
        };
        let by = By { frame, active, pc: strand.pc };
        if active != 0 && !self.act_ahead(warp, &operation.kind, by) {
            strand.stopped = true;
            return Ok(());
        }
        let one = u64::from(!operation.part);
        strand.tally.instructions += one;
        strand.tally.lanes += one * u64::from(active.count_ones());
        strand.pc += 1;
        self.look(warps, strand)
    }

    /// A branch at which lanes of this warp part, or this warp from others.
    fn part(
        &mut self,
        warps: &mut [Warp],
        strand: &mut Strand,
        operation: &Operation,
    ) -> Result<(), Stop> {
        let (Kind::Branch { target, reconverge }, Some(guard)) = (&operation.kind, operation.guard)
        else {
            return Err(internal!("lanes part at {}, which is no branch", strand.pc).into());
        };
        let warp = &mut warps[strand.warp];
        let index = strand.chosen.index;
        let frame = usize::from(warp.fragments[index].frame);
        let active = strand.mask & guard.lanes(&warp.frames[frame].registers);
        let one = u64::from(!operation.part);
        strand.tally.instructions += one;
        strand.tally.lanes += one * u64::from(strand.mask.count_ones());
        strand.tally.branches += 1;
        if active == strand.mask || active == 0 {
            strand.pc = if active == 0 { strand.pc + 1 } else { *target };
            return self.look(warps, strand);
        }
        warp.fragments[index].pc = strand.pc;
        let parted =
            divergence::branch(warp, index, active, *target, *reconverge, Model::Independent);
        strand.tally.divergent += u64::from(parted);
        self.choose_again(warps, strand)
    }

    /// Executes an operation that is nothing to others, for at least one active lane. Whether it did.
    fn act_ahead(&mut self, warp: &mut Warp, kind: &Kind, by: By) -> bool {
        match kind {
            Kind::Load(load) => self.load_parameter(warp, load, by),
            Kind::Special32(d, register) => {
                self.read_special(warp, by, *d, *register, false);
                true
            }
            Kind::Special64(d, register) => {
                self.read_special(warp, by, *d, *register, true);
                true
            }
            Kind::Nothing => true,
            Kind::Lanes(..)
            | Kind::LocalAddress32(..)
            | Kind::LocalAddress64(..)
            | Kind::IsSpace { .. }
            | Kind::Store(_)
            | Kind::Atomic(_)
            | Kind::Span(_)
            | Kind::Stack(_)
            | Kind::Branch { .. }
            | Kind::BranchIndexed(_)
            | Kind::Call(_)
            | Kind::Runtime(_)
            | Kind::Return
            | Kind::Exit
            | Kind::Trap
            | Kind::Breakpoint
            | Kind::Barrier(_)
            | Kind::Warp(_)
            | Kind::ActiveMask(_)
            | Kind::Image(_)
            | Kind::Fence(_)
            | Kind::Asynchronous(_)
            | Kind::ClusterBarrier(_)
            | Kind::ProxyFence
            | Kind::Mbarrier(_) => false,
        }
    }
}

/// What an operation at which a segment ends is to a warp that runs ahead.
fn step_of(operation: &Operation) -> Step {
    match &operation.kind {
        Kind::Branch { .. } => Step::Part,
        Kind::Load(load) if load.target.space == Some(Space::Param) => Step::Single,
        Kind::Special32(_, register) | Kind::Special64(_, register) if !tells_time(*register) => {
            Step::Single
        }
        Kind::Nothing => Step::Single,
        Kind::Lanes(..)
        | Kind::Special32(..)
        | Kind::Special64(..)
        | Kind::LocalAddress32(..)
        | Kind::LocalAddress64(..)
        | Kind::IsSpace { .. }
        | Kind::Load(_)
        | Kind::Store(_)
        | Kind::Atomic(_)
        | Kind::Span(_)
        | Kind::Stack(_)
        | Kind::BranchIndexed(_)
        | Kind::Call(_)
        | Kind::Runtime(_)
        | Kind::Return
        | Kind::Exit
        | Kind::Trap
        | Kind::Breakpoint
        | Kind::Barrier(_)
        | Kind::Warp(_)
        | Kind::ActiveMask(_)
        | Kind::Image(_)
        | Kind::Fence(_)
        | Kind::Asynchronous(_)
        | Kind::ClusterBarrier(_)
        | Kind::ProxyFence
        | Kind::Mbarrier(_) => Step::Wait,
    }
}

/// Whether a special register depends on what has been executed.
fn tells_time(register: SpecialRegister) -> bool {
    use SpecialRegister as S;
    match register {
        S::Clock | S::ClockHi | S::Globaltimer | S::GlobaltimerHi => true,
        S::Tid(_)
        | S::Ntid(_)
        | S::Ctaid(_)
        | S::Nctaid(_)
        | S::Laneid
        | S::Warpid
        | S::Nwarpid
        | S::Smid
        | S::Nsmid
        | S::Gridid
        | S::LanemaskEq
        | S::LanemaskLe
        | S::LanemaskLt
        | S::LanemaskGe
        | S::LanemaskGt
        | S::TotalSharedSize
        | S::AggregateSharedSize
        | S::ReservedSharedEnd
        | S::ReservedSharedCapacity
        | S::DynamicSharedSize
        | S::WorkspaceHigh
        | S::WorkspaceLow
        | S::Zero
        | S::One => false,
    }
}

/// Stops a strand that has used up its time.
fn stop_if_spent(strand: &mut Strand) {
    strand.stopped |= strand.tally.instructions >= SLICE;
}

/// Whether all strands stand at the same access to memory, so that there is nothing to be done before their turns.
fn stand_at_an_access(operations: &[Operation], strands: &[Strand]) -> bool {
    let Some(first) = strands.first() else { return true };
    is_access(&operations[first.pc as usize])
        && strands.iter().all(|strand| strand.pc == first.pc && !strand.stopped)
}

/// The strands that stand furthest behind, at one place, and how far they may go before they meet others.
fn furthest_behind(operations: &[Operation], strands: &[Strand], group: &mut Group) -> Option<Way> {
    let rank = |pc: Pc| operations[pc as usize].rank;
    let going = || strands.iter().enumerate().filter(|(_, strand)| !strand.stopped);
    let (_, first) = going().min_by_key(|(_, strand)| (rank(strand.pc), strand.pc))?;
    group.clear();
    let mut way = Way { allotted: SLICE, horizon: u32::MAX };
    for (at, strand) in going() {
        if strand.pc == first.pc {
            group.push(at);
            way.allotted = way.allotted.min(SLICE.saturating_sub(strand.tally.instructions));
            way.horizon = way.horizon.min(strand.chosen.horizon);
        } else {
            way.horizon = way.horizon.min(rank(strand.pc));
        }
    }
    Some(way)
}

/// Executes a segment for the strands of a group.
fn walk(
    operations: &[Operation],
    warps: &mut [Warp],
    strands: &mut [Strand],
    group: &[usize],
    way: Way,
) -> Result<End, InternalError> {
    let mut masks = SmallVec::<[Mask; MOST]>::new();
    let mut members = SmallVec::<[Member<'_>; MOST]>::new();
    let mut rest = warps;
    let mut passed = 0;
    for at in group {
        let strand = &strands[*at];
        let Some((warp, behind)) = rest.split_at_mut(strand.warp - passed).1.split_first_mut()
        else {
            return Err(internal!("a gang has a warp {} that its block lacks", strand.warp));
        };
        passed = strand.warp + 1;
        rest = behind;
        let frame = warp.fragments[strand.chosen.index].frame;
        masks.push(strand.mask);
        members.push(Member::new(&mut warp.frames[usize::from(frame)].registers, strand.mask));
    }
    let mut lanes: SmallVec<[u64; MOST]> = smallvec![0; group.len()];
    let (mut pc, mut alike) = (strands[group[0]].pc, Alike::default());
    // Warps at one place are in one function, so their registers are alike.
    let gang = Gang::new(&mut members);
    let gang = gang.ok_or_else(|| internal!("warps at {pc} have different registers"))?;
    let mut walkers = Walkers { gang, masks: &masks, lanes: &mut lanes };
    let end = walkers.walk(operations, way, &mut pc, &mut alike);
    for (at, lanes) in group.iter().zip(lanes) {
        let strand = &mut strands[*at];
        strand.tally.add(alike.tally(strand.mask.count_ones(), lanes));
        strand.pc = pc;
    }
    Ok(end)
}
