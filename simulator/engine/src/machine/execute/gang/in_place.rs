//! Turns that all warps of a gang that can move take in place: at one access to memory, or at a
//! block barrier that they complete.
//!
//! The warps are all that can move in their block, and their lanes furthest behind are at one
//! place. So their turns come one after the other, and their only effect is that each warp goes on
//! behind the operation. They go on together at once, and no other thread sees their places in
//! between. Other warps may wait at the barrier; they are released with them.
//!
//! This equals [`super::turn_ends`]; [`super::several_places`] or [`super::turn_ends`] executes the
//! other cases. `warps_that_do_the_same_again_and_again_leave_what_single_turns_leave`
//! (`simulator/tests/suite/gangs.rs`) compares it with single turns.

use super::barrier_events::those_told_of;
use super::frontier::{Frontier, pass_over};
use super::turn_order::{Circle, InPlace};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Gang, Mask};
use crate::lower::{Access, Conduct, Guard, Operation, Pc};
use crate::machine::access::all_lanes::At;
use crate::machine::execute::segment::{Alike, End, Walkers, Way};
use crate::machine::state::execution::Execution;
use crate::machine::state::tally::{SLICE, Tally, width_of};
use crate::observe::Who;

/// The running warps.
struct Going<'g, 'r> {
    walkers: Walkers<'g, 'r>,
    /// The number of running lanes.
    width: u64,
    /// None of their lanes are elsewhere.
    whole: bool,
    /// The number of these warps, and of warps of the block that have not ended.
    count: usize,
    live: usize,
    /// Their turns; `offset` is the number of the first strand.
    circle: Circle,
    offset: usize,
    /// Their identities; empty without an observer.
    who: &'g [Who<'g>],
}

impl Going<'_, '_> {
    /// Takes the counts of all of them.
    #[inline]
    fn tally(&mut self, alike: Alike) -> Tally {
        let mut tally = alike.of_all(self.count as u64, self.width);
        if alike.whole != alike.instructions {
            tally.lanes += self.walkers.take_lanes();
        }
        tally
    }
}

/// Why warps stop taking turns in place.
pub(super) enum Went {
    /// They have reached another operation.
    On(End),
    /// Others have been released, which go on with them.
    Joined,
    /// All have taken a turn, and do not run ahead of the next step: a look at the state of the
    /// machine, or lanes that have been passed over too often.
    Turned,
}

