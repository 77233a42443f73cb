//! Calls, and returns from them, of all warps of a gang at once (PTX ISA 9.7.12.5, 9.7.12.6), and
//! the end of a block (9.7.12.7).
//!
//! No other thread can notice a call or a return, so they need not wait for the turns of the warps.
//! All lanes of all warps are at the call and go to one place: the named function, or the operation
//! behind their common call. The turn of each warp executes the other cases, and a call without
//! enough local memory.
//!
//! This equals `call` and `return_to_caller` of [`crate::machine::control::divergence`] in single
//! turns. `warps_that_do_the_same_again_and_again_leave_what_single_turns_leave`
//! (`simulator/tests/suite/gangs.rs`) compares them.

use super::Strand;
use super::frontier::Frontier;
use super::turn_order::{Circle, InPlace};
use crate::internal;
use crate::internal::InternalError;
use crate::lower::{Call, Callee, Kind, Operation, Pc};
use crate::machine::control::divergence;
use crate::machine::state::execution::Execution;
use crate::machine::state::fragment::Fragment;
use crate::machine::state::warp::Warp;

/// The call of an operation and the function, if all lanes call one function.
pub(super) fn direct_call(operation: &Operation) -> Option<(&Call, usize)> {
    match (&operation.kind, operation.guard) {
        (Kind::Call(call), None) => match call.callee {
            Callee::Direct(function) => Some((call, function)),
            Callee::Indirect(_) => None,
        },
        (_, _) => None,
    }
}

impl Execution<'_, '_> {
    /// Lets all strands call a function, if they are all at the call. Returns whether they did; if
    /// not, nothing has happened.
    pub(super) fn call_together(
        &mut self,
        warps: &mut [Warp],
        strands: &mut [Strand],
        frontier: &mut Frontier,
    ) -> Result<bool, InternalError> {
        let (program, limits) = (&*self.environment.program, self.environment.limits());
        let found = direct_call(&program.operations[frontier.now.pc as usize]);
        let Some((call, callee)) = found.filter(|_| all_are_here(warps, strands, frontier)) else {
            return Ok(false);
        };
        let has_room = |strand: &Strand| {
            let warp = &warps[strand.warp];
            divergence::room(warp, strand.frame, program, callee, limits).is_ok()
        };
        if !strands.iter().all(has_room) {
            return Ok(false);
        }
        for (at, strand) in strands.iter_mut().enumerate() {
            let warp = &mut warps[strand.warp];
            stand(warp, strand, frontier, at);
            divergence::call(warp, 0, program, call, callee, limits)?
                .map_err(|_| internal!("warp {} has no room that it had", strand.warp))?;
            strand.frame = warp.fragments[0].frame;
        }
        go_on(&program.operations, program.functions[callee].entry, frontier);
        Ok(true)
    }

    /// Lets all strands return from a function, if they are all at its end, and came from one call.
    pub(super) fn return_together(
        &mut self,
        warps: &mut [Warp],
        strands: &mut [Strand],
        frontier: &mut Frontier,
    ) -> Result<bool, InternalError> {
        let environment = self.environment;
        let program = &*environment.program;
        let call_of = |strand: &Strand| {
            let frame = &warps[strand.warp].frames[usize::from(strand.frame)];
            frame.caller.map(|_| frame.call)
        };
        let Some(call) = strands.first().and_then(call_of) else { return Ok(false) };
        let all_came = strands.iter().all(|strand| call_of(strand) == Some(call));
        if !all_came || !all_are_here(warps, strands, frontier) {
            return Ok(false);
        }
        for (at, strand) in strands.iter_mut().enumerate() {
            let warp = &mut warps[strand.warp];
            stand(warp, strand, frontier, at);
            divergence::return_to_caller(warp, 0, program)?;
            strand.frame = warp.fragments[0].frame;
        }
        go_on(&program.operations, call + 1, frontier);
        Ok(true)
    }

    /// Lets all strands end in turns taken here. They must be all that is left of their block and
    /// be at its end, without a waiting thread or an observer. Returns whether they have ended.
    pub(super) fn exit_together(
        &mut self,
        warps: &mut [Warp],
        strands: &mut [Strand],
        frontier: &mut Frontier,
        may: &mut InPlace,
    ) -> Result<bool, InternalError> {
        let all = strands.len();
        let is_alone = warps.len() - self.common.ended_warps == all
            && self.common.barriers.in_use().next().is_none()
            && self.common.cluster.is_none()
            && !self.observes_synchronisation();
        if !is_alone || !may.may(all, all) || !all_are_here(warps, strands, frontier) {
            return Ok(false);
        }
        let (here, width) = (frontier.now.here(), frontier.now.width());
        let circle = Circle::after(may.last, here);
        let circle = circle.ok_or_else(|| internal!("a gang without warps has ended"))?;
        let mut turns = std::mem::take(&mut frontier.now.alike).of_all(all as u64, width);
        turns.add(frontier.tallies.take_all(here));
        turns.instructions += all as u64;
        turns.lanes += width;
        self.count(turns);
        may.take(all, turns.instructions);
        if circle.begins {
            may.begin();
        }
        (may.last, may.ended) = (Some(circle.last), true);
        for strand in strands {
            let warp = &mut warps[strand.warp];
            (warp.live, strand.waits) = (0, true);
            warp.fragments.clear();
        }
        self.common.ended_warps += all;
        self.common.look_at_barriers = true;
        Ok(true)
    }
}

/// Whether all lanes of all strands are in the running group.
fn all_are_here(warps: &[Warp], strands: &[Strand], frontier: &Frontier) -> bool {
    let is_whole =
        |(at, strand): (usize, &Strand)| frontier.now.masks()[at] == warps[strand.warp].live;
    frontier.all_are_here(strands.len()) && strands.iter().enumerate().all(is_whole)
}

/// Sets the lanes of a strand to their place, for operations of one warp.
fn stand(warp: &mut Warp, strand: &Strand, frontier: &Frontier, at: usize) {
    warp.fragments.clear();
    let (mask, pc) = (frontier.now.masks()[at], frontier.now.pc);
    warp.fragments.push(Fragment::new(mask, pc, strand.frame));
}

/// Counts the operation, and lets all go on elsewhere.
fn go_on(operations: &[Operation], pc: Pc, frontier: &mut Frontier) {
    frontier.now.alike.instructions += 1;
    frontier.now.alike.whole += 1;
    frontier.count_walked();
    frontier.now.rank = operations.get(pc as usize).map_or(u32::MAX, |o| o.rank);
    frontier.now.pc = pc;
}
