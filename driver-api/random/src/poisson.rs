//! Poisson numbers, and the tables of a Poisson distribution (cuRAND guide, "Distributions",
//! "Device API for discrete distributions").
//!
//! | generator | mean | method |
//! |---|---|---|
//! | pseudorandom | below 64 | products of uniform numbers (Knuth) |
//! | pseudorandom | up to 4000 | PTRS (Hörmann) |
//! | quasirandom | below 1000 | the inverse of the distribution function |
//! | both | above | a normal number, rounded |
//!
//! Knuth: The Art of Computer Programming 2, 3.4.1. Hörmann: "The transformed rejection method for
//! generating Poisson random variables", Insurance: Mathematics and Economics 12, 1993.
//!
//! cuRAND documents no method. The numbers here follow the same distribution as cuRAND's, but
//! differ.

use crate::numbers::Numbers;

/// The largest allowed mean.
pub const LARGEST_MEAN: f64 = 400_000.0;

/// The mean above which a distribution has no tables.
const LARGEST_TABLE: f64 = 2000.0;

/// The logarithm of k!, for a whole number (Stirling's series; NIST Digital Library of Mathematical
/// Functions, 5.11.1).
fn log_factorial(k: f64) -> f64 {
    if k < 16.0 {
        return (2..=k as u32).map(|factor| f64::from(factor).ln()).sum();
    }
    let x = k + 1.0;
    let square = x * x;
    let series = (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / (1260.0 * square)) / square) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series
}

/// The logarithm of the probability of k.
fn log_probability(mean: f64, k: f64) -> f64 {
    k * mean.ln() - mean - log_factorial(k)
}

/// A normal number as one of a large mean.
pub(crate) fn rounded(mean: f64, normal: f64) -> u32 {
    (mean.sqrt().mul_add(normal, mean) + 0.5) as u32
}

/// The next number of a pseudorandom generator.
pub(crate) fn next(mean: f64, numbers: &mut impl Numbers) -> u32 {
    if mean < 64.0 {
        let mut product = (mean as f32).exp() * numbers.uniform();
        let mut k = 0;
        while product > 1.0 {
            product *= numbers.uniform();
            k += 1;
        }
        return k;
    }
    if mean > 4000.0 {
        return rounded(mean, numbers.pair_double()[0]);
    }
    let b = 0.931 + 2.53 * mean.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse = 1.1239 + 1.1328 / (b - 3.4);
    let certain = 0.9277 - 3.6224 / (b - 2.0);
    loop {
        let u = numbers.uniform_double() - 0.5;
        let v = numbers.uniform_double();
        let side = 0.5 - u.abs();
        let k = ((2.0 * a / side + b) * u + mean + 0.43).floor();
        if side >= 0.07 && v <= certain {
            return k as u32;
        }
        if k < 0.0 || (side < 0.013 && v > side) {
            continue;
        }
        if (v * inverse / (a / (side * side) + b)).ln() <= log_probability(mean, k) {
            return k as u32;
        }
    }
}

/// The smallest k at which the cumulative probability reaches u, in (0, 1). The sum begins where
/// the probability below is less than 2^-64.
pub(crate) fn inverse(mean: f64, u: f64) -> u32 {
    let mut k = (mean - 10.0 * mean.sqrt()).floor().max(0.0);
    let mut probability = log_probability(mean, k).exp();
    let mut sum = probability;
    // Behind the mean, there is an end: sums are rounded.
    while u > sum && (k < mean || probability > 2f64.powi(-80)) {
        k += 1.0;
        probability *= mean / k;
        sum += probability;
    }
    k as u32
}

/// A Poisson distribution as device code finds it.
#[derive(Clone, Debug, PartialEq)]
pub enum Distribution {
    /// By the method that Marsaglia, Tsang and Wang call squaring the histogram ("Fast Generation
    /// of Discrete Random Variables", Journal of Statistical Software 11, 2004). A number u in
    /// column j gives j if it is below `limits[j]`, and else `others[j]`.
    Tables {
        /// The number added to each result.
        shift: u32,
        /// The end of each column's own part.
        limits: Vec<f64>,
        /// The result for the rest of each column.
        others: Vec<u32>,
    },
    /// A normal distribution, rounded.
    Normal,
}

