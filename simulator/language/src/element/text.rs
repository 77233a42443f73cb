//! Numbers as text, and text as exact bits.
//!
//! Text becomes bits by one rounding to nearest even, straight into the type. A number outside the
//! type's range is an error, never a truncation. So is a number that is not zero and would become
//! zero. A float prints as the shortest decimal that reads back in its own type. Among several such
//! decimals the nearest to its value is taken.

use std::fmt;

use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, Round, Status};

use super::{ElementType, Format, Reading};

/// Why a text is no number of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueError {
    /// The text.
    pub text: String,
    /// The type.
    pub ty: ElementType,
    /// The error.
    pub kind: ValueErrorKind,
}

/// Why a text is no number of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValueErrorKind {
    /// Not a number at all, or not a whole one.
    NotANumber,
    /// A number outside the range.
    OutOfRange,
    /// A number that is not zero, but is nearer to zero than anything the type can hold.
    TooSmall,
    /// A hexadecimal integer that the float type cannot hold exactly.
    NotExact,
    /// Exact bits of another float type.
    OtherBits,
}

impl std::error::Error for ValueError {}

impl fmt::Display for ValueError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ValueError { text, ty, kind } = self;
        // As it is spoken: an s32, an f16, a u8.
        let article = if ty.name().starts_with(['f', 's']) { "an" } else { "a" };
        match kind {
            ValueErrorKind::NotANumber => write!(f, "`{text}` is not {article} {ty}"),
            ValueErrorKind::OutOfRange => {
                let (low, high) = ty.range_text();
                write!(f, "`{text}` does not fit {ty}, which holds {low} to {high}")
            }
            ValueErrorKind::TooSmall => {
                write!(f, "`{text}` is too small for {ty}: it would become zero")
            }
            ValueErrorKind::NotExact => {
                write!(f, "`{text}` has more digits than {ty} can hold exactly")
            }
            ValueErrorKind::OtherBits => write!(
                f,
                "`{text}` is not {article} {ty}: exact bits are 0f and 8 digits for f32, 0d and 16 \
                 for f64"
            ),
        }
    }
}

impl ElementType {
    /// The bits of the number in a text. It is an integer in decimal or, with `0x`, hexadecimal.
    /// For floats it may also be a decimal number, `nan`, `inf`, `-inf`, or exact bits like
    /// `0f3f800000` and `0d3ff0000000000000`.
    ///
    /// # Errors
    /// It is no number, or lies outside the type: nothing is cut off.
    pub fn parse(self, text: &str) -> Result<u64, ValueError> {
        let bits = match self.reading() {
            Reading::Integer(..) => parse_integer(text)
                .ok_or(ValueErrorKind::NotANumber)
                .and_then(|value| self.integer_bits(value).ok_or(ValueErrorKind::OutOfRange)),
            Reading::Float(format) => self.parse_float(format, text),
        };
        bits.map_err(|kind| ValueError { text: text.to_owned(), ty: self, kind })
    }

    fn parse_float(self, format: Format, text: &str) -> Result<u64, ValueErrorKind> {
        if let Some(digits) = text.strip_prefix("0f").or_else(|| text.strip_prefix("0F")) {
            return self.exact_bits(digits, ElementType::F32);
        }
        if let Some(digits) = text.strip_prefix("0d").or_else(|| text.strip_prefix("0D")) {
            return self.exact_bits(digits, ElementType::F64);
        }
        match format {
            Format::Half => decimal::<Half>(text),
            Format::BFloat => decimal::<BFloat>(text),
            Format::Single => decimal::<Single>(text),
            Format::Double => decimal::<Double>(text),
        }
    }

    fn exact_bits(self, digits: &str, of: ElementType) -> Result<u64, ValueErrorKind> {
        let well_formed = self == of
            && digits.len() == self.size() * 2
            && digits.bytes().all(|b| b.is_ascii_hexdigit());
        let bits = well_formed.then(|| u64::from_str_radix(digits, 16).ok()).flatten();
        bits.ok_or(ValueErrorKind::OtherBits)
    }

    /// The ends of the type's range, in words.
    fn range_text(self) -> (String, String) {
        let largest = match self.reading() {
            Reading::Integer(low, high) => return (low.to_string(), high.to_string()),
            Reading::Float(Format::Half) => "65504",
            Reading::Float(Format::BFloat) => "3.39e38",
            Reading::Float(Format::Single) => "3.4028235e38",
            Reading::Float(Format::Double) => "1.7976931348623157e308",
        };
        (format!("-{largest}"), largest.to_owned())
    }

