//! The scalar functions behind the register operations: what one lane computes.
//!
//! Each is total (it is called for inactive lanes too) and knows nothing of registers and lanes.
//!
//! - `integers`: wide products, division, packed 16-bit halves, bit fields;
//! - `exact`: sums and products with what rounding took from them;
//! - `rounding`: rounding a `f64` to a narrower format in any direction;
//! - `float`: f32 and f64 arithmetic with PTX's NaN, `.ftz` and `.sat` rules;
//! - `halves`: f16 and bf16, alone and in pairs;
//! - `combine`: what atomics do to halves;
//! - `approx`: the `.approx` functions;
//! - `comparison`: the operators of `set` and `setp`;
//! - `conversion`: `cvt`;
//! - `narrow`: `cvt` of floats of at most 8 bits;
//! - `video`: the video instructions.
//!
//! They compute without branches, tables and calls, so that the loops around them vectorise.
//! `oracle` has the same in the plainest form, for tests.

pub(crate) mod approx;
pub(crate) mod combine;
pub(crate) mod comparison;
pub(crate) mod conversion;
pub(crate) mod exact;
pub(crate) mod float;
pub(crate) mod halves;
pub(crate) mod integers;
pub(crate) mod narrow;
#[cfg(test)]
mod oracle;
pub(crate) mod rounding;
pub(crate) mod video;
