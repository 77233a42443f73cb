//! XORWOW (Marsaglia: "Xorshift RNGs", Journal of Statistical Software 8, 2003, chapter 3.1), and
//! how it jumps.
//!
//! The shift register is linear over the field of two elements: n steps equal x^n modulo the
//! characteristic polynomial, with a step for x. The seed is scrambled into the paper's state as
//! cuRAND's header shows.

use crate::numbers::Numbers;

/// What the Weyl sequence adds at each step.
const WEYL: u32 = 362_437;

/// A generator at some place of its sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Xorwow {
    weyl: u32,
    register: [u32; 5],
}

impl Xorwow {
    pub(crate) fn new(seed: u64) -> Xorwow {
        let low = 1_099_087_573_u32.wrapping_mul(seed as u32 ^ 0xaad2_6b49);
        let high = 2_591_861_531_u32.wrapping_mul((seed >> 32) as u32 ^ 0xf7dc_efdd);
        Xorwow {
            weyl: 6_615_241_u32.wrapping_add(high).wrapping_add(low),
            register: [
                123_456_789_u32.wrapping_add(low),
                362_436_069 ^ low,
                521_288_629_u32.wrapping_add(high),
                88_675_123 ^ high,
                5_783_321_u32.wrapping_add(low),
            ],
        }
    }

    fn step(&mut self) {
        let [a, b, c, d, e] = self.register;
        let a = a ^ (a >> 2);
        self.register = [b, c, d, e, (e ^ (e << 4)) ^ (a ^ (a << 1))];
    }

    /// This many steps on.
    pub(crate) fn after(self, steps: u64) -> Xorwow {
        let weyl = self.weyl.wrapping_add(WEYL.wrapping_mul(steps as u32));
        Xorwow { weyl, ..self.jumped(Polynomial::X.power(steps)) }
    }

    /// This many steps on as a polynomial says, whose number is a multiple of 2^32.
    pub(crate) fn jumped(mut self, by: Polynomial) -> Xorwow {
        let mut register = [0; 5];
        for exponent in 0..DEGREE {
            if by.has(exponent) {
                for (sum, word) in register.iter_mut().zip(self.register) {
                    *sum ^= word;
                }
            }
            self.step();
        }
        Xorwow { register, ..self }
    }
}

impl Numbers for Xorwow {
    fn bits(&mut self) -> u32 {
        self.step();
        self.weyl = self.weyl.wrapping_add(WEYL);
        self.register[4].wrapping_add(self.weyl)
    }
}

/// Bits of the register.
const DEGREE: u32 = 160;

/// The characteristic polynomial without its highest power.
const CHARACTERISTIC: Polynomial =
    Polynomial([0x0861_0030_0006_0001, 0x0f3c_0035_0006_2121, 0x0f0e]);

/// A polynomial over the field of two elements, modulo the characteristic one: bit k is the
/// coefficient of x^k.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Polynomial([u64; 3]);

impl Polynomial {
    const ONE: Polynomial = Polynomial([1, 0, 0]);
    /// One step.
    pub(crate) const X: Polynomial = Polynomial([2, 0, 0]);

    /// Subsequences are this many steps apart, as a power of two (cuRAND guide, "Bit Generation
    /// with XORWOW and MRG32k3a generators").
    const SUBSEQUENCE: u32 = 67;

    /// From one subsequence to the next.
    pub(crate) fn subsequence() -> Polynomial {
        (0..Polynomial::SUBSEQUENCE).fold(Polynomial::X, |power, _| power.times(power))
    }

    fn has(self, exponent: u32) -> bool {
        let words = self.0;
        words[exponent as usize / 64] >> (exponent % 64) & 1 == 1
    }

    fn plus(self, other: Polynomial) -> Polynomial {
        let ([a, b, c], [d, e, f]) = (self.0, other.0);
        Polynomial([a ^ d, b ^ e, c ^ f])
    }

    fn times_x(self) -> Polynomial {
        let [low, middle, high] = self.0;
        let high_bits = (1 << (DEGREE - 128)) - 1;
        let shifted =
            Polynomial([low << 1, middle << 1 | low >> 63, (high << 1 | middle >> 63) & high_bits]);
        if self.has(DEGREE - 1) { shifted.plus(CHARACTERISTIC) } else { shifted }
    }

