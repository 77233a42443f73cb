//! Rounding in any direction (PTX ISA 9.7.3, 9.7.9.21) by scaling to integers and back.
//!
//! Results narrower than f64 go by way of a `f64` rounded *to odd*; f64 results themselves are
//! rounded by `rustc_apfloat`.

use crate::lanes::Flags;

/// A rounding direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    /// `.rn`: to nearest, ties to even.
    NearestEven,
    /// `.rna`: to nearest, ties away from zero.
    NearestAway,
    /// `.rz`: toward zero.
    Zero,
    /// `.rm`: toward minus infinity.
    Down,
    /// `.rp`: toward plus infinity.
    Up,
}

impl Direction {
    /// What the modifiers ask for; to nearest when they say nothing.
    pub(super) fn of(flags: Flags) -> Direction {
        if flags.has(Flags::RZ) {
            Direction::Zero
        } else if flags.has(Flags::RM) {
            Direction::Down
        } else if flags.has(Flags::RP) {
            Direction::Up
        } else if flags.has(Flags::RNA) {
            Direction::NearestAway
        } else {
            Direction::NearestEven
        }
    }

    /// The same for `rustc_apfloat`.
    pub(super) fn soft(self) -> rustc_apfloat::Round {
        match self {
            Direction::NearestEven => rustc_apfloat::Round::NearestTiesToEven,
            Direction::NearestAway => rustc_apfloat::Round::NearestTiesToAway,
            Direction::Zero => rustc_apfloat::Round::TowardZero,
            Direction::Down => rustc_apfloat::Round::TowardNegative,
            Direction::Up => rustc_apfloat::Round::TowardPositive,
        }
    }

    /// Rounds to an integer; keeps the sign of zero, infinities and NaN.
    pub(super) fn to_integer(self, x: f64) -> f64 {
        match self {
            Direction::NearestEven => x.round_ties_even(),
            Direction::NearestAway => x.round(),
            Direction::Zero => x.trunc(),
            Direction::Down => x.floor(),
            Direction::Up => x.ceil(),
        }
    }

    /// Whether a value too large for a format becomes its largest finite value, not infinity.
    fn stays_finite(self, negative: bool) -> bool {
        match self {
            Direction::NearestEven | Direction::NearestAway => false,
            Direction::Zero => true,
            Direction::Down => !negative,
            Direction::Up => negative,
        }
    }
}

/// A binary floating-point format that f64 contains.
#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    /// Significant bits of a normal number.
    precision: i32,
    /// Exponent of the least normal number.
    least: i32,
    /// The largest finite number.
    largest: f64,
}

impl Format {
    /// f32.
    pub(super) const F32: Format = Format { precision: 24, least: -126, largest: f32::MAX as f64 };
    /// f16.
    pub(super) const F16: Format = Format { precision: 11, least: -14, largest: 65504.0 };
    /// bf16.
    pub(super) const BF16: Format =
        Format { precision: 8, least: -126, largest: 255.0 / 128.0 * TWO_TO_127 };
    /// tf32: f32 with 10 bits of fraction.
    pub(super) const TF32: Format =
        Format { precision: 11, least: -126, largest: 2047.0 / 1024.0 * TWO_TO_127 };

    /// e4m3.
    pub(super) const E4M3: Format = Format { precision: 4, least: -6, largest: 448.0 };
    /// e5m2.
    pub(super) const E5M2: Format = Format { precision: 3, least: -14, largest: 57344.0 };
    /// e2m3.
    pub(super) const E2M3: Format = Format { precision: 4, least: 0, largest: 7.5 };
    /// e3m2.
    pub(super) const E3M2: Format = Format { precision: 3, least: -2, largest: 28.0 };
    /// e2m1.
    pub(super) const E2M1: Format = Format { precision: 2, least: 0, largest: 6.0 };

    /// Significant bits of a normal number.
    pub(super) fn precision(self) -> u32 {
        self.precision as u32
    }

    /// The largest finite number.
    pub(super) fn largest(self) -> f64 {
        self.largest
    }

    /// Whether a value, rounded as if exponents had no bound, is below the least normal number.
    pub(super) fn is_tiny(self, x: f64, direction: Direction) -> bool {
        let least = power_of_two(self.least);
        x.abs() < least && Format { least: -900, ..self }.round(x, direction).abs() < least
    }

