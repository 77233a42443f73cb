//! Turns that the warps of a gang take where they stand, at different places: each at an access to
//! memory, or at a barrier of the block, where it waits for the others.
//!
//! The warps are all that can move in their block, and each has run up to the visible operation of
//! its turn. Those whose turns come one after the other, at one operation, have them together.

use std::ops::Range;

use super::front::Front;
use super::frontier::Frontier;
use super::met::{Met, those_told_of};
use super::order::{Circle, InPlace};
use super::set::Set;
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::Gang;
use crate::lower::{Access, Conduct, Guard, Operation, Pc};
use crate::machine::at_once::At;
use crate::machine::grid::SLICE;
use crate::machine::stage::Stage;
use crate::observe::Who;

/// What strands do in their turns in place.
#[derive(Clone, Copy)]
pub(super) enum Turn<'o> {
    /// They access memory.
    Access(Access<'o>, Option<Guard>),
    /// They come to this barrier.
    Arrival(Met),
}

/// Which strands have taken their turns in place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// None.
    Nobody,
    /// All, and they may run ahead.
    All,
    /// The first ones, or all that may not run ahead of what follows.
    Some,
}

impl Stage<'_, '_> {
    /// Gives each strand that does not wait its turn where it has stopped, if all of them can have
    /// theirs so.
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
            while let Some(group) = next_group(frontier.stopped(), &mut rest)? {
                if !self.turn_of_group((gang, who), group, frontier, may)? {
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

    /// Whether all these strands have stopped at operations that can be done in place; `is_all`:
    /// they, and those that wait, are all warps of the block that have not ended. Nothing has
    /// changed.
    #[inline(always)]
    fn can_all_turn(&self, ready: Set, frontier: &Frontier, is_all: bool, may: &InPlace) -> bool {
        // The barrier that all come to.
        let mut barrier = (may.waiting.count() > 0).then_some(may.waiting.met.pc);
        let mut those = Set::NONE;
        let can = frontier.stopped().iter().all(|front| {
            those = those.with(front.here());
            let has_time = frontier.spent_by(front) < SLICE;
            has_time
                && match self.in_place_at(front.pc) {
                    Some(Turn::Access(..)) => true,
                    Some(Turn::Arrival(_)) => {
                        is_all
                            && !frontier.have_aside(front.here())
                            && *barrier.get_or_insert(front.pc) == front.pc
                    }
                    None => false,
                }
        });
        can && those == ready
    }

    /// Gives strands at one operation their turns, one after the other, and has them go on behind
    /// it, or wait. Whether they have had them; if not, nothing has happened that does not come to
    /// the same when it is done again.
    #[inline(always)]
    fn turn_of_group(
        &mut self,
        (gang, who): (&mut Gang<'_, '_>, &[Who<'_>]),
        group: Set,
        frontier: &mut Frontier,
        may: &mut InPlace,
    ) -> Result<bool, InternalError> {
        let lost = || internal!("a gang has no strands {group:?} that have stopped");
        let Range { start, end } = group.range().ok_or_else(lost)?;
        let mut front = frontier.take_stopped(start, group).ok_or_else(lost)?;
        let operations = &*self.environment.program.operations;
        let one = u64::from(!operations[front.pc as usize].part);
        let masks = front.masks().get(start..end).ok_or_else(lost)?;
        let mut part = gang.part(start..end).ok_or_else(lost)?;
        let who = those_told_of(who, start..end)?;
        let at = At { pc: front.pc, who, behind: 0, in_a_row: false };
        let width = front.width();
        let (lanes, barrier) = match self.in_place_at(front.pc) {
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
                        frontier.stop_again(front);
                        return Ok(false);
                    }
                }
            }
            None => {
                let pc = front.pc;
                return Err(internal!("strands have turns in place at {pc}, which has none"));
            }
        };
        let taken = front.take_turn(&mut frontier.tallies, one, lanes);
        self.count(taken);
        may.take(group.count(), taken.instructions);
        may.last = Some(end - 1);
        match barrier {
            Some(met) => {
                may.waiting.met = met;
                may.waiting.come(group, front.masks(), width);
                frontier.spare(front);
            }
            None => {
                front.pc += 1;
                front.rank = operations[front.pc as usize].rank;
                front.has_turned();
                frontier.insert(front);
                frontier.take_back(group);
            }
        }
        Ok(true)
    }

    /// Lets all go that wait, if all of the block have come.
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

impl<'a> Stage<'a, '_> {
    /// What strands do at an operation, if it may be done in place.
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

/// The next strands of a set, which have stopped at one place, and whose turns come one after the
/// other; they are taken out of it.
#[inline(always)]
fn next_group(stopped: &[Box<Front>], rest: &mut Set) -> Result<Option<Set>, InternalError> {
    let Some(Range { start, end }) = rest.range() else { return Ok(None) };
    let front = stopped.iter().find(|front| front.here().has(start));
    let here = front.ok_or_else(|| internal!("strand {start} has not stopped"))?.here();
    let next = rest.without(here).range().map_or(end, |others| others.start);
    let group = here.among(*rest).among(Set::first(next));
    *rest = rest.without(group);
    Ok(Some(group))
}
