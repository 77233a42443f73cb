//! Level 3 (Dongarra, Du Croz, Duff, Hammarling, "A Set of Level 3 Basic Linear Algebra
//! Subprograms", 1990), and `geam`, `dgmm` and `syrkx` of cuBLAS's own, over matrices without gaps.

use crate::columns::{Columns, Triangle, trmv, trsv};
use crate::layout::Layout;
use crate::number::Number;
use crate::product::{Factor, applied, product, transposed};
use crate::{Op, Symmetry, Uplo};

/// `alpha P + beta C`: the old C is not read if `beta` is 0.
pub fn combine<T: Number>(alpha: T, product: &[T], beta: T, c: &mut [T]) {
    for (c, product) in c.iter_mut().zip(product) {
        *c = combined(alpha, *product, beta, *c);
    }
}

fn combined<T: Number>(alpha: T, product: T, beta: T, c: T) -> T {
    let new = alpha * product;
    if beta == T::ZERO { new } else { new + beta * c }
}

/// `gemm`: `alpha op(A) op(B) + beta C`; C has `m` rows and `n` columns, `k` is the inner extent.
pub fn gemm<T: Number + Factor>(
    (op_a, op_b): (Op, Op),
    [m, n, k]: [usize; 3],
    alpha: T,
    (a, b): (Vec<T>, Vec<T>),
    beta: T,
    c: &mut [T],
) {
    if alpha == T::ZERO {
        return combine(alpha, &vec![T::ZERO; c.len()], beta, c);
    }
    let shape = |op: Op, rows, columns| match op.is_transposed() {
        true => [columns, rows],
        false => [rows, columns],
    };
    let a = applied(op_a, shape(op_a, m, k), a);
    let b = applied(op_b, shape(op_b, k, n), b);
    combine(alpha, &product([m, n, k], &a, &b), beta, c);
}

/// The whole of a matrix that is kept as a triangle.
pub fn whole<T: Number>((uplo, symmetry): (Uplo, Symmetry), a: &Columns<T>) -> Vec<T> {
    let order = a.rows;
    let mut all = vec![T::ZERO; order * order];
    for j in 0..order {
        let (first, column) = a.column(j);
        for (i, value) in (first..).zip(column) {
            let is_kept = match uplo {
                Uplo::Upper => i <= j,
                Uplo::Lower => i >= j,
            };
            if is_kept {
                let (here, there) = match i == j {
                    true => (symmetry.diagonal(*value), symmetry.diagonal(*value)),
                    false => (*value, symmetry.mirrored(*value)),
                };
                all[j * order + i] = here;
                all[i * order + j] = there;
            }
        }
    }
    all
}

/// The side of the other factor on which a matrix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// On the left.
    Left,
    /// On the right.
    Right,
}

/// `symm`, `hemm`: `alpha A B + beta C` or `alpha B A + beta C`, with A kept as a triangle.
pub fn symm<T: Number + Factor>(
    (side, uplo, symmetry): (Side, Uplo, Symmetry),
    [m, n]: [usize; 2],
    alpha: T,
    (a, b): (&Columns<T>, Vec<T>),
    beta: T,
    c: &mut [T],
) {
    let a = whole((uplo, symmetry), a);
    match side {
        Side::Left => gemm((Op::None, Op::None), [m, n, m], alpha, (a, b), beta, c),
        Side::Right => gemm((Op::None, Op::None), [m, n, n], alpha, (b, a), beta, c),
    }
}

/// The arguments of a rank-k update.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rank<T> {
    /// Whether the result is symmetric or Hermitian.
    pub symmetry: Symmetry,
    /// The operation on the first factor; the second factor is transposed if this one is not.
    pub op: Op,
    /// The order of the result.
    pub n: usize,
    /// The inner extent.
    pub k: usize,
    /// The factor of the product.
    pub alpha: T,
    /// The factor of the old matrix.
    pub beta: T,
}

/// `syrk`, `herk` if B is A; `syrkx`, `herkx`: `alpha op(A) op(B)ᵀ + beta C` of a triangle.
pub fn syrkx<T: Number + Factor>(rank: Rank<T>, a: Vec<T>, b: Vec<T>, c: &mut Columns<T>) {
    let Rank { symmetry, alpha, beta, .. } = rank;
    update(symmetry, alpha, &outer(rank, a, b), beta, c);
}

/// `syr2k`, `her2k`: the same and `alpha op(B) op(A)ᵀ`; this `alpha` is conjugated if C is
/// Hermitian.
pub fn syr2k<T: Number + Factor>(rank: Rank<T>, a: Vec<T>, b: Vec<T>, c: &mut Columns<T>) {
    let Rank { symmetry, n, alpha, beta, .. } = rank;
    let mut sum = outer(rank, a, b);
    sum.iter_mut().for_each(|value| *value = alpha * *value);
    // The second product is the first one on the other side of the diagonal.
    let other = applied(symmetry.op(), [n, n], sum.clone());
    for (sum, other) in sum.iter_mut().zip(other) {
        *sum = *sum + other;
    }
    update(symmetry, T::ONE, &sum, beta, c);
}

