//! Telling that nobody of a block will ever go on: all threads that could move only ask, again and
//! again, whether a phase of an mbarrier object is complete (PTX ISA 9.7.13.15), and nothing is
//! under way that could complete it.
//!
//! A thread repeats when it has been answered no twice at one place with the same registers and
//! local memory, and nobody of its block has done anything else in between that others may notice.
//! When all threads of a block that can move repeat, and no asynchronous copy is pending, the
//! objects stay as they are, whatever the schedule: they lie in the shared memory of the block, and
//! it is a cluster of its own. A loop that counts how often it has asked, or looks at the clock or
//! at memory, does not repeat: it is found by [`super::recurrence`], or by the limit of steps. So
//! are threads with much local memory. What a thread holds is compared by hashes of 64 bits.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::block::Block;
use super::grid::no_warp;
use super::profile::Model;
use super::warp::Warp;
use crate::internal::InternalError;
use crate::lanes::{LANES, Mask, lanes_of};

/// Turns in which a warp is told no before it is looked at.
const FIRST_LOOK: u64 = 64;

/// Bytes of local memory that are looked at; a thread with more is not.
const MOST_LOCAL: usize = 4096;

/// What is remembered of a warp since somebody in its block last did something else than ask.
#[derive(Debug, Default)]
pub(super) struct PollLoop {
    /// The lanes that were all told no in the turn that goes on.
    latest: Mask,
    /// Those of the turn that the warp ended last, which schedules may know.
    last: Mask,
    /// The block's count of what was done, when this began.
    acts: u64,
    /// Turns in which lanes were told no.
    turns: u64,
    /// What each lane held when it was last told no.
    held: Option<Box<[u64; LANES]>>,
    /// The lanes that repeat.
    go_round: Mask,
}

/// Of the past only what schedules may know is part of the state: with it they choose.
impl PartialEq for PollLoop {
    fn eq(&self, other: &PollLoop) -> bool {
        self.last == other.last
    }
}

impl PollLoop {
    /// Lanes have asked, and all been told no.
    pub(super) fn told_no(&mut self, lanes: Mask) {
        self.latest = lanes;
    }

    /// Whether lanes have asked in the turn that goes on, and all been told no.
    pub(super) fn has_been_told_no(&self) -> bool {
        self.latest != 0
    }

    /// The lanes that did nothing but ask in the warp's last turn, and were all told no.
    pub(super) fn asked_in_vain(&self) -> Mask {
        self.last
    }

    /// Another block begins.
    #[inline]
    pub(super) fn forget(&mut self) {
        let PollLoop { latest, last, acts, turns, held, go_round } = self;
        if held.is_some() {
            *held = None;
        }
        (*latest, *last, *acts, *turns, *go_round) = (0, 0, 0, 0, 0);
    }

    /// What a snapshot keeps.
    pub(super) fn snapshot(&self) -> PollLoop {
        PollLoop { last: self.last, ..PollLoop::default() }
    }
}

/// Notes that a warp of a block has ended a turn; `spent` when it used up its time without anything
/// visible. Whether nobody in the block will ever go on.
///
/// # Errors
///
/// The block has no such warp, which is a bug of warpsim.
pub(super) fn is_stuck(
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

/// Lanes of a warp have been told no.
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

/// A hash of all that decides what a lane does next but for memory that others see; `None` when
/// that is too much to look at.
pub(super) fn held(warp: &Warp, lane: usize) -> Option<u64> {
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
