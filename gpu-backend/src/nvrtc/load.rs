//! CUDA C++ as a module of a device: compiled, parsed and loaded in one call.
//!
//! The simulator itself knows of no compiler; [`LoadCuda`] gives every [`Device`] the methods.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use warpsim::host::{Device, DeviceError, ModuleHandle};
use warpsim::ptx::{self, Module, SyntaxError};

use super::{CompileOptions, Nvrtc, NvrtcError, Search};

/// Longest source that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// Why CUDA C++ was not loaded.
#[derive(Debug)]
#[non_exhaustive]
pub enum LoadCudaError {
    /// The file cannot be read.
    Read {
        /// Which.
        file: PathBuf,
        /// The system's words.
        words: String,
    },
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
            LoadCudaError::Read { file, words } => {
                write!(f, "cannot read {}: {words}", file.display())
            }
            LoadCudaError::Compile(error @ NvrtcError::NotFound { .. }) => {
                write!(f, "{error}; `{}` fetches it", super::PIP_COMMAND)
            }
            LoadCudaError::Compile(error) => error.fmt(f),
            LoadCudaError::Ptx(error) => error.fmt(f),
            LoadCudaError::Device(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for LoadCudaError {}

/// Devices that take CUDA C++, where NVRTC is found: all of them.
///
/// Kernels are launched by their names in the source, with template arguments where there are
/// several (see [`warpsim::names::called`]). A template becomes a kernel where the source
/// instantiates it.
///
/// ```
/// use warpsim::prelude::*;
/// use warpsim_gpu::nvrtc::{CompileOptions, LoadCuda, LoadCudaError, NvrtcError};
///
/// let source = "
///     template <typename T, unsigned N> __global__ void scale(T *cells) {
///       cells[threadIdx.x] *= N;
///     }
///     template __global__ void scale<int, 3>(int *);
///     template __global__ void scale<float, 3>(float *);";
/// let mut gpu = Simulator::default();
/// let module = match gpu.load_cuda_text("scale.cu", source, &CompileOptions::default()) {
///     Err(LoadCudaError::Compile(NvrtcError::NotFound { .. })) => return Ok(()), // no compiler
///     loaded => loaded?,
/// };
/// let cells = gpu.allocate(8)?;
/// gpu.upload(cells, &[7, 0, 0, 0, 100, 0, 0, 0])?;
/// gpu.launch(module, "scale<int, 3>", &Launch::new(1, 2), &[Argument::Pointer(cells)])?;
/// let mut out = [0; 8];
/// gpu.download(cells, &mut out)?;
/// assert_eq!(out, [21, 0, 0, 0, 44, 1, 0, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait LoadCuda: Device {
    /// Compiles a `.cu` file with the compiler that [`Search::of_process`] finds, and loads it.
    ///
    /// # Errors
    /// The file cannot be read, there is no compiler, there are errors in the source, or the
    /// device refuses the module.
    fn load_cuda(
        &mut self,
        file: impl AsRef<Path>,
        options: &CompileOptions,
    ) -> Result<ModuleHandle, LoadCudaError>
    where
        Self: Sized,
    {
        let file = file.as_ref();
        let source = read(file)?;
        self.load_cuda_text(&file.display().to_string(), &source, options)
    }

    /// The same for a source in memory. `name` is what messages call it, and a path in it is the
    /// first folder in which its headers are looked for.
    ///
    /// # Errors
    /// As [`LoadCuda::load_cuda`].
    fn load_cuda_text(
        &mut self,
        name: &str,
        source: &str,
        options: &CompileOptions,
    ) -> Result<ModuleHandle, LoadCudaError> {
        let nvrtc = Nvrtc::find(&Search::of_process(None)).map_err(LoadCudaError::Compile)?;
        let module = nvrtc.module(name, source, options)?;
        self.load(&module).map_err(LoadCudaError::Device)
    }
}

impl<D: Device + ?Sized> LoadCuda for D {}

impl Nvrtc {
    /// Compiles a source to a module; see [`Nvrtc::compile`] for `name`. Its lines are those of the
    /// text that it is printed as.
    ///
    /// # Errors
    /// As [`Nvrtc::compile`], or PTX that is not understood.
    pub fn module(
        &self,
        name: &str,
        source: &str,
        options: &CompileOptions,
    ) -> Result<Module, LoadCudaError> {
        let compiled = self.compile(name, source, options).map_err(LoadCudaError::Compile)?;
        let name = Path::new(name).with_extension("ptx").display().to_string();
        let module = ptx::parse(&name, &compiled.ptx).map_err(LoadCudaError::Ptx)?;
        ptx::parse(&name, &ptx::print(&module)).map_err(LoadCudaError::Ptx)
    }
}

fn read(file: &Path) -> Result<String, LoadCudaError> {
    let cannot = |words: String| LoadCudaError::Read { file: file.to_owned(), words };
    let metadata = fs::metadata(file).map_err(|error| cannot(error.to_string()))?;
    if !metadata.is_file() {
        return Err(cannot("it is not a file".to_owned()));
    }
    if metadata.len() > LONGEST {
        return Err(cannot(format!("it is longer than {} MiB", LONGEST >> 20)));
    }
    let bytes = fs::read(file).map_err(|error| cannot(error.to_string()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