/// `op(A) op(B)ᵀ`.
fn outer<T: Number + Factor>(rank: Rank<T>, a: Vec<T>, b: Vec<T>) -> Vec<T> {
    let Rank { symmetry, op, n, k, .. } = rank;
    let (a, b) = match op {
        Op::None => (a, applied(symmetry.op(), [n, k], b)),
        Op::Transposed | Op::Conjugated => (applied(op, [k, n], a), b),
    };
    product([n, n, k], &a, &b)
}

fn update<T: Number>(symmetry: Symmetry, alpha: T, product: &[T], beta: T, c: &mut Columns<T>) {
    let n = c.rows;
    for j in 0..n {
        let (first, column) = c.column_mut(j);
        let of_product = product.get(j * n + first..).unwrap_or_default();
        for ((i, c), product) in (first..).zip(column).zip(of_product) {
            let new = combined(alpha, *product, beta, *c);
            *c = if i == j { symmetry.diagonal(new) } else { new };
        }
    }
}

/// `trmm`: `alpha op(A) B` or `alpha B op(A)` of a triangle. It replaces B, which has `m` rows and
/// `n` columns.
pub fn trmm<T: Number>(
    (side, triangle): (Side, Triangle),
    shape: [usize; 2],
    alpha: T,
    a: &Columns<T>,
    b: Vec<T>,
) -> Vec<T> {
    let mut all = by_columns((side, triangle), shape, a, b, trmv);
    crate::vectors::scal(alpha, &mut all);
    all
}

/// `trsm`: solves for the matrix whose product with the triangle is `alpha B`. It replaces B.
pub fn trsm<T: Number>(
    (side, triangle): (Side, Triangle),
    shape: [usize; 2],
    alpha: T,
    a: &Columns<T>,
    mut b: Vec<T>,
) -> Vec<T> {
    crate::vectors::begin(alpha, &mut b);
    by_columns((side, triangle), shape, a, b, trsv)
}

/// Applies it to each column, or to each row if the triangle is on the right. The rows are the
/// columns of the transposed product, where the triangle is transposed once more.
fn by_columns<T: Number>(
    (side, triangle): (Side, Triangle),
    [m, n]: [usize; 2],
    a: &Columns<T>,
    mut b: Vec<T>,
    each: impl Fn(Triangle, &Columns<T>, &mut [T]),
) -> Vec<T> {
    if m == 0 || n == 0 {
        return b;
    }
    match side {
        Side::Left => b.chunks_exact_mut(m).for_each(|column| each(triangle, a, column)),
        Side::Right => {
            let mut rows = transposed([m, n], &b);
            match triangle.op {
                Op::None => {
                    let op = Op::Transposed;
                    let turned = Triangle { op, ..triangle };
                    rows.chunks_exact_mut(n).for_each(|row| each(turned, a, row));
                }
                Op::Transposed => {
                    let turned = Triangle { op: Op::None, ..triangle };
                    rows.chunks_exact_mut(n).for_each(|row| each(turned, a, row));
                }
                Op::Conjugated => {
                    let turned = Triangle { op: Op::None, ..triangle };
                    let mut conjugated = a.clone();
                    conjugated.data.iter_mut().for_each(|value| *value = value.conj());
                    rows.chunks_exact_mut(n).for_each(|row| each(turned, &conjugated, row));
                }
            }
            b = transposed([n, m], &rows);
        }
    }
    b
}

/// A triangle of a dense matrix.
pub fn triangle_of<T: Number>(uplo: Uplo, order: usize, all: &[T]) -> Columns<T> {
    let layout = Layout::triangle(uplo, order, order);
    let runs = layout.runs().filter_map(|run| all.get(run.at..run.at + run.count));
    let data = runs.flatten().copied().collect();
    Columns::new(&layout, data)
}

/// `geam`: `alpha op(A) + beta op(B)`; a matrix that is multiplied by 0 is not read.
pub fn geam<T: Number>(
    (op_a, op_b): (Op, Op),
    [m, n]: [usize; 2],
    (alpha, a): (T, Vec<T>),
    (beta, b): (T, Vec<T>),
) -> Vec<T> {
    let part = |op: Op, by: T, all: Vec<T>| match by == T::ZERO {
        true => vec![T::ZERO; m * n],
        false => {
            let shape = if op.is_transposed() { [n, m] } else { [m, n] };
            let mut all = applied(op, shape, all);
            crate::vectors::scal(by, &mut all);
            all
        }
    };
    let (a, b) = (part(op_a, alpha, a), part(op_b, beta, b));
    a.into_iter().zip(b).map(|(a, b)| a + b).collect()
}

/// `dgmm`: each row times an element of a vector if the diagonal matrix is on the left, else each
/// column.
pub fn dgmm<T: Number>(side: Side, [m, n]: [usize; 2], a: &mut [T], x: &[T]) {
    if m == 0 || n == 0 {
        return;
    }
    for (j, column) in a.chunks_exact_mut(m).enumerate() {
        match side {
            Side::Left => column.iter_mut().zip(x).for_each(|(a, x)| *a = *x * *a),
            Side::Right => {
                let by = x.get(j).copied().unwrap_or_default();
                column.iter_mut().for_each(|a| *a = *a * by);
            }
        }
    }
}
