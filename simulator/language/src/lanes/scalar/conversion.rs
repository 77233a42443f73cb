//! What `cvt` computes (PTX ISA 9.7.9.21).
//!
//! - float to integer: rounds as the modifier says, then clamps to the range of the integer. NaN
//!   becomes 0, or, from f64 or to a 64-bit integer, the value with only the top bit set.
//! - integer to integer: keeps the low bits; with `.sat`, clamps.
//! - to float: one correct rounding in any direction; `.sat` clamps to [+0, 1], NaN becoming +0. A
//!   NaN from f64 keeps its sign and the top of its payload; other NaN results are the one NaN of
//!   their type.
//! - conversions that change nothing (f32 to f32, f64 to f64, bf16 to f32, without modifiers) keep
//!   NaN as it is.
//!
//! These are the bits of an H200. It also ignores `.ftz` from f32 to f16, and so do we.

use half::{bf16, f16};

use super::exact::{double, odd_single};
use super::float::{NAN_F32, finish, flush, narrow, quiet};
use super::halves::{Half, Pair};
use super::integers::COUNTER;
use super::rounding::{Direction, power_of_two};
use crate::lanes::{Flags, Value};

/// An integer type of `cvt`.
pub(crate) trait Whole: Value {
    /// Whether it has 64 bits.
    const IS_64: bool;
    /// Whether it has 16 bits or fewer, so that f32 holds every value.
    const IS_SMALL: bool;
    /// Only the top bit set.
    const TOP_BIT: Self;
    /// Zero.
    const ZERO: Self;
    /// The nearest value of the type to an integral float; any for NaN.
    fn clamped_float(value: f64) -> Self;
    /// Two floats whose sum is its value, the second 0 except for 64 bits.
    fn floats(self) -> [f64; 2];
}

macro_rules! wholes {
    ($($ty:ty: $high:ty),*) => {
        $(impl Whole for $ty {
            const IS_64: bool = <$ty>::BITS == 64;
            const IS_SMALL: bool = <$ty>::BITS <= 16;
            const TOP_BIT: $ty = 1 << (<$ty>::BITS - 1);
            const ZERO: $ty = 0;
            #[inline(always)]
            fn clamped_float(value: f64) -> $ty {
                // What the types of 64 bits cannot hold begins at the float that MAX rounds to.
                const LEAST: f64 = <$ty>::MIN as f64;
                const GREATEST: f64 = <$ty>::MAX as f64;
                let limited = if value > LEAST { value } else { LEAST };
                let limited = if limited < GREATEST { limited } else { GREATEST };
                if Self::IS_64 {
                    // The upper half, rounded, and what the lower one adds to it or takes away.
                    let upper = limited * const { power_of_two(-32) } + COUNTER;
                    let lower = limited - (upper - COUNTER) * const { power_of_two(32) };
                    let lower = (lower + COUNTER).to_bits().wrapping_sub(COUNTER.to_bits());
                    let whole = (upper.to_bits() << 32).wrapping_add(lower) as $ty;
                    if limited < GREATEST { whole } else { <$ty>::MAX }
                } else {
                    (limited + COUNTER).to_bits() as $ty
                }
            }
            #[inline(always)]
            fn floats(self) -> [f64; 2] {
                if Self::IS_64 {
                    let upper = ((self as u64) >> 32) as $high;
                    [upper as f64 * const { power_of_two(32) }, self as u32 as f64]
                } else {
                    [self as f64, 0.0]
                }
            }
        })*
    };
}

wholes!(u8: u32, i8: i32, u16: u32, i16: i32, u32: u32, i32: i32, u64: u32, i64: i32);

/// A floating-point type of `cvt`.
pub(crate) trait Real: Value {
    /// Whether NaN converts to an integer with the top bit set, whatever its width.
    const IS_F64: bool = false;
    /// Its value.
    fn value(self) -> f64;
    /// `.ftz` of an operand.
    #[inline(always)]
    fn flushed(self) -> Self {
        self
    }
    /// The nearest value in a direction, with `.ftz`, `.sat`, `.relu` and `.satfinite`.
    fn rounded(flags: Flags, value: f64, direction: Direction) -> Self;
    /// The same of a value that f32 holds.
    #[inline(always)]
    fn of_single(flags: Flags, value: f32, direction: Direction) -> Self {
        Self::rounded(flags, value as f64, direction)
    }
    /// The NaN that a f64 NaN becomes: quiet, with its sign and the top of its payload.
    fn of_nan(nan: f64) -> Self;
    /// The nearest value to an integer in a direction, an integer being the sum of two floats.
    #[inline(always)]
    fn of_whole<W: Whole>(flags: Flags, [upper, lower]: [f64; 2], direction: Direction) -> Self {
        if W::IS_SMALL {
            return Self::of_single(flags, upper as f32, direction);
        }
        let exact = if W::IS_64 { double::odd_sum(upper, lower) } else { upper };
        Self::rounded(flags, exact, direction)
    }
}

