//! Who waits for whom, when nothing moves or nothing changes any more.

use super::grid::Machine;
use super::profile::Model;
use super::stop::{Stop, WaitReason, Waiting};
use super::warp::{State, Warp};

/// All lanes that wait, in started blocks.
pub(super) fn waiting(machine: &Machine) -> Vec<Waiting> {
    let lockstep = machine.environment().model == Model::Lockstep;
    let of_warp = |block: u64, warp: &Warp| -> Vec<Waiting> {
        let top = warp.fragments.len().wrapping_sub(1);
        let mut above = 0;
        let mut out = Vec::new();
        for (i, fragment) in warp.fragments.iter().enumerate().rev() {
            let reason = match fragment.state {
                State::Barrier(id) => WaitReason::Barrier(id),
                State::Warp(mask) => WaitReason::Lanes(mask & warp.live & !fragment.mask),
                State::Ready if lockstep && i != top => WaitReason::Reconvergence,
                State::Ready => WaitReason::Nothing,
            };
            // An entry of the reconvergence stack also holds the lanes of those above it.
            let lanes = fragment.mask & !above;
            above |= fragment.mask;
            if lanes != 0 {
                let pc = fragment.pc;
                out.push(Waiting { block, warp: warp.number, lanes, pc, reason });
            }
        }
        out
    };
    machine.started().flat_map(|b| b.warps.iter().flat_map(move |w| of_warp(b.linear, w))).collect()
}

/// The same, told apart for an endless loop: which threads spin, and which wait.
fn apart(machine: &Machine) -> (Vec<Waiting>, Vec<Waiting>) {
    waiting(machine).into_iter().partition(|w| w.reason == WaitReason::Nothing)
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
