//! Global memory: the bytes that neither host code nor a watched kernel has written.
//!
//! A launch that was not watched may have written anything, so memory that was there when one ran
//! counts as written.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::written::{Written, all};
use crate::lanes::{LANES, Mask, lanes_of};
use crate::observe::Unwritten;

/// The known state of global memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Global {
    /// What host code has not written, where every launch since was watched.
    unwritten: Arc<[Unwritten]>,
    /// What kernels have written of it.
    written: Written,
    /// Words of 8 bytes that a kernel has discarded, and none has written since.
    discarded: BTreeSet<u64>,
    /// The last launch watched.
    last: u64,
    /// The launches before the first of those watched without a gap.
    unwatched: u64,
}

impl Global {
    /// A launch begins, and host code has not written this.
    pub(super) fn begin(&mut self, number: u64, unwritten: &Arc<[Unwritten]>) {
        if number <= self.last {
            // Another device, or a copy of an earlier state.
            *self = Global::default();
        }
        if number != self.last + 1 {
            self.unwatched = number.saturating_sub(1);
        }
        self.last = number;
        let since = self.unwatched;
        let known = |range: &&Unwritten| range.launches >= since;
        self.unwritten = if unwritten.iter().all(|range| known(&range)) {
            Arc::clone(unwritten)
        } else {
            unwritten.iter().filter(known).copied().collect()
        };
    }

    /// Whether there is nothing that could be undefined.
    pub(super) fn is_defined(&self) -> bool {
        self.unwritten.is_empty() && self.discarded.is_empty()
    }

    /// Whether some lane may touch something unwritten.
    pub(super) fn may_miss(&self, addresses: &[u64; LANES], lanes: Mask) -> bool {
        if !self.discarded.is_empty() {
            return true;
        }
        let (Some(first), Some(last)) = (self.unwritten.first(), self.unwritten.last()) else {
            return false;
        };
        // No access has more bytes than this.
        let from = first.start.saturating_sub(63);
        let range = last.end.saturating_sub(from);
        let near = |address: &u64| address.wrapping_sub(from) < range;
        match lanes {
            // Without a branch for each lane.
            Mask::MAX => addresses.iter().fold(false, |any, address| any | near(address)),
            _ => lanes_of(lanes).any(|lane| near(&addresses[lane])),
        }
    }

    /// Which of `width` bytes were never written.
    pub(super) fn missing(&self, address: u64, width: u32) -> u8 {
        let end = address.saturating_add(width.into());
        let first = self.unwritten.partition_point(|range| range.end <= address);
        let ranges = self.unwritten[first..].iter().take_while(|range| range.start < end);
        let mut missing = 0;
        for range in ranges {
            let inside = |i: &u32| {
                let byte = address.wrapping_add(u64::from(*i));
                (range.start..range.end).contains(&byte)
            };
            missing |= (0..width).filter(inside).fold(0, |mask, i| mask | 1u8 << i);
        }
        let missing = if missing == 0 { 0 } else { missing & self.written.missing(address, width) };
        if self.discarded.contains(&(address & !7)) { all(width) } else { missing }
    }

    /// A kernel discards the word at an address.
    pub(super) fn discard(&mut self, address: u64) {
        self.discarded.insert(address & !7);
    }

    /// A kernel writes, except the bytes of `missing`.
    pub(super) fn write(&mut self, address: u64, width: u32, missing: u8) {
        self.discarded.remove(&(address & !7));
        if self.missing(address, width) != 0 {
            // What was written stays written: only padding is left out.
            let missing = missing & self.written.missing(address, width);
            self.written.write(address, width, missing);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: u64, end: u64, launches: u64) -> Unwritten {
        Unwritten { start, end, launches }
    }

    #[test]
    fn what_host_code_and_watched_kernels_left_out_is_missing() {
        let mut global = Global::default();
        global.begin(1, &[range(64, 72, 0), range(76, 80, 0)].into());
        assert_eq!(global.missing(64, 8), 0xff);
        assert_eq!(global.missing(72, 8), 0xf0);
        assert_eq!(global.missing(56, 8), 0);
        global.write(64, 4, 0);
        global.begin(2, &[range(64, 72, 0)].into());
        assert_eq!(global.missing(64, 8), 0xf0);
        assert_eq!(global.missing(76, 4), 0);
    }

    #[test]
    fn what_a_launch_that_nobody_watched_may_have_written_counts_as_written() {
        let mut global = Global::default();
        global.begin(1, &[range(64, 72, 0)].into());
        global.begin(3, &[range(64, 72, 0), range(128, 136, 2)].into());
        assert_eq!(global.missing(64, 8), 0);
        assert_eq!(global.missing(128, 8), 0xff);
        global.begin(4, &[range(64, 72, 0), range(128, 136, 2)].into());
        assert_eq!(global.missing(64, 8), 0);
        assert_eq!(global.missing(128, 8), 0xff);
    }

    #[test]
    fn the_first_launch_watched_knows_nothing_of_those_before() {
        let mut global = Global::default();
        global.begin(5, &[range(64, 72, 3), range(128, 136, 4)].into());
        assert_eq!(global.missing(64, 8), 0);
        assert_eq!(global.missing(128, 8), 0xff);
    }
}
