//! What follows from a turn.
//!
//! Threads that have what they waited for go on: those of a warp operation or a barrier that is
//! complete. Asynchronous copies take effect whose time has come. A block ends with its last
//! thread. And where nothing can go on any more, or the same comes for ever, the run stops.

use super::block::Block;
use super::grid::{Machine, Watcher, no_block, no_warp};
use super::in_flight::{InFlight, Pending};
use super::profile::Model;
use super::stage::Stage;
use super::stop::Stop;
use super::warp::Warp;
use super::{barrier, cluster, divergence, local_loop, patience, poll_loop, stall};
use crate::lanes::Mask;
use crate::lower::Program;
use crate::schedule::{Move, Schedule};

impl Machine {
    /// Lets the threads go that no longer wait, and ends the block when all its threads have.
    pub(super) fn end_turn(
        &mut self,
        choice: Move,
        schedule: &mut dyn Schedule,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<(), Stop> {
        let model = self.launched.environment.model;
        let block = self.current.as_ref().ok_or_else(no_block)?;
        let warp = block.warps.get(choice.warp as usize).ok_or_else(|| no_warp(choice.warp))?;
        if warp.fragments.len() > 1 || warp.live != warp.exists {
            self.settle(choice.warp, watcher)?;
        }
        self.settle_copies(schedule, watcher)?;
        self.complete_barriers(watcher)?;
        let block = self.current.as_ref().ok_or_else(no_block)?;
        let goes_on = |warp: &Warp| warp.ready(model == Model::Lockstep) != 0;
        // The warp that moved is asked first: mostly it goes on.
        if !block.warps.get(choice.warp as usize).is_some_and(goes_on) {
            if block.has_ended() {
                self.perform_copies(InFlight::take_all, watcher)?;
                self.end_block(watcher)?;
            } else if !block.warps.iter().any(goes_on) {
                return Err(Stop::Deadlock(stall::waiting(self)));
            }
        }
        if self.recurrence.is_due() {
            self.look_for_livelock(schedule, watcher)?;
        }
        Ok(())
    }

    /// Settles a warp that has diverged, or of which threads have exited.
    fn settle(&mut self, warp: u32, watcher: &mut Watcher<'_, '_>) -> Result<(), Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let warp = block.warps.get_mut(warp as usize).ok_or_else(|| no_warp(warp))?;
        if self.launched.environment.model == Model::Lockstep {
            return divergence::leave_with_all(warp, &self.launched.environment.program);
        }
        let mut stage =
            self.launched.stage((block.linear, block.index), &mut block.common, watcher);
        stage.settle(warp)
    }

