//! How the simulator runs its launches.

use super::streams::StreamOrder;
use super::threads::Threads;
use crate::check::Checking;
use crate::machine::{Machine, Model, SharedInit};
use crate::schedule::{InOrder, Schedule};

/// How the simulator runs its launches.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The execution model.
    pub model: Model,
    /// Who runs next. Every launch starts from a copy of this.
    pub schedule: Box<dyn Schedule>,
    /// What shared memory holds when a block starts.
    pub shared_init: SharedInit,
    /// Warp instructions after which a launch ends with [`crate::report::Outcome::Limit`].
    pub max_steps: u64,
    /// What launches are checked for, beyond what stops them; `None` for nothing. An analysis that
    /// has watched an earlier launch of the device goes on under its name.
    pub checking: Option<Checking>,
    /// How many host threads the blocks of a launch may use. Nothing depends on it but the time.
    pub threads: Threads,
    /// Whether warps of a block may execute together what nobody else can notice. Nothing depends on it but the time;
    /// not if the environment variable `WARPSIM_GANGS` is `off`.
    pub gangs: bool,
    /// In which order operations happen that streams and events leave unordered.
    pub stream_order: StreamOrder,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            model: Model::default(),
            schedule: Box::new(InOrder::new()),
            shared_init: SharedInit::default(),
            max_steps: 1_000_000_000_000,
            checking: None,
            threads: Threads::default(),
            gangs: Machine::forms_gangs_by_default(),
            stream_order: StreamOrder::default(),
        }
    }
}
