//! The product of two dense matrices, each by columns without gaps.
//!
//! Tiles of the result are summed in registers, each element in the order of the inner index. So an
//! element's value does not depend on its tile.

use crate::Op;
use crate::number::{Element, Number};

/// An element of a product: a number, or an integer that wraps around.
pub trait Factor: Element {
    /// 0.
    const NOTHING: Self;

    /// `sum + a * b`.
    #[must_use]
    fn plus(self, a: Self, b: Self) -> Self;

    /// [`product`], compiled here, where it is optimised, and not where it is called.
    fn product(extents: [usize; 3], a: &[Self], b: &[Self]) -> Vec<Self>;
}

macro_rules! factor {
    ($($ty:ty),*) => {$(
        impl Factor for $ty {
            const NOTHING: $ty = <$ty as Number>::ZERO;

            #[inline(always)]
            fn plus(self, a: $ty, b: $ty) -> $ty {
                self + a * b
            }

            fn product(extents: [usize; 3], a: &[$ty], b: &[$ty]) -> Vec<$ty> {
                of_tiles(extents, a, b)
            }
        }
    )*};
}

factor!(f32, f64, crate::C32, crate::C64);

impl Factor for i32 {
    const NOTHING: i32 = 0;

    #[inline(always)]
    fn plus(self, a: i32, b: i32) -> i32 {
        self.wrapping_add(a.wrapping_mul(b))
    }

    fn product(extents: [usize; 3], a: &[i32], b: &[i32]) -> Vec<i32> {
        of_tiles(extents, a, b)
    }
}

/// Rows and columns of a tile, and columns between which the left matrix is gone through.
const ROWS: usize = 8;
const COLUMNS: usize = 4;
const BLOCK: usize = 64;

/// `A B`, where A has `m` rows and `k` columns, B `k` rows and `n` columns.
pub fn product<T: Factor>(extents: [usize; 3], a: &[T], b: &[T]) -> Vec<T> {
    T::product(extents, a, b)
}

fn of_tiles<T: Factor>([m, n, k]: [usize; 3], a: &[T], b: &[T]) -> Vec<T> {
    let mut c = vec![T::NOTHING; m * n];
    if m == 0 || n == 0 || k == 0 {
        return c;
    }
    let panels = panels(m, k, a);
    let blocks = c.chunks_mut(m * BLOCK).zip(b.chunks(k * BLOCK));
    for (c, b) in blocks {
        for (at, panel) in (0..m).step_by(ROWS).zip(panels.chunks_exact(ROWS * k)) {
            let rows = ROWS.min(m - at);
            for (c, b) in c.chunks_mut(m * COLUMNS).zip(b.chunks(k * COLUMNS)) {
                let tile = tile(panel, b, k);
                for (c, sums) in c.chunks_exact_mut(m).zip(&tile) {
                    if let (Some(c), Some(sums)) = (c.get_mut(at..at + rows), sums.get(..rows)) {
                        c.copy_from_slice(sums);
                    }
                }
            }
        }
    }
    c
}

/// The left matrix in panels of some rows, each by columns; the last one is filled with nothing.
fn panels<T: Factor>(m: usize, k: usize, a: &[T]) -> Vec<T> {
    let mut panels = vec![T::NOTHING; m.div_ceil(ROWS) * ROWS * k];
    for (index, panel) in panels.chunks_exact_mut(ROWS * k).enumerate() {
        let rows = index * ROWS..m.min((index + 1) * ROWS);
        for (into, column) in panel.chunks_exact_mut(ROWS).zip(a.chunks_exact(m)) {
            for (into, from) in into.iter_mut().zip(column.get(rows.clone()).unwrap_or_default()) {
                *into = *from;
            }
        }
    }
    panels
}

/// A tile, by columns.
fn tile<T: Factor>(panel: &[T], b: &[T], k: usize) -> [[T; ROWS]; COLUMNS] {
    let mut sums = [[T::NOTHING; ROWS]; COLUMNS];
    let rows = panel.as_chunks::<ROWS>().0;
    let mut columns = b.chunks_exact(k);
    let four = [columns.next(), columns.next(), columns.next(), columns.next()];
    if let [Some(b0), Some(b1), Some(b2), Some(b3)] = four {
        let of_b = b0.iter().zip(b1).zip(b2.iter().zip(b3));
        for (a, ((b0, b1), (b2, b3))) in rows.iter().zip(of_b) {
            for (sums, b) in sums.iter_mut().zip([*b0, *b1, *b2, *b3]) {
                for (sum, a) in sums.iter_mut().zip(a) {
                    *sum = sum.plus(*a, b);
                }
            }
        }
        return sums;
    }
    for (sums, column) in sums.iter_mut().zip(b.chunks_exact(k)) {
        for (a, b) in rows.iter().zip(column) {
            for (sum, a) in sums.iter_mut().zip(a) {
                *sum = sum.plus(*a, *b);
            }
        }
    }
    sums
}

/// The transpose of a matrix with `rows` rows and `columns` columns.
pub fn transposed<T: Element>([rows, columns]: [usize; 2], a: &[T]) -> Vec<T> {
    // Some rows at a time, so that the reads stay near each other.
    const NEAR: usize = 16;
    let mut all = vec![T::default(); rows * columns];
    if rows == 0 || columns == 0 {
        return all;
    }
    for first in (0..rows).step_by(NEAR) {
        let last = rows.min(first + NEAR);
        for (j, column) in a.chunks_exact(rows).enumerate() {
            let some = column.get(first..last).unwrap_or_default();
            for (i, value) in some.iter().enumerate() {
                if let Some(to) = all.get_mut((first + i) * columns + j) {
                    *to = *value;
                }
            }
        }
    }
    all
}

/// `op(A)` of a matrix with this number of rows and columns.
pub fn applied<T: Number>(op: Op, shape: [usize; 2], a: Vec<T>) -> Vec<T> {
    match op {
        Op::None => a,
        Op::Transposed => transposed(shape, &a),
        Op::Conjugated => {
            let mut all = transposed(shape, &a);
            all.iter_mut().for_each(|value| *value = value.conj());
            all
        }
    }
}
