//! Everything that can be wrong with a PTX text.
//!
//! A [`SyntaxError`] is a kind with its fields and a place. [`fmt::Display`] alone chooses the
//! words; [`crate::diagnostics::render`] draws the error into its text.

use std::fmt;

use super::span::Span;

/// A text is not PTX, or exceeds the limits of the parser.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SyntaxError {
    /// The error.
    pub kind: SyntaxErrorKind,
    /// Where. Empty (`start == end`) where something is missing between two tokens.
    pub span: Span,
}

/// The error in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// A byte that is part of no UTF-8 character.
    InvalidUtf8 {
        /// The byte.
        byte: u8,
    },
    /// The text is longer than spans can address.
    FileTooLarge {
        /// Its length in bytes.
        bytes: u64,
    },
    /// A character that begins no token.
    UnexpectedCharacter(char),
    /// `/*` without `*/`.
    UnterminatedComment,
    /// `"` without its partner on the same line.
    UnterminatedString,
    /// Something that begins like a number and is none.
    InvalidNumber {
        /// As written, cut short when long.
        text: String,
        /// What a number of this form looks like.
        form: &'static str,
    },
    /// An integer of more than 64 bits.
    NumberTooLarge {
        /// As written, cut short when long.
        text: String,
    },
    /// The grammar wants something else here.
    Expected {
        /// What would have been right.
        expected: Vec<&'static str>,
        /// The text found there.
        found: Found,
    },
    /// The grammar wants `;` (or more of the statement) before this point.
    MissingSemicolon {
        /// What else would have been right.
        or: Vec<&'static str>,
        /// The text found there.
        found: Found,
    },
    /// A directive that PTX does not have, or does not allow here.
    UnknownDirective {
        /// With its dot.
        name: String,
        /// Where we are: "at module scope".
        place: &'static str,
        /// The directives that are known there.
        known: &'static str,
    },
    /// `.version`, `.target` or `.address_size` for a second time.
    DuplicateDirective {
        /// With its dot.
        name: &'static str,
    },
    /// The module does not begin with its header.
    MissingHeader {
        /// The directive that is missing, with its dot.
        directive: &'static str,
        /// The text found there.
        found: Found,
    },
    /// A number outside of what its place allows.
    OutOfRange {
        /// What it is: "line number".
        what: &'static str,
        /// The number.
        value: i128,
        /// The least that is allowed.
        min: i128,
        /// The most that is allowed.
        max: i128,
    },
    /// An alignment that is not a power of two.
    Alignment {
        /// The number.
        value: i128,
    },
    /// More variables than [`limits::REGISTERS`](super::limits::REGISTERS).
    TooManyVariables {
        /// How many the function (or the module) would have with this declaration.
        count: u64,
        /// The most that is allowed.
        limit: u32,
    },
    /// A variable of more than [`limits::VARIABLE_BYTES`](super::limits::VARIABLE_BYTES).
    VariableTooLarge {
        /// The most that is allowed, in bytes.
        limit: u64,
    },
    /// More nesting than [`limits::DEPTH`](super::limits::DEPTH).
    TooDeep {
        /// The most that is allowed.
        limit: u32,
    },
    /// `x / 0` or `x % 0` in a constant expression.
    DivisionByZero,
    /// An operator on operands that it does not take.
    OperatorType {
        /// The operator.
        operator: &'static str,
        /// What it does not take: "a floating-point number".
        operand: &'static str,
    },
    /// A constant of the wrong sort.
    ConstantType {
        /// What its place wants: "an integer".
        expected: &'static str,
        /// What it is.
        found: &'static str,
    },
    /// A statement or form that PTX has and the parser does not read.
    Unsupported {
        /// The form.
        what: &'static str,
        /// What to write instead.
        instead: &'static str,
    },
}

/// The token an error is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The text ends.
    End,
    /// A token, as written, cut short when long.
    Token(String),
}

