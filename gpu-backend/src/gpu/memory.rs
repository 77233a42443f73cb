//! The allocations, so that a wrong range is refused before the driver sees it.

use std::collections::BTreeMap;
use std::collections::btree_map::IntoIter;

use warpsim::host::{DeviceError, Pointer};

/// Live allocations, and those that were freed and not given out again: start and bytes.
#[derive(Debug, Default)]
pub(super) struct Allocations {
    live: BTreeMap<u64, u64>,
    freed: BTreeMap<u64, u64>,
}

impl Allocations {
    pub(super) fn insert(&mut self, start: u64, bytes: u64) {
        let end = start.saturating_add(bytes.max(1));
        self.freed.retain(|old, size| *old >= end || old.saturating_add(*size) <= start);
        self.live.insert(start, bytes);
    }

    /// Refuses bytes that do not lie in one live allocation.
    pub(super) fn find(&self, pointer: Pointer, bytes: u64) -> Result<(), DeviceError> {
        let address = pointer.0;
        if lies_in(&self.live, address, bytes) {
            Ok(())
        } else if lies_in(&self.freed, address, bytes) {
            Err(DeviceError::Freed { address, bytes })
        } else {
            Err(DeviceError::BadPointer { address, bytes })
        }
    }

    /// Where the live allocation begins that an address may lie in.
    pub(super) fn start_of(&self, pointer: Pointer) -> Option<u64> {
        self.live.range(..=pointer.0).next_back().map(|(start, _)| *start)
    }

    /// The size of the live allocation that begins here.
    pub(super) fn freeable(&self, pointer: Pointer) -> Result<u64, DeviceError> {
        let address = pointer.0;
        match (self.live.get(&address), self.freed.contains_key(&address)) {
            (Some(bytes), _) => Ok(*bytes),
            (None, true) => Err(DeviceError::Freed { address, bytes: 0 }),
            (None, false) => Err(DeviceError::BadPointer { address, bytes: 0 }),
        }
    }

    pub(super) fn freed(&mut self, pointer: Pointer) {
        if let Some(bytes) = self.live.remove(&pointer.0) {
            self.freed.insert(pointer.0, bytes);
        }
    }
}

impl IntoIterator for Allocations {
    type Item = (u64, u64);
    type IntoIter = IntoIter<u64, u64>;

    /// The live ones.
    fn into_iter(self) -> IntoIter<u64, u64> {
        self.live.into_iter()
    }
}

fn lies_in(allocations: &BTreeMap<u64, u64>, address: u64, bytes: u64) -> bool {
    let before = allocations.range(..=address).next_back();
    before.is_some_and(|(start, size)| {
        address.checked_add(bytes).is_some_and(|end| end <= start + size)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_of_one_live_allocation_are_found_and_no_others() {
        let mut allocations = Allocations::default();
        allocations.insert(1000, 100);
        allocations.insert(1100, 50);
        let find = |at, bytes| allocations.find(Pointer(at), bytes);
        assert_eq!(find(1000, 100), Ok(()));
        assert_eq!(find(1149, 1), Ok(()));
        assert_eq!(find(1150, 0), Ok(()));
        let bad = |address, bytes| Err(DeviceError::BadPointer { address, bytes });
        assert_eq!(find(1050, 51), bad(1050, 51), "two allocations that touch are two");
        assert_eq!(find(999, 1), bad(999, 1));
        assert_eq!(find(1150, 1), bad(1150, 1));
        assert_eq!(find(u64::MAX, 2), bad(u64::MAX, 2));
    }

    #[test]
    fn memory_that_was_freed_is_told_from_memory_that_never_was() {
        let mut allocations = Allocations::default();
        allocations.insert(1000, 100);
        assert_eq!(allocations.freeable(Pointer(1000)), Ok(100));
        assert_eq!(
            allocations.freeable(Pointer(1004)),
            Err(DeviceError::BadPointer { address: 1004, bytes: 0 })
        );
        allocations.freed(Pointer(1000));
        let freed = |bytes| Err(DeviceError::Freed { address: 1000, bytes });
        assert_eq!(allocations.find(Pointer(1000), 4), freed(4));
        assert_eq!(allocations.freeable(Pointer(1000)), freed(0).map(|()| 0));
        allocations.insert(992, 64);
        assert_eq!(allocations.find(Pointer(1000), 4), Ok(()), "it was given out again");
    }
}
