//! The element types of buffers: sizes, names, and text to exact bits and back.
//!
//! A cell is held as its bits in the low end of a `u64`. Text becomes bits by one rounding to
//! nearest even, straight into the element's own type; what lies outside the type's range is an
//! error, never a truncation, and so is a number that is not zero and would become zero.

use std::fmt;

use half::{bf16, f16};
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, Round, Status};
use warpsim::ptx::Type;

/// The type of a buffer's cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    F16,
    Bf16,
    F32,
    F64,
}

/// Why a text is no value of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ValueError {
    /// Not a number at all, or not of this kind.
    NotANumber { text: String, wanted: &'static str },
    /// A number outside the range.
    OutOfRange { text: String, wanted: String, low: String, high: String },
    /// A number that is not zero, but is nearer to zero than anything the type can hold.
    TooSmall { text: String, wanted: &'static str },
    /// A hexadecimal integer that the float type cannot hold exactly.
    NotExact { text: String, wanted: &'static str },
    /// Exact bits of another float type.
    OtherBits { text: String, wanted: &'static str },
}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueError::NotANumber { text, wanted } => {
                write!(f, "`{text}` is not {}", article(wanted))
            }
            ValueError::OutOfRange { text, wanted, low, high } => {
                write!(f, "`{text}` does not fit {wanted}, which holds {low} to {high}")
            }
            ValueError::TooSmall { text, wanted } => {
                write!(f, "`{text}` is too small for {wanted}: it would become zero")
            }
            ValueError::NotExact { text, wanted } => {
                write!(f, "`{text}` has more digits than {wanted} can hold exactly")
            }
            ValueError::OtherBits { text, wanted } => {
                write!(
                    f,
                    "`{text}` is not {}: exact bits are 0f and 8 digits for f32, 0d and 16 for f64",
                    article(wanted)
                )
            }
        }
    }
}

fn article(noun: &str) -> String {
    format!("{} {noun}", if noun.starts_with(['a', 'e', 'i', 'o', 'f', 's']) { "an" } else { "a" })
}

impl Element {
    /// All of them, in the order of the documentation.
    pub(crate) const ALL: [Element; 12] = [
        Element::U8,
        Element::S8,
        Element::U16,
        Element::S16,
        Element::U32,
        Element::S32,
        Element::U64,
        Element::S64,
        Element::F16,
        Element::Bf16,
        Element::F32,
        Element::F64,
    ];

    /// The name in specifications and in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Element::U8 => "u8",
            Element::S8 => "s8",
            Element::U16 => "u16",
            Element::S16 => "s16",
            Element::U32 => "u32",
            Element::S32 => "s32",
            Element::U64 => "u64",
            Element::S64 => "s64",
            Element::F16 => "f16",
            Element::Bf16 => "bf16",
            Element::F32 => "f32",
            Element::F64 => "f64",
        }
    }

    /// The type of this name.
    pub(crate) fn by_name(name: &str) -> Option<Element> {
        Element::ALL.into_iter().find(|element| element.name() == name)
    }

    /// Bytes of a cell.
    pub(crate) fn size(self) -> usize {
        match self {
            Element::U8 | Element::S8 => 1,
            Element::U16 | Element::S16 | Element::F16 | Element::Bf16 => 2,
            Element::U32 | Element::S32 | Element::F32 => 4,
            Element::U64 | Element::S64 | Element::F64 => 8,
        }
    }

    /// The PTX type of the cells.
    pub(crate) fn ptx_type(self) -> Type {
        match self {
            Element::U8 => Type::U8,
            Element::S8 => Type::S8,
            Element::U16 => Type::U16,
            Element::S16 => Type::S16,
            Element::U32 => Type::U32,
            Element::S32 => Type::S32,
            Element::U64 => Type::U64,
            Element::S64 => Type::S64,
            Element::F16 => Type::F16,
            Element::Bf16 => Type::Bf16,
            Element::F32 => Type::F32,
            Element::F64 => Type::F64,
        }
    }

    /// Whether cells are floating-point numbers.
    pub(crate) fn is_float(self) -> bool {
        matches!(self, Element::F16 | Element::Bf16 | Element::F32 | Element::F64)
    }

    /// Smallest and largest value of an integer type; `None` for floats.
    pub(crate) fn integer_range(self) -> Option<(i128, i128)> {
        let bits = self.size() * 8;
        match self {
            Element::U8 | Element::U16 | Element::U32 | Element::U64 => Some((0, (1 << bits) - 1)),
            Element::S8 | Element::S16 | Element::S32 | Element::S64 => {
                Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
            }
            _ => None,
        }
    }

    /// The bits of the value that a text stands for.
    pub(crate) fn parse(self, text: &str) -> Result<u64, ValueError> {
        match self.integer_range() {
            Some((low, high)) => self.integer(parse_integer(text, self.name())?, low, high, text),
            None => self.parse_float(text),
        }
    }

    /// The bits of an integer, when it lies in this integer type.
    fn integer(self, value: i128, low: i128, high: i128, text: &str) -> Result<u64, ValueError> {
        if value < low || value > high {
            return Err(ValueError::OutOfRange {
                text: text.to_owned(),
                wanted: self.name().to_owned(),
                low: low.to_string(),
                high: high.to_string(),
            });
        }
        Ok(value as u64 & self.mask())
    }

    /// The bits of an integer value of this integer type; `None` when it does not fit.
    pub(crate) fn integer_bits(self, value: i128) -> Option<u64> {
        let (low, high) = self.integer_range()?;
        (low..=high).contains(&value).then_some(value as u64 & self.mask())
    }

    /// A mask of as many low bits as a cell has.
    pub(crate) fn mask(self) -> u64 {
        u64::MAX >> (64 - self.size() * 8)
    }

    fn parse_float(self, text: &str) -> Result<u64, ValueError> {
        if let Some(digits) = text.strip_prefix("0f").or_else(|| text.strip_prefix("0F")) {
            return self.exact_bits(text, digits, Element::F32);
        }
        if let Some(digits) = text.strip_prefix("0d").or_else(|| text.strip_prefix("0D")) {
            return self.exact_bits(text, digits, Element::F64);
        }
        match self {
            Element::F16 => decimal::<Half>(text, "f16"),
            Element::Bf16 => decimal::<BFloat>(text, "bf16"),
            Element::F32 => decimal::<Single>(text, "f32"),
            _ => decimal::<Double>(text, "f64"),
        }
    }

    fn exact_bits(self, text: &str, digits: &str, of: Element) -> Result<u64, ValueError> {
        let well_formed = self == of
            && digits.len() == self.size() * 2
            && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let bits = well_formed.then(|| u64::from_str_radix(digits, 16).ok()).flatten();
        bits.ok_or(ValueError::OtherBits { text: text.to_owned(), wanted: self.name() })
    }

    /// Rounds a double to this float type; `None` when a finite value would become infinite.
    pub(crate) fn round_f64(self, value: f64) -> Option<u64> {
        let (bits, finite) = match self {
            Element::F16 => {
                let cell = f16::from_f64(value);
                (u64::from(cell.to_bits()), cell.is_finite())
            }
            Element::Bf16 => {
                let cell = bf16::from_f64(value);
                (u64::from(cell.to_bits()), cell.is_finite())
            }
            Element::F32 => {
                let cell = value as f32;
                (u64::from(cell.to_bits()), cell.is_finite())
            }
            _ => (value.to_bits(), value.is_finite()),
        };
        (finite || !value.is_finite()).then_some(bits)
    }

    /// The value of a float cell, exactly.
    pub(crate) fn to_f64(self, bits: u64) -> f64 {
        match self {
            Element::F16 => f16::from_bits(bits as u16).to_f64(),
            Element::Bf16 => bf16::from_bits(bits as u16).to_f64(),
            Element::F32 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        }
    }

    /// The value of an integer cell.
    pub(crate) fn to_integer(self, bits: u64) -> i128 {
        let width = self.size() * 8;
        match self {
            Element::S8 | Element::S16 | Element::S32 | Element::S64 => {
                i128::from(((bits << (64 - width)) as i64) >> (64 - width))
            }
            _ => i128::from(bits & self.mask()),
        }
    }

    /// The bits of a cell from its little-endian bytes.
    pub(crate) fn bits_of(self, bytes: &[u8]) -> u64 {
        bytes.iter().take(self.size()).rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    }
}

