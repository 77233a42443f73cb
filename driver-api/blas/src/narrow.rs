//! Types that are narrower than the computation: half precision, and the eight-bit formats of "FP8
//! Formats for Deep Learning" (NVIDIA, Arm, Intel, 2022). Numbers are rounded to the nearest, to
//! even between two.
//!
//! If a number does not fit an eight-bit format, conversion saturates, as cuBLAS does.

use half::{bf16, f16};

use crate::number::Element;

/// Eight bits with four of exponent, no infinities, and one NaN of each sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct E4M3(pub u8);

/// Eight bits with five of exponent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct E5M2(pub u8);

/// A type that is kept in memory, and computed in `f32`.
pub trait Narrow: Element {
    /// The number, exactly.
    fn widened(self) -> f32;

    /// The nearest number of this type.
    fn narrowed(value: f32) -> Self;
}

impl Narrow for f32 {
    fn widened(self) -> f32 {
        self
    }

    fn narrowed(value: f32) -> f32 {
        value
    }
}

macro_rules! half {
    ($($ty:ident),*) => {$(
        impl Element for $ty {
            const BYTES: usize = 2;

            fn read(bytes: &[u8]) -> $ty {
                let mut all = [0; 2];
                all.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
                $ty::from_le_bytes(all)
            }

            fn write(self, into: &mut [u8]) {
                into.iter_mut().zip(self.to_le_bytes()).for_each(|(to, from)| *to = from);
            }
        }

        impl Narrow for $ty {
            fn widened(self) -> f32 { self.to_f32() }
            fn narrowed(value: f32) -> $ty { $ty::from_f32(value) }
        }
    )*};
}

half!(f16, bf16);

macro_rules! eight {
    ($ty:ident, $mantissa:literal, $bias:literal, $largest:literal, $largest_bits:literal, $nan:literal) => {
        impl Element for $ty {
            const BYTES: usize = 1;

            fn read(bytes: &[u8]) -> $ty {
                $ty(bytes.first().copied().unwrap_or(0))
            }

            fn write(self, into: &mut [u8]) {
                into.iter_mut().zip([self.0]).for_each(|(to, from)| *to = from);
            }
        }

        impl Narrow for $ty {
            fn widened(self) -> f32 {
                let sign = if self.0 & 0x80 == 0 { 1.0 } else { -1.0 };
                let magnitude = self.0 & 0x7f;
                sign * wide(magnitude, $mantissa, $bias, $largest_bits)
            }

            fn narrowed(value: f32) -> $ty {
                let sign = if value.is_sign_negative() { 0x80 } else { 0 };
                if value.is_nan() {
                    return $ty(sign | $nan);
                }
                $ty(sign | nearest(value.abs().min($largest), $mantissa, $bias))
            }
        }
    };
}

eight!(E4M3, 3, 7, 448.0, 0x7e, 0x7f);
eight!(E5M2, 2, 15, 57344.0, 0x7b, 0x7f);

/// What seven bits mean. Beyond the largest number are infinity, where a format has one, and NaN.
fn wide(bits: u8, mantissa: u32, bias: i32, largest: u8) -> f32 {
    if bits > largest {
        return if mantissa == 2 && bits == largest + 1 { f32::INFINITY } else { f32::NAN };
    }
    let (exponent, fraction) =
        (i32::from(bits >> mantissa), i32::from(bits & ((1 << mantissa) - 1)));
    let (exponent, significand) = match exponent {
        0 => (1, fraction),
        _ => (exponent, fraction | 1 << mantissa),
    };
    significand as f32 * ((exponent - bias - mantissa as i32) as f32).exp2()
}

/// The bits of the number nearest to one that is not negative and not beyond the largest.
fn nearest(value: f32, mantissa: u32, bias: i32) -> u8 {
    // The exponent of the value, but at least the exponent of subnormal numbers.
    let exponent = ((value.to_bits() >> 23) as i32 - 127).max(1 - bias);
    let step = ((exponent - mantissa as i32) as f32).exp2();
    // Exact: a power of two.
    let steps = (value / step).round_ties_even() as i32;
    let least = (exponent + bias - 1) << mantissa;
    // Rounding up to the next power carries into the exponent.
    (least + steps) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_eight_bits_are_those_of_the_formats_description() {
        // Table 1 of the paper: largest, smallest normal, largest and smallest subnormal.
        let of_e4m3 = [(0x7e, 448.0), (0x08, 0.015_625), (0x07, 0.875 / 64.0), (0x01, 1.0 / 512.0)];
        for (bits, value) in of_e4m3 {
            assert_eq!(E4M3(bits).widened(), value);
        }
        let of_e5m2 = [
            (0x7b, 57344.0),
            (0x04, 2f32.powi(-14)),
            (0x03, 0.75 * 2f32.powi(-14)),
            (0x01, 2f32.powi(-16)),
        ];
        for (bits, value) in of_e5m2 {
            assert_eq!(E5M2(bits).widened(), value);
        }
        assert!(E4M3(0x7f).widened().is_nan() && E4M3(0xff).widened().is_nan());
        assert_eq!(E5M2(0xfc).widened(), f32::NEG_INFINITY);
        assert!(E5M2(0x7d).widened().is_nan());
    }

    #[test]
    fn each_number_of_eight_bits_stays_and_what_is_between_two_goes_to_the_nearer_one_or_to_even() {
        fn check<T: Narrow>(of: impl Fn(u8) -> T, largest: u8) {
            for bits in 0..=largest {
                assert_eq!(T::narrowed(of(bits).widened()), of(bits), "{bits:#x}");
                assert_eq!(T::narrowed(-of(bits).widened()), of(bits | 0x80), "{bits:#x}");
            }
            for bits in 0..largest {
                let (low, high) = (of(bits).widened(), of(bits + 1).widened());
                let middle = (low + high) / 2.0;
                let even = of(bits + (bits & 1));
                assert_eq!(T::narrowed(middle), even, "{bits:#x}");
                assert_eq!(T::narrowed(middle + (high - low) / 8.0), of(bits + 1));
                assert_eq!(T::narrowed(middle - (high - low) / 8.0), of(bits));
            }
            assert_eq!(T::narrowed(f32::INFINITY), of(largest));
        }
        check(E4M3, 0x7e);
        check(E5M2, 0x7b);
    }
}
