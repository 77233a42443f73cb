//! Sums and products of floats together with what rounding took from them, and rounding to odd.
//!
//! A result rounded *to odd* records in its last bit that something was lost. So a further
//! rounding, to at least two bits fewer and in any direction, gives the same result as from the
//! exact value. Nothing here branches or calls a fused multiply-add, which not every host has:
//! loops around it vectorise on each.
//!
//! Deviations: each function says where it is wrong; elsewhere it is exact.

use super::rounding::Direction;

macro_rules! exact {
    ($module:ident, $float:ty, $bits:ty, $top:literal) => {
        #[doc = concat!("Of ", stringify!($float), ".")]
        pub(crate) mod $module {
            use super::Direction;

            /// a + b to nearest, and what that lost. Not where the sum, or a, is the largest number
            /// or beyond: then what was lost may be NaN.
            #[inline(always)]
            pub(crate) fn two_sum(a: $float, b: $float) -> ($float, $float) {
                let sum = a + b;
                let b_part = sum - a;
                (sum, (a - (sum - b_part)) + (b - b_part))
            }

            /// `near` + `rest` rounded to odd, where `near` is that sum rounded to nearest and only
            /// the sign of `rest` matters. Where `rest` is NaN it is `near`.
            #[inline(always)]
            pub(crate) fn to_odd(near: $float, rest: $float) -> $float {
                let bits = near.to_bits();
                let inexact = ((rest < 0.0) | (rest > 0.0)) as $bits;
                // Cut off, and the last bit set.
                let inward = (rest.to_bits() ^ bits) >> $top & inexact;
                <$float>::from_bits(bits.wrapping_sub(inward) | inexact)
            }

            /// a + b rounded to odd; infinite where it overflows.
            #[inline(always)]
            pub(crate) fn odd_sum(a: $float, b: $float) -> $float {
                let (sum, rest) = two_sum(a, b);
                to_odd(sum, rest)
            }

            /// `near` + `rest` in a direction, where `near` is that sum rounded to nearest and only
            /// the sign of `rest` matters. Where `rest` is NaN it is `near`.
            #[inline(always)]
            pub(crate) fn step(near: $float, rest: $float, direction: Direction) -> $float {
                let bits = near.to_bits();
                let negative = near.is_sign_negative();
                let inexact = (rest < 0.0) | (rest > 0.0);
                let inward = inexact & (negative != rest.is_sign_negative());
                // A step of the bits is one to the neighbour, infinity and zero included.
                let less = (inward & direction.cuts(negative)) as $bits;
                let more = (inexact & !inward & direction.raises(negative)) as $bits;
                <$float>::from_bits(bits.wrapping_sub(less).wrapping_add(more))
            }

            /// The sum of a and b, with the sign that it has in a direction where it is an exact
            /// zero.
            #[inline(always)]
            pub(crate) fn signed_zero(
                sum: $float,
                a: $float,
                b: $float,
                direction: Direction,
            ) -> $float {
                let differ = (a.to_bits() ^ b.to_bits()) >> $top;
                let negative = (sum == 0.0) & (direction == Direction::Down);
                <$float>::from_bits(sum.to_bits() | (negative as $bits & differ) << $top)
            }

            /// a + b in a direction.
            #[inline(always)]
            pub(crate) fn sum(a: $float, b: $float, direction: Direction) -> $float {
                const INFINITY: $float = <$float>::INFINITY;
                let sum = a + b;
                // The larger one first: of `two_sum` steps between overflow where a is the largest
                // number.
                let larger = a.abs() >= b.abs();
                let (large, small) = if larger { (a, b) } else { (b, a) };
                let rest = small - (sum - large);
                let overflows = sum.abs() == INFINITY;
                let overflows = overflows & (a.abs() < INFINITY) & (b.abs() < INFINITY);
                // The error of an overflow points to the largest number.
                let rest = if overflows { -sum } else { rest };
                signed_zero(step(sum, rest, direction), a, b, direction)
            }
        }
    };
}

exact!(single, f32, u32, 31);
exact!(double, f64, u64, 63);

/// `sum` + `rest` rounded to odd, where `sum` is that sum rounded to nearest.
#[inline(always)]
pub(crate) fn odd_single(sum: f64, rest: f64) -> f32 {
    let near = sum as f32;
    // What a f32 has not is more than what a f64 has not, if it is anything.
    let rest = (sum - near as f64) + rest;
    let inexact = ((rest < 0.0) | (rest > 0.0)) as u32;
    let inward = (rest.is_sign_negative() != sum.is_sign_negative()) as u32 & inexact;
    f32::from_bits(near.to_bits().wrapping_sub(inward) | inexact)
}

/// a * b to nearest, and its rounding error (T. J. Dekker, 1971). Neither the factors nor their
/// product may be beyond 2^970 or, unless zero, below 2^-960.
#[inline(always)]
pub(crate) fn two_product(a: f64, b: f64) -> (f64, f64) {
    // The upper half of a significand, rounded; the rest fits the other half with its sign.
    let halves = |x: f64| {
        const SPLITTER: f64 = ((1 << 27) + 1) as f64;
        let large = x * SPLITTER;
        let upper = large - (large - x);
        (upper, x - upper)
    };
    let ((a1, a0), (b1, b0)) = (halves(a), halves(b));
    let product = a * b;
    (product, ((a1 * b1 - product) + a1 * b0 + a0 * b1) + a0 * b0)
}
