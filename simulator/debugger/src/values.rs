//! Values of expressions: bits with a type, or numbers that an operation made.

use std::fmt;

use warpsim::element::ElementType;
use warpsim::observe::format_bits;
use warpsim::ptx::Type;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// What a register or a cell holds.
    Bits(Type, u64),
    /// An integer.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bits(ty, bits) => f.write_str(&format_bits(*ty, *bits)),
            Value::Integer(number) => write!(f, "{number}"),
            Value::Float(number) => write!(f, "{number}"),
        }
    }
}

/// A number to compute with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    Integer(i128),
    Float(f64),
}

impl Value {
    /// The number that the value is, as its text says it.
    pub(crate) fn number(self) -> Number {
        match self {
            Value::Integer(number) => Number::Integer(number),
            Value::Float(number) => Number::Float(number),
            Value::Bits(ty, bits) => of_bits(ty, bits),
        }
    }

    /// Whether the value is not zero.
    pub(crate) fn holds(self) -> bool {
        match self.number() {
            Number::Integer(number) => number != 0,
            Number::Float(number) => number != 0.0,
        }
    }
}

impl From<bool> for Value {
    fn from(is: bool) -> Value {
        Value::Integer(i128::from(is))
    }
}

impl From<Number> for Value {
    fn from(number: Number) -> Value {
        match number {
            Number::Integer(number) => Value::Integer(number),
            Number::Float(number) => Value::Float(number),
        }
    }
}

impl Number {
    pub(crate) fn float(self) -> f64 {
        match self {
            Number::Integer(number) => number as f64,
            Number::Float(number) => number,
        }
    }
}

/// Bits by their type. Untyped bits have the sign that [`format_bits`] gives them.
fn of_bits(ty: Type, bits: u64) -> Number {
    let is_float = ElementType::try_from(ty).is_ok_and(|e| e.integer_range().is_none());
    let text = format_bits(ty, bits);
    let integer = || match text.strip_prefix("0x") {
        Some(digits) => i128::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    match is_float {
        // Every float is written as Rust reads it: with an exponent, `inf` or `NaN`.
        true => text.parse().map_or(Number::Integer(i128::from(bits)), Number::Float),
        false => Number::Integer(integer().unwrap_or_else(|| i128::from(bits))),
    }
}

/// A type by its name in PTX.
pub(crate) fn type_named(name: &str) -> Option<Type> {
    let types = [
        Type::B8,
        Type::U8,
        Type::S8,
        Type::B16,
        Type::U16,
        Type::S16,
        Type::F16,
        Type::Bf16,
        Type::B32,
        Type::U32,
        Type::S32,
        Type::F32,
        Type::B64,
        Type::U64,
        Type::S64,
        Type::F64,
    ];
    let name = name.trim_start_matches('.');
    types.into_iter().find(|ty| ty.to_string().trim_start_matches('.') == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_numbers_by_their_type() {
        assert_eq!(Value::Bits(Type::S32, 0xffff_fffe).number(), Number::Integer(-2));
        assert_eq!(Value::Bits(Type::U32, 0xffff_fffe).number(), Number::Integer(0xffff_fffe));
        assert_eq!(Value::Bits(Type::F32, 0x3fc0_0000).number(), Number::Float(1.5));
        assert_eq!(Value::Bits(Type::F16, 0x3e00).number(), Number::Float(1.5));
        assert_eq!(Value::Bits(Type::U64, 1 << 40).number(), Number::Integer(1 << 40));
        assert!(Value::Bits(Type::F32, 0x7f80_0000).holds());
        assert!(!Value::Bits(Type::Pred, 0).holds());
    }
}
