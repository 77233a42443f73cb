//! Random numbers from ChaCha8: the same on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

/// A source of random numbers.
#[derive(Clone, Debug)]
pub(super) struct Draw {
    random: ChaCha8Rng,
}

impl Draw {
    /// The source of a seed.
    pub(super) fn new(seed: u64) -> Draw {
        Draw { random: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// Any number.
    pub(super) fn any(&mut self) -> u64 {
        self.random.next_u64()
    }

    /// A number below `n`, which is not 0, without bias (Lemire's method with rejection).
    pub(super) fn below(&mut self, n: u64) -> u64 {
        let threshold = n.wrapping_neg() % n;
        loop {
            let wide = u128::from(self.any()) * u128::from(n);
            if wide as u64 >= threshold {
                return (wide >> 64) as u64;
            }
        }
    }

    /// One of these; `None` if there are none.
    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        (!from.is_empty()).then(|| from[self.below(from.len() as u64) as usize])
    }
}
