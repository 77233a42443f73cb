//! What observers may know of a launch as a whole.

use std::sync::Arc;

use super::Order;
use crate::lanes::LANES;
use crate::lower::{Pc, Program};
use crate::ptx::Module;
use crate::report::Site;

use super::Unwritten;

/// What stays the same for a whole launch.
#[derive(Clone, Debug)]
pub struct LaunchFacts {
    /// What runs.
    pub program: Arc<Program>,
    /// The module that it was lowered from, where the host has it.
    pub module: Option<Arc<Module>>,
    /// The number of the launch on its device, from 1.
    pub number: u64,
    /// What of the other launches, copies and host accesses happens before it.
    pub order: Order,
    /// Blocks in x, y and z.
    pub grid: [u32; 3],
    /// Threads of a block in x, y and z.
    pub block: [u32; 3],
    /// Bytes of shared memory of a block, static and dynamic.
    pub shared_bytes: u32,
    /// The lanes of a warp share a program counter (`lockstep`).
    pub is_lockstep: bool,
    /// Global memory that host code has never written, in ascending order.
    pub unwritten: Arc<[Unwritten]>,
}

impl LaunchFacts {
    /// Threads of a block.
    pub fn threads_per_block(&self) -> u32 {
        self.block.iter().product()
    }

    /// Blocks of the grid.
    pub fn blocks(&self) -> u64 {
        self.grid.iter().map(|n| u64::from(*n)).product()
    }

    /// `%ctaid` of a block: x + nx * (y + ny * z) is its linear number.
    pub fn block_index(&self, linear: u64) -> [u32; 3] {
        let [nx, ny, _] = self.grid.map(|n| u64::from(n).max(1));
        [linear % nx, linear / nx % ny, linear / nx / ny].map(|i| i as u32)
    }

    /// A thread at an instruction, as a person knows it.
    pub fn site(&self, block: u64, warp: u32, lane: u32, pc: Pc) -> Site {
        let thread = warp * LANES as u32 + lane;
        let [nx, ny, _] = self.block.map(|n| n.max(1));
        let place = self.program.places.get(pc as usize);
        Site {
            operation: place.map_or_else(String::new, |p| p.name.to_string()),
            thread: [thread % nx, thread / nx % ny, thread / nx / ny],
            block: self.block_index(block),
            warp,
            lane,
            ptx_line: place.map_or(0, |p| p.line),
            source: place.and_then(|p| p.source.as_deref().cloned()),
        }
    }
}
