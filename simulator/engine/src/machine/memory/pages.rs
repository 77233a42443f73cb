//! A byte-addressed memory: flat, until a snapshot is taken of it; then in copy-on-write pages of 4
//! KiB.
//!
//! A memory begins as one zeroed vector, and any range of it is a slice. The system provides the
//! vector page by page when it is touched. A snapshot turns the vector into a *base* that both
//! memories share. Each memory gets a page table over the base, which copies no bytes. The first
//! write to a shared page copies it. The memory becomes flat again when no other memory has the
//! base. A memory of at most one page is copied, not shared. A memory too large for one piece
//! begins as a page table without pages. Numbers are little-endian.

use std::sync::Arc;

/// Bytes of a page.
pub const PAGE_BYTES: usize = 4096;

const PAGE: u64 = PAGE_BYTES as u64;

/// The most bytes of one vector. Systems refuse a piece larger than their whole memory, even if
/// little of it will be touched. With page tables an access takes four times as long.
const MOST_FLAT: u64 = 1 << 30;

static ZERO: [u8; PAGE_BYTES] = [0; PAGE_BYTES];

/// Bytes that several memories share. The box lets a page become shared, and owned again, in place.
type SharedPage = Arc<Box<[u8]>>;

#[derive(Debug)]
enum Page {
    /// All zero.
    Zero,
    /// As in the base.
    Base,
    /// In this memory alone.
    Owned(Box<[u8]>),
    /// In several memories.
    Shared(SharedPage),
}

impl Page {
    /// The same page, from now on shared.
    fn share(&mut self) -> Page {
        let shared = match self {
            Page::Zero => return Page::Zero,
            Page::Base => return Page::Base,
            Page::Owned(bytes) => Arc::new(std::mem::take(bytes)),
            Page::Shared(bytes) => Arc::clone(bytes),
        };
        *self = Page::Shared(Arc::clone(&shared));
        Page::Shared(shared)
    }
}

/// Pages over a base.
#[derive(Debug)]
struct Paged {
    /// The target of [`Page::Base`]; empty when no page uses it.
    base: Arc<Vec<u8>>,
    pages: Vec<Page>,
    bytes: usize,
}

impl Paged {
    fn over(base: Vec<u8>) -> Paged {
        let (bytes, count) = (base.len(), base.len().div_ceil(PAGE_BYTES));
        let pages = std::iter::repeat_with(|| Page::Base).take(count).collect();
        Paged { base: Arc::new(base), pages, bytes }
    }

    /// The bytes of a page: fewer than [`PAGE_BYTES`] in the last, none beyond the end.
    fn page(&self, index: usize) -> &[u8] {
        let start = index.saturating_mul(PAGE_BYTES).min(self.bytes);
        let length = (self.bytes - start).min(PAGE_BYTES);
        match self.pages.get(index) {
            None => &[],
            Some(Page::Zero) => &ZERO[..length],
            Some(Page::Base) => &self.base[start..start + length],
            Some(Page::Owned(bytes)) => bytes,
            Some(Page::Shared(bytes)) => bytes,
        }
    }

    fn span(&self, offset: u64, length: usize) -> Option<&[u8]> {
        let (index, start) = ((offset / PAGE) as usize, (offset % PAGE) as usize);
        if start + length <= PAGE_BYTES {
            return self.page(index).get(start..start + length);
        }
        // Over several pages it is one piece only in the base.
        let last = (offset.checked_add(length as u64 - 1)? / PAGE) as usize;
        let pages = self.pages.get(index..=last)?;
        let offset = offset as usize;
        let whole = pages.iter().all(|page| matches!(page, Page::Base));
        whole.then(|| self.base.get(offset..offset + length)).flatten()
    }

