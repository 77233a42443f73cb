//! Matrices held by a warp (PTX ISA 9.7.14.4 to 9.7.14.6): `ldmatrix`, `stmatrix`, `mma`, `mma.sp`
//! and `wmma`.
//!
//! The lanes of a warp hold a matrix in pieces, *fragments*. Only `fragment` defines which lane has
//! which element. Each instruction becomes ordinary accesses of lanes to memory, or one of two
//! common operations of a warp's lanes, [`super::WarpAction::Rearrange`] and
//! [`super::WarpAction::Multiply`]:
//!
//! - For `ldmatrix` each lane with an address loads a row of 16 bytes, and then the rows are
//!   distributed (`rearrangement`). `stmatrix` is the reverse. So a race concerns the bytes of a
//!   row, and the lane with its address. In `wmma.load` and `wmma.store` each lane loads or stores
//!   its own elements;
//! - `mma` multiplies the lanes' values (`multiply`), with the arithmetic of hardware (`number`,
//!   `sum`, `product`), measured on sm_90 as described in `docs/tensor-cores.md`.
//!
//! Deviations:
//!
//! - one arithmetic for all architectures: the arithmetic of sm_90;
//! - the ISA leaves the layout of a fragment of `wmma` open. Here it is the layout of `mma`, and
//!   unneeded registers of f16 repeat the same values;
//! - lanes of different instructions of one kind act as one (`.aligned` forbids that), and exited
//!   lanes give zeros;
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
