//! The registers of a warp, and the loops over its lanes.
//!
//! A register is an array with an element for each of the 32 lanes; an operation on registers is a
//! scalar function in a loop over them. This is what instructions are defined with
//! ([`crate::isa`]), what lowered programs are made of (`lower`), and what the machine
//! executes. It knows nothing of any of them.

mod dataflow;
mod loops;
mod registers;
mod simd;

pub use dataflow::{Dataflow, Position, Width};
pub use loops::*;
pub use registers::*;
