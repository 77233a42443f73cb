//! The additional state of the memory of blocks that run ahead of their turn: marks, and deferred
//! reductions.
//!
//! Data. [`super::speculative`] fills and commits it.

use std::sync::Arc;

use super::marks::Marked;
use crate::internal::InternalError;
use crate::lower::AtomicOperation;
use crate::ptx::Type;

/// The additional state of the memory of blocks that run ahead of their turn.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Speculation {
    /// What was touched, by allocation.
    pub(super) marked: Vec<Marked>,
    /// The operations with unused results, by program counter.
    pub(super) unused: Arc<[bool]>,
    /// Reductions may be deferred.
    pub(super) defers: bool,
    /// The deferred reductions, in the order of the program.
    pub(super) deferred: Vec<Deferred>,
    /// A bug of warpsim, if one occurred: accesses go on, and the blocks' work is not committed.
    pub(super) broken: Option<InternalError>,
}

/// A deferred reduction of one lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::machine) struct Deferred {
    /// The address.
    pub(in crate::machine) address: u64,
    /// Bytes of the element.
    pub(in crate::machine) bytes: u32,
    /// The operation.
    pub(in crate::machine) operation: AtomicOperation,
    /// The type of the operation.
    pub(in crate::machine) ty: Type,
    /// The operand.
    pub(in crate::machine) b: u64,
    /// The new value of `cas`.
    pub(in crate::machine) c: u64,
}
