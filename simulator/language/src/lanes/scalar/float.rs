//! f32 and f64 arithmetic as PTX defines it (PTX ISA 9.7.3).
//!
//! - Every rounding direction is correctly rounded; without one, to nearest even.
//! - `.ftz` flushes subnormal inputs and results to zero of their sign.
//! - `.sat` clamps to [+0, 1]; NaN becomes +0.
//! - A NaN result is 0x7fffffff for f32. For f64 it is a NaN operand made quiet: of several b
//!   before c before a (in a division a before b). If there is none, it is 0xfff8000000000000. Both
//!   are an H200's results.
//! - `.ftz` flushes a result that would be subnormal if its exponent had no bound, as an H200 does.
//!   This includes a result that then rounds up to the least normal number.

use rustc_apfloat::Float as _;
use rustc_apfloat::ieee::Double;

use super::exact::{double, single, two_product};
use super::rounding::{Direction, power_of_two};
use crate::lanes::Flags;

/// The NaN of f32 results.
pub(crate) const NAN_F32: f32 = f32::from_bits(0x7fff_ffff);

/// The NaN of f64 results of invalid operations.
pub(crate) const NAN_F64: f64 = f64::from_bits(0xfff8_0000_0000_0000);

/// `.ftz` of an operand or result.
#[inline(always)]
pub(crate) fn flush(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE { 0f32.copysign(x) } else { x }
}

/// `.ftz` of an operand, when the modifiers ask for it.
#[inline(always)]
pub(crate) fn flush_if(flags: Flags, x: f32) -> f32 {
    if flags.has(Flags::FTZ) { flush(x) } else { x }
}

/// The result with its NaN made the one NaN.
///
/// Told by its bits: to the compiler one NaN is as good as another, so it may leave out a choice
/// between the NaN of a computation and this one, and at the highest level of optimisation it did
/// so for square roots.
#[inline(always)]
pub(crate) fn canonical(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fff_ffff } else { bits })
}

/// `.sat`.
#[inline(always)]
pub(crate) fn saturate(x: f32) -> f32 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// `.ftz`, `.sat` and NaN of a result.
#[inline(always)]
pub(crate) fn finish(flags: Flags, x: f32) -> f32 {
    let x = flush_if(flags, x);
    if flags.has(Flags::SAT) { saturate(x) } else { canonical(x) }
}

/// A result that is exact, or rounded to odd, as f32. A quotient or a root of f32 that is rounded
/// to f64 will do: if it is no number of 25 bits, then it is not nearer to one than 2^-51 of it.
#[inline(always)]
pub(crate) fn narrow(flags: Flags, exact: f64, direction: Direction) -> f32 {
    let result = direction.to_f32(exact);
    let tiny = flags.has(Flags::FTZ) & (exact.abs() < least_kept(direction, exact < 0.0));
    finish(flags.without(Flags::FTZ), if tiny { 0f32.copysign(result) } else { result })
}

/// The least magnitude that `.ftz` keeps: of those that would round to the least normal number if
/// exponents had no bound.
#[inline(always)]
fn least_kept(direction: Direction, negative: bool) -> f64 {
    const NORMAL: f64 = f32::MIN_POSITIVE as f64;
    const NEAREST: f64 = NORMAL * (1.0 - 1.0 / (1 << 25) as f64);
    // The first double above the number before `NORMAL`.
    const RAISED: f64 = (NORMAL * (1.0 - 1.0 / (1 << 24) as f64)).next_up();
    let directed = if direction.raises(negative) { RAISED } else { NORMAL };
    if direction == Direction::NearestEven { NEAREST } else { directed }
}

/// [`narrow`] to nearest even with `.ftz`.
#[inline(always)]
fn narrow_ftz(exact: f64) -> f32 {
    narrow(Flags::FTZ, exact, Direction::NearestEven)
}

/// `add.rn.ftz.f32`: a sum that is subnormal is exact.
#[inline(always)]
pub(crate) fn add_ftz_f32(a: f32, b: f32) -> f32 {
    canonical(flush(flush(a) + flush(b)))
}

/// `sub.rn.ftz.f32`.
#[inline(always)]
pub(crate) fn sub_ftz_f32(a: f32, b: f32) -> f32 {
    add_ftz_f32(a, -b)
}

