//! Global memory: separate allocations at stable addresses, with guard gaps between them.
//!
//! An address belongs to at most one allocation. Freed allocations are remembered, so an access to
//! one differs from an access to nothing.

use std::fmt;

use super::pages::{Copier, PAGE_BYTES, Pages};
use super::speculation::Speculation;
use crate::lower::window;

/// Bytes between allocations that belong to none. An index out of bounds by less than this is
/// caught.
const GUARD: u64 = 16 << 20;

/// Bytes of the heap of kernels (the default of `cudaLimitMallocHeapSize`).
const HEAP: u64 = 8 << 20;

/// The heap is allocated in units of this many bytes.
const HEAP_UNIT: u64 = 16;

/// A piece of global memory.
#[derive(Debug, PartialEq)]
pub struct Allocation {
    /// The first address; a multiple of the page size.
    pub base: u64,
    /// Its contents; emptied when it is freed.
    pub pages: Pages,
    /// Its size in bytes.
    pub bytes: u64,
    /// It was freed.
    pub freed: bool,
    /// Its name in messages, when it is a module's variable.
    pub name: Option<String>,
    /// A kernel took it from the device's heap.
    pub heap: bool,
}

/// Why an access to memory failed.
#[derive(Clone, Debug, PartialEq)]
pub enum MemoryFault {
    /// The address is not a multiple of the access's size.
    Misaligned {
        /// What it must be a multiple of.
        alignment: u32,
    },
    /// The bytes lie in no allocation, or not wholly in one.
    OutOfBounds {
        /// The nearest object, when one is near.
        near: Option<Near>,
    },
    /// A write to memory that kernels can only read: constants and their parameters.
    ReadOnly,
    /// An atomic operation on a vector outside global memory, which alone allows it.
    VectorAtomic,
    /// The allocation was freed.
    Freed {
        /// The allocation.
        near: Near,
    },
}

/// An object that an access missed.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// Where it begins.
    pub base: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its name, when it has one.
    pub name: Option<String>,
}

impl Near {
    /// How an access at an address misses the object, in words that its name follows.
    pub fn missed_by(&self, address: u64) -> String {
        let end = self.base.saturating_add(self.bytes);
        if address < self.base {
            format!("{} bytes before the start of", self.base - address)
        } else if address == end {
            "just past the end of".to_owned()
        } else if address > end {
            format!("{} bytes past the end of", address - end)
        } else {
            "across the end of".to_owned()
        }
    }
}

/// The global memory of a device.
#[derive(Debug, Default, PartialEq)]
pub struct GlobalMemory {
    /// Where the first allocation begins, when it was given: [`GlobalMemory::beginning_at`].
    start: Option<u64>,
    pub(super) allocations: Vec<Allocation>,
    pub(super) last: usize,
    pub(super) live_bytes: u64,
    /// The end of the addresses that are kept from other memory: [`GlobalMemory::reserve`].
    pub(super) reserved: Option<u64>,
    /// Bytes that kernels have taken from the heap and not given back.
    heap_bytes: u64,
    /// The marks of blocks that run ahead of their turn, when the memory is theirs.
    pub(super) speculation: Option<Box<Speculation>>,
}

impl GlobalMemory {
    /// Memory without allocations. The first one will begin at this address, rounded up to 4096. It
    /// serves host code whose own pointers must not look like device pointers.
    ///
    /// ```
    /// let mut memory = warpsim_engine::machine::GlobalMemory::beginning_at(1 << 45);
    /// assert_eq!(memory.allocate(8, None), 1 << 45);
    /// assert_eq!(memory.snapshot(), memory);
    /// ```
    pub fn beginning_at(address: u64) -> GlobalMemory {
        let start = Some(address.next_multiple_of(PAGE_BYTES as u64));
        GlobalMemory { start, ..GlobalMemory::default() }
    }

    /// Bytes of all live allocations.
    pub fn live_bytes(&self) -> u64 {
        self.live_bytes
    }

    /// All allocations, including freed ones, in ascending order of address.
    pub fn allocations(&self) -> &[Allocation] {
        &self.allocations
    }

    /// Reserves zeroed memory and gives its address, a multiple of 4096.
    pub fn allocate(&mut self, bytes: u64, name: Option<String>) -> u64 {
        let base = self.next_base();
        self.allocations.push(Allocation {
            base,
            pages: Pages::new(bytes),
            bytes,
            freed: false,
            name,
            heap: false,
        });
        self.live_bytes += bytes;
        base
    }

