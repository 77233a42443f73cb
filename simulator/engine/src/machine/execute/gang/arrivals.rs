//! Turns in which some strands access memory, and all others that can move arrive at the block
//! barrier behind it: `if (...) { accesses } __syncthreads()`.
//!
//! Many steps of reductions and scans begin with such a turn. Taken at once, it stops no strand:
//! those that access go on from their place, and the others wait.
//!
//! This equals [`super::several_places`], which executes the other cases.
//! `threads_that_access_before_a_barrier_leave_what_single_turns_leave`
//! (`simulator/tests/suite/arrivals.rs`) compares it with single turns.

use super::barrier_events::{Met, those_told_of};
use super::frontier::{Frontier, pass_over};
use super::several_places::{Taken, Turn};
use super::turn_order::{Circle, InPlace, Order};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::Gang;
use crate::lower::{Access, Guard};
use crate::machine::access::all_lanes::At;
use crate::machine::execute::strand_set::Set;
use crate::machine::state::block::MOST;
use crate::machine::state::execution::Execution;
use crate::machine::state::tally::SLICE;
use crate::observe::Who;

/// The participants of such a turn; in the order of their turns if there is an observer.
struct Parts<'o> {
    access: Access<'o>,
    guard: Option<Guard>,
    met: Met,
    /// First the strands that arrive early, with all their lanes that can move.
    before: Set,
    /// Then the strands that access: all strands of the running group.
    accessing: Set,
    /// Then the other strands that arrive.
    behind: Set,
    order: Order,
    /// The strand that has the last turn.
    last: usize,
}

