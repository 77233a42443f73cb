//! The rule, clause by clause: hand-written kernels whose findings follow from the rule alone.

mod carried;
mod global;
mod kernels;
mod silent;
mod used;

use kernels::{Kernel, serious};
