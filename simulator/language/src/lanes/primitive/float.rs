//! Floating-point arithmetic of f32 and f64 (PTX ISA 9.7.3).
//!
//! Bit-exact in every rounding direction, with `.ftz` and `.sat`; the rules are in
//! [`crate::lanes::scalar::float`]. `add`, `sub` and `mul` without a direction round to nearest and
//! are never contracted here: that is a compiler's choice.

use super::define::{Definition, body, lanes, primitives, scalar};
use crate::lanes::scalar::exact::double;
use crate::lanes::scalar::float::{self, Property, canonical, nan_of, settle};
use crate::lanes::scalar::rounding::Direction;
use crate::lanes::{
    Flags, Loops, Operands, binary, binary_f64, fma_lanes_f32, fma_lanes_f64, ternary, ternary_f64,
    test, unary,
};

/// A loop for flags that are one of some constants, and one for others. In a loop for a constant
/// nothing asks for modifiers.
macro_rules! by_flags {
    ($flags:expr, [$($constant:expr),*], |$known:ident| $loop:expr) => {{
        let flags = $flags;
        $(if flags == $constant {
            let $known = $constant;
            $loop
        } else)* {
            let $known = flags;
            $loop
        }
    }};
}

/// An operation whose plain case (no direction but to nearest, no `.ftz`, no `.sat`) has a separate
/// lane loop, which vectorises.
macro_rules! float2 {
    ($ty:ty, $plain:expr, $general:expr) => {
        body!([D(<$ty>), A(<$ty>), B(<$ty>)], |r, o| {
            if o.flags.is_plain() {
                binary::<$ty, $ty, $ty, _>(r, o, $plain)
            } else {
                by_flags!(o.flags, [Flags::NAN, Flags::FTZ], |flags| {
                    binary::<$ty, $ty, $ty, _>(r, o, |a, b| $general(flags, a, b))
                })
            }
        })
    };
}

/// `float2` of f32, also with a separate loop for `.ftz`, which fast-math code is full of.
macro_rules! float2_f32 {
    ($plain:expr, $ftz:expr, $general:expr) => {
        body!([D(<f32>), A(<f32>), B(<f32>)], |r, o| {
            let flags = o.flags;
            if flags.is_plain() {
                binary::<f32, f32, f32, _>(r, o, $plain)
            } else if flags.without(Flags::FTZ).is_plain() {
                binary::<f32, f32, f32, _>(r, o, $ftz)
            } else {
                by_flags!(flags, [Flags::RZ, Flags::RM, Flags::RP], |flags| {
                    binary::<f32, f32, f32, _>(r, o, |a, b| $general(flags, a, b))
                })
            }
        })
    };
}

/// `float2` of f64: a plain loop, and one for directions. Both leave NaN to a second loop. The loop
/// for directions gives NaN in rare cases, so that the second loop computes them.
macro_rules! float2_f64 {
    ($plain:expr, $nan:expr, $directed:expr, $general:expr) => {
        body!([D(<f64>), A(<f64>), B(<f64>)], |r, o| {
            if o.flags.is_plain() {
                binary_f64(r, o, $plain, $nan)
            } else {
                by_flags!(o.flags, [Flags::RZ, Flags::RM, Flags::RP], |flags| {
                    let directed = |a, b| ($directed)(Direction::of(flags), a, b);
                    binary_f64(r, o, directed, |a, b| $general(flags, a, b))
                })
            }
        })
    };
}

/// As `float2_f64`, of one operand.
macro_rules! float1_f64 {
    ($plain:expr, $directed:expr, $general:expr) => {
        body!([D(<f64>), A(<f64>)], |r, o| {
            if o.flags.is_plain() {
                unary::<f64, f64, _>(r, o, $plain)
            } else {
                let (flags, direction) = (o.flags, Direction::of(o.flags));
                let twice = Operands { b: o.a, ..*o };
                let directed = |a, _| ($directed)(direction, a);
                binary_f64(r, &twice, directed, |a, _| $general(flags, a))
            }
        })
    };
}

/// As `float2`, of one operand.
macro_rules! float1 {
    ($ty:ty, $plain:expr, $general:expr) => {
        body!([D(<$ty>), A(<$ty>)], |r, o| {
            if o.flags.is_plain() {
                unary::<$ty, $ty, _>(r, o, $plain)
            } else {
                let flags = o.flags;
                unary::<$ty, $ty, _>(r, o, |a| $general(flags, a))
            }
        })
    };
}

/// `testp` of one property.
macro_rules! property {
    ($ty:ty, $property:ident) => {
        body!([D[Pred], A(<$ty>)], |r, o| {
            test::<$ty, _>(r, o, |a| Property::$property.holds(a.classify()))
        })
    };
}

/// A f64 value with another sign bit.
fn with_sign(x: f64, of: f64) -> f64 {
    const SIGN: u64 = 1 << 63;
    f64::from_bits(x.to_bits() & !SIGN | of.to_bits() & SIGN)
}

/// `add.f64` in a direction.
#[inline(always)]
fn double_sum(direction: Direction, a: f64, b: f64) -> f64 {
    double::sum(a, b, direction)
}

/// `sub.f64` in a direction.
#[inline(always)]
fn double_difference(direction: Direction, a: f64, b: f64) -> f64 {
    double::sum(a, -b, direction)
}

/// `rcp.f64` in a direction, except for rare cases.
#[inline(always)]
fn directed_reciprocal(direction: Direction, a: f64) -> f64 {
    float::ordinary_quotient(direction, 1.0, a)
}

