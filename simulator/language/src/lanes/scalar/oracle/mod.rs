//! The computations of the lanes in their plainest form, with branches and early returns. [`same`]
//! tests that the form which runs gives the same bits.
//!
//! It repeats the form that runs, on purpose, and shares no code with it. So a mistake in one of
//! the two is a difference. Where the plainest form is fast enough to run, the two are equal.
//!
//! Everything here is slow. It is compared with the recorded results of an H200
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
