//! Turns: the schedule chooses a warp, and it runs up to its next visible operation.
//!
//! This is the general path of a launch. [`super::rounds`] and [`super::parallel`] must give what
//! it gives.

use std::sync::Arc;

use super::grid::{Machine, Turn};
use crate::internal;
use crate::lanes::Mask;
use crate::machine::control::{divergence, furthest_behind};
use crate::machine::execute::fragment::Pause;
use crate::machine::progress::meter::Meter;
use crate::machine::state::block::{Block, no_block, no_warp};
use crate::machine::state::environment::Environment;
use crate::machine::state::execution::Watcher;
use crate::machine::state::fragment::{Chosen, State};
use crate::machine::state::profile::Model;
use crate::machine::state::shared_init;
use crate::machine::state::stop::Stop;
use crate::machine::state::tally::SLICE;
use crate::machine::state::warp::Warp;
use crate::schedule::{Choice, Move, Schedule};

impl Machine {
    /// Reports the progress of the run to this meter from now on, and lets the meter end the run.
    pub fn tell(&mut self, meter: Arc<Meter>) {
        self.pulse.tell(meter);
    }

    /// A turn is over: now and then the meter gets the progress, and may end the run.
    #[inline]
    pub(in crate::machine) fn beat(&mut self) -> Result<(), Stop> {
        if self.pulse.is_due() { self.look_at_meter() } else { Ok(()) }
    }

    /// Reports the progress of the run to the meter, and asks it whether to go on.
    pub(in crate::machine) fn look_at_meter(&mut self) -> Result<(), Stop> {
        let counts = self.launched.counts;
        match self.pulse.look(&counts) && !self.has_ended() {
            true => Err(Stop::Interrupted(counts.warp_instructions)),
            false => Ok(()),
        }
    }

    /// Runs to the end.
    ///
    /// # Errors
    /// What stopped it.
    pub fn run(
        &mut self,
        schedule: &mut dyn Schedule,
        mut watcher: Watcher<'_, '_>,
    ) -> Result<(), Stop> {
        self.look_at_meter()?;
        while self.advance(schedule, &mut watcher, SLICE)? {
            self.beat()?;
        }
        self.look_at_meter()
    }

    /// Executes one warp instruction. Returns `false` if nothing was left to do.
    ///
    /// # Errors
    /// What stopped it.
    pub fn step(
        &mut self,
        schedule: &mut dyn Schedule,
        mut watcher: Watcher<'_, '_>,
    ) -> Result<bool, Stop> {
        self.advance(schedule, &mut watcher, 1)
    }

    /// Goes on with the turn, or begins the next, for at most `limit` instructions.
    pub(in crate::machine) fn advance(
        &mut self,
        schedule: &mut dyn Schedule,
        watcher: &mut Watcher<'_, '_>,
        limit: u64,
    ) -> Result<bool, Stop> {
        let turn = match self.turn.take() {
            Some(turn) => turn,
            None if self.has_ended() => return Ok(false),
            None => {
                let choice = schedule.next(self);
                let choice = choice.ok_or_else(|| Stop::Deadlock(self.waiting()))?;
                self.launched.looks_for_spinning = schedule.lets_spinning_wait();
                self.enter(choice.block, watcher)?;
                if limit == SLICE && self.take_turns_together(choice, schedule, watcher)? {
                    return Ok(true);
                }
                self.begin_turn(choice)?
            }
        };
        self.take_turn(turn, limit, schedule, watcher)?;
        Ok(true)
    }

