//! From the syntax tree to a dense program that the machine executes.

mod error;

pub use error::{LowerError, LowerErrorKind};
