//! Who watches: a trait with hooks that do nothing unless written.
//!
//! Observers see what a run does and cannot change it; the machine does not know what they look
//! for. When nobody watches, a run pays one test per warp instruction.

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
    /// The lanes that are there.
    pub mask: Mask,
    /// Those of them whose guard holds: on them it has an effect.
    pub active: Mask,
    /// `%tid` of the lanes.
    pub thread: &'a [[u32; LANES]; 3],
    /// The function that they are in, as an index into the program's.
    pub function: usize,
    /// Where the local memory of an activation begins that this one calls.
    pub callee_base: u32,
    /// The registers of their activation, as they are at this moment.
    pub registers: &'a Registers,
}

impl<'a> Event<'a> {
    /// The operation.
    pub fn operation(&self) -> &'a Operation {
        &self.program.operations[self.pc as usize]
    }

    /// What the operation does beyond registers.
    pub fn effect(&self) -> Effect<'a> {
        self.operation().kind.effect()
    }

    /// Where the instruction stands.
    pub fn place(&self) -> &'a Place {
        &self.program.places[self.pc as usize]
    }
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
    /// Bytes for each lane, all elements together.
    pub bytes: u32,
    /// Bytes of an element: less than `bytes` for a vector, whose elements are accesses of their
    /// own.
    pub width: u32,
    /// What orders it.
    pub semantics: Semantics,
    /// Through the non-coherent path.
    pub non_coherent: bool,
    /// It is that of an asynchronous copy that the instruction begins, and happens some time later;
    /// `None` for an access of the thread itself.
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
    /// The threads that it waited for; `None` for all of the block.
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
    /// One event for each place they come from, in the order of their lowest lanes; its `active`
    /// lanes take part, and its registers are as they were before.
    pub parts: &'a [Event<'a>],
}

/// Watches a run.
#[expect(unused_variables, reason = "the defaults do nothing")]
pub trait Observer {
    /// What it wants to be told of; asked after `launch_begin`. The less, the faster.
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
    /// Several warps of a block access memory at one instruction, one after the other. Told instead
    /// of `access` of each, which is what it tells unless written. ([`Interest::accesses`])
    fn accesses(&mut self, accesses: &Accesses<'_>) {
        accesses.each(|event, access| self.access(event, access));
    }
    /// It has happened. ([`Interest::instructions`])
    fn after(&mut self, event: &Event<'_>) {}
    /// A thread printed a text; between `before` and `after`. ([`Interest::instructions`])
    fn printed(&mut self, event: &Event<'_>, text: &str) {}
    /// A fence. ([`Interest::synchronisation`], like all that follow.)
    fn fence(&mut self, event: &Event<'_>, semantics: Semantics) {}
    /// A fence between what threads access and what asynchronous copies access.
    fn proxy_fence(&mut self, event: &Event<'_>) {}
    /// Lanes have arrived at a block barrier. For a `count` see [`BarrierEvent::count`].
    fn arrive(&mut self, event: &Event<'_>, barrier: u8, count: Option<u32>, arrival: &Arrival) {}
    /// Several warps arrive at a block barrier, one after the other. Told instead of `arrive` of
    /// each, which is what it tells unless written.
    fn arrivals(&mut self, arrivals: &Arrivals<'_>) {
        arrivals.each(|event, arrival| self.arrive(event, arrivals.barrier, None, arrival));
    }
    /// A block barrier lets its threads go.
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
    /// A thread, or an asynchronous operation of one, does something to an mbarrier object.
    fn mbarrier(&mut self, step: &MbarrierStep) {}
    /// A block has ended.
    fn block_end(&mut self, block: u64) {}
    /// The launch has ended, or stopped.
    fn launch_end(&mut self) {}
    /// Host code does something to global memory, between launches. Told whatever the interest.
    fn host_access(&mut self, access: &HostAccess) {}
}
