//! How one instruction used the machine: counts that can be added up over instructions and lines.

use crate::lanes::Mask;
use crate::lower::{Asynchronous, Effect};
use crate::observe::{Access, AccessKind, Event};

use super::requests::{SECTOR, WarpRequest};

/// The purpose of a request to memory, in the classes of Nsight Compute (`op_ld`, `op_st`, ...).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum MemoryOperation {
    /// A load.
    Load,
    /// A store.
    Store,
    /// An atomic operation whose thread gets the old value.
    Atomic,
    /// An atomic operation whose thread gets nothing.
    Reduction,
    /// A copy from global to shared memory that runs asynchronously (`cp.async`).
    AsyncCopy,
}

/// The addresses of the worst request, in short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Pattern {
    /// The lanes that took part.
    pub lanes: u32,
    /// Bytes of each lane.
    pub bytes: u32,
    /// Bytes from one lane to the next, if it is always the same number.
    pub stride: Option<i64>,
    /// How far the lowest address is behind the beginning of a sector.
    pub misaligned: u64,
    /// The sectors or the ways that it took.
    pub took: u64,
}

/// Requests to global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Sectors {
    /// Requests of warps.
    pub requests: u64,
    /// Sectors that they took.
    pub taken: u64,
    /// Sectors beyond those that their bytes would fill, if they lay side by side.
    pub excess: u64,
    /// The request with the most sectors.
    pub worst: Option<Pattern>,
}

/// Requests to shared memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Passes {
    /// Requests of warps.
    pub requests: u64,
    /// Passes (wavefronts) that they took.
    pub taken: u64,
    /// Passes beyond the least: bank conflicts.
    pub conflicts: u64,
    /// The request with the most ways.
    pub worst: Option<Pattern>,
}

/// Lanes of a warp that change the same address with one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Contention {
    /// Requests of warps.
    pub requests: u64,
    /// Operations of lanes.
    pub operations: u64,
    /// Operations that wait for another lane of the warp: all but the first at an address.
    pub behind: u64,
    /// The most lanes of a warp at one address.
    pub most: u64,
}

/// How one instruction used the machine, or several did together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Usage {
    /// How often a warp executed it.
    pub executed: u64,
    /// The lanes that were present, summed up.
    pub present: u64,
    /// The lanes among them whose predicate held.
    pub active: u64,
    /// Conditional branches of warps.
    pub branches: u64,
    /// The branches at which lanes diverged.
    pub divergent: u64,
    /// Requests to global memory.
    pub global: Sectors,
    /// Requests to shared memory.
    pub shared: Passes,
    /// Requests to local memory.
    pub local: u64,
    /// Atomic operations.
    pub contention: Contention,
    /// Arrivals of warps at block barriers.
    pub arrivals: u64,
    /// Instructions that warps did not execute because they waited there for the slowest one.
    pub waited: u64,
    /// The instructions of the slowest warp since the barrier before, for each warp that arrived.
    pub awaited: u64,
}

impl Pattern {
    /// The addresses of a request that took so much.
    fn of(request: &WarpRequest<'_>, took: u64) -> Pattern {
        Pattern {
            lanes: request.lanes(),
            bytes: request.bytes,
            stride: request.stride(),
            misaligned: request.lowest() % SECTOR,
            took,
        }
    }

    /// The one of two that took more; the first if they are equal.
    fn worse(a: Option<Pattern>, b: Option<Pattern>) -> Option<Pattern> {
        match (a, b) {
            (Some(a), Some(b)) if b.took > a.took => Some(b),
            (Some(a), _) => Some(a),
            (None, b) => b,
        }
    }
}

impl Usage {
    /// Counts an execution of an instruction.
    pub(super) fn execute(&mut self, event: &Event<'_>, is_divergent: Option<bool>) {
        self.executed += 1;
        self.present += lanes(event.mask);
        self.active += lanes(event.active);
        self.branches += u64::from(is_divergent.is_some());
        self.divergent += u64::from(is_divergent == Some(true));
    }

    /// Counts a request to global memory.
    pub(super) fn reach_global(&mut self, request: &WarpRequest<'_>, is_atomic: bool) {
        let sectors = if is_atomic { request.atomic_sectors() } else { request.sectors() };
        self.global.requests += 1;
        self.global.taken += sectors;
        self.global.excess += sectors.saturating_sub(request.least_sectors());
        let is_worst = self.global.worst.is_none_or(|worst| sectors > worst.took);
        if is_worst {
            self.global.worst = Some(Pattern::of(request, sectors));
        }
    }

