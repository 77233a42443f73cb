//! The transforms: lines of one dimension after the other. Between real and complex numbers they
//! use the half that the other half mirrors ("Fourier Transform Types", "Data Layout").

use num_complex::Complex;
use rustfft::{FftDirection, FftPlannerScalar};

/// The sign of the exponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// `exp(-2 pi i j k / n)`.
    Forward,
    /// `exp(2 pi i j k / n)`.
    Inverse,
}

/// `f32` and `f64`. Transforms compute in `f64`, and round each element once.
pub trait Real: Copy + Default {
    /// The same number.
    fn widened(self) -> f64;
    /// The nearest number.
    fn rounded(value: f64) -> Self;
}

impl Real for f32 {
    fn widened(self) -> f64 {
        self.into()
    }
    fn rounded(value: f64) -> f32 {
        value as f32
    }
}

impl Real for f64 {
    fn widened(self) -> f64 {
        self
    }
    fn rounded(value: f64) -> f64 {
        value
    }
}

/// The elements of a transform in each dimension, outermost first: one to three.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(pub Vec<usize>);

impl Shape {
    /// The number of elements: real ones, or complex ones of a complex transform.
    pub fn elements(&self) -> usize {
        self.0.iter().product()
    }

    /// The extents of the complex half of a transform of real numbers.
    pub fn half(&self) -> Vec<usize> {
        let mut half = self.0.clone();
        if let Some(last) = half.last_mut() {
            *last = *last / 2 + 1;
        }
        half
    }
}

/// Transforms of one shape.
pub struct Plan {
    shape: Shape,
    planner: FftPlannerScalar<f64>,
}

impl Plan {
    /// A plan for transforms of this shape.
    pub fn new(shape: Shape) -> Plan {
        Plan { shape, planner: FftPlannerScalar::new() }
    }

    /// A transform of complex numbers, which lie one behind the other.
    pub fn complex<T: Real>(&mut self, data: &mut [Complex<T>], direction: Direction) {
        let mut wide: Vec<_> = data.iter().map(|value| widened(*value)).collect();
        self.transform(&mut wide, direction);
        for (value, wide) in data.iter_mut().zip(wide) {
            *value = rounded(wide);
        }
    }

    fn transform(&mut self, data: &mut [Complex<f64>], direction: Direction) {
        let direction = match direction {
            Direction::Forward => FftDirection::Forward,
            Direction::Inverse => FftDirection::Inverse,
        };
        let counts = self.shape.0.clone();
        let mut step = 1;
        for count in counts.iter().rev() {
            let line = self.planner.plan_fft(*count, direction);
            let mut values = vec![Complex::default(); *count];
            let mut scratch = vec![Complex::default(); line.get_inplace_scratch_len()];
            for first in first_elements(data.len(), *count, step) {
                values.iter_mut().enumerate().for_each(|(k, v)| *v = data[first + k * step]);
                line.process_with_scratch(&mut values, &mut scratch);
                values.iter().enumerate().for_each(|(k, v)| data[first + k * step] = *v);
            }
            step *= count;
        }
    }

    /// A forward transform of real numbers: the half of the result that the other half mirrors.
    pub fn real_to_complex<T: Real>(&mut self, data: &[T]) -> Vec<Complex<T>> {
        let mut all: Vec<_> = data.iter().map(|value| Complex::new(value.widened(), 0.0)).collect();
        self.transform(&mut all, Direction::Forward);
        let (width, half) = self.widths();
        // Rows are whole, and no half of one is longer: an extent is at least 1.
        let halves = all.chunks(width.max(1)).flat_map(|row| &row[..half]);
        halves.map(|wide| rounded(*wide)).collect()
    }

    /// An inverse transform to real numbers, of the half that the other half mirrors. Imaginary
    /// parts that cannot exist are ignored.
    pub fn complex_to_real<T: Real>(&mut self, half_data: &[Complex<T>]) -> Vec<T> {
        let (width, half) = self.widths();
        let counts = self.shape.0.clone();
        let mut all = vec![Complex::default(); self.shape.elements()];
        for (place, value) in all.iter_mut().enumerate() {
            let (row, column) = (place / width, place % width);
            *value = match column < half {
                true => widened(half_data[row * half + column]),
                false => widened(half_data[mirrored(row, &counts) * half + width - column]).conj(),
            };
        }
        self.transform(&mut all, Direction::Inverse);
        all.into_iter().map(|value| T::rounded(value.re)).collect()
    }

