//! Consecutive blocks that run ahead of their turn.
//!
//! A committed unit equals its blocks under [`Machine::run`].
//! `any_number_of_threads_gives_what_one_gives` (`simulator/tests/suite/parallel.rs`) compares
//! them.

use std::ops::Range;
use std::sync::Arc;

use crate::internal;
use crate::internal::InternalError;
use crate::machine::memory::{Changes, GlobalMemory};
use crate::machine::progress::recurrence::Recurrence;
use crate::machine::run::grid::Machine;
use crate::machine::state::execution::Launched;
use crate::machine::state::printed::Printed;
use crate::machine::state::shared_init::Leftovers;
use crate::machine::state::stop::Stop;
use crate::machine::state::tally::SLICE;
use crate::report::Counts;
use crate::schedule::InOrder;

/// Consecutive blocks that run ahead of their turn, one after the other, on their own memory.
#[derive(Debug)]
pub struct Unit {
    state: State,
}

/// Whether a unit has run.
#[derive(Debug)]
enum State {
    /// It has not.
    Before(Box<Ahead>),
    /// Each of its blocks ended, with these effects.
    Done(Box<Done>),
    /// A block did not end alone.
    GivenUp,
    /// A bug of warpsim.
    Broken(InternalError),
}

/// Blocks about to run ahead of their turn.
#[derive(Debug)]
struct Ahead {
    /// A machine that holds these blocks alone.
    machine: Machine,
    blocks: Range<u64>,
    /// The most instructions of one block, before it counts as waiting for another. `None` for the
    /// first unit: all other blocks that its blocks can wait for have ended.
    limit: Option<u64>,
}

/// The effects of blocks.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) blocks: Range<u64>,
    pub(super) changes: Changes,
    pub(super) counts: Counts,
    pub(super) printed: Printed,
    /// The contents that they left in the shared memory of their multiprocessors.
    pub(super) leftovers: Leftovers,
    /// How many turns they had.
    pub(super) turns: u64,
}

impl Unit {
    pub(super) fn new(
        launch: &Machine,
        global: GlobalMemory,
        blocks: Range<u64>,
        limit: Option<u64>,
    ) -> Unit {
        let machine = Machine {
            launched: Launched::new(Arc::clone(launch.environment()), global),
            shared_init: launch.shared_init,
            max_steps: launch.max_steps,
            leftovers: Leftovers::default(),
            current: None,
            resident: Default::default(),
            taken: Default::default(),
            turn: None,
            recurrence: Recurrence::without_looks(),
            gangs: launch.gangs,
            spare: None,
            spare_shared: None,
            room: None,
            pulse: launch.pulse.of_another(),
        };
        Unit { state: State::Before(Box::new(Ahead { machine, blocks, limit })) }
    }

    /// Runs its blocks, as far as they end alone. A second call does nothing.
    pub fn run(&mut self) {
        self.state = match std::mem::replace(&mut self.state, State::GivenUp) {
            State::Before(ahead) => match ahead.run() {
                Ok(Some(done)) => State::Done(Box::new(done)),
                Ok(None) => State::GivenUp,
                Err(error) => State::Broken(error),
            },
            state @ (State::Done(_) | State::GivenUp | State::Broken(_)) => state,
        };
    }

    /// The effects of its blocks; `None` when not all ended.
    pub(super) fn into_done(self) -> Result<Option<Done>, InternalError> {
        match self.state {
            State::Done(done) => Ok(Some(*done)),
            State::GivenUp => Ok(None),
            State::Broken(error) => Err(error),
            State::Before(_) => Err(internal!("blocks were to run ahead and have not")),
        }
    }
}

impl Ahead {
    fn run(mut self) -> Result<Option<Done>, InternalError> {
        for block in self.blocks.clone() {
            if !self.run_block(block)? {
                return Ok(None);
            }
        }
        if self.machine.look_at_meter().is_err() {
            return Ok(None);
        }
        let Machine { launched, leftovers, recurrence, .. } = self.machine;
        Ok(Some(Done {
            blocks: self.blocks,
            changes: launched.global.into_changes()?,
            counts: launched.counts,
            printed: launched.printed,
            leftovers,
            turns: recurrence.turns(),
        }))
    }

    /// Runs a block. Returns whether it ended.
    fn run_block(&mut self, block: u64) -> Result<bool, InternalError> {
        let machine = &mut self.machine;
        let began = machine.counts().warp_instructions;
        machine.resident.insert(block, None);
        let mut schedule = InOrder::alone();
        loop {
            let advanced = machine.advance(&mut schedule, &mut None, SLICE);
            match advanced.and_then(|goes_on| machine.beat().map(|()| goes_on)) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(Stop::Internal(error)) => return Err(error),
                // It happens again in its turn, and is reported then.
                Err(
                    Stop::Memory { .. }
                    | Stop::Trap(_)
                    | Stop::Fault { .. }
                    | Stop::Deadlock(_)
                    | Stop::Livelock { .. }
                    | Stop::Limit(_)
                    | Stop::Interrupted(_),
                ) => return Ok(false),
            }
            if machine.current.is_none() {
                // The multiprocessor's next block is not part of this unit.
                machine.resident.clear();
                machine.taken.clear();
                return Ok(true);
            }
            let executed = machine.counts().warp_instructions - began;
            if self.limit.is_some_and(|limit| executed > limit) {
                return Ok(false);
            }
        }
    }
}
