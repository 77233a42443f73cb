//! Translates instructions by which threads wait for each other or act as one (PTX ISA 9.7.9.25,
//! 9.7.13).

pub(super) mod asynchronous;
pub(super) mod atomic;
pub(super) mod cluster;
pub(super) mod mbarrier;
pub(super) mod shuffle;
pub(super) mod sync;
pub(super) mod warp;
