//! Observers: a trait with hooks that do nothing by default.
//!
//! Observers see the actions of a run and cannot change it; the machine does not know their
//! purpose. Without an observer, a run pays one test per warp instruction.

mod accesses;
mod analysis;
mod arrivals;
mod asynchronous;
mod clock;
mod facts;
mod host_access;
mod interest;
mod order;
mod several;
mod unwritten;

pub use accesses::{Accesses, AddressRegister, HalfWarp, Places, WarpAccess, Who};
pub use analysis::{Analysis, EndedRun, FirstBug, Object, Tried};
pub use arrivals::Arrivals;
pub use asynchronous::{Completed, Copied, Flight, MbarrierEvent, MbarrierStep, Waited};
pub use clock::{Advance, Clock};
pub use facts::LaunchFacts;
pub use host_access::{HostAccess, HostAccessKind};
pub use interest::Interest;
pub use order::{OperationId, Order};
pub use several::Several;
pub use unwritten::Unwritten;

use crate::lanes::{LANES, Mask, Registers};
pub use crate::lower::AccessKind;
use crate::lower::{Effect, Operation, Pc, Place, Program, Semantics};
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
    /// The present lanes.
    pub mask: Mask,
    /// The lanes among them whose guard holds: the instruction has an effect on them.
    pub active: Mask,
    /// `%tid` of the lanes.
    pub thread: &'a [[u32; LANES]; 3],
    /// The function of the lanes, as an index into the program's.
    pub function: usize,
    /// Where the local memory of a called activation begins.
    pub callee_base: u32,
    /// The registers of their activation at this moment.
    pub registers: &'a Registers,
}

impl<'a> Event<'a> {
    /// The operation.
    pub fn operation(&self) -> &'a Operation {
        &self.program.operations[self.pc as usize]
    }

    /// The effect of the operation beyond registers.
    pub fn effect(&self) -> Effect<'a> {
        self.operation().kind.effect()
    }

    /// The place of the instruction.
    pub fn place(&self) -> &'a Place {
        &self.program.places[self.pc as usize]
    }
}

/// The access of one warp instruction to one state space.
#[derive(Clone, Copy, Debug)]
pub struct Access<'a> {
    /// The kind of access.
    pub kind: AccessKind,
    /// The state space, after generic addresses were resolved.
    pub space: Space,
    /// The lanes that access this space.
    pub mask: Mask,
    /// Their addresses in the space; arbitrary for other lanes.
    pub addresses: &'a [u64; LANES],
    /// Bytes for each lane, all elements together.
    pub bytes: u32,
    /// Bytes of an element: less than `bytes` for a vector, whose elements are separate accesses.
    pub width: u32,
    /// Its order and scope.
    pub semantics: Semantics,
    /// Through the non-coherent path.
    pub non_coherent: bool,
    /// The asynchronous copy that the instruction begins; the access then happens later. `None` for
    /// an access of the thread itself.
    pub flight: Option<Flight<'a>>,
}

/// Lanes of a warp that have arrived at a block barrier.
#[derive(Clone, Debug, PartialEq)]
pub struct Arrival {
    /// The warp.
    pub warp: u32,
    /// The lanes.
    pub lanes: Mask,
    /// The instruction.
    pub pc: Pc,
    /// They wait, rather than go on (`bar.arrive`).
    pub waits: bool,
    /// `.aligned`.
    pub aligned: bool,
    /// The lanes whose predicate is true, for a reduction.
    pub predicate: Mask,
}

/// A block barrier that is complete.
#[derive(Clone, Copy, Debug)]
pub struct BarrierEvent<'a> {
    /// The block's linear number.
    pub block: u64,
    /// The barrier, 0 to 15.
    pub barrier: u8,
    /// The threads that it waited for; `None` for all threads of the block.
    pub count: Option<u32>,
    /// Who arrived, in order.
    pub arrivals: &'a [Arrival],
}

/// Lanes of one warp that execute a warp operation together.
#[derive(Clone, Copy, Debug)]
pub struct WarpEvent<'a> {
    /// The lanes that have not exited.
    pub live: Mask,
    /// The lanes that take part.
    pub together: Mask,
    /// One event for each place of origin, in the order of their lowest lanes; its `active` lanes
    /// take part. Its registers are in the state before.
    pub parts: &'a [Event<'a>],
}

/// Watches a run.
#[expect(unused_variables, reason = "the defaults do nothing")]
pub trait Observer {
    /// The events that it asks for; called after `launch_begin`. Fewer events are faster.
    fn interest(&self) -> Interest {
        Interest::everything()
    }
    /// A launch begins.
    fn launch_begin(&mut self, launch: &LaunchFacts) {}
    /// A block begins.
    fn block_begin(&mut self, block: u64) {}
    /// A warp instruction is about to happen. ([`Interest::instructions`], or its place is one of
    /// [`Interest::places`].)
    fn before(&mut self, event: &Event<'_>) {}
    /// A warp instruction accesses memory; between `before` and `after`, once for each state
    /// space that it touches. ([`Interest::accesses`])
    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {}
    /// Several warps of a block access memory at one instruction, one after the other. This is
    /// called instead of `access`, and by default calls `access` for each. ([`Interest::accesses`])
    fn accesses(&mut self, accesses: &Accesses<'_>) {
        accesses.each(|event, access| self.access(event, access));
    }
    /// It has happened. ([`Interest::instructions`])
    fn after(&mut self, event: &Event<'_>) {}
    /// A thread printed a text; between `before` and `after`. ([`Interest::instructions`])
    fn printed(&mut self, event: &Event<'_>, text: &str) {}
    /// A fence. ([`Interest::synchronisation`], like all that follow.)
    fn fence(&mut self, event: &Event<'_>, semantics: Semantics) {}
    /// A fence between accesses of threads and accesses of asynchronous copies.
    fn proxy_fence(&mut self, event: &Event<'_>) {}
    /// Lanes have arrived at a block barrier. For a `count` see [`BarrierEvent::count`].
    fn arrive(&mut self, event: &Event<'_>, barrier: u8, count: Option<u32>, arrival: &Arrival) {}
    /// Several warps arrive at a block barrier, one after the other. This is called instead of
    /// `arrive`, and by default calls `arrive` for each.
    fn arrivals(&mut self, arrivals: &Arrivals<'_>) {
        arrivals.each(|event, arrival| self.arrive(event, arrivals.barrier, None, arrival));
    }
    /// A block barrier releases its threads.
    fn barrier(&mut self, barrier: &BarrierEvent<'_>) {}
    /// Lanes of a warp execute `bar.warp.sync`, `shfl`, `vote`, `match`, `redux` or `elect`
    /// together.
    fn together(&mut self, warp: &WarpEvent<'_>) {}
    /// The active lanes exit.
    fn exit(&mut self, event: &Event<'_>) {}
    /// Lanes have waited for asynchronous copies.
    fn waited(&mut self, event: &Event<'_>, waited: &Waited<'_>) {}
    /// An asynchronous copy takes effect. ([`Interest::accesses`])
    fn copied(&mut self, copied: &Copied) {}
    /// A thread, or an asynchronous operation of one, acts on an mbarrier object.
    fn mbarrier(&mut self, step: &MbarrierStep) {}
    /// A block has ended.
    fn block_end(&mut self, block: u64) {}
    /// The launch has ended, or stopped.
    fn launch_end(&mut self) {}
    /// The host acts on global memory, between launches. Called whatever the interest.
    fn host_access(&mut self, access: &HostAccess) {}
}
