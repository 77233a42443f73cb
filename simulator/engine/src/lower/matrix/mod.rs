//! Matrices that a warp holds (PTX ISA 9.7.14.4 to 9.7.14.6): `ldmatrix`, `stmatrix`, `mma`,
//! `mma.sp` and `wmma`.
//!
//! The lanes of a warp hold a matrix in pieces, *fragments*; which lane has which element is said
//! once, in `fragment`. Everything is either an ordinary access of lanes to memory, or one of two
//! things that lanes of a warp do together, [`super::WarpAction::Rearrange`] and
//! [`super::WarpAction::Multiply`]:
//!
//! - `ldmatrix` is a load of a row of 16 bytes by each lane that gives an address, after which
//!   the rows are handed out (`rearrangement`); `stmatrix` is the same backwards. So a race is
//!   one of the bytes of a row, and of the lane that gave its address. `wmma.load` and
//!   `wmma.store` are loads and stores of elements by the lanes that have them;
//! - `mma` multiplies what lanes give (`multiply`), with the arithmetic of hardware (`number`,
//!   `sum`, `product`), measured on sm_90 as `docs/tensor-cores.md` tells.
//!
//! Deviations:
//!
//! - one arithmetic for all architectures, that of sm_90;
//! - the layout of a fragment of `wmma`, which the ISA leaves open, is that of `mma`; registers
//!   of f16 that it does not need hold the same again;
//! - lanes of different instructions of one kind act as one (`.aligned` forbids that), and lanes
//!   that have exited give zeros;
//! - metadata of `mma.sp` that names an element twice multiplies it twice (undefined in the ISA).

mod fragment;
mod lowering;
mod multiply;
mod number;
mod product;
mod rearrangement;
mod sum;
#[cfg(test)]
mod tests;
mod wmma;

pub use multiply::{Multiplication, Multiply};
pub use rearrangement::{MatrixMove, Packing, Rearrangement};
