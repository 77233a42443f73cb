//! The lane loops: one for each shape of register operation.
//!
//! Each computes all 32 lanes of a warp in one straight loop that the compiler vectorises. Then it
//! writes the active ones. So its scalar function must be total: it is also called for lanes that
//! are not active, and that result is dropped. The same holds for each warp of a gang
//! ([`super::simd`]).

use std::marker::PhantomData;

use super::registers::{LANES, Mask, Operands, Registers, Slot, Value, Word};
use super::simd::{BIT, Body, Code, Loops, Predicate, fused_f32, fused_f64};

/// Writes the active lanes of `values` to a register.
#[inline(always)]
pub fn write_lanes<W: Word>(
    registers: &mut Registers,
    slot: Slot,
    mask: Mask,
    values: &[W; LANES],
) {
    W::put(W::write(registers, slot), values, mask);
}

/// The lanes for which `f` holds.
#[inline(always)]
pub(super) fn lanes_where<const FUSED: bool>(code: Code<FUSED>, f: impl Fn(usize) -> bool) -> Mask {
    let mut words = [0; LANES];
    for (lane, word) in words.iter_mut().enumerate() {
        *word = if f(lane) { u32::MAX } else { 0 };
    }
    code.mask_of(&words)
}

/// The type of a scalar function, for a [`Body`] that is made of one.
pub(super) struct Scalar<F, T>(F, PhantomData<T>);

/// `f(a)`.
#[inline(always)]
pub(super) fn of_one<A: Value, D: Value, F: Fn(A) -> D>(f: F) -> Scalar<F, (A, D)> {
    Scalar(f, PhantomData)
}

/// `f(a, b)`.
#[inline(always)]
pub(super) fn of_two<A: Value, B: Value, D: Value, F: Fn(A, B) -> D>(f: F) -> Scalar<F, (A, B, D)> {
    Scalar(f, PhantomData)
}

/// `f(a, b, c)`.
#[inline(always)]
pub(super) fn of_three<A: Value, B: Value, C: Value, D: Value, F: Fn(A, B, C) -> D>(
    f: F,
) -> Scalar<F, (A, B, C, D)> {
    Scalar(f, PhantomData)
}

/// `d = f(a)`.
#[inline(always)]
pub fn unary<A: Value, D: Value, const FUSED: bool>(
    loops: &mut Loops<'_, '_, '_, FUSED>,
    o: &Operands,
    f: impl Fn(A) -> D,
) {
    loops.apply::<(A::Word,), D::Word>((o.a,), o.d, of_one(f));
}

impl<A: Value, D: Value, F: Fn(A) -> D> Body<(A::Word,), D::Word> for Scalar<F, (A, D)> {
    #[inline(always)]
    fn lanes(&self, (a,): (&[A::Word; LANES],)) -> [D::Word; LANES] {
        let mut out = [D::Word::default(); LANES];
        for lane in 0..LANES {
            out[lane] = (self.0)(A::of(a[lane])).word();
        }
        out
    }
}

/// `d = f(a, b)`.
#[inline(always)]
pub fn binary<A: Value, B: Value, D: Value, const FUSED: bool>(
    loops: &mut Loops<'_, '_, '_, FUSED>,
    o: &Operands,
    f: impl Fn(A, B) -> D,
) {
    loops.apply::<(A::Word, B::Word), D::Word>((o.a, o.b), o.d, of_two(f));
}

impl<A: Value, B: Value, D: Value, F: Fn(A, B) -> D> Body<(A::Word, B::Word), D::Word>
    for Scalar<F, (A, B, D)>
{
    #[inline(always)]
    fn lanes(&self, (a, b): (&[A::Word; LANES], &[B::Word; LANES])) -> [D::Word; LANES] {
        let mut out = [D::Word::default(); LANES];
        for lane in 0..LANES {
            out[lane] = (self.0)(A::of(a[lane]), B::of(b[lane])).word();
        }
        out
    }
}

