//! Conversions to and from floating-point numbers of 8, 6 and 4 bits (PTX ISA 9.7.9.21; the formats
//! are in 5.2.3), and stochastic rounding.
//!
//! - To them: one rounding to nearest even. Then a value beyond the largest becomes the largest, as
//!   `.satfinite` says; there is no form without it. NaN stays one where the format has one, and
//!   becomes the largest number in `e2m3`, `e3m2` and `e2m1`.
//! - From them: exact; NaN becomes the one NaN of f16.
//! - `ue8m0` is an exponent alone, of a magnitude: a value below its least number becomes that
//!   number.
//! - `.rs`: the random bits are added to the first bits that are cut off, as many as there are
//!   random ones. If the sum carries, the result is rounded away from zero. This is not compared
//!   with hardware: it needs sm_100a.

use half::{bf16, f16};

use super::conversion::limited_single;
use super::float::NAN_F32;
use super::halves::{Half, Pair};
use super::rounding::{Direction, Format};
use crate::lanes::Flags;

/// A format of at most 8 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Small {
    /// `.e4m3`: no infinity, one NaN.
    E4m3,
    /// `.e5m2`: as IEEE 754 has it.
    E5m2,
    /// `.e2m3`: neither infinity nor NaN.
    E2m3,
    /// `.e3m2`: neither infinity nor NaN.
    E3m2,
    /// `.e2m1`: neither infinity nor NaN.
    E2m1,
}

impl Small {
    #[inline(always)]
    const fn format(self) -> Format {
        match self {
            Small::E4m3 => Format::E4M3,
            Small::E5m2 => Format::E5M2,
            Small::E2m3 => Format::E2M3,
            Small::E3m2 => Format::E3M2,
            Small::E2m1 => Format::E2M1,
        }
    }

    /// Bits without the sign, and bits of the fraction.
    #[inline(always)]
    const fn widths(self) -> (u32, u32) {
        match self {
            Small::E4m3 => (7, 3),
            Small::E5m2 => (7, 2),
            Small::E2m3 => (5, 3),
            Small::E3m2 => (5, 2),
            Small::E2m1 => (3, 1),
        }
    }

    /// Bits that an element of a pair takes.
    #[inline(always)]
    const fn element(self) -> u32 {
        match self {
            Small::E4m3 | Small::E5m2 | Small::E2m3 | Small::E3m2 => 8,
            Small::E2m1 => 4,
        }
    }

    /// The bits of the nearest value. For NaN, the bits of the format's NaN or of its largest
    /// number.
    #[inline(always)]
    fn nearest(self, flags: Flags, value: f32) -> u32 {
        let (format, (magnitude, fraction)) = (self.format(), self.widths());
        let value = limited_single(flags.with(Flags::SATFINITE), value, format.largest() as f32);
        let cut = 23 - fraction;
        let (size, least) = (value.to_bits() & 0x7fff_ffff, (format.least() as f32).to_bits());
        // A subnormal number is counted by an addition: the last bit of the sum is worth its last.
        let rounder = format.least() as f32 * (1 << cut) as f32;
        let sum = (f32::from_bits(size) + rounder).to_bits();
        let subnormal = sum.wrapping_sub(rounder.to_bits());
        let raised = size.wrapping_add(Direction::NearestEven.bias(size, cut, false));
        // The least exponent is 1.
        let normal = raised.wrapping_sub(least - (1 << 23)) >> cut;
        let bits = if size < least { subnormal } else { normal };
        let bits = bits | value.to_bits() >> 31 << magnitude;
        if value.is_nan() { (1 << magnitude) - 1 } else { bits }
    }

    /// The value of bits.
    #[inline(always)]
    fn value(self, bits: u32) -> f32 {
        let (magnitude, fraction) = self.widths();
        let cut = 23 - fraction;
        let (size, least) = (bits & ((1 << magnitude) - 1), self.format().least() as f32);
        // With its exponent raised by one, a subnormal number is the part above the least normal
        // one.
        let above = f32::from_bits((size << cut) + least.to_bits()) - least;
        let normal = f32::from_bits((size << cut) + (least.to_bits() - (1 << 23)));
        let finite = if size >> fraction == 0 { above } else { normal };
        let (infinite, nan) = match self {
            Small::E4m3 => (false, size == 0x7f),
            Small::E5m2 => (size == 0x7c, size > 0x7c),
            Small::E2m3 | Small::E3m2 | Small::E2m1 => (false, false),
        };
        let value = if infinite { f32::INFINITY } else { finite };
        let value = if nan { f32::NAN } else { value };
        f32::from_bits(value.to_bits() | (bits >> magnitude & 1) << 31)
    }

    /// The bits of a value rounded with random bits.
    #[inline(always)]
    fn random(self, flags: Flags, value: f32, random: u32) -> u32 {
        self.nearest(flags, self.format().stochastic(value.into(), random, 16) as f32)
    }

    /// Two elements, the first in the upper one.
    #[inline(always)]
    fn pair(self, upper: u32, lower: u32) -> u16 {
        (upper << self.element() | lower) as u16
    }

