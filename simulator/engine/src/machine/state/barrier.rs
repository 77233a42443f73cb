//! The barriers of a block: who has arrived at each (PTX ISA 9.7.13.1).
//!
//! Data and questions about it. [`crate::machine::sync::barrier`] releases the threads.

use crate::lanes::Mask;
use crate::lower::Pc;
use crate::machine::state::profile::Model;
use crate::observe::Arrival;

/// Barriers of a block.
pub(in crate::machine) const BARRIERS: usize = 16;

/// The barriers of a block.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Barriers {
    pub(in crate::machine) slots: [Slot; BARRIERS],
    /// The barriers with arrivals: bit i is barrier i.
    pub(in crate::machine) in_use: u16,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::machine) struct Slot {
    /// Threads to wait for; `None` for all of the block.
    pub(in crate::machine) count: Option<u32>,
    pub(in crate::machine) arrivals: Vec<Arrival>,
    /// The arrivals of each warp, by its number. Warps with higher numbers than the last arrived
    /// one are missing.
    pub(in crate::machine) here: Vec<Here>,
}

/// The arrivals of a warp, counted up, so that no arrival needs a search through all others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(in crate::machine) struct Here {
    pub(in crate::machine) lanes: Mask,
    /// The instruction of the first arrival, and whether it is aligned.
    pub(in crate::machine) first: Option<(Pc, bool)>,
    /// Other lanes have arrived at another instruction, at an aligned barrier.
    pub(in crate::machine) apart: bool,
}

impl Barriers {
    /// Notes that lanes have arrived.
    pub fn arrive(&mut self, id: u8, count: Option<u32>, arrival: Arrival) {
        let slot = &mut self.slots[usize::from(id) % BARRIERS];
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
        self.in_use |= 1 << (usize::from(id) % BARRIERS);
    }

    /// The barriers with arrivals.
    pub fn in_use(&self) -> impl Iterator<Item = u8> + use<> {
        let mut left = self.in_use;
        std::iter::from_fn(move || {
            let id = left.trailing_zeros() as u8;
            left &= left.checked_sub(1)?;
            Some(id)
        })
    }

    /// Whether each barrier has too few arrivals to be complete, in a block with this many warps
    /// that have not exited.
    pub fn are_early(&self, live_warps: usize) -> bool {
        self.in_use().all(|id| self.slots[usize::from(id) % BARRIERS].is_early(live_warps))
    }

    /// Forgets all arrivals.
    pub fn reset(&mut self) {
        for id in self.in_use() {
            let slot = self.clear(id);
            self.reuse(id, slot);
        }
    }

    /// Takes the arrivals at a barrier out.
    pub(in crate::machine) fn clear(&mut self, id: u8) -> Slot {
        self.in_use &= !(1 << (usize::from(id) % BARRIERS));
        std::mem::take(&mut self.slots[usize::from(id) % BARRIERS])
    }

    /// Gives back the memory of such arrivals, for the next ones.
    pub(in crate::machine) fn reuse(&mut self, id: u8, mut slot: Slot) {
        let place = &mut self.slots[usize::from(id) % BARRIERS];
        if place.arrivals.is_empty() {
            slot.arrivals.clear();
            slot.here.clear();
            *place = Slot { count: None, ..slot };
        }
    }

    /// The arrivals at a barrier, in order.
    pub fn arrivals(&self, id: u8) -> &[Arrival] {
        &self.slots[usize::from(id) % BARRIERS].arrivals
    }
}

impl Slot {
    /// Whether there are fewer arrivals than the barrier needs at least: a warp has at least one.
    pub(in crate::machine) fn is_early(&self, live_warps: usize) -> bool {
        match self.count {
            None => self.arrivals.len() < live_warps,
            Some(count) => (self.arrivals.len() as u64) * 32 < u64::from(count),
        }
    }

    /// Whether a warp with these live lanes has arrived.
    pub(in crate::machine) fn has_arrived(&self, warp: u32, live: Mask, model: Model) -> bool {
        let Some(here) = self.here.get(warp as usize) else { return false };
        match model {
            Model::Lockstep => here.first.is_some(),
            Model::Independent => here.first.is_some() && !here.apart && here.lanes & live == live,
        }
    }
}