macro_rules! limited {
    ($name:ident, $float:ty) => {
        /// The modifiers of a result that all formats share; `largest` is for `.satfinite`. They do
        /// not mind whether they see it before or after it is rounded.
        #[inline(always)]
        pub(crate) fn $name(flags: Flags, value: $float, largest: $float) -> $float {
            let positive = if value > 0.0 { value } else { 0.0 };
            let unit = if positive < 1.0 { positive } else { 1.0 };
            let cut = if value <= 0.0 { 0.0 } else { value };
            let cut = if flags.has(Flags::RELU) { cut } else { value };
            let low = if cut < -largest { -largest } else { cut };
            let finite = if low > largest { largest } else { low };
            let result = if flags.has(Flags::SATFINITE) { finite } else { cut };
            if flags.has(Flags::SAT) { unit } else { result }
        }
    };
}

limited!(limited, f64);
limited!(limited_single, f32);

impl Real for f32 {
    #[inline(always)]
    fn value(self) -> f64 {
        self as f64
    }
    #[inline(always)]
    fn flushed(self) -> f32 {
        if self.is_nan() { NAN_F32 } else { flush(self) }
    }
    #[inline(always)]
    fn of_nan(nan: f64) -> f32 {
        f32::from_bits(shortened_nan(nan, 8))
    }
    #[inline(always)]
    fn rounded(flags: Flags, value: f64, direction: Direction) -> f32 {
        narrow(flags, value, direction)
    }
    #[inline(always)]
    fn of_single(flags: Flags, value: f32, _: Direction) -> f32 {
        finish(flags, value)
    }
}

impl Real for f64 {
    const IS_F64: bool = true;
    #[inline(always)]
    fn of_nan(nan: f64) -> f64 {
        quiet(nan)
    }
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
    #[inline(always)]
    fn rounded(flags: Flags, value: f64, _: Direction) -> f64 {
        let result = limited(flags, value, f64::MAX);
        if result.is_nan() { quiet(result) } else { result }
    }
    #[inline(always)]
    fn of_whole<W: Whole>(flags: Flags, [upper, lower]: [f64; 2], direction: Direction) -> f64 {
        let result = if W::IS_64 { double::sum(upper, lower, direction) } else { upper };
        limited(flags, result, f64::MAX)
    }
}

/// A f64 NaN as the upper bits of a word: its sign, `exponent` ones, and the top of its payload.
#[inline(always)]
fn shortened_nan(nan: f64, exponent: u32) -> u32 {
    let bits = quiet(nan).to_bits();
    let sign = (bits >> 32) as u32 & 1 << 31;
    let ones = u32::MAX << (31 - exponent) & u32::MAX >> 1;
    sign | ones | (bits << 12 >> (33 + exponent)) as u32
}

macro_rules! half_reals {
    ($($ty:ty, $exponent:literal;)*) => {
        $(impl Real for $ty {
            #[inline(always)]
            fn of_nan(nan: f64) -> $ty {
                <$ty>::from_bits((shortened_nan(nan, $exponent) >> 16) as u16)
            }
            #[inline(always)]
            fn value(self) -> f64 {
                Half::value(self)
            }
            #[inline(always)]
            fn rounded(flags: Flags, value: f64, direction: Direction) -> $ty {
                Real::of_single(flags, odd_single(value, 0.0), direction)
            }
            #[inline(always)]
            fn of_single(flags: Flags, value: f32, direction: Direction) -> $ty {
                let largest = const { <$ty as Half>::FORMAT.largest() as f32 };
                Half::of_single(limited_single(flags, value, largest), direction)
            }
        })*
    };
}

half_reals! {
    f16, 5;
    bf16, 8;
}

/// `.ftz` of an operand, when the modifiers ask for it.
#[inline(always)]
fn flushed_if<S: Real>(flags: Flags, a: S) -> S {
    if flags.has(Flags::FTZ) { a.flushed() } else { a }
}

/// Float to integer.
#[inline(always)]
pub(crate) fn to_whole<S: Real, D: Whole>(flags: Flags, a: S) -> D {
    let value = flushed_if(flags, a).value();
    let result = D::clamped_float(Direction::of(flags).to_integer(value));
    let of_nan = if S::IS_F64 | D::IS_64 { D::TOP_BIT } else { D::ZERO };
    if value.is_nan() { of_nan } else { result }
}

/// An integer type of 8 or 16 bits, by its values: conversions to each of them are one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Small {
    least: i32,
    greatest: i32,
    /// Only the top bit set.
    top_bit: i32,
}

/// A type that is [`Small`].
pub(crate) trait IsSmall: Value<Word = u32> {
    /// Its values.
    const VALUES: Small;
}

