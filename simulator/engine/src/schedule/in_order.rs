//! The default: fixed and fair.
//!
//! In each round every warp of a block that can move has a turn, in warp order, converged lanes
//! together. A block hands over to the next resident one when it ends or can no longer move, or
//! after [`ROUNDS`] rounds. So an event in another block that a thread spins for happens.
//! Asynchronous copies take effect at once.

use std::fmt;

use super::{Choice, Move, Schedule, View};

/// Rounds of one block before the next resident one has its turn.
pub(super) const ROUNDS: u64 = 4096;

/// The default schedule.
#[derive(Clone, Debug, Default)]
pub struct InOrder {
    at: Option<(u64, u32)>,
    rounds: u64,
    /// There is one block, and it stops instead of handing over.
    is_alone: bool,
}

impl InOrder {
    /// Starts with the first warp of the first block.
    pub fn new() -> InOrder {
        InOrder::default()
    }

    /// For one block alone: after [`ROUNDS`] rounds nothing is left to choose.
    pub(crate) fn alone() -> InOrder {
        InOrder { is_alone: true, ..InOrder::default() }
    }

    /// The next warp after `warp` that can move, and whether the search went past the last one.
    fn after(view: &dyn View, block: u64, warp: Option<u32>) -> Option<(u32, bool)> {
        let count = view.warps(block);
        let start = warp.map_or(0, |w| w + 1);
        let ahead = view.first_ready(block, start..count);
        let behind = || view.first_ready(block, 0..start.min(count));
        ahead.map(|w| (w, false)).or_else(|| behind().map(|w| (w, true)))
    }
}

impl fmt::Display for InOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("in-order")
    }
}

impl Schedule for InOrder {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        if let Some((block, warp)) = self.at
            && let Some((next, wrapped)) = InOrder::after(view, block, Some(warp))
        {
            self.rounds += u64::from(wrapped);
            if self.rounds < ROUNDS {
                self.at = Some((block, next));
                return Some(Move { block, warp: next, lanes: Choice::Together });
            }
        }
        if self.is_alone && self.at.is_some() {
            return None;
        }
        self.rounds = 0;
        let from = self.at.map(|(block, _)| block);
        // Usually the first one can move.
        let movable = |block| Some((block, InOrder::after(view, block, None)?.0));
        let first = view.next_resident(from).and_then(movable);
        let (block, warp) = first.or_else(|| view.resident_after(from).find_map(movable))?;
        self.at = Some((block, warp));
        Some(Move { block, warp, lanes: Choice::Together })
    }

    fn runs_block_after_block(&self) -> bool {
        self.at.is_none() && !self.is_alone
    }

    fn goes_round(&self) -> Option<u64> {
        Some((ROUNDS - 1).saturating_sub(self.rounds))
    }

    fn went(&mut self, warp: u32, rounds: u64) {
        self.at = self.at.map(|(block, _)| (block, warp));
        self.rounds += rounds;
    }

    fn copies_at_once(&mut self) -> bool {
        true
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, resident: usize) -> Option<u64> {
        if self.is_alone {
            return None;
        }
        // A lone block hands over to itself, so its rounds decide nothing.
        let rounds = if resident > 1 { self.rounds } else { 0 };
        self.at.map(|(block, warp)| block << 24 ^ rounds << 8 ^ u64::from(warp))
    }
}
