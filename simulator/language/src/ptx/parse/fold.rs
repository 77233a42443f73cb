//! The values of constant expressions and the effect of operators on them (PTX ISA 4.5.4 to 4.5.6).
//!
//! Integers are `.s64` or `.u64` and wrap. Floating-point numbers are `f64`. A symbol is an address
//! that takes only `+ N`, and `- SYMBOL` in debug data. Three choices are ours.
//! `-9223372036854775808` is the least `.s64`, where the letter of the ISA makes it a `.u64` of the
//! same bits. A shift by 64 or more shifts everything out. A NaN is the canonical one. Operands of
//! `&&`, `||` and `?:` that do not count are folded too, so a division by zero in one is an error.

use super::super::ast::Name;
use super::super::error::SyntaxErrorKind;

type Folded<T> = std::result::Result<T, SyntaxErrorKind>;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Integer(Integer),
    F32(u32),
    F64(f64),
    Symbol(Symbol),
    /// The distance between two labels, in debug data.
    Difference(Name, Name),
}

/// A 64-bit integer: `.s64` or `.u64`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Integer {
    pub(super) bits: u64,
    pub(super) signed: bool,
}

/// The address of a symbol.
#[derive(Clone, Debug)]
pub(super) struct Symbol {
    pub(super) name: Name,
    pub(super) generic: bool,
    pub(super) offset: i64,
    pub(super) mask: Option<u64>,
}

impl Integer {
    pub(super) fn value(self) -> i128 {
        match self.signed {
            true => (self.bits as i64).into(),
            false => self.bits.into(),
        }
    }

    pub(super) fn signed(value: i64) -> Integer {
        Integer { bits: value as u64, signed: true }
    }

    fn truth(value: bool) -> Integer {
        Integer::signed(value.into())
    }
}

impl Value {
    /// What it is, for messages.
    pub(super) fn sort(&self) -> &'static str {
        match self {
            Value::Integer(_) => "an integer",
            Value::F32(_) => "an exact `f32` literal",
            Value::F64(_) => "a floating-point number",
            Value::Symbol(_) => "a symbol",
            Value::Difference(..) => "a difference of symbols",
        }
    }
}

/// A symbol alone.
pub(super) fn symbol_value(name: Name) -> Value {
    Value::Symbol(Symbol { name, generic: false, offset: 0, mask: None })
}

fn float(value: f64) -> Value {
    Value::F64(if value.is_nan() { f64::from_bits(0x7ff8_0000_0000_0000) } else { value })
}

fn operator_type(operator: &'static str, operand: &Value) -> SyntaxErrorKind {
    SyntaxErrorKind::OperatorType { operator, operand: operand.sort() }
}

/// An operator on two values that do not go together, or on one that goes with nothing.
fn operands_type(operator: &'static str, left: &Value, right: &Value) -> SyntaxErrorKind {
    match (left, right) {
        (Value::Integer(_), Value::F64(_)) | (Value::F64(_), Value::Integer(_)) => {
            let operand = "an integer together with a floating-point number";
            SyntaxErrorKind::OperatorType { operator, operand }
        }
        (Value::Integer(_) | Value::F64(_), other) | (other, _) => operator_type(operator, other),
    }
}

/// A unary operator applied.
pub(super) fn unary(sign: &'static str, operand: Value) -> Folded<Value> {
    Ok(match (sign, operand) {
        ("+", value @ (Value::Integer(_) | Value::F64(_))) => value,
        ("-", Value::Integer(Integer { bits, signed })) => {
            Value::Integer(Integer { bits: bits.wrapping_neg(), signed })
        }
        ("-", Value::F64(value)) => Value::F64(-value),
        ("!", Value::Integer(Integer { bits, .. })) => Value::Integer(Integer::truth(bits == 0)),
        ("~", Value::Integer(Integer { bits, .. })) => {
            Value::Integer(Integer { bits: !bits, signed: false })
        }
        (sign, other) => return Err(operator_type(sign, &other)),
    })
}

