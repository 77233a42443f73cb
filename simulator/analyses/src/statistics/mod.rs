//! How a kernel uses the machine: the lanes of warps, branches, requests to memory, bank conflicts,
//! barriers, atomics, instructions by class.
//!
//! The numbers are defined as Nsight Compute defines its metrics, and [`Statistics::metrics`] names
//! these. [`Statistics::lines`] has the numbers by line of the source, or of the PTX where no
//! source is known. [`Statistics::advice`] says in words what costs most, and what to do about it.
//!
//! Where it can be wrong: a GPU executes what the driver's compiler made of the PTX. Numbers of
//! instructions differ for that reason. So do requests to memory that this compiler joins or leaves
//! out. [`requests`] says how hardware may be faster at shared memory. Caches, registers and time
//! are not modelled.

mod advice;
mod class;
mod floating;
mod lines;
mod metrics;
mod occupancy;
mod requests;
mod totals;
mod usage;
mod waits;

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use advice::{Advice, AdviceKind};
pub use class::Class;
pub use floating::{Floating, Precision};
pub use lines::LineUse;
pub use metrics::{Metric, MetricValue};
pub use occupancy::{Limit, Occupancy};
pub use requests::{SECTOR, WarpRequest};
pub use totals::{LastLaunch, Totals};
pub use usage::{Contention, MemoryOperation, Passes, Pattern, Sectors, Usage};

use waits::Waits;
use warpsim_engine::machine::DeviceProfile;

use crate::lanes::{LANES, lanes_of};
use crate::lower::{Kind, Pc, Program};
use crate::observe::{Access, AccessKind, BarrierEvent, Event, LaunchFacts, Observer};
use crate::ptx::Space;

/// Counts of the launches that it watched.
///
/// ```
/// use warpsim::prelude::*;
///
/// // Lane i stores at byte 128 * i of shared memory: all lanes meet at bank 0.
/// let text = ".version 7.0 .target sm_70 .address_size 64
///     .visible .entry column() {
///       .reg .u32 %a, %s; .shared .align 128 .b8 tile[4096];
///       mov.u32 %a, %tid.x;
///       mov.u32 %s, tile;
///       mad.lo.u32 %a, %a, 128, %s;
///       st.shared.u32 [%a], 1;
///       ret;
///     }";
/// let mut gpu = Simulator::default();
/// let module = gpu.load(&warpsim::ptx::parse("column.ptx", text)?)?;
/// let mut statistics = Statistics::default();
/// gpu.launch_observed(module, "column", &Launch::new(1, 32), &[], &mut statistics)?;
/// let advice = &statistics.advice()[0];
/// assert_eq!(advice.line.as_ref().map(|line| line.ptx_line), Some(7));
/// assert!(advice.text.starts_with("32-way bank conflict: lanes are 128 bytes apart"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Statistics {
    /// How many warp instructions ran with 0, 1, ... 32 active lanes.
    pub active_lanes: Vec<u64>,
    /// Warp instructions by opcode and modifiers.
    pub instructions: BTreeMap<Arc<str>, u64>,
    /// Instructions of active lanes by class.
    pub classes: BTreeMap<Class, u64>,
    /// Additions and multiplications of floating-point numbers.
    pub floating: BTreeMap<Precision, Floating>,
    /// Reads, writes and atomics of threads, by state space.
    pub accesses: BTreeMap<(Space, AccessName), u64>,
    /// Requests to memory, by what they are for.
    pub requests: BTreeMap<MemoryOperation, Usage>,
    /// Block barriers completed.
    pub barriers: u64,
    /// Blocks that ended.
    pub blocks: u64,
    /// Lanes of the blocks' last warps without a thread, of all blocks that began.
    pub missing_lanes: u64,
    /// Warps of the blocks that began.
    pub warps: u64,
    programs: Vec<ProgramUse>,
    launch: Option<LaunchFacts>,
    waits: Waits,
    updates: FxHashMap<u64, u64>,
}

/// What each operation of a program did.
#[derive(Clone, Debug)]
struct ProgramUse {
    program: Arc<Program>,
    /// One for each operation.
    usage: Vec<Usage>,
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
        usage::ratio(lanes, total)
    }

    /// All instructions together.
    pub fn total(&self) -> Usage {
        let mut total = Usage::default();
        self.programs.iter().flat_map(|of| &of.usage).for_each(|usage| total.add(usage));
        total
    }

    /// The counts alone, without programs, so that they can be added to others and sent.
    pub fn totals(&self) -> Totals {
        Totals {
            opcodes: lines::opcodes(&self.programs),
            requests: self.requests.clone(),
            classes: self.classes.clone(),
            floating: self.floating.clone(),
            barriers: self.barriers,
            missing_lanes: self.missing_lanes,
            warps: self.warps,
            hottest_address: self.hottest_address(),
            last: self.launch.as_ref().map(|facts| LastLaunch {
                grid: facts.launch.grid,
                block: facts.launch.block,
                shared: facts.shared_bytes.saturating_sub(facts.program.reserved_shared_bytes),
            }),
        }
    }

    /// The totals, in the order of a table. Operations on memory that did not happen are left out.
    pub fn metrics(&self) -> Vec<Metric> {
        self.totals().metrics()
    }

    /// The lines that were executed, in order.
    pub fn lines(&self) -> Vec<LineUse> {
        self.totals().lines()
    }

    /// The lines that cost more than they need to, the worst first.
    pub fn advice(&self) -> Vec<Advice> {
        self.totals().advice()
    }

    /// The most atomic operations on one address of global memory, and all on global memory.
    pub fn hottest_address(&self) -> (u64, u64) {
        let most = self.updates.values().copied().max().unwrap_or(0);
        (most, self.updates.values().sum())
    }

    /// How much of the last launch a multiprocessor of a device holds; `None` before the first one.
    pub fn occupancy(&self, profile: &DeviceProfile) -> Option<Occupancy> {
        self.totals().occupancy(profile)
    }

    /// The counts of an operation.
    fn at(&mut self, pc: Pc) -> Option<&mut Usage> {
        self.programs.last_mut()?.usage.get_mut(pc as usize)
    }
}

