//! The effect of atomic operations on a value (PTX ISA 9.7.13.5 `atom`, 9.7.13.7 `red`, 9.7.13.12
//! `redux`).
//!
//! `inc` wraps to 0 at `old >= limit`; `dec` wraps to the limit at `old == 0 || old > limit`.
//! `add.f32` flushes subnormal inputs and results to zero in global memory and keeps them in shared
//! memory, as the ISA requires.

use crate::lanes::{HalfOperation, combine_halves};
use crate::lower::operations::access::{Atomic, AtomicOperation};
use crate::ptx::Type;

impl Atomic {
    /// The new values for the old values of its pieces; there may be fewer than places. An element
    /// of 16 bytes is compared as a whole.
    pub fn apply(
        &self,
        old: &[u64; Atomic::PIECES],
        b: &[u64; Atomic::PIECES],
        c: &[u64; Atomic::PIECES],
        flush_subnormal: bool,
    ) -> [u64; Atomic::PIECES] {
        if self.ty == Type::B128 && self.operation == AtomicOperation::CompareAndSwap {
            return if old[..2] == b[..2] { *c } else { *old };
        }
        std::array::from_fn(|i| self.operation.apply(self.ty, old[i], b[i], c[i], flush_subnormal))
    }
}

impl AtomicOperation {
    /// The new value for `old`. `b` is the operand, or for `cas` the value to compare with; `c` is
    /// the new value of `cas`. `flush_subnormal`: additions of `.f32` flush subnormal inputs and
    /// results to zero, as they do in global memory.
    pub fn apply(self, ty: Type, old: u64, b: u64, c: u64, flush_subnormal: bool) -> u64 {
        use AtomicOperation::{
            Add, And, CompareAndSwap, Decrement, Exchange, Increment, Max, Min, Or, Xor,
        };
        match self {
            And => old & b,
            Or => old | b,
            Xor => old ^ b,
            Exchange => b,
            CompareAndSwap => {
                // A half is in a register with an arbitrary upper half.
                let b = if ty == Type::B16 { b & 0xffff } else { b };
                if old == b { c } else { old }
            }
            Increment => {
                if old >= b {
                    0
                } else {
                    old + 1
                }
            }
            Decrement => {
                if old == 0 || old > b {
                    b
                } else {
                    old - 1
                }
            }
            Add => add(ty, old, b, flush_subnormal),
            Min => lesser(ty, old, b),
            Max => greater(ty, old, b),
        }
    }

    /// Whether [`AtomicOperation::apply`] supports a type. No other is lowered.
    pub(in crate::lower) fn is_of(self, ty: Type) -> bool {
        use AtomicOperation::{
            Add, And, CompareAndSwap, Decrement, Exchange, Increment, Max, Min, Or, Xor,
        };
        let integer = matches!(ty, Type::U32 | Type::S32 | Type::U64 | Type::S64);
        match self {
            And | Or | Xor => matches!(ty, Type::B32 | Type::B64),
            Exchange => matches!(ty, Type::B32 | Type::B64 | Type::B128),
            CompareAndSwap => matches!(ty, Type::B16 | Type::B32 | Type::B64 | Type::B128),
            Increment | Decrement => ty == Type::U32,
            Add => integer || is_half(ty) || matches!(ty, Type::F32 | Type::F64),
            Min | Max => integer || is_half(ty),
        }
    }
}

fn is_half(ty: Type) -> bool {
    matches!(ty, Type::F16 | Type::F16x2 | Type::Bf16 | Type::Bf16x2)
}

/// The lesser of two values; for halves the one that is no NaN.
fn lesser(ty: Type, a: u64, b: u64) -> u64 {
    match combine_halves(HalfOperation::Min, ty, a as u32, b as u32) {
        Some(halves) => halves.into(),
        None if is_below(ty, b, a) => b,
        None => a,
    }
}

/// The greater of two values.
fn greater(ty: Type, a: u64, b: u64) -> u64 {
    match combine_halves(HalfOperation::Max, ty, a as u32, b as u32) {
        Some(halves) => halves.into(),
        None if is_below(ty, a, b) => b,
        None => a,
    }
}

/// Whether an integer is less than another; an unsigned one has no bits above its own. No other
/// type is compared ([`AtomicOperation::is_of`]).
fn is_below(ty: Type, a: u64, b: u64) -> bool {
    match ty {
        Type::S32 => (a as i32) < b as i32,
        Type::S64 => (a as i64) < b as i64,
        Type::B8
        | Type::B16
        | Type::B32
        | Type::B64
        | Type::B128
        | Type::U8
        | Type::U16
        | Type::U32
        | Type::U64
        | Type::S8
        | Type::S16
        | Type::F16
        | Type::F16x2
        | Type::Bf16
        | Type::Bf16x2
        | Type::F32
        | Type::F64
        | Type::Pred
        | Type::Texref
        | Type::Samplerref
        | Type::Surfref => a < b,
    }
}

