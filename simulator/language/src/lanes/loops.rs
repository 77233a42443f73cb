//! The lane loops: one for each shape of register operation.
//!
//! Each computes all 32 lanes in one straight loop that the compiler vectorises and then writes
//! the active ones, so a scalar function given to it must be total: it is also called, and its
//! result dropped, for lanes that are not active.

use super::registers::{FULL, LANES, Mask, Operands, Registers, Slot, Value, Word};
use super::simd::{fused_f32, fused_f64};

/// The bit of each lane in a mask: testing it, unlike shifting the mask, vectorises.
const BIT: [Mask; LANES] = {
    let mut bits = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        bits[lane] = 1 << lane;
        lane += 1;
    }
    bits
};

/// A register operation of a whole warp: the loop of its shape around its scalar function.
pub type LaneOperation = fn(&mut Registers, &Operands, Mask);

/// Writes the active lanes of `values` to a register.
#[inline(always)]
pub fn write_lanes<W: Word>(
    registers: &mut Registers,
    slot: Slot,
    mask: Mask,
    values: &[W; LANES],
) {
    let target = W::write(registers, slot);
    if mask == FULL {
        *target = *values;
    } else {
        // The other lanes are written too, with what they had: stores under conditions would be
        // branches, and these are blends.
        let old = *target;
        for lane in 0..LANES {
            target[lane] = if mask & BIT[lane] != 0 { values[lane] } else { old[lane] };
        }
    }
}

/// `d = f(a)`.
#[inline(always)]
pub fn unary<A: Value, D: Value>(
    registers: &mut Registers,
    o: &Operands,
    mask: Mask,
    f: impl Fn(A) -> D,
) {
    let mut out = [D::Word::default(); LANES];
    let a = A::Word::read(registers, o.a);
    for lane in 0..LANES {
        out[lane] = f(A::of(a[lane])).word();
    }
    write_lanes(registers, o.d, mask, &out);
}

/// `d = f(a, b)`.
#[inline(always)]
pub fn binary<A: Value, B: Value, D: Value>(
    registers: &mut Registers,
    o: &Operands,
    mask: Mask,
    f: impl Fn(A, B) -> D,
) {
    let mut out = [D::Word::default(); LANES];
    let (a, b) = (A::Word::read(registers, o.a), B::Word::read(registers, o.b));
    for lane in 0..LANES {
        out[lane] = f(A::of(a[lane]), B::of(b[lane])).word();
    }
    write_lanes(registers, o.d, mask, &out);
}

/// `d = f(a, b)`, made for a `b` that is often a constant: shifts by one amount vectorise.
#[inline(always)]
pub fn binary_uniform<A: Value, B: Value, D: Value>(
    registers: &mut Registers,
    o: &Operands,
    mask: Mask,
    f: impl Fn(A, B) -> D,
) {
    if o.b.is_constant() {
        let b = B::of(B::Word::read(registers, o.b)[0]);
        unary(registers, o, mask, |a| f(a, b));
    } else {
        binary(registers, o, mask, f);
    }
}

/// `d = f(a, b)` of f64, where a NaN is replaced by `nan(a, b)`. That is rare, so it stays out of
/// the loop.
#[inline(always)]
pub fn binary_f64(
    registers: &mut Registers,
    o: &Operands,
    mask: Mask,
    f: impl Fn(f64, f64) -> f64,
    nan: impl Fn(f64, f64) -> f64,
) {
    let mut out = [0; LANES];
    let mut any_nan = false;
    let (a, b) = (registers.w64(o.a), registers.w64(o.b));
    for lane in 0..LANES {
        let value = f(f64::from_bits(a[lane]), f64::from_bits(b[lane]));
        any_nan |= value.is_nan();
        out[lane] = value.to_bits();
    }
    if any_nan {
        for (lane, bits) in out.iter_mut().enumerate() {
            if f64::from_bits(*bits).is_nan() {
                *bits = nan(f64::from_bits(a[lane]), f64::from_bits(b[lane])).to_bits();
            }
        }
    }
    write_lanes(registers, o.d, mask, &out);
}

/// `d = f(a, b, c)`.
#[inline(always)]
pub fn ternary<A: Value, B: Value, C: Value, D: Value>(
    registers: &mut Registers,
    o: &Operands,
    mask: Mask,
    f: impl Fn(A, B, C) -> D,
) {
    let mut out = [D::Word::default(); LANES];
    let (a, b) = (A::Word::read(registers, o.a), B::Word::read(registers, o.b));
    let c = C::Word::read(registers, o.c);
    for lane in 0..LANES {
        out[lane] = f(A::of(a[lane]), B::of(b[lane]), C::of(c[lane])).word();
    }
    write_lanes(registers, o.d, mask, &out);
}

