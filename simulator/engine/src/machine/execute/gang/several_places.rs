//! Turns that the warps of a gang take in place, at different places: each at an access to memory,
//! or at a block barrier, where it waits for the others.
//!
//! The warps are all that can move in their block, and each has run up to the visible operation of
//! its turn. Consecutive turns at one operation are taken together.
//!
//! This equals [`super::turn_ends`].
//! `warps_that_do_the_same_again_and_again_leave_what_single_turns_leave`
//! (`simulator/tests/suite/gangs.rs`) compares it with single turns.

use std::ops::Range;

use super::barrier_events::{Met, those_told_of};
use super::frontier::Frontier;
use super::group::Group;
use super::turn_order::{Circle, InPlace};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::Gang;
use crate::lower::{Access, Conduct, Guard, Operation, Pc};
use crate::machine::access::all_lanes::At;
use crate::machine::execute::strand_set::Set;
use crate::machine::state::execution::Execution;
use crate::machine::state::tally::SLICE;
use crate::observe::Who;

/// The effect of strands in their turns in place.
#[derive(Clone, Copy)]
pub(super) enum Turn<'o> {
    /// They access memory.
    Access(Access<'o>, Option<Guard>),
    /// They arrive at this barrier.
    Arrival(Met),
}

/// Which strands have taken their turns in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// None.
    Nobody,
    /// All, and they may run ahead.
    All,
    /// The first ones, or all, which may not run ahead of the next operation.
    Some,
}

