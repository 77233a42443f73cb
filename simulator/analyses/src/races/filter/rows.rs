//! An access of all lanes of several warps in a row that covers whole lines. Each line is looked at
//! once, mostly by one comparison.

use super::line::{LINE, Line};
use super::loops::Limits;
use super::shadow::PAGE;
use super::stamps::Stamp;
use super::{Filter, How};
use crate::lanes::{LANES, Mask};

/// Warps that are looked at together.
const TOGETHER: usize = 32;

/// Warps of a block whose lanes access memory in a row.
#[derive(Clone, Copy)]
pub(super) struct Rows<W> {
    /// The block, and where it is.
    pub(super) block: u64,
    pub(super) place: usize,
    /// How many warps.
    pub(super) count: usize,
    /// The number of each.
    pub(super) warp: W,
    /// The address of the first lane.
    pub(super) start: u64,
}

impl Filter {
    /// Looks at rows of 4 or 8 bytes for each lane. Returns how many warps need nothing more. The
    /// warps from there on need another look. Some of their lines may already be noted; that does
    /// not change the other look.
    #[inline]
    pub(super) fn look_at_rows(
        &mut self,
        (how, bytes): (How, u32),
        rows: &Rows<impl Fn(usize) -> u32>,
    ) -> usize {
        match bytes {
            4 => self.look_at_words::<1>(how, rows),
            _ => self.look_at_words::<2>(how, rows),
        }
    }

    /// The same of this many words for each lane.
    fn look_at_words<const WORDS: usize>(
        &mut self,
        how: How,
        rows: &Rows<impl Fn(usize) -> u32>,
    ) -> usize {
        let &Rows { block, place, count, ref warp, start } = rows;
        let bytes = (4 * WORDS * LANES) as u64;
        // Else the row of a warp could lie in two pages.
        if !start.is_multiple_of(bytes) {
            return 0;
        }
        let limits = self.limits(place, how);
        let mut done = 0;
        while done < count {
            let address = start + bytes * done as u64;
            let here = match how.is_shared {
                true => TOGETHER,
                false => ((PAGE - address % PAGE) / bytes) as usize,
            };
            let warps = here.min(TOGETHER).min(count - done);
            let mut segments = [0; TOGETHER];
            for (segment, number) in segments.iter_mut().zip(done..done + warps) {
                match self.segment_of_whole(place, block, warp(number)) {
                    Some(of_warp) => *segment = of_warp,
                    None => return done,
                }
            }
            let noted = self.note_rows::<WORDS>(place, how, limits, &segments[..warps], address);
            done += noted;
            if noted < warps {
                break;
            }
        }
        done
    }

    /// Notes rows of warps with these segments, in one page. Returns how many it could note.
    #[inline(never)]
    fn note_rows<const WORDS: usize>(
        &mut self,
        place: usize,
        how: How,
        limits: Limits,
        segments: &[Stamp],
        address: u64,
    ) -> usize {
        let (page, offset) = self.page_around(place, how.is_shared, address);
        let of_warp = WORDS * LANES / LINE;
        let first = (offset / 4) as usize / LINE;
        let range = first..first + of_warp * segments.len();
        if how.is_write {
            page.begin_writes();
        }
        if page.is_fine || limits.non_coherent && !page.writes.is_empty() {
            return 0;
        }
        let Some(reads) = page.reads.lines.get_mut(range.clone()) else { return 0 };
        let writes = match page.writes.is_empty() {
            true => &mut [],
            false => match page.writes.lines.get_mut(range) {
                Some(writes) => writes,
                None => return 0,
            },
        };
        let is_new = Line::are_below(reads, limits.low) && Line::are_below(writes, limits.low);
        if is_new {
            let mine = if how.is_write { &mut *writes } else { &mut *reads };
            for (lines, segment) in mine.chunks_exact_mut(of_warp).zip(segments) {
                for (number, line) in lines.iter_mut().enumerate() {
                    *line = Line::row::<WORDS>(segment + (number * LINE / WORDS) as Stamp);
                }
            }
            // Of a write the reads before stay: they are below the limit, and so belong to no
            // thread.
            return segments.len();
        }
        let mut unwritten = Line::FRESH;
        for (number, read) in reads.iter_mut().enumerate() {
            let (warp, line) = (number / of_warp, number % of_warp);
            let mine = Line::row::<WORDS>(segments[warp] + (line * LINE / WORDS) as Stamp);
            let write = writes.get_mut(number).unwrap_or(&mut unwritten);
            let is_noted = match how.is_write {
                true => note_write(limits.low, mine, write, read),
                false => note_read(limits, mine, *write, read),
            };
            if !is_noted {
                return warp;
            }
        }
        segments.len()
    }

    /// The segment of a warp if all of its lanes access memory: see [`Filter::segment`].
    #[inline(always)]
    fn segment_of_whole(&mut self, place: usize, block: u64, warp: u32) -> Option<Stamp> {
        if let Some(of) = self.blocks[place].warps.get_mut(warp as usize)
            && of.segment != 0
        {
            of.accessed = Mask::MAX;
            return Some(of.segment);
        }
        Some(self.segment(place, (block, warp, Mask::MAX))?.0)
    }
}

/// Notes a read of a line, if no other thread has accessed it, or several threads have read it.
#[inline(always)]
fn note_read(limits: Limits, mine: Line, write: Line, read: &mut Line) -> bool {
    let is_unwritten = write.stamp() < limits.low || write == mine;
    if is_unwritten && (read.stamp() < limits.low || *read == mine) {
        *read = mine;
        return true;
    }
    is_unwritten && *read == Line::same(limits.several)
}

/// The same of a write.
#[inline(always)]
fn note_write(low: Stamp, mine: Line, write: &mut Line, read: &mut Line) -> bool {
    let is_mine = |line: Line| line.stamp() < low || line == mine;
    let is_noted = is_mine(*write) && is_mine(*read);
    if is_noted {
        (*write, *read) = (mine, Line::FRESH);
    }
    is_noted
}
