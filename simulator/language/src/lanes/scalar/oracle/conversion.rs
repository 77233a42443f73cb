//! What `cvt` computes (PTX ISA 9.7.9.21), by the rules in [`crate::lanes::scalar::conversion`]:
//! integers by way of i128, floats by way of f64.

use half::{bf16, f16};

use super::float::{NAN_F32, finish, flush, quiet};
use super::halves::{Half, Pair};
use super::rounding::{Direction, Format, to_odd};
use crate::lanes::{Flags, Value};

/// An integer type of `cvt`.
pub(super) trait Whole: Value {
    /// Whether it has 64 bits.
    const IS_64: bool;
    /// Only the top bit set.
    const TOP_BIT: Self;
    /// Zero.
    const ZERO: Self;
    /// Its value.
    fn value(self) -> i128;
    /// The nearest value of the type to an integral float.
    fn clamped_float(value: f64) -> Self;
}

macro_rules! wholes {
    ($($ty:ty),*) => {
        $(impl Whole for $ty {
            const IS_64: bool = <$ty>::BITS == 64;
            const TOP_BIT: $ty = 1 << (<$ty>::BITS - 1);
            const ZERO: $ty = 0;
            fn value(self) -> i128 {
                self as i128
            }
            fn clamped_float(value: f64) -> $ty {
                value as $ty
            }
        })*
    };
}

wholes!(u8, i8, u16, i16, u32, i32, u64, i64);

/// A floating-point type of `cvt`.
pub(super) trait Real: Value {
    /// Whether NaN converts to an integer with the top bit set, whatever its width.
    const IS_F64: bool = false;
    /// Its value.
    fn value(self) -> f64;
    /// `.ftz` of an operand.
    fn flushed(self) -> Self {
        self
    }
    /// The nearest value in a direction, with `.ftz`, `.sat`, `.relu` and `.satfinite`.
    fn rounded(flags: Flags, value: f64, direction: Direction) -> Self;
    /// The NaN that a f64 NaN becomes: quiet, with its sign and the top of its payload.
    fn of_nan(nan: f64) -> Self;
    /// The nearest value to an integer in a direction.
    fn of_whole(flags: Flags, value: i128, direction: Direction) -> Self {
        let near = value as f64;
        Self::rounded(flags, to_odd(near, (value - near as i128) as f64), direction)
    }
}

/// The modifiers of a result that all formats share; `largest` is for `.satfinite`.
pub(super) fn limited(flags: Flags, value: f64, largest: f64) -> f64 {
    if flags.has(Flags::SAT) {
        if value > 0.0 { value.min(1.0) } else { 0.0 }
    } else if flags.has(Flags::RELU) && value <= 0.0 {
        0.0
    } else if flags.has(Flags::SATFINITE) {
        value.clamp(-largest, largest)
    } else {
        value
    }
}

impl Real for f32 {
    fn value(self) -> f64 {
        self as f64
    }
    fn flushed(self) -> f32 {
        if self.is_nan() { NAN_F32 } else { flush(self) }
    }
    fn of_nan(nan: f64) -> f32 {
        f32::from_bits(shortened_nan(nan, 8))
    }
    fn rounded(flags: Flags, value: f64, direction: Direction) -> f32 {
        // The direction of an integral rounding does not apply to the result, which is exact.
        let tiny = flags.has(Flags::FTZ) && Format::F32.is_tiny(value, direction);
        let value = if tiny { 0f64.copysign(value) } else { value };
        finish(flags.without(Flags::FTZ), Format::F32.round(value, direction) as f32)
    }
}

impl Real for f64 {
    const IS_F64: bool = true;
    fn of_nan(nan: f64) -> f64 {
        quiet(nan)
    }
    fn value(self) -> f64 {
        self
    }
    fn rounded(flags: Flags, value: f64, _: Direction) -> f64 {
        let result = limited(flags, value, f64::MAX);
        if result.is_nan() { quiet(result) } else { result }
    }
    fn of_whole(flags: Flags, value: i128, direction: Direction) -> f64 {
        let near = value as f64;
        let rest = value - near as i128;
        let beyond = match direction {
            Direction::NearestEven | Direction::NearestAway => false,
            Direction::Zero => (rest < 0) != (near < 0.0),
            Direction::Down => rest < 0,
            Direction::Up => rest > 0,
        };
        let result = if rest == 0 || !beyond {
            near
        } else if rest < 0 {
            near.next_down()
        } else {
            near.next_up()
        };
        limited(flags, result, f64::MAX)
    }
}

