//! When the operations of streams were carried out (`exec --perfetto`): launches, copies, sets, and
//! operations of libraries, a line of the journal each.
//!
//! Times are host time: how long the simulator took. A checked launch runs under several schedules,
//! and its time covers all of them. Operations are carried out one at a time when they are issued,
//! so operations of several streams never overlap.

use serde::{Deserialize, Serialize};
use warpsim::report::Outcome;

use crate::Handle;

/// A moment, as a process knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The thread that asks, by a number of its process.
    pub thread: u64,
    /// Nanoseconds of a clock that all processes of the machine share and that never goes back.
    pub nanoseconds: u64,
}

/// An operation of a stream that was carried out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpanEntry {
    /// Which process.
    pub process: u32,
    /// The thread that issued it.
    pub thread: u64,
    /// The program's handle of the context.
    pub context: Handle,
    /// The number of the stream on the device; 0 is the default stream.
    pub stream: u64,
    /// When it began and how long it took, in nanoseconds.
    pub start: u64,
    /// How long it took.
    pub nanoseconds: u64,
    /// The first and the last of the device's operations that it is of.
    pub operations: (u64, u64),
    /// What it did.
    pub task: SpanTask,
}

/// What an operation did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SpanTask {
    /// It ran a kernel.
    Launch {
        /// Its number among the launches of the process, from 1.
        launch: u64,
        /// The kernel.
        kernel: String,
        /// The name of its module: a file, or `module 3`.
        module: String,
        /// Blocks.
        grid: [u32; 3],
        /// Threads of a block.
        block: [u32; 3],
        /// Dynamic shared memory.
        shared: u32,
        /// How it ended.
        outcome: Outcome,
        /// Whether it was checked.
        is_checked: bool,
    },
    /// It copied bytes.
    Copy {
        /// Whether they were memory that the host alone has.
        from_host: bool,
        /// Whether they went there.
        to_host: bool,
        /// How many.
        bytes: u64,
    },
    /// It set bytes.
    Set {
        /// How many.
        bytes: u64,
    },
    /// It was a library's.
    Library {
        /// The function that issued it.
        name: String,
    },
}

/// An operation that has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    /// When.
    pub(crate) moment: Moment,
    /// The number of its first operation on the device.
    pub(crate) first: u64,
}
