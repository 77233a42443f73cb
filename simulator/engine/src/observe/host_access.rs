//! What host code does to a device's global memory, and to its own where the device reaches it:
//! copies, accesses, and giving memory back.
//!
//! A copy in a stream conflicts with kernels as an access by a thread would: it reads or writes all
//! of its bytes, weakly, and its [`Order`] says what happens before it (PTX ISA 8.9.4 orders
//! kernels and copies by streams only). Giving memory back conflicts with every access to it, and
//! so does allocating it where that is an operation of a stream.
//!
//! Not told: copies to and from constant memory, and what `host::Simulator::peek` reads.

use super::Order;

/// What host code does to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostAccessKind {
    /// A copy from the device.
    Read,
    /// A copy to the device, or the initial value of a module's variable.
    Write,
    /// It gives the memory back, which is gone at once.
    Free,
    /// It allocates the memory, in the order of a stream (`cuMemAllocAsync`).
    Allocate,
    /// It gives the memory back in the order of a stream (`cuMemFreeAsync`), or as the host without
    /// waiting for what uses it. The bytes stay for a while, so that what comes too late is seen.
    Release,
    /// The host reads page-locked memory itself.
    Load,
    /// The host writes page-locked memory itself.
    Store,
    /// A copy between any two places reads.
    CopyRead,
    /// A copy between any two places writes.
    CopyWrite,
}

/// Something that host code does to global memory, at the moment at which it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAccess {
    /// What it does.
    pub kind: HostAccessKind,
    /// The first byte.
    pub address: u64,
    /// How many bytes.
    pub bytes: u64,
    /// What happens before it.
    pub order: Order,
}
