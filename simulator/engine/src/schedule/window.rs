//! Keeps only a few blocks in play at a time, so that random choices do not keep all blocks of a
//! large grid alive.

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

    /// Replaces a block whose movable threads all spin by one that is not in play, if there is one.
    pub(super) fn leave_to_others(&mut self, view: &dyn View, block: u64) {
        let spins = |warp| view.ready(block, warp) & !view.spinning(block, warp) == 0;
        let Some(at) = self.blocks.iter().position(|other| *other == block) else { return };
        if !(0..view.warps(block)).all(spins) {
            return;
        }
        let movable = |b: &u64| (0..view.warps(*b)).any(|warp| view.ready(*b, warp) != 0);
        let after = self.blocks.iter().max().copied();
        let mut others = view.resident_after(after);
        let other = others.find(|other| !self.blocks.contains(other) && movable(other));
        if let Some(other) = other {
            self.blocks[at] = other;
        }
    }

    /// Keeps the window full of blocks that can move. Sometimes one gives way to another, so that
    /// all resident ones get their turn.
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
