//! PTX modules, from PTX or from CUDA C++.

use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use warpsim::cuda::{self, CompileOptions, LoadCudaError, Mode, Nvrtc, Search};
use warpsim::host::{kernel_named, kernel_parameters};
use warpsim::lower::kernels;
use warpsim::ptx::{self, Module as Text};

use crate::errors::{Kind, of_device, of_syntax, refused};

/// A PTX module.
#[pyclass(frozen, module = "warpsim._native")]
#[derive(Debug)]
pub(crate) struct Module {
    pub(crate) text: Arc<Text>,
}

#[pymethods]
impl Module {
    /// A module from PTX; `name` is what messages call it.
    #[staticmethod]
    fn from_ptx(py: Python<'_>, name: &str, text: &str) -> PyResult<Module> {
        let module = py.detach(|| match ptx::parse(name, text) {
            Ok(module) if ptx::needs_toolchain(&module) => ptx::link(&[(name, text.as_bytes())])
                .map_err(|error| refused(Kind::Syntax, error.to_string())),
            Ok(module) => Ok(module),
            Err(error) => Err(of_syntax(&error, text)),
        })?;
        Ok(Module { text: Arc::new(module) })
    }

    /// A module from CUDA C++, compiled by NVRTC. Where `is_naive`, the compiler keeps every
    /// access.
    #[staticmethod]
    fn from_cuda(
        py: Python<'_>,
        name: &str,
        source: &str,
        arch: Option<String>,
        includes: Vec<PathBuf>,
        options: Vec<String>,
        is_naive: bool,
    ) -> PyResult<Module> {
        let mut wanted = CompileOptions::default();
        wanted.arch = arch;
        wanted.includes = includes;
        wanted.extra = options;
        if is_naive {
            wanted.mode = Mode::Naive;
        }
        let module = py.detach(|| {
            let nvrtc = Nvrtc::find(&Search::of_process(None)).map_err(LoadCudaError::Compile)?;
            cuda::module(&nvrtc, name, source, &wanted)
        });
        let module = module.map_err(|error| refused(Kind::Compile, error.to_string()))?;
        Ok(Module { text: Arc::new(module) })
    }

    /// The names of its kernels in the PTX.
    fn kernels(&self) -> Vec<String> {
        kernels(&self.text).into_iter().map(str::to_owned).collect()
    }

    /// The name in the PTX of the kernel that is called so there or in its source.
    fn kernel_named(&self, name: &str) -> PyResult<String> {
        kernel_named(&self.text, name).map(str::to_owned).map_err(|error| of_device(&error))
    }

    /// A kernel's parameters: the type in PTX, the size in bytes, whether it is a struct by value.
    fn parameters(&self, kernel: &str) -> PyResult<Vec<(String, u64, bool)>> {
        let all = kernel_parameters(&self.text, kernel).map_err(|error| of_device(&error))?;
        let of = |parameter: warpsim::host::Parameter| {
            let ty = parameter.ty.to_string().trim_start_matches('.').to_owned();
            (ty, parameter.size, parameter.is_array)
        };
        Ok(all.into_iter().map(of).collect())
    }

    /// The module as PTX.
    fn ptx(&self) -> String {
        ptx::print(&self.text)
    }
}
