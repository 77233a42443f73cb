//! A launch in progress: the blocks that are resident, and whose turn it is.
//!
//! Block b lives on multiprocessor b mod N. A multiprocessor holds as many blocks as the device
//! profile allows, and takes its next one when one ends. Only resident blocks can be scheduled, so
//! only they can wait for each other. A block starts at its first turn.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::machine::execute::gang;
use crate::machine::memory::{Copier, GlobalMemory, Pages};
use crate::machine::progress::pulse::Pulse;
use crate::machine::progress::recurrence::{Recurrence, Recurs};
use crate::machine::progress::stall;
use crate::machine::state::block::Block;
use crate::machine::state::environment::Environment;
use crate::machine::state::execution::Launched;
use crate::machine::state::fragment::Chosen;
use crate::machine::state::printed::Printed;
use crate::machine::state::profile::SharedInit;
use crate::machine::state::shared_init::Leftovers;
use crate::machine::state::stop::{Stop, Waiting};
use crate::observe::Interest;
use crate::report::Counts;
use crate::schedule::Move;

/// A launch in progress.
#[derive(Debug)]
pub struct Machine {
    pub(in crate::machine) launched: Launched,
    pub(in crate::machine) shared_init: SharedInit,
    pub(in crate::machine) max_steps: u64,
    pub(in crate::machine) leftovers: Leftovers,
    /// The block of the last turn, taken out of `resident`.
    pub(in crate::machine) current: Option<Box<Block>>,
    /// The other resident blocks; `None` for one that has not started.
    pub(in crate::machine) resident: BTreeMap<u64, Option<Box<Block>>>,
    /// How many blocks a multiprocessor has taken beyond its first ones, if any.
    pub(in crate::machine) taken: FxHashMap<u32, u64>,
    pub(in crate::machine) turn: Option<Turn>,
    pub(in crate::machine) recurrence: Recurrence<Machine>,
    /// Whether warps may execute the beginnings of their turns together.
    pub(in crate::machine) gangs: bool,
    /// An ended block, whose memory the next one reuses.
    pub(in crate::machine) spare: Option<Box<Block>>,
    /// Unused memory of shared memory.
    pub(in crate::machine) spare_shared: Option<Pages>,
    /// The memory of gangs.
    pub(in crate::machine) room: Option<Box<gang::Room>>,
    pub(in crate::machine) pulse: Pulse,
}

/// A turn in progress.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct Turn {
    pub(super) choice: Move,
    pub(super) left: u64,
    /// The fragment that has run already, and goes on.
    pub(super) goes_on: Option<Chosen>,
}

impl Machine {
    /// A launch about to begin.
    pub fn new(
        environment: Arc<Environment>,
        shared_init: SharedInit,
        max_steps: u64,
        global: GlobalMemory,
        leftovers: Leftovers,
    ) -> Machine {
        let resident = environment.resident_blocks();
        Machine {
            launched: Launched::new(environment, global),
            shared_init,
            max_steps,
            leftovers,
            current: None,
            resident: (0..resident).map(|block| (block, None)).collect(),
            taken: FxHashMap::default(),
            turn: None,
            recurrence: Recurrence::default(),
            gangs: true,
            spare: None,
            spare_shared: None,
            room: None,
            pulse: Pulse::default(),
        }
    }

    /// A copy in the same state. The two share memory pages until one writes.
    pub fn snapshot(&mut self) -> Machine {
        let global = self.launched.global.copied(Pages::snapshot);
        self.copied(Pages::snapshot, global)
    }

    fn copied(&mut self, copy: Copier, global: GlobalMemory) -> Machine {
        let copied = |block: &mut Box<Block>| Box::new(block.snapshot(copy));
        let other =
            |(id, block): (&u64, &mut Option<Box<Block>>)| (*id, block.as_mut().map(copied));
        Machine {
            launched: self.launched.snapshot(global),
            shared_init: self.shared_init,
            max_steps: self.max_steps,
            leftovers: self.leftovers.iter_mut().map(|(k, v)| (*k, copy(v))).collect(),
            current: self.current.as_mut().map(copied),
            resident: self.resident.iter_mut().map(other).collect(),
            taken: self.taken.clone(),
            turn: self.turn,
            recurrence: Recurrence::default(),
            gangs: self.gangs,
            spare: None,
            spare_shared: None,
            room: None,
            pulse: Pulse::default(),
        }
    }