    /// Gives the memory its own page in place of a shared one. Returns the whole memory instead, if
    /// no other memory has the base.
    #[cold]
    fn own(&mut self, index: usize) -> Option<Vec<u8>> {
        if !self.base.is_empty()
            && let Some(base) = Arc::get_mut(&mut self.base)
        {
            let mut flat = std::mem::take(base);
            for (page, into) in self.pages.iter().zip(flat.chunks_mut(PAGE_BYTES)) {
                // Its own page is a copy of `page`, and so has as many bytes as its piece.
                match page {
                    Page::Base => {}
                    Page::Zero => into.fill(0),
                    Page::Owned(bytes) => into.copy_from_slice(bytes),
                    Page::Shared(bytes) => into.copy_from_slice(bytes),
                }
            }
            return Some(flat);
        }
        let copy = match self.pages.get_mut(index) {
            None | Some(Page::Owned(_)) => return None,
            Some(Page::Shared(bytes)) => match Arc::get_mut(bytes) {
                Some(bytes) => std::mem::take(bytes),
                None => bytes.as_ref().clone(),
            },
            Some(Page::Zero | Page::Base) => self.page(index).into(),
        };
        self.pages[index] = Page::Owned(copy);
        None
    }

    fn snapshot(&mut self) -> Paged {
        Paged {
            base: Arc::clone(&self.base),
            pages: self.pages.iter_mut().map(Page::share).collect(),
            bytes: self.bytes,
        }
    }
}

#[derive(Debug)]
enum Store {
    Flat(Vec<u8>),
    Paged(Paged),
}

/// A memory of a fixed number of bytes, zero at first.
#[derive(Debug)]
pub struct Pages {
    store: Store,
}

/// How a copy of a launch's memory is made: [`Pages::snapshot`] or [`Pages::duplicate`].
pub type Copier = fn(&mut Pages) -> Pages;

impl Default for Pages {
    fn default() -> Pages {
        Pages { store: Store::Flat(Vec::new()) }
    }
}

impl Pages {
    /// A memory of this many zero bytes.
    pub fn new(bytes: u64) -> Pages {
        if bytes <= MOST_FLAT {
            return Pages { store: Store::Flat(vec![0; bytes as usize]) };
        }
        let bytes = bytes as usize;
        let pages = std::iter::repeat_with(|| Page::Zero).take(bytes.div_ceil(PAGE_BYTES));
        Pages { store: Store::Paged(Paged { base: Arc::default(), pages: pages.collect(), bytes }) }
    }

    /// A memory of zero bytes that reuses a spare memory of that size, if there is one.
    pub(in crate::machine) fn zeroed(bytes: u64, spare: Option<Pages>) -> Pages {
        match spare {
            Some(Pages { store: Store::Flat(mut flat) }) if flat.len() as u64 == bytes => {
                flat.fill(0);
                Pages { store: Store::Flat(flat) }
            }
            Some(_) | None => Pages::new(bytes),
        }
    }

    /// Its size in bytes.
    #[inline]
    pub fn bytes(&self) -> u64 {
        match &self.store {
            Store::Flat(bytes) => bytes.len() as u64,
            Store::Paged(paged) => paged.bytes as u64,
        }
    }

    /// Enlarges the memory; the new bytes are zero.
    pub fn grow(&mut self, bytes: u64) {
        if bytes <= self.bytes() {
            return;
        }
        let mut larger = Pages::new(bytes);
        for index in 0..self.page_count() {
            larger.write_bytes(index as u64 * PAGE, self.page(index));
        }
        *self = larger;
    }

    fn page_count(&self) -> usize {
        self.bytes().div_ceil(PAGE) as usize
    }

    /// The bytes of a page: fewer than [`PAGE_BYTES`] in the last, none beyond the end.
    fn page(&self, index: usize) -> &[u8] {
        match &self.store {
            Store::Flat(bytes) => {
                let start = index.saturating_mul(PAGE_BYTES).min(bytes.len());
                &bytes[start..(start + PAGE_BYTES).min(bytes.len())]
            }
            Store::Paged(paged) => paged.page(index),
        }
    }

    /// A copy that shares all pages with this one until either is written. It costs a page table
    /// and no bytes; at most one page is copied.
    pub fn snapshot(&mut self) -> Pages {
        let store = match &mut self.store {
            Store::Flat(bytes) if bytes.len() <= PAGE_BYTES => Store::Flat(bytes.clone()),
            Store::Flat(bytes) => {
                let mut paged = Paged::over(std::mem::take(bytes));
                let copy = paged.snapshot();
                self.store = Store::Paged(paged);
                Store::Paged(copy)
            }
            Store::Paged(paged) => Store::Paged(paged.snapshot()),
        };
        Pages { store }
    }

