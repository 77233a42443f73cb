//! The transforms of cuFFT (cuFFT API Reference, NVIDIA, version 12: "Fourier Transform Types",
//! "Advanced Data Layout") on data of the host: discrete Fourier transforms of complex and real
//! numbers in one, two and three dimensions, many at once.
//!
//! | module | what it holds |
//! |---|---|
//! | `layout` | where the elements of a batch lie |
//! | `transform` | the transforms themselves |
//!
//! Nothing is scaled: a transform and its inverse multiply by the number of elements. The numbers
//! are `rustfft`'s without its vector instructions, so they are the same on every machine. They
//! differ from cuFFT's in their last bits, as the numbers of two cuFFT versions do. Transforms of
//! `f32` compute in `f64` and round each element once, so they are nearer to the exact numbers than
//! cuFFT's, and stay finite where sums inside of cuFFT overflow.

mod layout;
mod transform;

pub use layout::{Embedding, Side};
pub use transform::{Direction, Plan, Real, Shape};