/// `mul.rn.ftz.f32`.
#[inline(always)]
pub(crate) fn mul_ftz_f32(a: f32, b: f32) -> f32 {
    narrow_ftz(flush(a) as f64 * flush(b) as f64)
}

/// `fma.rn.ftz.f32`.
#[inline(always)]
pub(crate) fn fma_ftz_f32(a: f32, b: f32, c: f32) -> f32 {
    narrow_ftz(double::odd_sum(flush(a) as f64 * flush(b) as f64, flush(c) as f64))
}

/// `add.f32` with any modifiers.
#[inline(always)]
pub(crate) fn add_f32(flags: Flags, a: f32, b: f32) -> f32 {
    let (a, b) = (flush_if(flags, a), flush_if(flags, b));
    finish(flags, single::sum(a, b, Direction::of(flags)))
}

/// `sub.f32` with any modifiers.
#[inline(always)]
pub(crate) fn sub_f32(flags: Flags, a: f32, b: f32) -> f32 {
    add_f32(flags, a, -b)
}

/// `mul.f32` with any modifiers.
#[inline(always)]
pub(crate) fn mul_f32(flags: Flags, a: f32, b: f32) -> f32 {
    let (a, b) = (flush_if(flags, a), flush_if(flags, b));
    narrow(flags, a as f64 * b as f64, Direction::of(flags))
}

/// `fma.f32` with any modifiers.
#[inline(always)]
pub(crate) fn fma_f32(flags: Flags, a: f32, b: f32, c: f32) -> f32 {
    let (a, b, c) = (flush_if(flags, a), flush_if(flags, b), flush_if(flags, c));
    let (product, c) = (a as f64 * b as f64, c as f64);
    let direction = Direction::of(flags);
    let exact = double::signed_zero(double::odd_sum(product, c), product, c, direction);
    narrow(flags, exact, direction)
}

/// `div.rnd.f32` with any modifiers.
#[inline(always)]
pub(crate) fn div_f32(flags: Flags, a: f32, b: f32) -> f32 {
    let (a, b) = (flush_if(flags, a), flush_if(flags, b));
    narrow(flags, a as f64 / b as f64, Direction::of(flags))
}

/// `rcp.rnd.f32` with any modifiers.
#[inline(always)]
pub(crate) fn rcp_f32(flags: Flags, a: f32) -> f32 {
    div_f32(flags, 1.0, a)
}

/// `sqrt.rnd.f32` with any modifiers.
#[inline(always)]
pub(crate) fn sqrt_f32(flags: Flags, a: f32) -> f32 {
    let a = flush_if(flags, a);
    narrow(flags, (a as f64).sqrt(), Direction::of(flags))
}

/// `min.f32`, `max.f32`: with `.NaN` any NaN operand is the result, without it the other operand
/// is; -0 is below +0. `.xorsign.abs` compares magnitudes and gives the product's sign.
#[inline(always)]
pub(crate) fn extremum_f32(flags: Flags, greatest: bool, a: f32, b: f32) -> f32 {
    let (a, b) = (flush_if(flags, a), flush_if(flags, b));
    let sign = (a.to_bits() ^ b.to_bits()) & 1 << 31;
    let signed = flags.has(Flags::XORSIGN);
    let (a, b) = if signed { (a.abs(), b.abs()) } else { (a, b) };
    let (lost, other) = (a.is_nan() | b.is_nan(), if a.is_nan() { b } else { a });
    let chosen = if greatest { greater(a, b) } else { lesser(a, b) };
    let chosen = if lost { other } else { chosen };
    let with_sign = f32::from_bits(chosen.to_bits() | sign);
    let result = if signed { with_sign } else { chosen };
    if lost & flags.has(Flags::NAN) | chosen.is_nan() { NAN_F32 } else { result }
}

/// `min.f32` and `max.f32` of three: of the first two, and of that and the third. `.abs` takes the
/// absolute values.
#[inline(always)]
pub(crate) fn extremum_of_three(flags: Flags, greatest: bool, a: f32, b: f32, c: f32) -> f32 {
    let size = |x: f32| if flags.has(Flags::ABS) { x.abs() } else { x };
    let first = extremum_f32(flags, greatest, size(a), size(b));
    extremum_f32(flags, greatest, first, size(c))
}

/// `min.f32` without modifiers.
#[inline(always)]
pub(crate) fn min_f32(a: f32, b: f32) -> f32 {
    of_numbers(lesser(a, b), a, b)
}

