//! The values of `--arg` and `--global`: scalars, buffers, pointers and raw bytes.
//!
//! A specification is read in two steps. [`Spec::parse`] takes it apart by its own text. [`scalar`]
//! gives it a meaning for a parameter of a kernel, whose type decides about scalars. The contents
//! of buffers come from [`fill`].

pub mod cell;
mod error;
mod expectation;
pub mod fill;
mod image;
pub mod npy;
pub mod scalar;
mod shape;
pub mod structure;

#[cfg(test)]
mod tests;

use std::path::PathBuf;

use warpsim::element::{ElementType, ValueError, ValueErrorKind, parse_integer};
use warpsim::host::ArgumentPlace;

pub use error::SpecError;
pub use expectation::Expectation;
pub use image::ImageSpec;
pub use shape::Shape;

/// A specification, by its text alone.
#[derive(Clone, Debug, PartialEq)]
pub enum Spec {
    /// `null`.
    Null,
    /// `@K[+BYTES]`, `@K.FIELD[+BYTES]`: the buffer of parameter K, or in the struct that it is,
    /// again.
    Alias {
        /// The parameter.
        parameter: ArgumentPlace,
        /// Bytes from the beginning of the buffer.
        offset: u64,
    },
    /// `bytes:HEX`.
    Bytes(Vec<u8>),
    /// `{OFFSET: SPEC, ...}`, by offset.
    Struct(Vec<structure::Field>),
    /// `TYPE[LEN][+BYTES][=INIT]`.
    Buffer(BufferSpec),
    /// `tex:...` or `surf:...`.
    Image(Box<ImageSpec>),
    /// `TEXT` or `TYPE:TEXT`.
    Scalar {
        /// The type, where it is said.
        element: Option<ElementType>,
        /// The number.
        text: String,
    },
}

/// A buffer: so many cells of a type, and what they hold at first.
#[derive(Clone, Debug, PartialEq)]
pub struct BufferSpec {
    /// The type of its cells.
    pub element: ElementType,
    /// How many cells it has.
    pub length: u64,
    /// How many along each dimension.
    pub shape: Shape,
    /// Bytes from the beginning to where the argument points.
    pub start: u64,
    /// What it holds at first.
    pub init: Init,
}

/// What a buffer holds at first. Values are bits of the buffer's element type.
#[derive(Clone, Debug, PartialEq)]
pub enum Init {
    /// `zeros`.
    Zeros,
    /// `fill:V`.
    Fill(u64),
    /// `iota[:START[:STEP]]`.
    Iota {
        /// The first cell.
        start: u64,
        /// From one cell to the next.
        step: u64,
    },
    /// `rand:SEED[:LO:HI]`; without bounds the whole range of an integer type, 0 to 1 of a float.
    Random {
        /// The seed of the generator.
        seed: u64,
        /// The least value.
        low: u64,
        /// The greatest value.
        high: u64,
    },
    /// `list:V,V,...`.
    List(Vec<u64>),
    /// `file:PATH`.
    File(PathBuf),
}

impl BufferSpec {
    /// Bytes of the whole buffer; `None` when that is no 64-bit number.
    pub fn bytes(&self) -> Option<u64> {
        self.length.checked_mul(self.element.size() as u64)
    }
}

impl Spec {
    /// Takes a specification apart.
    ///
    /// # Errors
    /// The text is no specification.
    pub fn parse(text: &str) -> Result<Spec, SpecError> {
        if text.is_empty() {
            return Err(SpecError::Empty);
        }
        if text == "null" {
            return Ok(Spec::Null);
        }
        if let Some(rest) = text.strip_prefix('@') {
            return alias(rest);
        }
        if let Some(hex) = text.strip_prefix("bytes:") {
            return Ok(Spec::Bytes(hex_bytes(hex)?));
        }
        if let Some(rest) = text.strip_prefix('{') {
            let inside = rest.strip_suffix('}').ok_or(SpecError::NoClosingBrace)?;
            return structure::parse(inside).map(Spec::Struct);
        }
        for (prefix, is_surface) in [("tex:", false), ("surf:", true)] {
            if let Some(rest) = text.strip_prefix(prefix) {
                return Ok(Spec::Image(Box::new(image::parse(rest, is_surface)?)));
            }
        }
        if let Some((element, rest)) = text.split_once('[') {
            return buffer(element, rest).map(Spec::Buffer);
        }
        match text.split_once(':') {
            None => Ok(Spec::Scalar { element: None, text: text.to_owned() }),
            Some((prefix, value)) => {
                let element: ElementType = prefix.parse()?;
                element.parse(value)?;
                Ok(Spec::Scalar { element: Some(element), text: value.to_owned() })
            }
        }
    }
}

impl Spec {
    /// The buffers of an argument: where they are given, and what they are.
    pub fn buffers(&self, argument: usize) -> Vec<(ArgumentPlace, &BufferSpec)> {
        match self {
            Spec::Buffer(buffer) => vec![(argument.into(), buffer)],
            Spec::Image(image) => vec![(argument.into(), &image.cells)],
            Spec::Struct(fields) => fields
                .iter()
                .flat_map(|(offset, spec)| {
                    let place = ArgumentPlace { argument, offset: Some(*offset) };
                    spec.buffers(argument).into_iter().map(move |(_, buffer)| (place, buffer))
                })
                .collect(),
            Spec::Null | Spec::Alias { .. } | Spec::Bytes(_) | Spec::Scalar { .. } => Vec::new(),
        }
    }

    /// Whether it makes a variable hold an address.
    pub fn has_address(&self) -> bool {
        match self {
            Spec::Alias { .. } => true,
            Spec::Struct(fields) => fields.iter().any(|(_, spec)| spec.has_address()),
            Spec::Null
            | Spec::Bytes(_)
            | Spec::Buffer(_)
            | Spec::Image(_)
            | Spec::Scalar { .. } => false,
        }
    }
}

