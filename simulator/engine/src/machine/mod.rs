//! The abstract machine: warps, blocks, grids, memory spaces, barriers.
//!
//! Executes a lowered [`crate::lower::Program`] as PTX defines it (ISA chapters 2, 3 and 9), under
//! one of two execution models. A [`crate::schedule::Schedule`] chooses who moves. A
//! [`crate::observe::Observer`] watches what happens. The machine knows neither what they are for
//! nor what a race is.
//!
//! Deviations from hardware: memory is sequentially consistent, time is a count of instructions,
//! and the schedule orders lanes, warps and blocks. So the machine shows one of the outcomes that
//! hardware allows, never a forbidden one. It does not show all of them.
//!
//! Each folder uses only those above it in this table. A test holds that
//! (`tests/tests/suite/layout.rs`).
//!
//! | folder | what it holds |
//! |---|---|
//! | `memory` | bytes: pages, allocations, snapshots, transfers of all lanes |
//! | `images` | textures and surfaces as data, and what a lookup reads |
//! | `state` | the state of a grid, block, warp, activation and barrier |
//! | `access` | one access of a warp: addresses, checks, transfer; a general path and fast paths |
//! | `progress` | detection of deadlock and of endless repetition |
//! | `control` | divergence, reconvergence, and which part of a warp moves first |
//! | `sync` | barriers, warp operations, mbarrier objects, asynchronous copies |
//! | `execute` | one operation, for one fragment or for a gang of warps |
//! | `run` | whose turn it is, the effects of a turn, blocks side by side |

mod access;
mod control;
mod execute;
pub mod images;
mod memory;
mod progress;
mod run;
mod state;
mod sync;
#[cfg(test)]
mod tests;

pub use access::addresses::space_of;
pub use images::{AddressMode, Image, ImageObject, Images, Sampler, Shape};
pub use memory::*;
pub use progress::meter::Meter;
pub use run::grid::Machine;
pub use run::parallel::{Apart, Unit};
pub use state::block::{Block, Common};
pub use state::cluster::{CLUSTER_BARRIER, CLUSTER_OBJECT, ClusterPhase};
pub use state::environment::Environment;
pub use state::execution::Watcher;
pub use state::fragment::{Fragment, State};
pub use state::frame::{Frame, FrameId, Taken};
pub use state::in_flight::InFlight;
pub use state::mbarrier_object::{MbarrierMisuse, MbarrierObject};
pub use state::printed::Printed;
pub use state::profile::{DeviceProfile, Model, SharedInit};
pub use state::shared_init::Leftovers;
pub use state::stop::{FaultKind, StackOverflow, Stop, Thread, WaitReason, Waiting};
pub use state::warp::Warp;
