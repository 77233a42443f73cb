//! The registers of a warp, and the loops over its lanes.
//!
//! A register is an array with an element for each of the 32 lanes. An operation on registers is a
//! scalar function in a loop over them, and has a name: it is a [`Primitive`]. Instructions are
//! defined with these ([`crate::isa`]), lowered programs are made of them (`lower`), and the
//! machine executes them. This module knows nothing of any of the three.

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
