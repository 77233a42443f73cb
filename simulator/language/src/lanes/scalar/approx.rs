//! The `.approx` functions (PTX ISA 9.7.3.8, 9.7.3.13 to 9.7.3.22, 9.7.4.9, 9.7.4.10).
//!
//! The ISA bounds their error and fixes their special cases, not their bits. Here each is computed
//! in f64 to some 1e-13 and rounded once, which is well inside every bound. Only +, -, *, / and
//! square root are used, so that every host gives the same bits.
//!
//! | function | the ISA's error |
//! |---|---|
//! | `div.approx.f32` | 2 ulp for a divisor of 2^-126 to 2^126 |
//! | `div.full.f32` | 2 ulp |
//! | `rcp.approx.f32`, `sqrt.approx.f32` | 1 ulp |
//! | `rsqrt.approx.f32` | relative 2^-22.9 |
//! | `sin.approx.f32`, `cos.approx.f32` | absolute 2^-20.5 in [-2pi, 2pi], relative 2^-14.7 to 2^-20.9 beyond, by range |
//! | `lg2.approx.f32` | absolute 2^-22 (relative 2^-22.6 outside (0.5, 2)) |
//! | `ex2.approx.f32` | relative 2^-22 |
//! | `tanh.approx.f32` | relative 2^-11 |
//! | `rcp.approx.ftz.f64`, `rsqrt.approx.ftz.f64` | as for f32, 20 bits of fraction kept |

use super::float::{NAN_F32, canonical, flush_if};
use super::integers::COUNTER;
use super::rounding::power_of_two;
use crate::lanes::Flags;

/// `.ftz` of an operand or a result, when the modifiers ask for it: [`flush_if`] without a branch.
/// In a loop around a long computation the compiler makes a branch into two computations, and does
/// both of them.
#[inline(always)]
fn flush_if_asked(flags: Flags, x: f32) -> f32 {
    let below = if flags.has(Flags::FTZ) { f32::MIN_POSITIVE } else { 0.0 };
    if x.abs() < below { 0f32.copysign(x) } else { x }
}

/// `div.approx`: 0 for a finite dividend and a divisor above 2^126.
#[inline(always)]
pub(crate) fn div_approx(flags: Flags, a: f32, b: f32) -> f32 {
    let (a, b) = (flush_if(flags, a), flush_if(flags, b));
    let huge = b.abs() > 85070591730234615865843651857942052864.0 && b.is_finite();
    let result = if huge { a * 0f32.copysign(b) } else { a / b };
    canonical(flush_if(flags, result))
}

/// `div.full`.
#[inline(always)]
pub(crate) fn div_full(flags: Flags, a: f32, b: f32) -> f32 {
    canonical(flush_if(flags, flush_if(flags, a) / flush_if(flags, b)))
}

/// `rcp.approx.f32`.
#[inline(always)]
pub(crate) fn rcp(flags: Flags, a: f32) -> f32 {
    canonical(flush_if(flags, 1.0 / flush_if(flags, a)))
}

/// `sqrt.approx.f32`.
#[inline(always)]
pub(crate) fn sqrt(flags: Flags, a: f32) -> f32 {
    canonical(flush_if(flags, a).sqrt())
}

/// `rsqrt.approx.f32`.
#[inline(always)]
pub(crate) fn rsqrt(flags: Flags, a: f32) -> f32 {
    let a = flush_if(flags, a) as f64;
    canonical((1.0 / a.sqrt()) as f32)
}

/// `rsqrt.approx.f64`.
pub(crate) fn rsqrt_f64(a: f64) -> f64 {
    let near = 1.0 / a.sqrt();
    if near.is_nan() {
        return super::float::nan_of(a, a, a);
    }
    if near == 0.0 || near.is_infinite() {
        return near;
    }
    // One Newton step, its residual to double precision: all but correctly rounded.
    let product = a * near;
    let lost = a.mul_add(near, -product);
    let residual = (-product).mul_add(near, 1.0) - lost * near;
    (near * 0.5).mul_add(residual, near)
}

/// The upper word of a f64, subnormals flushed: what the `.approx.ftz.f64` forms look at. A NaN
/// whose payload is all in the lower word reads as infinity.
#[inline(always)]
fn upper(a: f64) -> f64 {
    let a = f64::from_bits(a.to_bits() & !0xffff_ffff);
    if a.abs() < f64::MIN_POSITIVE { 0f64.copysign(a) } else { a }
}

/// The NaN of the `.approx.ftz.f64` forms.
const UPPER_NAN: f64 = f64::from_bits(0x7fff_ffff_0000_0000);

