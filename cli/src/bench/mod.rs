//! The built-in workloads: six kernels that stress different parts of the machine, and variants,
//! which each repeat one kind of instruction.
//!
//! The counts of lane-instructions are fixed by the algorithms, not taken from a run. So figures of
//! different simulators (or of a compiler that needs fewer) compare: they give the time for the
//! same work. Every result is checked against the same computation in Rust.
//!
//! Times cover the launches alone, without input and check. The processor's time covers the whole
//! process, all its threads together. Other programs on the machine disturb it less than the time
//! on the clock.

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