/// A binary operator applied.
pub(super) fn binary(sign: &'static str, left: Value, right: Value) -> Folded<Value> {
    match (left, right) {
        (Value::Integer(a), Value::Integer(b)) => integers(sign, a, b).map(Value::Integer),
        (Value::F64(a), Value::F64(b)) => floats(sign, a, b),
        (Value::Symbol(a), Value::Integer(b)) if sign == "+" => shifted(a, b.value()),
        (Value::Symbol(a), Value::Integer(b)) if sign == "-" => shifted(a, -b.value()),
        (Value::Integer(a), Value::Symbol(b)) if sign == "+" => shifted(b, a.value()),
        (Value::Symbol(a), Value::Symbol(b)) if sign == "-" && a.offset == 0 && b.offset == 0 => {
            Ok(Value::Difference(a.name, b.name))
        }
        (left, right) => Err(operands_type(sign, &left, &right)),
    }
}

/// An address this many bytes further.
fn shifted(symbol: Symbol, by: i128) -> Folded<Value> {
    let sum = i128::from(symbol.offset) + by;
    match i64::try_from(sum) {
        Ok(offset) => Ok(Value::Symbol(Symbol { offset, ..symbol })),
        Err(_) => Err(SyntaxErrorKind::OutOfRange {
            what: "offset",
            value: sum,
            min: i64::MIN.into(),
            max: i64::MAX.into(),
        }),
    }
}

fn integers(sign: &'static str, a: Integer, b: Integer) -> Folded<Integer> {
    let (x, y) = (a.bits, b.bits);
    let signed = a.signed && b.signed;
    let less = |a: u64, b: u64| if signed { (a as i64) < (b as i64) } else { a < b };
    let result = |bits| Integer { bits, signed };
    Ok(match sign {
        "+" => result(x.wrapping_add(y)),
        "-" => result(x.wrapping_sub(y)),
        "*" => result(x.wrapping_mul(y)),
        "/" | "%" if y == 0 => return Err(SyntaxErrorKind::DivisionByZero),
        "/" if signed => result((x as i64).wrapping_div(y as i64) as u64),
        "/" => result(x / y),
        "%" => Integer { bits: x % y, signed: true },
        "<<" => Integer { bits: shift_left(x, y), ..a },
        ">>" if a.signed => Integer::signed((x as i64) >> y.min(63)),
        ">>" => Integer { bits: if y < 64 { x >> y } else { 0 }, ..a },
        "&" => Integer { bits: x & y, signed: false },
        "|" => Integer { bits: x | y, signed: false },
        "^" => Integer { bits: x ^ y, signed: false },
        "<" => Integer::truth(less(x, y)),
        ">" => Integer::truth(less(y, x)),
        "<=" => Integer::truth(!less(y, x)),
        ">=" => Integer::truth(!less(x, y)),
        "==" => Integer::truth(x == y),
        "!=" => Integer::truth(x != y),
        "&&" => Integer::truth(x != 0 && y != 0),
        "||" => Integer::truth(x != 0 || y != 0),
        _ => return Err(operator_type(sign, &Value::Integer(a))),
    })
}

fn shift_left(x: u64, by: u64) -> u64 {
    if by < 64 { x << by } else { 0 }
}

fn floats(sign: &'static str, a: f64, b: f64) -> Folded<Value> {
    let truth = |value| Value::Integer(Integer::truth(value));
    Ok(match sign {
        "+" => float(a + b),
        "-" => float(a - b),
        "*" => float(a * b),
        "/" => float(a / b),
        "<" => truth(a < b),
        ">" => truth(a > b),
        "<=" => truth(a <= b),
        ">=" => truth(a >= b),
        "==" => truth(a == b),
        "!=" => truth(a != b),
        _ => return Err(operator_type(sign, &Value::F64(a))),
    })
}

/// `condition ? yes : no`.
pub(super) fn choose(condition: &Value, yes: Value, no: Value) -> Folded<Value> {
    let Value::Integer(Integer { bits, .. }) = *condition else {
        return Err(operator_type("?:", condition));
    };
    match (yes, no) {
        (Value::Integer(yes), Value::Integer(no)) => {
            let signed = yes.signed && no.signed;
            let chosen = if bits != 0 { yes.bits } else { no.bits };
            Ok(Value::Integer(Integer { bits: chosen, signed }))
        }
        (Value::F64(yes), Value::F64(no)) => Ok(Value::F64(if bits != 0 { yes } else { no })),
        (yes, no) => Err(operands_type("?:", &yes, &no)),
    }
}

