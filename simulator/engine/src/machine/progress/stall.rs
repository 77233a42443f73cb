//! Who waits for whom, when nothing moves or nothing changes any more.

use crate::lanes::LANES;
use crate::lower::Pc;
use crate::machine::state::block::Block;
use crate::machine::state::fragment::{Fragment, State};
use crate::machine::state::mbarrier_object::MbarrierObject;
use crate::machine::state::profile::Model;
use crate::machine::state::stop::{WaitReason, Waiting};
use crate::machine::state::warp::Warp;

/// All waiting lanes, in started blocks. Within a warp, groups with lower lanes come first, or they
/// follow the reconvergence stack.
pub(in crate::machine) fn waiting<'b>(
    started: impl Iterator<Item = &'b Block>,
    model: Model,
) -> Vec<Waiting> {
    let lockstep = model == Model::Lockstep;
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
            // An entry of the reconvergence stack also holds the lanes of the entries above it.
            let lanes = fragment.mask & !above;
            above |= fragment.mask;
            if lanes != 0 {
                let block = block.linear;
                out.push(Waiting { block, warp: warp.number, lanes, pc, reason });
            }
        }
        // Free parts have no inherent order; parts of the reconvergence stack come from the top.
        if !lockstep {
            out.sort_by_key(|waiting| waiting.lanes.trailing_zeros());
        }
        out
    };
    started.flat_map(|b| b.warps.iter().flat_map(move |w| of_warp(b, w))).collect()
}

/// The phase of an mbarrier object that lanes that could move wait for, if they have asked, and the
/// instruction that asked. Otherwise their place.
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

/// Waiting threads in an endless loop: first those that spin, then all others.
pub(in crate::machine) fn spinning_and_waiting(all: Vec<Waiting>) -> (Vec<Waiting>, Vec<Waiting>) {
    all.into_iter().partition(|w| match w.reason {
        WaitReason::Nothing | WaitReason::Mbarrier { .. } => true,
        WaitReason::Barrier(_) | WaitReason::Lanes(_) | WaitReason::Reconvergence => false,
    })
}