/// A plain unsigned number.
fn unsigned(text: &str, what: &'static str) -> Result<u64, SpecError> {
    let malformed = || SpecError::NotACount { what, text: text.to_owned() };
    let value = parse_integer(text).ok_or_else(malformed)?;
    u64::try_from(value).map_err(|_| malformed())
}

fn alias(rest: &str) -> Result<Spec, SpecError> {
    let (parameter, offset) = rest.split_once('+').unwrap_or((rest, "0"));
    let parameter = parameter.parse()?;
    let offset = unsigned(offset, "the number of bytes after `+`")?;
    Ok(Spec::Alias { parameter, offset })
}

fn hex_bytes(hex: &str) -> Result<Vec<u8>, SpecError> {
    let digit = |b: u8| char::from(b).to_digit(16).map(|d| d as u8);
    let pairs = hex.as_bytes().chunks(2).map(|pair| match pair {
        [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
        _ => None,
    });
    let bytes: Option<Vec<u8>> = pairs.collect();
    bytes.filter(|b| !b.is_empty()).ok_or_else(|| SpecError::Hex(hex.to_owned()))
}

/// `LEN]`, with `+BYTES` and `=INIT` or without, after `TYPE[`.
fn buffer(element: &str, rest: &str) -> Result<BufferSpec, SpecError> {
    let element: ElementType = element.parse()?;
    let (length, init) = rest.split_once(']').ok_or(SpecError::NoClosingBracket)?;
    let shape = Shape::parse(length)?;
    let length = shape.length().ok_or(SpecError::TooLarge)?;
    let (start, init) = match init.strip_prefix('+') {
        Some(rest) => {
            let (start, init) = rest.split_at(rest.find('=').unwrap_or(rest.len()));
            (unsigned(start, "the number of bytes after `+`")?, init)
        }
        None => (0, init),
    };
    let init = match init.strip_prefix('=') {
        Some(init) => initial(element, length, init)?,
        None if init.is_empty() => Init::Zeros,
        None => return Err(SpecError::AfterBracket(init.to_owned())),
    };
    let buffer = BufferSpec { element, length, shape, start, init };
    match buffer.bytes() {
        Some(bytes) if start > bytes => Err(SpecError::StartBeyond { start, bytes }),
        // What is too large for memory is said when it is allocated.
        Some(_) | None => Ok(buffer),
    }
}

/// INIT: what so many cells of a type hold.
///
/// # Errors
/// The text is no INIT.
pub fn initial(element: ElementType, length: u64, text: &str) -> Result<Init, SpecError> {
    let (word, rest) = match text.split_once(':') {
        Some((word, rest)) => (word, Some(rest)),
        None => (text, None),
    };
    match (word, rest) {
        ("zeros", None) => Ok(Init::Zeros),
        ("fill", Some(value)) => Ok(Init::Fill(element.parse(value)?)),
        ("iota", rest) => iota(element, rest),
        ("rand", Some(rest)) => random(element, rest),
        ("list", Some(values)) => list(element, length, values),
        ("file", Some(path)) if !path.is_empty() => Ok(Init::File(PathBuf::from(path))),
        _ => Err(SpecError::UnknownInit(text.to_owned())),
    }
}

fn iota(element: ElementType, rest: Option<&str>) -> Result<Init, SpecError> {
    let (start, step) = match rest {
        None => ("0", "1"),
        Some(rest) => rest.split_once(':').unwrap_or((rest, "1")),
    };
    // A step may be negative even where the cells are unsigned: it counts down.
    let step = match element.integer_range() {
        None => element.parse(step)?,
        Some(_) => {
            let not_a_number = || {
                let (text, kind) = (step.to_owned(), ValueErrorKind::NotANumber);
                ValueError { text, ty: element, kind }
            };
            let step = parse_integer(step).ok_or_else(not_a_number)?;
            i64::try_from(step).map_err(|_| SpecError::Step(step.to_string()))? as u64
        }
    };
    Ok(Init::Iota { start: element.parse(start)?, step })
}

fn random(element: ElementType, rest: &str) -> Result<Init, SpecError> {
    let mut parts = rest.split(':');
    let seed = unsigned(parts.next().unwrap_or(""), "the seed after `rand:`")?;
    let bounds = match (parts.next(), parts.next(), parts.next()) {
        (None, _, _) => None,
        (Some(low), Some(high), None) => Some((element.parse(low)?, element.parse(high)?)),
        _ => return Err(SpecError::RandomBounds(rest.to_owned())),
    };
    let (low, high) = match (bounds, element.integer_range()) {
        (Some(bounds), _) => bounds,
        (None, Some((low, high))) => (element.of_integer(low), element.of_integer(high)),
        (None, None) => (element.parse("0")?, element.parse("1")?),
    };
    let in_order = match (element.integer(low), element.integer(high)) {
        (Some(low), Some(high)) => low <= high,
        _ => {
            let (low, high) = (element.float(low), element.float(high));
            low.is_finite() && high.is_finite() && low <= high
        }
    };
    if !in_order {
        return Err(SpecError::RandomBounds(rest.to_owned()));
    }
    Ok(Init::Random { seed, low, high })
}

fn list(element: ElementType, length: u64, values: &str) -> Result<Init, SpecError> {
    let cells: Result<Vec<u64>, _> = values.split(',').map(|v| element.parse(v.trim())).collect();
    let cells = if values.is_empty() { Vec::new() } else { cells? };
    if cells.len() as u64 != length {
        return Err(SpecError::ListLength { length, found: cells.len() as u64 });
    }
    Ok(Init::List(cells))
}