impl SyntaxErrorKind {
    /// The label at the place itself; empty if the message is enough.
    pub fn label(&self) -> &'static str {
        match self {
            Self::MissingSemicolon { or, .. } if or.is_empty() => "`;` is missing here",
            Self::MissingSemicolon { .. } => "missing here",
            Self::UnterminatedComment | Self::UnterminatedString => "it begins here",
            Self::TooDeep { .. } => "one level too many",
            Self::UnexpectedCharacter(_) | Self::InvalidUtf8 { .. } => "here",
            _ => "",
        }
    }

    /// What to do about it, if the message does not make that clear.
    pub fn help(&self) -> Option<&'static str> {
        match self {
            Self::FileTooLarge { .. } => Some("split the module"),
            Self::MissingHeader { .. } => {
                Some("a PTX module begins with `.version MAJOR.MINOR` and `.target sm_NN`")
            }
            Self::UnknownDirective { known, .. } if !known.is_empty() => Some(known),
            Self::Unsupported { instead, .. } => Some(instead),
            Self::UnterminatedComment => Some("close it with `*/`; comments do not nest"),
            Self::OperatorType { operand: "a symbol", .. } => Some("a symbol takes only `+ N`"),
            Self::OperatorType { operand: "an exact `f32` literal", .. } => {
                Some("put the sign into its bits: `-1.0` is `0fBF800000`")
            }
            Self::OperatorType { operator: "+" | "-" | "*" | "/", .. } => {
                Some("write `2.0` for a floating-point 2")
            }
            _ => None,
        }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for SyntaxError {}

impl fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InvalidUtf8 { byte } => write!(f, "the byte 0x{byte:02x} is not UTF-8 text"),
            Self::FileTooLarge { bytes } => {
                write!(f, "the text has {bytes} bytes, more than the 4 GiB that can be read")
            }
            Self::UnexpectedCharacter(c) => {
                write!(f, "unexpected character `{}`", c.escape_default())
            }
            Self::UnterminatedComment => f.write_str("this comment never ends"),
            Self::UnterminatedString => f.write_str("this string does not end on its line"),
            Self::InvalidNumber { text, form } => {
                write!(f, "`{text}` is not a number: {form}")
            }
            Self::NumberTooLarge { text } => write!(f, "`{text}` does not fit into 64 bits"),
            Self::Expected { expected, found } => unexpected(f, expected, found),
            Self::MissingSemicolon { or, found } => {
                let all: Vec<&str> = std::iter::once("`;`").chain(or.iter().copied()).collect();
                unexpected(f, &all, found)
            }
            Self::UnknownDirective { name, place, .. } => {
                write!(f, "unknown directive `{name}` {place}")
            }
            Self::DuplicateDirective { name } => {
                write!(f, "a module has only one `{name}`, and this is another")
            }
            Self::MissingHeader { directive, found: Found::End } => {
                write!(f, "unexpected end of file, expected `{directive}`")
            }
            Self::MissingHeader { directive, found } => {
                write!(f, "the module has no `{directive}`: found {found}")
            }
            Self::OutOfRange { what, value, min, max } => {
                write!(f, "a {what} is between {min} and {max}, not {value}")
            }
            Self::Alignment { value } => {
                write!(f, "an alignment is a power of two of at most 2^30, not {value}")
            }
            Self::TooManyVariables { count, limit } => {
                write!(f, "{count} variables are more than the limit of {limit}")
            }
            Self::VariableTooLarge { limit } => {
                write!(f, "this variable is larger than the limit of {limit} bytes")
            }
            Self::TooDeep { limit } => write!(f, "nested more than {limit} levels deep"),
            Self::DivisionByZero => f.write_str("division by zero in a constant expression"),
            Self::OperatorType { operator, operand } => {
                write!(f, "the operator `{operator}` does not take {operand}")
            }
            Self::ConstantType { expected, found } => {
                write!(f, "expected {expected}, found {found}")
            }
            Self::Unsupported { what, .. } => write!(f, "{what} is not supported"),
        }
    }
}

fn unexpected(f: &mut fmt::Formatter<'_>, expected: &[&str], found: &Found) -> fmt::Result {
    match found {
        Found::End => f.write_str("unexpected end of file, expected ")?,
        Found::Token(_) => f.write_str("expected ")?,
    }
    for (i, item) in expected.iter().enumerate() {
        let separator = match i {
            0 => "",
            _ if i + 1 == expected.len() => " or ",
            _ => ", ",
        };
        write!(f, "{separator}{item}")?;
    }
    match found {
        Found::End => Ok(()),
        Found::Token(_) => write!(f, ", found {found}"),
    }
}

impl fmt::Display for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Found::End => f.write_str("the end of the file"),
            Found::Token(text) => write!(f, "`{text}`"),
        }
    }
}
