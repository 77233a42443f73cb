//! Level 2 (Dongarra, Du Croz, Hammarling, Hanson, "An Extended Set of Fortran Basic Linear Algebra
//! Subprograms", 1988), over matrices by their columns, whatever lies between them: full,
//! triangles, packed, bands.

use crate::layout::Layout;
use crate::number::Number;
use crate::vectors::{axpy, begin, dot};
use crate::{Op, Symmetry, Uplo};

/// A matrix by its columns; each column has one run of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Columns<T> {
    /// The rows of the whole matrix.
    pub rows: usize,
    /// The first row, the place of the first element, and the count of each column.
    columns: Vec<(usize, usize, usize)>,
    /// All elements, one column behind the other.
    pub data: Vec<T>,
}

impl<T: Number> Columns<T> {
    /// The elements that a layout names, in its order.
    pub fn new(layout: &Layout, mut data: Vec<T>) -> Columns<T> {
        data.resize(layout.count(), T::ZERO);
        let mut at = 0;
        let mut columns = Vec::with_capacity(layout.columns.len());
        for run in &layout.columns {
            columns.push((run.first_row, at, run.count));
            at += run.count;
        }
        Columns { rows: layout.rows, columns, data }
    }

    /// How many columns there are.
    pub fn count(&self) -> usize {
        self.columns.len()
    }

    /// The first row of a column, and its elements.
    pub fn column(&self, j: usize) -> (usize, &[T]) {
        // Each column that there is has its elements: `new` sees to it. Others have none.
        let (first, at, count) = self.columns.get(j).copied().unwrap_or_default();
        (first, self.data.get(at..at + count).unwrap_or_default())
    }

    /// The same, for changing it.
    pub fn column_mut(&mut self, j: usize) -> (usize, &mut [T]) {
        let (first, at, count) = self.columns.get(j).copied().unwrap_or_default();
        (first, self.data.get_mut(at..at + count).unwrap_or_default())
    }
}

/// The part of a vector that meets a column.
fn meets<T>(x: &[T], first: usize, count: usize) -> &[T] {
    // Vectors are as long as the matrix is: routines make their layouts of the same numbers.
    x.get(first..first + count).unwrap_or_default()
}

fn meets_mut<T>(x: &mut [T], first: usize, count: usize) -> &mut [T] {
    x.get_mut(first..first + count).unwrap_or_default()
}

/// `gemv`, `gbmv`: `alpha op(A) x + beta y`.
pub fn gemv<T: Number>(op: Op, alpha: T, a: &Columns<T>, x: &[T], beta: T, y: &mut [T]) {
    begin(beta, y);
    if alpha == T::ZERO {
        return;
    }
    for j in 0..a.count() {
        let (first, column) = a.column(j);
        match op {
            Op::None => {
                let x = x.get(j).copied().unwrap_or_default();
                axpy(alpha * x, column, meets_mut(y, first, column.len()));
            }
            Op::Transposed | Op::Conjugated => {
                let sum = dot(column, meets(x, first, column.len()), op == Op::Conjugated);
                if let Some(y) = y.get_mut(j) {
                    *y = *y + alpha * sum;
                }
            }
        }
    }
}

/// A column of a triangle: the first row beside the diagonal, the elements there, and the diagonal.
fn parted<T: Number>(uplo: Uplo, (first, column): (usize, &[T])) -> (usize, &[T], T) {
    let parts = match uplo {
        Uplo::Upper => column.split_last().map(|(diagonal, rest)| (first, rest, *diagonal)),
        Uplo::Lower => column.split_first().map(|(diagonal, rest)| (first + 1, rest, *diagonal)),
    };
    parts.unwrap_or((first, &[], T::ZERO))
}

/// `symv`, `hemv`, `sbmv`, `hbmv`, `spmv`, `hpmv`: `alpha A x + beta y`, with A kept as a triangle.
pub fn symv<T: Number>(
    (uplo, symmetry): (Uplo, Symmetry),
    alpha: T,
    a: &Columns<T>,
    x: &[T],
    beta: T,
    y: &mut [T],
) {
    begin(beta, y);
    if alpha == T::ZERO {
        return;
    }
    for j in 0..a.count() {
        let (first, rest, diagonal) = parted(uplo, a.column(j));
        let here = x.get(j).copied().unwrap_or_default();
        axpy(alpha * here, rest, meets_mut(y, first, rest.len()));
        let across = dot(rest, meets(x, first, rest.len()), symmetry == Symmetry::Hermitian);
        if let Some(y) = y.get_mut(j) {
            *y = *y + alpha * (symmetry.diagonal(diagonal) * here + across);
        }
    }
}

