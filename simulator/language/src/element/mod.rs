//! The types of the numbers that buffers and scalars hold: names, sizes, ranges, values as bits and
//! as text.
//!
//! These are the fundamental types of PTX that have a value (PTX ISA 5.2.1), and the two 16-bit
//! floats (5.2.3). A number is passed as its bits, in the low end of a `u64`, so that every type is
//! passed in the same way. The names of these types mean the same everywhere: in the command's
//! SPECs, JSON, recordings, conformance files, properties.
//!
//! This module must not know registers and instructions; their types are [`Type`].

mod text;

#[cfg(test)]
mod tests;

use std::fmt;
use std::str::FromStr;

use half::{bf16, f16};
use rustc_apfloat::ieee::{BFloat, Double, Half};
use rustc_apfloat::{Float, FloatConvert, Round};

use crate::ptx::Type;

pub use text::{ValueError, ValueErrorKind, parse_integer};

/// The type of a number in a buffer, or of a scalar.
///
/// It prints and parses as its name in PTX, which is also its name in SPECs, in JSON and in
/// recordings. serde uses the same word.
///
/// ```
/// use warpsim::element::ElementType;
/// let ty: ElementType = "s16".parse()?;
/// assert_eq!((ty, ty.size(), ty.rust_name()), (ElementType::I16, 2, "i16"));
/// let bits = ty.parse("-7")?;
/// assert_eq!((bits, ty.text(bits), ty.hex(bits)), (0xfff9, "-7".to_owned(), "fff9".to_owned()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(into = "&'static str", try_from = "String"))]
#[expect(missing_docs, reason = "the variants are Rust's own types, and the two 16-bit floats")]
pub enum ElementType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F16,
    Bf16,
    F32,
    F64,
}

/// The meaning of the bits of a type.
#[derive(Clone, Copy)]
enum Reading {
    /// Integers, in two's complement: the smallest and the largest.
    Integer(i128, i128),
    Float(Format),
}

/// The format of a float.
#[derive(Clone, Copy)]
enum Format {
    Half,
    BFloat,
    Single,
    Double,
}

/// A name that no type has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownType {
    /// The name.
    pub name: String,
}

impl fmt::Display for UnknownType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = ElementType::ALL.map(ElementType::name);
        write!(f, "`{}` is not a type; there are {}", self.name, names.join(", "))
    }
}

impl std::error::Error for UnknownType {}

/// A type of PTX whose values are not single numbers: predicates, pairs, handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotANumber {
    /// The type.
    pub ty: Type,
}

impl fmt::Display for NotANumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the values of .{} are no numbers", self.ty.keyword())
    }
}

impl std::error::Error for NotANumber {}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for ElementType {
    type Err = UnknownType;

    fn from_str(name: &str) -> Result<ElementType, UnknownType> {
        let found = ElementType::ALL.into_iter().find(|ty| ty.name() == name);
        found.ok_or_else(|| UnknownType { name: name.to_owned() })
    }
}

impl From<ElementType> for &'static str {
    fn from(ty: ElementType) -> &'static str {
        ty.name()
    }
}

impl TryFrom<String> for ElementType {
    type Error = UnknownType;

    fn try_from(name: String) -> Result<ElementType, UnknownType> {
        name.parse()
    }
}

impl From<ElementType> for Type {
    fn from(ty: ElementType) -> Type {
        match ty {
            ElementType::U8 => Type::U8,
            ElementType::I8 => Type::S8,
            ElementType::U16 => Type::U16,
            ElementType::I16 => Type::S16,
            ElementType::U32 => Type::U32,
            ElementType::I32 => Type::S32,
            ElementType::U64 => Type::U64,
            ElementType::I64 => Type::S64,
            ElementType::F16 => Type::F16,
            ElementType::Bf16 => Type::Bf16,
            ElementType::F32 => Type::F32,
            ElementType::F64 => Type::F64,
        }
    }
}

/// Untyped bits (`.b32`) are read as unsigned numbers.
impl TryFrom<Type> for ElementType {
    type Error = NotANumber;

    fn try_from(ty: Type) -> Result<ElementType, NotANumber> {
        match ty {
            Type::U8 | Type::B8 => Ok(ElementType::U8),
            Type::S8 => Ok(ElementType::I8),
            Type::U16 | Type::B16 => Ok(ElementType::U16),
            Type::S16 => Ok(ElementType::I16),
            Type::U32 | Type::B32 => Ok(ElementType::U32),
            Type::S32 => Ok(ElementType::I32),
            Type::U64 | Type::B64 => Ok(ElementType::U64),
            Type::S64 => Ok(ElementType::I64),
            Type::F16 => Ok(ElementType::F16),
            Type::Bf16 => Ok(ElementType::Bf16),
            Type::F32 => Ok(ElementType::F32),
            Type::F64 => Ok(ElementType::F64),
            Type::B128 | Type::F16x2 | Type::Bf16x2 | Type::Pred => Err(NotANumber { ty }),
            Type::Texref | Type::Samplerref | Type::Surfref => Err(NotANumber { ty }),
        }
    }
}

impl ElementType {
    /// All of them, in the order of the documentation.
    pub const ALL: [ElementType; 12] = [
        ElementType::U8,
        ElementType::I8,
        ElementType::U16,
        ElementType::I16,
        ElementType::U32,
        ElementType::I32,
        ElementType::U64,
        ElementType::I64,
        ElementType::F16,
        ElementType::Bf16,
        ElementType::F32,
        ElementType::F64,
    ];

