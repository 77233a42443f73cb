//! Atomic operations (PTX ISA 9.7.13.5 `atom`, 9.7.13.7 `red`).
//!
//! Lanes of one instruction take their turns in ascending order. `inc` wraps to 0 at `old >=
//! limit`; `dec` wraps to the limit at `old == 0 || old > limit`. `add.f32` flushes subnormal
//! inputs and results to zero in global memory and keeps them in shared memory, as the ISA says.

use super::access::{Addresses, By, addresses_of, by_space, named_space, take};
use super::stage::Stage;
use super::stop::Stop;
use super::warp::Warp;
use crate::lanes::{Word, lanes_of};
use crate::lower::{Atomic, AtomicOperation};
use crate::observe::AccessKind;
use crate::ptx::{Space, Type};

impl Stage<'_, '_> {
    /// Executes `atom` or `red`.
    pub(super) fn atomic(&mut self, warp: &mut Warp, atomic: &Atomic, by: By) -> Result<(), Stop> {
        let found = addresses_of(&atomic.target, &warp.frames[usize::from(by.frame)]);
        match named_space(&atomic.target) {
            Some(space) => self.atomic_in(warp, atomic, by, space, &found),
            None => by_space(&atomic.target, &found, by.active).try_for_each(
                |(space, active, found)| {
                    self.atomic_in(warp, atomic, By { active, ..by }, space, &found)
                },
            ),
        }
    }

    fn atomic_in(
        &mut self,
        warp: &mut Warp,
        atomic: &Atomic,
        by: By,
        space: Space,
        found: &Addresses,
    ) -> Result<(), Stop> {
        self.admit(warp, &atomic.target, by, space, found, AccessKind::Atomic)?;
        let width = atomic.target.width;
        let registers = &warp.frames[usize::from(by.frame)].registers;
        let b = take(registers, atomic.b, atomic.wide);
        let c = atomic.c.map(|c| take(registers, c, atomic.wide)).unwrap_or_default();
        let flush = space == Space::Global;
        for lane in lanes_of(by.active) {
            let one = 1 << lane;
            let old = self.read(warp, space, found, one, width)[lane];
            let new = apply(atomic.operation, atomic.ty, old, b[lane], c[lane], flush);
            let mut values = [0; crate::lanes::LANES];
            values[lane] = new;
            self.write(warp, space, found, one, width, &values);
            if let Some(d) = atomic.destination {
                let registers = &mut warp.frames[usize::from(by.frame)].registers;
                if atomic.wide {
                    u64::write(registers, d)[lane] = old;
                } else {
                    u32::write(registers, d)[lane] = old as u32;
                }
            }
        }
        Ok(())
    }
}

/// The value that an atomic leaves in memory.
pub fn apply(
    operation: AtomicOperation,
    ty: Type,
    old: u64,
    b: u64,
    c: u64,
    flush_subnormal: bool,
) -> u64 {
    use AtomicOperation::{
        Add, And, CompareAndSwap, Decrement, Exchange, Increment, Max, Min, Or, Xor,
    };
    match operation {
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
            if takes_b == (operation == Min) && b != old { b } else { old }
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
        operands.iter().fold(start, |old, b| apply(operation, ty, old, *b, 9, false))
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
        assert_eq!(apply(Max, Type::S32, 5, minus_one, 0, false), 5);
        assert_eq!(apply(Max, Type::U32, 5, minus_one, 0, false), minus_one);
        assert_eq!(apply(Min, Type::S64, 5, u64::MAX, 0, false), u64::MAX);
        assert_eq!(apply(Min, Type::U64, 5, u64::MAX, 0, false), 5);
    }

    #[test]
    fn a_failed_compare_and_swap_changes_nothing() {
        assert_eq!(apply(CompareAndSwap, Type::B32, 4, 5, 9, false), 4);
        assert_eq!(apply(CompareAndSwap, Type::B32, 5, 5, 9, false), 9);
    }

    #[test]
    fn adding_floats_flushes_subnormals_in_global_memory_only() {
        let tiny = u64::from(f32::from_bits(1).to_bits());
        assert_eq!(add(Type::F32, tiny, tiny, false), 2);
        assert_eq!(add(Type::F32, tiny, tiny, true), 0);
    }
}
