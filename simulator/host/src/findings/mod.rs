//! From what a run came to, to what a person reads: outcomes, findings, and the names of objects.

pub(super) mod assertion;
pub(super) mod explain;
pub(super) mod listener;
pub(super) mod objects;
