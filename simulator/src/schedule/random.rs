//! Seeded random choices, drawn from ChaCha8.
//!
//! Each turn draws a resident block, a warp of it that can move, a group of its converged lanes,
//! and, half of the time, a random part of that group. Every lane that can move is drawn sooner or
//! later.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use super::{Choice, Move, Schedule, View};

/// A random schedule.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    random: ChaCha8Rng,
    /// The blocks drawn from: a few at a time, so that the blocks of a large grid need not all be
    /// alive.
    window: Vec<u64>,
}

/// Blocks in play at a time.
const WINDOW: usize = 8;

impl Random {
    /// The schedule of a seed.
    pub fn new(seed: u64) -> Random {
        Random { seed, random: ChaCha8Rng::seed_from_u64(seed), window: Vec::new() }
    }

    /// A number below `n`, which is not 0, without bias (Lemire's method with rejection).
    fn below(&mut self, n: u64) -> u64 {
        let threshold = n.wrapping_neg() % n;
        loop {
            let wide = u128::from(self.random.next_u64()) * u128::from(n);
            if wide as u64 >= threshold {
                return (wide >> 64) as u64;
            }
        }
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        (!from.is_empty()).then(|| from[self.below(from.len() as u64) as usize])
    }

    fn movable(view: &dyn View, block: u64) -> Vec<u32> {
        (0..view.warps(block)).filter(|w| view.ready(block, *w) != 0).collect()
    }

    /// Keeps the window full of blocks that can move. Now and then one gives way to another, so
    /// that all resident ones get their turn.
    fn refill(&mut self, view: &dyn View) {
        self.window.retain(|b| !Random::movable(view, *b).is_empty());
        if self.window.len() == WINDOW && self.below(1 << 12) == 0 {
            let out = self.below(WINDOW as u64) as usize;
            self.window.swap_remove(out);
        }
        if self.window.len() < WINDOW {
            let after = self.window.iter().max().copied();
            let missing = WINDOW - self.window.len();
            let fresh = view
                .resident_after(after)
                .filter(|b| !self.window.contains(b) && !Random::movable(view, *b).is_empty());
            let fresh: Vec<u64> = fresh.take(missing).collect();
            self.window.extend(fresh);
        }
    }
}

impl Schedule for Random {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        self.refill(view);
        let window = self.window.clone();
        let block = self.pick(&window)?;
        let warp = self.pick(&Random::movable(view, block))?;
        if view.is_lockstep() {
            return Some(Move { block, warp, lanes: Choice::Together });
        }
        let mut lanes = self.pick(&view.groups(block, warp))?;
        let draw = self.random.next_u64();
        let part = lanes & draw as u32;
        if draw >> 32 & 1 == 1 && part != 0 {
            lanes = part;
        }
        Some(Move { block, warp, lanes: Choice::Only(lanes) })
    }

    fn text(&self) -> String {
        format!("random:{}", self.seed)
    }

    fn copy(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, _resident: usize) -> Option<u64> {
        None
    }
}
