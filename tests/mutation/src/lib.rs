//! Mutation fuzzing: real PTX files, changed at random, go the whole way that a user's file goes.
//!
//! A mutant is parsed, printed and parsed again, rewritten by the passes, lowered, and where it
//! lowers it is run for some steps, plainly or checked. Whatever it holds, warpsim answers: nothing
//! panics, no mutant takes more than [`Limits::time`] of a processor, none more than
//! [`Limits::memory`]. What a mutant means is not looked at.
//!
//! Mutant number n of a seed is always the same text. `cargo run -p warpsim-mutation -- --help`
//! says how to run many, and how to have one written to a file.

mod change;
mod examine;
mod files;
mod random;
mod run;

pub use change::mutant;
pub use examine::{Reached, examine};
pub use files::{File, files};
pub use run::{Failure, Limits, Settings, Summary, Trouble, run};
