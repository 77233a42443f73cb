//! The bank of constants, each once: values for all lanes, and values of each lane.

use std::collections::HashMap;

use crate::lanes::{Constants, FULL, LANES, Mask, Slot};

/// Collects the constants of a program.
#[derive(Default)]
pub(in crate::lower) struct ConstantBank {
    bank: Constants,
    w32: HashMap<[u32; LANES], Slot>,
    w64: HashMap<[u64; LANES], Slot>,
    predicates: HashMap<Mask, Slot>,
}

impl ConstantBank {
    /// The slot of a 32-bit constant.
    pub(in crate::lower) fn w32(&mut self, value: u32) -> Slot {
        self.w32_of_lanes([value; LANES])
    }

    /// The slot of a 32-bit constant of each lane.
    pub(in crate::lower) fn w32_of_lanes(&mut self, values: [u32; LANES]) -> Slot {
        *self.w32.entry(values).or_insert_with(|| {
            self.bank.w32.push(values);
            Slot::constant(self.bank.w32.len() - 1)
        })
    }

    /// The slot of a 64-bit constant.
    pub(in crate::lower) fn w64(&mut self, value: u64) -> Slot {
        self.w64_of_lanes([value; LANES])
    }

    /// The slot of a 64-bit constant of each lane.
    pub(in crate::lower) fn w64_of_lanes(&mut self, values: [u64; LANES]) -> Slot {
        *self.w64.entry(values).or_insert_with(|| {
            self.bank.w64.push(values);
            Slot::constant(self.bank.w64.len() - 1)
        })
    }

    /// The slot of a constant predicate.
    pub(in crate::lower) fn predicate(&mut self, value: bool) -> Slot {
        self.lanes(if value { FULL } else { 0 })
    }

    /// The slot of a predicate that holds in these lanes.
    pub(in crate::lower) fn lanes(&mut self, lanes: Mask) -> Slot {
        *self.predicates.entry(lanes).or_insert_with(|| {
            self.bank.predicates.push(lanes);
            Slot::constant(self.bank.predicates.len() - 1)
        })
    }

    /// All constants.
    pub(in crate::lower) fn finish(self) -> Constants {
        self.bank
    }
}