    /// Limits the events for the observers of this launch.
    pub fn attend(&mut self, interest: Interest) {
        self.launched.interest = interest;
    }

    /// The launch.
    pub fn environment(&self) -> &Arc<Environment> {
        &self.launched.environment
    }

    /// Global memory as it is now.
    pub fn global(&self) -> &GlobalMemory {
        &self.launched.global
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        self.launched.counts
    }

    /// The printed output so far.
    pub fn printed(&self) -> &Printed {
        &self.launched.printed
    }

    /// A block that has started and not ended.
    pub fn block(&self, linear: u64) -> Option<&Block> {
        match &self.current {
            Some(block) if block.linear == linear => Some(block),
            _ => self.resident.get(&linear)?.as_deref(),
        }
    }

    /// Returns the memory after the run.
    pub fn into_memory(self) -> (GlobalMemory, Leftovers) {
        (self.launched.global, self.leftovers)
    }

    /// Whether every block has ended.
    pub fn has_ended(&self) -> bool {
        self.current.is_none() && self.resident.is_empty()
    }

    /// Sets whether warps may execute the beginnings of their turns together. By default they may.
    /// The results are the same.
    pub fn form_gangs(&mut self, gangs: bool) {
        self.gangs = gangs;
    }

    /// The blocks that no multiprocessor has had room for yet.
    pub(in crate::machine) fn not_resident(&self) -> u64 {
        let at_first = self.launched.environment.resident_blocks();
        let later: u64 = self.taken.values().sum();
        self.launched.environment.launch.blocks().saturating_sub(at_first + later)
    }

    /// Who waits for whom, once nothing moves.
    pub(in crate::machine) fn waiting(&self) -> Vec<Waiting> {
        stall::waiting(self.started(), self.environment().model)
    }

    /// An endless loop of the whole grid.
    pub(in crate::machine) fn livelock(&self) -> Stop {
        let (spinning, waiting) = stall::spinning_and_waiting(self.waiting());
        Stop::Livelock { spinning, waiting, not_resident: self.not_resident() }
    }

    /// The endless loop of one warp: it spins, and the waiting threads are named.
    pub(in crate::machine) fn endless(&self, block: u64, warp: u32) -> Stop {
        let (mut spinning, waiting) = stall::spinning_and_waiting(self.waiting());
        spinning.retain(|w| (w.block, w.warp) == (block, warp));
        Stop::Livelock { spinning, waiting, not_resident: self.not_resident() }
    }

    /// The blocks that have started and not ended, the current one first.
    pub(in crate::machine) fn started(&self) -> impl Iterator<Item = &Block> {
        self.current.iter().chain(self.resident.values().flatten()).map(Box::as_ref)
    }
}

impl Recurs for Machine {
    /// A copy in the same state, except for global memory, which is empty. It shares no memory with
    /// this machine, whose memory stays in one piece.
    fn duplicate_but_global(&mut self) -> Machine {
        self.copied(Pages::duplicate, GlobalMemory::default())
    }

    /// Everything that decides the next steps except global memory, for comparing two moments.
    fn same_but_global(&self, other: &Machine) -> bool {
        let same_blocks = |a: &Block, b: &Block| {
            a.linear == b.linear
                && a.warps == b.warps
                && a.common.shared == b.common.shared
                && a.common.barriers == b.common.barriers
                && a.common.cluster == b.common.cluster
                && a.common.in_flight == b.common.in_flight
        };
        let resident = |machine: &Machine| machine.resident.len();
        let current = match (&self.current, &other.current) {
            (Some(a), Some(b)) => same_blocks(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        current
            && resident(self) == resident(other)
            && self.resident.iter().zip(&other.resident).all(|((i, a), (j, b))| {
                i == j
                    && match (a, b) {
                        (Some(a), Some(b)) => same_blocks(a, b),
                        (a, b) => a.is_none() && b.is_none(),
                    }
            })
    }

    /// Bytes of all memory of a copy.
    fn memory_bytes(&self) -> u64 {
        let block = |block: &Block| {
            let local: u64 = block.warps.iter().map(|warp| warp.local.rows.bytes()).sum();
            block.common.shared.bytes() + local
        };
        self.launched.global.live_bytes() + self.started().map(block).sum::<u64>()
    }

    fn global_memory(&mut self) -> &mut GlobalMemory {
        &mut self.launched.global
    }
}
