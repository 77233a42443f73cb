//! A byte-addressed memory in copy-on-write pages of 4 KiB.
//!
//! A page is owned or shared. Only owned pages are written, without any reference counting; taking
//! a snapshot turns the owned pages into shared ones, which copies none of their bytes, and the first
//! write to a shared page copies it, unless all others who shared it are gone. Pages hold little-endian 32-bit words, so that an aligned access is one index.

use std::ops::Range;
use std::sync::Arc;

/// Bytes of a page.
pub const PAGE_BYTES: usize = 4096;

/// Words of a page.
pub(super) const PAGE_WORDS: usize = PAGE_BYTES / 4;

/// The words of a page.
pub(super) type Words = [u32; PAGE_WORDS];

static ZERO: Words = [0; PAGE_WORDS];

/// Words that several memories have. The box lets a page become shared, and owned again, where it
/// lies.
type SharedWords = Arc<Box<Words>>;

#[derive(Debug)]
enum Page {
    Zero,
    Owned(Box<Words>),
    Shared(SharedWords),
}

impl Page {
    /// The same page, from now on shared.
    fn share(&mut self) -> Page {
        match std::mem::replace(self, Page::Zero) {
            Page::Zero => Page::Zero,
            Page::Owned(words) => self.become_shared(Arc::new(words)),
            Page::Shared(words) => self.become_shared(words),
        }
    }

    fn become_shared(&mut self, words: SharedWords) -> Page {
        *self = Page::Shared(Arc::clone(&words));
        Page::Shared(words)
    }

    /// Makes a shared page owned: a copy, unless nobody else has it any more.
    #[cold]
    fn unshare(&mut self) {
        if let Page::Shared(words) = std::mem::replace(self, Page::Zero) {
            *self = Page::Owned(Arc::try_unwrap(words).unwrap_or_else(|shared| (*shared).clone()));
        }
    }
}

/// A memory of a fixed number of bytes, zero at first.
#[derive(Debug, Default)]
pub struct Pages {
    bytes: u64,
    pages: Vec<Page>,
}

impl Pages {
    /// A memory of this many zero bytes.
    pub fn new(bytes: u64) -> Pages {
        let count = bytes.div_ceil(PAGE_BYTES as u64) as usize;
        Pages { bytes, pages: std::iter::repeat_with(|| Page::Zero).take(count).collect() }
    }

    /// Its size in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Makes it larger; the new bytes are zero.
    pub fn grow(&mut self, bytes: u64) {
        if bytes > self.bytes {
            self.bytes = bytes;
            let count = bytes.div_ceil(PAGE_BYTES as u64) as usize;
            self.pages.resize_with(count, || Page::Zero);
        }
    }

    /// A copy that shares all pages with this one until either is written. It costs a page table
    /// and no bytes.
    pub fn snapshot(&mut self) -> Pages {
        let pages = self.pages.iter_mut().map(Page::share).collect();
        Pages { bytes: self.bytes, pages }
    }

    /// How many pages the two hold in common.
    pub fn common_pages(&self, other: &Pages) -> usize {
        let pairs = self.pages.iter().zip(&other.pages);
        pairs
            .filter(|pair| matches!(pair, (Page::Shared(a), Page::Shared(b)) if Arc::ptr_eq(a, b)))
            .count()
    }

    /// The words of a page; zeros where there is none.
    #[inline]
    pub(super) fn page(&self, index: usize) -> &Words {
        match self.pages.get(index) {
            Some(Page::Owned(words)) => words,
            Some(Page::Shared(words)) => words,
            Some(Page::Zero) | None => &ZERO,
        }
    }

    /// The words of a page, to write to. `None` beyond the end.
    #[inline]
    pub(super) fn page_mut(&mut self, index: usize) -> Option<&mut Words> {
        let page = self.pages.get_mut(index)?;
        match page {
            Page::Owned(_) => {}
            Page::Zero => *page = Page::Owned(Box::new(ZERO)),
            Page::Shared(_) => page.unshare(),
        }
        match page {
            Page::Owned(words) => Some(words),
            Page::Zero | Page::Shared(_) => None,
        }
    }

    /// The 1024 words of a page; zeros where there is none.
    #[inline]
    pub(in crate::machine) fn page_words(&self, index: usize) -> &Words {
        self.page(index)
    }

    /// The 1024 words of a page, to write to.
    #[inline]
    pub(in crate::machine) fn page_words_mut(&mut self, index: usize) -> Option<&mut Words> {
        self.page_mut(index)
    }

