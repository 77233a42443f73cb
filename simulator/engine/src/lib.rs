//! The engine: a module is lowered to a [`lower::Program`], and the [`machine`] runs it.
//!
//! - [`argument`]: the place of a value among the arguments of a launch.
//! - [`launch`]: the shape of a launch.
//! - [`lower`]: syntax tree -> dense operations, control flow, post-dominators.
//! - [`machine`]: warps, blocks, grids, memory spaces, barriers.
//! - [`schedule`]: who runs next, a trait that the machine asks.
//! - [`observe`]: who watches, a trait that the machine reports to.
//! - [`report`]: the result of a run, as data.
//!
//! This crate must not know what a race is, what host code does, files, clocks or host threads.

pub mod argument;
pub mod launch;
pub mod lower;
pub mod machine;
pub mod observe;
pub mod report;
pub mod schedule;

use warpsim_language::{element, graph, internal, isa, lanes, ptx, scope};
