//! Memory at addresses that host code chooses. Host code reserves ranges of addresses, maps memory
//! into them, and unmaps it with its contents (CUDA driver API, "Virtual Memory Management").
//!
//! Mapped memory is a separate allocation; two may lie side by side without a gap. An access that
//! begins in one and ends in the other is reported as out of bounds. Accesses of single lanes are
//! aligned and never do that. A copy in bulk may, and hardware carries it out.

use super::global::{Allocation, GlobalMemory};
use super::pages::{PAGE_BYTES, Pages};
use crate::lower::window;

impl GlobalMemory {
    /// Reserves addresses, so that other memory does not get them: this many bytes from a multiple
    /// of `alignment` on, at least of 4096. With `at`, they begin there, provided that nothing has
    /// been at or behind it. `None` if that is impossible.
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

    /// Maps memory at an address, a multiple of 4096. Returns whether the range is free and belongs
    /// to no other state space. If not, the memory is dropped.
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

    /// Unmaps the memory at an address and returns it with its contents; `None` if no memory in use
    /// begins there. No trace of it is left.
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