#[cfg(test)]
mod tests {
    use crate::ptx::{InitValue, Initializer, Item, SyntaxError, parse};

    fn value(expression: &str) -> Result<InitValue, SyntaxError> {
        let text = format!(".version 8.5 .target sm_80 .global .b64 x = {expression};");
        let module = parse("k.ptx", &text)?;
        match module.items.as_slice() {
            [Item::Variable(variable)] => match &variable.init {
                Some(Initializer::Value(value, _)) => Ok(value.clone()),
                other => panic!("{other:?}"),
            },
            other => panic!("{other:?}"),
        }
    }

    /// The values come from ISA 4.5.5 and 4.5.6; `ptxas` folds each to the same bits.
    #[test]
    fn integers_fold_as_the_isa_says() {
        for (expression, expected) in [
            ("7 / 2 * 3 % 5", 4),
            ("-7 / 2", -3),
            ("-7 >> 1", -4),
            ("0xfffffffffffffff9 >> 60", 15),
            ("~0", u64::MAX.into()),
            ("~0 >> 60", 15),
            ("1 ? 2 : 3", 2),
            ("0 ? 1 : 0 ? 2 : 3", 3),
            ("!5 + 2", 2),
            ("0 || 3 && 4", 1),
            ("5 == 5 != 0", 1),
            ("-1 < 0", 1),
            ("0xFFFFFFFFFFFFFFFF > 0", 1),
            ("(.s64)0xFFFFFFFFFFFFFFFF < 0", 1),
            ("(.u64)-1 > 5", 1),
            ("1 + 2 << 3", 24),
            ("6 & 3 == 3", 0),
            ("1 | 2 ^ 3 & 4", 3),
            // `%` reads its operands as `.u64`: 2^64 - 8 leaves 2.
            ("-8 % 3", 2),
            ("- - -5", -5),
            ("3-2-1", 0),
            ("100/10/5", 2),
            ("9223372036854775807 + 1 < 0", 1),
            ("1.5 < 2.5", 1),
            ("WARP_SZ * 2 - 1", 63),
            ("0x8000000000000000 / 2", 1 << 62),
            ("-9223372036854775808", i64::MIN.into()),
            ("18446744073709551615", u64::MAX.into()),
            ("1U - 2", u64::MAX.into()),
        ] {
            assert_eq!(value(expression), Ok(InitValue::Integer(expected)), "{expression}");
        }
    }

    #[test]
    fn floats_fold_in_double_precision() {
        for (expression, expected) in
            [("2.0*3.5-1.0", 6.0), ("-.5", -0.5), ("-0d3FF0000000000000", -1.0), ("1e300", 1e300)]
        {
            let expected = InitValue::F64(f64::to_bits(expected));
            assert_eq!(value(expression), Ok(expected), "{expression}");
        }
        // The canonical NaN, whatever the machine that folds.
        assert_eq!(value("0.0/0.0"), Ok(InitValue::F64(0x7ff8_0000_0000_0000)));
    }

    #[test]
    fn what_has_no_value_is_an_error() {
        for (expression, message) in [
            ("1/0", "division by zero in a constant expression"),
            ("1%(2-2)", "division by zero in a constant expression"),
            (
                "1.5+2",
                "the operator `+` does not take an integer together with a floating-point number",
            ),
            ("1 ? a : 2", "the operator `?:` does not take a symbol"),
            ("~1.5", "the operator `~` does not take a floating-point number"),
            ("-0f3F800000", "the operator `-` does not take an exact `f32` literal"),
            ("a*2", "the operator `*` does not take a symbol"),
            ("-a", "the operator `-` does not take a symbol"),
            ("a-b", "expected a number or an address, found a difference of symbols"),
            ("1+", "expected a constant, found `;`"),
            ("(1", "expected `)` or an operator, found `;`"),
        ] {
            let error = value(expression).expect_err(expression);
            assert_eq!(error.to_string(), message, "{expression}");
        }
    }
}
