//! Who waits for whom, when nothing moves or nothing changes any more.

use super::block::Block;
use super::grid::Machine;
use super::mbarrier_object::MbarrierObject;
use super::profile::Model;
use super::stop::{Stop, WaitReason, Waiting};
use super::warp::{Fragment, State, Warp};
use crate::lanes::LANES;
use crate::lower::Pc;

/// All lanes that wait, in started blocks: warp by warp, those with the lowest lane first, or as
/// they lie on the reconvergence stack.
pub(super) fn waiting(machine: &Machine) -> Vec<Waiting> {
    let lockstep = machine.environment().model == Model::Lockstep;
    let of_warp = |block: &Block, warp: &Warp| -> Vec<Waiting> {
        let top = warp.fragments.len().wrapping_sub(1);
        let mut above = 0;
        let mut out = Vec::new();
        for (i, fragment) in warp.fragments.iter().enumerate().rev() {
            let (reason, pc) = match fragment.state {
                State::Barrier(id) => (WaitReason::Barrier(id), fragment.pc),
                State::Warp(mask) => {
                    (WaitReason::Lanes(mask & warp.live & !fragment.mask), fragment.pc)
                }
                State::Ready if lockstep && i != top => (WaitReason::Reconvergence, fragment.pc),
                State::Ready => waits_at_mbarrier(block, warp, fragment),
            };
            // An entry of the reconvergence stack also holds the lanes of those above it.
            let lanes = fragment.mask & !above;
            above |= fragment.mask;
            if lanes != 0 {
                let block = block.linear;
                out.push(Waiting { block, warp: warp.number, lanes, pc, reason });
            }
        }
        // Parts that are free have no order of their own; those of the reconvergence stack come
        // from the top.
        if !lockstep {
            out.sort_by_key(|waiting| waiting.lanes.trailing_zeros());
        }
        out
    };
    machine.started().flat_map(|b| b.warps.iter().flat_map(move |w| of_warp(b, w))).collect()
}

/// The phase of an mbarrier object that lanes that could move wait for, as far as they have asked,
/// and the instruction that asked; else where they are.
fn waits_at_mbarrier(block: &Block, warp: &Warp, fragment: &Fragment) -> (WaitReason, Pc) {
    let owner = (warp.number, fragment.mask.trailing_zeros() % LANES as u32);
    let flight = block.common.in_flight.as_deref();
    match flight.and_then(|flight| flight.waits_at(owner)) {
        Some((address, pc)) => {
            let object = MbarrierObject::of_bits(block.common.shared.read(address, 8));
            (WaitReason::Mbarrier { address, object }, pc)
        }
        None => (WaitReason::Nothing, fragment.pc),
    }
}

/// The same, told apart for an endless loop: which threads spin, and which wait.
fn apart(machine: &Machine) -> (Vec<Waiting>, Vec<Waiting>) {
    waiting(machine).into_iter().partition(|w| match w.reason {
        WaitReason::Nothing | WaitReason::Mbarrier { .. } => true,
        WaitReason::Barrier(_) | WaitReason::Lanes(_) | WaitReason::Reconvergence => false,
    })
}

/// An endless loop of the whole machine.
pub(super) fn livelock(machine: &Machine) -> Stop {
    let (spinning, waiting) = apart(machine);
    Stop::Livelock { spinning, waiting, not_resident: machine.not_resident() }
}

/// The endless loop of one warp: it spins, and the threads that wait are named.
pub(super) fn endless(machine: &Machine, block: u64, warp: u32) -> Stop {
    let (mut spinning, waiting) = apart(machine);
    spinning.retain(|w| (w.block, w.warp) == (block, warp));
    Stop::Livelock { spinning, waiting, not_resident: machine.not_resident() }
}
