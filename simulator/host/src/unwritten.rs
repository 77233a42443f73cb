//! Which bytes of global memory host code has never written, for observers of their use.
//!
//! They are kept as ranges, a handful an allocation, so the cost is negligible without an observer.
//! Writes of kernels are not in it: an observer sees them itself.

use std::collections::BTreeMap;

use crate::observe::Unwritten;

/// The ranges, by their first address; they do not overlap.
#[derive(Clone, Debug, Default)]
pub(super) struct UnwrittenMemory {
    ranges: BTreeMap<u64, Unwritten>,
}

impl UnwrittenMemory {
    /// Notes a fresh allocation, made after this many launches.
    pub(super) fn allocated(&mut self, start: u64, bytes: u64, launches: u64) {
        if bytes > 0 {
            let range = Unwritten { start, end: start.saturating_add(bytes), launches };
            self.ranges.insert(start, range);
        }
    }

    /// Notes that bytes have been written, or are gone.
    pub(super) fn written(&mut self, start: u64, bytes: u64) {
        if bytes == 0 {
            return;
        }
        let end = start.saturating_add(bytes);
        let overlapping = self.ranges.range(..end).rev().take_while(|(_, r)| r.end > start);
        let overlapping: Vec<Unwritten> = overlapping.map(|(_, range)| *range).collect();
        for range in overlapping {
            self.ranges.remove(&range.start);
            if range.start < start {
                self.ranges.insert(range.start, Unwritten { end: start, ..range });
            }
            if range.end > end {
                self.ranges.insert(end, Unwritten { start: end, ..range });
            }
        }
    }

    /// All ranges, in ascending order.
    pub(super) fn ranges(&self) -> Vec<Unwritten> {
        self.ranges.values().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(writes: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let mut memory = UnwrittenMemory::default();
        memory.allocated(100, 100, 0);
        memory.allocated(300, 10, 2);
        writes.iter().for_each(|(start, bytes)| memory.written(*start, *bytes));
        memory.ranges().iter().map(|r| (r.start, r.end)).collect()
    }

    #[test]
    fn writing_takes_the_bytes_out_and_leaves_those_around_them() {
        assert_eq!(left(&[]), [(100, 200), (300, 310)]);
        assert_eq!(left(&[(100, 100)]), [(300, 310)]);
        assert_eq!(left(&[(120, 10)]), [(100, 120), (130, 200), (300, 310)]);
        assert_eq!(left(&[(100, 1), (199, 1)]), [(101, 199), (300, 310)]);
        assert_eq!(left(&[(110, 10), (130, 10), (105, 50)]), [(100, 105), (155, 200), (300, 310)]);
        assert_eq!(left(&[(200, 100)]), [(100, 200), (300, 310)]);
        assert_eq!(left(&[(150, 0)]), [(100, 200), (300, 310)]);
    }

    #[test]
    fn an_allocation_without_bytes_has_none_that_are_unwritten() {
        let mut memory = UnwrittenMemory::default();
        memory.allocated(64, 0, 0);
        assert_eq!(memory.ranges(), []);
    }
}
