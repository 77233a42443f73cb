//! The abstract machine: warps, blocks, grids, memory spaces, barriers.

mod lanes;
mod registers;
mod simd;

pub use lanes::*;
pub use registers::*;
