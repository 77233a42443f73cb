//! How the simulator runs its launches.

use std::sync::Arc;

use super::launcher::Launcher;
use super::streams::StreamOrder;
use super::threads::Threads;
use crate::check::Checking;
use crate::findings::listener::Listener;
use crate::machine::{Meter, Model, SharedInit};
use crate::preference::{PreferenceError, Reason, Variable};
use crate::schedule::{InOrder, Schedule};

/// How the simulator runs its launches.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Settings {
    /// The execution model.
    pub model: Model,
    /// The schedule, which decides who runs next. Every launch starts from a copy of it.
    pub schedule: Box<dyn Schedule>,
    /// What shared memory holds when a block starts.
    pub shared_init: SharedInit,
    /// Warp instructions after which a launch ends with [`crate::report::Outcome::Limit`].
    pub max_steps: u64,
    /// What launches are checked for, beyond what stops them; `None` for nothing. An analysis that
    /// has watched an earlier launch of the device goes on under its name.
    pub checking: Option<Checking>,
    /// How many host threads the blocks of a launch may use. It affects only the time.
    pub threads: Threads,
    /// Whether warps of a block may execute together the operations that no other thread can
    /// notice. It affects only the time. The default is [`Settings::gangs_of_environment`].
    pub gangs: bool,
    /// The meter to which runs report their progress, and which can end them; nothing else depends
    /// on it.
    pub meter: Option<Arc<Meter>>,
    /// A listener that gets findings as they are found, where launches are explored or checked
    /// under several schedules. Nothing else depends on it.
    pub listener: Option<Listener>,
    /// Which kind of user describes launches; it affects only words.
    pub launcher: Launcher,
    /// The order of operations that streams and events leave unordered.
    pub stream_order: StreamOrder,
    /// Whether the user of the device carries out the launches that kernels ask for
    /// ([`crate::report::Report::launches`]). Otherwise such kernels are refused. It counts when a
    /// module is loaded.
    pub device_launches: bool,
}

impl Settings {
    /// What the environment variable `WARPSIM_GANGS` asks for: `on` or `off`.
    ///
    /// # Errors
    ///
    /// It is neither.
    pub fn gangs_of_environment() -> Result<Option<bool>, PreferenceError> {
        Variable::Gangs.asked(|text| match text {
            "on" => Ok(true),
            "off" => Ok(false),
            _ => Err(Reason::NoneOf(vec!["on".to_owned(), "off".to_owned()])),
        })
    }
}

/// The settings that the environment asks for, as far as they are possible.
impl Default for Settings {
    fn default() -> Settings {
        Settings {
            model: Model::default(),
            schedule: Box::new(InOrder::new()),
            shared_init: SharedInit::default(),
            max_steps: 1_000_000_000_000,
            checking: None,
            threads: Threads::default(),
            gangs: !matches!(Settings::gangs_of_environment(), Ok(Some(false))),
            meter: None,
            listener: None,
            launcher: Launcher::default(),
            stream_order: StreamOrder::default(),
            device_launches: false,
        }
    }
}