/// Whether the lanes of a conditional branch go different ways; `None` for everything else.
fn is_divergent(event: &Event<'_>) -> Option<bool> {
    let operation = event.operation();
    let others = event.mask & !event.active;
    match &operation.kind {
        Kind::Branch { .. } => operation.guard.map(|_| event.active != 0 && others != 0),
        Kind::BranchIndexed(branch) => {
            let which = event.registers.w32(branch.index);
            let target = |lane: usize| branch.targets.get(which[lane] as usize);
            let mut targets = lanes_of(event.active).map(target);
            let first = targets.next();
            let parts = targets.any(|target| Some(target) != first);
            Some(parts || first.is_some() && others != 0)
        }
        Kind::Lanes(..)
        | Kind::Special32(..)
        | Kind::Special64(..)
        | Kind::LocalAddress64(..)
        | Kind::LocalAddress32(..)
        | Kind::IsSpace { .. }
        | Kind::Load(_)
        | Kind::Store(_)
        | Kind::Atomic(_)
        | Kind::Span(_)
        | Kind::Stack(_)
        | Kind::Call(_)
        | Kind::Runtime(_)
        | Kind::Return
        | Kind::Exit
        | Kind::Trap
        | Kind::Breakpoint
        | Kind::Barrier(_)
        | Kind::Warp(_)
        | Kind::ActiveMask(_)
        | Kind::Image(_)
        | Kind::Fence(_)
        | Kind::Asynchronous(_)
        | Kind::ClusterBarrier(_)
        | Kind::ProxyFence
        | Kind::Mbarrier(_)
        | Kind::Nothing => None,
    }
}

impl Observer for Statistics {
    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.launch = Some(launch.clone());
        let is_known = |of: &ProgramUse| Arc::ptr_eq(&of.program, &launch.program);
        match self.programs.iter().position(is_known) {
            // The program of the present launch is the last one.
            Some(index) => {
                let known = self.programs.remove(index);
                self.programs.push(known);
            }
            None => self.programs.push(ProgramUse {
                program: Arc::clone(&launch.program),
                usage: vec![Usage::default(); launch.program.operations.len()],
            }),
        }
    }

    fn block_begin(&mut self, _block: u64) {
        let Some(launch) = &self.launch else { return };
        let threads: u64 = launch.launch.block.iter().map(|n| u64::from(*n)).product();
        let warps = threads.div_ceil(LANES as u64);
        self.warps += warps;
        self.missing_lanes += warps * LANES as u64 - threads;
    }

    fn before(&mut self, event: &Event<'_>) {
        if self.active_lanes.is_empty() {
            self.active_lanes = vec![0; LANES + 1];
        }
        self.active_lanes[event.active.count_ones() as usize] += 1;
        let place = event.place();
        *self.instructions.entry(Arc::clone(&place.name)).or_default() += 1;
        let class = Class::of(event.operation(), &place.name);
        let lanes = u64::from(event.active.count_ones());
        *self.classes.entry(class).or_default() += lanes;
        if let Some((precision, kind, numbers)) = floating::arithmetic(&place.name) {
            self.floating.entry(precision).or_default().count(kind, lanes, numbers);
        }
        self.waits.step(event.block, event.warp);
        let divergent = is_divergent(event);
        if let Some(usage) = self.at(event.pc) {
            usage.execute(event, divergent);
        }
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        let name = match access.kind {
            AccessKind::Read => AccessName::Read,
            AccessKind::Write => AccessName::Write,
            AccessKind::Atomic => AccessName::Atomic,
        };
        let lanes = u64::from(access.mask.count_ones());
        *self.accesses.entry((access.space, name)).or_default() += lanes;
        let Some(operation) = MemoryOperation::of(event, access) else { return };
        let Access { mask, addresses, bytes, .. } = *access;
        let request = WarpRequest { mask, addresses, bytes };
        let is_atomic = access.kind == AccessKind::Atomic;
        let mut usage = Usage::default();
        match access.space {
            Space::Global => usage.reach_global(&request, is_atomic),
            Space::Shared => usage.reach_shared(&request, is_atomic),
            Space::Local => usage.local += 1,
            Space::Const | Space::Param | Space::Tex => return,
        }
        if is_atomic {
            usage.contend(&request);
            if access.space == Space::Global {
                for lane in lanes_of(mask) {
                    *self.updates.entry(addresses[lane]).or_default() += 1;
                }
            }
        }
        self.requests.entry(operation).or_default().add(&usage);
        if let Some(at) = self.at(event.pc) {
            at.add(&usage);
        }
    }

    fn barrier(&mut self, barrier: &BarrierEvent<'_>) {
        self.barriers += 1;
        for wait in self.waits.meet(barrier) {
            if let Some(usage) = self.at(wait.pc) {
                usage.arrivals += 1;
                usage.waited += wait.waited;
                usage.awaited += wait.awaited;
            }
        }
    }

    fn block_end(&mut self, block: u64) {
        self.blocks += 1;
        self.waits.end(block);
    }
}
