//! Arrivals of a gang's warps at a block barrier in place, and their events for observers.
//!
//! The events equal the events of [`crate::machine::sync::barrier`] in single turns.
//! `of_warps_that_do_the_same_again_and_again_the_same_is_told_as_of_single_turns`
//! (`simulator/tests/suite/told.rs`) compares them.

use std::ops::Range;

use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Gang, Mask};
use crate::lower::{Barrier, BarrierAction, Pc};
use crate::machine::access::all_lanes::At;
use crate::machine::state::barrier::BARRIERS;
use crate::machine::state::execution::Execution;
use crate::observe::{Arrival, Arrivals, BarrierEvent, Who};

/// A plain barrier at which all threads of the block meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine) struct Met {
    /// The operation.
    pub(super) pc: Pc,
    /// The number of the barrier.
    pub(super) id: u8,
    /// `.aligned`.
    pub(super) aligned: bool,
}

impl Met {
    /// The arrival of lanes of a warp.
    pub(super) fn arrival(self, warp: u32, lanes: Mask) -> Arrival {
        let Met { pc, aligned, .. } = self;
        Arrival { warp, lanes, pc, waits: true, aligned, predicate: 0 }
    }
}

/// The identities of some strands, out of all; empty without an observer.
#[inline]
pub(super) fn those_told_of<'w, 's>(
    all: &'s [Who<'w>],
    strands: Range<usize>,
) -> Result<&'s [Who<'w>], InternalError> {
    if all.is_empty() {
        return Ok(all);
    }
    let lost = || internal!("of {} warps, nobody knows who {strands:?} are", all.len());
    all.get(strands.clone()).ok_or_else(lost)
}

impl Execution<'_, '_> {
    /// The plain barrier at which all threads of the block meet, if they may do so in place.
    #[inline]
    pub(super) fn may_meet_in_place(&self, barrier: &Barrier, pc: Pc) -> Option<Met> {
        let constants = &self.environment.program.constants;
        let is_plain = barrier.action == BarrierAction::Sync && barrier.count.is_none();
        if !is_plain
            || !barrier.id.is_constant()
            || self.common.look_at_barriers
            || self.common.barriers.in_use().next().is_some()
        {
            return None;
        }
        // The number is the same in all threads, and names an existing barrier.
        let id = constants.w32.get(barrier.id.index())?[0];
        let id = u8::try_from(id).ok().filter(|id| usize::from(*id) < BARRIERS)?;
        Some(Met { pc, id, aligned: barrier.aligned })
    }

    /// Reports to the observer that these lanes of warps arrive at a barrier, one warp after the
    /// other.
    pub(super) fn tell_arrivals(
        &mut self,
        met: Met,
        gang: &Gang<'_, '_>,
        at: At<'_>,
        masks: &[Mask],
    ) {
        if !self.observes_synchronisation() {
            return;
        }
        let Some(observer) = self.observer.as_deref_mut() else { return };
        for range in at.in_order(masks.len()) {
            observer.arrivals(&Arrivals {
                program: &self.environment.program,
                pc: met.pc,
                block: self.block,
                block_index: self.block_index,
                barrier: met.id,
                aligned: met.aligned,
                who: &at.who[range.clone()],
                members: &gang.members()[range.clone()],
                masks: &masks[range],
            });
        }
    }

    /// Reports to the observer that the last warps arrive at a barrier, which releases them and the
    /// warps that arrived before.
    #[inline]
    pub(super) fn tell_all_come(
        &mut self,
        met: Met,
        gang: &Gang<'_, '_>,
        at: At<'_>,
        masks: &[Mask],
        before: impl Iterator<Item = (u32, Mask)>,
    ) {
        if !self.observes_synchronisation() {
            return;
        }
        self.tell_arrivals(met, gang, at, masks);
        let last = at.in_order(masks.len()).flatten().map(|n| (at.who[n].warp, masks[n]));
        self.tell_met(met, before.chain(last.filter(|(_, lanes)| *lanes != 0)));
    }

    /// Reports to the observer that a barrier releases all warps, which arrived in this order.
    pub(super) fn tell_met(&mut self, met: Met, come: impl Iterator<Item = (u32, Mask)>) {
        if !self.observes_synchronisation() {
            return;
        }
        let Some(observer) = self.observer.as_deref_mut() else { return };
        let arrivals = &mut *self.come;
        arrivals.clear();
        come.for_each(|(warp, lanes)| arrivals.push(met.arrival(warp, lanes)));
        let (block, barrier) = (self.block, met.id);
        observer.barrier(&BarrierEvent { block, barrier, count: None, arrivals });
    }
}
