//! The C boundary of the CUDA driver API: the functions of `libcuda.so.1`, over
//! [`warpsim_driver_core`]. The runtime API (`libcudart.so.12` and `.13`) is over the same core.
//! Beside them are the functions of `libnvJitLink.so` and `libnvrtc.so`, of cuBLAS (`libcublas.so`,
//! `libcublasLt.so`), cuRAND, cuFFT, cuSPARSE and NVML. The CUPTI functions that profilers call
//! first are here, too.
//!
//! This crate decides nothing. A function reads its arguments from C, calls the core, and writes
//! the results. This is the place for `unsafe`: `pointers`, `process`, `system` and `words` hold
//! it, with the reason at each block. No function unwinds into C: a panic is reported as a bug of
//! ours and gives `CUDA_ERROR_UNKNOWN`. Null pointers and dangling handles are errors of the API. A
//! pointer to memory that is not there is the program's own fault, as with any library.
//!
//! How a program finds the functions: the `warpsim` executable *is* the library. It is linked as a
//! shared object with an entry point, as `libc.so.6` is, and exports the functions of this crate.
//! So `warpsim exec` only has to name it `libcuda.so.1` in its own folder. A library beside the
//! command would not do, because `cargo install` installs executables alone. The command's build
//! script could build a library to carry inside it, but that would compile the simulator twice. An
//! ordinary executable cannot be loaded: its thread-local variables lie where only the first object
//! of a process has them. `cli/build.rs` says how it is linked.
//!
//! A function that is not implemented takes no arguments here and is called with the arguments of
//! its signature. The C calling conventions of x86-64 and AArch64 allow that: the caller clears
//! what it passed.
//!
//! This crate must not know what the device does, what `warpsim exec` prints, or where its files
//! are beyond the given paths.

#![cfg(target_os = "linux")]

mod absent;
mod blas;
mod callbacks;
mod cupti;
#[expect(unsafe_code, reason = "a section with a name that the linker knows")]
mod entry;
mod failures;
mod fft;
mod functions;
mod graphs;
mod jit_link;
mod lookup;
mod management;
mod nvrtc;
#[expect(unsafe_code, reason = "what C passes is read and written here")]
mod pointers;
#[expect(unsafe_code, reason = "the process's memory and its C library are reached here")]
mod process;
mod random;
mod real;
mod records;
mod returned;
mod runtime;
mod site;
mod sparse;
mod static_runtime;
mod structures;
#[expect(unsafe_code, reason = "threads and children of the C library are made here")]
mod system;
#[expect(unsafe_code, reason = "memory that the program writes at the same time is reached here")]
mod words;

pub use static_runtime::{Linked, is_interpreter};
pub use system::end_with_parent;

/// Every function by its name, with its address. This keeps the functions in an executable that
/// links this crate.
pub fn functions() -> &'static std::collections::BTreeMap<&'static str, usize> {
    lookup::table()
}
