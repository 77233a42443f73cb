//! Errors as the Python part takes them: a kind, words, and a line of the PTX where there is one.

use pyo3::PyErr;
use pyo3::create_exception;
use pyo3::exceptions::PyException;
use warpsim::host::DeviceError;
use warpsim::ptx::SyntaxError;

create_exception!(
    _native,
    NativeError,
    PyException,
    "What the native part refuses: `(kind, message, line)`."
);

/// What kind of exception the Python part raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// PTX that is not understood.
    Syntax,
    /// CUDA C++ that does not compile, or nothing that compiles it.
    Compile,
    /// A launch that cannot start.
    Launch,
    /// A setting that there is not.
    Setting,
    /// The time that was given is over.
    Time,
    /// A mistake of warpsim's own.
    Internal,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Syntax => "syntax",
            Kind::Compile => "compile",
            Kind::Launch => "launch",
            Kind::Setting => "setting",
            Kind::Time => "time",
            Kind::Internal => "internal",
        }
    }
}

/// An exception of a kind.
pub(crate) fn refused(kind: Kind, message: impl Into<String>) -> PyErr {
    NativeError::new_err((kind.name(), message.into(), None::<u32>))
}

/// PTX that is not understood, at its place in `text`.
pub(crate) fn of_syntax(error: &SyntaxError, text: &str) -> PyErr {
    let before = text.get(..error.span.start as usize).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    NativeError::new_err((Kind::Syntax.name(), error.to_string(), Some(line)))
}

/// A launch that a device refuses.
pub(crate) fn of_device(error: &DeviceError) -> PyErr {
    refused(Kind::Launch, error.to_string())
}
