//! The sum of products and an accumulator as in tensor cores. Every term is exact, then cut toward
//! zero at 2^(E-25), and the rest is added exactly. E is the largest exponent of the terms that are
//! not zero, and at least -133. The exponent of a product is the sum of its factors' (not
//! normalised). Measured on sm_90.

use super::number::{FRACTION, Float};

/// Bits that are kept below the largest exponent.
const KEPT: i32 = 25;

/// The least value of the largest exponent: nothing below 2^-158 is kept.
const LEAST: i32 = -133;

/// A sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sum {
    /// `units * 2^(exponent - 25)`.
    Finite {
        units: i64,
        exponent: i32,
    },
    Infinite {
        negative: bool,
    },
    Nan,
}

/// A term: its size is `significand * 2^(exponent - 46)`.
#[derive(Clone, Copy)]
struct Term {
    negative: bool,
    exponent: i32,
    significand: u64,
}

/// The sum of products of floats and an accumulator.
pub(super) fn sum(
    pairs: &(impl Iterator<Item = (Float, Float)> + Clone),
    accumulator: Float,
) -> Sum {
    let added = match accumulator {
        Float::Finite { negative, exponent, significand } => {
            Ok(Term { negative, exponent, significand: u64::from(significand) << FRACTION })
        }
        Float::Infinite { .. } | Float::Nan => Err(accumulator),
    };
    let terms = || pairs.clone().map(|(a, b)| product(a, b)).chain([added]);
    let mut largest = None;
    let mut special = Special::default();
    for term in terms() {
        match term {
            Ok(term) if term.significand != 0 => largest = largest.max(Some(term.exponent)),
            Ok(_) => {}
            Err(value) => special.add(value),
        }
    }
    if let Some(sum) = special.sum() {
        return sum;
    }
    let Some(exponent) = largest else { return Sum::Finite { units: 0, exponent: 0 } };
    let exponent = exponent.max(LEAST);
    let kept = |term: Term| {
        let shift = exponent - term.exponent + (2 * FRACTION as i32 - KEPT);
        // A term of zero may have a larger exponent.
        let size = if (0..64).contains(&shift) { (term.significand >> shift) as i64 } else { 0 };
        if term.negative { -size } else { size }
    };
    Sum::Finite { units: terms().flatten().map(kept).sum(), exponent }
}

/// A product of finite numbers, or the special result of others.
#[inline(always)]
fn product(a: Float, b: Float) -> Result<Term, Float> {
    match (a, b) {
        (
            Float::Finite { negative: x, exponent: e, significand: s },
            Float::Finite { negative: y, exponent: f, significand: t },
        ) => {
            Ok(Term { negative: x != y, exponent: e + f, significand: u64::from(s) * u64::from(t) })
        }
        (Float::Nan, _) | (_, Float::Nan) => Err(Float::Nan),
        (Float::Infinite { negative: x }, Float::Infinite { negative: y }) => {
            Err(Float::Infinite { negative: x != y })
        }
        (Float::Infinite { negative: x }, Float::Finite { negative: y, significand, .. })
        | (Float::Finite { negative: y, significand, .. }, Float::Infinite { negative: x }) => {
            Err(if significand == 0 { Float::Nan } else { Float::Infinite { negative: x != y } })
        }
    }
}

/// The terms that are not finite.
#[derive(Default)]
struct Special {
    nan: bool,
    /// Positive and negative infinities.
    infinite: [bool; 2],
}

impl Special {
    fn add(&mut self, value: Float) {
        match value {
            Float::Nan => self.nan = true,
            Float::Infinite { negative } => self.infinite[usize::from(negative)] = true,
            Float::Finite { .. } => {}
        }
    }

    /// The sum that they determine.
    fn sum(&self) -> Option<Sum> {
        match (self.nan, self.infinite) {
            (false, [false, false]) => None,
            (true, _) | (false, [true, true]) => Some(Sum::Nan),
            (false, [_, negative]) => Some(Sum::Infinite { negative }),
        }
    }
}

impl Sum {
    /// The sum of finite numbers of f16; nothing is lost.
    pub(super) fn of_halves(numbers: [Float; 2]) -> Sum {
        let units = |number: Float| match number {
            Float::Finite { negative, exponent, significand } => {
                // In units of 2^-24. The last bits that f32 has beyond f16 are zero.
                let size = i64::from(significand >> 13) << (exponent + 14).clamp(0, 31);
                if negative { -size } else { size }
            }
            Float::Infinite { .. } | Float::Nan => 0,
        };
        Sum::Finite { units: numbers.map(units).iter().sum(), exponent: 1 }
    }

    /// The sum as f32, cut toward zero; the bits. Past the greatest number it is infinite; a value
    /// cut to nothing is +0.
    pub(super) fn single(self) -> u32 {
        match self {
            Sum::Nan => 0x7fff_ffff,
            Sum::Infinite { negative } => u32::from(negative) << 31 | 0x7f80_0000,
            Sum::Finite { units: 0, .. } => 0,
            Sum::Finite { units, exponent } => {
                let sign = u32::from(units < 0) << 31;
                let size = units.unsigned_abs();
                // 2^unit is worth one in `size`.
                let unit = exponent - KEPT;
                let top = unit + size.ilog2() as i32;
                if top > 127 {
                    return sign | 0x7f80_0000;
                }
                let last = (top - 23).max(-149);
                let kept = cut(size, last - unit) as u32;
                // A normal number's leading bit adds one to the exponent.
                let field = if top < -126 { 0 } else { (top + 126) as u32 };
                signed(sign, (field << 23) + kept)
            }
        }
    }

    /// The sum as f16, to nearest even; the bits.
    pub(super) fn half(self) -> u32 {
        match self {
            Sum::Nan => 0x7fff,
            Sum::Infinite { negative } => u32::from(negative) << 15 | 0x7c00,
            Sum::Finite { units: 0, .. } => 0,
            Sum::Finite { units, exponent } => {
                let sign = u32::from(units < 0) << 15;
                let size = units.unsigned_abs();
                let unit = exponent - KEPT;
                let top = unit + size.ilog2() as i32;
                if top > 15 {
                    return sign | 0x7c00;
                }
                let last = (top - 10).max(-24);
                let shift = last - unit;
                let kept = cut(size, shift) as u32;
                let rest = if shift > 0 { size - (cut(size, shift) << shift.min(63)) } else { 0 };
                let half = if (1..64).contains(&shift) { 1 << (shift - 1) } else { u64::MAX };
                let up = rest > half || rest == half && kept & 1 == 1;
                let field = if top < -14 { 0 } else { (top + 14) as u32 };
                signed(sign, (field << 10) + kept + u32::from(up))
            }
        }
    }
}

/// A size with its sign; zero has none.
fn signed(sign: u32, size: u32) -> u32 {
    if size == 0 { 0 } else { sign | size }
}

/// A number shifted down by this many bits, or up.
fn cut(size: u64, shift: i32) -> u64 {
    match shift {
        64.. => 0,
        0..64 => size >> shift,
        _ => size << -shift,
    }
}
