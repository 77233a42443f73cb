//! Why host code was refused.

use crate::lower::LowerError;
use crate::ptx::Type;

/// Why a device refused a call.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum DeviceError {
    /// The module is not valid, or uses what warpsim does not support; see [`LowerError::is_unsupported`].
    Program(LowerError),
    /// There is no such kernel.
    UnknownKernel {
        /// What was asked for.
        name: String,
        /// What there is.
        available: Vec<String>,
    },
    /// There is no such module-scope variable.
    UnknownVariable {
        /// What was asked for.
        name: String,
        /// What there is.
        available: Vec<String>,
    },
    /// Too few or too many arguments.
    ArgumentCount {
        /// The kernel.
        kernel: String,
        /// Its parameters.
        expected: usize,
        /// The arguments.
        found: usize,
    },
    /// An argument does not fit its parameter.
    ArgumentType {
        /// The parameter, from 0.
        index: usize,
        /// Its name.
        parameter: String,
        /// Its type.
        expected: Type,
        /// Its size in bytes.
        size: u64,
        /// What was given.
        found: String,
    },
    /// The launch cannot run on this device.
    ImpossibleLaunch {
        /// What is wrong, with the limit.
        reason: String,
    },
    /// The device has not that much memory.
    OutOfMemory {
        /// Bytes asked for.
        requested: u64,
        /// Bytes that are free.
        available: u64,
    },
    /// The bytes do not lie in one allocation.
    BadPointer {
        /// The address.
        address: u64,
        /// The bytes asked for.
        bytes: u64,
    },
    /// The module handle belongs to another device.
    UnknownModule,
    /// A real device or its driver failed; its words.
    Driver(String),
}
