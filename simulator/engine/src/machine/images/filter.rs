//! The result of a linear filter for texels and their weights, as on an H200, bit for bit. It was
//! measured, since the CUDA C++ Programming Guide ("Linear Filtering") gives the formula and no
//! rounding.
//!
//! Weights are 256ths, and add up to 256.
//! - Floats: the four texels of a plane are aligned to the greatest exponent among them, with four
//!   bits more than the type has, and cut off there. The planes' sums are added and rounded once to
//!   the type of the texels: to nearest, half away from zero.
//! - Integers of 16 bits: the sum is rounded to an integer, half up. An integer of 8 bits is
//!   widened to 16 first (u8) or after (s8). The result is divided by the greatest integer of 16
//!   bits.
//!
//! In three directions, about one in some thousand sums of f32 with planes of opposite signs
//! differs from an H200's in the last bits. The same holds for two levels. Sums with an infinity or
//! a NaN follow IEEE 754. A NaN has all bits of its type, also where its weight is rounded to zero.
//! A NaN without weight along some direction, or on its level, does not count. Subnormal numbers of
//! f32 are zero.

use super::Image;
use crate::element::ElementType;

/// A texel's channel, as its bits, with its weight in 256ths and its plane.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::machine) struct Term {
    /// The bits, in the type of the texels.
    pub bits: u32,
    /// The weight.
    pub weight: u32,
    /// Its plane: three directions have two, and two levels have two more.
    pub plane: usize,
}

/// The most planes of a lookup.
const PLANES: usize = 4;

/// Extra bits for the alignment of floats.
const GUARD: i32 = 4;

/// The sum of channels of floats, or of integers read as floats, as the bits of an f32.
pub(in crate::machine) fn sum(image: &Image, terms: &[Term]) -> u32 {
    let integers = |value: fn(u32) -> i64| -> i64 {
        terms.iter().map(|term| value(term.bits) * i64::from(term.weight)).sum()
    };
    let rounded = |sum: i64| (sum + 128) >> 8;
    let part = |value: i64, greatest: i64| (value.max(-greatest) as f64 / greatest as f64) as f32;
    match image.element {
        ElementType::U8 => part(rounded(integers(|bits| i64::from(bits as u8) * 257)), 65_535),
        ElementType::U16 => part(rounded(integers(|bits| i64::from(bits as u16))), 65_535),
        ElementType::I16 => part(rounded(integers(|bits| i64::from(bits as u16 as i16))), 32_767),
        ElementType::I8 => part(wider(integers(|bits| i64::from(bits as u8 as i8))), 32_767),
        ElementType::F16 => floats(terms, &HALF),
        ElementType::F32 => flushed(floats(terms, &SINGLE)),
        // They are not filtered: `Sampler` reads them as they are.
        ElementType::U32
        | ElementType::I32
        | ElementType::U64
        | ElementType::I64
        | ElementType::Bf16
        | ElementType::F64 => f32::from_bits(terms.first().map_or(0, |term| term.bits)),
    }
    .to_bits()
}

/// A single channel of floats, or of integers read as floats, for `tld4`, as the bits of an f32:
/// the sum of it alone.
pub(in crate::machine) fn alone(image: &Image, bits: u32) -> u32 {
    sum(image, &[Term { bits, weight: 256, plane: 0 }])
}

/// A sum of 256ths of an s8 as an integer of 16 bits: times 32767/127/256, in the hardware's steps.
fn wider(sum: i64) -> i64 {
    let cut = sum >> 4 << 4;
    sum + ((cut * 257 + (1 << 14)) >> 15)
}

/// A format of floats.
struct Format {
    /// Bits of the significand, including the hidden one.
    precision: i32,
    /// The exponent of the least bit of a subnormal.
    least: i32,
    /// The value of the bits.
    value: fn(u32) -> f32,
    /// The NaN of the format: all bits of the type.
    nan: f32,
}

