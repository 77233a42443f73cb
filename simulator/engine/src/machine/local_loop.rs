//! Telling an endless loop of one warp that does nothing visible, such as `while (true);`.
//!
//! Nobody can notice such a loop and nothing can end it: when the registers, the local memory and
//! the places of the lanes of a warp repeat, and it has done nothing visible in between, it goes
//! round for ever, whatever the schedule. [`super::recurrence`] would find it too, but only after
//! the whole grid has come round. A random schedule may scatter the lanes so that their places do
//! not repeat for long: then the limit of steps ends the run.

use super::frame::Frame;
use super::memory::{Interleaved, Pages};
use super::warp::{Fragment, Warp};

/// What is remembered of a warp since it last did something visible.
#[derive(Debug, Default)]
pub(super) struct LocalLoop {
    /// Turns that it used up without anything visible.
    turns: u64,
    kept: Option<Box<Kept>>,
}

/// The state of a warp at an earlier moment.
#[derive(Debug)]
struct Kept {
    fragments: Vec<Fragment>,
    frames: Vec<Frame>,
    local: Interleaved,
}

impl LocalLoop {
    /// The warp has done something visible.
    #[inline]
    pub(super) fn forget(&mut self) {
        if self.turns != 0 {
            *self = LocalLoop::default();
        }
    }
}

/// What is remembered of the past is not part of the state.
impl PartialEq for LocalLoop {
    fn eq(&self, _: &LocalLoop) -> bool {
        true
    }
}

/// Notes that a warp has ended a turn; `spent` when it used up its time without anything visible.
/// Whether it loops for ever. The state is kept at ever longer intervals, as in Brent's
/// algorithm.
#[inline]
pub(super) fn goes_round(warp: &mut Warp, spent: bool) -> bool {
    if spent {
        return comes_again(warp);
    }
    warp.local_loop.forget();
    false
}

/// Counts a turn without anything visible. Whether the state after it has been there before.
#[cold]
fn comes_again(warp: &mut Warp) -> bool {
    warp.local_loop.turns += 1;
    let same = |kept: &Kept| {
        kept.fragments == warp.fragments && kept.frames == warp.frames && kept.local == warp.local
    };
    if warp.local_loop.kept.as_deref().is_some_and(same) {
        return true;
    }
    if warp.local_loop.turns.is_power_of_two() {
        warp.local_loop.kept = Some(Box::new(Kept {
            fragments: warp.fragments.clone(),
            frames: warp.frames.clone(),
            local: warp.local.snapshot(Pages::snapshot),
        }));
    }
    false
}