    /// A value of this format as its exponent, counted from the least, and its significand with
    /// the hidden bit.
    pub(super) fn parts(self, x: f64) -> (i32, u32) {
        let exponent = exponent(x).max(self.least);
        let significand = x.abs() * power_of_two(self.precision - 1 - exponent);
        (exponent - self.least, significand as u32)
    }

    /// The number of these [`Format::parts`].
    pub(super) fn number(self, exponent: i32, significand: u32) -> f64 {
        f64::from(significand) * power_of_two(exponent + self.least - (self.precision - 1))
    }

    /// The value rounded away from zero when adding this many random bits to the first of those
    /// that are cut off carries, else toward zero.
    pub(super) fn stochastic(self, x: f64, random: u32, bits: u32) -> f64 {
        if x == 0.0 || !x.is_finite() {
            return x;
        }
        let quantum = exponent(x).max(self.least) - (self.precision - 1);
        let scaled = x.abs() * power_of_two(-quantum);
        let cut = (scaled.fract() * power_of_two(bits as i32)) as u32;
        let carry = u8::from(cut + random >= 1 << bits);
        let rounded = (scaled.trunc() + f64::from(carry)) * power_of_two(quantum);
        if rounded > self.largest { f64::INFINITY.copysign(x) } else { rounded.copysign(x) }
    }

    /// The nearest value of this format in a direction, as a f64 that holds it exactly.
    pub(super) fn round(self, x: f64, direction: Direction) -> f64 {
        if x == 0.0 || !x.is_finite() {
            return x;
        }
        let quantum = exponent(x).max(self.least) - (self.precision - 1);
        let scaled = x * power_of_two(-quantum);
        let whole = if direction == Direction::NearestEven {
            // Far below 2^51, so this rounds to the nearest integer.
            const ROUNDER: f64 = 1.5 * (1u64 << 52) as f64;
            ((scaled + ROUNDER) - ROUNDER).copysign(x)
        } else {
            direction.to_integer(scaled)
        };
        let rounded = whole * power_of_two(quantum);
        if rounded.abs() <= self.largest {
            rounded
        } else if direction.stays_finite(x < 0.0) {
            self.largest.copysign(x)
        } else {
            f64::INFINITY.copysign(x)
        }
    }
}

const TWO_TO_127: f64 = 1.7014118346046923e38;

/// The exponent of a finite, non-zero number. For subnormals, the exponent of the least normal one.
fn exponent(x: f64) -> i32 {
    ((x.to_bits() >> 52 & 0x7ff) as i32).max(1) - 1023
}

/// 2^n for n from -1022 to 1023, clamped to that.
pub(super) fn power_of_two(n: i32) -> f64 {
    f64::from_bits(((n.clamp(-1022, 1023) + 1023) as u64) << 52)
}

/// `near` + `rest` rounded to odd, where `near` is that sum rounded to nearest and only the sign
/// of `rest` matters.
pub(super) fn to_odd(near: f64, rest: f64) -> f64 {
    let bits = near.to_bits();
    if rest == 0.0 || bits & 1 == 1 || !near.is_finite() {
        return near;
    }
    // An even neighbour: the odd one lies on the side of the rest.
    let outward = (rest < 0.0) == (near < 0.0);
    f64::from_bits(if outward { bits + 1 } else { bits - 1 })
}

/// a + b rounded to odd. Must not overflow.
pub(super) fn odd_sum(a: f64, b: f64) -> f64 {
    let sum = a + b;
    let b_part = sum - a;
    let rest = (a - (sum - b_part)) + (b - b_part);
    to_odd(sum, rest)
}

/// a / b rounded to odd, for values of a narrower format.
pub(super) fn odd_quotient(a: f64, b: f64) -> f64 {
    let quotient = a / b;
    if quotient == 0.0 || !quotient.is_finite() {
        return quotient;
    }
    let rest = (-quotient).mul_add(b, a);
    to_odd(quotient, if b < 0.0 { -rest } else { rest })
}

/// The square root rounded to odd, of a value of a narrower format.
pub(super) fn odd_root(a: f64) -> f64 {
    let root = a.sqrt();
    if root == 0.0 || !root.is_finite() {
        return root;
    }
    to_odd(root, (-root).mul_add(root, a))
}

/// a + b, both values of a narrower format, rounded to `format`.
pub(super) fn sum(a: f64, b: f64, format: Format, direction: Direction) -> f64 {
    let exact = odd_sum(a, b);
    if exact == 0.0 && direction == Direction::Down && a.is_sign_negative() != b.is_sign_negative()
    {
        return -0.0;
    }
    format.round(exact, direction)
}
