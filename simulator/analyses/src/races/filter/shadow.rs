//! Shadow memory: who wrote and who read each word last.
//!
//! If the words of a line were accessed alike, there is a stamp for 16 words; else one for each, 8
//! bytes a word. A page whose memory is accessed in pieces smaller than a word keeps that for every
//! byte.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::line::{LINE, Line};
use super::stamps::Stamp;

/// Bytes of memory that a page shadows.
pub(super) const PAGE: u64 = 4096;

/// Accesses of one kind to the cells of a page.
#[derive(Clone, Debug, Default)]
pub(super) struct Side {
    pub(super) lines: Vec<Line>,
    /// The stamps of the cells of split lines. Empty while none is.
    pub(super) cells: Vec<Stamp>,
}

impl Side {
    fn new(lines: usize) -> Side {
        Side { lines: vec![Line::FRESH; lines], cells: Vec::new() }
    }

    /// Whether there have been no accesses.
    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// A line; `None` where there is none.
    #[inline(always)]
    pub(super) fn line(&mut self, line: usize) -> Option<&mut Line> {
        self.lines.get_mut(line)
    }

    /// Splits a line: each of its cells gets its own stamp.
    #[inline]
    fn take_apart(&mut self, line: usize) {
        // A page without writes has no lines of writes. The lookup refuses cells outside of a page.
        let Some(of) = self.lines.get_mut(line) else { return };
        if of.is_apart() {
            return;
        }
        let whole = std::mem::replace(of, Line::APART);
        if self.cells.is_empty() {
            self.cells = vec![0; self.lines.len() * LINE];
        }
        for (at, cell) in self.cells[line * LINE..][..LINE].iter_mut().enumerate() {
            *cell = whole.of_cell(at);
        }
    }

    /// Joins a split line again, if one stamp describes its cells.
    fn put_together(&mut self, line: usize) {
        let cells = self.cells.get(line * LINE..).and_then(|cells| cells.first_chunk());
        if let Some(whole) = cells.and_then(Line::of) {
            self.lines[line] = whole;
        }
    }
}

/// The shadow of a piece of memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Page {
    /// Who wrote each cell last. Empty until a thread writes to the page, so that memory that is
    /// only read costs half.
    pub(super) writes: Side,
    /// Who read each cell since.
    pub(super) reads: Side,
    /// A cell is a byte, not a word, and all lines are split.
    pub(super) is_fine: bool,
}

/// The stamps of some cells: who wrote them, which is empty while nobody has written to the page,
/// and who read them.
pub(super) type Cells<'p> = (&'p mut [Stamp], &'p mut [Stamp]);

impl Page {
    /// The shadow of this many bytes.
    pub(super) fn new(bytes: u64) -> Page {
        let lines = bytes.div_ceil(4 * LINE as u64) as usize;
        Page { writes: Side::default(), reads: Side::new(lines), is_fine: false }
    }

    /// Forgets all that was done to this many bytes, which are as many as before.
    pub(super) fn renew(&mut self, bytes: u64) {
        if self.is_fine {
            *self = Page::new(bytes);
        }
        // Cells get their stamps when their line is split.
        self.reads.lines.fill(Line::FRESH);
        self.writes.lines.fill(Line::FRESH);
    }

    /// A thread is about to write.
    #[inline]
    pub(super) fn begin_writes(&mut self) {
        if self.writes.is_empty() {
            self.writes = Side::new(self.reads.lines.len());
        }
    }

