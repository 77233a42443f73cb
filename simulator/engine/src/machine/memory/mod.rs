//! Memory: copy-on-write pages, global allocations, and warp-wide accesses to them.
//!
//! One mechanism ([`Pages`]) holds all state spaces with their own memory. So a snapshot of any of
//! them costs no more than its page table.

pub(super) mod copy;
mod global;
mod interleaved;
mod lanes;
mod line;
mod mapped;
mod marks;
mod pages;
mod speculation;
mod speculative;

pub use global::{Allocation, GlobalMemory, MemoryFault, Near};
pub use interleaved::Interleaved;
pub(super) use interleaved::{place, spread};
pub use lanes::{Values, gather, scatter};
pub(super) use line::Line;
pub use pages::{Copier, PAGE_BYTES, Pages};
pub(in crate::machine) use speculation::Deferred;
pub(in crate::machine) use speculative::{Changes, Written};