macro_rules! smalls {
    ($($ty:ty),*) => {
        $(impl IsSmall for $ty {
            const VALUES: Small = Small {
                least: <$ty>::MIN as i32,
                greatest: <$ty>::MAX as i32,
                top_bit: (1 as $ty << (<$ty>::BITS - 1)) as i32,
            };
        })*
    };
}

smalls!(u8, i8, u16, i16);

/// Float to an integer of 8 or 16 bits, extended to 32 by its sign or by zeros.
#[inline(always)]
pub(crate) fn to_small<S: Real>(flags: Flags, a: S, small: Small) -> i32 {
    let value = flushed_if(flags, a).value();
    let result = i32::clamped_float(Direction::of(flags).to_integer(value));
    let of_nan = if S::IS_F64 { small.top_bit } else { 0 };
    if value.is_nan() { of_nan } else { result.clamp(small.least, small.greatest) }
}

/// f32 to f64.
#[inline(always)]
pub(crate) fn widened(a: f32) -> f64 {
    let bits = a.to_bits() as u64;
    let nan = (bits & 0x8000_0000) << 32 | 0x7ff8 << 48 | (bits & 0x7f_ffff) << 29;
    if a.is_nan() { f64::from_bits(nan) } else { a as f64 }
}

/// f64 to f32, to nearest even.
#[inline(always)]
pub(crate) fn narrowed(a: f64) -> f32 {
    if a.is_nan() { f32::of_nan(a) } else { a as f32 }
}

/// Integer to float.
#[inline(always)]
pub(crate) fn to_real<S: Whole, D: Real>(flags: Flags, a: S) -> D {
    D::of_whole::<S>(flags, a.floats(), Direction::of(flags))
}

/// Float to float.
#[inline(always)]
pub(crate) fn between_reals<S: Real, D: Real>(flags: Flags, a: S) -> D {
    let value = flushed_if(flags, a).value();
    let direction = Direction::of(flags);
    if S::IS_F64 {
        of_double(flags, value, direction)
    } else {
        // It came from no more than that.
        D::of_single(flags, value as f32, direction)
    }
}

/// Float to float, to an integral value first: `.rni` to `.rpi`.
#[inline(always)]
pub(crate) fn to_integral<S: Real, D: Real>(flags: Flags, a: S) -> D {
    let direction = Direction::of(flags);
    let value = direction.to_integer(flushed_if(flags, a).value());
    if S::IS_F64 { of_double(flags, value, direction) } else { D::rounded(flags, value, direction) }
}

/// From f64. NaN keep the bits that fit.
#[inline(always)]
fn of_double<D: Real>(flags: Flags, value: f64, direction: Direction) -> D {
    let result = D::rounded(flags, value, direction);
    if value.is_nan() & !flags.has(Flags::SAT) { D::of_nan(value) } else { result }
}

/// bf16 to f32: without `.ftz`, the upper half of it, whatever the rounding.
#[inline(always)]
pub(crate) fn bf16_to_f32(a: bf16) -> f32 {
    f32::from_bits((a.to_bits() as u32) << 16)
}

/// `cvt.f16x2.f32`: a in the upper half, b in the lower.
#[inline(always)]
pub(crate) fn to_pair<H: Real>(flags: Flags, a: f32, b: f32) -> Pair<H> {
    Pair(between_reals(flags, b), between_reals(flags, a))
}

/// `cvt.tf32.f32`: a f32 with ten bits of fraction. A NaN is 0x7fffe000, or, with `.rna`, cut off.
#[inline(always)]
pub(crate) fn to_tf32(flags: Flags, a: f32) -> f32 {
    const CUT: u32 = 13;
    const FRACTION: u32 = u32::MAX << CUT;
    const LARGEST: f32 = f32::from_bits(f32::MAX.to_bits() & FRACTION);
    let limited = limited_single(flags, a, LARGEST);
    let negative = limited.is_sign_negative();
    let bits = limited.to_bits();
    let bias = Direction::of(flags).bias(bits, CUT, negative);
    // `.rna`: half of the last bit is added to magnitudes.
    let bias = if flags.has(Flags::RNA) { 1 << (CUT - 1) } else { bias };
    let nan = if flags.has(Flags::RNA) { a.to_bits() } else { NAN_F32.to_bits() };
    let bits = if a.is_nan() { nan } else { bits.wrapping_add(bias) };
    f32::from_bits(bits & FRACTION)
}

/// `cvt.pack`: a and b, clamped to `min` and `max`, above each other in fields of `bits` bits, and
/// the low bits of c above them.
#[inline(always)]
pub(crate) fn pack(a: i32, b: i32, c: u32, bits: u32, min: i32, max: i32) -> u32 {
    let field = |x: i32| x.clamp(min, max) as u32 & ((1 << bits) - 1);
    let upper = if bits == 16 { 0 } else { c << (2 * bits) };
    field(b) | field(a) << bits | upper
}