/// `max.f32` without modifiers.
#[inline(always)]
pub(crate) fn max_f32(a: f32, b: f32) -> f32 {
    of_numbers(greater(a, b), a, b)
}

/// The result when neither is NaN, else the other one.
#[inline(always)]
fn of_numbers(result: f32, a: f32, b: f32) -> f32 {
    let of_b = if b.is_nan() { a } else { result };
    if a.is_nan() { canonical(b) } else { of_b }
}

/// The lesser of two numbers; -0 is below +0.
#[inline(always)]
fn lesser(a: f32, b: f32) -> f32 {
    if (a < b) | (a == b) & a.is_sign_negative() { a } else { b }
}

/// The greater of two numbers; +0 is above -0.
#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if (a > b) | (a == b) & a.is_sign_positive() { a } else { b }
}

/// `min.f64`, `max.f64`.
#[inline(always)]
pub(crate) fn extremum_f64(greatest: bool, a: f64, b: f64) -> f64 {
    let first = if greatest {
        (a > b) | (a == b) & a.is_sign_positive()
    } else {
        (a < b) | (a == b) & a.is_sign_negative()
    };
    let chosen = if first | b.is_nan() { a } else { b };
    if a.is_nan() & b.is_nan() { quiet(b) } else { chosen }
}

/// A NaN with its quiet bit set.
#[inline(always)]
pub(crate) fn quiet(x: f64) -> f64 {
    f64::from_bits(x.to_bits() | 1 << 51)
}

/// The NaN that a f64 operation gives: its NaN operand, b before c before a. Else the NaN of
/// invalid operations. Operations of fewer than three operands repeat one.
#[inline(always)]
pub(crate) fn nan_of(a: f64, b: f64, c: f64) -> f64 {
    let of_a = if a.is_nan() { quiet(a) } else { NAN_F64 };
    let of_c = if c.is_nan() { quiet(c) } else { of_a };
    if b.is_nan() { quiet(b) } else { of_c }
}

/// The result of an operation on a and b, with its NaN as PTX has it.
#[inline(always)]
pub(crate) fn settle(result: f64, a: f64, b: f64) -> f64 {
    if result.is_nan() { nan_of(a, b, b) } else { result }
}

fn soft(x: f64) -> Double {
    Double::from_bits(x.to_bits() as u128)
}

fn hard(x: Double) -> f64 {
    f64::from_bits(x.to_bits() as u64)
}

/// `add.rnd.f64`.
#[inline(always)]
pub(crate) fn add_f64(flags: Flags, a: f64, b: f64) -> f64 {
    settle(double::sum(a, b, Direction::of(flags)), a, b)
}

/// `sub.rnd.f64`.
#[inline(always)]
pub(crate) fn sub_f64(flags: Flags, a: f64, b: f64) -> f64 {
    settle(double::sum(a, -b, Direction::of(flags)), a, b)
}

/// `mul.rnd.f64`.
pub(crate) fn mul_f64(flags: Flags, a: f64, b: f64) -> f64 {
    let result = match Direction::of(flags) {
        Direction::NearestEven => a * b,
        direction => hard(soft(a).mul_r(soft(b), direction.soft()).value),
    };
    settle(result, a, b)
}

/// `fma.rnd.f64`. mma.f64 uses it, too.
pub fn fma_f64(flags: Flags, a: f64, b: f64, c: f64) -> f64 {
    let result = match Direction::of(flags) {
        Direction::NearestEven => a.mul_add(b, c),
        direction => hard(soft(a).mul_add_r(soft(b), soft(c), direction.soft()).value),
    };
    if result.is_nan() { nan_of(a, b, c) } else { result }
}

/// `div.rnd.f64`.
pub(crate) fn div_f64(flags: Flags, a: f64, b: f64) -> f64 {
    let result = match Direction::of(flags) {
        Direction::NearestEven => a / b,
        direction => hard(soft(a).div_r(soft(b), direction.soft()).value),
    };
    settle(result, b, a)
}

/// `rcp.rnd.f64`.
pub(crate) fn rcp_f64(flags: Flags, a: f64) -> f64 {
    div_f64(flags, 1.0, a)
}

