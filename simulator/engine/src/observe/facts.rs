//! The facts about a launch as a whole for observers.

use std::sync::Arc;

use super::Order;
use crate::lanes::LANES;
use crate::launch::Launch;
use crate::lower::{Pc, Program};
use crate::ptx::Module;
use crate::report::Site;

use super::Unwritten;

/// The facts that stay the same for a whole launch.
#[derive(Clone, Debug)]
pub struct LaunchFacts {
    /// The program.
    pub program: Arc<Program>,
    /// The module that it was lowered from, if the host has it.
    pub module: Option<Arc<Module>>,
    /// The number of the launch on its device, from 1.
    pub number: u64,
    /// The other launches, copies and host accesses that happen before it.
    pub order: Order,
    /// Its shape.
    pub launch: Launch,
    /// Bytes of shared memory of a block, static and dynamic.
    pub shared_bytes: u32,
    /// The lanes of a warp share a program counter (`lockstep`).
    pub is_lockstep: bool,
    /// Global memory that host code has never written, in ascending order.
    pub unwritten: Arc<[Unwritten]>,
}

impl LaunchFacts {
    /// A thread at an instruction, in the form for people.
    pub fn site(&self, block: u64, warp: u32, lane: u32, pc: Pc) -> Site {
        let thread = warp * LANES as u32 + lane;
        let place = self.program.places.get(pc as usize);
        Site {
            operation: place.map_or_else(String::new, |p| p.name.to_string()),
            thread: self.launch.thread_index(thread),
            block: self.launch.block_index(block),
            warp,
            lane,
            ptx_line: place.map_or(0, |p| p.line),
            ptx_file: place.and_then(|p| p.file.as_deref().map(str::to_owned)),
            source: place.and_then(|p| p.source.as_deref().cloned()),
        }
    }
}
