//! The abstract machine: warps, blocks, grids, memory spaces, barriers.

mod lanes;
mod registers;

pub use lanes::*;
pub use registers::*;
