//! The PTX language: text in, syntax tree out, and back.
//!
//! Knows nothing of execution.

mod ast;
mod error;
#[cfg(feature = "serde")]
mod flat;
mod keyword;
mod lexer;
mod library;
pub mod limits;
mod lines;
mod link;
mod number;
mod parse;
mod print;
mod span;
mod walk;

pub use ast::*;
pub use error::{Found, SyntaxError, SyntaxErrorKind};
pub use library::{Inside, Seen, is_of_library};
pub use lines::{MAX_CHAIN, SourceMap, SourcePosition};
pub use link::{LinkError, LinkErrorKind, link, linked_files, needs_toolchain};
pub use parse::{parse, parse_bytes};
pub use print::print;
pub use span::{Position, Source, Span};
