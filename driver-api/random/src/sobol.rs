//! Sobol's sequences in up to 20,000 dimensions (Bratley and Fox: "Algorithm 659", ACM Transactions
//! on Mathematical Software 14, 1988). The direction numbers are from Joe and Kuo (SIAM Journal on
//! Scientific Computing 30, 2008), which cuRAND's guide names, too. `joe-kuo-6.license` has the
//! terms for them.
//!
//! Scrambled vectors are the plain ones under a random matrix, and constants are random (Matoušek:
//! "On the L2-discrepancy for anchored boxes", Journal of Complexity 14, 1998). cuRAND does not
//! document its own, so the numbers of its scrambled generators differ.

use std::sync::OnceLock;

use crate::philox::block;

/// The number of dimensions.
pub const DIMENSIONS: usize = 20_000;

/// For each dimension but the first: the degree of its polynomial in 5 bits, the coefficients
/// between the first and the last, from the lowest on, and the initial numbers without their lowest
/// bits, the i-th in i - 1 bits. All lowest bit first.
static PACKED: &[u8] = include_bytes!("joe-kuo-6.bin");

/// A primitive polynomial and its initial direction numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Initial {
    degree: usize,
    coefficients: u32,
    numbers: Vec<u64>,
}

struct Bits {
    at: usize,
}

impl Bits {
    fn next(&mut self, count: usize) -> u32 {
        let bit = |at: usize| PACKED.get(at / 8).map_or(0, |byte| u32::from(*byte >> (at % 8) & 1));
        let value = (0..count).map(|index| bit(self.at + index) << index).sum();
        self.at += count;
        value
    }
}

/// Those of all dimensions but the first.
fn initial() -> &'static [Initial] {
    static INITIAL: OnceLock<Vec<Initial>> = OnceLock::new();
    INITIAL.get_or_init(|| {
        let mut bits = Bits { at: 0 };
        let read = |_| {
            let degree = bits.next(5) as usize;
            let coefficients = bits.next(degree.saturating_sub(1));
            let numbers = (0..degree).map(|own| u64::from(bits.next(own)) << 1 | 1).collect();
            Initial { degree, coefficients, numbers }
        };
        (1..DIMENSIONS).map(read).collect()
    })
}

/// The direction vectors of a dimension, in the upper bits of words of 64.
pub(crate) fn vectors(dimension: usize) -> [u64; 64] {
    let shifted = |numbers: &[u64]| {
        std::array::from_fn(|bit| numbers.get(bit).map_or(0, |number| number << (63 - bit)))
    };
    let Some(dimension) = dimension.checked_sub(1) else { return shifted(&[1; 64]) };
    let Some(Initial { degree, coefficients, numbers }) = initial().get(dimension) else {
        return [0; 64];
    };
    let mut all = numbers.clone();
    for bit in *degree..64 {
        let last = all[bit - degree];
        let mut number = last ^ last << degree;
        for back in 1..*degree {
            // The coefficient of x^(degree - back).
            if coefficients >> (degree - back - 1) & 1 == 1 {
                number ^= all[bit - back] << back;
            }
        }
        all.push(number);
    }
    shifted(&all)
}

/// Random words of a dimension, for what scrambles it.
fn random(dimension: usize, word: usize) -> u64 {
    const SEED: u64 = 0x5eed_0f50_b015_eed5;
    let [low, high, ..] = block(SEED, dimension as u64, word as u64);
    u64::from(high) << 32 | u64::from(low)
}

/// The constant of a scrambled dimension: of 32 bits, it is the upper half.
pub(crate) fn constant(dimension: usize) -> u64 {
    random(dimension, 64)
}

/// The direction vectors of a dimension under a random matrix that is lower triangular with ones on
/// its diagonal: bit k of a number, from the highest, gets what random bits above it say.
pub(crate) fn scrambled(dimension: usize) -> [u64; 64] {
    let rows: [u64; 64] = std::array::from_fn(|row| {
        let diagonal = 1 << (63 - row);
        let above = !(diagonal | (diagonal - 1));
        diagonal | random(dimension, row) & above
    });
    vectors(dimension).map(|vector| {
        let parity = |row: u64| u64::from((row & vector).count_ones() % 2);
        rows.iter().enumerate().map(|(at, row)| parity(*row) << (63 - at)).sum()
    })
}

/// The points of some dimensions, one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Points {
    /// The vectors and the constant of each dimension.
    dimensions: Vec<([u64; 64], u64)>,
    /// Bits of an index: points begin again behind the last.
    bits: u32,
    index: u64,
}

impl Points {
    /// From this point on.
    pub(crate) fn new(dimensions: usize, is_scrambled: bool, bits: u32, index: u64) -> Points {
        let of = |dimension| match is_scrambled {
            true => (scrambled(dimension), constant(dimension)),
            false => (vectors(dimension), 0),
        };
        Points { dimensions: (0..dimensions).map(of).collect(), bits, index }
    }

