//! Operations on asynchronous copies (PTX ISA 9.7.9.25). The machine decides when they take effect.

use crate::lanes::Slot;
use crate::lower::operations::access::{AtomicOperation, Target};
use crate::lower::operations::operand::Guard;
use crate::ptx::Type;

/// An operation on asynchronous copies.
#[derive(Clone, Debug)]
pub enum Asynchronous {
    /// `cp.async`: begins a copy.
    Copy(AsyncCopy),
    /// `cp.async.bulk`, `cp.reduce.async.bulk`: begins a copy in bulk.
    Bulk(BulkCopy),
    /// `st.async`, `red.async` to shared memory: begins a store of the values of registers.
    Store(AsyncStore),
    /// `cp.async.commit_group`, `cp.async.bulk.commit_group`: makes a group of the copies that the
    /// thread has begun since the last such operation.
    Commit(Grouped),
    /// `cp.async.wait_group`, `cp.async.bulk.wait_group`: waits until at most this many groups of
    /// the thread, its latest, may be under way.
    Wait(Grouped, u32),
    /// `cp.async.bulk.wait_group.read`: the same, but only until their reads are done.
    WaitForReads(u32),
    /// `cp.async.wait_all`: waits for all copies of the thread, in a group or not.
    WaitAll,
}

/// The kinds of copies of a thread that form separate groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Grouped {
    /// The copies of `cp.async`.
    Small,
    /// The copies in bulk.
    Bulk,
}

/// `cp.async.bulk`, `cp.reduce.async.bulk`.
#[derive(Clone, Debug)]
pub struct BulkCopy {
    /// The destination.
    pub to: Target,
    /// The source.
    pub from: Target,
    /// How many bytes, in a 32-bit slot: a multiple of 16.
    pub bytes: Slot,
    /// The mbarrier object that counts the bytes; `None`: the copy belongs to a group.
    pub mbarrier: Option<Target>,
    /// The reduction of each element of a type with the present value, instead of an overwrite.
    pub reduction: Option<(AtomicOperation, Type)>,
}

/// `st.async`, `red.async` to shared memory (PTX ISA 9.7.9.12, 9.7.13.8).
#[derive(Clone, Debug)]
pub struct AsyncStore {
    /// The destination, in up to four elements of 4 or 8 bytes.
    pub to: Target,
    /// For each element a slot of its width.
    pub values: Vec<Slot>,
    /// The mbarrier object that counts the bytes.
    pub mbarrier: Target,
    /// The reduction of each element of a type with the present value, instead of an overwrite.
    pub reduction: Option<(AtomicOperation, Type)>,
}

/// `cp.async`.
#[derive(Clone, Debug)]
pub struct AsyncCopy {
    /// The destination: the bytes that are written.
    pub to: Target,
    /// The source. Bytes that are not read are written as zeros.
    pub from: Target,
    /// How many bytes are read, in a 32-bit slot; `None`: as many as are written.
    pub read: Option<Slot>,
    /// Nothing is read where this holds.
    pub ignore: Option<Guard>,
}

/// The most groups that a thread may leave under way when it waits.
pub const MOST_GROUPS: u32 = 1 << 16;
