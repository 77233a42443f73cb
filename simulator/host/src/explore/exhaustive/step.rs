//! The effects of a turn that others can notice, and when two turns may change places.

use std::collections::BTreeMap;

/// Something that turns can conflict on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Location {
    /// A byte of global memory.
    Global(u64),
    /// A byte of a block's shared memory.
    Shared(u64, u64),
    /// The threads that count towards the barriers of a block. Arrivals at a barrier that waits for
    /// the whole block may change places; with a thread count it matters who is among the first.
    Barriers(u64),
}

impl Location {
    /// This many bytes from this one.
    pub(super) fn bytes(self, count: u32) -> impl Iterator<Item = Location> {
        (0..u64::from(count)).map(move |byte| match self {
            Location::Global(address) => Location::Global(address.wrapping_add(byte)),
            Location::Shared(block, address) => Location::Shared(block, address.wrapping_add(byte)),
            Location::Barriers(block) => Location::Barriers(block),
        })
    }
}

/// What a turn did.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Step {
    /// What it touched, and whether it changed it.
    pub(super) touched: BTreeMap<Location, bool>,
    /// It changed something, or waited for others: no part of a loop that only looks.
    pub(super) acts: bool,
    /// Stands for everything that the thread executed: places and registers.
    pub(super) trace: u64,
}

impl Step {
    /// Notes an access.
    pub(super) fn touch(&mut self, location: Location, changes: bool) {
        *self.touched.entry(location).or_default() |= changes;
    }

    /// Whether the order of the two can matter: they touch something that one of them changes.
    pub(super) fn conflicts(&self, other: &Step) -> bool {
        let (few, many) =
            if self.touched.len() < other.touched.len() { (self, other) } else { (other, self) };
        few.touched.iter().any(|(location, changes)| {
            many.touched.get(location).is_some_and(|also| *changes || *also)
        })
    }
}
