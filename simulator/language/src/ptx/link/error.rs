//! Why modules do not fit together, and how that is worded.

use std::fmt;

use super::super::error::SyntaxErrorKind;
use super::super::span::{Source, Span};
use crate::diagnostics::Diagnostic;

/// Why files could not be linked, and where.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LinkError {
    /// The error.
    pub kind: LinkErrorKind,
    /// Where in the source.
    pub span: Span,
    /// The texts of the files.
    pub source: Source,
}

/// The error in files that are linked.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LinkErrorKind {
    /// One is no PTX.
    Syntax(SyntaxErrorKind),
    /// Two define the same.
    DefinedTwice {
        /// The name.
        name: String,
        /// Where it is defined first: `a.ptx:12`.
        first: String,
    },
    /// Two say different things of the same.
    Mismatch {
        /// The name.
        name: String,
        /// The text here.
        here: String,
        /// The text there.
        there: String,
        /// Where that is: `a.ptx:12`.
        other: String,
    },
    /// One is for another address size.
    AddressSize {
        /// Bits of an address in it.
        bits: u32,
        /// Bits of an address in the first.
        first: u32,
    },
    /// Two are for architectures that no GPU has both of.
    Targets {
        /// This one.
        target: String,
        /// The other.
        other: String,
    },
}

impl fmt::Display for LinkErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LinkErrorKind::Syntax(kind) => kind.fmt(f),
            LinkErrorKind::DefinedTwice { name, first } => {
                write!(f, "`{name}` is defined twice, first at {first}")
            }
            LinkErrorKind::Mismatch { name, here, there, other } => {
                write!(f, "`{name}` is {here} here, and {there} at {other}")
            }
            LinkErrorKind::AddressSize { bits, first } => {
                write!(f, "its addresses have {bits} bits, and those of the first module {first}")
            }
            LinkErrorKind::Targets { target, other } => {
                write!(f, "it is for {target}, and another module for {other}: no GPU runs both")
            }
        }
    }
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LinkError { kind, span, source } = self;
        write!(f, "{}:{}: {kind}", source.file_name(span.start), source.line(span.start))
    }
}

impl std::error::Error for LinkError {}

impl From<&LinkError> for Diagnostic {
    fn from(error: &LinkError) -> Diagnostic {
        match &error.kind {
            LinkErrorKind::Syntax(kind) => {
                let error = super::SyntaxError { kind: kind.clone(), span: error.span };
                Diagnostic::from(&error)
            }
            kind => Diagnostic::error(kind.to_string()).primary(error.span, ""),
        }
    }
}