impl Execution<'_, '_> {
    /// Drives the warps of a gang from turn to turn, until a turn is impossible in place, or others
    /// may be further behind. All warps that can move must run. `first`: the number of the first
    /// strand of the gang; `live`: warps of the block that have not ended.
    #[inline(always)]
    pub(super) fn drive_in_place(
        &mut self,
        (gang, who): (&mut Gang<'_, '_>, &[Who<'_>]),
        first: usize,
        frontier: &mut Frontier,
        live: usize,
        may: &mut InPlace,
    ) -> Result<Went, InternalError> {
        let environment = self.environment;
        let (operations, places) = (&*environment.program.operations, self.places());
        let (horizon, whole) = (frontier.horizon(), frontier.is_one());
        let range = first..first + gang.members().len();
        let (here, width) = (frontier.now.here(), frontier.now.width());
        let most = frontier.tallies.most(here);
        let Frontier { now, rest, lanes, tallies, .. } = frontier;
        let (masks, pc, executed) = now.going();
        let (Some(masks), Some(lanes), Some(circle)) =
            (masks.get(range.clone()), lanes.get_mut(range), Circle::after(may.last, here))
        else {
            return Err(internal!("a gang of {} warps", gang.members().len()));
        };
        for (member, mask) in gang.members_mut().iter_mut().zip(masks) {
            member.set_mask(*mask);
        }
        let count = here.count();
        let all = count + may.waiting.count();
        let walkers = Walkers::new(gang.whole(), masks, lanes, (tallies, first))?;
        let mut going = Going { walkers, width, whole, count, live, circle, offset: first, who };
        let mut alike = std::mem::take(executed);
        let mut taken = Tally::default();
        let mut allotted = SLICE.saturating_sub(most);
        let (mut joined, mut overdue) = (false, false);
        self.found.forget();
        let end = loop {
            let way = Way { allotted, horizon, places };
            let end = going.walkers.walk(&environment.program, way, pc, &mut alike);
            let operation = &operations[*pc as usize];
            if end != End::Other || operation.part || !may.may(count, all) {
                break Some(end);
            }
            let Some(active) = self.act_in_place(operation, *pc, &mut going, may)? else {
                break Some(end);
            };
            let mut turn = going.tally(std::mem::take(&mut alike));
            if let Some(tallies) = going.walkers.apart() {
                turn.add(tallies.take_all(here));
            }
            allotted = SLICE;
            turn.instructions += count as u64;
            turn.lanes += active;
            may.take(count, turn.instructions);
            if going.circle.begins {
                may.begin();
            }
            // The next turns begin a round.
            may.last = Some(going.circle.last);
            going.circle.begins = true;
            taken.add(turn);
            *pc += 1;
            // Only the warps that complete a barrier arrive at it.
            joined = all != count && matches!(operation.kind.conduct(), Conduct::Barrier(_));
            overdue = pass_over(rest);
            // After a turn the group furthest behind runs: mostly the same.
            if joined || overdue || operations[*pc as usize].rank >= horizon || may.looks() {
                break None;
            }
        };
        if let Some(end) = end {
            alike.count_branch(&operations[*pc as usize], end);
        }
        *executed = alike;
        self.count(taken);
        if joined {
            now.let_in(may.waiting.strands, &may.waiting.masks, may.waiting.width);
            may.waiting.let_go();
        }
        if end.is_none() {
            now.has_turned();
        }
        may.turned = end.is_none() && (overdue || may.looks());
        frontier.count_walked();
        // After a turn the group furthest behind runs.
        Ok(match end {
            Some(end) => Went::On(end),
            None if may.turned => Went::Turned,
            None if joined => Went::Joined,
            None => Went::On(End::Horizon),
        })
    }

    /// Executes an operation as a turn of each warp, if it is possible in place. Returns the number
    /// of lanes that took part. `None` if it was not executed; then all can execute it again alike.
    #[inline(always)]
    fn act_in_place(
        &mut self,
        operation: &Operation,
        pc: Pc,
        going: &mut Going<'_, '_>,
        may: &InPlace,
    ) -> Result<Option<u64>, InternalError> {
        let width = going.width;
        let (gang, masks) = going.walkers.gang();
        let who = those_told_of(going.who, going.offset..going.offset + masks.len())?;
        let at = At { pc, who, behind: going.circle.first - going.offset, in_a_row: true };
        Ok(match (operation.kind.conduct(), operation.guard) {
            (Conduct::Access(access), guard) if operation.visible => {
                let lanes = self.access_in_place(access, guard, (gang, at), masks)?;
                lanes.map(|lanes| lanes.unwrap_or(width))
            }
            (Conduct::Warp(meeting), None) if going.whole => {
                self.lanes_meet_in_place(meeting, gang, masks)?.then_some(width)
            }
            (Conduct::Fence, None) => (!self.observes_synchronisation()).then_some(width),
            (Conduct::Barrier(barrier), None) => {
                let all_come = going.whole
                    && going.live == going.count + may.waiting.count()
                    && may.waiting.is_at(pc);
                let met = if all_come { self.may_meet_in_place(barrier, pc) } else { None };
                if let Some(met) = met {
                    self.counts.barriers += 1;
                    self.tell_all_come(met, gang, at, masks, may.waiting.arrivals(going.who));
                }
                met.map(|_| width)
            }
            (
                Conduct::Registers(_)
                | Conduct::Branch { .. }
                | Conduct::Own(_)
                | Conduct::Access(_)
                | Conduct::Barrier(_)
                | Conduct::Leave
                | Conduct::Warp(_)
                | Conduct::Fence
                | Conduct::Block
                | Conduct::Beyond(_),
                _,
            ) => None,
        })
    }

    /// Executes an access for warps with these lanes, one after the other in this order. `None` if
    /// it was not executed; then all can execute it again alike. Otherwise the number of lanes that
    /// took part, if there is a guard.
    #[inline(always)]
    pub(super) fn access_in_place(
        &mut self,
        access: Access<'_>,
        guard: Option<Guard>,
        (gang, at): (&mut Gang<'_, '_>, At<'_>),
        masks: &[Mask],
    ) -> Result<Option<Option<u64>>, InternalError> {
        let Some(guard) = guard else {
            return Ok(self.access_of_each(access, gang, at)?.then_some(None));
        };
        let mut lanes = 0;
        for (member, holds) in gang.predicates(guard.predicate) {
            let active = member.mask() & if guard.negated { !holds } else { holds };
            member.set_mask(active);
            lanes += u64::from(width_of(active));
        }
        let done = lanes == 0 || self.access_of_each(access, gang, at)?;
        for (member, mask) in gang.members_mut().iter_mut().zip(masks) {
            member.set_mask(*mask);
        }
        Ok(done.then_some(Some(lanes)))
    }

    /// Executes an access of the active lanes of all warps. Returns whether it did so; if not, all
    /// can execute it again alike.
    #[inline]
    fn access_of_each(
        &mut self,
        access: Access<'_>,
        gang: &mut Gang<'_, '_>,
        at: At<'_>,
    ) -> Result<bool, InternalError> {
        match access {
            Access::Load(load) => self.load_together(gang, load, at),
            Access::Store(store) => self.store_together(gang, store, at),
            Access::Atomic(atomic) => self.atomic_together(gang, atomic, at),
        }
    }
}