    /// This many points: all numbers of the first dimension, then all of the second, and so on.
    /// Numbers of 32 bits are the upper halves.
    pub(crate) fn take(&mut self, count: usize) -> impl Iterator<Item = u64> {
        let mask = if self.bits == 64 { u64::MAX } else { (1 << self.bits) - 1 };
        let (first, last_bit) = (self.index & mask, self.bits - 1);
        self.index = first.wrapping_add(count as u64) & mask;
        self.dimensions.iter().flat_map(move |(vectors, constant)| {
            let gray = first ^ first >> 1;
            let bits = vectors.iter().enumerate().filter(move |(bit, _)| gray >> bit & 1 == 1);
            let mut number = bits.fold(*constant, |number, (_, vector)| number ^ vector);
            let mut index = first;
            (0..count).map(move |_| {
                let given = number;
                number ^= vectors[index.trailing_ones().min(last_bit) as usize];
                index = index.wrapping_add(1) & mask;
                given
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first lines of the published file: degree, coefficients between the first and the last
    /// with the highest first, initial numbers.
    #[test]
    fn the_first_dimensions_are_those_of_the_published_file() {
        let lines: [(usize, u32, &[u64]); 9] = [
            (1, 0, &[1]),
            (2, 1, &[1, 3]),
            (3, 1, &[1, 3, 1]),
            (3, 2, &[1, 1, 1]),
            (4, 1, &[1, 1, 3, 3]),
            (4, 4, &[1, 3, 5, 13]),
            (5, 2, &[1, 1, 5, 5, 17]),
            (5, 4, &[1, 1, 5, 5, 5]),
            (5, 7, &[1, 1, 7, 11, 19]),
        ];
        for (read, (degree, coefficients, numbers)) in initial().iter().zip(lines) {
            let numbers = numbers.to_vec();
            assert_eq!(*read, Initial { degree, coefficients, numbers });
        }
    }

    /// For an irreducible polynomial of degree s, x^(2^s) = x, and x^(2^(s / p)) is not x for each
    /// prime p of s. A primitive one has no smaller order than 2^s - 1.
    #[test]
    fn all_polynomials_are_primitive_and_each_is_there_once() {
        let mut seen = std::collections::BTreeSet::new();
        for Initial { degree, coefficients, numbers } in initial() {
            let polynomial = 1_u64 << degree | u64::from(*coefficients) << 1 | 1;
            assert!(seen.insert(polynomial));
            assert_eq!(numbers.len(), *degree);
            assert!(numbers.iter().enumerate().all(|(at, number)| *number < 2 << at));
            let order = (1_u64 << degree) - 1;
            let times = |a: u64, b: u64| {
                let (mut product, mut a) = (0, a);
                for bit in 0..*degree {
                    product ^= if b >> bit & 1 == 1 { a } else { 0 };
                    a <<= 1;
                    a ^= if a >> degree & 1 == 1 { polynomial } else { 0 };
                }
                product
            };
            let power = |exponent: u64| {
                let x = if *degree == 1 { 1 } else { 2 };
                let bits = (0..64).rev().map(|bit| exponent >> bit & 1 == 1);
                bits.fold(1, |power, bit| {
                    let square = times(power, power);
                    if bit { times(square, x) } else { square }
                })
            };
            assert_eq!(power(order), 1);
            // Only of small degrees: the factors of larger orders take long to find.
            if *degree <= 12 {
                let is_prime =
                    |p: u64| (2..p).take_while(|d| d * d <= p).all(|d| !p.is_multiple_of(d));
                for prime in (2..order).filter(|p| order.is_multiple_of(*p) && is_prime(*p)) {
                    assert_ne!(power(order / prime), 1);
                }
            }
        }
    }

    /// In each dimension, the first 2^k points are one in each interval of 2^-k.
    fn is_a_net(vectors: [u64; 64]) -> bool {
        let mut points = Points { dimensions: vec![(vectors, 0)], bits: 64, index: 0 };
        let mut seen: Vec<u64> = points.take(256).map(|number| number >> 56).collect();
        seen.sort_unstable();
        seen.into_iter().eq(0..256)
    }

    #[test]
    fn each_dimension_fills_the_interval_also_when_it_is_scrambled() {
        for dimension in (0..DIMENSIONS).step_by(37) {
            assert!(is_a_net(vectors(dimension)), "{dimension}");
            assert!(is_a_net(scrambled(dimension)), "{dimension}");
        }
        assert_ne!(scrambled(3), vectors(3));
    }

    #[test]
    fn points_are_those_of_the_gray_code_wherever_they_begin() {
        // Of the first two dimensions: 0, 1/2, 3/4, 1/4, 3/8, 7/8, ...; 0, 1/2, 1/4, 3/4, ...
        let all: Vec<u64> =
            Points::new(2, false, 32, 0).take(6).map(|number| number >> 61).collect();
        assert_eq!(all[..6], [0, 4, 6, 2, 3, 7]);
        assert_eq!(all[6..10], [0, 4, 2, 6]);
        for start in [1, 5, 1000] {
            let whole: Vec<u64> = Points::new(1, true, 64, 0).take(start + 10).collect();
            let rest: Vec<u64> = Points::new(1, true, 64, start as u64).take(10).collect();
            assert_eq!(whole[start..], rest);
        }
        let mut parts = Points::new(1, false, 64, 0);
        let split: Vec<u64> = parts.take(3).collect();
        let split: Vec<u64> = split.into_iter().chain(parts.take(4).collect::<Vec<_>>()).collect();
        assert!(Points::new(1, false, 64, 0).take(7).eq(split));
    }

    #[test]
    fn the_points_of_32_bits_begin_again_behind_the_last() {
        let mut last = Points::new(1, false, 32, u64::from(u32::MAX));
        assert_eq!(last.take(2).map(|number| number >> 32).collect::<Vec<_>>()[1], 0);
    }
}
