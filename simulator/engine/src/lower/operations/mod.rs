//! The elements of a program: operations, their reads, writes and effects, and the runs of them
//! that the machine executes at once. This folder is data and facts about it. It does not use the
//! translation from PTX (`translate`, `synchronisation`, `function`).

pub(super) mod access;
pub(super) mod again;
pub(super) mod asynchronous;
pub(super) mod call_stack;
pub(super) mod conduct;
pub(super) mod constants;
pub(super) mod diamond;
pub(super) mod effect;
pub(super) mod image;
pub(super) mod mbarrier;
pub(super) mod operand;
pub(super) mod operation;
pub(super) mod reduction;
pub(super) mod roles;
pub(super) mod run;
pub(super) mod runtime;
pub(super) mod warp_operation;
