//! What the naive interpreter knows of values of several words: vectors, 128 bits, and atomics of
//! pairs of halves. Like [`super::reference`] it shares nothing with the simulator but the parser:
//! halves are computed here by their definition (IEEE 754-2019, binary16).

use warpsim::ptx::{Instruction, Operand, OperandKind};

/// Whether an instruction has such values.
pub(crate) fn is_wide(instruction: &Instruction) -> bool {
    let is_vector = |operand: &Operand| matches!(operand.kind, OperandKind::Vector(_));
    instruction.operands.iter().any(is_vector)
        || instruction.modifiers.iter().any(|m| &*m.text == "b128")
}

/// The names of the words of an operand: its elements, or four words of 32 bits of a register of
/// 128.
pub(crate) fn words(operand: &Operand) -> Vec<String> {
    match &operand.kind {
        OperandKind::Vector(elements) => elements
            .iter()
            .map(|element| match &element.kind {
                OperandKind::Name(name) => name.to_string(),
                other => panic!("{other:?}"),
            })
            .collect(),
        OperandKind::Name(name) => (0..4).map(|i| format!("{name}#{i}")).collect(),
        other => panic!("{other:?}"),
    }
}

/// What an atomic leaves of words of memory.
pub(crate) fn left(operation: &str, old: &[u32], b: &[u32], c: &[u32]) -> Vec<u32> {
    let halves = |combine: fn(u16, u16) -> u16| {
        let word = |(x, y): (&u32, &u32)| {
            let low = combine(*x as u16, *y as u16);
            u32::from(low) | u32::from(combine((x >> 16) as u16, (y >> 16) as u16)) << 16
        };
        old.iter().zip(b).map(word).collect()
    };
    match operation {
        "add" => halves(sum),
        "min" => halves(|x, y| extremum(x, y, false)),
        "max" => halves(|x, y| extremum(x, y, true)),
        "exch" => b.to_vec(),
        "cas" if old == b => c.to_vec(),
        "cas" => old.to_vec(),
        _ => panic!("the reference does not know {operation} of several words"),
    }
}

/// The value of a half; `None` for a NaN.
fn value(bits: u16) -> Option<f64> {
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let magnitude = match exponent {
        31 if fraction != 0.0 => return None,
        31 => f64::INFINITY,
        0 => fraction * 2f64.powi(-24),
        _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
    };
    Some(if bits >> 15 == 1 { -magnitude } else { magnitude })
}

/// The half nearest to a number, the even one of two.
fn nearest(number: f64) -> u16 {
    let sign = u16::from(number.is_sign_negative()) << 15;
    let magnitude = number.abs();
    if magnitude.is_infinite() {
        return sign | 31 << 10;
    }
    let mut exponent = -14;
    while exponent < 16 && magnitude >= 2f64.powi(exponent + 1) {
        exponent += 1;
    }
    // A carry out of the fraction makes the next exponent, and in the end infinity.
    let fraction = (magnitude / 2f64.powi(exponent - 10)).round_ties_even() as u32;
    let bits = (((exponent + 14) as u32) << 10) + fraction;
    sign | bits.min(31 << 10) as u16
}

/// The sum, which a `f64` holds exactly, rounded once.
fn sum(x: u16, y: u16) -> u16 {
    match (value(x), value(y)) {
        (Some(x), Some(y)) if !(x + y).is_nan() => nearest(x + y),
        _ => 0x7fff,
    }
}

/// The lesser or the greater: a NaN loses, -0 is below +0.
fn extremum(x: u16, y: u16, greatest: bool) -> u16 {
    let (Some(a), Some(b)) = (value(x), value(y)) else {
        return match (value(x), value(y)) {
            (Some(_), None) => x,
            (None, Some(_)) => y,
            _ => 0x7fff,
        };
    };
    let y_is_above = b > a || b == a && x >> 15 > y >> 15;
    if y_is_above == greatest { y } else { x }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_those_of_the_standard() {
        assert_eq!(
            [0x3c00, 0xc000, 0x0001, 0x7bff].map(value),
            [1.0, -2.0, 2f64.powi(-24), 65504.0].map(Some)
        );
        assert_eq!(value(0x7c01), None);
        for bits in (0..=0x7c00).chain(0x8000..=0xfc00) {
            assert_eq!(nearest(value(bits).unwrap()), bits);
        }
        assert_eq!((nearest(65519.0), nearest(65520.0)), (0x7bff, 0x7c00));
        assert_eq!(sum(0x3c00, 0x1000), 0x3c00);
        assert_eq!(sum(0x3c01, 0x1000), 0x3c02);
        assert_eq!((extremum(0, 0x8000, true), extremum(0, 0x8000, false)), (0, 0x8000));
    }
}
