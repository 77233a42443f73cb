//! f32 and f64 arithmetic (PTX ISA 9.7.3), by the rules in [`crate::lanes::scalar::float`]: f32 by
//! way of f64, rounded to odd; f64 by `rustc_apfloat` where the host does not round so.

use rustc_apfloat::Float as _;
use rustc_apfloat::ieee::Double;

use super::rounding::{Direction, Format, odd_quotient, odd_root, odd_sum, sum};
use crate::lanes::Flags;

/// The NaN of f32 results.
pub(super) const NAN_F32: f32 = f32::from_bits(0x7fff_ffff);

/// The NaN of f64 results of invalid operations.
pub(super) const NAN_F64: f64 = f64::from_bits(0xfff8_0000_0000_0000);

/// `.ftz` of an operand or result.
pub(super) fn flush(x: f32) -> f32 {
    if x.abs() < f32::MIN_POSITIVE { 0f32.copysign(x) } else { x }
}

/// `.ftz` of an operand, when the modifiers ask for it.
pub(super) fn flush_if(flags: Flags, x: f32) -> f32 {
    if flags.has(Flags::FTZ) { flush(x) } else { x }
}

/// The result with its NaN made the one NaN.
///
/// Told by its bits: to the compiler one NaN is as good as another, so it may leave out a choice
/// between the NaN of a computation and this one, and at the highest level of optimisation it did
/// so for square roots.
pub(super) fn canonical(x: f32) -> f32 {
    let bits = x.to_bits();
    f32::from_bits(if bits & 0x7fff_ffff > 0x7f80_0000 { 0x7fff_ffff } else { bits })
}

/// `.sat`.
pub(super) fn saturate(x: f32) -> f32 {
    if x > 0.0 { x.min(1.0) } else { 0.0 }
}

/// `.ftz`, `.sat` and NaN of a result.
pub(super) fn finish(flags: Flags, x: f32) -> f32 {
    let x = flush_if(flags, x);
    if flags.has(Flags::SAT) { saturate(x) } else { canonical(x) }
}

/// A result that is exact, or rounded to odd, as f32.
pub(super) fn narrow(flags: Flags, exact: f64) -> f32 {
    let direction = Direction::of(flags);
    let result = if flags.has(Flags::FTZ) && Format::F32.is_tiny(exact, direction) {
        0f32.copysign(exact as f32)
    } else if direction == Direction::NearestEven {
        exact as f32
    } else {
        Format::F32.round(exact, direction) as f32
    };
    finish(flags, result)
}

/// `add.f32` with any modifiers.
pub(super) fn add_f32(flags: Flags, a: f32, b: f32) -> f32 {
    let (a, b) = (flush_if(flags, a), flush_if(flags, b));
    let result = match Direction::of(flags) {
        Direction::NearestEven => a + b,
        direction => sum(a as f64, b as f64, Format::F32, direction) as f32,
    };
    finish(flags, result)
}

/// `sub.f32` with any modifiers.
pub(super) fn sub_f32(flags: Flags, a: f32, b: f32) -> f32 {
    add_f32(flags, a, -b)
}

/// `mul.f32` with any modifiers.
pub(super) fn mul_f32(flags: Flags, a: f32, b: f32) -> f32 {
    let (a, b) = (flush_if(flags, a), flush_if(flags, b));
    narrow(flags, a as f64 * b as f64)
}

/// `fma.f32` with any modifiers.
pub(super) fn fma_f32(flags: Flags, a: f32, b: f32, c: f32) -> f32 {
    let (a, b, c) = (flush_if(flags, a), flush_if(flags, b), flush_if(flags, c));
    let (product, c) = (a as f64 * b as f64, c as f64);
    let exact = odd_sum(product, c);
    if exact == 0.0 {
        // Only here does the direction decide the sign.
        return finish(flags, sum(product, c, Format::F32, Direction::of(flags)) as f32);
    }
    narrow(flags, exact)
}

/// `div.rnd.f32` with any modifiers.
pub(super) fn div_f32(flags: Flags, a: f32, b: f32) -> f32 {
    let (a, b) = (flush_if(flags, a), flush_if(flags, b));
    narrow(flags, odd_quotient(a as f64, b as f64))
}

/// `rcp.rnd.f32` with any modifiers.
pub(super) fn rcp_f32(flags: Flags, a: f32) -> f32 {
    div_f32(flags, 1.0, a)
}

/// `sqrt.rnd.f32` with any modifiers.
pub(super) fn sqrt_f32(flags: Flags, a: f32) -> f32 {
    let a = flush_if(flags, a);
    narrow(flags, odd_root(a as f64))
}

