//! Oracles of arithmetic: Rust's own operations, which round by IEEE 754.

use half::f16;

use super::Thread;

/// A round of xorshift.
pub(super) fn xorshift(mut x: u32) -> u32 {
    x ^= x << 13;
    x ^= x >> 17;
    x ^ x << 5
}

/// `acc * 1664525 + x`.
pub(super) fn mix(acc: u32, x: u32) -> u32 {
    acc.wrapping_mul(1_664_525).wrapping_add(x)
}

pub(super) fn xs32(thread: &Thread<'_>) -> u32 {
    thread.rounds(|_, x, acc| {
        *x = xorshift(*x);
        *acc = mix(*acc, *x);
    })
}

pub(super) fn xs64(thread: &Thread<'_>) -> u32 {
    let mut y = u64::from(thread.number.wrapping_mul(2_654_435_761).wrapping_add(1));
    let mut sum: u64 = 0;
    thread.rounds(|_, _, acc| {
        y ^= y << 13;
        y ^= y >> 7;
        y ^= y << 17;
        sum = sum.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(y);
        *acc = sum as u32;
    })
}

pub(super) fn varshift(thread: &Thread<'_>) -> u32 {
    thread.rounds(|_, x, acc| {
        let amount = *acc % 32;
        *x ^= *x << amount;
        *x ^= *x >> amount;
        *x = x.wrapping_add(thread.number);
        *acc = mix(*acc, *x);
    })
}

pub(super) fn intmix(thread: &Thread<'_>) -> u32 {
    thread.rounds(|_, x, acc| {
        let high = ((u64::from(*x) * u64::from(*x)) >> 32) as u32;
        let larger = (*x as i32).max(high.min(*acc) as i32) as u32;
        let field = larger >> 5 & 0x1ff;
        // The bytes 2, 3, 0, 1, from the lowest; then a funnel of 64 bits, 7 to the left.
        let permuted = larger.rotate_left(16);
        *x = field << 7 | permuted >> 25;
        *acc = acc.wrapping_add(*x).wrapping_add(larger.leading_zeros());
    })
}

pub(super) fn divrem(thread: &Thread<'_>) -> u32 {
    let mut dividend = thread.number.wrapping_mul(2_654_435_761).wrapping_add(1) | 1;
    let divisor = thread.number | 1;
    thread.rounds(|_, _, acc| {
        dividend = dividend.wrapping_add(77);
        *acc = acc.wrapping_add(dividend / divisor).wrapping_add(dividend % 1000);
    })
}

/// The arithmetic of `f32mix` and `f64mix`.
macro_rules! float_mix {
    ($thread:expr, $float:ty) => {{
        let mut a = $thread.in_block as $float;
        let mut b: $float = 0.0;
        for _ in 0..$thread.rounds {
            b = b.mul_add(0.5, a);
            let product = b * 0.5;
            a = product + 0.5;
            b = (b - product).max(a);
            b = (-b).abs();
        }
        b
    }};
}

pub(super) fn f32mix(thread: &Thread<'_>) -> u32 {
    float_mix!(thread, f32).to_bits()
}

pub(super) fn f64mix(thread: &Thread<'_>) -> u32 {
    (float_mix!(thread, f64) as f32).to_bits()
}

pub(super) fn f32fma(thread: &Thread<'_>) -> u32 {
    let summand = thread.in_block as f32;
    (0..7 * thread.rounds).fold(0.0_f32, |sum, _| sum.mul_add(0.5, summand)).to_bits()
}

pub(super) fn f32div(thread: &Thread<'_>) -> u32 {
    let dividend = thread.number as f32;
    let round = |v: f32| {
        let root = (dividend / v + 1.0).sqrt();
        root + 1.0 / root
    };
    (0..thread.rounds).fold(1.0, |v, _| round(v)).to_bits()
}

pub(super) fn f64div(thread: &Thread<'_>) -> u32 {
    let dividend = f64::from(thread.number);
    let last = (0..thread.rounds).fold(1.0, |v, _| (dividend / v + 1.0).sqrt());
    (last as f32).to_bits()
}

/// From 0.5 on, a round adds more than 0.5 and takes the minimum with 1, exactly, whatever the last
/// bits of the approximate functions are.
pub(super) fn f32approx(thread: &Thread<'_>) -> u32 {
    (if thread.rounds == 0 { 0.5_f32 } else { 1.0 }).to_bits()
}

/// The sum of two doubles that hold floats or products of them, rounded to a float towards zero.
///
/// The double nearest to the sum and the exact rest (Knuth's TwoSum) are the sum itself. Cutting
/// the double is right unless it is a float already, and the rest points back to zero.
fn to_zero(a: f64, b: f64) -> f32 {
    let sum = a + b;
    let of_b = sum - a;
    let rest = (a - (sum - of_b)) + (b - of_b);
    let nearest = sum as f32;
    let down = |float: f32| f32::from_bits(float.to_bits() - 1);
    match f64::from(nearest) {
        float if float.abs() > sum.abs() => down(nearest),
        float if float == sum && rest * sum < 0.0 => down(nearest),
        _ => nearest,
    }
}

/// No value here is subnormal, so that flushing changes none.
pub(super) fn f32rz_ftz(thread: &Thread<'_>) -> u32 {
    let mut a = thread.in_block as f32;
    let mut b: f32 = 0.0;
    for _ in 0..thread.rounds {
        b = b.mul_add(0.5, a);
        let product = b * 0.5;
        a = to_zero(f64::from(product), 0.5);
        b = to_zero(f64::from(b), f64::from(-product));
        b = to_zero(f64::from(b) * 0.5, f64::from(a));
    }
    b.to_bits()
}

/// Products and sums of so few halves are exact in doubles.
pub(super) fn f16x2(thread: &Thread<'_>) -> u32 {
    let round = |v: f64, factor: f64, summand: f64| {
        let v = f16::from_f64(v * factor + summand).to_f64();
        let product = f16::from_f64(v * factor).to_f64();
        f16::from_f64(v + product).to_f64()
    };
    let (mut high, mut low) = (0.0, 0.0);
    thread.rounds(|_, _, acc| {
        high = round(high, 0.5, 1.0);
        low = round(low, 0.25, 0.5);
        let bits = |v| u32::from(f16::from_f64(v).to_bits());
        *acc = acc.wrapping_add(bits(high) << 16 | bits(low));
    })
}

pub(super) fn cvtmix(thread: &Thread<'_>) -> u32 {
    thread.rounds(|_, x, acc| {
        *x = xorshift(*x);
        // There and back by way of a float loses bits, and saturates; by way of a double it does
        // not.
        let by_float = (*x as i32) as f32 as i32;
        *acc = acc.wrapping_add(by_float as u32).wrapping_add(*x);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_rounded_towards_zero() {
        let step = f64::from(f32::EPSILON);
        // Exact; a quarter and three quarters of a step above 1; below 1 and above -1 by less than
        // a double tells.
        assert_eq!(to_zero(1.0, 0.5), 1.5);
        assert_eq!(to_zero(1.0, step / 4.0), 1.0);
        assert_eq!(to_zero(1.0, step * 0.75), 1.0);
        assert_eq!(to_zero(1.0, -1e-30), 1.0 - f32::EPSILON / 2.0);
        assert_eq!(to_zero(-1.0, 1e-30), -1.0 + f32::EPSILON / 2.0);
        assert_eq!(to_zero(1.0, 1e-30), 1.0);
        assert_eq!(to_zero(-1.0, -step * 0.75), -1.0);
        assert_eq!(to_zero(0.0, 0.0), 0.0);
    }
}
