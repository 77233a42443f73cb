//! A look at the part of a run that lies in one line, by the state of the line, or else of its
//! cells.

use std::ops::Range;

use super::line::{LINE, Line, read_line, write_line};
use super::loops::{Limits, Sight, read_run, write_run};
use super::runs::Run;
use super::shadow::{PAGE, Page};
use super::stamps::{Stamp, Who};
use super::{Filter, How};
use crate::lanes::LANES;

/// The cells of a page that a part of a run accesses.
struct Part {
    cells: Range<usize>,
    /// They are a line, of lanes in a row.
    is_line: bool,
}

impl Part {
    #[inline(always)]
    fn of<const WORDS: usize>(run: Run, offset: u64) -> Part {
        let count = WORDS * if run.is_broadcast { 1 } else { run.lanes };
        let first = (offset / 4) as usize;
        let is_line = !run.is_broadcast && count == LINE && first.is_multiple_of(LINE);
        Part { cells: first..first + count, is_line }
    }

    /// The line that the first cell lies in.
    #[inline(always)]
    fn line(&self) -> usize {
        self.cells.start / LINE
    }
}

impl Page {
    /// Who wrote the cells of a line, and who read them. `None` if there is no such line, or one of
    /// the two is split.
    #[inline(always)]
    fn whole(&mut self, line: usize) -> Option<(Line, Line)> {
        let writes = match self.writes.is_empty() {
            true => Line::FRESH,
            false => *self.writes.line(line)?,
        };
        let reads = *self.reads.line(line)?;
        (!writes.is_apart() && !reads.is_apart()).then_some((writes, reads))
    }

    /// Looks at a part of a run as a line, or at part of one that several threads have read and
    /// nobody has written. `None` if that does not decide.
    #[inline(always)]
    fn look_at_whole<const WORDS: usize>(
        &mut self,
        part: &Part,
        is_write: bool,
        limits: Limits,
        first: Stamp,
    ) -> Option<Sight> {
        let (mut writes, mut reads) = self.whole(part.line())?;
        if !part.is_line {
            let are_noted = !is_write
                && !limits.non_coherent
                && reads == Line::same(limits.several)
                && writes.stamp() < limits.low
                && part.cells.end <= (part.line() + 1) * LINE;
            return are_noted.then_some(Sight::NotedForAll);
        }
        if is_write {
            let sight = write_line::<WORDS>(limits.low, first, &mut writes, &mut reads);
            *self.writes.line(part.line())? = writes;
            *self.reads.line(part.line())? = reads;
            return Some(sight);
        }
        if limits.non_coherent && !self.writes.is_empty() {
            return Some(Sight::Unclear);
        }
        let sight = read_line::<WORDS>(limits, first, writes, &mut reads)?;
        *self.reads.line(part.line())? = reads;
        Some(sight)
    }
}

impl Filter {
    /// The page that an address lies in, of a block where it is shared memory, and how far behind
    /// its beginning.
    #[inline(always)]
    pub(super) fn page_around(
        &mut self,
        place: usize,
        is_shared: bool,
        address: u64,
    ) -> (&mut Page, u64) {
        match is_shared {
            true => (&mut self.blocks[place].shared, address),
            false => (self.global.page(address), address % PAGE),
        }
    }

    /// Looks at a run of consecutive lanes, of this many words each, that covers whole lines only.
    /// Returns whether the result would be the same for any lanes of the block. `None` if it is not
    /// such a run, or needs another look. Some lines may already be noted then; that does not
    /// change the other look.
    #[inline(always)]
    pub(super) fn look_at_row<const WORDS: usize>(
        &mut self,
        place: usize,
        how: How,
        limits: Limits,
        run: Run,
        address: u64,
    ) -> Option<bool> {
        let How { is_shared, is_write, .. } = how;
        let (page, offset) = self.page_around(place, is_shared, address);
        let (first, lines) = ((offset / 4) as usize, WORDS * run.lanes / LINE);
        if page.is_fine || !first.is_multiple_of(LINE) {
            return None;
        }
        if is_write {
            page.begin_writes();
        }
        let mut lane = limits.segment + run.lane as Stamp;
        let mut for_all = true;
        let Page { writes, reads, .. } = page;
        let of = first / LINE..first / LINE + lines;
        let reads = reads.lines.get_mut(of.clone())?;
        let writes = if writes.is_empty() { &mut [] } else { writes.lines.get_mut(of)? };
        if limits.non_coherent && !writes.is_empty() {
            return None;
        }
        for (line, read) in reads.iter_mut().enumerate() {
            let mut unwritten = Line::FRESH;
            let write = writes.get_mut(line).unwrap_or(&mut unwritten);
            if write.is_apart() || read.is_apart() {
                return None;
            }
            let sight = match is_write {
                true => write_line::<WORDS>(limits.low, lane, write, read),
                false => read_line::<WORDS>(limits, lane, *write, read)?,
            };
            match sight {
                Sight::Unclear => return None,
                Sight::Noted => for_all = false,
                Sight::NotedForAll => {}
            }
            lane += (LINE / WORDS) as Stamp;
        }
        Some(for_all)
    }

