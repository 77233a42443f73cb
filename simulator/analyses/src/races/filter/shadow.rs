//! Shadow memory: who wrote and who read each word last, 8 bytes a word.
//!
//! A page whose memory is accessed in pieces smaller than a word keeps that for every byte.

use super::stamps::Stamp;

/// Bytes of memory that a page shadows.
pub(super) const PAGE: u64 = 4096;

/// The shadow of a piece of memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    /// Who wrote each cell last. Empty while nobody has written to the page, so that memory that is
    /// only read costs half.
    pub(super) writes: Vec<Stamp>,
    /// Who read each cell since.
    pub(super) reads: Vec<Stamp>,
    /// A cell is a byte, not a word.
    pub(super) is_fine: bool,
}

impl Page {
    /// The shadow of so many bytes.
    pub(super) fn new(bytes: u64) -> Page {
        let cells = bytes.div_ceil(4) as usize;
        Page { writes: Vec::new(), reads: vec![0; cells], is_fine: false }
    }

    /// Somebody is about to write.
    #[inline]
    pub(super) fn begin_writes(&mut self) {
        if self.writes.is_empty() {
            self.writes = vec![0; self.reads.len()];
        }
    }

    /// Keeps bytes apart from now on.
    fn refine(&mut self) {
        let four = |cells: &Vec<Stamp>| cells.iter().flat_map(|cell| [*cell; 4]).collect();
        (self.writes, self.reads) = (four(&self.writes), four(&self.reads));
        self.is_fine = true;
    }

    /// The cells of some bytes that lie in this page.
    #[inline]
    pub(super) fn cells(&mut self, offset: u64, bytes: u64) -> std::ops::Range<usize> {
        if !self.is_fine && !(offset | bytes).is_multiple_of(4) {
            self.refine();
        }
        let shift = if self.is_fine { 0 } else { 2 };
        let end = ((offset + bytes) >> shift) as usize;
        (offset >> shift) as usize..end.min(self.reads.len())
    }
}

/// The shadow of global memory: pages by number, from the lowest that there can be.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadow {
    first: u64,
    /// One more than the place of each page in `pages`; 0 for none.
    directory: Vec<u32>,
    pages: Vec<Page>,
}

impl Shadow {
    /// The page that an address lies in.
    #[inline]
    pub(super) fn page(&mut self, address: u64) -> &mut Page {
        let number = address / PAGE;
        let known = number.checked_sub(self.first).and_then(|n| self.directory.get(n as usize));
        let at = match known {
            Some(at) if *at != 0 => *at as usize - 1,
            _ => self.add(number),
        };
        &mut self.pages[at]
    }

    #[cold]
    fn add(&mut self, number: u64) -> usize {
        if self.directory.is_empty() {
            self.first = number;
        }
        if number < self.first {
            let missing = (self.first - number) as usize;
            self.directory.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = number;
        }
        let at = (number - self.first) as usize;
        if at >= self.directory.len() {
            self.directory.resize(at + 1, 0);
        }
        self.pages.push(Page::new(PAGE));
        self.directory[at] = self.pages.len() as u32;
        self.pages.len() - 1
    }
}
