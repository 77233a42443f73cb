//! Runs a launch: who moves next, and the effects of a turn.
//!
//! [`grid`] holds the resident blocks. [`turn`] asks the schedule whose turn it is and executes the
//! turn. [`settle`] carries out its effects. [`rounds`] gives turns to a gang of warps at once, and
//! [`parallel`] runs blocks ahead of their turn. Both give what one turn after the other gives.
//! [`view`] shows a schedule what it may know.

pub(super) mod grid;
pub(super) mod parallel;
pub(super) mod rounds;
pub(super) mod settle;
pub(super) mod turn;
pub(super) mod view;
