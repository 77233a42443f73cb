//! Regions of memory that a person names, and watchpoints on them.

use std::fmt;

use warpsim::lanes::{Mask, lanes_of};
use warpsim::observe::{AccessKind, Step, Touch, width};
use warpsim::ptx::{Space, Type};

use crate::expression::Expression;
use crate::threads::ThreadId;
use crate::values::Value;

/// The most bytes that are watched.
pub(crate) const MOST_WATCHED: u64 = 1 << 16;

/// What a person looks at.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Target {
    /// A register of a thread.
    Register(ThreadId, String),
    /// Cells in memory.
    Memory(Region),
}

/// Cells in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Region {
    /// What a person calls it: `s`, `@0`.
    pub name: String,
    /// The block whose shared memory it is; `None` for global and local memory.
    pub block: Option<u64>,
    /// The thread whose local memory it is; `None` for other memory.
    pub local: Option<ThreadId>,
    /// Its first byte.
    pub address: u64,
    /// The type of its cells.
    pub ty: Type,
    /// The number of its first cell in what has the name.
    pub first: u64,
    /// How many cells.
    pub cells: u64,
    /// The name belongs to the only cell, not to an array.
    pub is_single: bool,
}

/// A cell: what it is called, and what it holds.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Cell {
    /// Its number in what has the name.
    pub index: u64,
    /// Its address.
    pub address: u64,
    /// What it holds.
    pub value: Value,
}

impl Region {
    /// Cells of global memory, from the first on.
    pub fn global(name: String, address: u64, ty: Type, cells: u64) -> Region {
        Region { name, block: None, local: None, address, ty, first: 0, cells, is_single: false }
    }

    /// Bytes of a cell.
    pub fn step(&self) -> u64 {
        u64::from(width(self.ty))
    }

    /// All bytes.
    pub fn bytes(&self) -> u64 {
        self.cells.saturating_mul(self.step())
    }

    /// Lanes of a touch that access some of the bytes.
    pub(crate) fn lanes(&self, step: &Step, touch: &Touch) -> Mask {
        let here = match (self.block, self.local, touch.space) {
            (Some(block), _, Space::Shared) if step.block == block => Mask::MAX,
            (None, None, Space::Global) => Mask::MAX,
            (None, Some(thread), Space::Local) if thread.is_in(step) => 1 << thread.lane,
            _ => return 0,
        };
        let (begin, end) = (self.address, self.address.saturating_add(self.bytes()));
        let overlaps = |lane: &usize| {
            let address = touch.addresses[*lane];
            address < end && begin < address.saturating_add(u64::from(touch.bytes))
        };
        lanes_of(touch.mask & here).filter(overlaps).fold(0, |mask, lane| mask | 1 << lane)
    }

    /// The cells of its bytes.
    pub(crate) fn values(&self, bytes: &[u8]) -> Vec<Value> {
        let bits = |c: &[u8]| c.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        let cells = bytes.chunks_exact(self.step() as usize);
        cells.map(|cell| Value::Bits(self.ty, bits(cell))).collect()
    }

    /// What a cell is called.
    pub fn cell_name(&self, index: u64) -> String {
        match (self.name.is_empty(), self.is_single) {
            (true, _) => format!("{:#x}", self.address + (index - self.first) * self.step()),
            (false, true) => self.name.clone(),
            (false, false) => format!("{}[{index}]", self.name),
        }
    }
}

impl fmt::Display for Region {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.name.as_str(), self.cells) {
            ("", _) => write!(f, "{:#x}", self.address)?,
            (name, 1) if self.is_single => f.write_str(name)?,
            (name, 1) => write!(f, "{name}[{}]", self.first)?,
            (name, cells) => write!(f, "{name}[{}..{}]", self.first, self.first + cells - 1)?,
        }
        match (self.block, self.local) {
            (Some(block), _) => write!(f, " of block {block}"),
            (None, Some(thread)) => write!(f, " of {thread}"),
            (None, None) => Ok(()),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Register(thread, name) => write!(f, "{name} of {thread}"),
            Target::Memory(region) => write!(f, "{region}"),
        }
    }
}

/// Which accesses stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchKind {
    /// Writes, atomic operations, and changes without an instruction.
    Writes,
    /// Reads, and atomic operations.
    Reads,
    /// All of them.
    Accesses,
}

impl WatchKind {
    pub(crate) fn covers(self, kind: AccessKind) -> bool {
        match (self, kind) {
            (WatchKind::Accesses, _) | (_, AccessKind::Atomic) => true,
            (WatchKind::Writes, kind) => kind == AccessKind::Write,
            (WatchKind::Reads, kind) => kind == AccessKind::Read,
        }
    }
}

/// A watchpoint.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Watch {
    /// Its number, from the same row as breakpoints'.
    pub id: u32,
    /// The watched target.
    pub target: Target,
    /// Which accesses stop.
    pub kind: WatchKind,
    /// Accesses after which this is not zero stop.
    pub condition: Option<Expression>,
    /// How often it has stopped.
    pub hits: u64,
    /// What the bytes were when the launch stopped last.
    pub(crate) before: Option<Vec<u8>>,
}
