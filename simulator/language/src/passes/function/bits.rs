//! A fixed-size set of small numbers, for the dataflow analyses.

/// A set of numbers below its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::passes) struct Bits {
    words: Vec<u64>,
    size: usize,
}

impl Bits {
    /// No number below `size`.
    pub(in crate::passes) fn none(size: usize) -> Bits {
        Bits { words: vec![0; size.div_ceil(64)], size }
    }

    /// Every number below `size`.
    pub(in crate::passes) fn all(size: usize) -> Bits {
        let mut bits = Bits { words: vec![u64::MAX; size.div_ceil(64)], size };
        if let Some(last) = bits.words.last_mut()
            && !size.is_multiple_of(64)
        {
            *last = (1u64 << (size % 64)) - 1;
        }
        bits
    }

    /// Whether `number` is in it.
    pub(in crate::passes) fn has(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Adds a number; one that is too large is ignored.
    pub(in crate::passes) fn insert(&mut self, number: usize) {
        if number < self.size
            && let Some(word) = self.words.get_mut(number / 64)
        {
            *word |= 1 << (number % 64);
        }
    }

    /// Takes a number out.
    pub(in crate::passes) fn remove(&mut self, number: usize) {
        if let Some(word) = self.words.get_mut(number / 64) {
            *word &= !(1 << (number % 64));
        }
    }

    /// Keeps the numbers that are in both.
    pub(in crate::passes) fn intersect(&mut self, other: &Bits) {
        for (word, theirs) in self.words.iter_mut().zip(&other.words) {
            *word &= theirs;
        }
    }

    /// The numbers in it, ascending.
    pub(in crate::passes) fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.size).filter(|number| self.has(*number))
    }
}
