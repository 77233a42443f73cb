//! The built-in workloads: six kernels that stress different parts of the machine, and variants,
//! each of which asks for one kind of instruction again and again.
//!
//! The counts of lane-instructions are fixed by the algorithms, not taken from a run, so that
//! figures of different simulators (or of a compiler that does with fewer) compare: what counts
//! is the time for the same work. Every result is checked against the same computation in Rust.
//!
//! Times are those of the launches alone, without input and check. The processor's time is that of
//! the whole process, all its threads together; other programs on the machine disturb it less than
//! the time on the clock.

mod choice;
mod clock;
mod input;
mod job;
mod size;
mod tasks;
mod variants;
mod workloads;

pub(crate) use choice::{Choice, NoSuchWorkload};
pub(crate) use job::{Measured, Progress};
pub(crate) use variants::REFERENCE;
