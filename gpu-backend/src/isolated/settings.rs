//! The settings: the GPU, the program, the time limits.

use std::path::PathBuf;
use std::time::Duration;

use crate::jit::JitLevel;

/// Which program is started as the child. It must call [`super::serve_if_asked`] first thing in
/// `main`.
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
#[non_exhaustive]
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

impl IsolatedSettings {
    /// The same with this program as the child.
    pub fn with_program(mut self, program: WorkerProgram) -> IsolatedSettings {
        self.program = program;
        self
    }

    /// The same for the GPU with this number.
    pub fn with_ordinal(mut self, ordinal: u32) -> IsolatedSettings {
        self.ordinal = ordinal;
        self
    }

    /// The same with this level of the driver's compiler.
    pub fn with_jit(mut self, jit: JitLevel) -> IsolatedSettings {
        self.jit = jit;
        self
    }

    /// The same with so long for a launch.
    pub fn with_timeout(mut self, timeout: Duration) -> IsolatedSettings {
        self.timeout = timeout;
        self
    }
}
