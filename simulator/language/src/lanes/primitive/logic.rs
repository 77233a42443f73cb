//! Logic, shifts, byte permutation and selection (PTX ISA 9.7.8, 9.7.9.7, 9.7.6.3, 9.7.6.4), and
//! the small moves that lowering puts around an instruction: copies, packing, unpacking. Bit-exact.
//!
//! Shift amounts are 32-bit whatever the type, and clamp: a shift by the width or more gives 0,
//! or the sign for signed values.

use super::define::{Definition, body, lanes, primitives, scalar};
use super::part;
use crate::lanes::scalar::float::flush;
use crate::lanes::scalar::integers::{
    funnel_left, funnel_right, permute_by, permute_bytes, shl_16, shr_s16, shr_s32, shr_s64,
    shr_u16, shr_u64, three_input_logic,
};
use crate::lanes::{Flags, predicate, predicates, select, ternary};

/// On predicates: `p = f(a, b)` on lane masks.
macro_rules! predicate_logic {
    ($f:expr) => {
        body!([D[Pred], A[Pred], B[Pred]], |r, o| predicates(r, o, $f)).moving()
    };
}

/// A mode of `prmt`, with the selectors for the four values of the low bits of `c`.
macro_rules! permute {
    ($selectors:expr) => {
        lanes!(ternary(u32, u32, u32) -> u32, |a, b, c| permute_by(a, b, c, $selectors)).moving()
    };
}

/// `selp` of one width.
macro_rules! selp {
    ($ty:ty) => {
        body!([D(<$ty>), A(<$ty>), B(<$ty>), C[Pred]], |r, o| select::<$ty, _>(r, o)).moving()
    };
}

/// `slct` of one width: by the sign of an integer, or of a float (-0 counts as not negative, NaN as
/// negative).
macro_rules! slct {
    ($ty:ty, s32) => {
        lanes!(ternary($ty, $ty, i32) -> $ty, |a, b, c| if c >= 0 { a } else { b })
    };
    ($ty:ty, f32) => {
        lanes!(ternary($ty, $ty, f32) -> $ty, with_flags |f: Flags, a, b, c| {
            let c = if f.has(Flags::FTZ) { flush(c) } else { c };
            if c >= 0.0 { a } else { b }
        })
    };
}

