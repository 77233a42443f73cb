//! Results of hardware as files, with their provenance, and reading them back.
//!
//! A [`Recording`] is one JSON file for one module of PTX. It holds the SHA-256 of the module's
//! text and the device it ran on. For each [`Run`] it holds the launch, the inputs and the results,
//! bit for bit. `docs/recordings.md` describes the format field by field. Small buffers are kept
//! whole, as hexadecimal numerals that a person can read ([`bits`]). Large ones are kept as digests
//! only, so a difference in them is placed to within 256 cells.
//!
//! The files are read strictly: an unknown field, an unknown version or a number out of range is an
//! error that names its place. Nothing here runs anything.

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