/// `fma.f64` in a direction. A second loop handles the rare cases.
#[inline(always)]
fn directed_fma<const FUSED: bool>(loops: &mut Loops<'_, '_, '_, FUSED>, o: &Operands) {
    let (flags, direction) = (o.flags, Direction::of(o.flags));
    ternary_f64(
        loops,
        o,
        |a, b, c| float::ordinary_fma(direction, a, b, c),
        |a, b, c| float::fma_f64(flags, a, b, c),
    );
}

/// `neg.f32` with `.ftz`.
fn neg_f32(flags: Flags, a: f32) -> f32 {
    canonical(-float::flush_if(flags, a))
}

/// `abs.f32` with `.ftz`.
fn abs_f32(flags: Flags, a: f32) -> f32 {
    canonical(float::flush_if(flags, a).abs())
}

fn least_of_three(flags: Flags, a: f32, b: f32, c: f32) -> f32 {
    float::extremum_of_three(flags, false, a, b, c)
}

fn greatest_of_three(flags: Flags, a: f32, b: f32, c: f32) -> f32 {
    float::extremum_of_three(flags, true, a, b, c)
}

/// `abs.f64`, `neg.f64`: a NaN keeps its sign.
fn unless_nan(a: f64, result: f64) -> f64 {
    if a.is_nan() { float::quiet(a) } else { result }
}

primitives! {
    /// Floating-point arithmetic of f32 and f64.
    pub enum Float wide {
        TestpFiniteF32 = property!(f32, Finite);
        TestpFiniteF64 = property!(f64, Finite);
        TestpInfiniteF32 = property!(f32, Infinite);
        TestpInfiniteF64 = property!(f64, Infinite);
        TestpNumberF32 = property!(f32, Number);
        TestpNumberF64 = property!(f64, Number);
        TestpNotanumberF32 = property!(f32, NotANumber);
        TestpNotanumberF64 = property!(f64, NotANumber);
        TestpNormalF32 = property!(f32, Normal);
        TestpNormalF64 = property!(f64, Normal);
        TestpSubnormalF32 = property!(f32, Subnormal);
        TestpSubnormalF64 = property!(f64, Subnormal);
        CopysignF32 = lanes!(binary(f32, f32) -> f32, |a, b: f32| b.copysign(a));
        CopysignF64 = lanes!(binary(f64, f64) -> f64, |a, b| with_sign(b, a));
        AddF32 = float2_f32!(|a, b| canonical(a + b), float::add_ftz_f32, float::add_f32);
        AddF64 = float2_f64!(|a, b| a + b, |a, b| nan_of(a, b, b), double_sum, float::add_f64);
        SubF32 = float2_f32!(|a, b| canonical(a - b), float::sub_ftz_f32, float::sub_f32);
        SubF64 = float2_f64!(|a, b| a - b, |a, b| nan_of(a, b, b), double_difference, float::sub_f64);
        MulF32 = float2_f32!(|a, b| canonical(a * b), float::mul_ftz_f32, float::mul_f32);
        MulF64 = float2_f64!(|a, b| a * b, |a, b| nan_of(a, b, b), float::ordinary_product, float::mul_f64);
        FmaF32 = body!([D(<f32>), A(<f32>), B(<f32>), C(<f32>)], |r, o| {
            let flags = o.flags;
            if flags.is_plain() {
                fma_lanes_f32(r, o, float::canonical)
            } else if flags.without(Flags::FTZ).is_plain() {
                ternary::<f32, f32, f32, f32, _>(r, o, float::fma_ftz_f32)
            } else {
                by_flags!(flags, [Flags::RZ, Flags::RM, Flags::RP], |flags| {
                    ternary::<f32, f32, f32, f32, _>(r, o, |a, b, c| {
                        float::fma_f32(flags, a, b, c)
                    })
                })
            }
        });
        FmaF64 = body!([D(<f64>), A(<f64>), B(<f64>), C(<f64>)], |r, o| {
            if o.flags.is_plain() {
                fma_lanes_f64(r, o, float::nan_of)
            } else {
                directed_fma(r, o)
            }
        });
        DivF32 = float2!(f32, |a, b| canonical(a / b), float::div_f32);
        DivF64 = float2_f64!(|a, b| a / b, |a, b| nan_of(b, a, a), float::ordinary_quotient, float::div_f64);
        AbsF32 = float1!(f32, |a: f32| canonical(a.abs()), abs_f32);
        AbsF64 = lanes!(unary(f64) -> f64, |a| unless_nan(a, with_sign(a, 0.0)));
        NegF32 = float1!(f32, |a: f32| canonical(-a), neg_f32);
        NegF64 = lanes!(unary(f64) -> f64, |a| unless_nan(a, -a));
        MinF32 = float2!(f32, float::min_f32, |f, a, b| float::extremum_f32(f, false, a, b));
        MinF64 = lanes!(binary(f64, f64) -> f64, |a, b| float::extremum_f64(false, a, b));
        MaxF32 = float2!(f32, float::max_f32, |f, a, b| float::extremum_f32(f, true, a, b));
        MaxF64 = lanes!(binary(f64, f64) -> f64, |a, b| float::extremum_f64(true, a, b));
        MinOfThreeF32 = lanes!(ternary(f32, f32, f32) -> f32, with_flags least_of_three);
        MaxOfThreeF32 = lanes!(ternary(f32, f32, f32) -> f32, with_flags greatest_of_three);
        RcpF32 = float1!(f32, |a| canonical(1.0 / a), float::rcp_f32);
        RcpF64 = float1_f64!(|a| settle(1.0 / a, a, a), directed_reciprocal, float::rcp_f64);
        SqrtF32 = float1!(f32, |a: f32| canonical(a.sqrt()), float::sqrt_f32);
        SqrtF64 = float1_f64!(|a: f64| settle(a.sqrt(), a, a), float::ordinary_root, float::sqrt_f64);
    }
}
