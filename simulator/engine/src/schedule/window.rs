//! A few blocks in play at a time, so that the blocks of a large grid need not all be alive when
//! choices are random.

use super::View;
use super::draw::Draw;

/// Blocks in play at a time.
const WINDOW: usize = 8;

/// The blocks in play.
#[derive(Clone, Debug, Default)]
pub(super) struct Window {
    blocks: Vec<u64>,
}

impl Window {
    /// The blocks in play, in no particular order.
    pub(super) fn blocks(&self) -> &[u64] {
        &self.blocks
    }

    /// Keeps the window full of blocks that can move. Now and then one gives way to another, so
    /// that all resident ones get their turn.
    pub(super) fn refill(&mut self, view: &dyn View, draw: &mut Draw) {
        let movable = |b: &u64| (0..view.warps(*b)).any(|w| view.ready(*b, w) != 0);
        self.blocks.retain(movable);
        if self.blocks.len() == WINDOW && draw.below(1 << 12) == 0 {
            let out = draw.below(WINDOW as u64) as usize;
            self.blocks.swap_remove(out);
        }
        if self.blocks.len() < WINDOW {
            let after = self.blocks.iter().max().copied();
            let missing = WINDOW - self.blocks.len();
            let fresh =
                view.resident_after(after).filter(|b| !self.blocks.contains(b) && movable(b));
            let fresh: Vec<u64> = fresh.take(missing).collect();
            self.blocks.extend(fresh);
        }
    }
}
