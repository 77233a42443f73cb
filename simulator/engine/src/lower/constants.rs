//! The bank of broadcast constants, each value once.

use std::collections::HashMap;

use crate::lanes::{Constants, FULL, LANES, Slot};

/// Collects the constants of a program.
#[derive(Default)]
pub(super) struct ConstantBank {
    bank: Constants,
    w32: HashMap<u32, Slot>,
    w64: HashMap<u64, Slot>,
    predicates: HashMap<bool, Slot>,
}

impl ConstantBank {
    /// The slot of a 32-bit constant.
    pub(super) fn w32(&mut self, value: u32) -> Slot {
        *self.w32.entry(value).or_insert_with(|| {
            self.bank.w32.push([value; LANES]);
            Slot::constant(self.bank.w32.len() - 1)
        })
    }

    /// The slot of a 64-bit constant.
    pub(super) fn w64(&mut self, value: u64) -> Slot {
        *self.w64.entry(value).or_insert_with(|| {
            self.bank.w64.push([value; LANES]);
            Slot::constant(self.bank.w64.len() - 1)
        })
    }

    /// The slot of a constant predicate.
    pub(super) fn predicate(&mut self, value: bool) -> Slot {
        *self.predicates.entry(value).or_insert_with(|| {
            self.bank.predicates.push(if value { FULL } else { 0 });
            Slot::constant(self.bank.predicates.len() - 1)
        })
    }

    /// All of them.
    pub(super) fn finish(self) -> Constants {
        self.bank
    }
}
