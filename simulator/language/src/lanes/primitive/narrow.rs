//! `cvt` to and from floating-point numbers of 8, 6 and 4 bits, and with stochastic rounding (PTX
//! ISA 9.7.9.21). The rules are in [`crate::lanes::scalar::narrow`].

use ::half::{bf16, f16};

use super::define::{Definition, body, lanes, primitives, scalar};
use crate::lanes::Flags;
use crate::lanes::scalar::halves::Pair;
use crate::lanes::scalar::narrow::{
    Small, exponents_of_floats, exponents_of_halves, exponents_to_halves, halves_at_random,
};

/// Two f32 to a pair in a register of a type.
macro_rules! of_floats {
    ($small:ident, $d:ty) => {
        lanes!(binary(f32, f32) -> $d, with_flags |f, a, b| {
            Small::$small.of_floats(f, a, b) as $d
        })
    };
}

/// A pair of halves to a pair in a register of a type.
macro_rules! of_halves {
    ($small:ident, $half:ty, $d:ty) => {
        lanes!(unary(Pair<$half>) -> $d, with_flags | f, a | Small::$small.of_halves(f, a) as $d)
    };
}

/// A pair in a register of a type to a pair of f16.
macro_rules! to_halves {
    ($small:ident, $a:ty) => {
        lanes!(unary($a) -> Pair<f16>, with_flags |f, a: $a| Small::$small.to_halves(f, a.into()))
    };
}

/// Two of the four f32 of a stochastic rounding.
macro_rules! at_random {
    ($small:ident, $d:ty) => {
        lanes!(ternary(f32, f32, u32) -> $d, with_flags |f: Flags, a, b, random| {
            Small::$small.of_floats_at_random(f, a, b, random) as $d
        })
    };
}

primitives! {
    /// Conversions to and from floats of at most 8 bits, and stochastic rounding.
    pub enum Narrow {
        CvtE4m3x2F32 = of_floats!(E4m3, u16);
        CvtE5m2x2F32 = of_floats!(E5m2, u16);
        CvtE2m3x2F32 = of_floats!(E2m3, u16);
        CvtE3m2x2F32 = of_floats!(E3m2, u16);
        CvtE2m1x2F32 = of_floats!(E2m1, u8);
        CvtE4m3x2F16x2 = of_halves!(E4m3, f16, u16);
        CvtE5m2x2F16x2 = of_halves!(E5m2, f16, u16);
        CvtE2m3x2F16x2 = of_halves!(E2m3, f16, u16);
        CvtE3m2x2F16x2 = of_halves!(E3m2, f16, u16);
        CvtE2m1x2F16x2 = of_halves!(E2m1, f16, u8);
        CvtE4m3x2Bf16x2 = of_halves!(E4m3, bf16, u16);
        CvtE5m2x2Bf16x2 = of_halves!(E5m2, bf16, u16);
        CvtE2m3x2Bf16x2 = of_halves!(E2m3, bf16, u16);
        CvtE3m2x2Bf16x2 = of_halves!(E3m2, bf16, u16);
        CvtE2m1x2Bf16x2 = of_halves!(E2m1, bf16, u8);
        CvtF16x2E4m3x2 = to_halves!(E4m3, u16);
        CvtF16x2E5m2x2 = to_halves!(E5m2, u16);
        CvtF16x2E2m3x2 = to_halves!(E2m3, u16);
        CvtF16x2E3m2x2 = to_halves!(E3m2, u16);
        CvtF16x2E2m1x2 = to_halves!(E2m1, u8);
        CvtUe8m0x2F32 = lanes!(binary(f32, f32) -> u16, with_flags exponents_of_floats);
        CvtUe8m0x2Bf16x2 = lanes!(unary(Pair<bf16>) -> u16, with_flags exponents_of_halves);
        CvtBf16x2Ue8m0x2 = lanes!(unary(u16) -> Pair<bf16>, exponents_to_halves);
        CvtRsF16x2F32 = lanes!(ternary(f32, f32, u32) -> Pair<f16>, with_flags halves_at_random);
        CvtRsBf16x2F32 = lanes!(ternary(f32, f32, u32) -> Pair<bf16>, with_flags halves_at_random);
        CvtRsE4m3x2F32 = at_random!(E4m3, u16);
        CvtRsE5m2x2F32 = at_random!(E5m2, u16);
        CvtRsE2m3x2F32 = at_random!(E2m3, u16);
        CvtRsE3m2x2F32 = at_random!(E3m2, u16);
        CvtRsE2m1x2F32 = at_random!(E2m1, u8);
    }
}