const HALF: Format = Format {
    precision: 11,
    least: -24,
    value: |bits| ElementType::F16.float(u64::from(bits)) as f32,
    nan: f32::from_bits(0x7fff_e000),
};

const SINGLE: Format = Format {
    precision: 24,
    least: -149,
    value: |bits| flushed(f32::from_bits(bits)),
    nan: f32::from_bits(0x7fff_ffff),
};

/// A subnormal is zero, as a texel and as a sum.
fn flushed(value: f32) -> f32 {
    if value.is_subnormal() { 0.0f32.copysign(value) } else { value }
}

fn floats(terms: &[Term], format: &Format) -> f32 {
    let value = |term: &Term| (format.value)(term.bits);
    if terms.iter().any(|term| !value(term).is_finite()) {
        // A weight that is rounded to zero still counts.
        let weight = |term: &Term| f64::from(term.weight.max(1));
        let sum: f64 = terms.iter().map(|term| f64::from(value(term)) * weight(term)).sum();
        return if sum.is_nan() { format.nan } else { (sum / 256.0) as f32 };
    }
    let mut total = Sum { units: 0, exponent: 0 };
    for plane in 0..PLANES {
        let counts = |term: &&Term| term.plane == plane && term.weight != 0;
        let here = || terms.iter().filter(counts).map(|term| (value(term), term.weight));
        let exponents = here().filter(|(value, _)| *value != 0.0).map(|(value, _)| exponent(value));
        let Some(top) = exponents.max() else { continue };
        let unit = (top - format.precision + 1).max(format.least) - GUARD;
        let aligned = |(value, weight): (f32, u32)| {
            // Below 2^29: the cast cuts off the bits below the unit.
            (f64::from(value) * power(-unit)) as i128 * i128::from(weight)
        };
        total = total.plus(Sum { units: here().map(aligned).sum(), exponent: unit - 8 });
    }
    let counts = |term: &&Term| term.weight != 0;
    if total.units == 0 && terms.iter().filter(counts).all(|t| value(t).is_sign_negative()) {
        return -0.0;
    }
    total.rounded(format)
}

/// The exponent of the highest bit of a number that is not 0.
fn exponent(value: f32) -> i32 {
    let bits = f64::from(value).to_bits();
    (bits >> 52 & 0x7ff) as i32 - 1023
}

/// Two to a power that an f64 has.
fn power(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

/// A number of units, each two to the exponent.
#[derive(Clone, Copy, Debug)]
struct Sum {
    units: i128,
    exponent: i32,
}

/// How far sums are shifted to the left: a plane's sum has less than 40 bits.
const ROOM: i32 = 80;

impl Sum {
    fn plus(self, other: Sum) -> Sum {
        if self.units == 0 {
            return other;
        }
        if other.units == 0 {
            return self;
        }
        let (low, high) = match self.exponent <= other.exponent {
            true => (self, other),
            false => (other, self),
        };
        let distance = high.exponent - low.exponent;
        if distance <= ROOM {
            return Sum { units: (high.units << distance) + low.units, exponent: low.exponent };
        }
        // Bits that far below decide at most the rounding of a half.
        let units = (high.units << ROOM) + low.units.signum();
        Sum { units, exponent: high.exponent - ROOM }
    }

    /// The nearest number of a format, half away from zero, as an f32.
    fn rounded(self, format: &Format) -> f32 {
        if self.units == 0 {
            return 0.0;
        }
        let magnitude = self.units.unsigned_abs();
        let top = self.exponent + magnitude.ilog2() as i32;
        let unit = (top - format.precision + 1).max(format.least);
        let kept = match unit - self.exponent {
            cut @ 1.. => {
                let half = 1u128 << (cut - 1);
                (magnitude + half) >> cut
            }
            more => magnitude << -more,
        };
        let value = kept as f64 * power(unit);
        (if self.units < 0 { -value } else { value }) as f32
    }
}
