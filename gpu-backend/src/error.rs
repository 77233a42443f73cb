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
        /// The driver's name of the error: `CUDA_ERROR_INVALID_PTX`.
        name: String,
        /// The driver's words.
        words: String,
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
            GpuError::Driver { call, name, words } => write!(f, "{call}: {words} ({name})"),
            GpuError::Worker { what } => write!(f, "the process that runs the GPU {what}"),
        }
    }
}

impl std::error::Error for GpuError {}
