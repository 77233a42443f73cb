//! Bit counting, searching, bit fields, and packed dot products (PTX ISA 9.7.1.14 to 9.7.1.24).
//!
//! Bit-exact. The 32-bit forms take the position and length of a field modulo 256, as the ISA says.
//! The 64-bit forms take all bits of both, as an H200 does. The ISA says otherwise. `fns` is
//! undefined in the ISA for a base above 31; here it finds nothing.

use super::define::{Definition, body, lanes, primitives, scalar};
use crate::lanes::scalar::integers::{
    bit_mask_clamp, dot2, dot4, extract_field, field_sign, find_high_bit, find_nth_set,
    insert_field, keep_low, keep_low_signed, magnitude_bits_32, magnitude_bits_64, shift_amount,
};

/// `dp4a` of factors that are signed or not.
macro_rules! dp4a {
    ($a_signed:literal, $b_signed:literal) => {
        lanes!(ternary(u32, u32, u32) -> u32, |a, b, c| dot4(a, b, c, $a_signed, $b_signed))
    };
}

/// `dp2a` with the bytes of b from `$first` on.
macro_rules! dp2a {
    ($first:literal, $a_signed:literal, $b_signed:literal) => {
        lanes!(ternary(u32, u32, u32) -> u32, |a, b, c| dot2(a, b, c, $first, $a_signed, $b_signed))
    };
}

primitives! {
    /// Bit counting, searching, bit fields, and packed dot products.
    pub enum Bits {
        PopcB32 = lanes!(unary(u32) -> u32, u32::count_ones);
        PopcB64 = lanes!(unary(u64) -> u32, u64::count_ones);
        ClzB32 = lanes!(unary(u32) -> u32, u32::leading_zeros);
        ClzB64 = lanes!(unary(u64) -> u32, u64::leading_zeros);
        BfindU32 = lanes!(unary(u32) -> u32, |a: u32| find_high_bit(a as u64));
        BfindS32 = lanes!(unary(i32) -> u32, |a| find_high_bit(magnitude_bits_32(a)));
        BfindU64 = lanes!(unary(u64) -> u32, find_high_bit);
        BfindS64 = lanes!(unary(i64) -> u32, |a| find_high_bit(magnitude_bits_64(a)));
        BfindShiftamtU32 = lanes!(unary(u32) -> u32, |a: u32| {
            shift_amount(find_high_bit(a as u64), 32)
        });
        BfindShiftamtS32 = lanes!(unary(i32) -> u32, |a| {
            shift_amount(find_high_bit(magnitude_bits_32(a)), 32)
        });
        BfindShiftamtU64 = lanes!(unary(u64) -> u32, |a| shift_amount(find_high_bit(a), 64));
        BfindShiftamtS64 = lanes!(unary(i64) -> u32, |a| {
            shift_amount(find_high_bit(magnitude_bits_64(a)), 64)
        });
        FnsB32 = lanes!(ternary(u32, u32, i32) -> u32, find_nth_set);
        BrevB32 = lanes!(unary(u32) -> u32, u32::reverse_bits).moving();
        BrevB64 = lanes!(unary(u64) -> u64, u64::reverse_bits).moving();
        BfeU32 = lanes!(ternary(u32, u32, u32) -> u32, |a: u32, b, c| {
            extract_field(a as u64, 32, b & 0xff, c & 0xff, false) as u32
        }).moving();
        BfeS32 = lanes!(ternary(u32, u32, u32) -> u32, |a: u32, b, c| {
            let (a, b, c) = (a as u64, b & 0xff, c & 0xff);
            extract_field(a, 32, b, c, field_sign(a, 32, b, c)) as u32
        }).moving();
        BfeU64 = lanes!(ternary(u64, u32, u32) -> u64, |a, b, c| {
            extract_field(a, 64, b, c, false)
        }).moving();
        BfeS64 = lanes!(ternary(u64, u32, u32) -> u64, |a, b, c| {
            extract_field(a, 64, b, c, field_sign(a, 64, b, c))
        }).moving();
        BfiB32 = lanes!(quaternary(u32, u32, u32, u32) -> u32, |a: u32, b: u32, c, d| {
            insert_field(a as u64, b as u64, c & 0xff, d & 0xff) as u32
        }).moving();
        BfiB64 = lanes!(quaternary(u64, u64, u32, u32) -> u64, insert_field).moving();
        SzextClampU32 = lanes!(binary(u32, u32) -> u32, keep_low).moving();
        SzextClampS32 = lanes!(binary(i32, u32) -> i32, keep_low_signed).moving();
        SzextWrapU32 = lanes!(binary(u32, u32) -> u32, |a, b| keep_low(a, b & 31)).moving();
        SzextWrapS32 = lanes!(binary(i32, u32) -> i32, |a, b| keep_low_signed(a, b & 31)).moving();
        BmskClampB32 = lanes!(binary(u32, u32) -> u32, bit_mask_clamp);
        BmskWrapB32 = lanes!(binary(u32, u32) -> u32, |a, b| bit_mask_clamp(a & 31, b & 31));
        Dp4aU32U32 = dp4a!(false, false);
        Dp4aU32S32 = dp4a!(false, true);
        Dp4aS32U32 = dp4a!(true, false);
        Dp4aS32S32 = dp4a!(true, true);
        Dp2aLoU32U32 = dp2a!(0, false, false);
        Dp2aLoU32S32 = dp2a!(0, false, true);
        Dp2aLoS32U32 = dp2a!(0, true, false);
        Dp2aLoS32S32 = dp2a!(0, true, true);
        Dp2aHiU32U32 = dp2a!(2, false, false);
        Dp2aHiU32S32 = dp2a!(2, false, true);
        Dp2aHiS32U32 = dp2a!(2, true, false);
        Dp2aHiS32S32 = dp2a!(2, true, true);
    }
}
