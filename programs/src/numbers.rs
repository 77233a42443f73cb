//! The results of programs: numbers of one type, as a device's memory holds them.

use warpsim::element::ElementType;

/// Numbers of one type, by their bytes, little-endian.
///
/// ```
/// use warpsim_programs::Numbers;
/// let numbers = Numbers::from(vec![1.5, -0.0]);
/// assert_eq!((numbers.len(), numbers.ty.name(), numbers.texts()[0].as_str()), (2, "f64", "1.5"));
/// assert_ne!(numbers, Numbers::from(vec![1.5, 0.0]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Numbers {
    /// Their type.
    pub ty: ElementType,
    /// Their bytes; a multiple of the type's size.
    pub bytes: Vec<u8>,
}

impl Numbers {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.bytes.len() / self.ty.size()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Their bits.
    pub fn bits(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.ty.numbers(&self.bytes)
    }

    /// Each of them as text.
    pub fn texts(&self) -> Vec<String> {
        self.bits().map(|bits| self.ty.text(bits)).collect()
    }

    /// Their values as doubles; integers of 64 bits are rounded.
    pub fn floats(&self) -> Vec<f64> {
        let value = |bits| match self.ty.integer(bits) {
            Some(integer) => integer as f64,
            None => self.ty.float(bits),
        };
        self.bits().map(value).collect()
    }

    /// Whether these are the same, or no farther from them than `tolerance`.
    pub fn is_within(&self, expected: &Numbers, tolerance: f64) -> bool {
        let is_near = |(a, b): (f64, f64)| (a - b).abs() <= tolerance;
        self == expected
            || self.ty == expected.ty
                && self.len() == expected.len()
                && tolerance > 0.0
                && self.floats().into_iter().zip(expected.floats()).all(is_near)
    }
}

macro_rules! from {
    ($($ty:ident $variant:ident;)*) => {
        $(impl From<Vec<$ty>> for Numbers {
            fn from(numbers: Vec<$ty>) -> Numbers {
                let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
                Numbers { ty: ElementType::$variant, bytes }
            }
        })*
    };
}

from! { i32 I32; u32 U32; i64 I64; u64 U64; f32 F32; f64 F64; }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_within_a_tolerance_are_of_one_type_and_length_and_near_each_other() {
        let expected = Numbers::from(vec![1.0, 2.0]);
        let is_within = |found: Numbers, tolerance| found.is_within(&expected, tolerance);
        assert!(is_within(vec![1.0, 2.25].into(), 0.25));
        assert!(!is_within(vec![1.0, 2.25].into(), 0.125));
        assert!(!is_within(vec![1.0, f64::NAN].into(), 1e300));
        assert!(!is_within(vec![1.0].into(), 0.25));
        assert!(!is_within(vec![1.0f32, 2.0].into(), 0.25));
        assert!(!is_within(vec![1.0, 2.25].into(), 0.0) && is_within(expected.clone(), 0.0));
        let unequal = Numbers::from(vec![f64::NAN]);
        assert!(unequal.is_within(&unequal, 0.0));
    }
}