    /// Goes on with a turn for at most `limit` instructions, and carries out its effects when it is
    /// over.
    fn take_turn(
        &mut self,
        mut turn: Turn,
        limit: u64,
        schedule: &mut dyn Schedule,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<(), Stop> {
        let executed = self.launched.counts.warp_instructions;
        if executed >= self.max_steps {
            return Err(Stop::Limit(self.max_steps));
        }
        let mut left = turn.left.min(limit).min(self.max_steps - executed);
        let allotted = left;
        let over = self.run_turn(turn.choice, turn.goes_on.take(), &mut left, watcher)?;
        turn.left -= allotted - left;
        if over || turn.left == 0 {
            self.look_for_local_loop(turn.choice, !over)?;
            self.look_for_stuck_polls(turn.choice, !over)?;
            if self.launched.looks_for_spinning {
                self.look_for_spinning(turn.choice, watcher)?;
            }
            self.end_turn(turn.choice, schedule, watcher)?;
        } else {
            self.turn = Some(turn);
        }
        Ok(())
    }

    /// Begins a turn, or continues one from the place where the warp has run ahead.
    fn begin_turn(&mut self, choice: Move) -> Result<Turn, Stop> {
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let warp = block.warps.get_mut(choice.warp as usize).ok_or_else(|| no_warp(choice.warp))?;
        let Some(ahead) = warp.ahead.take() else {
            return Ok(Turn { choice, left: SLICE, goes_on: None });
        };
        block.common.clock += ahead.tally.instructions;
        ahead.tally.count_in(&mut self.launched.counts);
        let left = SLICE.saturating_sub(ahead.tally.instructions);
        Ok(Turn { choice, left, goes_on: Some(ahead.chosen) })
    }

    /// Makes a block the current one, and starts it if it has not started.
    #[inline]
    pub(in crate::machine) fn enter(
        &mut self,
        linear: u64,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<(), Stop> {
        match &self.current {
            Some(block) if block.linear == linear => Ok(()),
            Some(_) | None => self.change_block(linear, watcher),
        }
    }

    /// Makes another block the current one.
    #[inline(never)]
    fn change_block(&mut self, linear: u64, watcher: &mut Watcher<'_, '_>) -> Result<(), Stop> {
        if let Some(block) = self.current.take() {
            self.resident.insert(block.linear, Some(block));
        }
        self.current = match self.resident.remove(&linear) {
            Some(Some(block)) => Some(block),
            Some(None) => {
                if let Some(observer) = watcher.as_deref_mut() {
                    observer.block_begin(linear);
                }
                let sm = self.launched.environment.multiprocessor(linear);
                let bytes = self.launched.environment.shared_bytes().into();
                let left = self.leftovers.get(&sm);
                let spare = self.spare_shared.take();
                let shared = shared_init::initial(self.shared_init, linear, bytes, left, spare);
                let environment = &self.launched.environment;
                Some(match self.spare.take() {
                    Some(mut block) => {
                        block.renew(linear, environment, shared);
                        block
                    }
                    None => Box::new(Block::new(linear, environment, shared)),
                })
            }
            None => return Err(internal!("the schedule chose block {linear}, not resident").into()),
        };
        Ok(())
    }

    /// Runs the chosen lanes of the current block. Returns whether the turn is over.
    fn run_turn(
        &mut self,
        choice: Move,
        goes_on: Option<Chosen>,
        left: &mut u64,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<bool, Stop> {
        let lockstep = self.launched.environment.model == Model::Lockstep;
        let block = self.current.as_mut().ok_or_else(no_block)?;
        let warp = block.warps.get_mut(choice.warp as usize).ok_or_else(|| no_warp(choice.warp))?;
        let mut execution =
            self.launched.execution((block.linear, block.index), &mut block.common, watcher);
        if let Choice::Only(lanes) = choice.lanes
            && !lockstep
        {
            separate(warp, lanes);
        }
        let mut goes_on = goes_on;
        loop {
            let chosen = match goes_on.take() {
                Some(chosen) => Some(chosen),
                None => choose(warp, execution.environment, choice.lanes.mask())?,
            };
            let Some(chosen) = chosen else { return Ok(true) };
            match execution.run(warp, chosen, left)? {
                Pause::Visible => return Ok(true),
                Pause::Spent => return Ok(false),
                Pause::Look => {}
            }
        }
    }

    #[inline(never)]
    pub(in crate::machine) fn end_block(
        &mut self,
        watcher: &mut Watcher<'_, '_>,
    ) -> Result<(), Stop> {
        let mut block = self.current.take().ok_or_else(no_block)?;
        if let Some(observer) = watcher.as_deref_mut() {
            observer.block_end(block.linear);
        }
        let sm = self.launched.environment.multiprocessor(block.linear);
        let shared = std::mem::take(&mut block.common.shared);
        self.spare_shared = shared_init::keep(&mut self.leftovers, sm, shared);
        self.spare = Some(block);
        self.recurrence.forget();
        self.take_next(sm);
        Ok(())
    }

    /// Gives a multiprocessor its next block, after one has ended.
    pub(in crate::machine) fn take_next(&mut self, sm: u32) {
        // Where blocks are left to take, every multiprocessor was full at first.
        let first = u64::from(self.launched.environment.blocks_per_multiprocessor());
        let taken = first + self.taken.get(&sm).copied().unwrap_or(0);
        let next = u64::from(sm)
            + taken * u64::from(self.launched.environment.profile.multiprocessors.max(1));
        if next < self.launched.environment.launch.blocks() {
            *self.taken.entry(sm).or_insert(0) += 1;
            self.resident.insert(next, None);
        }
    }
}

/// The fragment of a warp that moves next, within the lanes `allowed`. Fragments at one place are
/// merged first.
pub(in crate::machine) fn choose(
    warp: &mut Warp,
    environment: &Environment,
    allowed: Mask,
) -> Result<Option<Chosen>, Stop> {
    let program = &environment.program;
    let alone = Chosen { index: 0, horizon: u32::MAX };
    let chosen = match warp.fragments.as_slice() {
        [] => None,
        [only] if only.state == State::Ready => {
            warp.patience.rests();
            (only.mask & allowed != 0).then_some(alone)
        }
        _ if environment.model == Model::Lockstep => {
            divergence::leave_with_all(warp, program)?;
            let top = warp.fragments.len().saturating_sub(1);
            (warp.ready(true) != 0).then_some(Chosen { index: top, horizon: 0 })
        }
        _ => match furthest_behind::of_two(warp, program, allowed) {
            Some(chosen) => {
                warp.patience.rests();
                Some(chosen)
            }
            None => {
                divergence::merge(warp, allowed);
                furthest_behind::furthest_behind(warp, program, allowed)
            }
        },
    };
    if let Some(chosen) = chosen {
        warp.fragments[chosen.index].passed_over = 0;
    }
    Ok(chosen)
}

/// Splits off the chosen lanes that are ready and at one place with the lowest of them.
fn separate(warp: &mut Warp, lanes: Mask) {
    let ready = warp
        .fragments
        .iter()
        .enumerate()
        .filter(|(_, f)| f.state == State::Ready && f.mask & lanes != 0);
    let lowest = ready.min_by_key(|(_, f)| (f.mask & lanes).trailing_zeros());
    if let Some((index, fragment)) = lowest
        && fragment.mask & !lanes != 0
    {
        let part = fragment.mask & lanes;
        divergence::split(warp, index, part);
    }
}
