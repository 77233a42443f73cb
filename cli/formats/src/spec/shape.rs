//! The shape of a buffer: `64`, `64x32` or `4x64x32`. Cells lie in C order: the last dimension
//! changes fastest.

use std::fmt;

use super::error::SpecError;
use super::unsigned;

/// The most dimensions that a buffer has.
const MOST: usize = 4;

/// How many cells a buffer has along each dimension, the slowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    dimensions: [u64; MOST],
    count: usize,
}

impl Shape {
    /// A row of cells.
    pub fn row(length: u64) -> Shape {
        Shape { dimensions: [length, 0, 0, 0], count: 1 }
    }

    /// Reads the text between the brackets.
    ///
    /// # Errors
    /// It is no list of numbers, or has too many of them or too many cells.
    pub fn parse(text: &str) -> Result<Shape, SpecError> {
        let mut shape = Shape { dimensions: [0; MOST], count: 0 };
        let mut rest = Some(text);
        while let Some(text) = rest {
            let (dimension, after) = first(text);
            let place = shape.dimensions.get_mut(shape.count);
            let place = place.ok_or_else(|| SpecError::Dimensions(text.to_owned()))?;
            *place = unsigned(dimension, "the length between the brackets")?;
            shape.count += 1;
            rest = after;
        }
        shape.length().map(|_| shape).ok_or(SpecError::TooLarge)
    }

    /// The cells along each dimension.
    pub fn dimensions(&self) -> &[u64] {
        &self.dimensions[..self.count]
    }

    /// All cells; `None` where that is no 64-bit number.
    pub fn length(&self) -> Option<u64> {
        self.dimensions().iter().try_fold(1_u64, |all, cells| all.checked_mul(*cells))
    }
}

/// A dimension and the text behind its `x`. The x of `0x40` separates nothing.
fn first(text: &str) -> (&str, Option<&str>) {
    let digits = if text.starts_with("0x") || text.starts_with("0X") { 2 } else { 0 };
    match text[digits..].find('x') {
        Some(at) => (&text[..digits + at], Some(&text[digits + at + 1..])),
        None => (text, None),
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, cells) in self.dimensions().iter().enumerate() {
            if index > 0 {
                f.write_str("x")?;
            }
            write!(f, "{cells}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shape_has_up_to_four_dimensions_in_any_base() {
        for (text, dimensions) in [
            ("64", &[64_u64][..]),
            ("64x32", &[64, 32]),
            ("0x40x0x20", &[64, 32]),
            ("2x3x4x5", &[2, 3, 4, 5]),
            ("0", &[0]),
        ] {
            let shape = Shape::parse(text).unwrap();
            assert_eq!(shape.dimensions(), dimensions, "{text}");
            assert_eq!(shape.length(), Some(dimensions.iter().product()));
            assert_eq!(Shape::parse(&shape.to_string()), Ok(shape));
        }
        for text in ["", "x", "2x", "x2", "2x3x4x5x6", "2x-1", "4294967296x4294967296", "0x"] {
            assert!(Shape::parse(text).is_err(), "{text}");
        }
    }
}
