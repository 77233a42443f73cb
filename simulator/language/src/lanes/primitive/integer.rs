//! Integer arithmetic (PTX ISA 9.7.1.1 to 9.7.1.13).
//!
//! Bit-exact. Where the ISA leaves the result undefined, division by zero gives all ones, the
//! remainder by zero is the dividend, MIN / -1 wraps to MIN (see
//! [`crate::lanes::scalar::integers`]).

use super::define::{Definition, body, lanes, primitives, scalar};
use super::part;
use crate::lanes::scalar::integers::{
    Integer as _, by_halves_s16, by_halves_u16, product_s24, product_u24,
};

/// `mad`: a product, and a third value added to it, wrapping.
macro_rules! mad {
    ($a:ty, $d:ty, $product:ident) => {
        lanes!(ternary($a, $a, $d) -> $d, |a: $a, b, c| a.$product(b).wrapping_add(c))
    };
}

/// `sad`: the distance of two values, and a third added to it.
macro_rules! sad {
    ($ty:ty) => {
        lanes!(ternary($ty, $ty, $ty) -> $ty, |a: $ty, b, c| a.distance(b).wrapping_add(c))
    };
}

primitives! {
    /// Integer arithmetic.
    pub enum Integer {
        AddU16 = lanes!(binary(u16, u16) -> u16, u16::wrapping_add);
        AddU32 = part::AddU32::DEFINITION;
        AddU64 = part::AddU64::DEFINITION;
        AddSatS32 = lanes!(binary(i32, i32) -> i32, i32::saturating_add);
        AddU16x2 = lanes!(binary(u32, u32) -> u32, |a, b| by_halves_u16(a, b, u16::wrapping_add));
        SubU16 = lanes!(binary(u16, u16) -> u16, u16::wrapping_sub);
        SubU32 = part::SubU32::DEFINITION;
        SubU64 = lanes!(binary(u64, u64) -> u64, u64::wrapping_sub);
        SubSatS32 = lanes!(binary(i32, i32) -> i32, i32::saturating_sub);
        MulLoU16 = lanes!(binary(u16, u16) -> u16, u16::wrapping_mul);
        MulLoU32 = part::MulLoU32::DEFINITION;
        MulLoU64 = lanes!(binary(u64, u64) -> u64, u64::wrapping_mul);
        MulHiU16 = lanes!(binary(u16, u16) -> u16, u16::high_product);
        MulHiS16 = lanes!(binary(i16, i16) -> i16, i16::high_product);
        MulHiU32 = lanes!(binary(u32, u32) -> u32, u32::high_product);
        MulHiS32 = lanes!(binary(i32, i32) -> i32, i32::high_product);
        MulHiU64 = lanes!(binary(u64, u64) -> u64, u64::high_product);
        MulHiS64 = lanes!(binary(i64, i64) -> i64, i64::high_product);
        MulWideU16 = lanes!(binary(u16, u16) -> u32, u16::wide_product);
        MulWideS16 = lanes!(binary(i16, i16) -> i32, i16::wide_product);
        MulWideU32 = part::MulWideU32::DEFINITION;
        MulWideS32 = part::MulWideS32::DEFINITION;
        MadLoU16 = mad!(u16, u16, wrapping_mul);
        MadLoU32 = part::MadLoU32::DEFINITION;
        MadLoU64 = mad!(u64, u64, wrapping_mul);
        MadHiU16 = mad!(u16, u16, high_product);
        MadHiS16 = mad!(i16, i16, high_product);
        MadHiU32 = mad!(u32, u32, high_product);
        MadHiS32 = mad!(i32, i32, high_product);
        MadHiSatS32 = lanes!(ternary(i32, i32, i32) -> i32, |a: i32, b, c| {
            a.high_product(b).saturating_add(c)
        });
        MadHiU64 = mad!(u64, u64, high_product);
        MadHiS64 = mad!(i64, i64, high_product);
        MadWideU16 = mad!(u16, u32, wide_product);
        MadWideS16 = mad!(i16, i32, wide_product);
        MadWideU32 = mad!(u32, u64, wide_product);
        MadWideS32 = mad!(i32, i64, wide_product);
        Mul24LoU32 = lanes!(binary(u32, u32) -> u32, |a, b| product_u24(a, b) as u32);
        Mul24LoS32 = lanes!(binary(i32, i32) -> i32, |a, b| product_s24(a, b) as i32);
        Mul24HiU32 = lanes!(binary(u32, u32) -> u32, |a, b| (product_u24(a, b) >> 16) as u32);
        Mul24HiS32 = lanes!(binary(i32, i32) -> i32, |a, b| (product_s24(a, b) >> 16) as i32);
        Mad24LoU32 = lanes!(ternary(u32, u32, u32) -> u32, |a, b, c| {
            (product_u24(a, b) as u32).wrapping_add(c)
        });
        Mad24LoS32 = lanes!(ternary(i32, i32, i32) -> i32, |a, b, c| {
            (product_s24(a, b) as i32).wrapping_add(c)
        });
        Mad24HiU32 = lanes!(ternary(u32, u32, u32) -> u32, |a, b, c| {
            ((product_u24(a, b) >> 16) as u32).wrapping_add(c)
        });
        Mad24HiS32 = lanes!(ternary(i32, i32, i32) -> i32, |a, b, c| {
            ((product_s24(a, b) >> 16) as i32).wrapping_add(c)
        });
        Mad24HiSatS32 = lanes!(ternary(i32, i32, i32) -> i32, |a, b, c| {
            ((product_s24(a, b) >> 16) as i32).saturating_add(c)
        });
        SadU16 = sad!(u16);
        SadS16 = sad!(i16);
        SadU32 = sad!(u32);
        SadS32 = sad!(i32);
        SadU64 = sad!(u64);
        SadS64 = sad!(i64);
        DivU16 = lanes!(binary(u16, u16) -> u16, u16::quotient).wide();
        DivS16 = lanes!(binary(i16, i16) -> i16, i16::quotient).wide();
        DivU32 = lanes!(binary(u32, u32) -> u32, u32::quotient).wide();
        DivS32 = lanes!(binary(i32, i32) -> i32, i32::quotient).wide();
        DivU64 = lanes!(binary(u64, u64) -> u64, u64::quotient).wide();
        DivS64 = lanes!(binary(i64, i64) -> i64, i64::quotient).wide();
        RemU16 = lanes!(binary(u16, u16) -> u16, u16::remainder).wide();
        RemS16 = lanes!(binary(i16, i16) -> i16, i16::remainder).wide();
        RemU32 = lanes!(binary(u32, u32) -> u32, u32::remainder).wide();
        RemS32 = lanes!(binary(i32, i32) -> i32, i32::remainder).wide();
        RemU64 = lanes!(binary(u64, u64) -> u64, u64::remainder).wide();
        RemS64 = lanes!(binary(i64, i64) -> i64, i64::remainder).wide();
        AbsS16 = lanes!(unary(i16) -> i16, i16::wrapping_abs);
        AbsS32 = lanes!(unary(i32) -> i32, i32::wrapping_abs);
        AbsS64 = lanes!(unary(i64) -> i64, i64::wrapping_abs);
        NegS16 = lanes!(unary(i16) -> i16, i16::wrapping_neg);
        NegS32 = lanes!(unary(i32) -> i32, i32::wrapping_neg);
        NegS64 = lanes!(unary(i64) -> i64, i64::wrapping_neg);
        MinU16 = lanes!(binary(u16, u16) -> u16, u16::min);
        MinS16 = lanes!(binary(i16, i16) -> i16, i16::min);
        MinU32 = lanes!(binary(u32, u32) -> u32, u32::min);
        MinS32 = lanes!(binary(i32, i32) -> i32, i32::min);
        MinU64 = lanes!(binary(u64, u64) -> u64, u64::min);
        MinS64 = lanes!(binary(i64, i64) -> i64, i64::min);
        MinReluS32 = lanes!(binary(i32, i32) -> i32, |a: i32, b| a.min(b).max(0));
        MinU16x2 = lanes!(binary(u32, u32) -> u32, |a, b| by_halves_u16(a, b, u16::min));
        MinS16x2 = lanes!(binary(u32, u32) -> u32, |a, b| by_halves_s16(a, b, i16::min));
        MinReluS16x2 = lanes!(binary(u32, u32) -> u32, |a, b| {
            by_halves_s16(a, b, |a, b| a.min(b).max(0))
        });
        MaxU16 = lanes!(binary(u16, u16) -> u16, u16::max);
        MaxS16 = lanes!(binary(i16, i16) -> i16, i16::max);
        MaxU32 = lanes!(binary(u32, u32) -> u32, u32::max);
        MaxS32 = lanes!(binary(i32, i32) -> i32, i32::max);
        MaxU64 = lanes!(binary(u64, u64) -> u64, u64::max);
        MaxS64 = lanes!(binary(i64, i64) -> i64, i64::max);
        MaxReluS32 = lanes!(binary(i32, i32) -> i32, |a: i32, b| a.max(b).max(0));
        MaxU16x2 = lanes!(binary(u32, u32) -> u32, |a, b| by_halves_u16(a, b, u16::max));
        MaxS16x2 = lanes!(binary(u32, u32) -> u32, |a, b| by_halves_s16(a, b, i16::max));
        MaxReluS16x2 = lanes!(binary(u32, u32) -> u32, |a, b| {
            by_halves_s16(a, b, |a, b| a.max(b).max(0))
        });
    }
}
