//! The events of asynchronous copies for observers: that they begin (an [`super::Access`] with a
//! [`Flight`]), that a thread has waited for them, and that they take effect.
//!
//! The schedule chooses when a copy takes effect, and a program cannot rely on it. A copy is
//! ordered only by its begin, and by a wait for it.

use crate::lanes::{LANES, Mask};
use crate::lower::Pc;
use crate::ptx::Space;

/// The asynchronous copy of an access.
#[derive(Clone, Copy, Debug)]
pub struct Flight<'a> {
    /// The number of the instruction that began it, among the instructions of its block that began
    /// copies: from 1.
    pub number: u64,
    /// The wait that makes the access complete.
    pub completed: Completed<'a>,
}

/// The event that makes accesses of asynchronous copies complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completed<'a> {
    /// Groups of copies that are not in bulk.
    Small,
    /// The reads of groups of copies in bulk.
    BulkReads,
    /// Groups of copies in bulk.
    Bulk,
    /// Phases of mbarrier objects: their addresses, by lane.
    Mbarrier(&'a [u64; LANES]),
}

/// Lanes of a warp have waited for their copies.
#[derive(Clone, Copy, Debug)]
pub struct Waited<'a> {
    /// The lanes.
    pub lanes: Mask,
    /// For each lane: its copies up to the one with this number are complete.
    pub through: &'a [u64; LANES],
    /// The kind of copies.
    pub completed: Completed<'a>,
}

/// An asynchronous copy that takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// The block's linear number.
    pub block: u64,
    /// The warp of the thread that began it.
    pub warp: u32,
    /// Its lane.
    pub lane: u32,
    /// The destination.
    pub to: (Space, u64),
    /// The source.
    pub from: (Space, u64),
    /// Bytes that are written.
    pub bytes: u64,
    /// The first of them that were read; the others are zeros.
    pub read: u64,
}

/// An event of an mbarrier object in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MbarrierStep {
    /// The block's linear number.
    pub block: u64,
    /// The warp of the thread that acts, or began the operation.
    pub warp: u32,
    /// Its lane.
    pub lane: u32,
    /// The instruction.
    pub pc: Pc,
    /// The address of the object.
    pub address: u64,
    /// The event.
    pub what: MbarrierEvent,
}

/// An event of an mbarrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierEvent {
    /// It is initialised.
    Begins,
    /// The thread arrives.
    Arrives {
        /// With a release.
        releases: bool,
    },
    /// The thread will arrive, once the copies that it has begun in groups are complete. The
    /// arrival has this number among the asynchronous operations of the block.
    WillArrive {
        /// The number.
        number: u64,
    },
    /// An asynchronous operation of the thread has arrived, or is complete.
    HasArrived {
        /// Its number.
        number: u64,
    },
    /// Its phase is complete.
    Completes,
    /// The thread has seen that the phase of its question is complete.
    Seen {
        /// With an acquire.
        acquires: bool,
    },
}
