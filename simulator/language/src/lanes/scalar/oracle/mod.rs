//! The computations of the lanes in their plainest form, with branches and early returns. [`same`]
//! tests that the form which runs gives the same bits.
//!
//! Everything here is slow. The results of an H200 are recorded for it
//! (`tests/recordings/register-operations.json`).

mod approx;
mod case;
mod conversion;
mod float;
mod halves;
mod integers;
mod narrow;
mod rounding;
mod same;
mod video;
