//! Why a run stopped before every thread had exited.

use super::mbarrier_object::{MbarrierMisuse, MbarrierObject};
use super::memory::MemoryFault;
use crate::internal::InternalError;
use crate::lanes::Mask;
use crate::lower::Pc;
use crate::ptx::Space;

/// Why a run stopped, with all that a message needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// An access that the memory refused.
    Memory {
        /// Who and where.
        at: Thread,
        /// The state space, after generic addresses were told apart.
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
    /// Something that the hardware faults on.
    Fault {
        /// Who and where.
        at: Thread,
        /// What.
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
        /// The blocks of the grid for which no multiprocessor has had room yet.
        not_resident: u64,
    },
    /// The limit of warp instructions was reached.
    Limit(u64),
    /// Somebody ended it from outside ([`Meter::interrupt`](super::Meter::interrupt)), after so
    /// many warp instructions.
    Interrupted(u64),
    /// A bug of warpsim: the machine has come to what cannot be.
    Internal(InternalError),
}

impl From<InternalError> for Stop {
    fn from(error: InternalError) -> Stop {
        Stop::Internal(error)
    }
}

/// Something that the hardware faults on, other than memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// `redux` by a lane outside its own member mask.
    ReduxOutsideMask,
    /// An indirect call to an address where no function is.
    BadCallTarget(u64),
    /// `brx.idx` with an index outside its list.
    BadBranchIndex(u32),
    /// A barrier number above 15.
    BadBarrier(u32),
    /// A thread count of a barrier that is not a positive multiple of the warp size.
    BadBarrierCount(u32),
    /// A handle of no texture or surface, or of none that the instruction can access.
    BadImage(u64),
    /// An access to a surface outside of it (`.trap`), at these coordinates.
    OutsideSurface([i32; 3]),
    /// A copy in bulk of bytes that are no multiple of 16.
    BulkSize(u32),
    /// A misuse of an mbarrier object.
    Mbarrier(MbarrierMisuse),
    /// Calls too deep, or `alloca` of too much.
    StackOverflow(StackOverflow),
    /// `stackrestore` to where the stack of the activation does not reach.
    BadStackPointer(u64),
    /// `free` of something that is no memory of the device's heap, or was given back before.
    BadFree(u64),
}

/// What of a thread's memory an activation has no room in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackOverflow {
    /// Local memory, of which a device gives a thread 512 KiB; or there are more activations than
    /// are counted.
    LocalMemory,
    /// The stack: see [`crate::lower::CallStack`].
    Limit {
        /// Bytes that its activations take, at least, with the one that has no room.
        needed: u32,
        /// Bytes that there are.
        limit: u32,
        /// How many activations these are, with the kernel's own.
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

/// Lanes of a warp at one operation, and what keeps them there.
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
    /// What they wait for.
    pub reason: WaitReason,
}

/// What lanes wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitReason {
    /// A block barrier.
    Barrier(u8),
    /// The lanes of a member mask that are not there.
    Lanes(Mask),
    /// The others of their warp, to rejoin them (`lockstep`).
    Reconvergence,
    /// A phase of an mbarrier object that is not complete.
    Mbarrier {
        /// Where it is in shared memory.
        address: u64,
        /// What it is; `None` when it is none.
        object: Option<MbarrierObject>,
    },
    /// Nothing: they spin.
    Nothing,
}