    /// A copy that shares nothing with this memory, which stays as it is. It costs all bytes. For
    /// memory that is too large for one piece it is a snapshot.
    pub fn duplicate(&mut self) -> Pages {
        match &self.store {
            Store::Flat(bytes) => Pages { store: Store::Flat(bytes.clone()) },
            Store::Paged(paged) if paged.bytes as u64 <= MOST_FLAT => {
                let mut bytes = vec![0; paged.bytes];
                self.read_bytes(0, &mut bytes);
                Pages { store: Store::Flat(bytes) }
            }
            Store::Paged(_) => self.snapshot(),
        }
    }

    /// How many pages the two share.
    pub fn common_pages(&self, other: &Pages) -> usize {
        (0..self.page_count()).filter(|index| self.is_common(other, *index)).count()
    }

    /// Whether both share a page, which then needs no comparison.
    fn is_common(&self, other: &Pages, index: usize) -> bool {
        let (Store::Paged(a), Store::Paged(b)) = (&self.store, &other.store) else { return false };
        match (a.pages.get(index), b.pages.get(index)) {
            (Some(Page::Base), Some(Page::Base)) => Arc::ptr_eq(&a.base, &b.base),
            (Some(Page::Shared(a)), Some(Page::Shared(b))) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }

    /// The whole memory as one piece, if it is flat.
    #[inline]
    pub(in crate::machine) fn flat(&self) -> Option<&[u8]> {
        match &self.store {
            Store::Flat(bytes) => Some(bytes),
            Store::Paged(_) => None,
        }
    }

    /// The same, to write to.
    #[inline]
    pub(in crate::machine) fn flat_mut(&mut self) -> Option<&mut [u8]> {
        match &mut self.store {
            Store::Flat(bytes) => Some(bytes),
            Store::Paged(_) => None,
        }
    }

    /// Some bytes, if they are present in one piece.
    #[inline]
    pub(in crate::machine) fn span(&self, offset: u64, length: usize) -> Option<&[u8]> {
        match &self.store {
            Store::Flat(bytes) => {
                bytes.get(offset as usize..(offset as usize).wrapping_add(length))
            }
            Store::Paged(paged) => paged.span(offset, length),
        }
    }

    /// The same, to write to.
    #[inline]
    pub(in crate::machine) fn span_mut(&mut self, offset: u64, length: usize) -> Option<&mut [u8]> {
        let (index, start) = ((offset / PAGE) as usize, (offset % PAGE) as usize);
        if let Store::Paged(paged) = &mut self.store
            && !matches!(paged.pages.get(index), Some(Page::Owned(_)))
            && start + length <= PAGE_BYTES
            && let Some(flat) = paged.own(index)
        {
            self.store = Store::Flat(flat);
        }
        match &mut self.store {
            Store::Flat(bytes) => {
                bytes.get_mut(offset as usize..(offset as usize).wrapping_add(length))
            }
            Store::Paged(paged) => match paged.pages.get_mut(index) {
                Some(Page::Owned(bytes)) => bytes.get_mut(start..start + length),
                Some(Page::Zero | Page::Base | Page::Shared(_)) | None => None,
            },
        }
    }

    /// Reads an aligned element of 1, 2, 4 or 8 bytes, zero-extended.
    #[inline]
    pub fn read(&self, offset: u64, width: u32) -> u64 {
        let mut value = [0; 8];
        // Lowering gives no element more than 8 bytes: wider ones are accessed in pieces.
        self.read_bytes(offset, &mut value[..width as usize]);
        u64::from_le_bytes(value)
    }

    /// Writes an aligned element of 1, 2, 4 or 8 bytes. Writes beyond the end are dropped.
    #[inline]
    pub fn write(&mut self, offset: u64, width: u32, value: u64) {
        // As of a read: no element has more than 8 bytes.
        self.write_bytes(offset, &value.to_le_bytes()[..width as usize]);
    }

    /// Copies bytes out; bytes beyond the end read as zero.
    pub fn read_bytes(&self, mut offset: u64, mut into: &mut [u8]) {
        if let Some(bytes) = self.span(offset, into.len()) {
            into.copy_from_slice(bytes);
            return;
        }
        while !into.is_empty() {
            let start = (offset % PAGE) as usize;
            let (now, later) = into.split_at_mut(into.len().min(PAGE_BYTES - start));
            let page =
                self.page((offset / PAGE) as usize).get(start..).map_or(&[][..], |rest| rest);
            let (there, beyond) = now.split_at_mut(now.len().min(page.len()));
            there.copy_from_slice(&page[..there.len()]);
            beyond.fill(0);
            offset += now.len() as u64;
            into = later;
        }
    }

    /// Copies bytes in; bytes beyond the end are dropped.
    pub fn write_bytes(&mut self, mut offset: u64, bytes: &[u8]) {
        let there = self.bytes().saturating_sub(offset).min(bytes.len() as u64);
        // At most all of them: `there` is the smaller number.
        let mut bytes = &bytes[..there as usize];
        if bytes.is_empty() {
            return;
        }
        if let Some(flat) = self.flat_mut() {
            // Within the memory: the part beyond its end was cut off above.
            flat[offset as usize..][..bytes.len()].copy_from_slice(bytes);
            return;
        }
        while !bytes.is_empty() {
            let start = (offset % PAGE) as usize;
            let (now, later) = bytes.split_at(bytes.len().min(PAGE_BYTES - start));
            if let Some(into) = self.span_mut(offset, now.len()) {
                into.copy_from_slice(now);
            }
            offset += now.len() as u64;
            bytes = later;
        }
    }
}

/// Two memories are equal when they hold the same bytes. Shared pages compare by identity first.
impl PartialEq for Pages {
    fn eq(&self, other: &Pages) -> bool {
        self.bytes() == other.bytes()
            && (0..self.page_count())
                .all(|i| self.is_common(other, i) || self.page(i) == other.page(i))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_keeps_what_was_there_and_the_original_goes_on() {
        let mut memory = Pages::new(10_000);
        memory.write(4096, 4, 0xdead_beef);
        let mut before = memory.snapshot();
        memory.write(4096, 2, 0x1234);
        assert_eq!((before.read(4096, 4), memory.read(4096, 4)), (0xdead_beef, 0xdead_1234));
        assert_ne!(before, memory);
        before.write(4096, 2, 0x1234);
        assert_eq!(before, memory);
    }

    #[test]
    fn a_snapshot_copies_no_page_and_the_last_owner_of_one_does_not_either() {
        let mut memory = Pages::new(3 * 4096);
        memory.write(0, 4, 1);
        memory.write(4096, 4, 2);
        let at = |memory: &Pages, page| std::ptr::from_ref(memory.page(page));
        let places = [at(&memory, 0), at(&memory, 1)];
        let copy = memory.snapshot();
        assert_eq!([at(&memory, 0), at(&copy, 1)], places);
        assert_eq!(memory.common_pages(&copy), 3);
        memory.write(0, 4, 3);
        assert_eq!(memory.common_pages(&copy), 2);
        assert_ne!(at(&memory, 0), places[0]);
        drop(copy);
        memory.write(4096, 4, 4);
        assert_eq!(at(&memory, 1), places[1]);
        assert_eq!((memory.read(0, 4), memory.read(4096, 4)), (3, 4));
    }

    #[test]
    fn bytes_and_elements_see_the_same_little_endian_memory() {
        let mut memory = Pages::new(8192);
        memory.write_bytes(4090, &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
        assert_eq!(memory.read(4090, 2), 0x0201);
        assert_eq!(memory.read(4092, 4), 0x0605_0403);
        assert_eq!(memory.read(4096, 1), 7);
        memory.write(4096, 8, 0x1122_3344_5566_7788);
        let mut out = [0; 4];
        memory.read_bytes(4095, &mut out);
        assert_eq!(out, [6, 0x88, 0x77, 0x66]);
        assert_eq!(memory.read(4096, 8), 0x1122_3344_5566_7788);
    }

    #[test]
    fn beyond_the_end_reads_are_zero_and_writes_are_dropped() {
        let mut memory = Pages::new(4096);
        memory.write(1 << 30, 8, 7);
        memory.write_bytes(4094, &[1, 2, 3, 4]);
        let mut out = [9; 4];
        memory.read_bytes(4094, &mut out);
        assert_eq!(out, [1, 2, 0, 0]);
    }
}