/// An integer in decimal or, with `0x`, hexadecimal; a minus sign may stand first.
pub(crate) fn parse_integer(text: &str, wanted: &'static str) -> Result<i128, ValueError> {
    let not_a_number = || ValueError::NotANumber { text: text.to_owned(), wanted };
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => (hex, 16),
        None => (digits, 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return Err(not_a_number());
    }
    // Too long for an i128 is far outside every type's range: keep it there.
    let magnitude = i128::from_str_radix(digits, radix).unwrap_or(i128::MAX);
    Ok(if negative { -magnitude } else { magnitude })
}

/// A decimal number, `nan`, `inf`, `-inf` or a hexadecimal integer, rounded once into a float type.
fn decimal<F: Float>(text: &str, wanted: &'static str) -> Result<u64, ValueError> {
    match text {
        "nan" => return Ok(F::NAN.to_bits() as u64),
        "inf" => return Ok(F::INFINITY.to_bits() as u64),
        "-inf" => return Ok((-F::INFINITY).to_bits() as u64),
        _ => {}
    }
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let parsed = if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
        let rounded = F::from_i128_r(parse_integer(text, wanted)?, Round::NearestTiesToEven);
        if rounded.status.contains(Status::INEXACT) && !rounded.status.contains(Status::OVERFLOW) {
            return Err(ValueError::NotExact { text: text.to_owned(), wanted });
        }
        rounded
    } else if is_decimal(unsigned) {
        F::from_str_r(text, Round::NearestTiesToEven)
            .map_err(|_| ValueError::NotANumber { text: text.to_owned(), wanted })?
    } else {
        return Err(ValueError::NotANumber { text: text.to_owned(), wanted });
    };
    if parsed.value.is_infinite() {
        return Err(out_of_float_range(text, wanted));
    }
    if parsed.value.is_zero() && parsed.status.contains(Status::INEXACT) {
        return Err(ValueError::TooSmall { text: text.to_owned(), wanted });
    }
    Ok(parsed.value.to_bits() as u64)
}

fn out_of_float_range(text: &str, wanted: &'static str) -> ValueError {
    let largest = match wanted {
        "f16" => "65504",
        "bf16" => "3.39e38",
        "f32" => "3.4028235e38",
        _ => "1.7976931348623157e308",
    };
    ValueError::OutOfRange {
        text: text.to_owned(),
        wanted: wanted.to_owned(),
        low: format!("-{largest}"),
        high: largest.to_owned(),
    }
}

/// `12`, `1.5`, `.5`, `1.`, each with an exponent or not.
fn is_decimal(text: &str) -> bool {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent_is_fine = exponent.is_none_or(|e| {
        let e = e.strip_prefix(['+', '-']).unwrap_or(e);
        !e.is_empty() && digits(e)
    });
    digits(whole) && digits(fraction) && whole.len() + fraction.len() > 0 && exponent_is_fine
}