    /// Cells of a page of words. Their lines are split first. `None` where there are not so many.
    #[inline(always)]
    pub(super) fn apart(&mut self, cells: Range<usize>) -> Option<Cells<'_>> {
        for line in cells.start / LINE..cells.end.div_ceil(LINE) {
            self.writes.take_apart(line);
            self.reads.take_apart(line);
        }
        let writes = if self.writes.is_empty() { 0..0 } else { cells.clone() };
        Some((self.writes.cells.get_mut(writes)?, self.reads.cells.get_mut(cells)?))
    }

    /// Joins a split line again, if one stamp describes who accessed its cells.
    #[inline]
    pub(super) fn put_together(&mut self, line: usize) {
        self.reads.put_together(line);
        if !self.writes.is_empty() {
            self.writes.put_together(line);
        }
    }

    /// Has a stamp for each byte from now on.
    fn refine(&mut self) {
        self.begin_writes();
        let lines = self.reads.lines.len();
        for side in [&mut self.writes, &mut self.reads] {
            (0..lines).for_each(|line| side.take_apart(line));
            side.cells = side.cells.iter().flat_map(|cell| [*cell; 4]).collect();
        }
        self.is_fine = true;
    }

    /// The cells of some bytes that lie in this page, and how many bytes each has: as many as there
    /// are. Their lines are split first.
    #[inline]
    pub(super) fn cells(&mut self, offset: u64, bytes: u64) -> (u64, Cells<'_>) {
        if !self.is_fine && !(offset | bytes).is_multiple_of(4) {
            self.refine();
        }
        let shift = if self.is_fine { 0 } else { 2 };
        let [start, end] = [offset, offset + bytes].map(|at| (at >> shift) as usize);
        if !self.is_fine {
            for line in start / LINE..end.div_ceil(LINE) {
                self.writes.take_apart(line);
                self.reads.take_apart(line);
            }
        }
        let range = |cells: &[Stamp]| start.min(cells.len())..end.min(cells.len());
        let [writes, reads] = [range(&self.writes.cells), range(&self.reads.cells)];
        (1 << shift, (&mut self.writes.cells[writes], &mut self.reads.cells[reads]))
    }
}

/// The most pages in a directory, from its first page on: 16 GiB. Host code may map memory at any
/// address, so pages may lie arbitrarily far from each other.
const NEAR: u64 = 1 << 22;

/// The shadow of global memory: pages by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadow {
    /// The number of the first page in the directory.
    pub(super) first: u64,
    /// One more than the place of each page in `pages`; 0 for none.
    pub(super) directory: Vec<u32>,
    /// The places of pages that lie too far from the first.
    far: FxHashMap<u64, usize>,
    pub(super) pages: Vec<Page>,
}

impl Shadow {
    /// The page that an address lies in.
    #[inline]
    pub(super) fn page(&mut self, address: u64) -> &mut Page {
        let number = address / PAGE;
        let known = number.checked_sub(self.first).and_then(|n| self.directory.get(n as usize));
        let at = match known {
            Some(at) if *at != 0 => *at as usize - 1,
            Some(_) | None => self.far_or_new(number),
        };
        &mut self.pages[at]
    }

    #[cold]
    fn far_or_new(&mut self, number: u64) -> usize {
        if let Some(at) = self.far.get(&number) {
            return *at;
        }
        if self.directory.is_empty() {
            self.first = number;
        }
        self.pages.push(Page::new(PAGE));
        let (first, end) = (self.first, self.first + self.directory.len() as u64);
        if number.max(end.saturating_sub(1)) - number.min(first) >= NEAR {
            self.far.insert(number, self.pages.len() - 1);
            return self.pages.len() - 1;
        }
        if number < first {
            let missing = (first - number) as usize;
            self.directory.splice(0..0, std::iter::repeat_n(0, missing));
            self.first = number;
        }
        let at = (number - self.first) as usize;
        if at >= self.directory.len() {
            self.directory.resize(at + 1, 0);
        }
        self.directory[at] = self.pages.len() as u32;
        self.pages.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_found_again_however_far_they_lie_from_each_other() {
        let mut shadow = Shadow::default();
        let numbers = [1 << 30, (1 << 30) + 5, 3, (1 << 30) - 7, (1 << 40) + 1, u64::MAX / PAGE];
        for (number, bytes) in numbers.iter().zip(1..) {
            shadow.page(number * PAGE).reads.lines.truncate(bytes);
        }
        for (number, bytes) in numbers.iter().zip(1..) {
            assert_eq!(shadow.page(number * PAGE + 4095).reads.lines.len(), bytes, "{number}");
        }
        assert_eq!((shadow.pages.len(), shadow.directory.len()), (numbers.len(), 13));
    }
}
