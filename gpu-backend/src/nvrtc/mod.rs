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
//! | `messages` | the compiler's messages as data |
//!
//! The order in which libraries are looked for is that of [`Place`].

mod compile;
mod error;
mod find;
mod headers;
mod messages;
#[cfg(test)]
mod tests;

pub use compile::{CompileOptions, Compiled, Mode, Naive, Nvrtc};
pub use error::NvrtcError;
pub use find::{Found, Place, Search};
pub use messages::{Message, Severity};

/// The command that fetches the compiler where there is none. The wheel is complete: neither the
/// toolkit nor a driver is needed.
pub const PIP_COMMAND: &str = "pip install nvidia-cuda-nvrtc";

/// The command that fetches CUDA's own headers, `cooperative_groups.h` and `cuda_fp16.h` among
/// them, for a compiler of this version.
///
/// ```
/// use warpsim_gpu::nvrtc::pip_headers_command;
///
/// let command = "pip install 'nvidia-cuda-runtime==13.0.*' nvidia-cuda-cccl";
/// assert_eq!(pip_headers_command((13, 0)), command);
/// ```
pub fn pip_headers_command((major, minor): (u32, u32)) -> String {
    // Until CUDA 12 the version was part of the names.
    let suffix = if major <= 12 { format!("-cu{major}") } else { String::new() };
    format!("pip install 'nvidia-cuda-runtime{suffix}=={major}.{minor}.*' nvidia-cuda-cccl{suffix}")
}
