//! CUDA C++ to PTX, through NVRTC.
//!
//! NVRTC is NVIDIA's run-time compiler: one library and its builtins, which needs no GPU and no
//! driver. It compiles device code; host code must be hidden from it (`#ifndef __CUDACC_RTC__`).
//! The crate looks for it at run time, so it builds, and its tests pass, where there is none.
//!
//! Users have all of this as `warpsim::cuda`. The crate treats PTX as a text, and does not know
//! what runs it.
//!
//! | file | purpose |
//! |---|---|
//! | `libraries` | where shared libraries are looked for, and how they are opened; for the driver's, too |
//! | `find` | where NVRTC may be |
//! | `ffi` | every call of a foreign function, the only `unsafe` code of the crate |
//! | `compile` | options, the call, and its result |
//! | `headers` | the headers of host code that files of kernels begin with |
//! | `messages` | the compiler's messages as data |
//! | `packages` | which Python wheels CUDA's own headers come in |
//!
//! [`Place`] gives the order in which libraries are looked for.

mod compile;
mod error;
mod ffi;
mod find;
mod headers;
pub mod libraries;
mod messages;
mod packages;
#[cfg(test)]
mod tests;

pub use compile::{CompileOptions, Compiled, Mode, Naive, Nvrtc};
pub use error::NvrtcError;
pub use ffi::{WordFunction, Words, link_to_ptx};
pub use find::{Found, Place, Search};
pub use messages::{Message, MessageKind, OptionError, Severity};
pub use packages::{pip_command_for, pip_headers_command};

/// The command that fetches the compiler where there is none. The wheel is complete: neither the
/// toolkit nor a driver is needed.
pub const PIP_COMMAND: &str = "pip install nvidia-cuda-nvrtc";
