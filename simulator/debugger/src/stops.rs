//! The answers of the core: why the launch has stopped, and how a person left.

use crate::values::Value;
use warpsim::host::{ArgumentPlace, Pointer};
use warpsim::lanes::Mask;
use warpsim::observe::AccessKind;
use warpsim::ptx::Type;

/// A buffer that an argument points to.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Buffer {
    /// The argument, or the place in a struct.
    pub place: ArgumentPlace,
    /// Its address.
    pub pointer: Pointer,
    /// The type of its cells.
    pub ty: Type,
    /// Its size in bytes.
    pub bytes: u64,
}

impl Buffer {
    /// A buffer of cells of this type.
    pub fn new(place: ArgumentPlace, pointer: Pointer, ty: Type, bytes: u64) -> Buffer {
        Buffer { place, pointer, ty, bytes }
    }
}

/// Why the launch has stopped.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Stop {
    /// Threads reached a breakpoint.
    Breakpoint {
        /// The breakpoint's number.
        id: u32,
        /// The lanes of the warp in focus that stop.
        lanes: Mask,
    },
    /// Watched memory was accessed, or changed.
    Watch(WatchHit),
    /// The threads have moved as far as was asked.
    Moved,
    /// The user asked the launch to pause.
    Paused,
    /// Nothing has been executed.
    Beginning,
    /// The launch has ended, or was stopped: see [`Debugger::outcome`](crate::Debugger::outcome).
    Ended,
}

/// How a person left a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionEnd {
    /// A program that the launch is a part of goes on.
    GoesOn,
    /// The program ends.
    Terminates,
}

/// An access to watched memory.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WatchHit {
    /// The watchpoint's number.
    pub id: u32,
    /// The number of the step that accessed it.
    pub step: usize,
    /// The lanes that did. None where the memory changed without an instruction.
    pub lanes: Mask,
    /// What they did; `None` for a register, and for a change without an instruction.
    pub kind: Option<AccessKind>,
    /// The values before the step. Empty where they are not known.
    pub before: Vec<Value>,
    /// The values after the step.
    pub after: Vec<Value>,
}
