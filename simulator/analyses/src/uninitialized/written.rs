//! Which bytes of a memory have been written: a bit for each. Pages exist from the first write to
//! them, and copies share them.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::origin::OriginId;
use super::registers::Doubt;

/// Bytes of a page.
const PAGE: u64 = 4096;

/// The bits of a page.
type Page = [u64; (PAGE / 64) as usize];

/// The bytes that have been written.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    pages: HashMap<u64, Arc<Page>, FxBuildHasher>,
}

/// The lowest `width` bits, for at most 8 bytes.
pub(super) fn all(width: u32) -> u8 {
    u8::MAX >> (8 - width.clamp(1, 8))
}

impl Written {
    /// Which of `width` bytes have not been written: bit i is byte i. The address is a multiple of
    /// the width, which is at most 8.
    pub(super) fn missing(&self, address: u64, width: u32) -> u8 {
        let Some(page) = self.pages.get(&(address / PAGE)) else { return all(width) };
        let word = page[(address % PAGE / 64) as usize];
        !(word >> (address % 64)) as u8 & all(width)
    }

    /// Notes that `width` bytes have been written. The bytes of `missing` now hold no defined
    /// value.
    pub(super) fn write(&mut self, address: u64, width: u32, missing: u8) {
        let page = self.pages.entry(address / PAGE);
        let page = page.or_insert_with(|| Arc::new([0; (PAGE / 64) as usize]));
        let (at, shift) = ((address % PAGE / 64) as usize, address % 64);
        let bits = u64::from(all(width)) << shift;
        let value = page[at] & !bits | u64::from(!missing & all(width)) << shift;
        if page[at] != value {
            Arc::make_mut(page)[at] = value;
        }
    }

    /// Forgets what was written from `start` to `end`.
    pub(super) fn forget(&mut self, start: u64, end: u64) {
        let mut at = start;
        while at < end {
            let last = end.min((at / 64 + 1) * 64);
            if let Some(page) = self.pages.get_mut(&(at / PAGE)) {
                let bits = u64::MAX >> (64 - (last - at)) << (at % 64);
                Arc::make_mut(page)[(at % PAGE / 64) as usize] &= !bits;
            }
            at = last;
        }
    }
}

/// A memory whose bytes are undefined until they are written, and values in it that were computed
/// from undefined ones.
#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    written: Written,
    /// Where a doubtful byte came from that has been computed with.
    origins: HashMap<u64, OriginId, FxBuildHasher>,
}

impl Cells {
    /// The undefined bytes of a cell, and where they came from if they have been computed with.
    pub(super) fn read(&self, address: u64, width: u32) -> (u8, Option<OriginId>) {
        let missing = self.written.missing(address, width);
        if missing == 0 || self.origins.is_empty() {
            return (missing, None);
        }
        let bytes = (0..u64::from(width)).filter(|i| missing >> i & 1 == 1);
        (missing, bytes.filter_map(|i| self.origins.get(&(address + i)).copied()).next())
    }

    /// Writes a value. `computed`: the undefined bytes of it have been computed with.
    pub(super) fn write(&mut self, address: u64, width: u32, value: Doubt, computed: bool) {
        let missing = value.missing(width);
        self.written.write(address, width, missing);
        if !computed && self.origins.is_empty() {
            return;
        }
        for i in 0..u64::from(width) {
            if computed && missing >> i & 1 == 1 {
                self.origins.insert(address + i, value.origin);
            } else {
                self.origins.remove(&(address + i));
            }
        }
    }

    /// What was there is gone, from `start` to `end`.
    pub(super) fn forget(&mut self, start: u64, end: u64) {
        self.written.forget(start, end);
        if !self.origins.is_empty() {
            self.origins.retain(|address, _| !(start..end).contains(address));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_missing_until_it_is_written() {
        let mut memory = Written::default();
        assert_eq!(memory.missing(4096, 8), 0xff);
        memory.write(4098, 2, 0);
        assert_eq!(memory.missing(4096, 8), 0b1111_0011);
        assert_eq!(memory.missing(4098, 2), 0);
        memory.write(4096, 8, 0b1000_0000);
        assert_eq!(memory.missing(4096, 8), 0b1000_0000);
        memory.write(4096, 4, 0b0001);
        assert_eq!(memory.missing(4096, 4), 0b0001);
    }

    #[test]
    fn forgetting_takes_exactly_the_range() {
        let mut memory = Written::default();
        (0..32).for_each(|i| memory.write(i * 8, 8, 0));
        memory.forget(3, 131);
        assert_eq!(memory.missing(0, 8), 0b1111_1000);
        assert_eq!(memory.missing(64, 8), 0xff);
        assert_eq!(memory.missing(128, 8), 0b0000_0111);
        assert_eq!(memory.missing(136, 8), 0);
    }

    #[test]
    fn a_copy_does_not_see_what_is_written_later() {
        let mut memory = Written::default();
        memory.write(0, 4, 0);
        let copy = memory.clone();
        memory.write(4, 4, 0);
        assert_eq!((memory.missing(0, 8), copy.missing(0, 8)), (0, 0xf0));
    }
}
