//! The computations of the lanes in their plainest form, with branches and early returns. [`same`]
//! tests that the form which runs gives the same bits.
//!
//! It says again, on purpose, what the form that runs says, and shares no code with it: a mistake in
//! one of the two is then a difference. Where the plainest form is fast enough to run, the two are
//! alike to the letter.
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
