//! Block barriers (PTX ISA 9.7.13.1, `bar` and `barrier`).
//!
//! A warp arrives at a barrier when all its lanes that have not exited are there; for an `.aligned`
//! barrier, which is what `__syncthreads` compiles to, at one instruction. Under `lockstep` it
//! arrives as a whole, with whichever lanes are active. A barrier without a count waits for all
//! warps that have not exited; with a count it counts 32 for each warp that arrives, and exits do
//! not count.
//!
//! Deviation: hardware lets a barrier be passed in some cases where lanes of one warp wait at
//! different instructions of it. Here they wait for ever, which is reported as a deadlock.

use super::block::Block;
use super::profile::Model;
use super::stop::Stop;
use super::warp::{State, Warp};
use crate::internal;
use crate::lanes::Mask;
use crate::lower::{BarrierAction, Kind, Pc, Program};
use crate::observe::{Arrival, BarrierEvent, Observer};

/// Barriers of a block.
pub(super) const COUNT: usize = 16;

/// The barriers of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Barriers {
    slots: [Slot; COUNT],
    /// Those at which somebody has arrived: bit i is barrier i.
    in_use: u16,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Slot {
    /// Threads to wait for; `None` for all of the block.
    count: Option<u32>,
    arrivals: Vec<Arrival>,
    /// What has arrived of each warp, by its number; warps behind the last that has come are
    /// missing.
    here: Vec<Here>,
}

/// What has arrived of a warp, counted up so that nobody looks through all arrivals at each of
/// them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Here {
    lanes: Mask,
    /// The instruction of the first arrival, and whether it is aligned.
    first: Option<(Pc, bool)>,
    /// Others have come at another instruction, to an aligned barrier.
    apart: bool,
}

impl Barriers {
    /// Notes that lanes have arrived.
    pub fn arrive(&mut self, id: u8, count: Option<u32>, arrival: Arrival) {
        let slot = &mut self.slots[usize::from(id) % COUNT];
        if slot.arrivals.is_empty() {
            slot.count = count;
        }
        let warp = arrival.warp as usize;
        if slot.here.len() <= warp {
            slot.here.resize(warp + 1, Here::default());
        }
        let here = &mut slot.here[warp];
        let (pc, aligned) = *here.first.get_or_insert((arrival.pc, arrival.aligned));
        here.lanes |= arrival.lanes;
        here.apart |= aligned && arrival.pc != pc;
        slot.arrivals.push(arrival);
        self.in_use |= 1 << (usize::from(id) % COUNT);
    }

    /// The barriers at which somebody has arrived.
    pub fn in_use(&self) -> impl Iterator<Item = u8> + use<> {
        let mut left = self.in_use;
        std::iter::from_fn(move || {
            let id = left.trailing_zeros() as u8;
            left &= left.checked_sub(1)?;
            Some(id)
        })
    }

    /// Whether too few have arrived at each barrier for it to be complete, in a block with so many
    /// warps that have not exited.
    pub fn are_early(&self, live_warps: usize) -> bool {
        self.in_use().all(|id| self.slots[usize::from(id) % COUNT].is_early(live_warps))
    }

    /// Forgets all arrivals.
    pub fn reset(&mut self) {
        for id in self.in_use() {
            let slot = self.clear(id);
            self.reuse(id, slot);
        }
    }

    /// Takes away who has arrived at a barrier.
    fn clear(&mut self, id: u8) -> Slot {
        self.in_use &= !(1 << (usize::from(id) % COUNT));
        std::mem::take(&mut self.slots[usize::from(id) % COUNT])
    }

    /// Gives back the memory of what was taken away, for the next arrivals.
    fn reuse(&mut self, id: u8, mut slot: Slot) {
        let place = &mut self.slots[usize::from(id) % COUNT];
        if place.arrivals.is_empty() {
            slot.arrivals.clear();
            slot.here.clear();
            *place = Slot { count: None, ..slot };
        }
    }

    /// Who has arrived at a barrier, in order of arrival.
    pub fn arrivals(&self, id: u8) -> &[Arrival] {
        &self.slots[usize::from(id) % COUNT].arrivals
    }
}

