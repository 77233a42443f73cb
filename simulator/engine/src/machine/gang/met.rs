//! Barriers of the block that warps of a gang come to where they stand, and what observers are told
//! of that: what they are told one turn at a time.

use std::ops::Range;

use crate::internal;
use crate::internal::InternalError;
use crate::lanes::{Gang, Mask};
use crate::lower::{Barrier, BarrierAction, Pc};
use crate::machine::at_once::At;
use crate::machine::barrier;
use crate::machine::stage::Stage;
use crate::observe::{Arrival, Arrivals, BarrierEvent, Who};

/// A barrier that all threads of the block meet at, without more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Met {
    /// The operation.
    pub(super) pc: Pc,
    /// Which barrier it is.
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

/// Who some strands are, of all; nobody where none is told.
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

impl Stage<'_, '_> {
    /// Which barrier it is that all threads of the block meet at, without more, if they may do so
    /// in place.
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
        // In all threads the same, and a barrier that there is.
        let id = constants.w32.get(barrier.id.index())?[0];
        let id = u8::try_from(id).ok().filter(|id| usize::from(*id) < barrier::COUNT)?;
        Some(Met { pc, id, aligned: barrier.aligned })
    }

    /// Tells the observer that these lanes of warps arrive at a barrier, of one warp after the
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

    /// Tells the observer that the last warps arrive at a barrier, which lets all go: those, and
    /// others that have come before.
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

    /// Tells the observer that a barrier lets all go, which have come in this order.
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
