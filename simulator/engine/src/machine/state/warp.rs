//! A warp: 32 lanes, in one or more parts, each with its own program counter.
//!
//! Lanes at one place with one call stack form a [`Fragment`] and move as one. A warp that has not
//! diverged is one fragment. [`crate::machine::control::divergence`] splits and merges fragments.

use std::sync::Arc;

use super::frame::{Caller, Frame, FrameId, Taken};

use super::history::local_loop::LocalLoop;
use super::history::patience::Patience;
use super::history::poll_loop::PollLoop;
use super::history::spinning::Spinning;
use crate::lanes::{Constants, LANES, Mask, lanes_of};
use crate::lower::{Function, Pc, Program};
use crate::machine::memory::{Copier, Interleaved};
use crate::machine::state::fragment::{Chosen, Fragment, State};
use crate::machine::state::tally::Tally;

/// A warp of a block.
#[derive(Debug, PartialEq)]
pub struct Warp {
    /// Its number in the block.
    pub number: u32,
    /// The lanes that exist: a block's last warp may be short.
    pub exists: Mask,
    /// The lanes that have not exited.
    pub live: Mask,
    /// Its parts. Under `lockstep` the reconvergence stack, top last.
    pub fragments: Vec<Fragment>,
    /// The activations, including ended ones: their places are used again.
    pub frames: Vec<Frame>,
    /// The free places in `frames`.
    pub free_frames: Vec<FrameId>,
    /// Each thread's local memory.
    pub local: Interleaved,
    /// `%tid` of lane 0..31.
    pub thread: [[u32; LANES]; 3],
    /// The part of its next turn that it has already executed.
    pub(in crate::machine) ahead: Option<Ahead>,
    /// Its history for endless loops.
    pub(in crate::machine) local_loop: LocalLoop,
    /// Its history of polls that no thread will answer.
    pub(in crate::machine) poll_loop: PollLoop,
    /// How long its parts wait for those behind them.
    pub(in crate::machine) patience: Patience,
    /// Its history for spinning lanes.
    pub(in crate::machine) spinning: Spinning,
}

impl Warp {
    /// A copy for a snapshot. `copy` copies its pages.
    pub fn snapshot(&mut self, copy: Copier) -> Warp {
        Warp {
            number: self.number,
            exists: self.exists,
            live: self.live,
            fragments: self.fragments.clone(),
            frames: self.frames.clone(),
            free_frames: self.free_frames.clone(),
            local: self.local.snapshot(copy),
            thread: self.thread,
            ahead: self.ahead,
            local_loop: LocalLoop::default(),
            poll_loop: self.poll_loop.snapshot(),
            patience: self.patience.clone(),
            spinning: self.spinning.clone(),
        }
    }

    /// The fragment that a lane is in; `None` once it has exited.
    pub fn fragment_of(&self, lane: usize) -> Option<&Fragment> {
        // Under lockstep a lane is in every entry of the stack that waits for it; it is at the
        // topmost.
        self.fragments.iter().rev().find(|f| f.mask >> lane & 1 == 1)
    }

    /// The lanes that could move now.
    pub fn ready(&self, lockstep: bool) -> Mask {
        if lockstep {
            let top = self.fragments.last().filter(|f| f.state == State::Ready);
            return top.map_or(0, |f| f.mask);
        }
        let ready = self.fragments.iter().filter(|f| f.state == State::Ready);
        ready.fold(0, |mask, f| mask | f.mask)
    }

    /// Makes an activation, in the memory of an ended one if there is one, and returns its number.
    pub(in crate::machine) fn add_frame(
        &mut self,
        index: usize,
        function: &Function,
        constants: &Arc<Constants>,
        (frame, call): (FrameId, Pc),
        taken: Taken,
    ) -> FrameId {
        let depth = self.frames[usize::from(frame)].depth;
        let caller = Caller { frame, call, depth };
        if let Some(id) = self.free_frames.pop() {
            self.frames[usize::from(id)].renew(index, function, Some(caller), taken);
            return id;
        }
        self.frames.push(Frame::new(index, function, constants, Some(caller), taken));
        (self.frames.len() - 1) as FrameId
    }

    /// The number of activations from this one down to the kernel's own, including both.
    pub(in crate::machine) fn depth(&self, frame: FrameId) -> u32 {
        let callers = std::iter::successors(Some(frame), |at| self.frames[usize::from(*at)].caller);
        callers.count() as u32
    }

    /// Becomes the same warp of a block about to start, in the same memory.
    pub(in crate::machine) fn renew(&mut self, program: &Program) {
        let kernel = &program.functions[0];
        self.live = self.exists;
        self.fragments.clear();
        self.fragments.push(Fragment::new(self.exists, kernel.entry, 0));
        self.free_frames.clear();
        match self.frames.as_mut_slice() {
            // Usually no lane has called a function: the kernel's frame is never another's.
            [of_kernel] => of_kernel.begin_anew(),
            _ => {
                self.frames.truncate(1);
                self.frames
                    .iter_mut()
                    .for_each(|frame| frame.renew(0, kernel, None, Taken::default()));
            }
        }
        if self.local.bytes() != 0 {
            self.local = Interleaved::default();
        }
        self.ahead = None;
        self.local_loop.forget();
        self.poll_loop.forget();
        self.patience = Patience::default();
        self.spinning.forget();
    }

    /// Frees an activation when no fragment is in it or in one of its callees.
    pub fn drop_frame_if_unused(&mut self, id: FrameId) {
        let uses = |fragment: &Fragment| {
            let mut at = Some(fragment.frame);
            while let Some(frame) = at {
                if frame == id {
                    return true;
                }
                at = self.frames[usize::from(frame)].caller;
            }
            false
        };
        if !self.fragments.iter().any(uses) {
            self.free_frames.push(id);
        }
    }

    /// Marks lanes as exited and takes them out of every fragment.
    pub fn exit(&mut self, lanes: Mask) {
        self.live &= !lanes;
        for fragment in &mut self.fragments {
            fragment.mask &= !lanes;
        }
        self.fragments.retain(|f| f.mask != 0);
    }
}

/// The part of a warp's next turn that is already executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine) struct Ahead {
    /// Its counts.
    pub(in crate::machine) tally: Tally,
    /// The fragment that has run, and goes on.
    pub(in crate::machine) chosen: Chosen,
}

/// Adds a lane to the lanes of a value, or begins a new group.
pub(in crate::machine) fn group_by<T: PartialEq>(
    mask: Mask,
    value: impl Fn(usize) -> T,
) -> Vec<(T, Mask)> {
    let mut groups: Vec<(T, Mask)> = Vec::new();
    for lane in lanes_of(mask) {
        let key = value(lane);
        match groups.iter_mut().find(|(k, _)| *k == key) {
            Some((_, lanes)) => *lanes |= 1 << lane,
            None => groups.push((key, 1 << lane)),
        }
    }
    groups
}
