//! Products of sparse and dense matrices (cuSPARSE API Reference, NVIDIA, version 12: "Generic API
//! Functions"), on data of the host.
//!
//! A sparse matrix is the list of its entries. Storage formats differ only in how the list is read
//! ([`Matrix::of_offsets`], [`Matrix::of_coordinates`]). An entry that occurs twice counts twice.
//! Each sum is made in the order of the list, in the type of the values.
//!
//! The existing crates for sparse matrices that were examined sort entries and sum duplicates when
//! they take a matrix. A program's own arrays must be taken as they are, so the loops are written
//! here. They are short.

use std::ops::{Add, Mul};

use num_complex::Complex;

/// `f32`, `f64` and complex numbers of both.
pub trait Scalar: Copy + Default + PartialEq + Add<Output = Self> + Mul<Output = Self> {
    /// The number with the opposite sign of the imaginary part.
    fn conjugate(self) -> Self;
}

macro_rules! scalar {
    ($($real:ty),*) => {$(
        impl Scalar for $real {
            fn conjugate(self) -> $real {
                self
            }
        }

        impl Scalar for Complex<$real> {
            fn conjugate(self) -> Complex<$real> {
                self.conj()
            }
        }
    )*};
}

scalar!(f32, f64);

/// The operation on a matrix before it is multiplied (`cusparseOperation_t`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Nothing.
    None,
    /// Rows become columns.
    Transposed,
    /// The same, with each entry conjugated.
    Conjugated,
}

/// A sparse matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix<T> {
    rows: usize,
    columns: usize,
    entries: Vec<(usize, usize, T)>,
}

impl<T: Scalar> Matrix<T> {
    /// A matrix from the places where its rows begin, with the end of the last (CSR). `None` if the
    /// places do not ascend, or something is outside.
    pub fn of_offsets(
        [rows, columns]: [usize; 2],
        offsets: &[usize],
        indices: &[usize],
        values: &[T],
    ) -> Option<Matrix<T>> {
        let mut entries = Vec::with_capacity(values.len());
        for row in 0..rows {
            let (start, end) = (*offsets.get(row)?, *offsets.get(row + 1)?);
            let columns = indices.get(start..end)?;
            let values = values.get(start..end)?;
            entries
                .extend(columns.iter().zip(values).map(|(column, value)| (row, *column, *value)));
        }
        Matrix { rows, columns, entries }.checked()
    }

    /// A matrix from row and column of each entry (COO). `None` if one is outside.
    pub fn of_coordinates(
        [rows, columns]: [usize; 2],
        of_rows: &[usize],
        of_columns: &[usize],
        values: &[T],
    ) -> Option<Matrix<T>> {
        let places = of_rows.iter().zip(of_columns).zip(values);
        let entries = places.map(|((row, column), value)| (*row, *column, *value)).collect();
        Matrix { rows, columns, entries }.checked()
    }

    fn checked(self) -> Option<Matrix<T>> {
        let is_inside =
            |(row, column, _): &(usize, usize, T)| *row < self.rows && *column < self.columns;
        self.entries.iter().all(is_inside).then_some(self)
    }

    /// The matrix after an operation.
    pub fn after(self, operation: Operation) -> Matrix<T> {
        let turned = |conjugate: fn(T) -> T| {
            let entries = self.entries.iter();
            let entries = entries.map(|(row, column, v)| (*column, *row, conjugate(*v))).collect();
            Matrix { rows: self.columns, columns: self.rows, entries }
        };
        match operation {
            Operation::None => self,
            Operation::Transposed => turned(|value| value),
            Operation::Conjugated => turned(T::conjugate),
        }
    }

    /// Rows and columns.
    pub fn extents(&self) -> [usize; 2] {
        [self.rows, self.columns]
    }

    /// The product with a dense matrix. Both dense matrices are by rows: `width` numbers for each
    /// row.
    pub fn times(&self, dense: &[T], width: usize) -> Vec<T> {
        let mut sums = vec![T::default(); self.rows * width];
        for (row, column, value) in &self.entries {
            for k in 0..width {
                let sum = &mut sums[row * width + k];
                *sum = *sum + *value * dense[column * width + k];
            }
        }
        sums
    }
}

