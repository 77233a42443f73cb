//! The order of a pseudorandom generator's results (cuRAND guide, "Generator Options", "Order").
//!
//! The order gives the number of threads. Each thread has a subsequence, and results come from the
//! threads in turn. Each thread keeps its place in its own subsequence, so the next call goes on
//! where the last one stopped. Philox gives four results at a time.

use crate::convert::{pair_of, uniform_of_two};
use crate::numbers::{Numbers, pair_of_bits};
use crate::philox::{Philox, block};
use crate::poisson;

/// Threads that give one after the other.
#[derive(Clone, Debug)]
pub(crate) struct Threads<N> {
    all: Vec<N>,
    next: usize,
}

impl<N: Numbers + Copy> Threads<N> {
    /// `count` threads at this place of all results; `on` makes a thread of the one before it.
    pub(crate) fn new(
        count: usize,
        place: u64,
        first: N,
        after: impl Fn(N, u64) -> N,
        on: impl Fn(N, usize) -> N,
    ) -> Threads<N> {
        let (rounds, next) = (place / count as u64, (place % count as u64) as usize);
        let mut all = Vec::with_capacity(count);
        let mut thread = first;
        for index in 0..count {
            all.push(thread);
            thread = on(thread, index + 1);
        }
        // Those that have given are one further.
        let skipped = all.iter().enumerate();
        let skipped = skipped.map(|(index, of)| after(*of, rounds + u64::from(index < next)));
        Threads { next, all: if place == 0 { all } else { skipped.collect() } }
    }

    pub(crate) fn take<T>(&mut self, count: usize, mut of: impl FnMut(&mut N) -> T) -> Vec<T> {
        let mut results = Vec::with_capacity(count);
        for _ in 0..count {
            results.push(of(&mut self.all[self.next]));
            self.next = (self.next + 1) % self.all.len();
        }
        results
    }
}

/// Threads of Philox, each with the counter at which it is.
#[derive(Clone, Debug)]
pub(crate) struct Blocks {
    seed: u64,
    counters: Vec<u64>,
    /// The index of the next result in a round.
    next: usize,
}

/// The results that a thread gives in its turn.
const BLOCK: usize = 4;

impl Blocks {
    const THREADS: usize = 65_536;

    pub(crate) fn new(seed: u64, place: u64) -> Blocks {
        let round = (BLOCK * Blocks::THREADS) as u64;
        let (rounds, next) = (place / round, (place % round) as usize);
        let counter = |thread| rounds + u64::from(thread < next / BLOCK);
        Blocks { seed, counters: (0..Blocks::THREADS).map(counter).collect(), next }
    }

    /// Results in the order of the threads. `of` gives the results of a thread's turn, starting
    /// with the first one that is wanted, and the counter behind it.
    fn turns<T>(
        &mut self,
        count: usize,
        of: impl Fn(u64, u64, usize) -> ([T; BLOCK], u64),
    ) -> Vec<T> {
        let mut results = Vec::with_capacity(count);
        while results.len() < count {
            let (thread, begin) = (self.next / BLOCK, self.next % BLOCK);
            let (turn, behind) = of(thread as u64, self.counters[thread], begin);
            let end = BLOCK.min(begin + count - results.len());
            results.extend(turn.into_iter().take(end).skip(begin));
            if end == BLOCK {
                self.counters[thread] = behind;
            }
            self.next = (self.next - begin + end) % (BLOCK * Blocks::THREADS);
        }
        results
    }

    /// Results, four from the four numbers of each counter.
    pub(crate) fn of_one<T>(
        &mut self,
        count: usize,
        of: impl Fn([u32; 4]) -> [T; BLOCK],
    ) -> Vec<T> {
        let seed = self.seed;
        self.turns(count, |thread, at, _| (of(block(seed, thread, at)), at.wrapping_add(1)))
    }

    /// Results, two from the four numbers of each counter.
    pub(crate) fn of_two(&mut self, count: usize, of: impl Fn([u32; 4]) -> [f64; 2]) -> Vec<f64> {
        let seed = self.seed;
        self.turns(count, |thread, at, _| {
            let [a, b] = of(block(seed, thread, at));
            let [c, d] = of(block(seed, thread, at.wrapping_add(1)));
            ([a, b, c, d], at.wrapping_add(2))
        })
    }

    pub(crate) fn poisson(&mut self, count: usize, mean: f64) -> Vec<u32> {
        let seed = self.seed;
        self.turns(count, |subsequence, at, _| {
            let mut numbers = Philox { seed, subsequence, at: (at, 0) };
            let turn = std::array::from_fn(|_| poisson::next(mean, &mut numbers));
            let (counter, word) = numbers.at;
            (turn, counter.wrapping_add(u64::from(word > 0)))
        })
    }
}

/// Four normal numbers of a counter's.
pub(crate) fn normals([x, y, z, w]: [u32; 4]) -> [f32; 4] {
    let ([a, b], [c, d]) = (pair_of_bits(x, y), pair_of_bits(z, w));
    [a, b, c, d]
}

pub(crate) fn uniform_doubles([x, y, z, w]: [u32; 4]) -> [f64; 2] {
    [uniform_of_two(x, y), uniform_of_two(z, w)]
}

pub(crate) fn normal_doubles(numbers: [u32; 4]) -> [f64; 2] {
    let [u, v] = uniform_doubles(numbers);
    pair_of(u, v)
}