    /// One past the last address that is or was in use; `None` if there was none.
    pub(super) fn end(&self) -> Option<u64> {
        self.allocations.last().map(|last| last.base + last.bytes).max(self.reserved)
    }

    /// The first address of the next allocation.
    pub fn next_base(&self) -> u64 {
        match self.end() {
            None => self.start.unwrap_or(window::GLOBAL),
            Some(end) => (end + GUARD).next_multiple_of(GUARD),
        }
    }

    /// Allocates memory of the device's heap for a kernel; 0 where the heap has too little left.
    /// Zero bytes have an address, too (as measured on an H200).
    pub(in crate::machine) fn allocate_on_heap(&mut self, bytes: u64) -> u64 {
        let taken = bytes.max(1).checked_next_multiple_of(HEAP_UNIT);
        let Some(taken) = taken.filter(|n| *n <= HEAP - self.heap_bytes) else { return 0 };
        self.heap_bytes += taken;
        let base = self.allocate(bytes, None);
        if let Some(allocation) = self.allocations.last_mut() {
            allocation.heap = true;
        }
        base
    }

    /// Gives memory of the heap back. Returns whether `base` was the start of memory in use.
    pub(in crate::machine) fn free_on_heap(&mut self, base: u64) -> bool {
        let index = self.at_or_below(base);
        let found = index.map(|index| &self.allocations[index]);
        let Some(bytes) = found.filter(|a| a.heap && a.base == base).map(|a| a.bytes) else {
            return false;
        };
        let was_live = self.free(base);
        if was_live {
            self.heap_bytes -= bytes.max(1).next_multiple_of(HEAP_UNIT);
        }
        was_live
    }

    /// The memory that kernels have taken from the heap and not given back.
    pub fn on_heap(&self) -> impl Iterator<Item = &Allocation> {
        self.allocations.iter().filter(|allocation| allocation.heap && !allocation.freed)
    }

    /// Names the allocation at `base` in messages.
    pub fn rename(&mut self, base: u64, name: &str) {
        if let Some(allocation) = self.allocations.iter_mut().rfind(|a| a.base == base) {
            allocation.name = Some(name.to_owned());
        }
    }

    /// Gives memory back. Returns whether `base` was the start of a live allocation.
    pub fn free(&mut self, base: u64) -> bool {
        let found = self.allocations.binary_search_by_key(&base, |a| a.base);
        let found = found.ok().map(|index| &mut self.allocations[index]).filter(|a| !a.freed);
        let Some(allocation) = found else { return false };
        allocation.freed = true;
        allocation.pages = Pages::new(0);
        self.live_bytes -= allocation.bytes;
        true
    }

    /// A copy that shares all pages with this one.
    pub fn snapshot(&mut self) -> GlobalMemory {
        self.copied(Pages::snapshot)
    }

    /// A copy. `copy` copies its pages.
    pub(in crate::machine) fn copied(&mut self, copy: Copier) -> GlobalMemory {
        let copy = |a: &mut Allocation| Allocation {
            base: a.base,
            pages: copy(&mut a.pages),
            bytes: a.bytes,
            freed: a.freed,
            name: a.name.clone(),
            heap: a.heap,
        };
        GlobalMemory {
            start: self.start,
            allocations: self.allocations.iter_mut().map(copy).collect(),
            last: self.last,
            live_bytes: self.live_bytes,
            reserved: self.reserved,
            heap_bytes: self.heap_bytes,
            speculation: self.speculation.clone(),
        }
    }

    /// The allocation at or below an address.
    pub(super) fn at_or_below(&self, address: u64) -> Option<usize> {
        let covers = |a: &Allocation| address.wrapping_sub(a.base) < a.bytes;
        if self.allocations.get(self.last).is_some_and(covers) {
            return Some(self.last);
        }
        self.allocations.partition_point(|a| a.base <= address).checked_sub(1)
    }

    /// The bounds of the live allocation around an address, and its number.
    #[inline]
    pub(in crate::machine) fn around(&mut self, address: u64) -> Option<(u64, u64, usize)> {
        let index = self.at_or_below(address)?;
        let allocation = &self.allocations[index];
        let holds = allocation.holds(address, 1);
        self.last = index;
        holds.then_some((allocation.base, allocation.base + allocation.bytes, index))
    }

