//! Half-precision arithmetic: f16, bf16 and pairs of them (PTX ISA 9.7.4).
//!
//! Bit-exact except for `tanh` and `ex2`, which are within the ISA's bounds; the rules are in
//! [`crate::lanes::scalar::halves`].

use ::half::{bf16, f16};

use super::define::{Definition, body, primitives};
use crate::lanes::scalar::halves::{self, Pair};
use crate::lanes::{Flags, binary, ternary, unary};

/// An operation of one operand on a half, or on both of a pair. Without modifiers it has its own
/// lane loop, in which nothing asks for them.
macro_rules! half1 {
    ($half:ty, $f:path) => {
        half1!(@ $half, |flags: Flags, a| $f(flags, a))
    };
    (pair $half:ty, $f:path) => {
        half1!(@ Pair<$half>, |flags: Flags, a: Pair<$half>| {
            Pair($f(flags, a.0), $f(flags, a.1))
        })
    };
    (@ $ty:ty, $f:expr) => {
        body!([D(<$ty>), A(<$ty>)], |r, o| {
            let flags = o.flags;
            if flags.is_plain() {
                unary::<$ty, $ty, _>(r, o, |a| ($f)(Flags::NONE, a))
            } else {
                unary::<$ty, $ty, _>(r, o, |a| ($f)(flags, a))
            }
        })
    };
}

/// As `half1`, of two operands.
macro_rules! half2 {
    ($half:ty, $f:path) => {
        half2!(@ $half, |flags: Flags, a, b| $f(flags, a, b))
    };
    (pair $half:ty, $f:path) => {
        half2!(@ Pair<$half>, |flags: Flags, a: Pair<$half>, b: Pair<$half>| {
            Pair($f(flags, a.0, b.0), $f(flags, a.1, b.1))
        })
    };
    (@ $ty:ty, $f:expr) => {
        body!([D(<$ty>), A(<$ty>), B(<$ty>)], |r, o| {
            let flags = o.flags;
            if flags.is_plain() {
                binary::<$ty, $ty, $ty, _>(r, o, |a, b| ($f)(Flags::NONE, a, b))
            } else {
                binary::<$ty, $ty, $ty, _>(r, o, |a, b| ($f)(flags, a, b))
            }
        })
    };
}

/// As `half1`, of three operands.
macro_rules! half3 {
    ($half:ty, $f:path) => {
        half3!(@ $half, |flags: Flags, a, b, c| $f(flags, a, b, c))
    };
    (pair $half:ty, $f:path) => {
        half3!(@ Pair<$half>, |flags: Flags, a: Pair<$half>, b: Pair<$half>, c: Pair<$half>| {
            Pair($f(flags, a.0, b.0, c.0), $f(flags, a.1, b.1, c.1))
        })
    };
    (@ $ty:ty, $f:expr) => {
        body!([D(<$ty>), A(<$ty>), B(<$ty>), C(<$ty>)], |r, o| {
            let flags = o.flags;
            if flags.is_plain() {
                ternary::<$ty, $ty, $ty, $ty, _>(r, o, |a, b, c| ($f)(Flags::NONE, a, b, c))
            } else {
                ternary::<$ty, $ty, $ty, $ty, _>(r, o, |a, b, c| ($f)(flags, a, b, c))
            }
        })
    };
}

primitives! {
    /// Half-precision arithmetic.
    pub enum Half wide {
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
