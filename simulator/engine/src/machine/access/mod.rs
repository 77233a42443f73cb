//! One access of a warp, or of a gang of warps, to memory (PTX ISA 9.7.9, 9.7.13.5).
//!
//! [`addresses`] computes where the lanes access. [`general`] is the general path for loads and
//! stores and reads from top to bottom: addresses, checks, the report to observers, the transfer
//! ([`checked`]). The other files are fast paths for common shapes, or other kinds of access. Each
//! fast path gives exactly what the general path gives. It hands over to the general path wherever
//! it does not apply:
//!
//! - [`coalesced`]: all lanes of a warp in one allocation.
//! - [`all_lanes`]: all lanes of a gang in flat memory without an observer.
//! - [`located`]: the same in memory of pages, or with observers.
//! - [`atomic_all_lanes`]: atomics of a gang.
//!
//! Random accesses of one warp take both paths in `machine/tests.rs`
//! (`the_fast_path_gives_what_the_slow_one_gives`). Random programs run with gangs and without them
//! in `simulator/tests/suite/gangs.rs`. Both must agree.

pub(super) mod addresses;
pub(super) mod all_lanes;
pub(super) mod atomic;
pub(super) mod atomic_all_lanes;
pub(super) mod checked;
pub(super) mod coalesced;
pub(super) mod general;
pub(super) mod image;
pub(super) mod located;
pub(super) mod span;
pub(super) mod uniform;