impl<'a> Execution<'a, '_> {
    /// Gives each strand that does not wait its turn, if the running group is at an access, and all
    /// others arrive at one barrier. Returns [`Taken::Nobody`] otherwise, or if the access is
    /// impossible here. Earlier strands may have arrived then. The others can execute their
    /// operations again alike.
    #[inline(always)]
    pub(super) fn turn_with_arrivals(
        &mut self,
        (gang, who): (&mut Gang<'_, '_>, &[Who<'_>]),
        all: usize,
        frontier: &mut Frontier,
        live: usize,
        may: &mut InPlace,
    ) -> Result<Taken, InternalError> {
        let Some(mut parts) = self.parts(all, frontier, live, may) else {
            return Ok(Taken::Nobody);
        };
        let Parts { met, before, accessing, behind, .. } = parts;
        self.arrive_apart((met, before), (gang, who), frontier, (&mut parts.order, may))?;
        let Some(lanes) = self.access_of_those(&parts, (gang, who), frontier)? else {
            // Its turn comes behind those that have arrived.
            return Ok(Taken::Nobody);
        };
        let pc = frontier.now.pc;
        let operations = &*self.environment.program.operations;
        let one = u64::from(!operations[pc as usize].part);
        let turn = frontier.now.take_turn(&mut frontier.tallies, one, lanes);
        self.count(turn);
        may.take_in(&mut parts.order, accessing, turn.instructions);
        self.arrive_apart((met, behind), (gang, who), frontier, (&mut parts.order, may))?;
        may.last = Some(parts.last);
        let overdue = pass_over(&mut frontier.rest);
        frontier.now.pc = pc + 1;
        frontier.now.rank = operations[pc as usize + 1].rank;
        if overdue || may.looks() {
            frontier.now.has_turned();
            return Ok(Taken::Some);
        }
        frontier.now.passed_over = [0; MOST];
        frontier.choose();
        Ok(Taken::All)
    }

    /// The participants of such a turn, if it is due and possible here.
    #[inline(always)]
    fn parts(
        &self,
        all: usize,
        frontier: &Frontier,
        live: usize,
        may: &InPlace,
    ) -> Option<Parts<'a>> {
        let [others] = frontier.rest.as_slice() else { return None };
        let ready = Set::first(all).without(may.waiting.strands);
        let accessing = frontier.now.here();
        let arriving = others.here().without(accessing);
        let is_turn = !accessing.is_empty()
            && !arriving.is_empty()
            && accessing.with(arriving) == ready
            && live == all
            && frontier.none_waits
            && frontier.stopped().is_empty()
            && may.waiting.is_at(others.pc)
            && may.may(all - may.waiting.count(), all)
            && frontier.spent() < SLICE
            && frontier.spent_by(others) < SLICE;
        if !is_turn {
            return None;
        }
        let Some(Turn::Access(access, guard)) = self.in_place_at(frontier.now.pc) else {
            return None;
        };
        let Some(Turn::Arrival(met)) = self.in_place_at(others.pc) else { return None };
        let circle = Circle::after(may.last, ready)?;
        let order = Order::of(circle, all);
        let is_told = self.observes_accesses() || self.observes_synchronisation();
        // Strands that arrive and strands that access do not see each other. An observer sees both.
        let before = if is_told { order.before_all(accessing, arriving)? } else { Set::NONE };
        let behind = arriving.without(before);
        let last = circle.last;
        Some(Parts { access, guard, met, before, accessing, behind, order, last })
    }

    /// Executes the access of the running group. Returns the number of lanes that took part; `None`
    /// if it was not executed.
    #[inline(always)]
    fn access_of_those(
        &mut self,
        parts: &Parts<'a>,
        (gang, who): (&mut Gang<'_, '_>, &[Who<'_>]),
        frontier: &Frontier,
    ) -> Result<Option<u64>, InternalError> {
        let &Parts { access, guard, accessing, ref order, .. } = parts;
        let lost = || internal!("a gang has no strands {accessing:?}, of which lanes go on");
        let range = accessing.range().ok_or_else(lost)?;
        let masks = frontier.now.masks().get(range.clone()).ok_or_else(lost)?;
        let mut part = gang.part(range.clone()).ok_or_else(lost)?;
        for (member, mask) in part.members_mut().iter_mut().zip(masks) {
            member.set_mask(*mask);
        }
        let behind = order.first().saturating_sub(range.start);
        let (pc, who) = (frontier.now.pc, those_told_of(who, range)?);
        let at = At { pc, who, behind, in_a_row: false };
        let lanes = self.access_in_place(access, guard, (&mut part, at), masks)?;
        Ok(lanes.map(|lanes| lanes.unwrap_or(frontier.now.width())))
    }

    /// Lets strands arrive if all their lanes are at the barrier. There may be no such strand.
    #[inline(always)]
    fn arrive_apart(
        &mut self,
        (met, arriving): (Met, Set),
        (gang, who): (&mut Gang<'_, '_>, &[Who<'_>]),
        frontier: &mut Frontier,
        (order, may): (&mut Order, &mut InPlace),
    ) -> Result<(), InternalError> {
        if arriving.is_empty() {
            return Ok(());
        }
        let lost = || internal!("a gang has no strands {arriving:?} that arrive");
        let mut others = frontier.rest.pop().ok_or_else(lost)?;
        if others.here() != arriving {
            let mut stay = frontier.nobody(others.rank, others.pc);
            *stay = others.split(arriving);
            frontier.rest.push(stay);
        }
        may.waiting.met = met;
        for mut come in order.parts(arriving) {
            may.waiting.come(come, others.masks(), 0);
            while self.observes_synchronisation()
                && let Some(range) = come.first_run()
            {
                come = come.without(Set::of_range(range.clone()));
                let masks = others.masks().get(range.clone()).ok_or_else(lost)?;
                let who = those_told_of(who, range.clone())?;
                let at = At { pc: met.pc, who, behind: 0, in_a_row: false };
                self.tell_arrivals(met, &gang.part(range).ok_or_else(lost)?, at, masks);
            }
        }
        let width = others.width();
        may.waiting.width += width;
        let one = u64::from(!self.environment.program.operations[met.pc as usize].part);
        let turn = others.take_turn(&mut frontier.tallies, one, width);
        self.count(turn);
        may.take_in(order, arriving, turn.instructions);
        frontier.spare(others);
        Ok(())
    }
}
