//! The PTX language: text in, syntax tree out, and back.
//!
//! Knows nothing of execution.

mod ast;
mod span;

pub use ast::*;
pub use span::{Position, Source, Span};
