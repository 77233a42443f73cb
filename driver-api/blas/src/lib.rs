//! The computations of a BLAS as cuBLAS has them (cuBLAS documentation, NVIDIA, version 12). "An
//! extended set of Fortran basic linear algebra subprograms" and its companions define what each
//! routine computes.
//!
//! | module | what it holds |
//! |---|---|
//! | `number`, `narrow` | types of computations, and types in memory: real and complex, half, eight bits |
//! | `layout` | where the columns of matrices and the elements of vectors lie: leading dimensions, increments, triangles, packed, bands |
//! | `vectors` | level 1 |
//! | `columns` | level 2, and solving with triangles: matrices by their columns |
//! | `rotations` | plane rotations, modified ones too |
//! | `product` | the product of two dense matrices |
//! | `matrices` | level 3 and what cuBLAS adds to it |
//! | `factors` | LU, inverses, QR and least squares of small matrices |
//!
//! Vectors and matrices come without gaps: [`layout`] says which memory is read and written, and
//! the other modules know only elements.
//!
//! Results are the same on every machine. Each sum is made in the order of its index, without fused
//! operations. Its type is the type of the result or, if that is narrower, `f32`. NVIDIA's library
//! does not document the order of its sums and fuses operations, so its last bits differ. Both keep
//! the bound of a sum of that many terms.
//!
//! This crate must not know C, handles, streams or memory of the device.

pub mod columns;
pub mod factors;
pub mod layout;
pub mod matrices;
pub mod narrow;
pub mod number;
pub mod product;
pub mod rotations;
pub mod vectors;

pub use half::{bf16, f16};
pub use layout::Layout;
pub use narrow::{E4M3, E5M2};
pub use number::{C32, C64, Element, Number, Real};

/// The operation on a matrix before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// Nothing.
    None,
    /// It is transposed.
    Transposed,
    /// It is transposed, and each element is conjugated.
    Conjugated,
}

impl Op {
    /// Whether rows become columns.
    pub fn is_transposed(self) -> bool {
        self != Op::None
    }
}

/// Which triangle of a matrix is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Uplo {
    /// The triangle under the diagonal.
    Lower,
    /// The triangle above it.
    Upper,
}

impl Uplo {
    /// The triangle of the transposed matrix.
    #[must_use]
    pub fn other(self) -> Uplo {
        match self {
            Uplo::Lower => Uplo::Upper,
            Uplo::Upper => Uplo::Lower,
        }
    }
}

/// The symmetry of a matrix of complex numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symmetry {
    /// It equals its transpose.
    Symmetric,
    /// It equals its conjugated transpose; the diagonal is real, whatever memory has there.
    Hermitian,
}

impl Symmetry {
    /// The element on the other side of the diagonal.
    pub fn mirrored<T: Number>(self, value: T) -> T {
        match self {
            Symmetry::Symmetric => value,
            Symmetry::Hermitian => value.conj(),
        }
    }

    /// An element of the diagonal.
    pub fn diagonal<T: Number>(self, value: T) -> T {
        match self {
            Symmetry::Symmetric => value,
            Symmetry::Hermitian => T::from_real(value.re()),
        }
    }

    /// The transposition after which the product of a matrix with itself is of this kind.
    pub fn op(self) -> Op {
        match self {
            Symmetry::Symmetric => Op::Transposed,
            Symmetry::Hermitian => Op::Conjugated,
        }
    }
}
