//! Results of hardware as files, with their provenance, and reading them back.
//!
//! A [`Recording`] is one JSON file for one module of PTX: what the module's text was (its
//! SHA-256), on what it ran, and for each [`Run`] what was launched on which inputs and what it
//! left, bit for bit. `docs/recordings.md` describes the format field by field. Small buffers are
//! kept whole, as hexadecimal numerals that a person can read ([`bits`]); of large ones only
//! digests are kept, so a difference in them is placed to within 256 cells.
//!
//! The files are read strictly: an unknown field, an unknown version or a number out of range is an
//! error that says where it is. Nothing here runs anything.

pub mod bits;
mod date;
mod error;
mod file;
mod run;
mod wire;

pub use date::{civil, today};
pub use error::RecordingError;
pub use file::{Made, Recording, SCHEMA, sha256};
pub use run::{Compiled, Ended, Left, Place, ProgramCall, Run, Simulated, Submission, Work};