/// `alpha * product + beta * before`; `before` is not read if `beta` is 0.
pub fn combined<T: Scalar>(alpha: T, product: &[T], beta: T, before: &[T]) -> Vec<T> {
    let scaled = product.iter().map(|value| alpha * *value);
    match beta == T::default() {
        true => scaled.collect(),
        false => scaled.zip(before).map(|(value, old)| value + beta * *old).collect(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type C = Complex<f64>;

    fn number() -> impl Strategy<Value = C> {
        (-9_i32..9, -9_i32..9).prop_map(|(re, im)| C::new(re.into(), im.into()))
    }

    proptest! {
        // Small whole numbers, so that sums are exact in any order.
        #[test]
        fn products_are_those_of_the_dense_matrix(
            (rows, columns, width) in (1_usize..7, 1_usize..7, 1_usize..4),
            places in proptest::collection::vec((0_usize..7, 0_usize..7, number()), 0..20),
            dense in proptest::collection::vec(number(), 28),
        ) {
            let mut entries: Vec<_> =
                places.into_iter().map(|(r, c, v)| (r % rows, c % columns, v)).collect();
            let mut full = vec![C::default(); rows * columns];
            entries.iter().for_each(|(r, c, v)| full[r * columns + c] += v);
            let split = |entries: &[(usize, usize, C)]| {
                let of_rows: Vec<usize> = entries.iter().map(|e| e.0).collect();
                let of_columns: Vec<usize> = entries.iter().map(|e| e.1).collect();
                let values: Vec<C> = entries.iter().map(|e| e.2).collect();
                (of_rows, of_columns, values)
            };
            let (of_rows, of_columns, values) = split(&entries);
            let coordinates =
                Matrix::of_coordinates([rows, columns], &of_rows, &of_columns, &values).unwrap();
            entries.sort_by_key(|entry| entry.0);
            let (of_rows, of_columns, values) = split(&entries);
            let offsets: Vec<usize> =
                (0..=rows).map(|row| of_rows.iter().filter(|r| **r < row).count()).collect();
            let offsets =
                Matrix::of_offsets([rows, columns], &offsets, &of_columns, &values).unwrap();
            for matrix in [coordinates, offsets] {
                for operation in [Operation::None, Operation::Transposed, Operation::Conjugated] {
                    let element = |i: usize, j: usize| match operation {
                        Operation::None => full[i * columns + j],
                        Operation::Transposed => full[j * columns + i],
                        Operation::Conjugated => full[j * columns + i].conj(),
                    };
                    let matrix = matrix.clone().after(operation);
                    let [m, n] = matrix.extents();
                    let mut wanted = Vec::new();
                    for i in 0..m {
                        for k in 0..width {
                            wanted.push((0..n).map(|j| element(i, j) * dense[j * width + k]).sum::<C>());
                        }
                    }
                    prop_assert_eq!(matrix.times(&dense, width), wanted);
                }
            }
        }
    }

    #[test]
    fn entries_outside_and_offsets_that_descend_are_refused() {
        assert_eq!(Matrix::of_coordinates([2, 2], &[2], &[0], &[1.0]), None);
        assert_eq!(Matrix::of_offsets([2, 2], &[0, 1, 1], &[2], &[1.0]), None);
        assert_eq!(Matrix::of_offsets([2, 2], &[0, 2, 1], &[0, 1], &[1.0, 1.0]), None);
        assert_eq!(Matrix::of_offsets([2, 2], &[0, 1], &[0], &[1.0]), None);
    }

    #[test]
    fn what_was_there_counts_for_nothing_with_a_beta_of_zero() {
        assert_eq!(combined(2.0, &[3.0], 0.0, &[f64::NAN]), [6.0]);
        assert_eq!(combined(2.0, &[3.0], 0.5, &[4.0]), [8.0]);
    }
}
