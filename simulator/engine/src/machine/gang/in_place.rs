//! Turns that all warps of a gang take where they stand: at one access to flat memory of which nobody is told, or at a
//! barrier of the block that they complete.
//!
//! The warps are all that can move in their block, and the lanes that are furthest behind in each are at one place. So
//! their turns come one after the other, and nothing follows from them but that each goes on behind the operation: they go on
//! together at once, and nobody sees where they have been. What does not fit is left to [`super::turns`], which would do
//! the same.

use super::Strand;
use super::frontier::Frontier;
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::Gang;
use crate::lower::{Access, Barrier, BarrierAction, Conduct, Operation};
use crate::machine::barrier;
use crate::machine::grid::SLICE;
use crate::machine::segment::{Alike, End, Tally, Walkers, Way, width_of};
use crate::machine::stage::Stage;

/// Rounds of turns that a gang may take in place, and what it has done in them.
#[derive(Clone, Copy, Debug)]
pub(super) struct InPlace {
    /// The rounds that may be taken, with another behind them.
    pub(super) rounds: u64,
    /// The turns up to the next look at the state, that one included.
    pub(super) turns: u64,
    /// The instructions that may be executed.
    pub(super) steps: u64,
    /// The rounds that were taken.
    pub(super) taken: u64,
    /// The last of them is over for all, and nobody has run ahead of what follows.
    pub(super) turned: bool,
}

impl InPlace {
    /// None.
    pub(super) const NEVER: InPlace =
        InPlace { rounds: 0, turns: 0, steps: 0, taken: 0, turned: false };

    /// Whether so many strands may take a turn each.
    #[inline]
    pub(super) fn may(&self, strands: usize) -> bool {
        let turns = strands as u64;
        // None runs ahead of a look: it comes now, or all can have another turn before it. Each may use up its time, in this
        // turn and before the next one.
        let looks = self.turns == turns || self.turns >= 2 * turns;
        self.rounds > 0 && looks && self.steps > 2 * turns * SLICE
    }

    /// Whether rounds were taken up to a look at the state, which comes next.
    #[inline]
    fn looks(&self) -> bool {
        self.taken > 0 && self.turns == 0
    }

    /// So many strands have taken a turn each, in which they executed so many instructions.
    #[inline]
    fn take(&mut self, strands: usize, instructions: u64) {
        self.rounds -= 1;
        self.turns -= strands as u64;
        self.steps = self.steps.saturating_sub(instructions);
        self.taken += 1;
    }
}

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
}

impl Going<'_, '_> {
    /// What all of them have executed, which is counted now.
    #[inline]
    fn tally(&mut self, alike: Alike) -> Tally {
        let Alike { instructions, whole, branches } = alike;
        let mut lanes = whole * self.width;
        if whole != instructions {
            lanes += self.walkers.take_lanes();
        }
        let warps = self.count as u64;
        let (instructions, branches) = (instructions * warps, branches * warps);
        Tally { instructions, lanes, branches, divergent: 0 }
    }
}

