//! Translates instructions of the syntax tree to operations, one file for each chapter of the ISA.
//!
//! An instruction that cannot be translated is refused even if it would never execute.

pub(super) mod call;
pub(super) mod control;
pub(super) mod data;
pub(super) mod image;
pub(super) mod lanes;
pub(super) mod memory;
pub(super) mod operands;
pub(super) mod pairs;
pub(super) mod pieces;
pub(super) mod span;
pub(super) mod special;
pub(super) mod stack;
pub(super) mod structural;
pub(super) mod surface;
pub(super) mod video;
