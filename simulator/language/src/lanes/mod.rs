//! The registers of a warp, and the loops over its lanes.
//!
//! A register is an array with an element for each of the 32 lanes; an operation on registers is a
//! scalar function in a loop over them, and has a name: it is a [`Primitive`]. This is what
//! instructions are defined with ([`crate::isa`]), what lowered programs are made of
//! (`lower`), and what the machine executes. It knows nothing of any of them.

mod dataflow;
mod loops;
pub mod primitive;
mod registers;
pub(crate) mod scalar;
mod simd;

pub use dataflow::{Dataflow, Position, Width};
pub use loops::*;
pub use primitive::{Pair, Primitive, RegisterOperation, Role};
pub use registers::*;
pub use scalar::combine::{HalfOperation, combine_halves};
pub use scalar::float::fma_f64 as fused_f64;
pub use simd::{
    Bank, Body, Gang, Inputs, Lines, Loops, Member, Outputs, Predicate, Tier, Tiered, Work,
    in_tier, permute, set_all,
};
pub use simd::{reach, rows};