    /// A number as people read it, and as [`parse`](ElementType::parse) does: `nan`, `inf` and
    /// `-inf` if it is no finite number.
    pub fn text(self, bits: u64) -> String {
        if let Some(integer) = self.integer(bits) {
            return integer.to_string();
        }
        match self.shortest(bits) {
            value if value.is_nan() => "nan".to_owned(),
            value if self == ElementType::F32 => format!("{:?}", value as f32),
            value => format!("{value:?}"),
        }
    }

    /// All bits of a number in hexadecimal, the most significant digit first.
    pub fn hex(self, bits: u64) -> String {
        format!("{:0width$x}", bits & self.mask(), width = self.size() * 2)
    }

    /// The double with the same shortest decimal as this number in its own type. An f32 stays as it
    /// is.
    pub fn shortest(self, bits: u64) -> f64 {
        match self.reading() {
            Reading::Float(Format::Half | Format::BFloat) => shortest_of_16_bits(self, bits),
            Reading::Integer(..) | Reading::Float(Format::Single | Format::Double) => {
                self.float(bits)
            }
        }
    }
}

/// An integer in decimal or, with `0x`, hexadecimal; a minus sign may come first. `None` for any
/// other text. One that is too long for an `i128` is the largest, far outside every type's range.
pub fn parse_integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (digits, radix) = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => (hex, 16),
        None => (digits, 10),
    };
    if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
        return None;
    }
    let magnitude = i128::from_str_radix(digits, radix).unwrap_or(i128::MAX);
    Some(if negative { -magnitude } else { magnitude })
}

/// A decimal number, `nan`, `inf`, `-inf` or a hexadecimal integer, rounded once into a float type.
fn decimal<F: Float>(text: &str) -> Result<u64, ValueErrorKind> {
    match text {
        "nan" => return Ok(F::NAN.to_bits() as u64),
        "inf" => return Ok(F::INFINITY.to_bits() as u64),
        "-inf" => return Ok((-F::INFINITY).to_bits() as u64),
        _ => {}
    }
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let parsed = if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
        let value = parse_integer(text).ok_or(ValueErrorKind::NotANumber)?;
        let rounded = F::from_i128_r(value, Round::NearestTiesToEven);
        if rounded.status.contains(Status::INEXACT) && !rounded.status.contains(Status::OVERFLOW) {
            return Err(ValueErrorKind::NotExact);
        }
        rounded
    } else if is_decimal(unsigned) {
        F::from_str_r(text, Round::NearestTiesToEven).map_err(|_| ValueErrorKind::NotANumber)?
    } else {
        return Err(ValueErrorKind::NotANumber);
    };
    if parsed.value.is_infinite() {
        return Err(ValueErrorKind::OutOfRange);
    }
    if parsed.value.is_zero() && parsed.status.contains(Status::INEXACT) {
        return Err(ValueErrorKind::TooSmall);
    }
    Ok(parsed.value.to_bits() as u64)
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

/// The double whose shortest decimal equals the shortest decimal of a finite f16 or bf16. A number
/// that is not finite stays as it is.
///
/// Five digits distinguish all f16, and four all bf16. For each number of digits the nearest
/// decimal and its two neighbours are tried, because the nearest may fall outside the number's
/// interval where the interval is lopsided, at powers of two.
fn shortest_of_16_bits(ty: ElementType, bits: u64) -> f64 {
    let value = ty.float(bits);
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    for digits in 0..5usize {
        let nearest = format!("{:.digits$e}", value.abs());
        let Some((mantissa, exponent)) = nearest.split_once('e') else { return value };
        let mantissa: i64 = mantissa.replace('.', "").parse().unwrap_or(0);
        let exponent: i64 = exponent.parse::<i64>().unwrap_or(0) - digits as i64;
        let reads_back = |m: i64| {
            let text = format!("{m}e{exponent}");
            let same = ty.parse(&text).is_ok_and(|b| b == bits & 0x7fff);
            same.then(|| text.parse::<f64>().unwrap_or(value.abs()))
        };
        let candidates = [mantissa, mantissa - 1, mantissa + 1].into_iter().filter_map(reads_back);
        let best =
            candidates.min_by(|a, b| (a - value.abs()).abs().total_cmp(&(b - value.abs()).abs()));
        if let Some(best) = best {
            return best.copysign(value);
        }
    }
    value
}