/// `d = f(a, b)`, made for a `b` that is often a constant: shifts by one amount vectorise.
#[inline(always)]
pub fn binary_uniform<A: Value, B: Value, D: Value, const FUSED: bool>(
    loops: &mut Loops<'_, '_, '_, FUSED>,
    o: &Operands,
    f: impl Fn(A, B) -> D,
) {
    if o.b.is_constant() {
        let b = B::of(loops.uniform::<B::Word>(o.b));
        unary(loops, o, |a| f(a, b));
    } else {
        binary(loops, o, f);
    }
}

/// `d = f(a, b)` of f64, where a NaN is replaced by `nan(a, b)`. That is rare, so it stays out of
/// the loop.
#[inline(always)]
pub fn binary_f64<const FUSED: bool>(
    loops: &mut Loops<'_, '_, '_, FUSED>,
    o: &Operands,
    f: impl Fn(f64, f64) -> f64,
    nan: impl Fn(f64, f64) -> f64,
) {
    loops.apply::<(u64, u64), u64>((o.a, o.b), o.d, WithNan { f, nan });
}

/// An operation of f64 whose NaN results need a second look.
struct WithNan<F, N> {
    f: F,
    nan: N,
}

impl<F: Fn(f64, f64) -> f64, N: Fn(f64, f64) -> f64> Body<(u64, u64), u64> for WithNan<F, N> {
    #[inline(always)]
    fn lanes(&self, (a, b): (&[u64; LANES], &[u64; LANES])) -> [u64; LANES] {
        let mut out = [0; LANES];
        let mut any_nan = false;
        for lane in 0..LANES {
            let value = (self.f)(f64::from_bits(a[lane]), f64::from_bits(b[lane]));
            any_nan |= value.is_nan();
            out[lane] = value.to_bits();
        }
        if any_nan {
            for lane in 0..LANES {
                if f64::from_bits(out[lane]).is_nan() {
                    let [a, b] = [a[lane], b[lane]].map(f64::from_bits);
                    out[lane] = (self.nan)(a, b).to_bits();
                }
            }
        }
        out
    }
}

/// `d = f(a, b, c)`.
#[inline(always)]
pub fn ternary<A: Value, B: Value, C: Value, D: Value, const FUSED: bool>(
    loops: &mut Loops<'_, '_, '_, FUSED>,
    o: &Operands,
    f: impl Fn(A, B, C) -> D,
) {
    loops.apply::<(A::Word, B::Word, C::Word), D::Word>((o.a, o.b, o.c), o.d, of_three(f));
}

impl<A: Value, B: Value, C: Value, D: Value, F: Fn(A, B, C) -> D>
    Body<(A::Word, B::Word, C::Word), D::Word> for Scalar<F, (A, B, C, D)>
{
    #[inline(always)]
    fn lanes(
        &self,
        (a, b, c): (&[A::Word; LANES], &[B::Word; LANES], &[C::Word; LANES]),
    ) -> [D::Word; LANES] {
        let mut out = [D::Word::default(); LANES];
        for lane in 0..LANES {
            out[lane] = (self.0)(A::of(a[lane]), B::of(b[lane]), C::of(c[lane])).word();
        }
        out
    }
}

/// `d = f(a, b, c)` of f64, where a NaN is replaced by `nan(a, b, c)`, as in [`binary_f64`].
#[inline(always)]
pub fn ternary_f64<const FUSED: bool>(
    loops: &mut Loops<'_, '_, '_, FUSED>,
    o: &Operands,
    f: impl Fn(f64, f64, f64) -> f64,
    nan: impl Fn(f64, f64, f64) -> f64,
) {
    loops.apply::<(u64, u64, u64), u64>((o.a, o.b, o.c), o.d, WithNan { f, nan });
}

