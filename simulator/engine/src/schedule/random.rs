//! Seeded random choices, drawn from ChaCha8.
//!
//! Each turn draws a resident block, a warp of it that can move, a group of its converged lanes,
//! and, half of the time, a random part of that group. Half of the asynchronous copies are late. Every lane that can move is drawn sooner or
//! later.

use std::fmt;

use super::draw::Draw;
use super::window::Window;
use super::{Choice, Move, Schedule, View};

/// A random schedule.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    draw: Draw,
    /// The blocks drawn from.
    window: Window,
}

impl Random {
    /// The schedule of a seed.
    pub fn new(seed: u64) -> Random {
        Random { seed, draw: Draw::new(seed), window: Window::default() }
    }
}

impl fmt::Display for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "random:{}", self.seed)
    }
}

impl Schedule for Random {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        self.window.refill(view, &mut self.draw);
        let block = self.draw.pick(self.window.blocks())?;
        let movable = (0..view.warps(block)).filter(|w| view.ready(block, *w) != 0);
        let warp = self.draw.pick(&movable.collect::<Vec<u32>>())?;
        if view.is_lockstep() {
            return Some(Move { block, warp, lanes: Choice::Together });
        }
        let mut lanes = self.draw.pick(&view.groups(block, warp))?;
        let draw = self.draw.any();
        let part = lanes & draw as u32;
        if draw >> 32 & 1 == 1 && part != 0 {
            lanes = part;
        }
        Some(Move { block, warp, lanes: Choice::Only(lanes) })
    }

    fn copies_at_once(&mut self) -> bool {
        self.draw.any() & 1 == 1
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, _resident: usize) -> Option<u64> {
        None
    }
}
