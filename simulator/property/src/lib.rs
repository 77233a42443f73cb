//! Property testing of kernels, in Rust tests, without a GPU.
//!
//! A test states the launches and data that a kernel is made for, and a property that holds for all
//! of them. Launches, data and schedules are drawn. When the property fails for one, all three are
//! made as small as possible. The failure holds the finding in words, and a test to paste with
//! exactly that launch, data and schedule.
//!
//! | property | says |
//! |---|---|
//! | [`Kernel::race_free`] | no race and no unordered pair of accesses |
//! | [`Kernel::clean`] | no finding at all, error or warning |
//! | [`Kernel::deterministic`] | the same result under every schedule |
//! | [`Kernel::terminates`] | no deadlock, no livelock, no limit |
//! | [`Kernel::matches`] | the result that an oracle says |
//!
//! # What a pass shows, and what not
//!
//! [`Evidence`] lists what was tried. A pass says nothing about other launches, data and schedules,
//! or about anything outside the PTX. It says nothing about orders of memory that are weaker than
//! the simulator's, though races are judged by the rule and not by what happened. A run that does
//! not end by the exit of every thread fails every property: nothing is known of what would have
//! come after.
//!
//! # Example
//!
//! ```
//! use warpsim::property::{Failure, Kernel, buffer, expect, launch, scalar};
//!
//! let text = "
//!     .version 7.0 .target sm_70 .address_size 64
//!     .visible .entry next(.param .u64 in, .param .u64 out, .param .u32 n) {
//!       .reg .u64 %a, %b, %o; .reg .u32 %i, %n, %v; .reg .pred %p;
//!       ld.param.u64 %a, [in];
//!       ld.param.u64 %b, [out];
//!       ld.param.u32 %n, [n];
//!       mov.u32 %i, %ctaid.x;
//!       mov.u32 %v, %ntid.x;
//!       mul.lo.u32 %i, %i, %v;
//!       mov.u32 %v, %tid.x;
//!       add.u32 %i, %i, %v;
//!       setp.ge.u32 %p, %i, %n;
//!       @%p ret;
//!       mul.wide.u32 %o, %i, 4;
//!       add.u64 %a, %a, %o;
//!       add.u64 %b, %b, %o;
//!       ld.global.u32 %v, [%a];
//!       add.u32 %v, %v, 1;
//!       st.global.u32 [%b], %v;
//!       ret;
//!     }";
//! let next = Kernel::from_ptx(text, "next")
//!     .launch(launch().threads(1..=128).blocks_to_cover(0))
//!     .argument(buffer::<u32>().lengths(0..=300).any())
//!     .argument(buffer::<u32>().same_length_as(0))
//!     .argument(scalar::<u32>().length_of(0))
//!     .cases(8);
//! next.clean()?;
//! next.matches(|case| {
//!     let numbers = case.buffer::<u32>(0)?;
//!     Ok(expect().buffer(1, numbers.into_iter().map(|number| number.wrapping_add(1))))
//! })?;
//! # Ok::<(), Failure>(())
//! ```
//!
//! It can be wrong in the other direction: the draw may miss the one launch that matters. So the
//! ends of each range, and sizes around whole warps, are drawn often.

mod argument;
mod case;
mod command;
mod drawing;
mod evidence;
mod expected;
mod failure;
mod judge;
mod kernel;
mod launch;
mod pasted;
mod run;
mod search;
mod shards;
mod source;
#[cfg(test)]
mod tests;
mod words;

pub use argument::{ArgumentChoice, Buffers, Scalars, again, buffer, scalar};
pub use case::{Case, Cells, Value};
pub use drawing::draw::Inputs;
pub use drawing::element::{Element, ElementType, Sealed, bf16, f16};
pub use drawing::shrink::CaseTree;
pub use drawing::strategies::{buffers, cases, launch_shapes, schedules};
pub use evidence::Evidence;
pub use expected::{Expected, Mismatch, Tolerance, expect};
pub use failure::{Counterexample, Failure, Mistake};
pub use judge::{Difference, Wrong};
pub use kernel::Kernel;
pub use launch::{LaunchShapes, launch};
pub use run::Ran;
pub use shards::{FOLDER, SHARD};

use warpsim_engine::{report, schedule};
use warpsim_host as host;
use warpsim_host::explore;
use warpsim_language::{diagnostics, ptx};
