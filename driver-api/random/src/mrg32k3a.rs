//! MRG32k3a (L'Ecuyer: "Good Parameters and Implementations for Combined Multiple Recursive Random
//! Number Generators", Operations Research 47, 1999), and how it jumps (L'Ecuyer, Simard, Chen,
//! Kelton, Operations Research 50, 2002).
//!
//! The seed 0 is the paper's state of 12345s; other seeds are multiplied into it as cuRAND's header
//! shows.

use crate::convert::{pair_of, pair_of_floats};
use crate::numbers::Numbers;

const M: [u64; 2] = [4_294_967_087, 4_294_944_443];

/// A little less than 1 / M\[0\], so that the largest number is not above 1.
const NORM: f64 = 2.328_306_549_837_829e-10;

/// (2^32 - 1) / M\[0\].
const BITS_NORM: f64 = 1.000_000_048_662;

/// The matrices of a number of steps, one of each component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Jump([[[u64; 3]; 3]; 2]);

impl Jump {
    /// Of one step: x(n) = 1403580 x(n-2) - 810728 x(n-3), and y(n) = 527612 y(n-1) - 1370589
    /// y(n-3).
    const STEP: Jump = Jump([
        [[0, 1, 0], [0, 0, 1], [M[0] - 810_728, 1_403_580, 0]],
        [[0, 1, 0], [0, 0, 1], [M[1] - 1_370_589, 0, 527_612]],
    ]);
    const NONE: Jump = Jump([[[1, 0, 0], [0, 1, 0], [0, 0, 1]]; 2]);

    /// Subsequences are this many steps apart, as a power of two (cuRAND guide, "Bit Generation
    /// with XORWOW and MRG32k3a generators").
    const SUBSEQUENCE: u32 = 76;

    pub(crate) fn subsequence() -> Jump {
        (0..Jump::SUBSEQUENCE).fold(Jump::STEP, |power, _| power.times(power))
    }

    fn times(self, other: Jump) -> Jump {
        let entry = |of: usize, row: usize, column: usize| {
            let terms = (0..3).map(|k| self.0[of][row][k] * other.0[of][k][column] % M[of]);
            terms.sum::<u64>() % M[of]
        };
        Jump(std::array::from_fn(|of| {
            std::array::from_fn(|row| std::array::from_fn(|column| entry(of, row, column)))
        }))
    }

    fn power(self, mut exponent: u64) -> Jump {
        let (mut power, mut product) = (self, Jump::NONE);
        while exponent != 0 {
            if exponent & 1 == 1 {
                product = product.times(power);
            }
            power = power.times(power);
            exponent >>= 1;
        }
        product
    }
}

/// A generator at some place of its sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mrg32k3a([[u64; 3]; 2]);

impl Mrg32k3a {
    pub(crate) fn new(seed: u64) -> Mrg32k3a {
        const START: u64 = 12_345;
        if seed == 0 {
            return Mrg32k3a([[START; 3]; 2]);
        }
        let low = u64::from(seed as u32 ^ 0x5555_5555);
        let high = u64::from((seed >> 32) as u32 ^ 0xaaaa_aaaa);
        let [a, b] = [[low, high, low], [high, low, high]];
        Mrg32k3a([a.map(|factor| factor * START % M[0]), b.map(|factor| factor * START % M[1])])
    }

    /// This many steps on.
    pub(crate) fn after(self, steps: u64) -> Mrg32k3a {
        self.jumped(&Jump::STEP.power(steps))
    }

    pub(crate) fn jumped(self, by: &Jump) -> Mrg32k3a {
        let entry = |of: usize, row: [u64; 3]| {
            let terms = row.into_iter().zip(self.0[of]).map(|(a, x)| a * x % M[of]);
            terms.sum::<u64>() % M[of]
        };
        Mrg32k3a(std::array::from_fn(|of| by.0[of].map(|row| entry(of, row))))
    }

    /// The paper's number before it is divided: from 1 to M\[0\].
    fn number(&mut self) -> u64 {
        let [[x0, x1, x2], [y0, y1, y2]] = self.0;
        let x = (1_403_580 * x1 + 810_728 * (M[0] - x0)) % M[0];
        let y = (527_612 * y2 + 1_370_589 * (M[1] - y0)) % M[1];
        self.0 = [[x1, x2, x], [y1, y2, y]];
        if x > y { x - y } else { x + M[0] - y }
    }
}

impl Numbers for Mrg32k3a {
    fn bits(&mut self) -> u32 {
        (self.number() as f64 * BITS_NORM) as u32
    }

    fn uniform(&mut self) -> f32 {
        self.uniform_double() as f32
    }

    fn uniform_double(&mut self) -> f64 {
        self.number() as f64 * NORM
    }

    fn pair(&mut self) -> [f32; 2] {
        let (u, v) = (self.uniform(), self.uniform());
        pair_of_floats(u, v * std::f32::consts::TAU)
    }

    fn pair_double(&mut self) -> [f64; 2] {
        let (u, v) = (self.uniform_double(), self.uniform_double());
        pair_of(u, v)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_jump_is_as_many_steps() {
        let mut stepped = Mrg32k3a::new(7);
        for steps in 0..100 {
            assert_eq!(Mrg32k3a::new(7).after(steps), stepped, "{steps}");
            stepped.number();
        }
    }

    /// `A1p76` and `A2p76` of L'Ecuyer's package RngStreams.
    #[test]
    fn a_subsequence_is_that_of_the_published_package() {
        let [first, second] = Jump::subsequence().0;
        let of_first = [
            [82_758_667, 1_871_391_091, 4_127_413_238],
            [3_672_831_523, 69_195_019, 1_871_391_091],
            [3_672_091_415, 3_528_743_235, 69_195_019],
        ];
        let of_second = [
            [1_511_326_704, 3_759_209_742, 1_610_795_712],
            [4_292_754_251, 1_511_326_704, 3_889_917_532],
            [3_859_662_829, 4_292_754_251, 3_708_466_080],
        ];
        assert_eq!((first, second), (of_first, of_second));
    }

    /// The first numbers of the paper's generator from a state of 12345s, as they are printed with
    /// it.
    #[test]
    fn the_first_numbers_are_those_of_the_paper() {
        let mut generator = Mrg32k3a::new(0);
        for expected in [0.127_011_122_046_577_14, 0.318_527_565_396_794_5, 0.309_186_015_583_270_1]
        {
            let divided = generator.number() as f64 / 4_294_967_088.0;
            assert!((divided - expected).abs() < 1e-14, "{divided}");
        }
    }

    #[test]
    fn numbers_of_a_seed_are_those_of_curand() {
        // From cuRAND 10.3.10: the first of each of four subsequences, and the second of the first.
        let subsequence = Jump::subsequence();
        let mut first = Mrg32k3a::new(1234);
        for expected in [0xc968_91f0, 0x26f0_d612, 0xef26_9080, 0xfc8f_a50e] {
            let mut generator = first;
            assert_eq!(generator.bits(), expected);
            first = first.jumped(&subsequence);
        }
        let mut generator = Mrg32k3a::new(1234).after(1);
        assert_eq!(generator.bits(), 0x9650_c684);
    }
}
