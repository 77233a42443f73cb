//! The host's actions on a device's global memory, and on its own where the device reaches it:
//! copies, accesses, and freeing.
//!
//! A copy in a stream conflicts with kernels like an access by a thread: it reads or writes all of
//! its bytes, weakly. Its [`Order`] determines what happens before it (PTX ISA 8.9.4 orders kernels
//! and copies by streams only). Freeing memory conflicts with every access to it. So does an
//! allocation that is an operation of a stream.
//!
//! Not reported: copies to and from constant memory, and the reads of `host::Simulator::peek`.

use super::Order;

/// An action of the host on memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostAccessKind {
    /// A copy from the device.
    Read,
    /// A copy to the device, or the initial value of a module's variable.
    Write,
    /// It frees the memory at once.
    Free,
    /// It allocates the memory, in the order of a stream (`cuMemAllocAsync`).
    Allocate,
    /// It frees the memory in the order of a stream (`cuMemFreeAsync`), or as the host without
    /// waiting for its users. The bytes stay for a while, so that late accesses are seen.
    Release,
    /// The host reads page-locked memory itself.
    Load,
    /// The host writes page-locked memory itself.
    Store,
    /// The read of a copy between any two places.
    CopyRead,
    /// The write of a copy between any two places.
    CopyWrite,
}

/// An action of the host on global memory, at the moment at which it happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAccess {
    /// The kind of action.
    pub kind: HostAccessKind,
    /// The first byte.
    pub address: u64,
    /// The number of bytes.
    pub bytes: u64,
    /// The operations that happen before it.
    pub order: Order,
}
