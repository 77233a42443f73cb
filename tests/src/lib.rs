//! Whole-system tests.
//!
//! The tests are in `tests/`; this library is empty but for the code examples of the book, which run as tests from here.

#[doc = include_str!("../../docs/quick-start.md")]
pub mod quick_start {}
