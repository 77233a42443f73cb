//! A part of a warp: lanes at one place with one call stack, which move as one.

use crate::lanes::Mask;
use crate::lower::{EXIT, Pc};
use crate::machine::state::frame::FrameId;

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
    /// Turns of the warp in which others moved, since this fragment last moved. Negative where they
    /// wait for longer (see `patience`).
    pub passed_over: i16,
    /// `lockstep`: where this fragment rejoins the one below it on the reconvergence stack;
    /// [`EXIT`] for none.
    pub rejoin: Pc,
}

/// Whether a fragment can move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum State {
    /// It can move.
    Ready,
    /// It waits at a block barrier.
    Barrier(u8),
    /// It waits for the other lanes of this member mask.
    Warp(Mask),
}

impl Fragment {
    /// A fragment that is ready to run.
    pub fn new(mask: Mask, pc: Pc, frame: FrameId) -> Fragment {
        Fragment { mask, pc, frame, state: State::Ready, passed_over: 0, rejoin: EXIT }
    }
}

/// A fragment chosen to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::machine) struct Chosen {
    /// Its index.
    pub index: usize,
    /// Up to a block of this rank it stays the part that is furthest behind, and meets no other.
    pub horizon: u32,
}