    /// `cvt.rn.satfinite.e4m3x2.f32` and the like.
    #[inline(always)]
    pub(crate) fn of_floats(self, flags: Flags, a: f32, b: f32) -> u16 {
        self.pair(self.nearest(flags, a), self.nearest(flags, b))
    }

    /// `cvt.rn.satfinite.e4m3x2.f16x2` and the like.
    #[inline(always)]
    pub(crate) fn of_halves<H: Half>(self, flags: Flags, a: Pair<H>) -> u16 {
        self.pair(self.nearest(flags, a.1.single()), self.nearest(flags, a.0.single()))
    }

    /// `cvt.rn.f16x2.e4m3x2` and the like.
    #[inline(always)]
    pub(crate) fn to_halves(self, flags: Flags, a: u16) -> Pair<f16> {
        let half = |bits: u32| {
            let value = limited_single(flags, self.value(bits), f32::INFINITY);
            <f16 as Half>::of_single(value, Direction::NearestEven)
        };
        let (bits, element) = (u32::from(a), self.element());
        Pair(half(bits & ((1 << element) - 1)), half(bits >> element))
    }

    /// Half of `cvt.rs.satfinite.e4m3x4.f32` and the like: two of the four elements. The upper two
    /// take their random bits from the upper halves of words and bytes.
    #[inline(always)]
    pub(crate) fn of_floats_at_random(self, flags: Flags, a: f32, b: f32, random: u32) -> u16 {
        let upper = flags.has(Flags::VARIANT);
        let random = match self {
            Small::E2m1 => {
                let bytes = if upper { random >> 8 } else { random };
                bytes >> 8 & 0xff00 | bytes & 0xff
            }
            Small::E4m3 | Small::E5m2 | Small::E2m3 | Small::E3m2 if upper => random >> 16,
            Small::E4m3 | Small::E5m2 | Small::E2m3 | Small::E3m2 => random & 0xffff,
        };
        let flags = flags.without(Flags::VARIANT);
        self.pair(self.random(flags, a, random), self.random(flags, b, random))
    }
}

/// `cvt.rs.f16x2.f32` and `.bf16x2`: a in the upper half, with the upper random bits; of 16 those
/// that a fraction of f16 lacks to one of f32.
#[inline(always)]
pub(crate) fn halves_at_random<H: Half>(flags: Flags, a: f32, b: f32, random: u32) -> Pair<H> {
    let bits = 24 - H::FORMAT.precision();
    let half = |x: f32, random: u32| {
        let rounded = H::FORMAT.stochastic(x.into(), random & ((1 << bits) - 1), bits);
        let limited = limited_single(flags, rounded as f32, H::FORMAT.largest() as f32);
        H::of_single(limited, Direction::Zero)
    };
    Pair(half(b, random), half(a, random >> 16))
}

/// The exponent of a magnitude, as `.ue8m0`.
#[inline(always)]
fn exponent(flags: Flags, x: f32) -> u32 {
    /// 2^-127, the least number.
    const LEAST: u32 = 0x0040_0000;
    let bits = x.to_bits() & 0x7fff_ffff;
    let beyond = (bits > LEAST) & (bits & 0x007f_ffff != 0);
    let up = flags.has(Flags::RP) & beyond;
    let exponent = (bits >> 23) + u32::from(up);
    let finite = if exponent > 0xfe { 0xfe } else { exponent };
    let exponent = if flags.has(Flags::SATFINITE) { finite } else { exponent };
    if x.is_nan() { 0xff } else { exponent }
}

/// `cvt.rz.ue8m0x2.f32`
#[inline(always)]
pub(crate) fn exponents_of_floats(flags: Flags, a: f32, b: f32) -> u16 {
    (exponent(flags, a) << 8 | exponent(flags, b)) as u16
}

/// `cvt.rz.ue8m0x2.bf16x2`
#[inline(always)]
pub(crate) fn exponents_of_halves(flags: Flags, a: Pair<bf16>) -> u16 {
    exponents_of_floats(flags, a.1.single(), a.0.single())
}

