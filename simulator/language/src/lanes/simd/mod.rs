//! The one module of this crate with unsafe code: lane loops compiled for the processor's
//! instructions, and the registers of several warps behind plain pointers.
//!
//! - [`tier`]: which instructions the lane loops may use, found once; a loop is compiled for each
//!   tier.
//! - [`gang`]: the warps that one dispatch drives; [`bank`]: where their registers lie; [`body`]:
//!   the one loop over them.
//! - [`lines`]: lists of registers that begin at lines of the cache.
//! - [`truth`]: the results of comparisons, combined and written.
//! - [`fused`]: `a * b + c`, rounded once.
//! - [`work`]: loops of other modules.
//! - [`reach`]: the elements of memory at the addresses in a register, made of [`address`],
//!   [`element`] and [`halves`].
//! - [`permute()`]: the values that lanes get from other lanes.
//! - [`rows`]: the same where all elements of a gang follow each other.
//!
//! All tiers give the same bits, and so does a gang of warps and each of its warps alone. Tests
//! compare them.
#![allow(
    unsafe_code,
    reason = "functions compiled for detected features; registers of several warps"
)]

#[cfg(target_endian = "big")]
compile_error!(
    "warpsim needs a little-endian host: words of registers are read there as memory of a GPU, which is little-endian"
);

mod address;
mod bank;
mod body;
mod element;
mod fused;
mod gang;
mod halves;
mod lines;
mod permute;
pub mod reach;
pub mod rows;
mod tier;
mod truth;
mod work;

pub use bank::{Bank, Predicate};
pub use body::{Body, Inputs, Loops, Outputs};
pub use gang::{Gang, Member};
pub use lines::{Lines, set_all};
pub use permute::permute;
pub use tier::{Tier, Tiered};
pub use work::{Work, in_tier};

pub(super) use bank::BIT;
pub(super) use body::{Chained, Code};
pub(super) use fused::{fused_f32, fused_f64};
pub(super) use tier::{
    Chosen, each_tier, features, shared, shared_loop, tiered, tiered_loop, with_features,
};
pub(super) use truth::{Form, Outcome, Truths, combined};