impl Distribution {
    /// The distribution with this mean, which is above 0 and at most [`LARGEST_MEAN`].
    pub fn of_mean(mean: f64) -> Distribution {
        if mean > LARGEST_TABLE {
            return Distribution::Normal;
        }
        let width = 12.0 * mean.sqrt() + 24.0;
        let first = (mean - width).floor().max(0.0);
        let columns = (mean + width - first).ceil() as u32;
        let mut probabilities: Vec<f64> = (0..columns)
            .map(|column| log_probability(mean, first + f64::from(column)).exp())
            .collect();
        let sum: f64 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|probability| *probability /= sum);
        let (limits, others) = squared(&probabilities);
        Distribution::Tables { shift: first as u32, limits, others }
    }
}

/// Columns of one height: those that are too low get what they lack from one that is too high.
fn squared(probabilities: &[f64]) -> (Vec<f64>, Vec<u32>) {
    let columns = probabilities.len();
    let height = 1.0 / columns as f64;
    let mut left = probabilities.to_vec();
    let mut others: Vec<u32> = (0..columns as u32).collect();
    let mut limits: Vec<f64> = (1..=columns).map(|end| end as f64 * height).collect();
    let (mut low, mut high): (Vec<usize>, Vec<usize>) =
        (0..columns).partition(|column| left[*column] < height);
    while let (Some(&giver), Some(taker)) = (high.last(), low.pop()) {
        limits[taker] = taker as f64 * height + left[taker];
        others[taker] = giver as u32;
        left[giver] -= height - left[taker];
        if left[giver] < height {
            high.pop();
            low.push(giver);
        }
    }
    (limits, others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::philox::Philox;

    #[test]
    fn logarithms_of_factorials_are_those_of_products() {
        let mut product = 0.0;
        for k in 1..200_u32 {
            product += f64::from(k).ln();
            assert!((log_factorial(f64::from(k)) - product).abs() < 1e-11, "{k}");
        }
    }

    /// Mean and variance of a Poisson distribution are both its mean. Five standard errors of each.
    #[test]
    fn mean_and_variance_are_the_mean_by_every_method() {
        const COUNT: u32 = 100_000;
        for mean in [0.5, 10.0, 63.0, 64.0, 300.0, 3999.0, 5000.0] {
            let mut numbers = Philox { seed: 1, subsequence: 0, at: (0, 0) };
            let of_pseudo: Vec<u32> = (0..COUNT).map(|_| next(mean, &mut numbers)).collect();
            let of_points: Vec<u32> =
                (0..COUNT).map(|_| inverse(mean, numbers.uniform_double())).collect();
            for drawn in [of_pseudo, of_points] {
                let count = f64::from(COUNT);
                let average = drawn.iter().map(|k| f64::from(*k)).sum::<f64>() / count;
                let squares = drawn.iter().map(|k| (f64::from(*k) - average).powi(2));
                let variance = squares.sum::<f64>() / (count - 1.0);
                assert!((average - mean).abs() < 5.0 * (mean / count).sqrt(), "{mean}: {average}");
                // The fourth central moment is mean (1 + 3 mean).
                let error = ((mean + 2.0 * mean * mean) / count).sqrt();
                assert!((variance - mean).abs() < 5.0 * error, "{mean}: {variance}");
            }
        }
    }

    #[test]
    fn the_inverse_is_where_the_distribution_function_passes() {
        // 1 - e^-1 = 0.632...: half of it is at 1, for e^-1 = 0.367... and 2 e^-1 = 0.735...
        for (u, k) in [(0.367, 0), (0.368, 1), (0.735, 1), (0.736, 2), (0.919, 2), (0.92, 3)] {
            assert_eq!(inverse(1.0, u), k, "{u}");
        }
    }

    #[test]
    fn tables_hold_the_probabilities() {
        for mean in [0.25, 5.0, 700.0, 2000.0] {
            let Distribution::Tables { shift, limits, others } = Distribution::of_mean(mean) else {
                panic!("no tables");
            };
            let height = 1.0 / limits.len() as f64;
            let mut held = vec![0.0; limits.len()];
            for (column, (limit, other)) in limits.iter().zip(&others).enumerate() {
                let own = limit - column as f64 * height;
                held[column] += own;
                held[*other as usize] += height - own;
            }
            for (column, held) in held.iter().enumerate() {
                let expected = log_probability(mean, f64::from(shift) + column as f64).exp();
                assert!((held - expected).abs() < 1e-12, "{mean}: {column}");
            }
        }
        assert_eq!(Distribution::of_mean(2001.0), Distribution::Normal);
    }
}
