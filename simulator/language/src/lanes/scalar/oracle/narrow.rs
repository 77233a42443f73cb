//! Conversions to and from floating-point numbers of 8, 6 and 4 bits and stochastic rounding (PTX
//! ISA 9.7.9.21), by the rules in [`crate::lanes::scalar::narrow`], by way of f64.

use half::{bf16, f16};

use super::conversion::limited;
use super::float::NAN_F32;
use super::halves::{Half, Pair};
use super::rounding::{Direction, Format};
use crate::lanes::Flags;

/// A format of at most 8 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Small {
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
    const fn element(self) -> u32 {
        match self {
            Small::E4m3 | Small::E5m2 | Small::E2m3 | Small::E3m2 => 8,
            Small::E2m1 => 4,
        }
    }

    /// The bits of a value that the format has. For NaN, the bits of its NaN or of its largest
    /// number.
    fn bits(self, value: f64) -> u8 {
        let (magnitude, fraction) = self.widths();
        if value.is_nan() {
            return (1 << magnitude) - 1;
        }
        let (exponent, significand) = self.format().parts(value);
        // A normal number's significand carries into the field of the exponent.
        let bits = ((exponent as u8) << fraction) + significand as u8;
        bits | (value.is_sign_negative() as u8) << magnitude
    }

    /// The value of bits.
    fn value(self, bits: u8) -> f64 {
        let (magnitude, fraction) = self.widths();
        let negative = bits >> magnitude & 1 == 1;
        let bits = bits & ((1 << magnitude) - 1);
        let (exponent, significand) = (bits >> fraction, bits & ((1 << fraction) - 1));
        let value = match (self, bits) {
            (Small::E4m3, 0x7f) | (Small::E5m2, 0x7d..) => f64::NAN,
            (Small::E5m2, 0x7c) => f64::INFINITY,
            _ if exponent == 0 => self.format().number(0, significand.into()),
            _ => {
                let hidden = 1 << fraction;
                self.format().number(i32::from(exponent) - 1, (significand | hidden).into())
            }
        };
        if negative { -value } else { value }
    }

    /// The bits of the nearest value.
    fn nearest(self, flags: Flags, value: f64) -> u8 {
        let format = self.format();
        let rounded = format.round(value, Direction::NearestEven);
        self.bits(limited(flags.with(Flags::SATFINITE), rounded, format.largest()))
    }

    /// The bits of a value rounded with random bits.
    fn random(self, flags: Flags, value: f64, random: u32) -> u8 {
        let format = self.format();
        let rounded = format.stochastic(value, random, 16);
        self.bits(limited(flags.with(Flags::SATFINITE), rounded, format.largest()))
    }

    /// Two elements, the first in the upper one.
    fn pair(self, upper: u8, lower: u8) -> u16 {
        u16::from(upper) << self.element() | u16::from(lower)
    }

    /// `cvt.rn.satfinite.e4m3x2.f32` and the like.
    pub(super) fn of_floats(self, flags: Flags, a: f32, b: f32) -> u16 {
        self.pair(self.nearest(flags, a.into()), self.nearest(flags, b.into()))
    }

    /// `cvt.rn.satfinite.e4m3x2.f16x2` and the like.
    pub(super) fn of_halves<H: Half>(self, flags: Flags, a: Pair<H>) -> u16 {
        self.pair(self.nearest(flags, a.1.value()), self.nearest(flags, a.0.value()))
    }

    /// `cvt.rn.f16x2.e4m3x2` and the like.
    pub(super) fn to_halves(self, flags: Flags, a: u16) -> Pair<f16> {
        let half = |bits: u16| {
            let value = limited(flags, self.value(bits as u8), f64::INFINITY);
            <f16 as Half>::rounded(value, Direction::NearestEven)
        };
        Pair(half(a & ((1 << self.element()) - 1)), half(a >> self.element()))
    }

    /// Half of `cvt.rs.satfinite.e4m3x4.f32` and the like: two of the four elements. The upper two
    /// take their random bits from the upper halves of words and bytes.
    pub(super) fn of_floats_at_random(self, flags: Flags, a: f32, b: f32, random: u32) -> u16 {
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
        self.pair(self.random(flags, a.into(), random), self.random(flags, b.into(), random))
    }
}

/// `cvt.rs.f16x2.f32` and `.bf16x2`: a in the upper half, with the upper random bits; of 16 those
/// that a fraction of f16 lacks to one of f32.
pub(super) fn halves_at_random<H: Half>(flags: Flags, a: f32, b: f32, random: u32) -> Pair<H> {
    let bits = 24 - H::FORMAT.precision();
    let half = |x: f32, random: u32| {
        let rounded = H::FORMAT.stochastic(x.into(), random & ((1 << bits) - 1), bits);
        H::rounded(limited(flags, rounded, H::FORMAT.largest()), Direction::Zero)
    };
    Pair(half(b, random), half(a, random >> 16))
}

/// The exponent of a magnitude, as `.ue8m0`.
fn exponent(flags: Flags, x: f32) -> u8 {
    /// 2^-127, the least number.
    const LEAST: u32 = 0x0040_0000;
    let bits = x.to_bits() & 0x7fff_ffff;
    if x.is_nan() {
        return 0xff;
    }
    let beyond = bits > LEAST && bits & 0x007f_ffff != 0;
    let up = flags.has(Flags::RP) && beyond;
    let exponent = (bits >> 23) as u8 + u8::from(up);
    if flags.has(Flags::SATFINITE) { exponent.min(0xfe) } else { exponent }
}

/// `cvt.rz.ue8m0x2.f32`
pub(super) fn exponents_of_floats(flags: Flags, a: f32, b: f32) -> u16 {
    u16::from(exponent(flags, a)) << 8 | u16::from(exponent(flags, b))
}

/// `cvt.rz.ue8m0x2.bf16x2`
pub(super) fn exponents_of_halves(flags: Flags, a: Pair<bf16>) -> u16 {
    exponents_of_floats(flags, a.1.to_f32(), a.0.to_f32())
}

/// `cvt.rn.bf16x2.ue8m0x2`
pub(super) fn exponents_to_halves(a: u16) -> Pair<bf16> {
    let half = |exponent: u16| match exponent {
        // Below the normal numbers of bf16.
        0 => bf16::from_bits(0x0040),
        0xff => bf16::from_bits((NAN_F32.to_bits() >> 16) as u16),
        _ => bf16::from_bits(exponent << 7),
    };
    Pair(half(a & 0xff), half(a >> 8))
}
