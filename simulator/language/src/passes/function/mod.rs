//! One function as the passes see it: its body with names resolved, its blocks, and what its
//! instructions and calls do to memory.

pub(super) mod bits;
pub(super) mod body;
pub(super) mod cfg;
pub(super) mod effects;
pub(super) mod summaries;