/// `cvt.rn.bf16x2.ue8m0x2`
#[inline(always)]
pub(crate) fn exponents_to_halves(a: u16) -> Pair<bf16> {
    let half = |exponent: u16| {
        // Below the normal numbers of bf16.
        let number = if exponent == 0 { 0x0040 } else { exponent << 7 };
        let nan = (NAN_F32.to_bits() >> 16) as u16;
        bf16::from_bits(if exponent == 0xff { nan } else { number })
    };
    Pair(half(a & 0xff), half(a >> 8))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Small; 5] = [Small::E4m3, Small::E5m2, Small::E2m3, Small::E3m2, Small::E2m1];

    /// The magnitudes of a format in the order of their bits, from the ISA's description of it:
    /// fields of this many bits, and which of the last ones are no numbers.
    fn magnitudes(small: Small) -> Vec<f64> {
        let (exponents, fractions, bias, others): (u32, u32, i32, usize) = match small {
            Small::E4m3 => (4, 3, 7, 1),
            Small::E5m2 => (5, 2, 15, 4),
            Small::E2m3 => (2, 3, 1, 0),
            Small::E3m2 => (3, 2, 3, 0),
            Small::E2m1 => (2, 1, 1, 0),
        };
        let steps = f64::from(1 << fractions);
        let mut all = Vec::new();
        for exponent in 0..1 << exponents {
            for fraction in 0..1 << fractions {
                let fraction = f64::from(fraction) / steps;
                all.push(match exponent {
                    0 => fraction * 2f64.powi(1 - bias),
                    e => (1.0 + fraction) * 2f64.powi(e - bias),
                });
            }
        }
        all.truncate(all.len() - others);
        all
    }

    /// The nearest of them, the even one of two; beyond all, the last.
    fn nearest(magnitudes: &[f64], value: f64) -> usize {
        let value = value.min(magnitudes[magnitudes.len() - 1]);
        let closer = |a: &usize, b: &usize| {
            let far = |i: usize| (magnitudes[i] - value).abs();
            far(*a).total_cmp(&far(*b)).then((a % 2).cmp(&(b % 2)))
        };
        (0..magnitudes.len()).min_by(closer).unwrap()
    }

    /// Every number of a format, the middles between neighbours, the f32 next to all these, and
    /// more.
    fn values(magnitudes: &[f64]) -> Vec<f32> {
        let last = magnitudes[magnitudes.len() - 1];
        let mut all: Vec<f32> = magnitudes.iter().map(|m| *m as f32).collect();
        all.extend(magnitudes.windows(2).map(|pair| ((pair[0] + pair[1]) / 2.0) as f32));
        all.extend([last * 1.03, last * 1.07, last * 2.0, 1e30, 1e-30].map(|x| x as f32));
        let beside = all.clone().into_iter().flat_map(|x| [x.next_up(), x.next_down()]);
        all.extend(beside.collect::<Vec<_>>());
        all.extend((0..20_000u32).map(|i| f32::from_bits(i.wrapping_mul(2_654_435_761) >> 1)));
        all.retain(|x| x.is_finite() && *x >= 0.0);
        all
    }

    #[test]
    fn a_float_becomes_the_nearest_number_and_the_even_one_of_two() {
        for small in ALL {
            let magnitudes = magnitudes(small);
            let sign = 1usize << small.widths().0;
            for x in values(&magnitudes) {
                let right = nearest(&magnitudes, x.into());
                let both = small.of_floats(Flags::RN, -x, x);
                let expected = (sign | right) << small.element() | right;
                assert_eq!(usize::from(both), expected, "{small:?} of {x:e}");
                let relu = small.of_floats(Flags::RELU, -x, x);
                assert_eq!(usize::from(relu), right, "{small:?} of {x:e} with .relu");
            }
        }
    }

    #[test]
    fn every_number_becomes_a_half_and_comes_back() {
        for small in ALL {
            let sign = 1u16 << small.widths().0;
            for (bits, magnitude) in magnitudes(small).into_iter().enumerate() {
                let bits = bits as u16;
                let pair = (sign | bits) << small.element() | bits;
                let Pair(lower, upper) = small.to_halves(Flags::RN, pair);
                assert_eq!((upper.to_f64(), lower.to_f64()), (-magnitude, magnitude), "{small:?}");
                assert_eq!(small.of_halves(Flags::RN, Pair(lower, upper)), pair, "{small:?}");
            }
        }
    }

    #[test]
    fn what_is_no_number_becomes_one_where_the_format_has_nothing_else() {
        let (infinity, nan) = (f32::INFINITY, f32::NAN);
        for (small, of_infinity, of_nan) in [
            (Small::E4m3, 0xfe7e, 0x7f7f),
            (Small::E5m2, 0xfb7b, 0x7f7f),
            (Small::E2m3, 0x3f1f, 0x1f1f),
            (Small::E3m2, 0x3f1f, 0x1f1f),
            (Small::E2m1, 0xf7, 0x77),
        ] {
            assert_eq!(small.of_floats(Flags::RN, -infinity, infinity), of_infinity, "{small:?}");
            assert_eq!(small.of_floats(Flags::RN, -nan, nan), of_nan, "{small:?}");
        }
        let Pair(lower, upper) = Small::E5m2.to_halves(Flags::RN, 0xfc7d);
        assert_eq!((upper.to_bits(), lower.to_bits()), (0xfc00, 0x7fff));
        let Pair(lower, upper) = Small::E4m3.to_halves(Flags::RELU, 0xffc0);
        assert_eq!((upper.to_bits(), lower.to_bits()), (0x7fff, 0));
    }

    #[test]
    fn a_number_rounds_up_for_as_many_random_bits_as_its_place_between_two() {
        // Above 2 the distance between numbers of e2m1 is 1, and below 1 it is 0.5.
        for (value, up) in [(2.25f32, 1 << 14), (2.75, 3 << 14), (2.0, 0), (0.125, 1 << 14)] {
            let least = Small::E2m1.random(Flags::NONE, value, 0);
            let count = (0..1u32 << 16)
                .filter(|random| Small::E2m1.random(Flags::NONE, value, *random) != least)
                .count();
            assert_eq!(count, up, "{value}");
        }
    }
}
