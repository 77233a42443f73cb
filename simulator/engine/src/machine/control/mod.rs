//! How a warp diverges and reconverges, and which part of it moves first.
//!
//! Changes the fragments and activations of one warp and nothing else. It knows the program and the
//! execution model, but no schedules and no observers.

pub(super) mod divergence;
pub(super) mod furthest_behind;

/// How the fragment that executed an operation goes on.
pub(super) enum Next {
    /// On to the next operation.
    On,
    /// The program counter has been set.
    Set,
}
