//! Cells as people and JSON see them.
//!
//! Integers are integers of any size. A float is the shortest decimal that reads back in its own
//! type, and of those the nearest to its value; what is not finite is a string in JSON. With
//! `bits`, every cell is a string of all its bits in hexadecimal.

use serde::{Serialize, Serializer};

use super::element::Element;

/// One cell: its type, its bits, and whether it is shown as bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell {
    pub(crate) element: Element,
    pub(crate) bits: u64,
    pub(crate) as_bits: bool,
}

impl Cell {
    /// The text for people, without quotes.
    pub(crate) fn text(self) -> String {
        let Cell { element, bits, as_bits } = self;
        if as_bits {
            return format!("0x{bits:0width$x}", width = element.size() * 2);
        }
        if !element.is_float() {
            return element.to_integer(bits).to_string();
        }
        let value = element.to_f64(bits);
        if value.is_nan() {
            return "nan".to_owned();
        }
        if value.is_infinite() {
            return if value > 0.0 { "inf" } else { "-inf" }.to_owned();
        }
        match element {
            Element::F32 => format!("{:?}", value as f32),
            Element::F64 => format!("{value:?}"),
            _ => format!("{:?}", shortest_of_16_bits(element, bits)),
        }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Cell { element, bits, as_bits } = *self;
        if as_bits || (element.is_float() && !element.to_f64(bits).is_finite()) {
            return serializer.serialize_str(&self.text());
        }
        match element {
            Element::F32 => serializer.serialize_f32(f32::from_bits(bits as u32)),
            Element::F64 => serializer.serialize_f64(f64::from_bits(bits)),
            Element::F16 | Element::Bf16 => {
                serializer.serialize_f64(shortest_of_16_bits(element, bits))
            }
            Element::U64 => serializer.serialize_u64(bits),
            _ => serializer.serialize_i64(element.to_integer(bits) as i64),
        }
    }
}

/// The double whose own shortest decimal is the shortest decimal of a finite f16 or bf16 cell.
///
/// Five digits tell all f16 apart, four all bf16. For each number of digits the nearest decimal
/// and its two neighbours are tried, because the nearest may fall outside the cell's interval
/// where the interval is lopsided, at powers of two.
fn shortest_of_16_bits(element: Element, bits: u64) -> f64 {
    let value = element.to_f64(bits);
    if value == 0.0 {
        return value;
    }
    for digits in 0..5usize {
        let nearest = format!("{:.digits$e}", value.abs());
        let Some((mantissa, exponent)) = nearest.split_once('e') else { return value };
        let mantissa: i64 = mantissa.replace('.', "").parse().unwrap_or(0);
        let exponent: i64 = exponent.parse::<i64>().unwrap_or(0) - digits as i64;
        let reads_back = |m: i64| {
            let text = format!("{m}e{exponent}");
            let same = element.parse(&text).is_ok_and(|b| b == bits & 0x7fff);
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
