//! Each routine against its definition, computed independently in integers. Small integers make all
//! sums exact, whatever their order, so results are equal. Results that are not integers are held
//! to the bound of their sum.
#![allow(clippy::indexing_slicing, reason = "tests")]

mod bounds;
mod factors;
mod matrices;
mod rotations;
mod vectors;

use num_complex::Complex;
use proptest::prelude::*;
use warpsim_blas::{Element, Number, Real};

/// An exact complex number.
pub(crate) type Exact = Complex<i64>;

/// A dense matrix of exact numbers, by columns.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Dense {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    pub(crate) all: Vec<Exact>,
}

impl Dense {
    pub(crate) fn new(rows: usize, columns: usize, f: impl Fn(usize, usize) -> Exact) -> Dense {
        let all = (0..columns).flat_map(|j| (0..rows).map(move |i| (i, j)));
        Dense { rows, columns, all: all.map(|(i, j)| f(i, j)).collect() }
    }

    pub(crate) fn at(&self, i: usize, j: usize) -> Exact {
        self.all[j * self.rows + i]
    }

    pub(crate) fn op(&self, op: warpsim_blas::Op) -> Dense {
        match op {
            warpsim_blas::Op::None => self.clone(),
            warpsim_blas::Op::Transposed => {
                Dense::new(self.columns, self.rows, |i, j| self.at(j, i))
            }
            warpsim_blas::Op::Conjugated => {
                Dense::new(self.columns, self.rows, |i, j| self.at(j, i).conj())
            }
        }
    }

    pub(crate) fn times(&self, other: &Dense) -> Dense {
        assert_eq!(self.columns, other.rows);
        Dense::new(self.rows, other.columns, |i, j| {
            (0..self.columns).map(|l| self.at(i, l) * other.at(l, j)).sum()
        })
    }

    pub(crate) fn scaled(&self, by: Exact) -> Dense {
        Dense::new(self.rows, self.columns, |i, j| by * self.at(i, j))
    }

    pub(crate) fn plus(&self, other: &Dense) -> Dense {
        Dense::new(self.rows, self.columns, |i, j| self.at(i, j) + other.at(i, j))
    }

    /// The elements as numbers.
    pub(crate) fn numbers<T: Number>(&self) -> Vec<T> {
        self.all.iter().map(|value| number(*value)).collect()
    }
}

/// An exact number in a type; of a real one its real part.
pub(crate) fn number<T: Number>(value: Exact) -> T {
    let real = |part: i64| T::Real::of_f64(part as f64);
    let mut bytes = vec![0; 2 * T::Real::BYTES];
    let (re, im) = bytes.split_at_mut(T::Real::BYTES);
    real(value.re).write(re);
    real(value.im).write(im);
    T::read(&bytes[..T::BYTES])
}

/// Numbers as exact ones.
pub(crate) fn exact<T: Number>(all: &[T]) -> Vec<Exact> {
    all.iter().map(|v| Exact::new(v.re().to_f64() as i64, v.im().to_f64() as i64)).collect()
}

/// Exact numbers that a type can have.
pub(crate) fn value(is_complex: bool) -> impl Strategy<Value = Exact> {
    let imaginary = if is_complex { -4..=4i64 } else { 0..=0 };
    (-4..=4i64, imaginary).prop_map(|(re, im)| Exact::new(re, im))
}

pub(crate) fn values(count: usize, is_complex: bool) -> impl Strategy<Value = Vec<Exact>> {
    proptest::collection::vec(value(is_complex), count)
}

pub(crate) fn dense(rows: usize, columns: usize, is_complex: bool) -> impl Strategy<Value = Dense> {
    values(rows * columns, is_complex).prop_map(move |all| Dense { rows, columns, all })
}
