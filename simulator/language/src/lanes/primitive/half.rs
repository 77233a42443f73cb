//! Half-precision arithmetic: f16, bf16 and pairs of them (PTX ISA 9.7.4).
//!
//! Bit-exact but for `tanh` and `ex2`, which are within the ISA's bounds; the rules are in
//! [`crate::lanes::scalar::halves`].

use ::half::{bf16, f16};

use super::define::{Definition, body, lanes, primitives, scalar};
use crate::lanes::scalar::halves::{self, Pair, each, each_2, each_3};

/// An operation of one operand on a half, or on both of a pair.
macro_rules! half1 {
    ($half:ty, $f:path) => {
        lanes!(unary($half) -> $half, with_flags $f)
    };
    (pair $half:ty, $f:path) => {
        lanes!(unary(Pair<$half>) -> Pair<$half>, with_flags |f, a| each(|a| $f(f, a), a))
    };
}

/// As `half1`, of two operands.
macro_rules! half2 {
    ($half:ty, $f:path) => {
        lanes!(binary($half, $half) -> $half, with_flags $f)
    };
    (pair $half:ty, $f:path) => {
        lanes!(binary(Pair<$half>, Pair<$half>) -> Pair<$half>, with_flags |f, a, b| {
            each_2(|a, b| $f(f, a, b), a, b)
        })
    };
}

/// As `half1`, of three operands.
macro_rules! half3 {
    ($half:ty, $f:path) => {
        lanes!(ternary($half, $half, $half) -> $half, with_flags $f)
    };
    (pair $half:ty, $f:path) => {
        lanes!(
            ternary(Pair<$half>, Pair<$half>, Pair<$half>) -> Pair<$half>,
            with_flags |f, a, b, c| each_3(|a, b, c| $f(f, a, b, c), a, b, c)
        )
    };
}

primitives! {
    /// Half-precision arithmetic.
    pub enum Half {
        AddF16 = half2!(f16, halves::add);
        AddF16x2 = half2!(pair f16, halves::add);
        AddBf16 = half2!(bf16, halves::add);
        AddBf16x2 = half2!(pair bf16, halves::add);
        SubF16 = half2!(f16, halves::sub);
        SubF16x2 = half2!(pair f16, halves::sub);
        SubBf16 = half2!(bf16, halves::sub);
        SubBf16x2 = half2!(pair bf16, halves::sub);
        MulF16 = half2!(f16, halves::mul);
        MulF16x2 = half2!(pair f16, halves::mul);
        MulBf16 = half2!(bf16, halves::mul);
        MulBf16x2 = half2!(pair bf16, halves::mul);
        FmaF16 = half3!(f16, halves::fma);
        FmaF16x2 = half3!(pair f16, halves::fma);
        FmaBf16 = half3!(bf16, halves::fma);
        FmaBf16x2 = half3!(pair bf16, halves::fma);
        NegF16 = half1!(f16, halves::neg);
        NegF16x2 = half1!(pair f16, halves::neg);
        NegBf16 = half1!(bf16, halves::neg);
        NegBf16x2 = half1!(pair bf16, halves::neg);
        AbsF16 = half1!(f16, halves::abs);
        AbsF16x2 = half1!(pair f16, halves::abs);
        AbsBf16 = half1!(bf16, halves::abs);
        AbsBf16x2 = half1!(pair bf16, halves::abs);
        MinF16 = half2!(f16, halves::min);
        MinF16x2 = half2!(pair f16, halves::min);
        MinBf16 = half2!(bf16, halves::min);
        MinBf16x2 = half2!(pair bf16, halves::min);
        MaxF16 = half2!(f16, halves::max);
        MaxF16x2 = half2!(pair f16, halves::max);
        MaxBf16 = half2!(bf16, halves::max);
        MaxBf16x2 = half2!(pair bf16, halves::max);
        TanhApproxF16 = half1!(f16, halves::tanh);
        TanhApproxF16x2 = half1!(pair f16, halves::tanh);
        TanhApproxBf16 = half1!(bf16, halves::tanh);
        TanhApproxBf16x2 = half1!(pair bf16, halves::tanh);
        Ex2ApproxF16 = half1!(f16, halves::ex2);
        Ex2ApproxF16x2 = half1!(pair f16, halves::ex2);
        Ex2ApproxBf16 = half1!(bf16, halves::ex2);
        Ex2ApproxBf16x2 = half1!(pair bf16, halves::ex2);
    }
}
