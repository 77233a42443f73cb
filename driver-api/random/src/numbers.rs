//! Results that a pseudorandom generator makes from its numbers, one after the other (cuRAND guide,
//! "Distributions").

use std::f32::consts::TAU;

use crate::convert::{pair_of, pair_of_floats, uniform, uniform_of_two};

/// A generator of numbers of 32 bits. What follows from them is the same for most.
pub(crate) trait Numbers {
    fn bits(&mut self) -> u32;

    fn uniform(&mut self) -> f32 {
        uniform(self.bits())
    }

    fn uniform_double(&mut self) -> f64 {
        let (x, y) = (self.bits(), self.bits());
        uniform_of_two(x, y)
    }

    /// Two normal numbers.
    fn pair(&mut self) -> [f32; 2] {
        let (x, y) = (self.bits(), self.bits());
        pair_of_bits(x, y)
    }

    fn pair_double(&mut self) -> [f64; 2] {
        let (u, v) = (self.uniform_double(), self.uniform_double());
        pair_of(u, v)
    }
}

/// The second number becomes an angle in single precision.
pub(crate) fn pair_of_bits(x: u32, y: u32) -> [f32; 2] {
    let unit = 2f32.powi(-32) * TAU;
    pair_of_floats(uniform(x), (y as f32).mul_add(unit, unit / 2.0))
}
