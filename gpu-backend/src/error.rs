//! Why a GPU, or a compiler of CUDA, could not be used.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Why there is nothing to run on, or why it stopped.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
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
        call: Cow<'static, str>,
        /// The number of the error.
        code: u32,
        /// The driver's name of the error: `CUDA_ERROR_INVALID_PTX`.
        name: String,
        /// The driver's words.
        words: String,
        /// What the driver's compiler said, for a module that it refuses; else empty.
        log: String,
    },
    /// The driver refused a module in which something needs more than driver or GPU have.
    ModuleNeedsMore {
        /// What does: `elect.sync`, `%clusterid`, `.noreturn`.
        name: String,
        /// The file of the text.
        file: String,
        /// The line, from 1.
        line: u32,
        /// What it needs.
        lacking: Lacking,
        /// The number of the driver's error.
        code: u32,
        /// What the driver said.
        words: String,
    },
    /// The driver's linker refused modules.
    NotLinked {
        /// The files of their texts.
        files: Vec<String>,
        /// The text that it refuses even alone; `None` when they do not fit together.
        refused: Option<String>,
        /// The number of the driver's error.
        code: u32,
        /// What the driver and its linker said.
        words: String,
    },
    /// The driver's library lacks a function.
    MissingFunction {
        /// Which.
        name: Cow<'static, str>,
    },
    /// A name or a text has a zero byte, with which it would end for the driver.
    ZeroByte {
        /// The name, or the text's beginning.
        text: String,
    },
    /// The child process cannot be started, or stopped without an answer.
    Worker {
        /// What happened.
        what: String,
    },
}

/// What a module needs and is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Lacking {
    /// A version of PTX, major and minor.
    Version {
        /// Needed.
        needed: (u32, u32),
        /// The first version of CUDA whose driver takes it.
        cuda: (u32, u32),
        /// The latest that the driver here takes.
        has: (u32, u32),
    },
    /// An architecture: 90 is `sm_90`.
    Target {
        /// Needed.
        needed: u32,
        /// The GPU's own.
        has: u32,
    },
}

impl fmt::Display for Lacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Lacking::Version { needed, cuda, has } => write!(
                f,
                "PTX {}.{}, which drivers of CUDA {}.{} and later accept; this driver accepts PTX \
                 {}.{}",
                needed.0, needed.1, cuda.0, cuda.1, has.0, has.1
            ),
            Lacking::Target { needed, has } => write!(f, "sm_{needed}; this GPU is sm_{has}"),
        }
    }
}

impl fmt::Display for GpuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GpuError::NoDriver => f.write_str("no NVIDIA driver found (libcuda)"),
            GpuError::NoGpu { count: 0, .. } => f.write_str("the NVIDIA driver finds no GPU"),
            GpuError::NoGpu { ordinal, count } => {
                write!(
                    f,
                    "there is no GPU {ordinal}: GPUs are counted from 0, and there are {count}"
                )
            }
            GpuError::Driver { call, name, words, log, .. } => {
                write!(f, "{call}: {words} ({name})")?;
                log.lines().try_for_each(|line| write!(f, "\n  {line}"))
            }
            GpuError::ModuleNeedsMore { name, file, line, lacking, words, .. } => {
                write!(f, "{file}:{line}: {name} needs {lacking}")?;
                words.lines().try_for_each(|line| write!(f, "\n  {}", line.trim_start()))
            }
            GpuError::NotLinked { files, refused, words, .. } => {
                match refused {
                    Some(file) => write!(f, "the driver does not accept {file} for linking")?,
                    None => write!(f, "the driver does not link {}", files.join(", "))?,
                }
                words.lines().try_for_each(|line| write!(f, "\n  {}", line.trim_start()))
            }
            GpuError::MissingFunction { name } => {
                write!(f, "the NVIDIA driver (libcuda) has no function {name}: is it too old?")
            }
            GpuError::ZeroByte { text } => {
                write!(f, "the driver does not accept zero bytes, and there is one in {text:?}")
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
            GpuError::Driver { code, .. }
            | GpuError::ModuleNeedsMore { code, .. }
            | GpuError::NotLinked { code, .. } => Some(*code),
            GpuError::NoDriver
            | GpuError::NoGpu { .. }
            | GpuError::MissingFunction { .. }
            | GpuError::ZeroByte { .. }
            | GpuError::Worker { .. } => None,
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