/// `d = f(a, b, c, e)`.
#[inline(always)]
pub fn quaternary<A: Value, B: Value, C: Value, E: Value, D: Value>(
    registers: &mut Registers,
    o: &Operands,
    mask: Mask,
    f: impl Fn(A, B, C, E) -> D,
) {
    let mut out = [D::Word::default(); LANES];
    let (a, b) = (A::Word::read(registers, o.a), B::Word::read(registers, o.b));
    let (c, e) = (C::Word::read(registers, o.c), E::Word::read(registers, o.e));
    for lane in 0..LANES {
        out[lane] = f(A::of(a[lane]), B::of(b[lane]), C::of(c[lane]), E::of(e[lane])).word();
    }
    write_lanes(registers, o.d, mask, &out);
}

/// The lane mask of `f(a, b)`.
#[inline(always)]
pub fn test2<A: Value, B: Value>(
    registers: &Registers,
    o: &Operands,
    f: impl Fn(A, B) -> bool,
) -> Mask {
    let (a, b) = (A::Word::read(registers, o.a), B::Word::read(registers, o.b));
    let mut out = 0;
    for lane in 0..LANES {
        out |= (f(A::of(a[lane]), B::of(b[lane])) as u32) << lane;
    }
    out
}

/// `d = f(a)` where `d` is a predicate.
#[inline(always)]
pub fn test<A: Value>(registers: &mut Registers, o: &Operands, mask: Mask, f: impl Fn(A) -> bool) {
    let a = A::Word::read(registers, o.a);
    let mut out = 0;
    for (lane, word) in a.iter().enumerate() {
        out |= (f(A::of(*word)) as u32) << lane;
    }
    registers.set_predicate(o.d, mask, out);
}

/// `d = c ? a : b`, with `c` a predicate.
#[inline(always)]
pub fn select<A: Value>(registers: &mut Registers, o: &Operands, mask: Mask) {
    let chosen = registers.predicate(o.c);
    let mut out = [A::Word::default(); LANES];
    let (a, b) = (A::Word::read(registers, o.a), A::Word::read(registers, o.b));
    for lane in 0..LANES {
        out[lane] = if chosen & BIT[lane] != 0 { a[lane] } else { b[lane] };
    }
    write_lanes(registers, o.d, mask, &out);
}

/// `d = f(a, b)`, all of them predicates, as lane masks.
#[inline(always)]
pub fn predicates(
    registers: &mut Registers,
    o: &Operands,
    mask: Mask,
    f: impl Fn(Mask, Mask) -> Mask,
) {
    let value = f(registers.predicate(o.a), registers.predicate(o.b));
    registers.set_predicate(o.d, mask, value);
}

/// `d = a * b + c` of f32, rounded once to nearest even; a NaN result is 0x7fffffff.
pub fn fma_lanes_f32(
    registers: &mut Registers,
    o: &Operands,
    mask: Mask,
    canonical: impl Fn(f32) -> f32,
) {
    let (a, b, c) = (registers.w32(o.a), registers.w32(o.b), registers.w32(o.c));
    let mut out = fused_f32(a, b, c);
    if out.iter().fold(false, |any, bits| any | f32::from_bits(*bits).is_nan()) {
        out = out.map(|bits| canonical(f32::from_bits(bits)).to_bits());
    }
    write_lanes(registers, o.d, mask, &out);
}

/// `d = a * b + c` of f64, rounded once to nearest even.
pub fn fma_lanes_f64(
    registers: &mut Registers,
    o: &Operands,
    mask: Mask,
    nan_of: impl Fn(f64, f64, f64) -> f64,
) {
    let (a, b, c) = (registers.w64(o.a), registers.w64(o.b), registers.w64(o.c));
    let mut out = fused_f64(a, b, c);
    if out.iter().fold(false, |any, bits| any | f64::from_bits(*bits).is_nan()) {
        for (lane, bits) in out.iter_mut().enumerate() {
            if f64::from_bits(*bits).is_nan() {
                let [a, b, c] = [a[lane], b[lane], c[lane]].map(f64::from_bits);
                *bits = nan_of(a, b, c).to_bits();
            }
        }
    }
    write_lanes(registers, o.d, mask, &out);
}

/// `(d, carry out) = f(a, b, c, carry in)`; the carry is read from the predicate `e` when
/// `reads_carry`, and written to the predicate `d2` when `writes_carry`.
#[inline(always)]
pub fn carrying<A: Value>(
    registers: &mut Registers,
    o: &Operands,
    mask: Mask,
    reads_carry: bool,
    writes_carry: bool,
    f: impl Fn(A, A, A, bool) -> (A, bool),
) {
    let carry_in = if reads_carry { registers.predicate(o.e) } else { 0 };
    let mut carry_out = 0;
    let mut out = [A::Word::default(); LANES];
    let (a, b) = (A::Word::read(registers, o.a), A::Word::read(registers, o.b));
    let c = A::Word::read(registers, o.c);
    for lane in 0..LANES {
        let (value, carry) =
            f(A::of(a[lane]), A::of(b[lane]), A::of(c[lane]), carry_in >> lane & 1 == 1);
        out[lane] = value.word();
        carry_out |= (carry as u32) << lane;
    }
    write_lanes(registers, o.d, mask, &out);
    if writes_carry {
        registers.set_predicate(o.d2, mask, carry_out);
    }
}
