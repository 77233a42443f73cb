//! What the lanes compute in its plainest form, with branches and early returns, and that the form
//! which runs gives the same bits ([`same`]).
//!
//! Everything here is slow, and the results of an H200 are recorded for it
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