    /// Looks at a read of several lanes from one place, of this many words. `None` if it needs
    /// another look.
    #[inline(always)]
    pub(super) fn look_at_broadcast<const WORDS: usize>(
        &mut self,
        place: usize,
        how: How,
        limits: Limits,
        run: Run,
        address: u64,
    ) -> Option<bool> {
        let How { is_shared, is_write, .. } = how;
        let (page, offset) = self.page_around(place, is_shared, address);
        if page.is_fine || is_write || limits.non_coherent && !page.writes.is_empty() {
            return None;
        }
        let cell = (offset / 4) as usize;
        let read = *page.reads.line(cell / LINE)?;
        let write = match page.writes.is_empty() {
            true => None,
            false => Some(*page.writes.line(cell / LINE)?),
        };
        if read == Line::same(limits.several) {
            let is_old = write.is_none_or(|write| !write.is_apart() && write.stamp() < limits.low);
            return is_old.then_some(true);
        }
        if !read.is_apart() || write.is_some_and(|write| !write.is_apart()) {
            return None;
        }
        let cells = cell..cell + WORDS;
        let reads = page.reads.cells.get_mut(cells.clone())?;
        let writes = if write.is_some() { page.writes.cells.get(cells)? } else { &[] };
        match read_run::<WORDS>(limits, run, writes, reads) {
            Sight::Unclear => None,
            Sight::Noted => Some(false),
            Sight::NotedForAll => Some(true),
        }
    }

    /// Looks at the part of a run that lies in one line, of this many words a lane, whose first
    /// lane has this address.
    #[inline(always)]
    pub(super) fn look_at_line<const WORDS: usize>(
        &mut self,
        place: usize,
        how: How,
        limits: Limits,
        run: Run,
        address: u64,
    ) -> Sight {
        let How { is_shared, is_write, .. } = how;
        let (page, offset) = self.page_around(place, is_shared, address);
        let part = Part::of::<WORDS>(run, offset);
        if page.is_fine || !is_shared && 4 * part.cells.end as u64 > PAGE {
            return Sight::Unclear;
        }
        if is_write {
            page.begin_writes();
        }
        let first = limits.segment + run.lane as Stamp;
        let seen = page.look_at_whole::<WORDS>(&part, is_write, limits, first);
        seen.unwrap_or_else(|| look_at_cells::<WORDS>(page, &part, is_write, limits, run))
    }

    /// Notes a part of a run of reads, of this many words a lane, by a block, of global memory that
    /// threads of one other block have read since the launch began, and nobody has written. Whether
    /// it was one.
    #[inline(never)]
    pub(super) fn others_have_read<const WORDS: usize>(
        &mut self,
        block: u32,
        how: How,
        limits: Limits,
        run: Run,
        address: u64,
    ) -> bool {
        if how.is_shared || how.is_write {
            return false;
        }
        let page = self.global.page(address);
        let part = Part::of::<WORDS>(run, address % PAGE);
        if page.is_fine || how.non_coherent && !page.writes.is_empty() {
            return false;
        }
        let of_others = |lowest: Stamp| {
            let of = self.stamps.segment(lowest);
            let are_lanes = matches!(of.who, Who::Lane | Who::Warp);
            are_lanes && lowest >= limits.low && of.block != block
        };
        if part.is_line
            && let Some((writes, reads)) = page.whole(part.line())
        {
            let are_others = writes.stamp() < limits.low && of_others(reads.stamp());
            if are_others && let Some(line) = page.reads.line(part.line()) {
                *line = Line::same(limits.several);
            }
            return are_others;
        }
        let Some((writes, reads)) = page.apart(part.cells) else { return false };
        if writes.iter().any(|write| *write >= limits.low) {
            return false;
        }
        let segment = reads[0] / LANES as Stamp;
        let is_one = reads.iter().all(|read| read / LANES as Stamp == segment);
        let are_others = is_one && of_others(reads[0]);
        if are_others {
            reads.fill(limits.several);
        }
        are_others
    }
}

/// Looks at a part of a run cell by cell.
#[inline(always)]
fn look_at_cells<const WORDS: usize>(
    page: &mut Page,
    part: &Part,
    is_write: bool,
    limits: Limits,
    run: Run,
) -> Sight {
    let Some((writes, reads)) = page.apart(part.cells.clone()) else { return Sight::Unclear };
    let sight = match is_write {
        true => write_run::<WORDS>(limits, run, writes, reads),
        false => read_run::<WORDS>(limits, run, writes, reads),
    };
    if part.is_line && sight != Sight::Unclear {
        page.put_together(part.line());
    }
    sight
}
