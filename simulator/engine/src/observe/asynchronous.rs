//! What observers are told of asynchronous copies: that they are begun (an [`super::Access`] with a
//! [`Flight`]), that a thread has waited for them, and when they take effect.
//!
//! When a copy takes effect is the schedule's choice, and nothing that a program can rely on. What
//! orders it is that it was begun before, and that somebody has waited for it since.

use crate::lanes::{LANES, Mask};
use crate::lower::Pc;
use crate::ptx::Space;

/// Which asynchronous copy an access belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Flight<'a> {
    /// The number of the instruction that began it, among those of its block that began copies:
    /// from 1.
    pub number: u64,
    /// What has to be waited for, for the access to be complete.
    pub completed: Completed<'a>,
}

/// What tells that accesses of asynchronous copies are complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completed<'a> {
    /// Groups of copies that are not in bulk.
    Small,
    /// What groups of copies in bulk read.
    BulkReads,
    /// Groups of copies in bulk.
    Bulk,
    /// Phases of mbarrier objects: their addresses, by lane.
    Mbarrier(&'a [u64; LANES]),
}

/// Lanes of a warp have waited for copies of theirs.
#[derive(Clone, Copy, Debug)]
pub struct Waited<'a> {
    /// The lanes.
    pub lanes: Mask,
    /// For each lane: its copies up to the one with this number are complete.
    pub through: &'a [u64; LANES],
    /// Which of its copies.
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
    /// Where to.
    pub to: (Space, u64),
    /// Where from.
    pub from: (Space, u64),
    /// Bytes that are written.
    pub bytes: u64,
    /// The first of them that were read; the others are zeros.
    pub read: u64,
}

/// Something that happens to an mbarrier object in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MbarrierStep {
    /// The block's linear number.
    pub block: u64,
    /// The warp of the thread that does it, or began it.
    pub warp: u32,
    /// Its lane.
    pub lane: u32,
    /// The instruction.
    pub pc: Pc,
    /// Where the object is.
    pub address: u64,
    /// What happens.
    pub what: MbarrierEvent,
}

/// What happens to an mbarrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierEvent {
    /// It is made.
    Begins,
    /// The thread arrives.
    Arrives {
        /// With a release.
        releases: bool,
    },
    /// The thread will arrive, when the copies that it has begun in groups are complete; the
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
    /// The thread has seen that the phase which it asked for is complete.
    Seen {
        /// With an acquire.
        acquires: bool,
    },
}
