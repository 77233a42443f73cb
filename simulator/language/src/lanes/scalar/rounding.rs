//! Rounding in any direction (PTX ISA 9.7.3, 9.7.9.21).
//!
//! Values come as floats that hold them exactly, or rounded to odd ([`super::exact`]), and go to a
//! narrower format. The host rounds each value to nearest even. Then the value is corrected by one
//! step if this went to the wrong side. Nothing branches, so loops around it vectorise.
//!
//! `.rna` is no direction here: only `cvt` to tf32 has it, and does it itself.

pub(crate) use super::exact::double::odd_sum;
use crate::lanes::Flags;

/// A rounding direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// `.rn`: to nearest, ties to even.
    NearestEven,
    /// `.rz`: toward zero.
    Zero,
    /// `.rm`: toward minus infinity.
    Down,
    /// `.rp`: toward plus infinity.
    Up,
}

impl Direction {
    /// What the modifiers ask for; to nearest even when they say nothing.
    #[inline(always)]
    pub(crate) const fn of(flags: Flags) -> Direction {
        if flags.has(Flags::RZ) {
            Direction::Zero
        } else if flags.has(Flags::RM) {
            Direction::Down
        } else if flags.has(Flags::RP) {
            Direction::Up
        } else {
            Direction::NearestEven
        }
    }

    /// The same for `rustc_apfloat`.
    pub(crate) fn soft(self) -> rustc_apfloat::Round {
        match self {
            Direction::NearestEven => rustc_apfloat::Round::NearestTiesToEven,
            Direction::Zero => rustc_apfloat::Round::TowardZero,
            Direction::Down => rustc_apfloat::Round::TowardNegative,
            Direction::Up => rustc_apfloat::Round::TowardPositive,
        }
    }

    /// Whether magnitudes of this sign are cut off. Then a number too large for a format becomes
    /// the format's largest number, not infinity.
    #[inline(always)]
    pub(crate) fn cuts(self, negative: bool) -> bool {
        (self == Direction::Zero)
            | (self == Direction::Down) & !negative
            | (self == Direction::Up) & negative
    }

    /// Whether magnitudes of this sign are rounded away from zero.
    #[inline(always)]
    pub(crate) fn raises(self, negative: bool) -> bool {
        (self == Direction::Down) & negative | (self == Direction::Up) & !negative
    }

    /// Rounds to an integer; keeps the sign of zero, infinities and NaN.
    #[inline(always)]
    pub(crate) fn to_integer(self, x: f64) -> f64 {
        // From here on everything is an integer.
        const WHOLE: f64 = (1u64 << 52) as f64;
        let size = x.abs();
        let near = (size + WHOLE) - WHOLE;
        let whole = self.corrected(near, size, 1.0, x.is_sign_negative());
        if size < WHOLE { whole.copysign(x) } else { x }
    }

    /// A magnitude rounded to nearest, corrected by a step for this direction.
    #[inline(always)]
    fn corrected(self, near: f64, exact: f64, step: f64, negative: bool) -> f64 {
        let less = if self.cuts(negative) & (near > exact) { step } else { 0.0 };
        let more = if self.raises(negative) & (near < exact) { step } else { 0.0 };
        (near - less) + more
    }

    /// The number to add to the bits of a magnitude before `cut` of them are cut off.
    #[inline(always)]
    pub(crate) fn bias(self, size: u32, cut: u32, negative: bool) -> u32 {
        let directed = if self.raises(negative) { (1 << cut) - 1 } else { 0 };
        let nearest = (1 << (cut - 1)) - 1 + (size >> cut & 1);
        if self == Direction::NearestEven { nearest } else { directed }
    }

    /// An exact value, or one rounded to odd, as f32. A NaN is of any kind.
    #[inline(always)]
    pub(crate) fn to_f32(self, exact: f64) -> f32 {
        let near = exact as f32;
        let (size, back) = (exact.abs(), (near as f64).abs());
        let negative = near.is_sign_negative();
        // A step of the bits is one to the neighbour, infinity and zero included.
        let less = (self.cuts(negative) & (back > size)) as u32;
        let more = (self.raises(negative) & (back < size)) as u32;
        f32::from_bits(near.to_bits().wrapping_sub(less).wrapping_add(more))
    }
}

/// A binary floating-point format that f64 contains.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Format {
    /// Significant bits of a normal number.
    precision: i32,
    /// Exponent of the least normal number.
    least: i32,
    /// The largest finite number.
    largest: f64,
}

impl Format {
    /// f16.
    pub(crate) const F16: Format = Format { precision: 11, least: -14, largest: 65504.0 };
    /// bf16.
    pub(crate) const BF16: Format =
        Format { precision: 8, least: -126, largest: 255.0 / 128.0 * TWO_TO_127 };

    /// e4m3.
    pub(crate) const E4M3: Format = Format { precision: 4, least: -6, largest: 448.0 };
    /// e5m2.
    pub(crate) const E5M2: Format = Format { precision: 3, least: -14, largest: 57344.0 };
    /// e2m3.
    pub(crate) const E2M3: Format = Format { precision: 4, least: 0, largest: 7.5 };
    /// e3m2.
    pub(crate) const E3M2: Format = Format { precision: 3, least: -2, largest: 28.0 };
    /// e2m1.
    pub(crate) const E2M1: Format = Format { precision: 2, least: 0, largest: 6.0 };

    /// Significant bits of a normal number.
    pub(crate) const fn precision(self) -> u32 {
        self.precision as u32
    }

    /// The largest finite number.
    #[inline(always)]
    pub(crate) const fn largest(self) -> f64 {
        self.largest
    }

    /// The least normal number.
    #[inline(always)]
    pub(crate) const fn least(self) -> f64 {
        power_of_two(self.least)
    }

    /// The distance of two numbers of this format about a magnitude.
    #[inline(always)]
    fn quantum(self, x: f64) -> f64 {
        // Far beyond every format, and far from overflow.
        const BEYOND: f64 = power_of_two(900);
        let power = f64::from_bits(x.to_bits() & 0x7ff << 52);
        let power = if power > self.least() { power } else { self.least() };
        let power = if power < BEYOND { power } else { BEYOND };
        power * power_of_two(1 - self.precision)
    }

    /// The value rounded away from zero when adding this many random bits to the first of those
    /// that are cut off carries, else toward zero.
    #[inline(always)]
    pub(crate) fn stochastic(self, x: f64, random: u32, bits: u32) -> f64 {
        let (size, quantum) = (x.abs(), self.quantum(x));
        let below = Direction::Zero.corrected(whole(size, quantum), size, quantum, false);
        // The first of the bits that are cut off, as an integer.
        let scaled = (size - below) * (power_of_two(bits as i32) / quantum);
        let cut = Direction::Zero.corrected(whole(scaled, 1.0), scaled, 1.0, false);
        let carries = cut + f64::from(random) >= power_of_two(bits as i32);
        let rounded = below + if carries { quantum } else { 0.0 };
        let result = if rounded > self.largest { f64::INFINITY } else { rounded };
        let result = result.copysign(x);
        if size < f64::INFINITY { result } else { x }
    }
}

/// A magnitude below 2^52 quanta as a multiple of the quantum, to nearest even.
#[inline(always)]
fn whole(size: f64, quantum: f64) -> f64 {
    // A sum that large has no bits below the quantum.
    let rounder = quantum * power_of_two(52);
    (size + rounder) - rounder
}

const TWO_TO_127: f64 = 1.7014118346046923e38;

/// 2^n for n from -1022 to 1023.
#[inline(always)]
pub(crate) const fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((n + 1023) as u64) << 52)
}