    /// Reads an aligned element of 1, 2, 4 or 8 bytes, zero-extended.
    #[inline]
    pub fn read(&self, offset: u64, width: u32) -> u64 {
        element(self.page((offset / PAGE_BYTES as u64) as usize), offset, width)
    }

    /// Writes an aligned element of 1, 2, 4 or 8 bytes. Writes beyond the end are dropped.
    #[inline]
    pub fn write(&mut self, offset: u64, width: u32, value: u64) {
        if let Some(words) = self.page_mut((offset / PAGE_BYTES as u64) as usize) {
            set_element(words, offset, width, value);
        }
    }

    /// Copies bytes out; bytes beyond the end read as zero.
    pub fn read_bytes(&self, mut offset: u64, mut into: &mut [u8]) {
        while !into.is_empty() {
            let start = (offset % PAGE_BYTES as u64) as usize;
            let words = self.page((offset / PAGE_BYTES as u64) as usize);
            let (now, later) = into.split_at_mut(into.len().min(PAGE_BYTES - start));
            let (head, body, tail) = whole_words(now.len(), start);
            for i in head.chain(tail) {
                now[i] = element(words, (start + i) as u64, 1) as u8;
            }
            let first = (start + body.start) / 4;
            for (word, bytes) in words[first..].iter().zip(now[body].chunks_exact_mut(4)) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
            offset += now.len() as u64;
            into = later;
        }
    }

    /// Copies bytes in; bytes beyond the end are dropped.
    pub fn write_bytes(&mut self, mut offset: u64, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let start = (offset % PAGE_BYTES as u64) as usize;
            let (now, later) = bytes.split_at(bytes.len().min(PAGE_BYTES - start));
            if let Some(words) = self.page_mut((offset / PAGE_BYTES as u64) as usize) {
                let (head, body, tail) = whole_words(now.len(), start);
                for i in head.chain(tail) {
                    set_element(words, (start + i) as u64, 1, now[i].into());
                }
                let first = (start + body.start) / 4;
                for (word, bytes) in words[first..].iter_mut().zip(now[body].chunks_exact(4)) {
                    *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                }
            }
            offset += now.len() as u64;
            bytes = later;
        }
    }
}

/// Splits `length` bytes that begin at `start` in a page into those before the first whole word,
/// whole words, and those after.
fn whole_words(length: usize, start: usize) -> (Range<usize>, Range<usize>, Range<usize>) {
    let head = (start.next_multiple_of(4) - start).min(length);
    let body = head + (length - head) / 4 * 4;
    (0..head, head..body, body..length)
}

/// Two memories are equal when they hold the same bytes. Shared pages compare by identity first.
impl PartialEq for Pages {
    fn eq(&self, other: &Pages) -> bool {
        self.bytes == other.bytes
            && self.pages.iter().zip(&other.pages).enumerate().all(|(i, pair)| match pair {
                (Page::Zero, Page::Zero) => true,
                (Page::Shared(a), Page::Shared(b)) if Arc::ptr_eq(a, b) => true,
                _ => self.page(i) == other.page(i),
            })
    }
}

/// An aligned element of a page, zero-extended. `offset` may be any address whose low bits are the
/// place in the page.
#[inline(always)]
pub(super) fn element(words: &Words, offset: u64, width: u32) -> u64 {
    let index = (offset / 4) as usize % PAGE_WORDS;
    let word = words[index];
    match width {
        1 => u64::from(word >> (offset % 4 * 8) as u32 & 0xff),
        2 => u64::from(word >> (offset % 4 / 2 * 16) as u32 & 0xffff),
        4 => u64::from(word),
        _ => u64::from(word) | u64::from(words[(index + 1) % PAGE_WORDS]) << 32,
    }
}

/// Writes an aligned element of a page.
#[inline(always)]
pub(super) fn set_element(words: &mut Words, offset: u64, width: u32, value: u64) {
    let index = (offset / 4) as usize % PAGE_WORDS;
    match width {
        1 => {
            let shift = (offset % 4 * 8) as u32;
            words[index] = words[index] & !(0xff << shift) | (value as u32 & 0xff) << shift;
        }
        2 => {
            let shift = (offset % 4 / 2 * 16) as u32;
            words[index] = words[index] & !(0xffff << shift) | (value as u32 & 0xffff) << shift;
        }
        4 => words[index] = value as u32,
        _ => {
            words[index] = value as u32;
            words[(index + 1) % PAGE_WORDS] = (value >> 32) as u32;
        }
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
        assert_eq!(memory.common_pages(&copy), 2);
        memory.write(0, 4, 3);
        assert_eq!(memory.common_pages(&copy), 1);
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
