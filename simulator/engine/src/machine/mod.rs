//! The abstract machine: warps, blocks, grids, memory spaces, barriers.
//!
//! Executes a lowered [`crate::lower::Program`] as PTX defines it (ISA chapters 2, 3 and 9), under
//! one of two execution models. It calls a [`crate::schedule::Schedule`] to choose who moves and
//! tells an [`crate::observe::Observer`] what happened, and knows nothing of what they are for. It
//! does not know what a race is.
//!
//! Where it deviates from hardware: memory is sequentially consistent, time is a count of
//! instructions, and the order of lanes, warps and blocks is the schedule's. So it shows one of the
//! outcomes that hardware may show, never one that it may not; it does not show them all.

mod access;
mod admitted;
mod asynchronous;
mod at_once;
mod atomic;
mod atomic_at_once;
mod barrier;
mod behind;
mod block;
mod cluster;
mod coalesced;
mod divergence;
mod environment;
mod execute;
mod found;
mod frame;
mod gang;
mod grid;
pub mod images;
mod in_flight;
mod local_loop;
mod mbarrier;
mod mbarrier_object;
mod memory;
mod meter;
mod parallel;
mod patience;
mod poll_loop;
mod profile;
mod pulse;
mod recurrence;
mod runtime;
mod segment;
mod settle;
mod shared_init;
mod span;
mod special;
mod spinning;
mod stack;
mod stage;
mod stall;
mod stop;
#[cfg(test)]
mod tests;
mod view;
mod warp;
mod warp_sync;

pub use access::space_of;
pub use block::{Block, Common};
pub use cluster::{CLUSTER_BARRIER, CLUSTER_OBJECT, ClusterPhase};
pub use environment::Environment;
pub use frame::{Frame, FrameId, Taken};
pub use grid::{Leftovers, Machine, Watcher};
pub use images::{AddressMode, Image, ImageObject, Images, Sampler, Shape};
pub use in_flight::InFlight;
pub use mbarrier_object::{MbarrierMisuse, MbarrierObject};
pub use memory::*;
pub use meter::Meter;
pub use parallel::{Apart, Unit};
pub use profile::{DeviceProfile, Model, SharedInit};
pub use runtime::Printed;
pub use stop::{FaultKind, StackOverflow, Stop, Thread, WaitReason, Waiting};
pub use warp::{Fragment, State, Warp};

// For the meter: a test puts loom's in their place.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use crate::lower::EXIT;