impl<F, N> Body<(u64, u64, u64), u64> for WithNan<F, N>
where
    F: Fn(f64, f64, f64) -> f64,
    N: Fn(f64, f64, f64) -> f64,
{
    #[inline(always)]
    fn lanes(&self, (a, b, c): (&[u64; LANES], &[u64; LANES], &[u64; LANES])) -> [u64; LANES] {
        let of_lane = |lane: usize| [a[lane], b[lane], c[lane]].map(f64::from_bits);
        let mut out = [0; LANES];
        let mut any_nan = false;
        for (lane, bits) in out.iter_mut().enumerate() {
            let [a, b, c] = of_lane(lane);
            let value = (self.f)(a, b, c);
            any_nan |= value.is_nan();
            *bits = value.to_bits();
        }
        if any_nan {
            for (lane, bits) in out.iter_mut().enumerate() {
                if f64::from_bits(*bits).is_nan() {
                    let [a, b, c] = of_lane(lane);
                    *bits = (self.nan)(a, b, c).to_bits();
                }
            }
        }
        out
    }
}

/// `d = f(a, b, c, e)`.
#[inline(always)]
pub fn quaternary<A: Value, B: Value, C: Value, E: Value, D: Value, const FUSED: bool>(
    loops: &mut Loops<'_, '_, '_, FUSED>,
    o: &Operands,
    f: impl Fn(A, B, C, E) -> D,
) {
    let body = Scalar(f, PhantomData::<(A, B, C, E, D)>);
    let from = (o.a, o.b, o.c, o.e);
    loops.apply::<(A::Word, B::Word, C::Word, E::Word), D::Word>(from, o.d, body);
}

/// All lanes of four sources.
type Four<'a, A, B, C, E> = (&'a [A; LANES], &'a [B; LANES], &'a [C; LANES], &'a [E; LANES]);

impl<A: Value, B: Value, C: Value, E: Value, D: Value, F: Fn(A, B, C, E) -> D>
    Body<(A::Word, B::Word, C::Word, E::Word), D::Word> for Scalar<F, (A, B, C, E, D)>
{
    #[inline(always)]
    fn lanes(
        &self,
        (a, b, c, e): Four<'_, A::Word, B::Word, C::Word, E::Word>,
    ) -> [D::Word; LANES] {
        let mut out = [D::Word::default(); LANES];
        for lane in 0..LANES {
            let (a, b) = (A::of(a[lane]), B::of(b[lane]));
            out[lane] = (self.0)(a, b, C::of(c[lane]), E::of(e[lane])).word();
        }
        out
    }
}

/// `d = f(a)` where `d` is a predicate.
#[inline(always)]
pub fn test<A: Value, const FUSED: bool>(
    loops: &mut Loops<'_, '_, '_, FUSED>,
    o: &Operands,
    f: impl Fn(A) -> bool,
) {
    loops.apply::<(A::Word,), Predicate>((o.a,), o.d, Test(f, loops.code(), PhantomData::<A>));
}

/// A property of one operand.
struct Test<F, A, const FUSED: bool>(F, Code<FUSED>, PhantomData<A>);

impl<A: Value, F: Fn(A) -> bool, const FUSED: bool> Body<(A::Word,), Predicate>
    for Test<F, A, FUSED>
{
    #[inline(always)]
    fn lanes(&self, (a,): (&[A::Word; LANES],)) -> Mask {
        lanes_where(self.1, |lane| (self.0)(A::of(a[lane])))
    }
}

/// `d = c ? a : b`, with `c` a predicate.
#[inline(always)]
pub fn select<A: Value, const FUSED: bool>(loops: &mut Loops<'_, '_, '_, FUSED>, o: &Operands) {
    loops.apply::<(A::Word, A::Word, Predicate), A::Word>((o.a, o.b, o.c), o.d, Select);
}

struct Select;

impl<W: Word> Body<(W, W, Predicate), W> for Select {
    #[inline(always)]
    fn lanes(&self, (a, b, c): (&[W; LANES], &[W; LANES], &Mask)) -> [W; LANES] {
        W::blend(b, a, *c)
    }
}

/// `d = f(a, b)`, all of them predicates, as lane masks.
#[inline(always)]
pub fn predicates<const FUSED: bool>(
    loops: &mut Loops<'_, '_, '_, FUSED>,
    o: &Operands,
    f: impl Fn(Mask, Mask) -> Mask,
) {
    loops.apply::<(Predicate, Predicate), Predicate>((o.a, o.b), o.d, Masks(f));
}

