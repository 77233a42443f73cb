//! Executes operations: for one fragment of a warp, or for a gang of warps at once.
//!
//! [`fragment`] is the general path: it runs one fragment up to its next visible operation.
//! [`operation`] is the table from kinds of operations to the functions that carry them out.
//! [`segment`] executes register operations and uniform branches in a separate loop, for one warp
//! or for several. [`gang`] forms such sets of warps. Both give exactly what [`fragment`] gives.

pub(super) mod control_flow;
pub(super) mod fragment;
pub(super) mod gang;
pub(super) mod operation;
pub(super) mod runtime;
pub(super) mod segment;
pub(super) mod special;
pub(super) mod stack;
pub(super) mod strand_set;
pub(super) mod tallies;