    /// Elements of a row: of real numbers, and of the complex half.
    fn widths(&self) -> (usize, usize) {
        let width = self.shape.0.last().copied().unwrap_or(1);
        (width, width / 2 + 1)
    }
}

fn widened<T: Real>(value: Complex<T>) -> Complex<f64> {
    Complex::new(value.re.widened(), value.im.widened())
}

fn rounded<T: Real>(value: Complex<f64>) -> Complex<T> {
    Complex::new(T::rounded(value.re), T::rounded(value.im))
}

/// The first elements of the lines of one dimension.
fn first_elements(all: usize, count: usize, step: usize) -> impl Iterator<Item = usize> {
    let block = step * count;
    (0..all / block).flat_map(move |outer| (0..step).map(move |inner| outer * block + inner))
}

/// The row that mirrors a row: its index is `-k` in each outer dimension.
fn mirrored(row: usize, counts: &[usize]) -> usize {
    let (mut rest, mut to, mut step) = (row, 0, 1);
    for count in counts[..counts.len().saturating_sub(1)].iter().rev() {
        to += (count - rest % count) % count * step;
        rest /= count;
        step *= count;
    }
    to
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The sums that define a transform.
    fn sums(data: &[Complex<f64>], counts: &[usize], sign: f64) -> Vec<Complex<f64>> {
        let places = |index: usize| {
            let (mut rest, mut all) = (index, vec![0; counts.len()]);
            for (dimension, count) in counts.iter().enumerate().rev() {
                all[dimension] = rest % count;
                rest /= count;
            }
            all
        };
        let element = |k: usize| {
            let mut sum = Complex::new(0.0, 0.0);
            for (j, value) in data.iter().enumerate() {
                let turns: f64 = places(j)
                    .iter()
                    .zip(places(k))
                    .zip(counts)
                    .map(|((a, b), n)| (a * b % n) as f64 / *n as f64)
                    .sum();
                sum += value * Complex::from_polar(1.0, sign * std::f64::consts::TAU * turns);
            }
            sum
        };
        (0..data.len()).map(element).collect()
    }

    fn near(a: &[Complex<f64>], b: &[Complex<f64>]) -> bool {
        a.len() == b.len()
            && a.iter().zip(b).all(|(a, b)| (a - b).norm() < 1e-10 * a.norm().max(9.0))
    }

    fn shapes() -> impl Strategy<Value = Vec<usize>> {
        prop_oneof![
            proptest::collection::vec(1_usize..40, 1),
            proptest::collection::vec(1_usize..9, 2),
            proptest::collection::vec(1_usize..6, 3),
        ]
    }

    proptest! {
        #[test]
        fn transforms_are_the_sums_that_define_them(
            counts in shapes(),
            seed in proptest::collection::vec((-8.0_f64..8.0, -8.0_f64..8.0), 216),
        ) {
            let n: usize = counts.iter().product();
            let data: Vec<_> = seed.iter().take(n).map(|(re, im)| Complex::new(*re, *im)).collect();
            let mut plan = Plan::new(Shape(counts.clone()));
            for (direction, sign) in [(Direction::Forward, -1.0), (Direction::Inverse, 1.0)] {
                let mut is = data.clone();
                plan.complex(&mut is, direction);
                prop_assert!(near(&is, &sums(&data, &counts, sign)));
            }
        }

        #[test]
        fn real_numbers_have_half_of_it_and_come_back_times_their_number(
            counts in shapes(),
            seed in proptest::collection::vec(-8.0_f64..8.0, 216),
        ) {
            let n: usize = counts.iter().product();
            let data = &seed[..n];
            let complex: Vec<_> = data.iter().map(|re| Complex::new(*re, 0.0)).collect();
            let all = sums(&complex, &counts, -1.0);
            let (width, half) = (counts[counts.len() - 1], counts[counts.len() - 1] / 2 + 1);
            let wanted: Vec<_> =
                all.chunks(width).flat_map(|row| row[..half].iter().copied()).collect();
            let mut plan = Plan::new(Shape(counts.clone()));
            let is = plan.real_to_complex(data);
            prop_assert!(near(&is, &wanted));
            let back = plan.complex_to_real(&is);
            for (a, b) in back.iter().zip(data) {
                prop_assert!((a - b * n as f64).abs() < 1e-9 * n as f64);
            }
        }
    }
}
