//! The result of `redux` for the values of lanes (PTX ISA 9.7.13.12).
//!
//! For `.f32`, -0 is below +0 and subnormals are kept. Without `.NaN` a NaN is ignored. With it,
//! one NaN makes the result NaN. A NaN result is 0x7fffffff, whatever the input NaN.

use std::cmp::Ordering;

use crate::lower::operations::access::AtomicOperation;
use crate::ptx::Type;

/// The reduction of a `redux`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reduction {
    /// Of integers, or of bits.
    Integers {
        /// Add, min, max, and, or, xor.
        operation: AtomicOperation,
        /// `.s32`, `.u32`, `.b32`.
        ty: Type,
    },
    /// The least or the greatest `.f32`.
    Floats {
        /// `.max` rather than `.min`.
        greatest: bool,
        /// `.abs`: of the absolute values.
        absolute: bool,
        /// `.NaN`: a NaN decides.
        nan: bool,
    },
}

impl Reduction {
    /// Its result for these values; 0 without any.
    pub fn of(self, values: impl Iterator<Item = u32>) -> u32 {
        match self {
            Reduction::Integers { operation, ty } => {
                let step = |x, y| operation.apply(ty, x, y, 0, false);
                values.map(u64::from).reduce(step).unwrap_or(0) as u32
            }
            Reduction::Floats { greatest, absolute, nan } => {
                let below = if greatest { Ordering::Less } else { Ordering::Greater };
                let floats = values.map(f32::from_bits);
                let floats = floats.map(|x| if absolute { x.abs() } else { x });
                let found = floats.reduce(|x, y| {
                    let takes_y = if x.is_nan() || y.is_nan() {
                        x.is_nan() != nan
                    } else {
                        x.total_cmp(&y) == below
                    };
                    if takes_y { y } else { x }
                });
                found.map_or(0, |x| if x.is_nan() { 0x7fff_ffff } else { x.to_bits() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: u32 = 0x3f80_0000;
    const MINUS_TWO: u32 = 0xc000_0000;
    const MINUS_ZERO: u32 = 0x8000_0000;
    const NAN: u32 = 0x7fff_ffff;
    /// NaNs other than the result's: negative, signaling, with other payloads.
    const NANS: [u32; 4] = [0xffc0_0000, 0x7f80_0001, 0xff80_0001, 0x7fc1_2345];

    fn floats(greatest: bool, modifiers: [bool; 2], values: &[u32]) -> u32 {
        let [absolute, nan] = modifiers;
        Reduction::Floats { greatest, absolute, nan }.of(values.iter().copied())
    }

    #[test]
    fn floats_are_ordered_as_numbers_and_minus_zero_is_below_zero() {
        for values in [[ONE, MINUS_TWO], [MINUS_TWO, ONE]] {
            assert_eq!(floats(false, [false; 2], &values), MINUS_TWO);
            assert_eq!(floats(true, [false; 2], &values), ONE);
        }
        for values in [[0, MINUS_ZERO], [MINUS_ZERO, 0]] {
            assert_eq!(floats(false, [false; 2], &values), MINUS_ZERO);
            assert_eq!(floats(true, [false; 2], &values), 0);
        }
        // Subnormals are ordinary numbers.
        assert_eq!(floats(true, [false; 2], &[0, 1, MINUS_ZERO]), 1);
        assert_eq!(floats(false, [false; 2], &[0, 0x8000_0001]), 0x8000_0001);
    }

    #[test]
    fn absolute_values_are_compared_and_given() {
        for values in [[ONE, MINUS_TWO], [MINUS_TWO, ONE]] {
            assert_eq!(floats(false, [true, false], &values), ONE);
            assert_eq!(floats(true, [true, false], &values), 0x4000_0000);
        }
        assert_eq!(floats(false, [true, false], &[MINUS_ZERO]), 0);
    }

    #[test]
    fn a_nan_is_passed_over_or_decides() {
        for nan in NANS {
            for values in [[nan, ONE, MINUS_TWO], [ONE, nan, MINUS_TWO], [ONE, MINUS_TWO, nan]] {
                for absolute in [false, true] {
                    assert_eq!(floats(true, [absolute, true], &values), NAN);
                    assert_eq!(floats(false, [absolute, true], &values), NAN);
                }
                assert_eq!(floats(false, [false, false], &values), MINUS_TWO);
                assert_eq!(floats(true, [false, false], &values), ONE);
            }
        }
    }

    #[test]
    fn a_nan_that_is_the_result_is_the_canonical_one() {
        for greatest in [false, true] {
            for modifiers in [[false, false], [false, true], [true, false], [true, true]] {
                assert_eq!(floats(greatest, modifiers, &NANS), NAN);
                assert_eq!(floats(greatest, modifiers, &NANS[..1]), NAN);
            }
        }
    }
}
