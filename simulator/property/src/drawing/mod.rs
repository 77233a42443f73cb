//! Launches and data: how they are drawn, and how they get smaller.

pub(super) mod draw;
pub(super) mod element;
pub(super) mod shrink;
pub(super) mod strategies;
pub(super) mod structs;