impl Execution<'_, '_> {
    /// Gives each strand that does not wait its turn at the place where it has stopped, if that is
    /// possible for all of them.
    #[inline(always)]
    pub(super) fn take_turns_apart(
        &mut self,
        (gang, who): (&mut Gang<'_, '_>, &[Who<'_>]),
        all: usize,
        frontier: &mut Frontier,
        live: usize,
        may: &mut InPlace,
    ) -> Result<Taken, InternalError> {
        let ready = Set::first(all).without(may.waiting.strands);
        let may_turn = frontier.none_waits && may.may(all - may.waiting.count(), all);
        if !may_turn || !self.can_all_turn(ready, frontier, live == all, may) {
            return Ok(Taken::Nobody);
        }
        let Some(circle) = Circle::after(may.last, ready) else { return Ok(Taken::Nobody) };
        let before = may.taken;
        for (range, begins) in circle.ranges(all).into_iter().zip([false, circle.begins]) {
            let mut begins = begins;
            let mut rest = ready.among(Set::of_range(range));
            while let Some(together) = next_together(frontier.stopped(), &mut rest)? {
                if !self.turn_together((gang, who), together, frontier, may)? {
                    return Ok(if may.taken == before { Taken::Nobody } else { Taken::Some });
                }
                if std::mem::take(&mut begins) {
                    may.begin();
                }
            }
        }
        self.complete_in_place(who, all, frontier, may);
        let overdue = frontier.is_overdue();
        Ok(if overdue || may.looks() { Taken::Some } else { Taken::All })
    }

    /// Whether all these strands have stopped at operations that are possible in place. `is_all`:
    /// they, and the waiting ones, are all warps of the block that have not ended. Nothing has
    /// changed.
    #[inline(always)]
    fn can_all_turn(&self, ready: Set, frontier: &Frontier, is_all: bool, may: &InPlace) -> bool {
        // The barrier at which all arrive.
        let mut barrier = (may.waiting.count() > 0).then_some(may.waiting.met.pc);
        let mut those = Set::NONE;
        let can = frontier.stopped().iter().all(|group| {
            those = those.with(group.here());
            let has_time = frontier.spent_by(group) < SLICE;
            has_time
                && match self.in_place_at(group.pc) {
                    Some(Turn::Access(..)) => true,
                    Some(Turn::Arrival(_)) => {
                        is_all
                            && !frontier.have_aside(group.here())
                            && *barrier.get_or_insert(group.pc) == group.pc
                    }
                    None => false,
                }
        });
        can && those == ready
    }

    /// Gives strands at one operation their turns, one after the other, and lets them go on behind
    /// it, or wait. Returns whether they have had them; if not, all can execute it again alike.
    #[inline(always)]
    fn turn_together(
        &mut self,
        (gang, who): (&mut Gang<'_, '_>, &[Who<'_>]),
        together: Set,
        frontier: &mut Frontier,
        may: &mut InPlace,
    ) -> Result<bool, InternalError> {
        let lost = || internal!("a gang has no strands {together:?} that have stopped");
        let Range { start, end } = together.range().ok_or_else(lost)?;
        let mut group = frontier.take_stopped(start, together).ok_or_else(lost)?;
        let operations = &*self.environment.program.operations;
        let one = u64::from(!operations[group.pc as usize].part);
        let masks = group.masks().get(start..end).ok_or_else(lost)?;
        let mut part = gang.part(start..end).ok_or_else(lost)?;
        let who = those_told_of(who, start..end)?;
        let at = At { pc: group.pc, who, behind: 0, in_a_row: false };
        let width = group.width();
        let (lanes, barrier) = match self.in_place_at(group.pc) {
            Some(Turn::Arrival(met)) => {
                self.tell_arrivals(met, &part, at, masks);
                (width, Some(met))
            }
            Some(Turn::Access(access, guard)) => {
                for (member, mask) in part.members_mut().iter_mut().zip(masks) {
                    member.set_mask(*mask);
                }
                match self.access_in_place(access, guard, (&mut part, at), masks)? {
                    Some(lanes) => (lanes.unwrap_or(width), None),
                    None => {
                        frontier.stop_again(group);
                        return Ok(false);
                    }
                }
            }
            None => {
                let pc = group.pc;
                return Err(internal!("strands have turns in place at {pc}, which has none"));
            }
        };
        let taken = group.take_turn(&mut frontier.tallies, one, lanes);
        self.count(taken);
        may.take(together.count(), taken.instructions);
        may.last = Some(end - 1);
        match barrier {
            Some(met) => {
                may.waiting.met = met;
                may.waiting.come(together, group.masks(), width);
                frontier.spare(group);
            }
            None => {
                group.pc += 1;
                group.rank = operations[group.pc as usize].rank;
                group.has_turned();
                frontier.insert(group);
                frontier.take_back(together);
            }
        }
        Ok(true)
    }

    /// Releases all waiting strands, if all of the block have arrived.
    #[inline(always)]
    fn complete_in_place(
        &mut self,
        who: &[Who<'_>],
        all: usize,
        frontier: &mut Frontier,
        may: &mut InPlace,
    ) {
        if may.waiting.count() < all {
            return;
        }
        self.tell_met(may.waiting.met, may.waiting.arrivals(who));
        let pc = may.waiting.met.pc + 1;
        let rank = self.environment.program.operations[pc as usize].rank;
        self.counts.barriers += 1;
        frontier.now.clear(rank, pc);
        frontier.now.let_in(may.waiting.strands, &may.waiting.masks, may.waiting.width);
        frontier.now.has_turned();
        may.waiting.let_go();
    }
}

impl<'a> Execution<'a, '_> {
    /// The effect of strands at an operation, if it is possible in place.
    pub(super) fn in_place_at(&self, pc: Pc) -> Option<Turn<'a>> {
        let environment = self.environment;
        let Operation { kind, guard, visible, .. } =
            environment.program.operations.get(pc as usize)?;
        if self.tells_of(pc) {
            return None;
        }
        match kind.conduct() {
            Conduct::Access(access) if *visible => Some(Turn::Access(access, *guard)),
            Conduct::Barrier(barrier) if guard.is_none() => {
                self.may_meet_in_place(barrier, pc).map(Turn::Arrival)
            }
            Conduct::Registers(_)
            | Conduct::Branch { .. }
            | Conduct::Own(_)
            | Conduct::Access(_)
            | Conduct::Barrier(_)
            | Conduct::Leave
            | Conduct::Warp(_)
            | Conduct::Fence
            | Conduct::Block
            | Conduct::Beyond(_) => None,
        }
    }
}

/// The next strands of a set that have stopped at one place and whose turns are consecutive. They
/// are taken out of the set.
#[inline(always)]
fn next_together(stopped: &[Box<Group>], rest: &mut Set) -> Result<Option<Set>, InternalError> {
    let Some(Range { start, end }) = rest.range() else { return Ok(None) };
    let group = stopped.iter().find(|group| group.here().has(start));
    let here = group.ok_or_else(|| internal!("strand {start} has not stopped"))?.here();
    let next = rest.without(here).range().map_or(end, |others| others.start);
    let together = here.among(*rest).among(Set::first(next));
    *rest = rest.without(together);
    Ok(Some(together))
}
