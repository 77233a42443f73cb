//! Translates the syntax tree to a dense program that the machine executes.
//!
//! [`place`] lays out a module's variables, and the host gives them addresses. [`lower`] translates
//! one kernel with the functions that it can reach. Names are resolved and immediates become
//! constants. Instructions become the operations of the [instruction table](crate::isa). Control
//! flow is cut into ordered blocks, with the places where paths meet.

mod error;
mod flow;
mod function;
mod link;
mod matrix;
mod module;
mod operations;
mod parameters;
mod program;
mod scope;
mod synchronisation;
mod translate;

pub use error::{LowerError, LowerErrorKind};
pub use link::lower;
pub use matrix::{MatrixMove, Multiplication, Multiply, Packing, Rearrangement};
pub use module::initial::Relocation;
pub use module::layout::{CONSTANT_BYTES, Layout, VariableLayout, kernels, place};
pub use module::placement::{Placement, window};
pub use operations::access::*;
pub use operations::asynchronous::{
    AsyncCopy, AsyncStore, Asynchronous, BulkCopy, Grouped, MOST_GROUPS,
};
pub use operations::call_stack::CallStack;
pub(crate) use operations::conduct::{Access, Beyond, Conduct, Own};
pub(crate) use operations::diamond::Diamond;
pub use operations::effect::{AccessKind, After, Effect, Leave, Transfer};
pub use operations::image::{
    Detail, ImageAction, ImageOperation, Outside, ResultWidth, Sample, Shape, Unit,
};
pub use operations::mbarrier::{
    ClusterBarrier, Mbarrier, MbarrierAction, MbarrierArrive, MbarrierPhase,
};
pub use operations::operand::{
    Bank, EXIT, Guard, Home, Operand, Origin, Pc, Purpose, Register, Role,
};
pub use operations::operation::*;
pub use operations::reduction::*;
pub use operations::runtime::{RuntimeCall, RuntimeFunction};
pub use operations::warp_operation::*;
pub use program::*;
pub use translate::span::DISCARDED;

#[cfg(test)]
mod tests;
