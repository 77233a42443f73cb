//! Turns that all warps of a gang that can move take where they stand: at one access to memory, or
//! at a barrier of the block that they complete.
//!
//! The warps are all that can move in their block, and the lanes that are furthest behind in each
//! are at one place. So their turns come one after the other, and nothing follows from them but
//! that each goes on behind the operation: they go on together at once, and nobody sees where they
//! have been. Others may wait at the barrier; they are let go with them. What does not fit is left
//! to [`super::apart`], or [`super::turns`], which would do the same.

use super::frontier::{Frontier, pass_over};
use super::met::those_told_of;
use super::order::{Circle, InPlace};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Gang, Mask};
use crate::lower::{Access, Conduct, Guard, Operation, Pc};
use crate::machine::at_once::At;
use crate::machine::grid::SLICE;
use crate::machine::segment::{Alike, End, Tally, Walkers, Way, width_of};
use crate::machine::stage::Stage;
use crate::observe::Who;

/// Warps that go on.
struct Going<'g, 'r> {
    walkers: Walkers<'g, 'r>,
    /// How many lanes go on.
    width: u64,
    /// No lanes of theirs are elsewhere.
    whole: bool,
    /// How many there are, and warps of the block that have not ended.
    count: usize,
    live: usize,
    /// Their turns; the first of them is the strand of this number.
    circle: Circle,
    offset: usize,
    /// Who they are; nobody where nobody is told.
    who: &'g [Who<'g>],
}

impl Going<'_, '_> {
    /// What all of them have executed, which is counted now.
    #[inline]
    fn tally(&mut self, alike: Alike) -> Tally {
        let mut tally = alike.of_all(self.count as u64, self.width);
        if alike.whole != alike.instructions {
            tally.lanes += self.walkers.take_lanes();
        }
        tally
    }
}

/// Why warps that take turns in place go on otherwise.
pub(super) enum Went {
    /// They have come to something else.
    On(End),
    /// Others have been let go, which go on with them.
    Joined,
    /// All have taken a turn, and do not run ahead of what follows: a look at the state of the
    /// machine, or lanes that have been passed over too often.
    Turned,
}

impl Stage<'_, '_> {
    /// Drives the warps of a gang, of which all go on that can move, from turn to turn, until one
    /// has to be taken otherwise, or others may be further behind. `first`: the number of the first
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
            // Nobody comes to a barrier but those who complete it.
            joined = all != count && matches!(operation.kind.conduct(), Conduct::Barrier(_));
            overdue = pass_over(rest);
            // After a turn those furthest behind go on: mostly the same.
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
        // After a turn those furthest behind go on.
        Ok(match end {
            Some(end) => Went::On(end),
            None if may.turned => Went::Turned,
            None if joined => Went::Joined,
            None => Went::On(End::Horizon),
        })
    }

    /// Executes an operation as a turn of each warp, if it can be done in place. The lanes that
    /// took part; `None` if it was not, and it comes to the same when all execute it again.
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
    /// it did not, and it comes to the same when all execute it again; else the lanes that took
    /// part, where there is a guard.
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

    /// Executes an access of the active lanes of all warps. Whether it did; if not, it comes to the
    /// same when all execute it again.
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
