//! Counting: the use of the lanes of warps, the instructions that ran, the requests to memory.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::lanes::LANES;
use crate::observe::{Access, AccessKind, BarrierEvent, Event, Observer};
use crate::ptx::Space;

/// Counts of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// How many warp instructions ran with 0, 1, ... 32 active lanes.
    pub active_lanes: Vec<u64>,
    /// Warp instructions by opcode and modifiers.
    pub instructions: BTreeMap<Arc<str>, u64>,
    /// Reads, writes and atomics of threads, by state space.
    pub accesses: BTreeMap<(Space, AccessName), u64>,
    /// Block barriers completed.
    pub barriers: u64,
    /// Blocks that ended.
    pub blocks: u64,
}

/// What an access does, in an order for tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "named like the kinds of access")]
pub enum AccessName {
    Read,
    Write,
    Atomic,
}

impl Statistics {
    /// The mean number of active lanes of a warp instruction.
    pub fn mean_active_lanes(&self) -> f64 {
        let total: u64 = self.active_lanes.iter().sum();
        let lanes: u64 = self.active_lanes.iter().zip(0..).map(|(n, lanes)| n * lanes).sum();
        if total == 0 { 0.0 } else { lanes as f64 / total as f64 }
    }
}

impl Observer for Statistics {
    fn before(&mut self, event: &Event<'_>) {
        if self.active_lanes.is_empty() {
            self.active_lanes = vec![0; LANES + 1];
        }
        self.active_lanes[event.active.count_ones() as usize] += 1;
        *self.instructions.entry(Arc::clone(&event.place().name)).or_default() += 1;
    }

    fn access(&mut self, _event: &Event<'_>, access: &Access<'_>) {
        let name = match access.kind {
            AccessKind::Read => AccessName::Read,
            AccessKind::Write => AccessName::Write,
            AccessKind::Atomic => AccessName::Atomic,
        };
        let lanes = u64::from(access.mask.count_ones());
        *self.accesses.entry((access.space, name)).or_default() += lanes;
    }

    fn barrier(&mut self, _barrier: &BarrierEvent<'_>) {
        self.barriers += 1;
    }

    fn block_end(&mut self, _block: u64) {
        self.blocks += 1;
    }
}
