//! CUDA C++ as a module: compiled by NVRTC where it is found, parsed, and loaded.
//!
//! NVRTC is one library, which needs neither a GPU nor a driver: [`PIP_COMMAND`] fetches it.
//! warpsim looks for it at run time, in the order of [`Place`], so a program with this feature
//! builds and starts where there is none. [`NvrtcError::NotFound`] then says so, and a test can say
//! that it is skipped.
//!
//! Kernels are launched by their names in the source, with template arguments where there are
//! several (see [`names::called`](crate::names::called)). A template becomes a kernel where the
//! source instantiates it.
//!
//! ```no_run
//! use warpsim::prelude::*;
//!
//! let source = "
//!     template <typename T, unsigned N> __global__ void scale(T *cells) {
//!       cells[threadIdx.x] *= N;
//!     }
//!     template __global__ void scale<int, 3>(int *);
//!     template __global__ void scale<float, 3>(float *);";
//! let mut gpu = Simulator::default();
//! let module = gpu.load_cuda("scale.cu", source, &CompileOptions::default())?;
//! let cells = gpu.allocate(8)?;
//! gpu.upload(cells, &[7, 0, 0, 0, 100, 0, 0, 0])?;
//! gpu.launch(module, "scale<int, 3>", &Launch::new(1, 2), &[Argument::Pointer(cells)])?;
//! let mut out = [0; 8];
//! gpu.download(cells, &mut out)?;
//! assert_eq!(out, [21, 0, 0, 0, 44, 1, 0, 0]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Compile a launch that is checked with [`Mode::Naive`]: warpsim cannot judge what the compiler
//! has removed.

use std::fmt;
use std::path::Path;

use warpsim_host::{Device, DeviceError, ModuleHandle};
use warpsim_language::ptx::{self, Module, SyntaxError};
pub use warpsim_nvrtc::{
    CompileOptions, Compiled, Found, Message, MessageKind, Mode, Naive, Nvrtc, NvrtcError,
    OptionError, PIP_COMMAND, Place, Search, Severity, pip_command_for, pip_headers_command,
};

/// Why CUDA C++ was not loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadCudaError {
    /// There is no compiler, or it does not compile the source.
    Compile(NvrtcError),
    /// What the compiler wrote is not understood.
    Ptx(SyntaxError),
    /// The device does not take the module.
    Device(DeviceError),
}

impl fmt::Display for LoadCudaError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LoadCudaError::Compile(error @ NvrtcError::NotFound { .. }) => {
                write!(f, "{error}; `{PIP_COMMAND}` installs it")
            }
            LoadCudaError::Compile(error) => error.fmt(f),
            LoadCudaError::Ptx(error) => error.fmt(f),
            LoadCudaError::Device(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoadCudaError {}

/// Devices that take CUDA C++, where NVRTC is found: all of them.
pub trait LoadCuda: Device {
    /// Compiles a source with the compiler that [`Search::of_process`] finds, and loads it.
    /// Messages call it `name`. A path in `name` is the first folder in which its headers are
    /// looked for.
    ///
    /// # Errors
    /// There is no compiler, there are errors in the source, or the device refuses the module.
    fn load_cuda(
        &mut self,
        name: &str,
        source: &str,
        options: &CompileOptions,
    ) -> Result<ModuleHandle, LoadCudaError> {
        let nvrtc = Nvrtc::find(&Search::of_process(None)).map_err(LoadCudaError::Compile)?;
        let module = module(&nvrtc, name, source, options)?;
        self.load(&module).map_err(LoadCudaError::Device)
    }
}

impl<D: Device + ?Sized> LoadCuda for D {}

/// Compiles a source to a module with a compiler of the caller's choice; see [`Nvrtc::compile`] for
/// `name`. The module's lines are the lines of its printed text.
///
/// # Errors
/// As [`Nvrtc::compile`], or PTX that is not understood.
pub fn module(
    nvrtc: &Nvrtc,
    name: &str,
    source: &str,
    options: &CompileOptions,
) -> Result<Module, LoadCudaError> {
    let compiled = nvrtc.compile(name, source, options).map_err(LoadCudaError::Compile)?;
    let name = Path::new(name).with_extension("ptx").display().to_string();
    let module = ptx::parse(&name, &compiled.ptx).map_err(LoadCudaError::Ptx)?;
    ptx::parse(&name, &ptx::print(&module)).map_err(LoadCudaError::Ptx)
}
