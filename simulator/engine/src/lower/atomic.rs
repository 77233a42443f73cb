//! What atomic operations do to a value (PTX ISA 9.7.13.5 `atom`, 9.7.13.7 `red`, 9.7.13.12
//! `redux`).
//!
//! `inc` wraps to 0 at `old >= limit`; `dec` wraps to the limit at `old == 0 || old > limit`.
//! `add.f32` flushes subnormal inputs and results to zero in global memory and keeps them in shared
//! memory, as the ISA says.

use super::operation::AtomicOperation;
use crate::ptx::Type;

impl AtomicOperation {
    /// The value that it leaves of `old`. `b` is the operand, or for `cas` what is compared with; `c`
    /// is the new value of `cas`. `flush_subnormal`: additions of `.f32` flush subnormal inputs and
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
                if old == b {
                    c
                } else {
                    old
                }
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
            Min | Max => {
                let takes_b = match ty {
                    Type::S32 => (b as i32) < old as i32,
                    Type::S64 => (b as i64) < old as i64,
                    _ => b < old,
                };
                if takes_b == (self == Min) && b != old { b } else { old }
            }
        }
    }
}

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
        Type::U64 | Type::S64 | Type::B64 => a.wrapping_add(b),
        _ => u64::from((a as u32).wrapping_add(b as u32)),
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

    #[test]
    fn adding_floats_flushes_subnormals_in_global_memory_only() {
        let tiny = u64::from(f32::from_bits(1).to_bits());
        assert_eq!(add(Type::F32, tiny, tiny, false), 2);
        assert_eq!(add(Type::F32, tiny, tiny, true), 0);
    }
}
