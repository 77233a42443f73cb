//! The generators of cuRAND's host API (cuRAND Library Programming Guide, NVIDIA, version 12):
//! XORWOW, MRG32k3a, Philox4x32-10, and Sobol's sequences of 32 and 64 bits, plain and scrambled.
//!
//! | module | what it holds |
//! |---|---|
//! | `xorwow`, `mrg32k3a`, `philox` | the generators of the papers, and how they jump |
//! | `sobol` | direction vectors, points |
//! | `numbers`, `convert` | numbers made into uniform and normal ones |
//! | `poisson` | Poisson numbers and tables |
//! | `threads` | the order of results |
//! | `generator` | a generator with its options |
//!
//! This crate must not know C, memory or streams.
//!
//! cuRAND's documented behaviour holds here, too: numbers and uniform numbers are equal. The orders
//! `Best`, `Default` and `Legacy` are the same; so is `Dynamic`, which hardware may choose. Some
//! results are not documented and so differ from cuRAND's. They are the numbers of `Seeded` except
//! in the first thread, of scrambled sequences, and of Poisson distributions. The last bits of
//! normal numbers differ, too.

mod convert;
mod generator;
mod mrg32k3a;
mod numbers;
mod philox;
mod poisson;
mod sobol;
#[cfg(test)]
mod tests;
mod threads;
mod xorwow;

pub use generator::Generator;
pub use poisson::{Distribution, LARGEST_MEAN};
pub use sobol::DIMENSIONS;

/// The kind of a generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `CURAND_RNG_PSEUDO_XORWOW`, and the default.
    Xorwow,
    /// `CURAND_RNG_PSEUDO_MRG32K3A`.
    Mrg32k3a,
    /// `CURAND_RNG_PSEUDO_PHILOX4_32_10`.
    Philox,
    /// `CURAND_RNG_QUASI_SOBOL32`, and the default quasirandom kind.
    Sobol32,
    /// `CURAND_RNG_QUASI_SCRAMBLED_SOBOL32`.
    ScrambledSobol32,
    /// `CURAND_RNG_QUASI_SOBOL64`.
    Sobol64,
    /// `CURAND_RNG_QUASI_SCRAMBLED_SOBOL64`.
    ScrambledSobol64,
}

impl Kind {
    /// Whether its numbers are coordinates of points.
    pub fn is_quasi(self) -> bool {
        match self {
            Kind::Xorwow | Kind::Mrg32k3a | Kind::Philox => false,
            Kind::Sobol32 | Kind::ScrambledSobol32 | Kind::Sobol64 | Kind::ScrambledSobol64 => true,
        }
    }

    /// Whether its numbers have 64 bits.
    pub fn is_long(self) -> bool {
        match self {
            Kind::Xorwow
            | Kind::Mrg32k3a
            | Kind::Philox
            | Kind::Sobol32
            | Kind::ScrambledSobol32 => false,
            Kind::Sobol64 | Kind::ScrambledSobol64 => true,
        }
    }
}

/// The order of results (`curandOrdering_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordering {
    /// `CURAND_ORDERING_PSEUDO_BEST`.
    Best,
    /// `CURAND_ORDERING_PSEUDO_DEFAULT`.
    Default,
    /// `CURAND_ORDERING_PSEUDO_SEEDED`.
    Seeded,
    /// `CURAND_ORDERING_PSEUDO_LEGACY`.
    Legacy,
    /// `CURAND_ORDERING_PSEUDO_DYNAMIC`.
    Dynamic,
    /// `CURAND_ORDERING_QUASI_DEFAULT`.
    QuasiDefault,
}

/// Why something is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// `CURAND_STATUS_TYPE_ERROR`.
    WrongType,
    /// `CURAND_STATUS_OUT_OF_RANGE`.
    OutOfRange,
    /// `CURAND_STATUS_LENGTH_NOT_MULTIPLE`.
    NotMultiple,
}

/// The direction vectors of all dimensions, of 32 bits.
pub fn vectors_32(are_scrambled: bool) -> Vec<[u32; 32]> {
    let upper = |vectors: [u64; 64]| std::array::from_fn(|bit| (vectors[bit] >> 32) as u32);
    (0..DIMENSIONS).map(|dimension| upper(vectors_of(dimension, are_scrambled))).collect()
}

/// The direction vectors of all dimensions, of 64 bits.
pub fn vectors_64(are_scrambled: bool) -> Vec<[u64; 64]> {
    (0..DIMENSIONS).map(|dimension| vectors_of(dimension, are_scrambled)).collect()
}

fn vectors_of(dimension: usize, are_scrambled: bool) -> [u64; 64] {
    if are_scrambled { sobol::scrambled(dimension) } else { sobol::vectors(dimension) }
}

/// The constants of all scrambled dimensions, of 64 bits; the 32-bit constants are their upper
/// halves.
pub fn constants() -> Vec<u64> {
    (0..DIMENSIONS).map(sobol::constant).collect()
}
