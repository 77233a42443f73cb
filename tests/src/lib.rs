//! Whole-system tests.
//!
//! The tests are in `tests/`; this library has what they share, and the code examples of the book,
//! which run as tests from here.

#[doc = include_str!("../../docs/quick-start.md")]
pub mod quick_start {}

pub mod conformance;
pub mod confusion;
pub mod differential;
pub mod labelled;
pub mod launching;
pub mod lockstep;
pub mod lookups;
pub mod random_programs;
pub mod recorded;
pub mod reference;
mod reference_wide;
pub mod remedies;
pub mod tiles;
pub mod video_oracle;
