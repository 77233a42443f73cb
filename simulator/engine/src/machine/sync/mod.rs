//! How threads wait for each other or for asynchronous copies, and how they go on.
//!
//! Block barriers, the barrier of a cluster, warp operations, mbarrier objects and asynchronous
//! copies (PTX ISA 9.7.13, 9.7.9.25). Each file begins a wait and ends it. [`super::run`] decides
//! which warp moves next.

pub(super) mod asynchronous;
pub(super) mod barrier;
pub(super) mod cluster;
pub(super) mod mbarrier;
pub(super) mod warp_operation;