primitives! {
    /// Logic, shifts, byte permutation and selection.
    pub enum Logic {
        AndPred = predicate_logic!(|a, b| a & b);
        AndB16 = lanes!(binary(u16, u16) -> u16, |a, b| a & b).moving();
        AndB32 = part::AndB32::DEFINITION.moving();
        AndB64 = lanes!(binary(u64, u64) -> u64, |a, b| a & b).moving();
        OrPred = predicate_logic!(|a, b| a | b);
        OrB16 = lanes!(binary(u16, u16) -> u16, |a, b| a | b).moving();
        OrB32 = part::OrB32::DEFINITION.moving();
        OrB64 = lanes!(binary(u64, u64) -> u64, |a, b| a | b).moving();
        XorPred = predicate_logic!(|a, b| a ^ b);
        XorB16 = lanes!(binary(u16, u16) -> u16, |a, b| a ^ b).moving();
        XorB32 = part::XorB32::DEFINITION.moving();
        XorB64 = lanes!(binary(u64, u64) -> u64, |a, b| a ^ b).moving();
        NotPred = body!([D[Pred], A[Pred]], |r, o| {
            predicate(r, o, |a| !a)
        }).moving();
        NotB16 = lanes!(unary(u16) -> u16, |a: u16| !a).moving();
        NotB32 = lanes!(unary(u32) -> u32, |a: u32| !a).moving();
        NotB64 = lanes!(unary(u64) -> u64, |a: u64| !a).moving();
        CnotB16 = lanes!(unary(u16) -> u16, |a| (a == 0) as u16);
        CnotB32 = lanes!(unary(u32) -> u32, |a| (a == 0) as u32);
        CnotB64 = lanes!(unary(u64) -> u64, |a| (a == 0) as u64);
        Lop3B32 = body!([D(<u32>), A(<u32>), B(<u32>), C(<u32>), E(<u32>)], |r, o| {
            // The table is a constant in every program.
            let table = r.uniform::<u32>(o.e);
            ternary::<u32, u32, u32, u32, _>(r, o, |a, b, c| three_input_logic(a, b, c, table))
        }).moving();
        ShfLWrapB32 = lanes!(ternary(u32, u32, u32) -> u32, |a, b, c| {
            funnel_left(a, b, c & 31)
        }).moving();
        ShfRWrapB32 = lanes!(ternary(u32, u32, u32) -> u32, |a, b, c| {
            funnel_right(a, b, c & 31)
        }).moving();
        ShfLClampB32 = lanes!(ternary(u32, u32, u32) -> u32, funnel_left).moving();
        ShfRClampB32 = lanes!(ternary(u32, u32, u32) -> u32, funnel_right).moving();
        ShlB16 = lanes!(binary_uniform(u16, u32) -> u16, shl_16).moving();
        ShlB32 = part::ShlB32::DEFINITION.moving();
        ShlB64 = part::ShlB64::DEFINITION.moving();
        ShrU16 = lanes!(binary_uniform(u16, u32) -> u16, shr_u16).moving();
        ShrU32 = part::ShrU32::DEFINITION.moving();
        ShrU64 = lanes!(binary_uniform(u64, u32) -> u64, shr_u64).moving();
        ShrS16 = lanes!(binary_uniform(i16, u32) -> i16, shr_s16).moving();
        ShrS32 = lanes!(binary_uniform(i32, u32) -> i32, shr_s32).moving();
        ShrS64 = lanes!(binary_uniform(i64, u32) -> i64, shr_s64).moving();
        PrmtB32 = lanes!(ternary(u32, u32, u32) -> u32, permute_bytes).moving();
        PrmtB32F4e = permute!([0x3210, 0x4321, 0x5432, 0x6543]);
        PrmtB32B4e = permute!([0x5670, 0x6701, 0x7012, 0x0123]);
        PrmtB32Rc8 = permute!([0x0000, 0x1111, 0x2222, 0x3333]);
        PrmtB32Ecl = permute!([0x3210, 0x3211, 0x3222, 0x3333]);
        PrmtB32Ecr = permute!([0x0000, 0x1110, 0x2210, 0x3210]);
        PrmtB32Rc16 = permute!([0x1010, 0x3232, 0x1010, 0x3232]);
        SelpB16 = selp!(u16);
        SelpB32 = selp!(u32);
        SelpB64 = selp!(u64);
        SlctB16S32 = slct!(u16, s32);
        SlctB16F32 = slct!(u16, f32);
        SlctB32S32 = slct!(u32, s32);
        SlctB32F32 = slct!(u32, f32);
        SlctB64S32 = slct!(u64, s32);
        SlctB64F32 = slct!(u64, f32);
    }
}

primitives! {
    /// The parts of `mov`: predicates, packing and unpacking, from the lowest part up.
    pub enum Move {
        MovPred = body!([D[Pred], A[Pred]], |r, o| {
            predicate(r, o, |a| a)
        }).moving();
        UnpackHiB64 = lanes!(unary(u64) -> u32, |a| (a >> 32) as u32).moving();
        UnpackLoB32 = lanes!(unary(u32) -> u32, |a| a & 0xffff).moving();
        UnpackHiB32 = lanes!(unary(u32) -> u32, |a: u32| a >> 16).moving();
        UnpackLoB16 = lanes!(unary(u32) -> u32, |a| a & 0xff).moving();
        UnpackHiB16 = lanes!(unary(u32) -> u32, |a| a >> 8 & 0xff).moving();
        PackB64 = lanes!(binary(u32, u32) -> u64, |a, b| a as u64 | (b as u64) << 32).moving();
        PackB32 = lanes!(binary(u16, u16) -> u32, |a, b| a as u32 | (b as u32) << 16).moving();
        PackB16 = lanes!(binary(u8, u8) -> u32, |a, b| a as u32 | (b as u32) << 8).moving();
    }
}
