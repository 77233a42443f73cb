//! A GPU behind a child process with a time limit.
//!
//! A kernel that deadlocks never ends, and a kernel that faults ruins the context of its process.
//! So a child loads the driver, and serves this process over a socket. When an answer does not come
//! in time, the child is killed and the launch's outcome is
//! [`Hung`](warpsim::report::Outcome::Hung). After a fault it is
//! [`Fault`](warpsim::report::Outcome::Fault), with the driver's words. Either way all allocations
//! and modules are gone ([`DeviceError::Lost`](warpsim::host::DeviceError::Lost)), and the next
//! request starts a new child.
//!
//! | file | purpose |
//! |---|---|
//! | `transport` | the socket between the two processes |
//! | `messages`, `wire`, `frames` | what goes over it, and how it becomes bytes |
//! | `serve` | the child: a device, asked over the socket |
//! | `stand_in` | a simulator that the child serves where there is no GPU |
//! | `worker` | the child as the parent holds it: started, asked, waited for, killed |
//! | `generations` | which handles and addresses belong to the child that runs now |
//! | `device` | the parent's [`Device`](warpsim::host::Device) |
//!
//! Deviations from a GPU in the same process:
//! - A launch also counts as hung when something else takes the time: loading the kernel into the
//!   GPU at its first launch, or launches that were issued to streams before.
//! - Any other call that waits too long (a synchronisation, a download, a free) is
//!   [`DeviceError::Lost`](warpsim::host::DeviceError::Lost). So is everything that was issued and
//!   not yet reported.
//! - An address from before a loss is not known as lost if it was calculated, or kept in memory.

mod device;
mod frames;
mod generations;
mod messages;
mod serve;
mod settings;
mod stand_in;
#[cfg(test)]
mod tests;
mod transport;
mod wire;
mod worker;

use std::cell::RefCell;

use generations::Generation;
use messages::{Answer, Request};
use worker::Worker;

use crate::error::GpuError;
use crate::ffi;
use crate::probe::GpuFacts;

pub use settings::{IsolatedSettings, WorkerProgram};

/// The environment variable that makes a program the child.
const WORKER_VARIABLE: &str = "WARPSIM_GPU_WORKER";

/// A GPU in a child process.
///
/// ```no_run
/// use warpsim::host::{Argument, Device, Launch};
/// use warpsim::report::Outcome;
/// use warpsim_gpu::{Isolated, IsolatedSettings};
///
/// let endless = ".version 7.0 .target sm_70 .address_size 64
///     .visible .entry endless() { again: bra again; }";
/// let mut gpu = Isolated::start(IsolatedSettings::default())?;
/// let module = gpu.load(&warpsim::ptx::parse("endless.ptx", endless)?)?;
/// let report = gpu.launch(module, "endless", &Launch::new(1, 32), &[])?;
/// assert_eq!(report.outcome, Outcome::Hung);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Isolated {
    facts: GpuFacts,
    settings: IsolatedSettings,
    /// The simulator that replaces a GPU, in the words of [`stand_in`].
    stand_in: Option<String>,
    /// Asking changes it, and a [`Device`](warpsim::host::Device) that is only looked at is asked
    /// too.
    state: RefCell<State>,
}

/// The child, and what belongs to it.
#[derive(Debug, Default)]
struct State {
    /// `None` after a loss, until something is asked for.
    worker: Option<Worker>,
    generation: Generation,
}

impl State {
    /// Ends the child, and with it all that it had.
    fn lose(&mut self) {
        self.worker = None;
        self.generation.lose();
    }
}

impl Isolated {
    /// Starts the child and opens the GPU, or what the environment variable `WARPSIM_GPU_STAND_IN`
    /// asks for instead: `simulator` is a simulator that behaves as a GPU does, and with `none`
    /// there is no driver.
    ///
    /// # Errors
    /// There is no driver, no such GPU, or the child does not start.
    pub fn start(settings: IsolatedSettings) -> Result<Isolated, GpuError> {
        match std::env::var(stand_in::VARIABLE) {
            Ok(text) if text == stand_in::NONE => Err(GpuError::NoDriver),
            Ok(text) => Isolated::start_standing_in(&text, settings),
            // Looking for the library is quick; the driver is started in the child only.
            Err(_) if !ffi::is_driver_present() => Err(GpuError::NoDriver),
            Err(_) => Isolated::open(None, settings),
        }
    }

    /// Starts the child with a simulator in place of a GPU, whatever the environment says. The text
    /// has the form of the variable `WARPSIM_GPU_STAND_IN`: `simulator`, or `simulator:` and words
    /// with commas between them. Some words are `schedule=TEXT`, `steps=N`, `busy`, `hang`,
    /// `abort`, `off-by-one`.
    ///
    /// # Errors
    /// The text cannot be read, or the child does not start.
    pub fn start_standing_in(text: &str, settings: IsolatedSettings) -> Result<Isolated, GpuError> {
        Isolated::open(Some(text.to_owned()), settings)
    }

    fn open(stand_in: Option<String>, settings: IsolatedSettings) -> Result<Isolated, GpuError> {
        if std::env::var_os(WORKER_VARIABLE).is_some() {
            // A program that does not ask is started again as its own child, and so on.
            let what = "does not call `serve_if_asked` first thing in `main`, which it must";
            return Err(GpuError::Worker { what: what.to_owned() });
        }
        let (worker, facts) = Worker::start(&settings, stand_in.as_deref())?;
        let state = State { worker: Some(worker), ..State::default() };
        Ok(Isolated { facts, settings, stand_in, state: RefCell::new(state) })
    }

    /// The known facts about the GPU.
    pub fn facts(&self) -> &GpuFacts {
        &self.facts
    }

    /// The settings.
    pub fn settings(&self) -> &IsolatedSettings {
        &self.settings
    }

    /// The settings, to change how the next modules are compiled and how long to wait.
    pub fn settings_mut(&mut self) -> &mut IsolatedSettings {
        &mut self.settings
    }

    /// The number of the child process; `None` after a hang or a fault, until a new one is needed.
    pub fn process(&self) -> Option<u32> {
        self.state.borrow().worker.as_ref().map(Worker::id)
    }

    /// Frees everything that was allocated and unloads all modules, as a new child would have it,
    /// but sooner. All handles and pointers become invalid.
    ///
    /// # Errors
    /// The driver's error. The next request then starts a new child.
    pub fn clear(&mut self) -> Result<(), GpuError> {
        let limit = self.settings.timeout;
        let state = self.state.get_mut();
        let answer = state.worker.as_mut().map(|worker| worker.ask(&Request::Clear, &[], limit));
        match answer {
            Some(Ok((Answer::Done, _))) => state.generation.lose(),
            // Without an answer there is no child any more, and the next is clear.
            _ => state.lose(),
        }
        match answer {
            Some(Ok((Answer::Failed { error }, _))) => Err(error),
            _ => Ok(()),
        }
    }
}

/// When this process was started as the child of an [`Isolated`], serves it until it ends and gives
/// the exit code; otherwise `None`, at once.
///
/// ```
/// if let Some(code) = warpsim_gpu::isolated::serve_if_asked() {
///     std::process::exit(code);
/// }
/// ```
pub fn serve_if_asked() -> Option<i32> {
    let asked = std::env::var_os(WORKER_VARIABLE).is_some();
    asked.then(serve::serve)
}