/// `min.f32`, `max.f32`: with `.NaN` any NaN operand is the result, without it the other operand
/// is; -0 is below +0. `.xorsign.abs` compares magnitudes and gives the product's sign.
pub(super) fn extremum_f32(flags: Flags, greatest: bool, a: f32, b: f32) -> f32 {
    let (a, b) = (flush_if(flags, a), flush_if(flags, b));
    let negative = a.is_sign_negative() != b.is_sign_negative();
    let signed = flags.has(Flags::XORSIGN);
    let (a, b) = if signed { (a.abs(), b.abs()) } else { (a, b) };
    let result = if a.is_nan() || b.is_nan() {
        let other = if a.is_nan() { b } else { a };
        return if flags.has(Flags::NAN) || other.is_nan() {
            NAN_F32
        } else if signed {
            other.copysign(if negative { -1.0 } else { 1.0 })
        } else {
            other
        };
    } else if greatest {
        greater(a, b)
    } else {
        lesser(a, b)
    };
    if signed { result.copysign(if negative { -1.0 } else { 1.0 }) } else { result }
}

/// `min.f32` and `max.f32` of three: of the first two, and of that and the third. `.abs` takes the
/// absolute values.
pub(super) fn extremum_of_three(flags: Flags, greatest: bool, a: f32, b: f32, c: f32) -> f32 {
    let size = |x: f32| if flags.has(Flags::ABS) { x.abs() } else { x };
    let first = extremum_f32(flags, greatest, size(a), size(b));
    extremum_f32(flags, greatest, first, size(c))
}

/// The lesser of two numbers; -0 is below +0.
fn lesser(a: f32, b: f32) -> f32 {
    if a < b || (a == b && a.is_sign_negative()) { a } else { b }
}

/// The greater of two numbers; +0 is above -0.
fn greater(a: f32, b: f32) -> f32 {
    if a > b || (a == b && a.is_sign_positive()) { a } else { b }
}

/// `min.f64`, `max.f64`.
pub(super) fn extremum_f64(greatest: bool, a: f64, b: f64) -> f64 {
    let first = if greatest {
        a > b || (a == b && a.is_sign_positive())
    } else {
        a < b || (a == b && a.is_sign_negative())
    };
    if a.is_nan() && b.is_nan() {
        quiet(b)
    } else if first || b.is_nan() {
        a
    } else {
        b
    }
}

/// A NaN with its quiet bit set.
pub(super) fn quiet(x: f64) -> f64 {
    f64::from_bits(x.to_bits() | 1 << 51)
}

/// The NaN that a f64 operation gives: its NaN operand, b before c before a. Else the NaN of
/// invalid operations. Operations of fewer than three operands repeat one.
pub(super) fn nan_of(a: f64, b: f64, c: f64) -> f64 {
    if b.is_nan() {
        quiet(b)
    } else if c.is_nan() {
        quiet(c)
    } else if a.is_nan() {
        quiet(a)
    } else {
        NAN_F64
    }
}

/// The result of an operation on a and b, with its NaN as PTX has it.
pub(super) fn settle(result: f64, a: f64, b: f64) -> f64 {
    if result.is_nan() { nan_of(a, b, b) } else { result }
}

fn soft(x: f64) -> Double {
    Double::from_bits(x.to_bits() as u128)
}

fn hard(x: Double) -> f64 {
    f64::from_bits(x.to_bits() as u64)
}

/// `add.rnd.f64`.
pub(super) fn add_f64(flags: Flags, a: f64, b: f64) -> f64 {
    let result = match Direction::of(flags) {
        Direction::NearestEven => a + b,
        direction => hard(soft(a).add_r(soft(b), direction.soft()).value),
    };
    settle(result, a, b)
}

/// `sub.rnd.f64`.
pub(super) fn sub_f64(flags: Flags, a: f64, b: f64) -> f64 {
    let result = match Direction::of(flags) {
        Direction::NearestEven => a - b,
        direction => hard(soft(a).sub_r(soft(b), direction.soft()).value),
    };
    settle(result, a, b)
}

/// `mul.rnd.f64`.
pub(super) fn mul_f64(flags: Flags, a: f64, b: f64) -> f64 {
    let result = match Direction::of(flags) {
        Direction::NearestEven => a * b,
        direction => hard(soft(a).mul_r(soft(b), direction.soft()).value),
    };
    settle(result, a, b)
}

/// `fma.rnd.f64`. mma.f64 uses it, too.
pub(super) fn fma_f64(flags: Flags, a: f64, b: f64, c: f64) -> f64 {
    let result = match Direction::of(flags) {
        Direction::NearestEven => a.mul_add(b, c),
        direction => hard(soft(a).mul_add_r(soft(b), soft(c), direction.soft()).value),
    };
    if result.is_nan() { nan_of(a, b, c) } else { result }
}

/// `div.rnd.f64`.
pub(super) fn div_f64(flags: Flags, a: f64, b: f64) -> f64 {
    let result = match Direction::of(flags) {
        Direction::NearestEven => a / b,
        direction => hard(soft(a).div_r(soft(b), direction.soft()).value),
    };
    settle(result, b, a)
}

/// `rcp.rnd.f64`.
pub(super) fn rcp_f64(flags: Flags, a: f64) -> f64 {
    div_f64(flags, 1.0, a)
}

/// `sqrt.rnd.f64`: directed rounding corrects the nearest root by the sign of its exact residual.
pub(super) fn sqrt_f64(flags: Flags, a: f64) -> f64 {
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
