//! Cells as people and JSON see them.
//!
//! Cells have the texts of [`ElementType`]. In JSON integers are integers of any size. A float is
//! the same decimal as in the text; a string if it is not finite. With `bits`, every cell is a
//! string of all its bits in hexadecimal.

use serde::{Serialize, Serializer};
use warpsim::element::ElementType;

/// One cell: its type, its bits, and whether it is shown as bits.
#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// The type.
    pub element: ElementType,
    /// The bits.
    pub bits: u64,
    /// Whether it is shown as bits.
    pub as_bits: bool,
}

impl Cell {
    /// The text for people, without quotes.
    pub fn text(self) -> String {
        let Cell { element, bits, as_bits } = self;
        if as_bits { format!("0x{}", element.hex(bits)) } else { element.text(bits) }
    }
}

impl Serialize for Cell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Cell { element, bits, as_bits } = *self;
        if as_bits {
            return serializer.serialize_str(&self.text());
        }
        if let Some(integer) = element.integer(bits) {
            return serializer.serialize_i128(integer);
        }
        match element.shortest(bits) {
            value if !value.is_finite() => serializer.serialize_str(&self.text()),
            value if element == ElementType::F32 => serializer.serialize_f32(value as f32),
            value => serializer.serialize_f64(value),
        }
    }
}
