//! The errors of a specification, and their words.

use std::fmt;

use warpsim::element::{ElementType, UnknownType, ValueError};
use warpsim::host::{ArgumentPlace, ImageTextError, NoArgumentPlace};

/// Why a specification was refused. The words of each are in its `Display`.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the words below say what each kind and each field is")]
pub enum SpecError {
    Empty,
    UnknownType(UnknownType),
    NotACount {
        what: &'static str,
        text: String,
    },
    Hex(String),
    NoClosingBracket,
    /// More dimensions than a buffer has.
    Dimensions(String),
    NoClosingBrace,
    /// `--show` without a name.
    NoShownVariable,
    /// A text in the place of a struct's field.
    Field {
        text: String,
    },
    /// The error in a field.
    InField {
        offset: u64,
        error: Box<SpecError>,
    },
    StructInStruct,
    /// A number in a struct, where no parameter says its type.
    NoType(String),
    /// A field that begins before the one before it ends.
    Overlap {
        first: u64,
        end: u64,
        second: u64,
    },
    /// A field that the struct has no room for.
    FieldOutside {
        offset: u64,
        bytes: u64,
        size: u64,
    },
    /// `@K...` with something else than K or K.OFFSET.
    NoPlace(NoArgumentPlace),
    AfterBracket(String),
    UnknownInit(String),
    Step(String),
    RandomBounds(String),
    ListLength {
        length: u64,
        found: u64,
    },
    Value(ValueError),
    /// A scalar without a type that is no integer, for a parameter that takes one.
    NotAnInteger(String),
    /// A scalar outside of what the parameter holds.
    ParameterRange {
        text: String,
        parameter: String,
        low: i128,
        high: i128,
    },
    /// A counted cell lies outside the range of its type.
    IotaRange {
        index: u64,
        value: String,
        element: ElementType,
    },
    /// A scalar, pointer, buffer or bytes that the parameter cannot take.
    Unfit {
        what: String,
        parameter: String,
        reason: String,
    },
    /// Bytes of another number than the parameter's.
    ByteCount {
        parameter: String,
        expected: u64,
        found: u64,
    },
    /// A file of initial values that cannot be read or does not match.
    File {
        path: String,
        reason: String,
    },
    /// `@K` where argument K is no buffer.
    NoSuchBuffer(ArgumentPlace),
    /// `@K+BYTES` past the end.
    BeyondBuffer {
        parameter: ArgumentPlace,
        offset: u64,
        bytes: u64,
    },
    /// `TYPE[LEN]+BYTES` past the end.
    StartBeyond {
        start: u64,
        bytes: u64,
    },
    /// `TYPE[LEN]+BYTES` for a variable, in which the cells stand themselves.
    StartInVariable,
    /// `--global` without `NAME=`.
    NoVariable(String),
    /// No description of a texture.
    Image(ImageTextError),
    /// A texture or surface that is no parameter of its own.
    ImageInside,
    /// How a surface would be looked up.
    NoSampler(String),
    /// More bytes than any memory.
    TooLarge,
}

impl From<UnknownType> for SpecError {
    fn from(error: UnknownType) -> SpecError {
        SpecError::UnknownType(error)
    }
}

impl From<NoArgumentPlace> for SpecError {
    fn from(error: NoArgumentPlace) -> SpecError {
        SpecError::NoPlace(error)
    }
}