    /// Lets the threads go that wait at a barrier that is complete.
    pub(super) fn complete_barriers(&mut self, watcher: &mut Watcher<'_, '_>) -> Result<(), Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        if !std::mem::take(&mut block.common.look_at_barriers) {
            return Ok(());
        }
        let environment = &self.launched.environment;
        let (program, model) = (&environment.program, environment.model);
        let synchronisation = self.launched.interest.synchronisation;
        if cluster::try_complete(block, watcher.as_deref_mut().filter(|_| synchronisation)) {
            self.launched.counts.barriers += 1;
            bring_together(block, program, model)?;
        }
        for id in block.common.barriers.in_use() {
            let observer = watcher.as_deref_mut().filter(|_| synchronisation);
            if barrier::try_complete(block, id, program, model, observer)? {
                self.launched.counts.barriers += 1;
                bring_together(block, program, model)?;
            }
        }
        Ok(())
    }

    pub(super) fn look_for_local_loop(&mut self, choice: Move, spent: bool) -> Result<(), Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let warp = block.warps.get_mut(choice.warp as usize).ok_or_else(|| no_warp(choice.warp))?;
        if !local_loop::goes_round(warp, spent) {
            return Ok(());
        }
        Err(stall::endless(self, choice.block, choice.warp))
    }

    /// Whether nobody of the block will ever go on.
    #[inline]
    pub(super) fn look_for_stuck_polls(&mut self, choice: Move, spent: bool) -> Result<(), Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        // What asks leaves a note there.
        if block.common.in_flight.is_none() {
            return Ok(());
        }
        match poll_loop::is_stuck(block, choice.warp, spent, self.launched.environment.model)? {
            true => Err(Stop::Deadlock(stall::waiting(self))),
            false => Ok(()),
        }
    }

    /// Finds out whether the lanes spin that have had a turn.
    pub(super) fn look_for_spinning(
        &mut self,
        choice: Move,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<(), Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let warp = block.warps.get_mut(choice.warp as usize).ok_or_else(|| no_warp(choice.warp))?;
        let stage = self.launched.stage((block.linear, block.index), &mut block.common, watcher);
        stage.look_for_spinning(warp);
        Ok(())
    }

    /// Looks whether the state has been there before. Whether that changed something: copies took
    /// effect for which others may wait.
    #[cold]
    pub(super) fn look_for_livelock(
        &mut self,
        schedule: &dyn Schedule,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<bool, Stop> {
        let resident = self.resident.len() + usize::from(self.current.is_some());
        let Some(key) = schedule.recurrence(resident) else { return Ok(false) };
        let mut recurrence = std::mem::take(&mut self.recurrence);
        let repeats = recurrence.repeats(self, key);
        self.recurrence = recurrence;
        // What is spun for may be what a copy brings.
        if !repeats {
            return Ok(false);
        }
        if self.perform_all_copies(watcher)? {
            return Ok(true);
        }
        Err(stall::livelock(self))
    }

    /// Asks when the copies that were begun in this turn take effect, and lets those take effect
    /// whose time has come.
    fn settle_copies(
        &mut self,
        schedule: &mut dyn Schedule,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<(), Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let clock = block.common.clock;
        let Some(flight) = block.common.in_flight.as_deref_mut() else { return Ok(()) };
        if !flight.is_pending() {
            return Ok(());
        }
        if flight.take_undecided() && schedule.copies_at_once() {
            self.perform_copies(InFlight::take_last, watcher)?;
        }
        self.perform_copies(|flight| flight.take_overdue(clock), watcher)
    }

    /// Copies of the current block take effect.
    fn perform_copies(
        &mut self,
        which: impl FnOnce(&mut InFlight) -> Vec<Pending>,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<(), Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let Some(flight) = block.common.in_flight.as_deref_mut() else { return Ok(()) };
        let copies = which(flight);
        if copies.is_empty() {
            return Ok(());
        }
        let mut stage =
            self.launched.stage((block.linear, block.index), &mut block.common, watcher);
        stage.perform(&copies)
    }

    /// All copies of all blocks take effect. Whether there were any.
    fn perform_all_copies(&mut self, watcher: &mut Watcher<'_, '_>) -> Result<bool, Stop> {
        let is_pending = |block: &Block| {
            block.common.in_flight.as_ref().is_some_and(|flight| flight.is_pending())
        };
        let blocks: Vec<u64> =
            self.started().filter(|block| is_pending(block)).map(|block| block.linear).collect();
        for block in &blocks {
            self.enter(*block, watcher)?;
            self.perform_copies(InFlight::take_all, watcher)?;
        }
        Ok(!blocks.is_empty())
    }
}

impl Stage<'_, '_> {
    /// Completes the warp operations of a warp that has diverged, merges its fragments and counts
    /// who was passed over (`independent`).
    pub(super) fn settle(&mut self, warp: &mut Warp) -> Result<(), Stop> {
        self.try_warp_operations(warp)?;
        divergence::merge(warp, Mask::MAX);
        patience::pass_over(warp);
        Ok(())
    }
}

/// Brings the parts of warps together that stand at one place, now that a barrier has let them go.
fn bring_together(block: &mut Block, program: &Program, model: Model) -> Result<(), Stop> {
    block.warps.iter_mut().try_for_each(|warp| match model {
        Model::Independent => {
            divergence::merge(warp, Mask::MAX);
            Ok(())
        }
        Model::Lockstep => divergence::leave_with_all(warp, program),
    })
}
