//! Memory at addresses that host code chooses: ranges of addresses that are reserved, and memory
//! that is mapped into them and taken out again with what it holds (CUDA driver API, "Virtual
//! Memory Management").
//!
//! What is mapped is an allocation by itself; two may stand side by side without a gap. An access
//! that begins in one and ends in the other is told as out of bounds. Those of single lanes are
//! aligned, and never do; a copy in bulk may, which hardware carries out.

use super::global::{Allocation, GlobalMemory};
use super::pages::{PAGE_BYTES, Pages};
use crate::lower::window;

impl GlobalMemory {
    /// Keeps addresses from being given to other memory: so many bytes from a multiple of
    /// `alignment` on, at least of 4096. With `at`, from there on, where nothing has been at or
    /// behind it. `None` where that cannot be.
    ///
    /// ```
    /// let mut memory = warpsim_engine::machine::GlobalMemory::default();
    /// let start = memory.reserve(1 << 30, 1 << 21, None).unwrap();
    /// assert!(start.is_multiple_of(1 << 21));
    /// assert_eq!(memory.reserve(4096, 1, Some(start + (1 << 30))), Some(start + (1 << 30)));
    /// assert_eq!(memory.reserve(4096, 1, Some(start)), None);
    /// assert!(memory.allocate(8, None) > start + (1 << 30));
    /// ```
    pub fn reserve(&mut self, bytes: u64, alignment: u64, at: Option<u64>) -> Option<u64> {
        let alignment = alignment.max(PAGE_BYTES as u64);
        let start = match at {
            Some(at) if at >= self.end().unwrap_or(at) && at.is_multiple_of(alignment) => at,
            Some(_) => return None,
            None => self.next_base().checked_next_multiple_of(alignment)?,
        };
        self.reserved = Some(start.checked_add(bytes)?);
        Some(start)
    }

    /// Puts memory at an address, a multiple of 4096. Whether it is free there, and of no other
    /// state space: where it is not, the memory is lost.
    ///
    /// ```
    /// use warpsim_engine::machine::{GlobalMemory, Pages};
    ///
    /// let mut memory = GlobalMemory::default();
    /// let start = memory.reserve(8192, 1, None).unwrap();
    /// assert!(memory.map(start + 4096, Pages::new(4096)) && memory.map(start, Pages::new(4096)));
    /// memory.find(start, 4).unwrap().pages.write(0, 4, 7);
    /// assert!(!memory.map(start, Pages::new(4096)));
    /// assert_eq!(memory.unmap(start).map(|pages| pages.read(0, 4)), Some(7));
    /// assert!(memory.find(start, 4).is_err() && memory.find(start + 4096, 4).is_ok());
    /// ```
    pub fn map(&mut self, base: u64, pages: Pages) -> bool {
        let bytes = pages.bytes();
        let above = self.allocations.partition_point(|a| a.base < base);
        let end = base.checked_add(bytes);
        let is_past_others = above
            .checked_sub(1)
            .and_then(|below| self.allocations.get(below))
            .is_none_or(|below| below.base + below.bytes <= base);
        let is_below_others =
            self.allocations.get(above).is_none_or(|next| end.is_some_and(|end| end <= next.base));
        let is_global = end.is_some_and(|end| !window::overlaps(base, end));
        let is_page = base.is_multiple_of(PAGE_BYTES as u64);
        if !is_past_others || !is_below_others || !is_page || !is_global {
            return false;
        }
        let allocation = Allocation { base, pages, bytes, freed: false, name: None, heap: false };
        self.allocations.insert(above, allocation);
        self.live_bytes += bytes;
        true
    }

    /// Takes out what was put at an address, with what it holds; `None` where nothing that is in
    /// use begins there. No trace of it is left.
    pub fn unmap(&mut self, base: u64) -> Option<Pages> {
        let index = self.allocations.binary_search_by_key(&base, |a| a.base).ok()?;
        if self.allocations.get(index)?.freed {
            return None;
        }
        let taken = self.allocations.remove(index);
        self.live_bytes -= taken.bytes;
        Some(taken.pages)
    }
}
