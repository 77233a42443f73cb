//! Running the simulator's programs on real hardware, through the CUDA driver.
//!
//! | module | purpose |
//! |---|---|
//! | [`probe`] | the GPUs here, their driver, what they can do |
//! | `ffi` | every call of a foreign function, the only `unsafe` code of the crate |
//! | [`Gpu`] | a [`warpsim::host::Device`] on a GPU, in this process |
//! | [`isolated`] | the same in a child process with a time limit, for kernels that may hang or fault |
//! | [`recording`] | results of hardware as files, with their provenance |
//!
//! Libraries of CUDA are looked for at run time. The crate builds, and its tests pass, without
//! them. Nothing here panics when one is missing or incomplete; [`GpuError`] says so.

mod error;
mod ffi;
mod gpu;
pub mod isolated;
mod jit;
pub mod probe;
pub mod recording;

pub use error::{GpuError, Lacking};
pub use gpu::Gpu;
pub use isolated::{Isolated, IsolatedSettings, WorkerProgram};
pub use jit::JitLevel;
