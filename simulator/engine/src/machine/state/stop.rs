//! Why a run stopped before every thread had exited.

use super::mbarrier_object::{MbarrierMisuse, MbarrierObject};
use crate::internal::InternalError;
use crate::lanes::Mask;
use crate::lower::Pc;
use crate::machine::memory::MemoryFault;
use crate::ptx::Space;

/// Why a run stopped, with everything that a message needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// An access that the memory refused.
    Memory {
        /// Who and where.
        at: Thread,
        /// The state space, after generic addresses were resolved.
        space: Space,
        /// The address in that space.
        address: u64,
        /// The bytes of the access.
        bytes: u32,
        /// Why.
        fault: MemoryFault,
    },
    /// `trap`.
    Trap(Thread),
    /// Another fault of the hardware.
    Fault {
        /// Who and where.
        at: Thread,
        /// The fault.
        what: FaultKind,
    },
    /// Lanes that can never go on.
    Deadlock(Vec<Waiting>),
    /// The state of the machine repeats: lanes spin, others wait for them for ever.
    Livelock {
        /// The lanes that spin.
        spinning: Vec<Waiting>,
        /// The lanes that wait.
        waiting: Vec<Waiting>,
        /// The blocks of the grid that no multiprocessor has had room for yet.
        not_resident: u64,
    },
    /// The limit of warp instructions was reached.
    Limit(u64),
    /// The run was interrupted from outside
    /// ([`Meter::interrupt`](crate::machine::progress::meter::Meter::interrupt)), after this many
    /// warp instructions.
    Interrupted(u64),
    /// A bug of warpsim: the machine has reached an impossible state.
    Internal(InternalError),
}

impl From<InternalError> for Stop {
    fn from(error: InternalError) -> Stop {
        Stop::Internal(error)
    }
}

/// A fault of the hardware that is not a memory fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// `redux` by a lane outside its own member mask.
    ReduxOutsideMask,
    /// An indirect call to an address without a function.
    BadCallTarget(u64),
    /// `brx.idx` with an index outside its list.
    BadBranchIndex(u32),
    /// A barrier number above 15.
    BadBarrier(u32),
    /// A thread count of a barrier that is not a positive multiple of the warp size.
    BadBarrierCount(u32),
    /// A handle of no texture or surface, or of one that the instruction cannot access.
    BadImage(u64),
    /// An access to a surface outside of it (`.trap`), at these coordinates.
    OutsideSurface([i32; 3]),
    /// A copy in bulk whose bytes are no multiple of 16.
    BulkSize(u32),
    /// A misuse of an mbarrier object.
    Mbarrier(MbarrierMisuse),
    /// Calls too deep, or `alloca` of too much.
    StackOverflow(StackOverflow),
    /// `stackrestore` to an address outside the activation's stack.
    BadStackPointer(u64),
    /// `free` of an address that is not in the device's heap, or was freed before.
    BadFree(u64),
}

/// The memory of a thread that has no room for an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackOverflow {
    /// Local memory: a device gives a thread 512 KiB. Or there are more activations than can be
    /// counted.
    LocalMemory,
    /// The stack: see [`crate::lower::CallStack`].
    Limit {
        /// Bytes that its activations take, at least, including the one without room.
        needed: u32,
        /// Bytes available.
        limit: u32,
        /// The number of these activations, including the kernel's own.
        depth: u32,
    },
}

impl From<StackOverflow> for FaultKind {
    fn from(overflow: StackOverflow) -> FaultKind {
        FaultKind::StackOverflow(overflow)
    }
}

/// A thread at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The block's linear number.
    pub block: u64,
    /// The warp in the block.
    pub warp: u32,
    /// The lane in the warp.
    pub lane: u32,
    /// The operation.
    pub pc: Pc,
}

/// Lanes of a warp at one operation, and the reason why they wait.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The block's linear number.
    pub block: u64,
    /// The warp in the block.
    pub warp: u32,
    /// The lanes.
    pub lanes: Mask,
    /// The operation.
    pub pc: Pc,
    /// The reason.
    pub reason: WaitReason,
}

/// The event that lanes wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// A block barrier.
    Barrier(u8),
    /// The missing lanes of a member mask.
    Lanes(Mask),
    /// The other lanes of their warp, to rejoin them (`lockstep`).
    Reconvergence,
    /// A phase of an mbarrier object that is not complete.
    Mbarrier {
        /// Its address in shared memory.
        address: u64,
        /// Its state; `None` when it is no object.
        object: Option<MbarrierObject>,
    },
    /// Nothing: they spin.
    Nothing,
}
