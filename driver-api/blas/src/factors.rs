//! Factors of small square matrices, dense and by columns: LU with and without exchanges of rows,
//! solutions and inverses by LU, and QR (Golub, Van Loan, "Matrix Computations", chapters 3 and 5).
//! cuBLAS's batched functions keep the conventions of LAPACK's `getrf`, `getrs`, `getri`, `geqrf`,
//! `gels`.

use crate::Op;
use crate::Uplo;
use crate::columns::{Triangle, trsv};
use crate::matrices::triangle_of;
use crate::number::{Number, Real};
use crate::vectors::{axpy, dot, nrm2, scal};

/// `getrf`: L and U replace A. It gives the row exchanged at each step, and the first step at which
/// the diagonal of U is 0 (0 if there is none). Both count from 1.
pub fn getrf<T: Number>(n: usize, a: &mut [T], is_pivoting: bool) -> (Vec<i32>, i32) {
    // What lies at these indices is there: `a` has `n` columns of as many rows.
    let mut pivots = Vec::with_capacity(n);
    let mut info = 0;
    for k in 0..n {
        let column = a.get(k * n + k..(k + 1) * n).unwrap_or_default();
        let place = match is_pivoting {
            true => k + crate::vectors::amax(column).saturating_sub(1),
            false => k,
        };
        pivots.push(place as i32 + 1);
        let pivot = a[k * n + place];
        if pivot == T::ZERO {
            info = if info == 0 { k as i32 + 1 } else { info };
            continue;
        }
        if place != k {
            (0..n).for_each(|j| a.swap(j * n + k, j * n + place));
        }
        let (left, right) = a.split_at_mut((k + 1) * n);
        let below = left.get_mut(k * n + k + 1..).unwrap_or_default();
        below.iter_mut().for_each(|value| *value = *value / pivot);
        for column in right.chunks_exact_mut(n) {
            let (above, rest) = column.split_at_mut(k + 1);
            axpy(-above[k], below, rest);
        }
    }
    (pivots, info)
}

/// `getrs`: solves with the results of `getrf`. The solution replaces B, which may have any number
/// of columns.
pub fn getrs<T: Number>(op: Op, n: usize, lu: &[T], pivots: Option<&[i32]>, b: &mut [T]) {
    if n == 0 {
        return;
    }
    let (lower, upper) = (triangle_of(Uplo::Lower, n, lu), triangle_of(Uplo::Upper, n, lu));
    let l = Triangle { uplo: Uplo::Lower, op, is_unit: true };
    let u = Triangle { uplo: Uplo::Upper, op, is_unit: false };
    let exchanges: Vec<(usize, usize)> = pivots
        .unwrap_or_default()
        .iter()
        .enumerate()
        .filter_map(|(k, to)| Some((k, usize::try_from(*to).ok()?.checked_sub(1)?)))
        .filter(|(_, to)| *to < n)
        .collect();
    for column in b.chunks_exact_mut(n) {
        match op {
            Op::None => {
                exchanges.iter().for_each(|(k, to)| column.swap(*k, *to));
                trsv(l, &lower, column);
                trsv(u, &upper, column);
            }
            Op::Transposed | Op::Conjugated => {
                trsv(u, &upper, column);
                trsv(l, &lower, column);
                exchanges.iter().rev().for_each(|(k, to)| column.swap(*k, *to));
            }
        }
    }
}

/// `getri`: the inverse, from the results of `getrf`, and the first 0 on the diagonal of U, from 1,
/// if there is one.
pub fn getri<T: Number>(n: usize, lu: &[T], pivots: Option<&[i32]>) -> (Vec<T>, i32) {
    // `lu` has `n` columns of as many rows, too.
    let mut inverse = vec![T::ZERO; n * n];
    (0..n).for_each(|i| inverse[i * n + i] = T::ONE);
    if let Some(step) = (0..n).find(|i| lu[i * n + i] == T::ZERO) {
        return (inverse, step as i32 + 1);
    }
    getrs(Op::None, n, lu, pivots, &mut inverse);
    (inverse, 0)
}

/// `geqrf`: R and the vectors of the reflections replace A, which has `m` rows and `n` columns. It
/// gives the factors of the reflections.
pub fn geqrf<T: Number>([m, n]: [usize; 2], a: &mut [T]) -> Vec<T> {
    let mut factors = Vec::with_capacity(m.min(n));
    for k in 0..m.min(n) {
        // Not behind the end: `a` has `n` columns of `m` rows, and `k` is below `n`.
        let (left, right) = a.split_at_mut((k + 1) * m);
        let column = left.get_mut(k * m + k..).unwrap_or_default();
        let tau = reflection(column);
        factors.push(tau);
        // The first element keeps its new value. The vector's first element is 1.
        let rest = column.get(1..).unwrap_or_default();
        for other in right.chunks_exact_mut(m) {
            reflect(tau.conj(), rest, other.get_mut(k..).unwrap_or_default());
        }
    }
    factors
}

/// LAPACK's `larfg`: makes all but the first element 0. The rest of the vector is stored there
/// then.
fn reflection<T: Number>(column: &mut [T]) -> T {
    let norm = nrm2(column);
    let Some((first, rest)) = column.split_first_mut() else { return T::ZERO };
    let is_done = rest.iter().all(|value| *value == T::ZERO) && first.im() == T::Real::ZERO;
    if is_done {
        return T::ZERO;
    }
    let beta = if first.re() < T::Real::ZERO { norm } else { -norm };
    let tau = (T::from_real(beta) - *first).scaled(T::Real::ONE / beta);
    let by = T::ONE / (*first - T::from_real(beta));
    scal(by, rest);
    *first = T::from_real(beta);
    tau
}

/// A column times `1 - tau v vᴴ`, where `v` is 1 and then `rest`.
fn reflect<T: Number>(tau: T, rest: &[T], column: &mut [T]) {
    let Some((first, others)) = column.split_first_mut() else { return };
    let sum = tau * (*first + dot(rest, others, true));
    *first = *first - sum;
    axpy(-sum, rest, others);
}

/// `gels` of a matrix with at least as many rows as columns. The first rows of each column of B
/// become the `x` whose `A x` is nearest to it. The factors of QR replace A. It gives the first 0
/// on the diagonal of R, from 1, if there is one.
pub fn gels<T: Number>([m, n]: [usize; 2], a: &mut [T], b: &mut [T]) -> i32 {
    let factors = geqrf([m, n], a);
    if let Some(step) = (0..n).find(|k| a[k * m + k].size().to_f64() == 0.0) {
        return step as i32 + 1;
    }
    for column in b.chunks_exact_mut(m.max(1)) {
        for (k, tau) in factors.iter().enumerate() {
            let rest = a.get(k * m + k + 1..(k + 1) * m).unwrap_or_default();
            reflect(tau.conj(), rest, column.get_mut(k..).unwrap_or_default());
        }
        let upper: Vec<T> =
            a.chunks_exact(m).take(n).flat_map(|column| column.iter().take(n)).copied().collect();
        let upper = triangle_of(Uplo::Upper, n, &upper);
        let triangle = Triangle { uplo: Uplo::Upper, op: Op::None, is_unit: false };
        trsv(triangle, &upper, column.get_mut(..n).unwrap_or_default());
    }
    0
}