/// `d = f(a)`, both predicates, as lane masks.
#[inline(always)]
pub fn predicate<const FUSED: bool>(
    loops: &mut Loops<'_, '_, '_, FUSED>,
    o: &Operands,
    f: impl Fn(Mask) -> Mask,
) {
    loops.apply::<(Predicate,), Predicate>((o.a,), o.d, Masks(f));
}

/// A function of lane masks.
struct Masks<F>(F);

impl<F: Fn(Mask, Mask) -> Mask> Body<(Predicate, Predicate), Predicate> for Masks<F> {
    #[inline(always)]
    fn lanes(&self, (a, b): (&Mask, &Mask)) -> Mask {
        (self.0)(*a, *b)
    }
}

impl<F: Fn(Mask) -> Mask> Body<(Predicate,), Predicate> for Masks<F> {
    #[inline(always)]
    fn lanes(&self, (a,): (&Mask,)) -> Mask {
        (self.0)(*a)
    }
}

/// `d = a * b + c` of f32, rounded once to nearest even; a NaN result is 0x7fffffff.
#[inline(always)]
pub fn fma_lanes_f32<const FUSED: bool>(
    loops: &mut Loops<'_, '_, '_, FUSED>,
    o: &Operands,
    canonical: impl Fn(f32) -> f32,
) {
    loops.apply::<(u32, u32, u32), u32>((o.a, o.b, o.c), o.d, Fma::<_, FUSED>(canonical));
}

/// A fused multiply-add, and the treatment of NaN.
struct Fma<N, const FUSED: bool>(N);

impl<N: Fn(f32) -> f32, const FUSED: bool> Body<(u32, u32, u32), u32> for Fma<N, FUSED> {
    #[inline(always)]
    fn lanes(&self, (a, b, c): (&[u32; LANES], &[u32; LANES], &[u32; LANES])) -> [u32; LANES] {
        let mut out = fused_f32::<FUSED>(a, b, c);
        for bits in &mut out {
            *bits = (self.0)(f32::from_bits(*bits)).to_bits();
        }
        out
    }
}

/// `d = a * b + c` of f64, rounded once to nearest even.
#[inline(always)]
pub fn fma_lanes_f64<const FUSED: bool>(
    loops: &mut Loops<'_, '_, '_, FUSED>,
    o: &Operands,
    nan_of: impl Fn(f64, f64, f64) -> f64,
) {
    loops.apply::<(u64, u64, u64), u64>((o.a, o.b, o.c), o.d, Fma::<_, FUSED>(nan_of));
}

impl<N: Fn(f64, f64, f64) -> f64, const FUSED: bool> Body<(u64, u64, u64), u64> for Fma<N, FUSED> {
    #[inline(always)]
    fn lanes(&self, (a, b, c): (&[u64; LANES], &[u64; LANES], &[u64; LANES])) -> [u64; LANES] {
        let mut out = fused_f64::<FUSED>(a, b, c);
        let mut any_nan = false;
        for bits in out {
            any_nan |= f64::from_bits(bits).is_nan();
        }
        if any_nan {
            for lane in 0..LANES {
                if f64::from_bits(out[lane]).is_nan() {
                    let [a, b, c] = [a[lane], b[lane], c[lane]].map(f64::from_bits);
                    out[lane] = (self.0)(a, b, c).to_bits();
                }
            }
        }
        out
    }
}

