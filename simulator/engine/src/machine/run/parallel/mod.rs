//! Blocks that run ahead of their turn, side by side, with the results of one block after the
//! other.
//!
//! The default schedule runs a block to its end, then the next resident one. Blocks that do not see
//! each other can run at the same time instead. Whether they do is not known in advance, so it is
//! checked. A [`Unit`] runs a few blocks in a row on a snapshot of global memory that notes their
//! reads and writes ([`crate::machine::memory`]). Units are committed in the order of their blocks.
//! The first unit that has read a word that an earlier one wrote is discarded with all that follow,
//! and its blocks run again in their turn. The same happens to a unit with a block that does not
//! end alone: it faults, waits for another block, or must hand over to one. No effect of a unit is
//! visible before it is committed: prints, counts and leftovers of shared memory are its own until
//! then.
//!
//! Memory, prints, counts and errors equal the results of [`Machine::run`], bit for bit, for any
//! number of units. `any_number_of_threads_gives_what_one_gives`
//! (`simulator/tests/suite/parallel.rs`) compares them. Launches with effects that cannot be noted
//! run in order from the beginning ([`eligible`]).
//!
//! There are no threads here: the caller decides how units run together.

mod commit;
mod eligible;
mod plan;
mod unit;

pub use unit::Unit;

use super::grid::Machine;
use crate::internal;
use crate::machine::state::stop::Stop;
use crate::machine::state::tally::SLICE;
use crate::schedule::Schedule;
use plan::{Next, Plan};

/// How blocks run side by side.
#[derive(Clone, Copy)]
pub struct Apart<'a> {
    /// How many units at a time; fewer than two for none.
    pub units: usize,
    /// The least work that is worth it, in warp instructions of a launch. With 0 every eligible
    /// launch runs like this.
    pub least: u64,
    /// Runs all of them, in any order or at the same time ([`Unit::run`]).
    pub together: &'a dyn Fn(&mut [Unit]),
}

impl std::fmt::Debug for Apart<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Apart").field("units", &self.units).field("least", &self.least).finish()
    }
}

/// How a block that ran in its turn went on.
enum Ran {
    /// It has ended.
    ToItsEnd,
    /// Another block had its turn before it ended.
    HandedOver,
}

impl Machine {
    /// Runs to the end. Blocks run in parallel if the result is the same as [`Machine::run`] gives
    /// without a watcher.
    ///
    /// # Errors
    /// What stopped it.
    pub fn run_apart(&mut self, schedule: &mut dyn Schedule, apart: Apart<'_>) -> Result<(), Stop> {
        if apart.units < 2 || !self.can_run_apart(schedule) {
            return self.run(schedule, None);
        }
        let mut plan = Plan::new(apart.units, apart.least, self.environment().launch.blocks());
        let mut unused = None;
        while let Some(block) = self.resident.keys().next().copied() {
            self.look_at_meter()?;
            match plan.next(block) {
                Next::InOrder => {
                    let before = self.counts().warp_instructions;
                    if let Ran::HandedOver = self.run_in_turn(schedule, block)? {
                        return self.run(schedule, None);
                    }
                    plan.ran(self.counts().warp_instructions - before);
                }
                Next::Apart(units) => {
                    let unused = unused.get_or_insert_with(|| eligible::unused(self));
                    let outcome =
                        self.run_units(&units, unused, plan.instruction_limit(), apart)?;
                    plan.tried(&outcome);
                }
                Next::Rest => return self.run(schedule, None),
            }
        }
        self.look_at_meter()
    }

    /// Runs the next block to its end.
    fn run_in_turn(&mut self, schedule: &mut dyn Schedule, block: u64) -> Result<Ran, Stop> {
        while self.advance(schedule, &mut None, SLICE)? {
            self.beat()?;
            match &self.current {
                None => return Ok(Ran::ToItsEnd),
                Some(current) if current.linear == block => {}
                Some(_) => return Ok(Ran::HandedOver),
            }
        }
        Err(internal!("block {block} was to run, and nothing was left").into())
    }
}
