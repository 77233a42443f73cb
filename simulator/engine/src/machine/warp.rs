//! A warp: 32 lanes, in one or more parts that each have a program counter of their own.
//!
//! Lanes at one place with one call stack form a [`Fragment`] and move as one. A warp that has not
//! diverged is one fragment. How fragments come and go is in [`super::divergence`].

use std::sync::Arc;

use super::frame::{Caller, Frame, FrameId, Taken};
use super::gang::Ahead;
use super::local_loop::LocalLoop;
use super::memory::{Copier, Interleaved};
use super::patience::Patience;
use super::poll_loop::PollLoop;
use super::spinning::Spinning;
use crate::lanes::{Constants, LANES, Mask};
use crate::lower::{EXIT, Function, Pc, Program};

/// Lanes at one place with one call stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// Which lanes.
    pub mask: Mask,
    /// The next operation.
    pub pc: Pc,
    /// The activation they are in.
    pub frame: FrameId,
    /// Whether they can move.
    pub state: State,
    /// Turns of the warp that passed while others moved, since this fragment last did.
    /// Fewer than none where they wait for longer (see `patience`).
    pub passed_over: i16,
    /// `lockstep`: where this fragment rejoins the one below it on the reconvergence stack;
    /// [`EXIT`] for none.
    pub rejoin: Pc,
}

/// Whether a fragment can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// It can.
    Ready,
    /// It waits at a block barrier.
    Barrier(u8),
    /// It waits for the other lanes of this member mask.
    Warp(Mask),
}

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
    /// The activations, those that have ended included: their places are used again.
    pub frames: Vec<Frame>,
    /// The places in `frames` that are free.
    pub free_frames: Vec<FrameId>,
    /// Each thread's local memory.
    pub local: Interleaved,
    /// `%tid` of lane 0..31.
    pub thread: [[u32; LANES]; 3],
    /// What it has done of its next turn.
    pub(super) ahead: Option<Ahead>,
    /// What tells an endless loop.
    pub(super) local_loop: LocalLoop,
    /// What tells that nobody will complete what its lanes ask about.
    pub(super) poll_loop: PollLoop,
    /// How long its parts wait for those behind them.
    pub(super) patience: Patience,
    /// What tells that its lanes spin.
    pub(super) spinning: Spinning,
}

impl Warp {
    /// A copy for a snapshot, whose pages `copy` makes.
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

    /// Makes an activation, of memory that another no longer needs, and gives its number.
    pub(super) fn add_frame(
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

    /// How many activations there are down to the kernel's own, with this one.
    pub(super) fn depth(&self, frame: FrameId) -> u32 {
        let callers = std::iter::successors(Some(frame), |at| self.frames[usize::from(*at)].caller);
        callers.count() as u32
    }

    /// Becomes the same warp of a block about to start, in the memory that it has.
    pub(super) fn renew(&mut self, program: &Program) {
        let kernel = &program.functions[0];
        self.live = self.exists;
        self.fragments.clear();
        self.fragments.push(Fragment::new(self.exists, kernel.entry, 0));
        self.free_frames.clear();
        match self.frames.as_mut_slice() {
            // Mostly nobody has called anybody: the kernel's own is never another's.
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

    /// Frees an activation when no fragment is in it or in something it called.
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

impl Fragment {
    /// A fragment that is ready to run.
    pub fn new(mask: Mask, pc: Pc, frame: FrameId) -> Fragment {
        Fragment { mask, pc, frame, state: State::Ready, passed_over: 0, rejoin: EXIT }
    }
}