/// `rcp.approx.ftz.f64`.
#[inline(always)]
pub(crate) fn rcp_ftz_f64(a: f64) -> f64 {
    let result = 1.0 / upper(a);
    if result.is_nan() { UPPER_NAN } else { upper(result) }
}

/// `rsqrt.approx.ftz.f64`.
#[inline(always)]
pub(crate) fn rsqrt_ftz_f64(a: f64) -> f64 {
    let result = 1.0 / upper(a).sqrt();
    // To nearest; the reciprocal above is cut off, both as on an H200.
    let rounded = upper(f64::from_bits(result.to_bits().wrapping_add(0x8000_0000)));
    let number = if result.is_infinite() { result } else { rounded };
    if result.is_nan() { UPPER_NAN } else { number }
}

/// How far an angle is from a whole number of turns, as a part of a turn of up to 1/2, and whether
/// it is below it, as a sign bit.
///
/// Hardware multiplies by 1/2pi in f32, toward zero, and keeps 25 bits below the point, and so do
/// we; that decides what comes out for large and for small arguments.
#[inline(always)]
fn turns(flags: Flags, a: f32) -> (f64, u32) {
    const STEPS: f64 = (1 << 25) as f64;
    const INVERSE_TWO_PI: f32 = f32::from_bits(0x3e22_f983);
    /// The bits of a f64 that a f32 has. A result that is subnormal in f32 is too small to matter
    /// here.
    const SINGLE: u64 = u64::MAX << 29;
    let size = flush_if_asked(flags, a).abs() as f64 * INVERSE_TWO_PI as f64;
    let turns = f64::from_bits(size.to_bits() & SINGLE);
    // From 2^24 on they are whole.
    let turns = if turns < (1 << 24) as f64 { turns } else { 0.0 };
    let part = turns - ((turns + COUNTER) - COUNTER);
    let steps = part.abs() * STEPS;
    let near = (steps + COUNTER) - COUNTER;
    let cut = if near > steps { near - 1.0 } else { near };
    (cut / STEPS, (part.to_bits() >> 32) as u32 & SIGN)
}

/// The sign bit of a f32.
const SIGN: u32 = 1 << 31;

/// `sin.approx.f32`.
#[inline(always)]
pub(crate) fn sin(flags: Flags, a: f32) -> f32 {
    let (size, below) = turns(flags, a);
    let folded = if size < 0.5 - size { size } else { 0.5 - size };
    let sine = sine_of_turns(folded) as f32;
    let below = if sine == 0.0 { 0 } else { below };
    let sine = f32::from_bits(sine.to_bits() ^ below ^ a.to_bits() & SIGN);
    if a.is_finite() { sine } else { NAN_F32 }
}

/// `cos.approx.f32`.
#[inline(always)]
pub(crate) fn cos(flags: Flags, a: f32) -> f32 {
    let (size, _) = turns(flags, a);
    let cosine = sine_of_turns(0.25 - size) as f32;
    if a.is_finite() { cosine } else { NAN_F32 }
}

/// A polynomial of these coefficients; the last one belongs to the highest power.
///
/// A plain loop: the functions of iterators are compiled for a tier only where they are inlined.
#[inline(always)]
fn polynomial<const N: usize>(x: f64, coefficients: [f64; N]) -> f64 {
    let mut sum = 0.0;
    let mut power = N;
    while power > 0 {
        power -= 1;
        sum = sum * x + coefficients[power];
    }
    sum
}

/// sin(2 pi t) for t in [-1/4, 1/4].
#[inline(always)]
fn sine_of_turns(t: f64) -> f64 {
    let x = t * std::f64::consts::TAU;
    x * polynomial(x * x, SINE)
}

/// The Taylor series of sin(x) / x, in powers of x^2: 1 / (2k + 1)!, with alternating signs.
const SINE: [f64; 11] = [
    1.0,
    -0.16666666666666666,
    0.008333333333333333,
    -0.0001984126984126984,
    2.7557319223985893e-06,
    -2.505210838544172e-08,
    1.6059043836821613e-10,
    -7.647163731819816e-13,
    2.8114572543455206e-15,
    -8.22063524662433e-18,
    1.9572941063391263e-20,
];

/// That of the exponential function: 1 / k!.
const EXPONENTIAL: [f64; 13] = [
    1.0,
    1.0,
    0.5,
    0.16666666666666666,
    0.041666666666666664,
    0.008333333333333333,
    0.001388888888888889,
    0.0001984126984126984,
    2.48015873015873e-05,
    2.7557319223985893e-06,
    2.755731922398589e-07,
    2.505210838544172e-08,
    2.08767569878681e-09,
];

