//! Lane loops of the small operations that lowering puts around an instruction: copies, widening,
//! narrowing, packing.

use crate::lanes::{Mask, Operands, Registers, binary, unary};

pub(super) fn copy32(r: &mut Registers, o: &Operands, m: Mask) {
    unary::<u32, u32>(r, o, m, |a| a);
}

pub(super) fn copy64(r: &mut Registers, o: &Operands, m: Mask) {
    unary::<u64, u64>(r, o, m, |a| a);
}

pub(super) fn copy_predicate(r: &mut Registers, o: &Operands, m: Mask) {
    let value = r.predicate(o.a);
    r.set_predicate(o.d, m, value);
}

pub(super) fn not_predicate(r: &mut Registers, o: &Operands, m: Mask) {
    let value = !r.predicate(o.a);
    r.set_predicate(o.d, m, value);
}

/// Zero-extends 32 bits to 64.
pub(super) fn widen_unsigned(r: &mut Registers, o: &Operands, m: Mask) {
    unary::<u32, u64>(r, o, m, u64::from);
}

/// Sign-extends 32 bits to 64.
pub(super) fn widen_signed(r: &mut Registers, o: &Operands, m: Mask) {
    unary::<i32, i64>(r, o, m, i64::from);
}

/// The low 32 bits.
pub(super) fn narrow(r: &mut Registers, o: &Operands, m: Mask) {
    unary::<u64, u32>(r, o, m, |a| a as u32);
}

/// The high 32 bits.
pub(super) fn high(r: &mut Registers, o: &Operands, m: Mask) {
    unary::<u64, u32>(r, o, m, |a| (a >> 32) as u32);
}

/// The low 16 bits.
pub(super) fn low16(r: &mut Registers, o: &Operands, m: Mask) {
    unary::<u32, u32>(r, o, m, |a| a & 0xffff);
}

/// Bits 16 to 31.
pub(super) fn high16(r: &mut Registers, o: &Operands, m: Mask) {
    unary::<u32, u32>(r, o, m, |a| a >> 16);
}

/// The low 8 bits.
pub(super) fn low8(r: &mut Registers, o: &Operands, m: Mask) {
    unary::<u32, u32>(r, o, m, |a| a & 0xff);
}

/// Bits 8 to 15.
pub(super) fn high8(r: &mut Registers, o: &Operands, m: Mask) {
    unary::<u32, u32>(r, o, m, |a| a >> 8 & 0xff);
}

/// `a` below `b`, 32 bits each.
pub(super) fn pack32(r: &mut Registers, o: &Operands, m: Mask) {
    binary::<u32, u32, u64>(r, o, m, |a, b| u64::from(a) | u64::from(b) << 32);
}

/// `a` below `b`, 16 bits each.
pub(super) fn pack16(r: &mut Registers, o: &Operands, m: Mask) {
    binary::<u16, u16, u32>(r, o, m, |a, b| u32::from(a) | u32::from(b) << 16);
}

/// `a` below `b`, 8 bits each.
pub(super) fn pack8(r: &mut Registers, o: &Operands, m: Mask) {
    binary::<u8, u8, u32>(r, o, m, |a, b| u32::from(a) | u32::from(b) << 8);
}

/// 64-bit addition.
pub(super) fn add64(r: &mut Registers, o: &Operands, m: Mask) {
    binary::<u64, u64, u64>(r, o, m, u64::wrapping_add);
}
