//! Detects that no thread of a block will ever go on. All threads that could move only ask
//! repeatedly whether a phase of an mbarrier object is complete (PTX ISA 9.7.13.15). No operation
//! under way could complete it.
//!
//! A thread repeats when it has got two negative answers at one place with the same registers and
//! local memory. In between, no thread of its block may have another effect that others may notice.
//! Suppose that all threads of a block that can move repeat, and no asynchronous copy is pending.
//! Then the objects stay as they are, whatever the schedule: they lie in the shared memory of the
//! block, and the block is its own cluster. A loop that counts its questions, or reads the clock or
//! memory, does not repeat. [`super::recurrence`] finds it, or the limit of steps. The same holds
//! for threads with much local memory. The state of a thread is compared by hashes of 64 bits.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::internal::InternalError;
use crate::lanes::{LANES, Mask, lanes_of};
use crate::machine::state::block::{Block, no_warp};
use crate::machine::state::history::poll_loop::PollLoop;
use crate::machine::state::profile::Model;
use crate::machine::state::warp::Warp;

/// Turns with a negative answer before a warp is examined.
const FIRST_LOOK: u64 = 64;

/// Bytes of local memory that are examined; a thread with more is not.
const MOST_LOCAL: usize = 4096;

/// Notes that a warp of a block has ended a turn; `spent` if it used up its time without a visible
/// effect. Returns whether no thread of the block will ever go on.
///
/// # Errors
///
/// The block has no such warp, which is a bug of warpsim.
pub(in crate::machine) fn is_stuck(
    block: &mut Block,
    number: u32,
    spent: bool,
    model: Model,
) -> Result<bool, InternalError> {
    let acts = block.common.acts;
    let warp = block.warps.get_mut(number as usize).ok_or_else(|| no_warp(number))?;
    let told = std::mem::take(&mut warp.poll_loop.latest);
    warp.poll_loop.last = told;
    if told == 0 {
        block.common.acts += u64::from(!spent);
        return Ok(false);
    }
    note(warp, told, acts);
    let lockstep = model == Model::Lockstep;
    let rests = |warp: &Warp| {
        let poll = &warp.poll_loop;
        let go_round = if poll.acts == acts { poll.go_round } else { 0 };
        warp.ready(lockstep) & !go_round == 0
    };
    let is_pending = || block.common.in_flight.as_ref().is_some_and(|f| f.is_pending());
    Ok(block.warps.iter().all(rests) && !is_pending())
}

/// Lanes of a warp have got a negative answer.
fn note(warp: &mut Warp, told: Mask, acts: u64) {
    if warp.poll_loop.acts != acts {
        warp.poll_loop = PollLoop { acts, ..warp.poll_loop.snapshot() };
    }
    warp.poll_loop.turns += 1;
    if warp.poll_loop.turns < FIRST_LOOK {
        return;
    }
    for lane in lanes_of(told) {
        let now = held(warp, lane);
        let poll = &mut warp.poll_loop;
        let before = &mut poll.held.get_or_insert_with(|| Box::new([0; LANES]))[lane];
        match now {
            Some(now) if now == *before => poll.go_round |= 1 << lane,
            _ => poll.go_round &= !(1 << lane),
        }
        // Nothing hashes to 0 here.
        *before = now.unwrap_or(0);
    }
}

/// A hash of everything that decides a lane's next step, except memory that others see; `None` if
/// it is too much to examine.
pub(in crate::machine) fn held(warp: &Warp, lane: usize) -> Option<u64> {
    let fragment = warp.fragment_of(lane)?;
    let mut hasher = DefaultHasher::new();
    (fragment.pc, fragment.frame).hash(&mut hasher);
    for frame in &warp.frames {
        frame.registers.hash_lanes(1 << lane, &mut hasher);
        (frame.params(), frame.top(lane), frame.caller, frame.call).hash(&mut hasher);
    }
    let mut local = vec![0; warp.local.bytes() as usize];
    warp.local.read_bytes(lane, 0, &mut local);
    let used = local.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    local.get(..used).filter(|used| used.len() <= MOST_LOCAL)?.hash(&mut hasher);
    Some(hasher.finish().max(1))
}
