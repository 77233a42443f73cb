//! The effects of a turn.
//!
//! Threads go on whose warp operation or barrier is complete. Asynchronous copies that are due take
//! effect. A block ends with its last thread. The run stops where nothing can go on any more, or
//! the state repeats for ever.

use super::grid::Machine;
use crate::lanes::Mask;
use crate::lower::Program;
use crate::machine::control::divergence;
use crate::machine::progress::{local_loop, poll_loop};
use crate::machine::state::block::{Block, no_block, no_warp};
use crate::machine::state::execution::Watcher;
use crate::machine::state::in_flight::{InFlight, Pending};
use crate::machine::state::profile::Model;
use crate::machine::state::stop::Stop;
use crate::machine::state::warp::Warp;
use crate::machine::sync::{barrier, cluster};
use crate::schedule::{Move, Schedule};

impl Machine {
    /// Releases the threads that no longer wait, and ends the block when all its threads have
    /// ended.
    pub(in crate::machine) fn end_turn(
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
        // The moved warp is asked first: usually it goes on.
        if !block.warps.get(choice.warp as usize).is_some_and(goes_on) {
            if block.has_ended() {
                self.perform_copies(InFlight::take_all, watcher)?;
                self.end_block(watcher)?;
            } else if !block.warps.iter().any(goes_on) {
                return Err(Stop::Deadlock(self.waiting()));
            }
        }
        if self.recurrence.is_due() {
            self.look_for_livelock(schedule, watcher)?;
        }
        Ok(())
    }

    /// Settles a warp that has diverged, or has exited threads.
    fn settle(&mut self, warp: u32, watcher: &mut Watcher<'_, '_>) -> Result<(), Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let warp = block.warps.get_mut(warp as usize).ok_or_else(|| no_warp(warp))?;
        if self.launched.environment.model == Model::Lockstep {
            return divergence::leave_with_all(warp, &self.launched.environment.program);
        }
        let mut execution =
            self.launched.execution((block.linear, block.index), &mut block.common, watcher);
        execution.settle(warp)
    }

    /// Releases the threads that wait at a complete barrier.
    pub(in crate::machine) fn complete_barriers(
        &mut self,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<(), Stop> {
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

    pub(in crate::machine) fn look_for_local_loop(
        &mut self,
        choice: Move,
        spent: bool,
    ) -> Result<(), Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let warp = block.warps.get_mut(choice.warp as usize).ok_or_else(|| no_warp(choice.warp))?;
        if !local_loop::goes_round(warp, spent) {
            return Ok(());
        }
        Err(self.endless(choice.block, choice.warp))
    }

    /// Whether no thread of the block will ever go on.
    #[inline]
    pub(in crate::machine) fn look_for_stuck_polls(
        &mut self,
        choice: Move,
        spent: bool,
    ) -> Result<(), Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        // A thread that asks leaves a note there.
        if block.common.in_flight.is_none() {
            return Ok(());
        }
        match poll_loop::is_stuck(block, choice.warp, spent, self.launched.environment.model)? {
            true => Err(Stop::Deadlock(self.waiting())),
            false => Ok(()),
        }
    }

    /// Finds out whether the lanes with the last turn spin.
    pub(in crate::machine) fn look_for_spinning(
        &mut self,
        choice: Move,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<(), Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let warp = block.warps.get_mut(choice.warp as usize).ok_or_else(|| no_warp(choice.warp))?;
        let execution =
            self.launched.execution((block.linear, block.index), &mut block.common, watcher);
        execution.look_for_spinning(warp);
        Ok(())
    }

    /// Examines whether the state has occurred before. Returns whether that changed anything:
    /// copies that others may wait for took effect.
    #[cold]
    pub(in crate::machine) fn look_for_livelock(
        &mut self,
        schedule: &dyn Schedule,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<bool, Stop> {
        let resident = self.resident.len() + usize::from(self.current.is_some());
        let Some(key) = schedule.recurrence(resident) else { return Ok(false) };
        let mut recurrence = std::mem::take(&mut self.recurrence);
        let repeats = recurrence.repeats(self, key);
        self.recurrence = recurrence;
        // Threads may spin for the effect of a copy.
        if !repeats {
            return Ok(false);
        }
        if self.perform_all_copies(watcher)? {
            return Ok(true);
        }
        Err(self.livelock())
    }

    /// Decides when the copies that began in this turn take effect, and carries out those that are
    /// due.
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

    /// Carries out copies of the current block.
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
        let mut execution =
            self.launched.execution((block.linear, block.index), &mut block.common, watcher);
        execution.perform(&copies)
    }

    /// Carries out all copies of all blocks. Returns whether there were any.
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

/// Merges the parts of warps at one place, after a barrier has released them.
fn bring_together(block: &mut Block, program: &Program, model: Model) -> Result<(), Stop> {
    block.warps.iter_mut().try_for_each(|warp| match model {
        Model::Independent => {
            divergence::merge(warp, Mask::MAX);
            Ok(())
        }
        Model::Lockstep => divergence::leave_with_all(warp, program),
    })
}
