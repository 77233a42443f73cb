//! Rows of the table whose instructions do more than compute: memory, control flow, synchronisation
//! (PTX ISA 9.7.9 to 9.7.17). `lower` translates them.

pub(super) mod asynchronous;
pub(super) mod atomic;
pub(super) mod control;
pub(super) mod matrix;
pub(super) mod mbarrier;
pub(super) mod memory;
pub(super) mod sync;
pub(super) mod texture;
pub(super) mod unsupported;
pub(super) mod warp;
