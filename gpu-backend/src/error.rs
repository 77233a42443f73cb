//! Why a GPU, or a compiler of CUDA, could not be used.

use std::fmt;

/// Why there is nothing to run on, or why it stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GpuError {
    /// The driver's library cannot be loaded.
    NoDriver,
    /// The driver is there, but no GPU with this number.
    NoGpu {
        /// The number that was asked for.
        ordinal: u32,
        /// How many there are.
        count: u32,
    },
    /// A call of the driver failed.
    Driver {
        /// The function.
        call: &'static str,
        /// The number of the error.
        code: u32,
        /// The driver's name of the error: `CUDA_ERROR_INVALID_PTX`.
        name: String,
        /// The driver's words.
        words: String,
        /// What the driver's compiler said, for a module that it refuses; else empty.
        log: String,
    },
    /// The driver's library lacks a function.
    MissingFunction {
        /// Which.
        name: &'static str,
    },
    /// The child process cannot be started, or stopped without an answer.
    Worker {
        /// What happened.
        what: String,
    },
}

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GpuError::NoDriver => f.write_str("no NVIDIA driver found (libcuda)"),
            GpuError::NoGpu { count: 0, .. } => f.write_str("the NVIDIA driver finds no GPU"),
            GpuError::NoGpu { ordinal, count } => {
                write!(
                    f,
                    "there is no GPU {ordinal}: they are counted from 0, and there are {count}"
                )
            }
            GpuError::Driver { call, name, words, log, .. } => {
                write!(f, "{call}: {words} ({name})")?;
                log.lines().try_for_each(|line| write!(f, "\n  {line}"))
            }
            GpuError::MissingFunction { name } => {
                write!(f, "the NVIDIA driver (libcuda) has no function {name}: is it too old?")
            }
            GpuError::Worker { what } => write!(f, "the process that runs the GPU {what}"),
        }
    }
}

impl std::error::Error for GpuError {}

impl GpuError {
    /// The number that the driver gave the error.
    pub fn code(&self) -> Option<u32> {
        match self {
            GpuError::Driver { code, .. } => Some(*code),
            _ => None,
        }
    }

    /// The same with what the driver's compiler said.
    pub(crate) fn with_log(mut self, said: &str) -> GpuError {
        if let GpuError::Driver { log, .. } = &mut self {
            said.clone_into(log);
        }
        self
    }
}