impl From<ValueError> for SpecError {
    fn from(error: ValueError) -> SpecError {
        SpecError::Value(error)
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SpecError::Empty => f.write_str("it is empty"),
            SpecError::UnknownType(error) => error.fmt(f),
            SpecError::NotACount { what, text } => {
                write!(f, "{what} must be a whole number below 2^64, not `{text}`")
            }
            SpecError::Hex(hex) => {
                write!(f, "`bytes:` takes pairs of hexadecimal digits, not `{hex}`")
            }
            SpecError::NoClosingBracket => f.write_str("the `]` after the length is missing"),
            SpecError::Dimensions(text) => {
                write!(f, "a buffer has at most 4 dimensions; `x{text}` is one more")
            }
            SpecError::NoClosingBrace => f.write_str("the `}` after the fields is missing"),
            SpecError::NoShownVariable => f.write_str("use NAME, NAME:TYPE or NAME:TYPE[SHAPE]"),
            SpecError::Field { text } => {
                write!(
                    f,
                    "a struct is `{{OFFSET: SPEC, OFFSET: SPEC, ...}}`; `{text}` is not a field"
                )
            }
            SpecError::InField { offset, error } => {
                write!(f, "the field at byte {offset}: {error}")
            }
            SpecError::StructInStruct => {
                f.write_str("write the fields of an inner struct at their own offsets")
            }
            SpecError::NoType(text) => {
                write!(f, "a number in a struct needs its type: u32:{text}, for example")
            }
            SpecError::Overlap { first, end, second } => write!(
                f,
                "the field at byte {first} reaches to byte {end}, over the field at byte {second}"
            ),
            SpecError::FieldOutside { offset, bytes, size } => write!(
                f,
                "the field at byte {offset} has {bytes} bytes, and the struct ends at byte {size}"
            ),
            SpecError::NoPlace(error) => error.fmt(f),
            SpecError::AfterBracket(rest) => {
                write!(f, "only `=INIT` can follow `]`, not `{rest}`")
            }
            SpecError::UnknownInit(text) => write!(
                f,
                "`{text}` is not an initial value; use zeros, fill:V, iota[:START[:STEP]], \
                 rand:SEED[:LO:HI], list:V,V,... or file:PATH"
            ),
            SpecError::Step(step) => write!(f, "the step {step} is not a 64-bit signed integer"),
            SpecError::RandomBounds(text) => write!(
                f,
                "`rand:{text}` is not SEED or SEED:LO:HI with finite bounds and LO not above HI"
            ),
            SpecError::ListLength { length, found } => {
                let values = if *found == 1 { "value" } else { "values" };
                write!(f, "the list has {found} {values} for a buffer of {length}")
            }
            SpecError::Value(error) => error.fmt(f),
            SpecError::NotAnInteger(text) => write!(f, "`{text}` is not an integer"),
            SpecError::ParameterRange { text, parameter, low, high } => {
                write!(f, "`{text}` does not fit {parameter}, which holds {low} to {high}")
            }
            SpecError::IotaRange { index, value, element } => {
                write!(f, "cell {index} would be {value}, which does not fit {element}")
            }
            SpecError::Unfit { what, parameter, reason } => {
                write!(f, "{what} cannot be passed to {parameter}: {reason}")
            }
            SpecError::ByteCount { parameter, expected, found } => {
                write!(f, "{parameter} has {expected} bytes, but {found} are given")
            }
            SpecError::File { path, reason } => write!(f, "{path}: {reason}"),
            SpecError::NoSuchBuffer(k) => {
                write!(f, "`@{k}` names {}, which is not a buffer", k.in_words())
            }
            SpecError::BeyondBuffer { parameter, offset, bytes } => {
                write!(f, "`@{parameter}+{offset}` lies beyond the {bytes} bytes of that buffer")
            }
            SpecError::StartBeyond { start, bytes } => {
                write!(f, "`+{start}` lies beyond the {bytes} bytes of the buffer")
            }
            SpecError::StartInVariable => {
                write!(
                    f,
                    "a variable holds these cells itself, so there is no address to add bytes to"
                )
            }
            SpecError::NoVariable(text) => write!(f, "`{text}` is not NAME=SPEC"),
            SpecError::Image(error) => error.fmt(f),
            SpecError::ImageInside => {
                f.write_str("a texture or surface must be the whole argument of a parameter")
            }
            SpecError::NoSampler(word) => {
                write!(f, "a surface does not take this word: leave out `,{word}`")
            }
            SpecError::TooLarge => f.write_str("that is more than any memory holds"),
        }
    }
}

impl std::error::Error for SpecError {}
