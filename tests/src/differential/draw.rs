//! Random numbers that are the same everywhere: splitmix64.

/// A stream of random numbers.
#[derive(Clone, Debug)]
pub struct Draw(u64);

/// The finaliser of splitmix64: a number that looks random for each number.
pub fn mixed(z: u64) -> u64 {
    let z = z.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

impl Draw {
    /// The stream that belongs to these numbers.
    pub fn new(of: &[u64]) -> Draw {
        Draw(of.iter().fold(0, |state, n| mixed(state ^ mixed(*n))))
    }

    /// Any 64 bits.
    pub fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.word()) * n as u128) >> 64) as usize
    }

    /// True in this many cases of a hundred.
    pub fn percent(&mut self, cases: usize) -> bool {
        self.below(100) < cases
    }

    /// One of a list.
    pub fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_numbers_give_the_same_stream_and_others_another() {
        let first = |of: &[u64]| Draw::new(of).word();
        assert_eq!(first(&[1, 2]), first(&[1, 2]));
        assert_ne!(first(&[1, 2]), first(&[2, 1]));
        let mut draw = Draw::new(&[7]);
        assert!((0..1000).all(|_| draw.below(3) < 3));
        assert!((0..100).all(|_| draw.percent(100) && !draw.percent(0)));
    }
}
