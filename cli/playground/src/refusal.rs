//! Why a request has no other answer.

use serde_json::{Value, json};
use warpsim::diagnostics::{Colour, Diagnostic, render_in};
use warpsim::host::DeviceError;
use warpsim::internal::InternalError;
use warpsim::lower::LowerError;
use warpsim::passes::PassError;
use warpsim::ptx::{Module, Source, Span, SyntaxError};
use warpsim_formats::arguments::ArgumentError;
use warpsim_programs::RunError;

/// Why a request has no other answer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Refusal {
    /// The request is none.
    Request {
        /// What is wrong with it.
        what: String,
    },
    /// The text is not PTX, or a program that cannot run.
    Text {
        /// What is wrong.
        what: String,
        /// The same, drawn into the text.
        drawn: String,
        /// The place.
        place: Place,
        /// Whether the program is not to blame: warpsim lacks something.
        is_unsupported: bool,
    },
    /// The request cannot be met.
    Usage {
        /// Why not.
        what: String,
    },
    /// A bug in warpsim.
    Bug {
        /// What happened.
        what: String,
    },
}

/// A place in the text: bytes, and the line and column of the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    span: Span,
    line: u32,
    column: u32,
}

impl Refusal {
    /// The answer that says so.
    pub(crate) fn document(&self) -> Value {
        let error = match self {
            Refusal::Request { what } => json!({ "kind": "request", "message": what }),
            Refusal::Usage { what } => json!({ "kind": "usage", "message": what }),
            Refusal::Bug { what } => json!({ "kind": "bug", "message": what }),
            Refusal::Text { what, drawn, place, is_unsupported } => json!({
                "kind": if *is_unsupported { "unsupported" } else { "text" },
                "message": what,
                "drawn": drawn,
                "line": place.line,
                "column": place.column,
                "length": place.span.end.saturating_sub(place.span.start),
            }),
        };
        json!({ "error": error })
    }

    /// What asks for something that cannot be.
    pub(crate) fn usage(what: impl Into<String>) -> Refusal {
        Refusal::Usage { what: what.into() }
    }

    /// A text that does not parse.
    pub(crate) fn syntax(error: &SyntaxError, text: &str) -> Refusal {
        let source = Source::new(FILE, text);
        Refusal::at(&Diagnostic::from(error), error.kind.to_string(), error.span, &source, false)
    }

    /// What a device says of a module.
    pub(crate) fn device(error: DeviceError, module: &Module) -> Refusal {
        match error {
            DeviceError::Program(error) => Refusal::program(&error, module),
            DeviceError::Internal(error) => error.into(),
            error => Refusal::usage(error.to_string()),
        }
    }

    /// The refusal of arguments that cannot be laid out.
    pub(crate) fn arguments(error: ArgumentError, module: &Module) -> Refusal {
        match error {
            ArgumentError::Device(error) => Refusal::device(error, module),
            ArgumentError::Argument { .. } | ArgumentError::Buffer { .. } => {
                Refusal::usage(error.to_string())
            }
        }
    }

    /// What a pass says of a module.
    pub(crate) fn pass(error: PassError, module: &Module) -> Refusal {
        match error {
            PassError::Internal(error) => error.into(),
            PassError::DefinedTwice { span, .. } => {
                let what = error.to_string();
                let diagnostic = Diagnostic::error(what.clone()).primary(span, "");
                Refusal::at(&diagnostic, what, span, &module.source, false)
            }
        }
    }

    fn program(error: &LowerError, module: &Module) -> Refusal {
        let what = error.kind.to_string();
        if error.is_internal() {
            return Refusal::Bug { what };
        }
        let mut diagnostic = Diagnostic::error(what.clone()).primary(error.span, "");
        if error.is_unsupported() {
            diagnostic = diagnostic.note("the program is not to blame: warpsim lacks this");
        }
        Refusal::at(&diagnostic, what, error.span, &module.source, error.is_unsupported())
    }

    fn at(
        diagnostic: &Diagnostic,
        what: String,
        span: Span,
        source: &Source,
        is_unsupported: bool,
    ) -> Refusal {
        let drawn = render_in(diagnostic, source, Colour::Never);
        let position = source.position(span.start);
        let place = Place { span, line: position.line, column: position.column };
        Refusal::Text { what, drawn, place, is_unsupported }
    }
}

/// What messages call the text of the page.
pub(crate) const FILE: &str = "playground.ptx";

/// A broken invariant.
impl From<InternalError> for Refusal {
    fn from(error: InternalError) -> Refusal {
        Refusal::Bug { what: error.to_string() }
    }
}

impl From<serde_json::Error> for Refusal {
    fn from(error: serde_json::Error) -> Refusal {
        Refusal::Request { what: error.to_string() }
    }
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Refusal {
        Refusal::usage(error.to_string())
    }
}