/// `sqrt.rnd.f64`: directed rounding corrects the nearest root by the sign of its exact residual.
pub(crate) fn sqrt_f64(flags: Flags, a: f64) -> f64 {
    let root = a.sqrt();
    let direction = Direction::of(flags);
    if direction == Direction::NearestEven || root == 0.0 || !root.is_finite() {
        return settle(root, a, a);
    }
    // The residual of a tiny radicand would be subnormal; scale by an even power of two first.
    let scaled = if a < 1e-200 { (a * 2f64.powi(300), root * 2f64.powi(150)) } else { (a, root) };
    let rest = (-scaled.1).mul_add(scaled.1, scaled.0);
    match direction {
        Direction::Up if rest > 0.0 => f64::from_bits(root.to_bits() + 1),
        Direction::Zero | Direction::Down if rest < 0.0 => f64::from_bits(root.to_bits() - 1),
        _ => root,
    }
}

/// Whether products of such a number are far from overflow, and what rounding takes from them far
/// from underflow.
#[inline(always)]
fn is_ordinary(x: f64) -> bool {
    (x.abs() > const { power_of_two(-450) }) & (x.abs() < const { power_of_two(450) })
}

/// The result where it is `sure`, else NaN.
#[inline(always)]
fn if_sure(sure: bool, result: f64) -> f64 {
    if sure { result } else { NAN_F64 }
}

/// `mul` in a direction; NaN where only [`mul_f64`] says what it is.
#[inline(always)]
pub(crate) fn ordinary_product(direction: Direction, a: f64, b: f64) -> f64 {
    let (product, rest) = two_product(a, b);
    let sure = (is_ordinary(a) | (a == 0.0)) & (is_ordinary(b) | (b == 0.0));
    if_sure(sure, double::step(product, rest, direction))
}

/// `fma` in a direction; NaN where only [`fma_f64`] says what it is.
///
/// The three parts of the exact result are added so that the last sum sees all of it (S. Boldo and
/// G. Melquiond, 2008).
#[inline(always)]
pub(crate) fn ordinary_fma(direction: Direction, a: f64, b: f64, c: f64) -> f64 {
    let (product, rest) = two_product(a, b);
    let (small, smallest) = double::two_sum(c, rest);
    let (large, middle) = double::two_sum(product, small);
    let result = double::sum(large, double::odd_sum(middle, smallest), direction);
    // The sign of an exact zero comes from the two terms.
    let zero = double::signed_zero(product + c, product, c, direction);
    let sure = (is_ordinary(a) | (a == 0.0)) & (is_ordinary(b) | (b == 0.0));
    let sure = sure & (c.abs() < const { power_of_two(1000) });
    if_sure(sure, if result == 0.0 { zero } else { result })
}

/// `div` in a direction; NaN where only [`div_f64`] says what it is.
#[inline(always)]
pub(crate) fn ordinary_quotient(direction: Direction, a: f64, b: f64) -> f64 {
    let quotient = a / b;
    let (product, lost) = two_product(quotient, b);
    let rest = (a - product) - lost;
    let rest = if b < 0.0 { -rest } else { rest };
    let sure = (is_ordinary(a) & is_ordinary(quotient) | (a == 0.0)) & is_ordinary(b);
    if_sure(sure, double::step(quotient, rest, direction))
}

/// `sqrt` in a direction; NaN where only [`sqrt_f64`] says what it is.
#[inline(always)]
pub(crate) fn ordinary_root(direction: Direction, a: f64) -> f64 {
    let root = a.sqrt();
    let (square, lost) = two_product(root, root);
    if_sure(is_ordinary(a), double::step(root, (a - square) - lost, direction))
}

/// `testp`: a property of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Property {
    /// Neither infinite nor NaN.
    Finite,
    /// Infinite.
    Infinite,
    /// Not NaN.
    Number,
    /// NaN.
    NotANumber,
    /// Finite and not subnormal; zero counts as normal.
    Normal,
    /// Subnormal.
    Subnormal,
}

impl Property {
    /// Whether numbers of a class have it.
    pub(crate) fn holds(self, class: std::num::FpCategory) -> bool {
        use std::num::FpCategory::{Infinite, Nan, Normal, Subnormal, Zero};
        match self {
            Property::Finite => matches!(class, Normal | Subnormal | Zero),
            Property::Infinite => class == Infinite,
            Property::Number => class != Nan,
            Property::NotANumber => class == Nan,
            Property::Normal => matches!(class, Normal | Zero),
            Property::Subnormal => class == Subnormal,
        }
    }
}
