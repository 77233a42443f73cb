//! Turns the results of a run into text for people: outcomes, findings, and the names of objects.

pub(super) mod assertion;
pub(super) mod explain;
pub(super) mod listener;
pub(super) mod objects;
