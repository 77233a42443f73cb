//! From the syntax tree to a dense program that the machine executes.

mod error;
mod placement;
mod program;

pub use error::{LowerError, LowerErrorKind};
pub use placement::{Placement, window};
pub use program::*;
mod flow;