impl Slot {
    /// Whether too few arrivals are noted for all that it waits for: a warp has at least one.
    fn is_early(&self, live_warps: usize) -> bool {
        match self.count {
            None => self.arrivals.len() < live_warps,
            Some(count) => (self.arrivals.len() as u64) * 32 < u64::from(count),
        }
    }

    /// Whether a warp with these live lanes has arrived.
    fn has_arrived(&self, warp: u32, live: Mask, model: Model) -> bool {
        let Some(here) = self.here.get(warp as usize) else { return false };
        match model {
            Model::Lockstep => here.first.is_some(),
            Model::Independent => here.first.is_some() && !here.apart && here.lanes & live == live,
        }
    }
}

/// Lets the threads at a barrier go if all that it waits for have arrived, and tells the
/// observer. Whether it did.
pub(super) fn try_complete(
    block: &mut Block,
    id: u8,
    program: &Program,
    model: Model,
    observer: Option<&mut (dyn Observer + '_)>,
) -> Result<bool, Stop> {
    let slot = &block.common.barriers.slots[usize::from(id) % COUNT];
    if slot.arrivals.is_empty() || slot.is_early(block.live_warps()) {
        return Ok(false);
    }
    let arrived = |w: &&Warp| slot.has_arrived(w.number, w.live, model);
    let complete = match slot.count {
        None => block.warps.iter().filter(|w| w.live != 0).all(|w| arrived(&w)),
        Some(count) => block.warps.iter().filter(arrived).count() as u32 * 32 >= count,
    };
    if complete {
        let slot = block.common.barriers.clear(id);
        if let Some(observer) = observer {
            let (linear, count, arrivals) = (block.linear, slot.count, &slot.arrivals);
            observer.barrier(&BarrierEvent { block: linear, barrier: id, count, arrivals });
        }
        release(block, id, &slot, program)?;
        block.common.barriers.reuse(id, slot);
    }
    Ok(complete)
}

/// Gives the waiting lanes their results and lets them go on.
fn release(block: &mut Block, id: u8, slot: &Slot, program: &Program) -> Result<(), Stop> {
    let total = |f: fn(Mask, Mask) -> u32| -> u32 {
        slot.arrivals.iter().map(|a| f(a.predicate, a.lanes)).sum()
    };
    let true_lanes = total(|p, lanes| (p & lanes).count_ones());
    let false_lanes = total(|p, lanes| (!p & lanes).count_ones());
    for arrival in slot.arrivals.iter().filter(|a| a.waits) {
        let warp = block.warps.get_mut(arrival.warp as usize);
        let warp =
            warp.ok_or_else(|| internal!("warp {} arrived and is not there", arrival.warp))?;
        let Kind::Barrier(barrier) = &program.operations[arrival.pc as usize].kind else {
            return Err(internal!("lanes arrived at {}, where no barrier is", arrival.pc).into());
        };
        let here = warp
            .fragments
            .iter_mut()
            .filter(|f| f.state == State::Barrier(id) && f.pc == arrival.pc)
            .filter(|f| f.mask & arrival.lanes != 0);
        for fragment in here {
            let registers = &mut warp.frames[usize::from(fragment.frame)].registers;
            let mask = fragment.mask & arrival.lanes;
            let all = |condition: bool| if condition { Mask::MAX } else { 0 };
            match barrier.action {
                BarrierAction::Sync | BarrierAction::Arrive => {}
                BarrierAction::Popc { d, .. } => {
                    crate::lanes::write_lanes(
                        registers,
                        d,
                        mask,
                        &[true_lanes; crate::lanes::LANES],
                    );
                }
                BarrierAction::And { d, .. } => {
                    registers.set_predicate(d, mask, all(false_lanes == 0));
                }
                BarrierAction::Or { d, .. } => {
                    registers.set_predicate(d, mask, all(true_lanes != 0));
                }
            }
            fragment.state = State::Ready;
            fragment.pc = arrival.pc + 1;
        }
    }
    Ok(())
}
