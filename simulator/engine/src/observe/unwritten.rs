//! Memory that host code has allocated and not written.

/// Bytes of global memory that host code has never written; a kernel may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unwritten {
    /// The first address.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// The launches that had begun on the device when the memory was allocated.
    pub launches: u64,
}