/// A f64 NaN as the upper bits of a word: its sign, `exponent` ones, and the top of its payload.
fn shortened_nan(nan: f64, exponent: u32) -> u32 {
    let bits = quiet(nan).to_bits();
    let sign = (bits >> 32) as u32 & 1 << 31;
    let ones = u32::MAX << (31 - exponent) & u32::MAX >> 1;
    sign | ones | (bits << 12 >> (33 + exponent)) as u32
}

macro_rules! half_reals {
    ($($ty:ty, $exponent:literal;)*) => {
        $(impl Real for $ty {
            fn of_nan(nan: f64) -> $ty {
                <$ty>::from_bits((shortened_nan(nan, $exponent) >> 16) as u16)
            }
            fn value(self) -> f64 {
                Half::value(self)
            }
            fn rounded(flags: Flags, value: f64, direction: Direction) -> $ty {
                let result = <$ty as Half>::FORMAT.round(value, direction);
                let result = limited(flags, result, <$ty as Half>::FORMAT.largest());
                <$ty as Half>::rounded(result, direction)
            }
        })*
    };
}

half_reals! {
    f16, 5;
    bf16, 8;
}

/// Float to integer.
pub(super) fn to_whole<S: Real, D: Whole>(flags: Flags, a: S) -> D {
    let a = if flags.has(Flags::FTZ) { a.flushed() } else { a };
    let value = a.value();
    if value.is_nan() {
        if S::IS_F64 || D::IS_64 { D::TOP_BIT } else { D::ZERO }
    } else {
        D::clamped_float(Direction::of(flags).to_integer(value))
    }
}

/// Integer to float.
pub(super) fn to_real<S: Whole, D: Real>(flags: Flags, a: S) -> D {
    D::of_whole(flags, a.value(), Direction::of(flags))
}

/// Float to float, to an integral value first when the rounding is one of `.rni` to `.rpi`.
pub(super) fn between_reals<S: Real, D: Real>(flags: Flags, a: S) -> D {
    let a = if flags.has(Flags::FTZ) { a.flushed() } else { a };
    let direction = Direction::of(flags);
    let value =
        if flags.has(Flags::TO_INTEGER) { direction.to_integer(a.value()) } else { a.value() };
    if S::IS_F64 && value.is_nan() && !flags.has(Flags::SAT) {
        D::of_nan(value)
    } else {
        D::rounded(flags, value, direction)
    }
}

/// f32 to f16, where `.ftz` does nothing.
pub(super) fn to_f16(flags: Flags, a: f32) -> f16 {
    between_reals(flags.without(Flags::FTZ), a)
}

/// f32 to f32 and f64 to f64: without modifiers, a copy.
pub(super) fn same<T: Real>(flags: Flags, a: T) -> T {
    if flags.is_plain() { a } else { between_reals(flags, a) }
}

/// bf16 to f32: without `.ftz`, the upper half of it, whatever the rounding.
pub(super) fn bf16_to_f32(flags: Flags, a: bf16) -> f32 {
    if !flags.has(Flags::FTZ) {
        f32::from_bits((a.to_bits() as u32) << 16)
    } else {
        between_reals(flags, a)
    }
}

/// `cvt.f16x2.f32`: a in the upper half, b in the lower.
pub(super) fn to_pair<H: Real>(flags: Flags, a: f32, b: f32) -> Pair<H> {
    Pair(between_reals(flags, b), between_reals(flags, a))
}

/// `cvt.tf32.f32`: a f32 with ten bits of fraction. A NaN is 0x7fffe000, or, with `.rna`, cut off.
pub(super) fn to_tf32(flags: Flags, a: f32) -> f32 {
    const FRACTION: u32 = !0x1fff;
    if a.is_nan() {
        let nan = if flags.has(Flags::RNA) { a } else { NAN_F32 };
        return f32::from_bits(nan.to_bits() & FRACTION);
    }
    let rounded = Format::TF32.round(a as f64, Direction::of(flags));
    limited(flags, rounded, Format::TF32.largest()) as f32
}
