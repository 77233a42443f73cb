//! What observers are told of asynchronous copies: that they are begun (an [`super::Access`] with a
//! [`Flight`]), that a thread has waited for them, and when they take effect.
//!
//! When a copy takes effect is the schedule's choice, and nothing that a program can rely on. What orders it is
//! that it was begun before, and that somebody has waited for it since.

use crate::lanes::{LANES, Mask};
use crate::ptx::Space;

/// Which asynchronous copy an access belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flight {
    /// The number of the instruction that began it, among those of its block that began copies: from 1.
    pub number: u64,
}

/// Lanes of a warp have waited for copies of theirs.
#[derive(Clone, Copy, Debug)]
pub struct Waited<'a> {
    /// The lanes.
    pub lanes: Mask,
    /// For each lane: its copies up to the one with this number are complete.
    pub through: &'a [u64; LANES],
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
