//! Why a kernel could not be lowered: invalid PTX, PTX that warpsim does not support yet, or a bug
//! of warpsim.

use std::fmt;
use std::sync::Arc;

use crate::internal::InternalError;
use crate::ptx::{Instruction, Source, Span};

/// Why a kernel could not be lowered, and where.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct LowerError {
    /// The error.
    pub kind: LowerErrorKind,
    /// The place in the module's source.
    pub span: Span,
    /// The line of that place, from 1.
    pub line: u32,
    /// Its file, if modules are linked and it is not the first.
    pub file: Option<Arc<str>>,
}

/// The kinds of errors.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LowerErrorKind {
    /// An opcode that is not in the table.
    UnknownOpcode(String),
    /// A known instruction that is not supported, with the reason.
    Unsupported {
        /// The instruction with its modifiers, or the construct.
        what: String,
        /// The reason, or the existing forms.
        reason: String,
    },
    /// An instruction that PTX does not have: the opcode is known, but has no form with these
    /// modifiers.
    NoSuchForm {
        /// The instruction with its modifiers.
        instruction: String,
        /// The most similar forms.
        nearest: Vec<String>,
    },
    /// A name without a declaration.
    Undeclared(String),
    /// A function or variable with a declaration but no definition.
    Unresolved(String),
    /// A name that is declared twice in one scope.
    DeclaredTwice(String),
    /// A branch to a label that the function does not have.
    NoSuchLabel(String),
    /// The wrong number of operands.
    OperandCount {
        /// The instruction.
        instruction: String,
        /// The operands as the ISA writes them.
        expected: String,
        /// The number of operands found.
        found: usize,
    },
    /// An operand of the wrong kind or type.
    Operand {
        /// The operand as written.
        operand: String,
        /// The expected operand.
        expected: String,
    },
    /// A call whose arguments do not match the function.
    CallMismatch {
        /// The function.
        function: String,
        /// The mismatch.
        reason: String,
    },
    /// An invalid variable or initialiser.
    Variable {
        /// The variable.
        name: String,
        /// The error.
        reason: String,
    },
    /// A module for another address size than 64 bits.
    AddressSize(u32),
    /// A bug of warpsim: lowering has reached an impossible state.
    Internal(InternalError),
}

impl LowerError {
    /// An error at a place whose line [`LowerError::in_source`] fills in.
    pub(super) fn at(kind: LowerErrorKind, span: Span) -> LowerError {
        LowerError { kind, span, line: 0, file: None }
    }

    /// Fills in the line.
    pub(super) fn in_source(mut self, source: &Source) -> LowerError {
        self.line = source.line(self.span.start);
        self.file = source.other_file(self.span.start).cloned();
        self
    }

    /// Whether the PTX is valid, as far as known, and warpsim lacks something.
    pub fn is_unsupported(&self) -> bool {
        matches!(
            self.kind,
            LowerErrorKind::Unsupported { .. }
                | LowerErrorKind::UnknownOpcode(_)
                | LowerErrorKind::AddressSize(_)
        )
    }

    /// Whether it is a bug of warpsim.
    pub fn is_internal(&self) -> bool {
        matches!(self.kind, LowerErrorKind::Internal(_))
    }

    /// Fills in the instruction at which a bug of warpsim occurred.
    pub(super) fn while_lowering(mut self, instruction: &Instruction) -> LowerError {
        if self.is_internal() && self.span == Span::default() {
            self.span = instruction.span;
        }
        self
    }
}

/// The place is filled in where the instruction is known.
impl From<InternalError> for LowerError {
    fn from(error: InternalError) -> LowerError {
        LowerError::at(LowerErrorKind::Internal(error), Span::default())
    }
}

impl fmt::Display for LowerErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LowerErrorKind::UnknownOpcode(name) => {
                write!(f, "`{name}` is not an instruction that warpsim knows")
            }
            LowerErrorKind::Unsupported { what, reason } => {
                write!(f, "`{what}` is not supported yet: {reason}")
            }
            LowerErrorKind::NoSuchForm { instruction, nearest } => write!(
                f,
                "there is no instruction `{instruction}` in PTX; the nearest are {}",
                nearest.join(", ")
            ),
            LowerErrorKind::Undeclared(name) => write!(f, "`{name}` is not declared"),
            LowerErrorKind::Unresolved(name) => {
                write!(f, "`{name}` is declared here, but no module defines it")
            }
            LowerErrorKind::DeclaredTwice(name) => write!(f, "`{name}` is declared twice"),
            LowerErrorKind::NoSuchLabel(name) => {
                write!(f, "there is no label `{name}` in this function")
            }
            LowerErrorKind::OperandCount { instruction, expected, found } => {
                write!(f, "`{instruction}` takes the operands `{expected}`, but {found} are given")
            }
            LowerErrorKind::Operand { operand, expected } => {
                write!(f, "`{operand}` is not allowed here: expected {expected}")
            }
            LowerErrorKind::CallMismatch { function, reason } => {
                write!(f, "the call does not match `{function}`: {reason}")
            }
            LowerErrorKind::Variable { name, reason } => write!(f, "variable `{name}`: {reason}"),
            LowerErrorKind::AddressSize(bits) => {
                write!(
                    f,
                    "modules with {bits}-bit addresses are not supported: compile for 64 bits"
                )
            }
            LowerErrorKind::Internal(error) => write!(f, "this is a bug in warpsim: {error}"),
        }
    }
}

impl fmt::Display for LowerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.file {
            Some(file) => write!(f, "{file}, line {}: {}", self.line, self.kind),
            None => write!(f, "line {}: {}", self.line, self.kind),
        }
    }
}

impl std::error::Error for LowerError {}