/// `(d, carry out) = f(a, b, c, carry in)`; the carry is read from the predicate `e` when
/// `reads_carry`, and written to the predicate `d2` when `writes_carry`.
#[inline(always)]
pub fn carrying<A: Value, const FUSED: bool>(
    loops: &mut Loops<'_, '_, '_, FUSED>,
    o: &Operands,
    reads_carry: bool,
    writes_carry: bool,
    f: impl Fn(A, A, A, bool) -> (A, bool),
) {
    let body = Carrying(f, loops.code(), PhantomData::<A>);
    let (from, with_carry) = ((o.a, o.b, o.c), (o.a, o.b, o.c, o.e));
    let to = (o.d, o.d2);
    match (reads_carry, writes_carry) {
        (false, false) => {
            loops.apply::<(A::Word, A::Word, A::Word), A::Word>(from, o.d, WithoutCarry(body));
        }
        (false, true) => {
            loops.apply::<(A::Word, A::Word, A::Word), (A::Word, Predicate)>(from, to, body);
        }
        (true, false) => {
            let body = WithoutCarry(body);
            loops.apply::<(A::Word, A::Word, A::Word, Predicate), A::Word>(with_carry, o.d, body);
        }
        (true, true) => {
            loops.apply::<(A::Word, A::Word, A::Word, Predicate), (A::Word, Predicate)>(
                with_carry, to, body,
            );
        }
    }
}

/// A sum with carries.
struct Carrying<F, A, const FUSED: bool>(F, Code<FUSED>, PhantomData<A>);

/// A sum without its carries.
struct WithoutCarry<S>(S);

/// All lanes of three sources of one type.
type Three<'a, W> = (&'a [W; LANES], &'a [W; LANES], &'a [W; LANES]);

impl<A: Value, F: Fn(A, A, A, bool) -> (A, bool), const FUSED: bool> Carrying<F, A, FUSED> {
    #[inline(always)]
    fn sums(&self, (a, b, c): Three<'_, A::Word>, carry: Mask) -> ([A::Word; LANES], Mask) {
        let mut out = [A::Word::default(); LANES];
        let mut carries = [0; LANES];
        for lane in 0..LANES {
            let (a, b, c) = (A::of(a[lane]), A::of(b[lane]), A::of(c[lane]));
            let (value, carry) = (self.0)(a, b, c, carry & BIT[lane] != 0);
            out[lane] = value.word();
            carries[lane] = if carry { u32::MAX } else { 0 };
        }
        (out, self.1.mask_of(&carries))
    }
}

impl<A: Value, F: Fn(A, A, A, bool) -> (A, bool), const FUSED: bool>
    Body<(A::Word, A::Word, A::Word), A::Word> for WithoutCarry<Carrying<F, A, FUSED>>
{
    #[inline(always)]
    fn lanes(&self, from: Three<'_, A::Word>) -> [A::Word; LANES] {
        self.0.sums(from, 0).0
    }
}

impl<A: Value, F: Fn(A, A, A, bool) -> (A, bool), const FUSED: bool>
    Body<(A::Word, A::Word, A::Word), (A::Word, Predicate)> for Carrying<F, A, FUSED>
{
    #[inline(always)]
    fn lanes(&self, from: Three<'_, A::Word>) -> ([A::Word; LANES], Mask) {
        self.sums(from, 0)
    }
}

/// The same and a predicate.
type ThreeAndMask<'a, W> = (&'a [W; LANES], &'a [W; LANES], &'a [W; LANES], &'a Mask);

impl<A: Value, F: Fn(A, A, A, bool) -> (A, bool), const FUSED: bool>
    Body<(A::Word, A::Word, A::Word, Predicate), A::Word> for WithoutCarry<Carrying<F, A, FUSED>>
{
    #[inline(always)]
    fn lanes(&self, (a, b, c, carry): ThreeAndMask<'_, A::Word>) -> [A::Word; LANES] {
        self.0.sums((a, b, c), *carry).0
    }
}

impl<A: Value, F: Fn(A, A, A, bool) -> (A, bool), const FUSED: bool>
    Body<(A::Word, A::Word, A::Word, Predicate), (A::Word, Predicate)> for Carrying<F, A, FUSED>
{
    #[inline(always)]
    fn lanes(&self, (a, b, c, carry): ThreeAndMask<'_, A::Word>) -> ([A::Word; LANES], Mask) {
        self.sums((a, b, c), *carry)
    }
}
