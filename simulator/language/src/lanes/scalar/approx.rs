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
//! | `rcp.approx.ftz.f64`, `rsqrt.approx.ftz.f64` | those of the f32 forms, 20 bits of fraction kept |

use super::float::{NAN_F32, canonical, flush_if};
use super::rounding::{Direction, power_of_two};
use crate::lanes::Flags;

/// `div.approx`: 0 for a finite dividend and a divisor above 2^126.
pub(crate) fn div_approx(flags: Flags, a: f32, b: f32) -> f32 {
    let (a, b) = (flush_if(flags, a), flush_if(flags, b));
    let huge = b.abs() > 85070591730234615865843651857942052864.0 && b.is_finite();
    let result = if huge { a * 0f32.copysign(b) } else { a / b };
    canonical(flush_if(flags, result))
}

/// `div.full`.
pub(crate) fn div_full(flags: Flags, a: f32, b: f32) -> f32 {
    canonical(flush_if(flags, flush_if(flags, a) / flush_if(flags, b)))
}

/// `rcp.approx.f32`.
pub(crate) fn rcp(flags: Flags, a: f32) -> f32 {
    canonical(flush_if(flags, 1.0 / flush_if(flags, a)))
}

/// `sqrt.approx.f32`.
pub(crate) fn sqrt(flags: Flags, a: f32) -> f32 {
    canonical(flush_if(flags, a).sqrt())
}

/// `rsqrt.approx.f32`.
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
fn upper(a: f64) -> f64 {
    let a = f64::from_bits(a.to_bits() & !0xffff_ffff);
    if a.abs() < f64::MIN_POSITIVE { 0f64.copysign(a) } else { a }
}

/// The NaN of the `.approx.ftz.f64` forms.
const UPPER_NAN: f64 = f64::from_bits(0x7fff_ffff_0000_0000);

/// `rcp.approx.ftz.f64`.
pub(crate) fn rcp_ftz_f64(a: f64) -> f64 {
    let result = 1.0 / upper(a);
    if result.is_nan() { UPPER_NAN } else { upper(result) }
}

/// `rsqrt.approx.ftz.f64`.
pub(crate) fn rsqrt_ftz_f64(a: f64) -> f64 {
    let result = 1.0 / upper(a).sqrt();
    if result.is_nan() {
        UPPER_NAN
    } else if result.is_infinite() {
        result
    } else {
        // To nearest; the reciprocal above is cut off, both as on an H200.
        upper(f64::from_bits(result.to_bits() + 0x8000_0000))
    }
}

/// The part of a turn that `sin` and `cos` see: hardware multiplies by 1/2pi in f32, toward zero,
/// and keeps 25 bits below the point, and so do we; that decides what comes out for large and for
/// small arguments.
fn turns(flags: Flags, a: f32) -> f64 {
    const STEPS: f64 = (1 << 25) as f64;
    const INVERSE_TWO_PI: f32 = f32::from_bits(0x3e22_f983);
    let product = flush_if(flags, a) as f64 * INVERSE_TWO_PI as f64;
    let turns = Direction::Zero.to_f32(product) as f64;
    let part = turns - turns.round_ties_even();
    (part * STEPS).trunc() / STEPS
}

/// `sin.approx.f32`.
pub(crate) fn sin(flags: Flags, a: f32) -> f32 {
    if !a.is_finite() {
        return NAN_F32;
    }
    match sine_of_turns(turns(flags, a)) as f32 {
        0.0 => 0f32.copysign(a),
        sine => sine,
    }
}

/// `cos.approx.f32`.
pub(crate) fn cos(flags: Flags, a: f32) -> f32 {
    if !a.is_finite() {
        return NAN_F32;
    }
    sine_of_turns(0.25 - turns(flags, a).abs()) as f32
}

/// sin(2 pi t) for t in [-1/2, 1/2].
fn sine_of_turns(t: f64) -> f64 {
    let t = if t > 0.25 {
        0.5 - t
    } else if t < -0.25 {
        -0.5 - t
    } else {
        t
    };
    let x = t * std::f64::consts::TAU;
    // The Taylor series, from its far end; |x| is at most pi/2.
    let square = x * x;
    let series = (1..=11).rev().fold(1.0, |sum, k| {
        let k = k as f64;
        1.0 - square / (2.0 * k * (2.0 * k + 1.0)) * sum
    });
    x * series
}

/// 2^x; overflows to infinity and underflows to zero far outside of f32.
pub(crate) fn exp2(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    let x = x.clamp(-1000.0, 1000.0);
    let whole = x.round_ties_even();
    let y = (x - whole) * std::f64::consts::LN_2;
    let series = (1..=14).rev().fold(1.0, |sum, k| 1.0 + y / k as f64 * sum);
    series * power_of_two(whole as i32)
}

/// log2 of a positive, normal, finite number.
fn log2(x: f64) -> f64 {
    let exponent = (x.to_bits() >> 52) as i32 - 1023;
    let fraction = x * power_of_two(-exponent);
    let (exponent, fraction) = if fraction > std::f64::consts::SQRT_2 {
        (exponent + 1, fraction / 2.0)
    } else {
        (exponent, fraction)
    };
    // ln m = 2 atanh((m - 1) / (m + 1)), of at most 0.172.
    let s = (fraction - 1.0) / (fraction + 1.0);
    let square = s * s;
    let series = (0..=10).rev().fold(0.0, |sum, k| 1.0 / (2 * k + 1) as f64 + square * sum);
    exponent as f64 + 2.0 * s * series * std::f64::consts::LOG2_E
}

/// `lg2.approx.f32`.
pub(crate) fn lg2(flags: Flags, a: f32) -> f32 {
    let a = flush_if(flags, a);
    if a.is_nan() || a < 0.0 {
        NAN_F32
    } else if a == 0.0 {
        f32::NEG_INFINITY
    } else if a.is_infinite() {
        a
    } else {
        flush_if(flags, log2(a as f64) as f32)
    }
}

/// `ex2.approx.f32`.
pub(crate) fn ex2(flags: Flags, a: f32) -> f32 {
    canonical(flush_if(flags, exp2(flush_if(flags, a) as f64) as f32))
}

/// tanh of any number.
pub(crate) fn tanh(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.abs() < 0.02 {
        // The quotient below would cancel.
        let square = x * x;
        return x * (1.0 - square * (1.0 / 3.0 - square * (2.0 / 15.0 - square * 17.0 / 315.0)));
    }
    let grown = exp2(x.abs() * 2.0 * std::f64::consts::LOG2_E);
    (1.0 - 2.0 / (grown + 1.0)).copysign(x)
}

/// `tanh.approx.f32`.
pub(crate) fn tanh_f32(a: f32) -> f32 {
    canonical(tanh(a as f64) as f32)
}
