//! Detects an endless loop of one warp without visible effects, such as `while (true);`.
//!
//! No other thread can notice such a loop and nothing can end it. The registers, the local memory
//! and the places of the lanes of a warp repeat, without a visible effect in between. Then it loops
//! for ever, whatever the schedule. [`super::recurrence`] would find it, too, but only after the
//! whole grid has repeated. A random schedule may scatter the lanes so that their places do not
//! repeat for long. In that case the limit of steps ends the run.

use crate::machine::memory::Pages;
use crate::machine::state::history::local_loop::Kept;
use crate::machine::state::warp::Warp;

/// Notes that a warp has ended a turn; `spent` if it used up its time without a visible effect.
/// Returns whether it loops for ever. The state is kept at ever longer intervals, as in Brent's
/// algorithm.
#[inline]
pub(in crate::machine) fn goes_round(warp: &mut Warp, spent: bool) -> bool {
    if spent {
        return comes_again(warp);
    }
    warp.local_loop.forget();
    false
}

/// Counts a turn without visible effects. Returns whether the state after it has occurred before.
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
