//! Memory: copy-on-write pages, global allocations, and warp-wide accesses to them.
//!
//! One mechanism holds all state spaces that have memory of their own ([`Pages`]), so a snapshot of
//! any of them costs no more than its page table.

mod global;
mod lanes;
mod marks;
mod pages;
mod speculative;

pub use global::{Allocation, GlobalMemory, MemoryFault, Near};
pub use lanes::{Values, gather, highest_in_page, one_page, scatter};
pub use pages::{PAGE_BYTES, Pages};
pub(in crate::machine) use speculative::{Changes, Deferred, Written};
