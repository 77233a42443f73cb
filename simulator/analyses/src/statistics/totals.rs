//! The counts of launches as plain numbers. They refer to no program, add up, and can be sent to
//! another process.
//!
//! Counts of one line of a file add up by the name of the file and the number of the line. So two
//! programs with a file of one name are counted together there.

use std::collections::BTreeMap;

use warpsim_engine::machine::DeviceProfile;

use super::class::Class;
use super::floating::{Floating, Precision};
use super::lines::{self, LineUse};
use super::occupancy::Occupancy;
use super::requests::SECTOR;
use super::usage::{MemoryOperation, Usage};

/// What was counted in some launches.
///
/// ```
/// use warpsim::prelude::*;
///
/// let text = ".version 7.0 .target sm_70 .address_size 64
///     .visible .entry half() {
///       .reg .u32 %t; .reg .pred %p;
///       mov.u32 %t, %tid.x;
///       setp.lt.u32 %p, %t, 16;
///       @%p bra L;
///       add.u32 %t, %t, 1;
///     L: ret;
///     }";
/// let mut gpu = Simulator::default();
/// let module = gpu.load(&warpsim::ptx::parse("half.ptx", text)?)?;
/// let mut statistics = Statistics::default();
/// gpu.launch_observed(module, "half", &Launch::new(3, 32), &[], &mut statistics)?;
/// let once = statistics.totals();
/// let mut twice = once.clone();
/// twice.add(&once);
/// // One warp of each of three blocks parts at the branch.
/// assert_eq!((once.total().divergent, twice.total().divergent), (3, 6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Totals {
    /// The executed instructions, merged by line and opcode, in order.
    pub(super) opcodes: Vec<LineUse>,
    /// Requests to memory, by what they are for.
    pub requests: BTreeMap<MemoryOperation, Usage>,
    /// Instructions of active lanes by class.
    pub classes: BTreeMap<Class, u64>,
    /// Additions and multiplications of floating-point numbers.
    pub floating: BTreeMap<Precision, Floating>,
    /// Block barriers completed.
    pub barriers: u64,
    /// Lanes of the blocks' last warps without a thread, of all blocks that began.
    pub missing_lanes: u64,
    /// Warps of the blocks that began.
    pub warps: u64,
    /// The most atomic operations on one address of global memory, and all on global memory.
    /// Addresses belong to one process, so the most of several processes comes from one of them.
    pub hottest_address: (u64, u64),
    /// The last launch; `None` before the first one.
    pub last: Option<LastLaunch>,
}

/// The shape of the last launch that was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct LastLaunch {
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Bytes of shared memory of a block that are the kernel's own, static and dynamic.
    pub shared: u32,
}

impl LastLaunch {
    /// Threads of a block.
    pub(super) fn threads(&self) -> u64 {
        self.block.iter().map(|n| u64::from(*n)).product()
    }
}

impl Totals {
    /// All instructions together.
    pub fn total(&self) -> Usage {
        let mut total = Usage::default();
        self.opcodes.iter().for_each(|line| total.add(&line.usage));
        total
    }

    /// The lines that were executed, in order.
    pub fn lines(&self) -> Vec<LineUse> {
        lines::grouped(self.opcodes.iter().cloned(), false)
    }

    /// Bytes of the sectors that all requests to global memory took. Caches are not modelled, so
    /// these are bytes between threads and the first cache.
    pub fn global_bytes(&self) -> u64 {
        self.requests.values().map(|usage| usage.global.taken * SECTOR).sum()
    }

    /// How much of the last launch a multiprocessor of a device holds; `None` before the first one.
    pub fn occupancy(&self, profile: &DeviceProfile) -> Option<Occupancy> {
        let last = self.last.as_ref()?;
        let blocks = last.grid.iter().map(|n| u64::from(*n)).product::<u64>();
        let threads = u32::try_from(last.threads()).unwrap_or(u32::MAX);
        Some(Occupancy::of(profile, blocks, threads, last.shared))
    }

    /// Adds what later launches counted.
    pub fn add(&mut self, later: &Totals) {
        let all = self.opcodes.drain(..).chain(later.opcodes.iter().cloned());
        self.opcodes = lines::grouped(all, true);
        for (operation, usage) in &later.requests {
            self.requests.entry(*operation).or_default().add(usage);
        }
        for (class, lanes) in &later.classes {
            *self.classes.entry(*class).or_default() += lanes;
        }
        for (precision, of) in &later.floating {
            self.floating.entry(*precision).or_default().add(of);
        }
        self.barriers += later.barriers;
        self.missing_lanes += later.missing_lanes;
        self.warps += later.warps;
        let (most, all) = later.hottest_address;
        self.hottest_address = (self.hottest_address.0.max(most), self.hottest_address.1 + all);
        self.last = later.last.or(self.last);
    }
}
