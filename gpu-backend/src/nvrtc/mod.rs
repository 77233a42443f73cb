//! CUDA C++ to PTX, through NVRTC.
//!
//! NVRTC is NVIDIA's run-time compiler: one library and its builtins, which needs no GPU and no
//! driver. It compiles device code; host code has to be kept from it (`#ifndef __CUDACC_RTC__`).
//!
//! | file | what it is for |
//! |---|---|
//! | `find` | where the library may be |
//! | `compile` | options, the call, and what comes of it |
//! | `headers` | the headers of host code that files of kernels begin with |
//! | `load` | CUDA C++ as a module of a device |
//! | `messages` | the compiler's messages as data |
//! | `packages` | which Python wheels CUDA's own headers come in |
//!
//! The order in which libraries are looked for is that of [`Place`].

mod compile;
mod error;
mod find;
mod headers;
mod load;
mod messages;
mod packages;
#[cfg(test)]
mod tests;

pub use compile::{CompileOptions, Compiled, Mode, Naive, Nvrtc};
pub use error::NvrtcError;
pub use find::{Found, Place, Search};
pub use load::{LoadCuda, LoadCudaError};
pub use messages::{Message, Severity};
pub use packages::{pip_command_for, pip_headers_command};

/// The command that fetches the compiler where there is none. The wheel is complete: neither the
/// toolkit nor a driver is needed.
pub const PIP_COMMAND: &str = "pip install nvidia-cuda-nvrtc";
