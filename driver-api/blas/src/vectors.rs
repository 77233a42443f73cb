//! Level 1 (Lawson, Hanson, Kincaid, Krogh, "Basic Linear Algebra Subprograms for Fortran Usage",
//! 1979), over vectors without gaps.

use crate::number::{Number, Real};

/// `axpy`: `y + alpha x`.
pub fn axpy<T: Number>(alpha: T, x: &[T], y: &mut [T]) {
    for (y, x) in y.iter_mut().zip(x) {
        *y = *y + alpha * *x;
    }
}

/// `dot`, or `dotc` if the first vector is conjugated.
pub fn dot<T: Number>(x: &[T], y: &[T], is_conjugated: bool) -> T {
    let products = x.iter().zip(y).map(|(x, y)| x.conj_if(is_conjugated) * *y);
    products.fold(T::ZERO, |sum, product| sum + product)
}

/// `asum`: the sum of sizes.
pub fn asum<T: Number>(x: &[T]) -> T::Real {
    x.iter().fold(T::Real::ZERO, |sum, x| sum + x.size())
}

/// `nrm2`: the Euclidean norm. Neither squares nor sums overflow where the norm does not.
pub fn nrm2<T: Number>(x: &[T]) -> T::Real {
    let parts = || x.iter().flat_map(|x| [x.re().modulus(), x.im().modulus()]);
    let is_larger = |most: T::Real, part: T::Real| most < part || part.to_f64().is_nan();
    let largest =
        parts().fold(T::Real::ZERO, |most, part| if is_larger(most, part) { part } else { most });
    if largest == T::Real::ZERO || !largest.to_f64().is_finite() {
        return largest;
    }
    let sum = parts().fold(0.0, |sum, part| {
        let part = part.to_f64() / largest.to_f64();
        sum + part * part
    });
    T::Real::of_f64(largest.to_f64() * sum.sqrt())
}

/// `amax`: the index of the first element of the largest size, from 1; 0 if there are no elements.
/// A NaN is not larger than a number.
pub fn amax<T: Number>(x: &[T]) -> usize {
    extreme(x, |size, best| size > best)
}

/// `amin`: the same for the smallest.
pub fn amin<T: Number>(x: &[T]) -> usize {
    extreme(x, |size, best| size < best)
}

fn extreme<T: Number>(x: &[T], is_better: impl Fn(T::Real, T::Real) -> bool) -> usize {
    let mut best: Option<(usize, T::Real)> = None;
    for (index, x) in x.iter().enumerate() {
        let size = x.size();
        if best.is_none_or(|(_, best)| is_better(size, best)) {
            best = Some((index + 1, size));
        }
    }
    best.map_or(0, |(index, _)| index)
}

/// `scal`.
pub fn scal<T: Number>(alpha: T, x: &mut [T]) {
    x.iter_mut().for_each(|x| *x = alpha * *x);
}

/// The start of a sum: `beta y`, which is 0 if `beta` is 0, whatever `y` is.
pub fn begin<T: Number>(beta: T, y: &mut [T]) {
    if beta == T::ZERO {
        y.fill(T::ZERO);
    } else if beta != T::ONE {
        scal(beta, y);
    }
}

/// `rot`: a plane rotation, whose sine may be complex.
pub fn rot<T: Number>(x: &mut [T], y: &mut [T], c: T::Real, s: T) {
    for (x, y) in x.iter_mut().zip(y) {
        (*x, *y) = (x.scaled(c) + s * *y, y.scaled(c) - s.conj() * *x);
    }
}