impl Stage<'_, '_> {
    /// Drives the warps of a gang, which all go on, from turn to turn, until one has to be taken otherwise, or others may be
    /// further behind; `None` where all have taken one and may not run ahead of what follows. `live`: warps of the block
    /// that have not ended.
    pub(super) fn drive_in_place(
        &mut self,
        gang: &mut Gang<'_, '_>,
        strands: &mut [Strand],
        frontier: &mut Frontier,
        live: usize,
        may: &mut InPlace,
    ) -> Result<Option<End>, InternalError> {
        let environment = self.environment;
        let operations = &*environment.program.operations;
        let count = strands.len();
        let (horizon, whole) = (frontier.horizon(), frontier.is_one());
        let Frontier { now, lanes, .. } = frontier;
        let (Some(masks), Some(lanes)) = (now.masks.get(..count), lanes.get_mut(..count)) else {
            return Err(internal!("a gang of {count} warps"));
        };
        lanes.fill(0);
        let (mut width, mut spent) = (0, 0);
        for ((member, mask), strand) in gang.members_mut().iter_mut().zip(masks).zip(&*strands) {
            member.set_mask(*mask);
            width += u64::from(width_of(*mask));
            spent = strand.tally.instructions.max(spent);
        }
        let walkers = Walkers::new(gang.whole(), masks, lanes)?;
        let mut going = Going { walkers, width, whole, count, live };
        let mut alike = Alike::default();
        let mut taken = Tally::default();
        let mut allotted = SLICE.saturating_sub(spent);
        let mut turned = false;
        let end = loop {
            let way = Way { allotted, horizon };
            let end = going.walkers.walk(operations, way, &mut now.pc, &mut alike);
            let operation = &operations[now.pc as usize];
            if end != End::Other || operation.part || !may.may(count) {
                break Some(end);
            }
            let Some(active) = self.act_in_place(operation, &mut going) else { break Some(end) };
            let mut turn = going.tally(std::mem::take(&mut alike));
            if allotted != SLICE {
                strands.iter_mut().for_each(|strand| turn.add(std::mem::take(&mut strand.tally)));
                allotted = SLICE;
            }
            turn.instructions += count as u64;
            turn.lanes += active;
            may.take(count, turn.instructions);
            taken.add(turn);
            now.pc += 1;
            if may.looks() || !whole {
                turned = true;
                break None;
            }
        };
        if let Some(end) = end {
            alike.count_branch(&operations[now.pc as usize], end);
        }
        self.count(taken);
        for ((strand, mask), lanes) in strands.iter_mut().zip(masks).zip(going.walkers.lanes()) {
            strand.tally.add(alike.tally(width_of(*mask), *lanes));
        }
        let overdue = turned && frontier.pass_over();
        may.turned = turned && (overdue || may.looks());
        // After a turn those furthest behind go on.
        Ok(if turned && !may.turned { Some(End::Horizon) } else { end })
    }

    /// Executes an operation as a turn of each warp, if it can be done in place. The lanes that took part; `None` if it was
    /// not, and it comes to the same when all execute it again.
    #[inline]
    fn act_in_place(&mut self, operation: &Operation, going: &mut Going<'_, '_>) -> Option<u64> {
        let (gang, masks) = going.walkers.gang();
        let done = match (operation.kind.conduct(), operation.guard) {
            (Conduct::Access(access), None) if operation.visible => {
                self.access_in_place(access, gang)
            }
            (Conduct::Access(access), Some(guard)) if operation.visible => {
                let mut lanes = 0;
                for (member, holds) in gang.predicates(guard.predicate) {
                    let active = member.mask() & if guard.negated { !holds } else { holds };
                    member.set_mask(active);
                    lanes += u64::from(width_of(active));
                }
                let done = lanes == 0 || self.access_in_place(access, gang);
                for (member, mask) in gang.members_mut().iter_mut().zip(masks) {
                    member.set_mask(*mask);
                }
                return done.then_some(lanes);
            }
            (Conduct::Barrier(barrier), None) => {
                going.whole && going.live == going.count && self.meet_in_place(barrier)
            }
            (
                Conduct::Registers(_)
                | Conduct::Branch { .. }
                | Conduct::Own(_)
                | Conduct::Access(_)
                | Conduct::Barrier(_)
                | Conduct::Leave
                | Conduct::Block
                | Conduct::Beyond(_),
                _,
            ) => false,
        };
        done.then_some(going.width)
    }

    /// Executes an access of all warps, one after the other. Whether it did; if not, it comes to the same when all execute
    /// it again.
    #[inline]
    fn access_in_place(&mut self, access: Access<'_>, gang: &mut Gang<'_, '_>) -> bool {
        match access {
            Access::Load(load) => self.load_together(gang, load),
            Access::Store(store) => self.store_together(gang, store),
            Access::Atomic(_) => false,
        }
    }

    /// Has all warps of the block that have not ended arrive at a barrier, which they complete. Whether it did.
    #[inline]
    fn meet_in_place(&mut self, barrier: &Barrier) -> bool {
        let constants = &self.environment.program.constants;
        let is_plain = barrier.action == BarrierAction::Sync && barrier.count.is_none();
        // In all threads the same, and a barrier that there is.
        let id =
            if barrier.id.is_constant() { constants.w32.get(barrier.id.index()) } else { None };
        let is_there = id.is_some_and(|id| id[0] < barrier::COUNT as u32);
        let done = is_plain
            && is_there
            && !self.common.look_at_barriers
            && self.common.barriers.in_use().next().is_none()
            && !self.observes_synchronisation();
        self.counts.barriers += u64::from(done);
        done
    }
}
