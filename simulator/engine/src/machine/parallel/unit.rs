//! Blocks in a row that run ahead of their turn.

use std::ops::Range;
use std::sync::Arc;

use super::super::grid::{Leftovers, Machine, SLICE};
use super::super::memory::{Changes, GlobalMemory};
use super::super::recurrence::Recurrence;
use super::super::runtime::Printed;
use super::super::stage::Launched;
use super::super::stop::Stop;
use crate::internal;
use crate::internal::InternalError;
use crate::report::Counts;
use crate::schedule::InOrder;

/// Blocks in a row that run ahead of their turn, one after the other, on a memory of their own.
#[derive(Debug)]
pub struct Unit {
    state: State,
}

/// Whether a unit has run.
#[derive(Debug)]
enum State {
    /// It has not.
    Before(Box<Ahead>),
    /// Each of its blocks came to its end, and did this.
    Done(Box<Done>),
    /// A block did not come to its end alone.
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
    /// The most instructions of one block, beyond which it is taken to wait for another; `None` for
    /// the first unit, for whose blocks all others that they can wait for have ended.
    limit: Option<u64>,
}

/// What blocks did.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) blocks: Range<u64>,
    pub(super) changes: Changes,
    pub(super) counts: Counts,
    pub(super) printed: Printed,
    /// What they left in the shared memory of their multiprocessors.
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

    /// Runs its blocks, as far as they come to their end alone. Does nothing the second time.
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

    /// What its blocks did; `None` when not all came to their end.
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

    /// Runs a block. Whether it came to its end.
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
                // It happens again in its turn, and is told then.
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
                // What its multiprocessor would take next is not ours.
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