    fn times(self, other: Polynomial) -> Polynomial {
        let mut power = self;
        let mut sum = Polynomial([0; 3]);
        for exponent in 0..DEGREE {
            if other.has(exponent) {
                sum = sum.plus(power);
            }
            power = power.times_x();
        }
        sum
    }

    pub(crate) fn power(self, mut exponent: u64) -> Polynomial {
        let (mut power, mut product) = (self, Polynomial::ONE);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn first<const N: usize>(mut generator: Xorwow) -> [u32; N] {
        std::array::from_fn(|_| generator.bits())
    }

    #[test]
    fn a_jump_is_as_many_steps() {
        let mut stepped = Xorwow::new(7);
        for steps in 0..400 {
            assert_eq!(Xorwow::new(7).after(steps), stepped, "{steps}");
            stepped.bits();
        }
        let far = Xorwow::new(7).after(1 << 40).after((1 << 40) + 3);
        assert_eq!(far, Xorwow::new(7).after((1 << 41) + 3));
    }

    #[test]
    fn a_subsequence_is_two_to_the_67_steps() {
        let halves = Xorwow::new(1).after(1 << 63).after(1 << 63);
        let eighth = (0..4).fold(halves, |at, _| at.after(1 << 63).after(1 << 63));
        // 5 * 2^64 steps; three more of them, and 2^67 are behind.
        let all = (0..3).fold(eighth, |at, _| at.after(1 << 63).after(1 << 63));
        assert_eq!(all, Xorwow::new(1).jumped(Polynomial::subsequence()));
    }

    /// The paper's generator, which is seeded by its state.
    #[test]
    fn the_first_numbers_are_those_of_the_paper_s_recurrence() {
        // By hand: x = 123456789, v = 5783321, d = 6615241.
        let mut of_paper = Xorwow {
            weyl: 6_615_241,
            register: [123_456_789, 362_436_069, 521_288_629, 88_675_123, 5_783_321],
        };
        let t = 123_456_789_u32 ^ (123_456_789 >> 2);
        let v = (5_783_321_u32 ^ (5_783_321 << 4)) ^ (t ^ (t << 1));
        assert_eq!(of_paper.bits(), v.wrapping_add(6_615_241 + 362_437));
    }

    #[test]
    fn numbers_of_a_seed_are_those_of_curand() {
        // From cuRAND 10.3.10.
        assert_eq!(first(Xorwow::new(0)), [0xbd7f_03b6, 0x703e_556d, 0x845a_f0c5]);
        assert_eq!(first(Xorwow::new(1234)), [0x253d_5e15]);
        let next = Xorwow::new(1234).jumped(Polynomial::subsequence());
        assert_eq!(first(next), [0xd1f7_605a]);
        let third = next.jumped(Polynomial::subsequence());
        assert_eq!(first(third), [0x8ce6_f6f8]);
    }

    /// The table of the device's header, in the header's order.
    #[test]
    fn the_header_s_jumps_are_powers_of_a_step() {
        const HEADER: &str =
            include_str!("../../../cli/src/clang/include/warpsim/curand_xorwow_jumps.h");
        let words = HEADER.split("0x").skip(1).map(|word| u32::from_str_radix(&word[..8], 16));
        let mut words = words.map(|word| word.unwrap());
        for first in [Polynomial::X, Polynomial::subsequence()] {
            let mut unit = first;
            for digit in 0..16 {
                let mut power = unit;
                for times in 1..16 {
                    let read: [u32; 5] = std::array::from_fn(|_| words.next().unwrap());
                    let packed: [u32; 5] = std::array::from_fn(|word| {
                        let bit = |group: u32| u32::from(power.has(5 * group + word as u32));
                        (0..32).map(|group| bit(group) << group).sum()
                    });
                    assert_eq!(read, packed, "{times} * 16^{digit}");
                    power = power.times(unit);
                }
                unit = power;
            }
        }
        assert_eq!(words.next(), None);
    }
}
