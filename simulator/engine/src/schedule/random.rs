//! Seeded random choices, drawn from ChaCha8.
//!
//! Each turn draws a resident block, a warp of it that can move, a group of its converged lanes,
//! and, half of the time, a random part of that group. Half of the asynchronous copies are late.
//! Every lane that can move is drawn sooner or later.
//!
//! A schedule that knows the [`Places`] where threads conflict draws a warp. The warp's free lanes
//! move together, and it keeps its turn until none of its lanes is free. Then each turn draws as
//! above. So a warp is split only where the split can matter. A warp that has moved for [`TURNS`]
//! turns in a row without a draw waits for the next. So wrong places do no harm if it spins.

use std::fmt;

use super::draw::Draw;
use super::window::Window;
use super::{Choice, Move, Places, Schedule, View};
use crate::lanes::Mask;

/// Turns of a warp with free lanes before another is drawn.
const TURNS: u64 = 1024;

/// A random schedule.
#[derive(Clone, Debug)]
pub struct Random {
    seed: u64,
    draw: Draw,
    /// The blocks drawn from.
    window: Window,
    /// The places where the order matters; `None` for everywhere.
    places: Option<Places>,
    /// The last drawn warp, and its turns since, all of free lanes.
    at: Option<(u64, u32)>,
    turns: u64,
}

impl Random {
    /// The schedule of a seed.
    pub fn new(seed: u64) -> Random {
        let (draw, window) = (Draw::new(seed), Window::default());
        Random { seed, draw, window, places: None, at: None, turns: 0 }
    }

    /// The same, but it splits warps only at these places.
    #[must_use]
    pub fn at(self, places: Places) -> Random {
        Random { places: Some(places), ..self }
    }

    /// The lanes of a warp that need no choice.
    fn free(&mut self, view: &dyn View, block: u64, warp: u32) -> Mask {
        self.places.as_mut().map_or(0, |places| view.free(block, warp, places))
    }

    /// The last drawn warp goes on, as long as it has lanes that need no choice.
    fn go_on(&mut self, view: &dyn View) -> Option<Move> {
        let (block, warp) = self.at?;
        self.turns += 1;
        let free = if self.turns < TURNS { self.free(view, block, warp) } else { 0 };
        if free == 0 {
            self.at = None;
            return None;
        }
        Some(together(view, block, warp, free))
    }
}

/// Lanes that need no choice move together.
pub(super) fn together(view: &dyn View, block: u64, warp: u32, free: Mask) -> Move {
    let all = view.is_lockstep() || free == view.ready(block, warp);
    Move { block, warp, lanes: if all { Choice::Together } else { Choice::Only(free) } }
}

impl fmt::Display for Random {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "random:{}", self.seed)?;
        self.places.iter().try_for_each(|places| write!(f, "@{places}"))
    }
}

impl Schedule for Random {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        if let Some(turn) = self.go_on(view) {
            return Some(turn);
        }
        self.window.refill(view, &mut self.draw);
        let block = self.draw.pick(self.window.blocks())?;
        let movable = (0..view.warps(block)).filter(|w| view.ready(block, *w) != 0);
        let warp = self.draw.pick(&movable.collect::<Vec<u32>>())?;
        let free = self.free(view, block, warp);
        if free != 0 {
            (self.at, self.turns) = (Some((block, warp)), 0);
            return Some(together(view, block, warp, free));
        }
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
