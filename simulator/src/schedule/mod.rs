//! Who runs next: a tiny trait, and one small file for each strategy.
//!
//! The machine runs in *turns*. In a turn, lanes of one warp run through their next visible
//! operation: one that touches memory which others see, or that synchronises. Between turns a
//! [`Schedule`] chooses; within one there is nothing to choose, because nobody could tell.
//!
//! A run is a pure function of its inputs and its schedule. Every strategy is fair in the end: no
//! lane that could move is passed over for ever.

mod in_order;

pub use in_order::InOrder;

use crate::machine::{FULL, Mask, View};

/// Chooses who moves.
pub trait Schedule: std::fmt::Debug + Send {
    /// Chooses the next turn. `None` when nothing in `view` can move.
    fn next(&mut self, view: &View<'_>) -> Option<Move>;

    /// The schedule as short text that [`from_text`] reads back.
    fn text(&self) -> String;

    /// A copy in the same state.
    fn copy(&self) -> Box<dyn Schedule>;

    /// A number that, with the state of the machine, decides all later choices when nothing but
    /// the `resident` blocks there are now takes part. `None` when there is no such number, as with
    /// random choices; then an endless loop cannot be told by a repeated state.
    fn recurrence(&self, resident: usize) -> Option<u64>;
}

/// A turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The block's linear number in the grid.
    pub block: u64,
    /// The warp in the block.
    pub warp: u32,
    /// Which lanes.
    pub lanes: Choice,
}

/// Which lanes of a warp a turn moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Converged lanes together; of a diverged warp the part that is furthest behind, unless
    /// another has been passed over too often.
    Together,
    /// Only these, as far as they are ready and at one place with the lowest of them.
    Only(Mask),
}

impl Choice {
    /// The lanes that may move.
    pub fn mask(self) -> Mask {
        match self {
            Choice::Together => FULL,
            Choice::Only(mask) => mask,
        }
    }
}