    /// The name in SPECs, in JSON and in recordings, which is PTX's: `s32`.
    pub fn name(self) -> &'static str {
        Type::from(self).keyword()
    }

    /// The name in Rust: `i32`.
    pub fn rust_name(self) -> &'static str {
        match self {
            ElementType::I8 => "i8",
            ElementType::I16 => "i16",
            ElementType::I32 => "i32",
            ElementType::I64 => "i64",
            ElementType::U8
            | ElementType::U16
            | ElementType::U32
            | ElementType::U64
            | ElementType::F16
            | ElementType::Bf16
            | ElementType::F32
            | ElementType::F64 => self.name(),
        }
    }

    /// Bytes of a number.
    pub fn size(self) -> usize {
        match self {
            ElementType::U8 | ElementType::I8 => 1,
            ElementType::U16 | ElementType::I16 | ElementType::F16 | ElementType::Bf16 => 2,
            ElementType::U32 | ElementType::I32 | ElementType::F32 => 4,
            ElementType::U64 | ElementType::I64 | ElementType::F64 => 8,
        }
    }

    fn reading(self) -> Reading {
        let bits = self.size() * 8;
        match self {
            ElementType::U8 | ElementType::U16 | ElementType::U32 | ElementType::U64 => {
                Reading::Integer(0, (1 << bits) - 1)
            }
            ElementType::I8 | ElementType::I16 | ElementType::I32 | ElementType::I64 => {
                Reading::Integer(-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
            }
            ElementType::F16 => Reading::Float(Format::Half),
            ElementType::Bf16 => Reading::Float(Format::BFloat),
            ElementType::F32 => Reading::Float(Format::Single),
            ElementType::F64 => Reading::Float(Format::Double),
        }
    }

    /// Whether its numbers are floating-point numbers.
    pub fn is_float(self) -> bool {
        matches!(self.reading(), Reading::Float(_))
    }

    /// The smallest and the largest value of an integer type; `None` for floats.
    pub fn integer_range(self) -> Option<(i128, i128)> {
        match self.reading() {
            Reading::Integer(low, high) => Some((low, high)),
            Reading::Float(_) => None,
        }
    }

    /// As many low bits as a number has.
    pub fn mask(self) -> u64 {
        u64::MAX >> (64 - self.size() * 8)
    }

    /// The bits of the numbers in bytes of memory, which is little-endian. A rest that is too short
    /// for a number is left out.
    pub fn numbers(self, bytes: &[u8]) -> impl ExactSizeIterator<Item = u64> + '_ {
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |bits, b| bits << 8 | u64::from(*b));
        bytes.chunks_exact(self.size()).map(number)
    }

    /// A number's bytes in memory.
    pub fn bytes(self, bits: u64) -> impl Iterator<Item = u8> {
        bits.to_le_bytes().into_iter().take(self.size())
    }

    /// The integer with these bits; bits beyond the type's size do not count. `None` for floats.
    pub fn integer(self, bits: u64) -> Option<i128> {
        match self.reading() {
            Reading::Integer(low, high) => Some(self.in_range(low, high, bits)),
            Reading::Float(_) => None,
        }
    }

    fn in_range(self, low: i128, high: i128, bits: u64) -> i128 {
        let unsigned = i128::from(bits & self.mask());
        if unsigned > high { unsigned + 2 * low } else { unsigned }
    }

    /// The bits of an integer in this integer type; `None` when it does not fit, and for floats.
    pub fn integer_bits(self, value: i128) -> Option<u64> {
        let (low, high) = self.integer_range()?;
        (low..=high).contains(&value).then_some(value as u64 & self.mask())
    }

    /// The bits of an integer; high ones may be lost. For floats, the bits of the nearest number.
    pub fn of_integer(self, value: i128) -> u64 {
        match self.reading() {
            Reading::Integer(..) => value as u64 & self.mask(),
            Reading::Float(_) => self.of_float(value as f64),
        }
    }

    /// The float with these bits, exactly; of an integer, the nearest.
    pub fn float(self, bits: u64) -> f64 {
        match self.reading() {
            Reading::Integer(low, high) => self.in_range(low, high, bits) as f64,
            Reading::Float(Format::Half) => f16::from_bits(bits as u16).to_f64(),
            Reading::Float(Format::BFloat) => bf16::from_bits(bits as u16).to_f64(),
            Reading::Float(Format::Single) => f32::from_bits(bits as u32).into(),
            Reading::Float(Format::Double) => f64::from_bits(bits),
        }
    }

    /// The bits of the number that is nearest to a float, by one rounding to nearest even. A number
    /// that is too large becomes infinite. Integers take the whole part; its high bits may be lost.
    pub fn of_float(self, value: f64) -> u64 {
        match self.reading() {
            Reading::Integer(..) => value as i128 as u64 & self.mask(),
            Reading::Float(Format::Half) => rounded::<Half>(value),
            Reading::Float(Format::BFloat) => rounded::<BFloat>(value),
            Reading::Float(Format::Single) => (value as f32).to_bits().into(),
            Reading::Float(Format::Double) => value.to_bits(),
        }
    }

    /// The same, but `None` when a finite value would become infinite.
    pub fn of_finite_float(self, value: f64) -> Option<u64> {
        let bits = self.of_float(value);
        (self.float(bits).is_finite() || !value.is_finite()).then_some(bits)
    }
}

/// A double in a narrower type. The crate `half` rounds twice where the processor does so.
fn rounded<F: Float>(value: f64) -> u64
where
    Double: FloatConvert<F>,
{
    let double = Double::from_bits(value.to_bits().into());
    double.convert_r(Round::NearestTiesToEven, &mut false).value.to_bits() as u64
}