/// Its first terms.
const SHORT: [f64; 10] = {
    let [a, b, c, d, e, f, g, h, i, j, ..] = EXPONENTIAL;
    [a, b, c, d, e, f, g, h, i, j]
};

/// The series of artanh(x) / x, in powers of x^2: 1 / (2k + 1).
const ARTANH: [f64; 11] = {
    let mut series = [0.0; 11];
    let mut k = 0;
    while k < series.len() {
        series[k] = 1.0 / (2 * k + 1) as f64;
        k += 1;
    }
    series
};

/// 2^x; overflows to infinity and underflows to zero far outside of f32.
#[inline(always)]
pub(crate) fn exp2(x: f64) -> f64 {
    exp2_by(x, EXPONENTIAL)
}

/// The same to some 1e-11, which is enough for halves.
#[inline(always)]
pub(crate) fn exp2_short(x: f64) -> f64 {
    exp2_by(x, SHORT)
}

/// 2^x by this many terms of the series of the exponential function.
#[inline(always)]
fn exp2_by<const N: usize>(x: f64, series: [f64; N]) -> f64 {
    let x = if x > 1000.0 { 1000.0 } else { x };
    let x = if x < -1000.0 { -1000.0 } else { x };
    let counted = x + COUNTER;
    let y = (x - (counted - COUNTER)) * std::f64::consts::LN_2;
    // The lowest bits belong to the integer; the others are shifted out.
    let power = f64::from_bits(counted.to_bits().wrapping_add(1023) << 52);
    polynomial(y, series) * power
}

/// log2 of a positive, normal, finite number.
#[inline(always)]
fn log2(x: f64) -> f64 {
    const WHOLE: f64 = power_of_two(52);
    const FRACTION: u64 = (1 << 52) - 1;
    // As fraction of 2^52, and with the bias, that is the exponent.
    let exponent = f64::from_bits(x.to_bits() >> 52 | WHOLE.to_bits()) - (WHOLE + 1023.0);
    let fraction = f64::from_bits(x.to_bits() & FRACTION | 1f64.to_bits());
    let large = fraction > std::f64::consts::SQRT_2;
    let exponent = if large { exponent + 1.0 } else { exponent };
    let fraction = if large { fraction * 0.5 } else { fraction };
    // ln m = 2 atanh((m - 1) / (m + 1)), of at most 0.172.
    let s = (fraction - 1.0) / (fraction + 1.0);
    let square = s * s;
    exponent + 2.0 * s * polynomial(square, ARTANH) * std::f64::consts::LOG2_E
}

/// `lg2.approx.f32`.
#[inline(always)]
pub(crate) fn lg2(flags: Flags, a: f32) -> f32 {
    let a = flush_if_asked(flags, a);
    let result = flush_if_asked(flags, log2(a as f64) as f32);
    let result = if a.is_infinite() { a } else { result };
    let result = if a == 0.0 { f32::NEG_INFINITY } else { result };
    if a.is_nan() | (a < 0.0) { NAN_F32 } else { result }
}

/// `ex2.approx.f32`.
#[inline(always)]
pub(crate) fn ex2(flags: Flags, a: f32) -> f32 {
    canonical(flush_if_asked(flags, exp2(flush_if_asked(flags, a) as f64) as f32))
}

/// tanh of any number.
#[inline(always)]
pub(crate) fn tanh(x: f64) -> f64 {
    tanh_by(x, exp2)
}

/// The same to some 1e-11, which is enough for halves.
#[inline(always)]
pub(crate) fn tanh_short(x: f64) -> f64 {
    tanh_by(x, exp2_short)
}

/// tanh by a form of 2^x.
#[inline(always)]
fn tanh_by(x: f64, exp2: impl Fn(f64) -> f64) -> f64 {
    // Near zero the quotient would cancel.
    let square = x * x;
    let near = x * (1.0 - square * (1.0 / 3.0 - square * (2.0 / 15.0 - square * (17.0 / 315.0))));
    let grown = exp2(x.abs() * 2.0 * std::f64::consts::LOG2_E);
    let far = (1.0 - 2.0 / (grown + 1.0)).copysign(x);
    if x.abs() < 0.02 { near } else { far }
}

/// `tanh.approx.f32`.
#[inline(always)]
pub(crate) fn tanh_f32(a: f32) -> f32 {
    canonical(tanh(a as f64) as f32)
}
