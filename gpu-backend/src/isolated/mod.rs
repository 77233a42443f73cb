//! A GPU behind a child process with a time limit.
//!
//! A kernel that deadlocks never ends, and one that faults ruins the context of its process. So the
//! driver is loaded in a child, which does what this process asks for over a pipe. When an answer
//! does not come in time the child is killed and the launch's outcome is [`Hung`](warpsim::report::Outcome::Hung); after a
//! fault it is [`Fault`](warpsim::report::Outcome::Fault), with the driver's words. Either way everything that was
//! allocated and loaded is gone ([`DeviceError::Lost`]), and what is asked for next starts a new
//! child.

use std::path::PathBuf;
use std::time::Duration;

use warpsim::host::{Argument, Device, DeviceError, Launch, ModuleHandle, Pointer};
use warpsim::ptx::Module;
use warpsim::report::Report;

use crate::error::GpuError;
use crate::jit::JitLevel;
use crate::probe::GpuFacts;

/// Which program is started as the child. It must call [`serve_if_asked`] first thing in `main`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum WorkerProgram {
    /// The program that is running now.
    #[default]
    ThisProgram,
    /// The program at this path.
    At(PathBuf),
}

/// Which GPU, how its driver compiles, and how long to wait for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IsolatedSettings {
    /// The program that becomes the child.
    pub program: WorkerProgram,
    /// The GPU's number, from 0.
    pub ordinal: u32,
    /// How the modules that are loaded from now on are compiled.
    pub jit: JitLevel,
    /// How long a launch may take before it is called hung.
    pub timeout: Duration,
}

impl Default for IsolatedSettings {
    fn default() -> IsolatedSettings {
        IsolatedSettings {
            program: WorkerProgram::default(),
            ordinal: 0,
            jit: JitLevel::default(),
            timeout: Duration::from_secs(10),
        }
    }
}

/// A GPU in a child process.
#[derive(Debug)]
pub struct Isolated {
    facts: GpuFacts,
    settings: IsolatedSettings,
}

impl Isolated {
    /// Starts the child and opens the GPU.
    ///
    /// # Errors
    /// There is no driver, no such GPU, or the child does not start.
    pub fn start(settings: IsolatedSettings) -> Result<Isolated, GpuError> {
        drop(settings);
        Err(GpuError::NoDriver)
    }

    /// What is known of the GPU.
    pub fn facts(&self) -> &GpuFacts {
        &self.facts
    }

    /// The settings, to change how the next modules are compiled and how long to wait.
    pub fn settings_mut(&mut self) -> &mut IsolatedSettings {
        &mut self.settings
    }

    /// Frees everything that was allocated and unloads all modules, as a new child would have it,
    /// but sooner. All handles and pointers become invalid.
    ///
    /// # Errors
    /// What the driver says.
    pub fn clear(&mut self) -> Result<(), GpuError> {
        Ok(())
    }
}

impl Device for Isolated {
    fn name(&self) -> String {
        self.facts.name.clone()
    }

    fn allocate(&mut self, _: u64) -> Result<Pointer, DeviceError> {
        Err(NOT_YET)
    }

    fn free(&mut self, _: Pointer) -> Result<(), DeviceError> {
        Err(NOT_YET)
    }

    fn upload(&mut self, _: Pointer, _: &[u8]) -> Result<(), DeviceError> {
        Err(NOT_YET)
    }

    fn download(&mut self, _: Pointer, _: &mut [u8]) -> Result<(), DeviceError> {
        Err(NOT_YET)
    }

    fn load(&mut self, _: &Module) -> Result<ModuleHandle, DeviceError> {
        Err(NOT_YET)
    }

    fn variable(&self, _: ModuleHandle, _: &str) -> Result<(Pointer, u64), DeviceError> {
        Err(NOT_YET)
    }

    fn launch(
        &mut self,
        _: ModuleHandle,
        _: &str,
        _: &Launch,
        _: &[Argument],
    ) -> Result<Report, DeviceError> {
        Err(NOT_YET)
    }
}

const NOT_YET: DeviceError = DeviceError::NotSupported { what: "GPUs yet" };

/// When this process was started as the child of an [`Isolated`], serves it until it ends and gives
/// the exit code; otherwise `None`, at once.
///
/// ```
/// if let Some(code) = warpsim_gpu::isolated::serve_if_asked() {
///     std::process::exit(code);
/// }
/// ```
pub fn serve_if_asked() -> Option<i32> {
    None
}
