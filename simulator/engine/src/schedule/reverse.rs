//! The reverse order, one lane at a time: the highest lane of the highest warp of the highest
//! resident block goes as far as it can, then the next lower one.
//!
//! A lane gives way when it waits for others, exits or spins, or after [`TURNS`] turns. So an event
//! in a lower lane that a lane spins for happens. Code that is right only because converged lanes
//! happen to move together fails here. Asynchronous copies are as late as possible. Under
//! `lockstep` the lanes of a warp move as one, so only warps and blocks are reversed.

use std::fmt;

use super::asks::does_spin;
use super::{Choice, Move, Schedule, View};
use crate::lanes::LANES;

/// Turns of one lane before the next lower one moves.
pub(super) const TURNS: u64 = 4096;

/// The reverse schedule.
#[derive(Clone, Debug, Default)]
pub struct Reverse {
    at: Option<(u64, u32, u32)>,
    turns: u64,
}

impl Reverse {
    /// Starts with the last thread.
    pub fn new() -> Reverse {
        Reverse::default()
    }

    /// The highest lane of a block below `(warp, lane)` that can move.
    fn highest_below(view: &dyn View, block: u64, below: (u32, u32)) -> Option<(u32, u32)> {
        (0..=below.0.min(view.warps(block).saturating_sub(1))).rev().find_map(|warp| {
            let allowed = if warp == below.0 { (1u64 << below.1) - 1 } else { u64::MAX };
            let ready = u64::from(view.ready(block, warp)) & allowed & u64::from(u32::MAX);
            (ready != 0).then(|| (warp, ready.ilog2()))
        })
    }

    fn choose(view: &dyn View, (block, warp, lane): (u64, u32, u32)) -> Move {
        let lanes = if view.is_lockstep() { Choice::Together } else { Choice::Only(1 << lane) };
        Move { block, warp, lanes }
    }
}

impl fmt::Display for Reverse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("reverse")
    }
}

impl Schedule for Reverse {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        if let Some(at) = self.at
            && self.turns < TURNS
            && !does_spin(view, at)
            && view.ready(at.0, at.1) >> at.2 & 1 == 1
        {
            self.turns += 1;
            return Some(Reverse::choose(view, at));
        }
        self.turns = 1;
        // When the time of a lane is up, the next lower one follows, and the highest after the
        // lowest.
        let lower = self.at.and_then(|(block, warp, lane)| {
            let (warp, lane) = Reverse::highest_below(view, block, (warp, lane))?;
            Some((block, warp, lane))
        });
        let all = (u32::MAX, LANES as u32);
        let in_block = |block| {
            Reverse::highest_below(view, block, all).map(|(warp, lane)| (block, warp, lane))
        };
        let next = lower.or_else(|| {
            let below = self.at.map(|(block, ..)| block);
            let mut blocks: Vec<u64> = view.resident_after(None).collect();
            blocks.reverse();
            let split = blocks.partition_point(|b| below.is_some_and(|at| *b >= at));
            blocks.rotate_left(split);
            blocks.into_iter().find_map(in_block)
        });
        self.at = next;
        next.map(|at| Reverse::choose(view, at))
    }

    fn copies_at_once(&mut self) -> bool {
        false
    }

    fn lets_spinning_wait(&self) -> bool {
        true
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, _resident: usize) -> Option<u64> {
        let (block, warp, lane) = self.at?;
        Some(block << 32 ^ self.turns << 16 ^ u64::from(warp) << 8 ^ u64::from(lane))
    }
}