    /// The memory of an allocation.
    #[inline]
    pub(in crate::machine) fn pages(&self, allocation: usize) -> &Pages {
        &self.allocations[allocation].pages
    }

    /// The memory of an allocation, to write to.
    #[inline]
    pub(in crate::machine) fn pages_mut(&mut self, allocation: usize) -> &mut Pages {
        &mut self.allocations[allocation].pages
    }

    /// The live allocation that holds `bytes` bytes from `address`.
    ///
    /// # Errors
    /// Why there is none.
    #[inline]
    pub fn find(&mut self, address: u64, bytes: u64) -> Result<&mut Allocation, MemoryFault> {
        match self.at_or_below(address) {
            Some(index) if self.allocations[index].holds(address, bytes) => {
                self.last = index;
                Ok(&mut self.allocations[index])
            }
            below => Err(self.fault(address, below)),
        }
    }

    /// The same without write access.
    ///
    /// # Errors
    /// Why there is none.
    pub fn find_ref(&self, address: u64, bytes: u64) -> Result<&Allocation, MemoryFault> {
        match self.at_or_below(address) {
            Some(index) if self.allocations[index].holds(address, bytes) => {
                Ok(&self.allocations[index])
            }
            below => Err(self.fault(address, below)),
        }
    }

    /// The fault of an invalid address, given the allocation below it.
    fn fault(&self, address: u64, below: Option<usize>) -> MemoryFault {
        let near = |a: &Allocation| Near { base: a.base, bytes: a.bytes, name: a.name.clone() };
        if let Some(a) = below.map(|i| &self.allocations[i])
            && a.freed
            && address - a.base < a.bytes
        {
            return MemoryFault::Freed { near: near(a) };
        }
        let above = below.map_or(0, |i| i + 1);
        let candidates = below.into_iter().chain([above]).filter_map(|i| self.allocations.get(i));
        let nearest = candidates
            .map(|a| (address.abs_diff(a.base).min(address.abs_diff(a.base + a.bytes)), a))
            .filter(|(distance, a)| *distance < GUARD && !a.freed)
            .min_by_key(|(distance, _)| *distance);
        MemoryFault::OutOfBounds { near: nearest.map(|(_, a)| near(a)) }
    }
}

impl Allocation {
    #[inline]
    fn holds(&self, address: u64, bytes: u64) -> bool {
        let offset = address.wrapping_sub(self.base);
        !self.freed && offset <= self.bytes && bytes <= self.bytes - offset
    }
}

impl fmt::Display for MemoryFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MemoryFault::Misaligned { alignment } => {
                write!(f, "the address is not a multiple of {alignment}")
            }
            MemoryFault::OutOfBounds { .. } => f.write_str("the address belongs to no allocation"),
            MemoryFault::ReadOnly => f.write_str("kernels can only read this memory"),
            MemoryFault::VectorAtomic => {
                f.write_str("atomic operations on vectors exist only for global memory")
            }
            MemoryFault::Freed { .. } => f.write_str("the allocation was freed"),
        }
    }
}

const _: () = assert!(GUARD.is_multiple_of(PAGE_BYTES as u64));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_past_the_end_names_the_allocation_it_missed() {
        let mut memory = GlobalMemory::default();
        let a = memory.allocate(100, Some("first".into()));
        let b = memory.allocate(8, None);
        assert!(b > a + 100 && b.is_multiple_of(4096));
        assert!(memory.find(a + 96, 4).is_ok());
        for (address, bytes, base) in [(a + 97, 4, a), (a + 100, 1, a), (b - 1, 1, b)] {
            let fault = memory.find(address, bytes).err();
            let Some(MemoryFault::OutOfBounds { near: Some(near) }) = fault else {
                panic!("{address:#x}: {fault:?}")
            };
            assert_eq!(near.base, base);
        }
        assert_eq!(memory.find(16, 4).err(), Some(MemoryFault::OutOfBounds { near: None }));
        assert!(memory.find(u64::MAX, 8).is_err());
    }

    #[test]
    fn freed_memory_is_told_from_no_memory() {
        let mut memory = GlobalMemory::default();
        let a = memory.allocate(100, None);
        assert!(memory.free(a) && !memory.free(a) && !memory.free(a + 1));
        assert!(matches!(memory.find(a + 4, 4), Err(MemoryFault::Freed { .. })));
        assert_eq!(memory.live_bytes(), 0);
    }
}