    /// Counts a request to shared memory.
    pub(super) fn reach_shared(&mut self, request: &WarpRequest<'_>, is_atomic: bool) {
        let taken = if is_atomic { request.atomic_passes() } else { request.passes() };
        self.shared.requests += 1;
        self.shared.taken += taken;
        self.shared.conflicts += taken.saturating_sub(request.least_passes());
        let ways = request.ways();
        if self.shared.worst.is_none_or(|worst| ways > worst.took) {
            self.shared.worst = Some(Pattern::of(request, ways));
        }
    }

    /// Counts an atomic operation of a warp.
    pub(super) fn contend(&mut self, request: &WarpRequest<'_>) {
        let operations = u64::from(request.lanes());
        self.contention.requests += 1;
        self.contention.operations += operations;
        self.contention.behind += operations - request.different_addresses();
        self.contention.most = self.contention.most.max(request.lanes_at_one_address());
    }

    /// Adds what other instructions did.
    pub fn add(&mut self, other: &Usage) {
        let Usage { executed, present, active, branches, divergent, .. } = *other;
        self.executed += executed;
        self.present += present;
        self.active += active;
        self.branches += branches;
        self.divergent += divergent;
        let Sectors { requests, taken, excess, worst } = other.global;
        self.global.requests += requests;
        self.global.taken += taken;
        self.global.excess += excess;
        self.global.worst = Pattern::worse(self.global.worst, worst);
        let Passes { requests, taken, conflicts, worst } = other.shared;
        self.shared.requests += requests;
        self.shared.taken += taken;
        self.shared.conflicts += conflicts;
        self.shared.worst = Pattern::worse(self.shared.worst, worst);
        self.local += other.local;
        let Contention { requests, operations, behind, most } = other.contention;
        self.contention.requests += requests;
        self.contention.operations += operations;
        self.contention.behind += behind;
        self.contention.most = self.contention.most.max(most);
        self.arrivals += other.arrivals;
        self.waited += other.waited;
        self.awaited += other.awaited;
    }

    /// Sectors for each request to global memory.
    pub fn sectors_per_request(&self) -> f64 {
        ratio(self.global.taken, self.global.requests)
    }

    /// Passes for each request to shared memory.
    pub fn passes_per_request(&self) -> f64 {
        ratio(self.shared.taken, self.shared.requests)
    }

    /// The mean number of present lanes.
    pub fn mean_present(&self) -> f64 {
        ratio(self.present, self.executed)
    }

    /// The mean number of lanes whose predicate held.
    pub fn mean_active(&self) -> f64 {
        ratio(self.active, self.executed)
    }
}

impl MemoryOperation {
    /// All operations on memory.
    pub const ALL: [MemoryOperation; 5] = [
        MemoryOperation::Load,
        MemoryOperation::Store,
        MemoryOperation::Atomic,
        MemoryOperation::Reduction,
        MemoryOperation::AsyncCopy,
    ];

    /// The operation of an access; `None` where the load and store units have no part in it (copies
    /// in bulk, mbarrier objects, functions of the toolchain).
    pub(super) fn of(event: &Event<'_>, access: &Access<'_>) -> Option<MemoryOperation> {
        let plain = match access.kind {
            AccessKind::Read => MemoryOperation::Load,
            AccessKind::Write => MemoryOperation::Store,
            AccessKind::Atomic => MemoryOperation::Atomic,
        };
        match event.effect() {
            Effect::Memory(AccessKind::Atomic, _) => {
                let gives = event.operation().kind.atomic().is_none_or(|atomic| atomic.gives());
                Some(if gives { MemoryOperation::Atomic } else { MemoryOperation::Reduction })
            }
            Effect::Memory(AccessKind::Read | AccessKind::Write, _) | Effect::Warp(_) => {
                Some(plain)
            }
            Effect::Asynchronous(operation) => match operation {
                Asynchronous::Copy(_) => Some(MemoryOperation::AsyncCopy),
                Asynchronous::Bulk(_)
                | Asynchronous::Store(_)
                | Asynchronous::Commit(_)
                | Asynchronous::Wait(..)
                | Asynchronous::WaitForReads(_)
                | Asynchronous::WaitAll => None,
            },
            Effect::Registers
            | Effect::Barrier(_)
            | Effect::Fence(_)
            | Effect::ProxyFence
            | Effect::Cluster(_)
            | Effect::Mbarrier(_)
            | Effect::Jump { .. }
            | Effect::Call(_)
            | Effect::Runtime(_)
            | Effect::Leave(_) => None,
        }
    }
}

/// The number of lanes in a mask.
fn lanes(mask: Mask) -> u64 {
    u64::from(mask.count_ones())
}

/// A quotient; 0 of nothing.
pub(super) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