/// `ger`, `geru`, or `gerc` if the second vector is conjugated: `A + alpha x yᵀ`.
pub fn ger<T: Number>(alpha: T, x: &[T], y: &[T], is_conjugated: bool, a: &mut Columns<T>) {
    for (j, y) in y.iter().enumerate() {
        let (first, column) = a.column_mut(j);
        axpy(alpha * y.conj_if(is_conjugated), meets(x, first, column.len()), column);
    }
}

/// `syr`, `her`, `spr`, `hpr`: `A + alpha x xᵀ` of a triangle.
pub fn syr<T: Number>(symmetry: Symmetry, alpha: T, x: &[T], a: &mut Columns<T>) {
    for (j, here) in x.iter().enumerate() {
        let (first, column) = a.column_mut(j);
        let count = column.len();
        axpy(alpha * symmetry.mirrored(*here), meets(x, first, count), column);
        straighten(symmetry, j, first, column);
    }
}

/// `syr2`, `her2`, `spr2`, `hpr2`: `A + alpha x yᵀ + alpha y xᵀ` of a triangle. The second `alpha`
/// is conjugated if A is Hermitian.
pub fn syr2<T: Number>(symmetry: Symmetry, alpha: T, x: &[T], y: &[T], a: &mut Columns<T>) {
    for (j, (of_x, of_y)) in x.iter().zip(y).enumerate() {
        let (first, column) = a.column_mut(j);
        let count = column.len();
        axpy(alpha * symmetry.mirrored(*of_y), meets(x, first, count), column);
        axpy(symmetry.mirrored(alpha * *of_x), meets(y, first, count), column);
        straighten(symmetry, j, first, column);
    }
}

/// The diagonal of a Hermitian matrix is real.
fn straighten<T: Number>(symmetry: Symmetry, j: usize, first: usize, column: &mut [T]) {
    if let Some(diagonal) = j.checked_sub(first).and_then(|at| column.get_mut(at)) {
        *diagonal = symmetry.diagonal(*diagonal);
    }
}

/// A triangle: which one, the operation on it, and whether its diagonal is all 1 and not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Triangle {
    /// Which triangle.
    pub uplo: Uplo,
    /// The operation on it.
    pub op: Op,
    /// Whether its diagonal is all 1.
    pub is_unit: bool,
}

/// `trmv`, `tbmv`, `tpmv`: `op(A) x` of a triangle.
pub fn trmv<T: Number>(triangle: Triangle, a: &Columns<T>, x: &mut [T]) {
    let Triangle { uplo, op, is_unit } = triangle;
    let count = a.count();
    // Each element is used before it is changed.
    let is_forward = (uplo == Uplo::Upper) != op.is_transposed();
    for step in 0..count {
        let j = if is_forward { step } else { count - 1 - step };
        let (first, rest, diagonal) = parted(uplo, a.column(j));
        let here = x.get(j).copied().unwrap_or_default();
        let diagonal = if is_unit { T::ONE } else { diagonal.conj_if(op == Op::Conjugated) };
        let mut there = diagonal * here;
        match op {
            Op::None => axpy(here, rest, meets_mut(x, first, rest.len())),
            Op::Transposed | Op::Conjugated => {
                there = there + dot(rest, meets(x, first, rest.len()), op == Op::Conjugated);
            }
        }
        if let Some(x) = x.get_mut(j) {
            *x = there;
        }
    }
}

/// `trsv`, `tbsv`, `tpsv`: solves for the vector whose product with `op(A)` of a triangle is `x`.
/// It does not check whether one exists.
pub fn trsv<T: Number>(triangle: Triangle, a: &Columns<T>, x: &mut [T]) {
    let Triangle { uplo, op, is_unit } = triangle;
    let count = a.count();
    let is_forward = (uplo == Uplo::Lower) != op.is_transposed();
    for step in 0..count {
        let j = if is_forward { step } else { count - 1 - step };
        let (first, rest, diagonal) = parted(uplo, a.column(j));
        let diagonal = diagonal.conj_if(op == Op::Conjugated);
        let divided = |value: T| if is_unit { value } else { value / diagonal };
        let here = x.get(j).copied().unwrap_or_default();
        let solved = match op {
            Op::None => {
                let solved = divided(here);
                axpy(-solved, rest, meets_mut(x, first, rest.len()));
                solved
            }
            Op::Transposed | Op::Conjugated => {
                divided(here - dot(rest, meets(x, first, rest.len()), op == Op::Conjugated))
            }
        };
        if let Some(x) = x.get_mut(j) {
            *x = solved;
        }
    }
}
