//! Who watches: a trait with hooks that do nothing unless written.
//!
//! Observers see what a run does and cannot change it; the machine does not know what they look
//! for. When nobody watches, a run pays one test per warp instruction.

mod statistics;
mod trace;
mod values;

pub use statistics::{AccessName, Statistics};
pub(crate) use trace::Mark;
pub use trace::{Pending, Step, Touch, Trace, lane_list};
pub use values::{Values, format_bits, width};

use crate::lanes::{LANES, Mask, Registers};
use crate::lower::{Pc, Place, Program, Semantics};
use crate::ptx::Space;

/// One warp instruction, before or after it happens.
#[derive(Clone, Copy, Debug)]
pub struct Event<'a> {
    /// The program.
    pub program: &'a Program,
    /// The operation.
    pub pc: Pc,
    /// The block's linear number.
    pub block: u64,
    /// `%ctaid`.
    pub block_index: [u32; 3],
    /// The warp in the block.
    pub warp: u32,
    /// The lanes that are there.
    pub mask: Mask,
    /// Those of them whose guard holds: on them it has an effect.
    pub active: Mask,
    /// `%tid` of the lanes.
    pub thread: &'a [[u32; LANES]; 3],
    /// The function that they are in, as an index into the program's.
    pub function: usize,
    /// The registers of their activation, as they are at this moment.
    pub registers: &'a Registers,
}

impl<'a> Event<'a> {
    /// Where the instruction stands.
    pub fn place(&self) -> &'a Place {
        &self.program.places[self.pc as usize]
    }
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes in one step.
    Atomic,
}

/// What one warp instruction asks of one state space.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// What it does.
    pub kind: AccessKind,
    /// The state space, after generic addresses were told apart.
    pub space: Space,
    /// The lanes that access this space.
    pub mask: Mask,
    /// Their addresses in the space; others hold anything.
    pub addresses: &'a [u64; LANES],
    /// Bytes for each lane.
    pub bytes: u32,
    /// What orders it.
    pub semantics: Semantics,
    /// Through the non-coherent path.
    pub non_coherent: bool,
}

/// Watches a run.
#[expect(unused_variables, reason = "the defaults do nothing")]
pub trait Observer {
    /// A launch begins.
    fn launch_begin(&mut self, program: &Program) {}
    /// A block begins.
    fn block_begin(&mut self, block: u64) {}
    /// A warp instruction is about to happen.
    fn before(&mut self, event: &Event<'_>) {}
    /// A warp instruction accesses memory; between `before` and `after`, once for each state
    /// space that it touches.
    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {}
    /// It has happened.
    fn after(&mut self, event: &Event<'_>) {}
    /// A block barrier lets its threads go.
    fn barrier(&mut self, block: u64, barrier: u8) {}
    /// A block has ended.
    fn block_end(&mut self, block: u64) {}
    /// The launch has ended, or stopped.
    fn launch_end(&mut self) {}
}
