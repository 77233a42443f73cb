//! Runs units together and commits those that saw what they would have seen in their turn.
//!
//! The result equals [`Machine::run`]. `any_number_of_threads_gives_what_one_gives`
//! (`simulator/tests/suite/parallel.rs`) compares them.

use std::ops::Range;
use std::sync::Arc;

use super::plan::Outcome;
use super::unit::Done;
use super::{Apart, Unit};
use crate::internal::InternalError;
use crate::machine::memory::Written;
use crate::machine::run::grid::Machine;
use crate::machine::state::shared_init;
use crate::report::Counts;

impl Machine {
    /// Runs blocks side by side and commits them in order, as far as possible.
    pub(super) fn run_units(
        &mut self,
        units: &[Range<u64>],
        unused: &Arc<[bool]>,
        limit: u64,
        apart: Apart<'_>,
    ) -> Result<Outcome, InternalError> {
        let unit = |(index, blocks): (usize, &Range<u64>)| {
            let global = self.launched.global.speculative(unused);
            Unit::new(self, global, blocks.clone(), (index > 0).then_some(limit))
        };
        let mut units: Vec<Unit> = units.iter().enumerate().map(unit).collect();
        (apart.together)(&mut units);
        // Their snapshots are dropped before anything is written.
        let done = units.into_iter().map(Unit::into_done);
        let done = done.collect::<Result<Vec<Option<Done>>, InternalError>>()?;
        let mut written = Written::default();
        for done in done {
            // The unit in which the limit is reached stops somewhere in the middle.
            let is_below = |done: &Done| {
                self.counts().warp_instructions + done.counts.warp_instructions < self.max_steps
            };
            let Some(done) = done.filter(is_below) else {
                return Ok(Outcome::Stops);
            };
            if !self.take_over(done, &mut written)? {
                return Ok(Outcome::Conflict);
            }
        }
        Ok(Outcome::All)
    }

    /// Commits the work of the next blocks, unless they read words that others have `written`
    /// since. Returns whether it did so.
    fn take_over(&mut self, done: Done, written: &mut Written) -> Result<bool, InternalError> {
        let Done { blocks, changes, counts, printed, leftovers, turns } = done;
        if !self.launched.global.commit(changes, written)? {
            return Ok(false);
        }
        self.pulse.others_told(counts.lane_instructions);
        add(&mut self.launched.counts, counts);
        self.launched.printed.append(printed);
        self.recurrence.skip(turns);
        for block in blocks {
            self.resident.remove(&block);
            self.take_next(self.launched.environment.multiprocessor(block));
        }
        for (multiprocessor, shared) in leftovers {
            shared_init::keep(&mut self.leftovers, multiprocessor, shared);
        }
        Ok(true)
    }
}

/// Adds the counts of a unit.
fn add(counts: &mut Counts, more: Counts) {
    let Counts { warp_instructions, lane_instructions, branches, divergent_branches, barriers } =
        more;
    counts.warp_instructions += warp_instructions;
    counts.lane_instructions += lane_instructions;
    counts.branches += branches;
    counts.divergent_branches += divergent_branches;
    counts.barriers += barriers;
}
