//! What a pseudorandom generator makes of its numbers, one after the other (cuRAND guide, "Distributions").

use crate::convert::{pair_of, uniform, uniform_of_two};

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

pub(crate) fn pair_of_bits(x: u32, y: u32) -> [f32; 2] {
    let (u, v) = (f64::from(uniform(x)), f64::from(y) * 2f64.powi(-32) + 2f64.powi(-33));
    pair_of(u, v).map(|normal| normal as f32)
}
