//! From the syntax tree to a dense program that the machine executes.
//!
//! [`place`] lays out a module's variables, the host gives them addresses, and [`lower`] translates
//! one kernel with the functions it can reach. Names are resolved, immediates become constants,
//! instructions become the operations that the [instruction table](crate::isa) asks for, and
//! control flow is cut into blocks with an order and with the places where paths meet.

mod again;
mod asynchronous;
mod atomic;
mod call;
mod call_stack;
mod cluster;
mod conduct;
mod constants;
mod control;
mod data;
mod diamond;
mod effect;
mod error;
mod flow;
mod function;
mod image;
mod initial;
mod lanes;
mod layout;
mod link;
mod matrix;
mod mbarrier;
mod memory;
mod operands;
mod operation;
mod pairs;
mod parameters;
mod pieces;
mod placement;
mod program;
mod reach;
mod reduction;
mod roles;
mod run;
mod runtime;
mod scope;
mod shared;
mod shuffle;
mod span;
mod special;
mod stack;
mod structural;
mod surface;
mod symbols;
mod sync;
mod video;
mod warp;
mod warp_operation;

pub use asynchronous::{AsyncCopy, AsyncStore, Asynchronous, BulkCopy, Grouped, MOST_GROUPS};
pub use call_stack::CallStack;
pub use cluster::ClusterBarrier;
pub(crate) use conduct::{Access, Beyond, Conduct, Own};
pub(crate) use diamond::Diamond;
pub use effect::{AccessKind, After, Effect, Leave};
pub use error::{LowerError, LowerErrorKind};
pub use image::{Detail, ImageAction, ImageOperation, Outside, ResultWidth, Sample, Shape, Unit};
pub use initial::Relocation;
pub use layout::{CONSTANT_BYTES, Layout, VariableLayout, kernels, place};
pub use link::lower;
pub use matrix::{MatrixMove, Multiplication, Multiply, Packing, Rearrangement};
pub use mbarrier::{Mbarrier, MbarrierAction, MbarrierArrive, MbarrierPhase};
pub use operation::*;
pub use placement::{Placement, window};
pub use program::*;
pub use reduction::*;
pub use roles::{Bank, Operand, Origin, Purpose, Register, Role};
pub use runtime::{RuntimeCall, RuntimeFunction};
pub use span::DISCARDED;
pub use warp_operation::*;

#[cfg(test)]
mod tests;
