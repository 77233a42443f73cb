//! The state of a grid, a block, a warp and a barrier: data and their invariants.
//!
//! Nothing here executes an operation, accesses memory for a kernel or chooses who moves.

pub(super) mod barrier;
pub(super) mod block;
pub(super) mod cluster;
pub(super) mod environment;
pub(super) mod execution;
pub(super) mod fragment;
pub(super) mod frame;
pub(super) mod history;
pub(super) mod in_flight;
pub(super) mod located;
pub(super) mod mbarrier_object;
pub(super) mod printed;
pub(super) mod profile;
pub(super) mod shared_init;
pub(super) mod stop;
pub(super) mod tally;
pub(super) mod warp;
