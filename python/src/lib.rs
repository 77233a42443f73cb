//! The native part of the Python package `warpsim`: modules, launches and what comes of them.
//!
//! It is a face over the host façade (`warpsim::host`), beside the command: it decides nothing
//! about kernels. The Python part (`python/warpsim/`) checks arguments, knows numpy and gives
//! results their Python types; between the two are numbers, bytes and the command's JSON documents.
//!
//! Work runs on a thread of its own, with the interpreter's lock released ([`interruptible`]), so
//! that Ctrl-C and a time limit end it.

// `PyO3` takes what Python gives by value.
#![allow(
    clippy::needless_pass_by_value,
    reason = "functions that Python calls own their arguments"
)]

mod arguments;
mod errors;
mod interruptible;
mod launching;
mod module;
mod settings;
mod tracing;

use pyo3::prelude::*;

/// Parts of the package `warpsim` that are written in Rust; not meant to be used by itself.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::errors::NativeError;
    #[pymodule_export]
    use crate::launching::{explore, journal, run};
    #[pymodule_export]
    use crate::module::Module;
    #[pymodule_export]
    use crate::settings::Settings;
    #[pymodule_export]
    use crate::tracing::{Steps, trace};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