/// A sum. Types without a sum are never added ([`AtomicOperation::is_of`]).
fn add(ty: Type, a: u64, b: u64, flush_subnormal: bool) -> u64 {
    match ty {
        Type::F32 => {
            let flush = |x: f32| {
                if flush_subnormal && x.is_subnormal() { 0f32.copysign(x) } else { x }
            };
            let sum = flush(flush(f32::from_bits(a as u32)) + flush(f32::from_bits(b as u32)));
            if sum.is_nan() { 0x7fff_ffff } else { u64::from(sum.to_bits()) }
        }
        Type::F64 => (f64::from_bits(a) + f64::from_bits(b)).to_bits(),
        Type::U64 | Type::S64 => a.wrapping_add(b),
        Type::B8
        | Type::B16
        | Type::B32
        | Type::B64
        | Type::B128
        | Type::U8
        | Type::U16
        | Type::U32
        | Type::S8
        | Type::S16
        | Type::S32
        | Type::F16
        | Type::F16x2
        | Type::Bf16
        | Type::Bf16x2
        | Type::Pred
        | Type::Texref
        | Type::Samplerref
        | Type::Surfref => match combine_halves(HalfOperation::Add, ty, a as u32, b as u32) {
            Some(halves) => halves.into(),
            None => u64::from((a as u32).wrapping_add(b as u32)),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use AtomicOperation::{CompareAndSwap, Decrement, Increment, Max, Min};

    fn run(operation: AtomicOperation, ty: Type, start: u64, operands: &[u64]) -> u64 {
        operands.iter().fold(start, |old, b| operation.apply(ty, old, *b, 9, false))
    }

    #[test]
    fn the_values_measured_on_an_h200_come_out() {
        assert_eq!(run(Increment, Type::U32, 0, &[6; 20]), 6);
        assert_eq!(run(Decrement, Type::U32, 0, &[6; 20]), 1);
        let negated: Vec<u64> = (0..32u32).map(|lane| u64::from(lane.wrapping_neg())).collect();
        assert_eq!(run(Min, Type::S32, 0, &negated) as u32 as i32, -31);
        let high: Vec<u64> = (0..32).map(|lane| 0x8000_0000 + lane).collect();
        assert_eq!(run(Max, Type::U32, 0, &high), 0x8000_001f);
    }

    #[test]
    fn minimum_and_maximum_follow_the_type() {
        let minus_one = u64::from(u32::MAX);
        assert_eq!(Max.apply(Type::S32, 5, minus_one, 0, false), 5);
        assert_eq!(Max.apply(Type::U32, 5, minus_one, 0, false), minus_one);
        assert_eq!(Min.apply(Type::S64, 5, u64::MAX, 0, false), u64::MAX);
        assert_eq!(Min.apply(Type::U64, 5, u64::MAX, 0, false), 5);
    }

    #[test]
    fn a_failed_compare_and_swap_changes_nothing() {
        assert_eq!(CompareAndSwap.apply(Type::B32, 4, 5, 9, false), 4);
        assert_eq!(CompareAndSwap.apply(Type::B32, 5, 5, 9, false), 9);
    }

    /// The last bits of a half, ties, NaNs and signs of zeros, as measured on an H200.
    #[test]
    fn halves_come_out_as_measured_on_an_h200() {
        let f16 = |operation: AtomicOperation, a, b| operation.apply(Type::F16, a, b, 0, true);
        assert_eq!(f16(AtomicOperation::Add, 0x0001, 0x83ff), 0x83fe);
        assert_eq!(f16(AtomicOperation::Add, 0x7bff, 0x7bff), 0x7c00);
        assert_eq!(f16(AtomicOperation::Add, 0xfc00, 0x7c00), 0x7fff);
        assert_eq!(f16(AtomicOperation::Add, 0x3c00, 0x1400), 0x3c01);
        assert_eq!(f16(Min, 0x0000, 0x8000), 0x8000);
        assert_eq!(f16(Max, 0x8000, 0x0000), 0x0000);
        assert_eq!(f16(Max, 0x7c01, 0xbc00), 0xbc00);
        assert_eq!(f16(Min, 0x7c01, 0xfe00), 0x7fff);
        let pair = Min.apply(Type::Bf16x2, 0x3f80_7f81, 0xbf80_0001, 0, true);
        assert_eq!(pair, 0xbf80_0001);
        assert_eq!(CompareAndSwap.apply(Type::B16, 5, 0xffff_0005, 9, false), 9);
    }

    #[test]
    fn adding_floats_flushes_subnormals_in_global_memory_only() {
        let tiny = u64::from(f32::from_bits(1).to_bits());
        assert_eq!(add(Type::F32, tiny, tiny, false), 2);
        assert_eq!(add(Type::F32, tiny, tiny, true), 0);
    }
}
