//! The elements of a program: operations, their reads, writes and effects, and the runs of them
//! that the machine executes at once.

pub(super) mod again;
pub(super) mod call_stack;
pub(super) mod conduct;
pub(super) mod constants;
pub(super) mod diamond;
pub(super) mod effect;
pub(super) mod operation;
pub(super) mod roles;
pub(super) mod run;
