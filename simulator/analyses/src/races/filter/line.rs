//! Lines: 16 cells side by side that were accessed alike, described by one stamp instead of one for
//! each.
//!
//! Most words are accessed by the lanes of a warp in a row, or by several threads that are not
//! known in more detail. A look at a line gives the same result as the loops over its cells
//! ([`super::loops`]). If one stamp cannot describe the accesses, the line is split: each of its
//! cells gets its own stamp.

use super::loops::{Limits, Sight, is_below};
use super::stamps::Stamp;
use crate::lanes::LANES;

/// Cells of a line.
pub(super) const LINE: usize = 16;

/// The accesses to the cells of a line, of one kind: a stamp, and above it whose stamps the cells
/// have. One number, so that lines are compared at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line(u64);

/// All cells have the same stamp.
const SAME: u64 = 0;
/// The stamps of consecutive lanes, one cell each.
const ROW: u64 = 1 << 32;
/// The stamps of consecutive lanes, two cells each.
const PAIRS: u64 = 2 << 32;
/// Each cell has its own.
const EACH: u64 = 3 << 32;

impl Line {
    /// Nobody has accessed it.
    pub(super) const FRESH: Line = Line(SAME);
    /// The line is split: each cell has its own stamp. The stamp of the line is above all limits.
    pub(super) const APART: Line = Line(EACH | i32::MAX as u64);

    /// All cells have one stamp.
    #[inline(always)]
    pub(super) fn same(stamp: Stamp) -> Line {
        Line(SAME | u64::from(stamp))
    }

    /// Consecutive lanes, of this many words each. The first lane has this stamp.
    #[inline(always)]
    pub(super) fn row<const WORDS: usize>(stamp: Stamp) -> Line {
        const { assert!(WORDS == 1 || WORDS == 2) };
        Line(if WORDS == 1 { ROW } else { PAIRS } | u64::from(stamp))
    }

    /// Whether the line is split: each cell has its own stamp.
    #[inline(always)]
    pub(super) fn is_apart(self) -> bool {
        self.by() == EACH
    }

    /// The stamp of a cell of a line that is not split.
    pub(super) fn of_cell(self, cell: usize) -> Stamp {
        let behind = if self.by() == ROW {
            cell
        } else if self.by() == PAIRS {
            cell / 2
        } else {
            0
        };
        self.stamp() + behind as Stamp
    }

    /// Cells with these stamps as a line, if one stamp tells them.
    pub(super) fn of(cells: &[Stamp; LINE]) -> Option<Line> {
        let first = cells[0];
        [Line::same(first), Line::row::<1>(first), Line::row::<2>(first)]
            .into_iter()
            .find(|line| (0..LINE).all(|cell| line.of_cell(cell) == cells[cell]))
    }

    /// Whether the stamps are not below a limit, which no row has on both sides: rows are of one
    /// warp between two barriers.
    #[inline(always)]
    fn is_recent(self, low: Stamp) -> bool {
        !is_below(self.stamp(), low)
    }

    /// Whether no line is split, and all stamps are below a limit.
    #[inline(always)]
    pub(super) fn are_below(lines: &[Line], low: Stamp) -> bool {
        // The highest bit tells a number below zero.
        let room =
            |line: &Line| u64::from(low).wrapping_sub(1).wrapping_sub(u64::from(line.stamp()));
        lines.iter().fold(0, |any, line| any | room(line)) >> 63 == 0
    }

    /// The lowest stamp.
    #[inline(always)]
    pub(super) fn stamp(self) -> Stamp {
        self.0 as Stamp
    }

    #[inline(always)]
    fn by(self) -> u64 {
        self.0 & EACH
    }
}

/// Looks at reads of consecutive lanes, of this many words each. The first lane has the stamp
/// `first`. They cover all cells of a line that is not split. `None` if the line must be split
/// first; then nothing has changed.
#[inline(always)]
pub(super) fn read_line<const WORDS: usize>(
    limits: Limits,
    first: Stamp,
    write: Line,
    read: &mut Line,
) -> Option<Sight> {
    let mine = Line::row::<WORDS>(first);
    let written = write.is_recent(limits.low);
    if written && write != mine {
        return Some(Sight::Unclear);
    }
    if *read == Line::same(limits.several) {
        return Some(if written { Sight::Noted } else { Sight::NotedForAll });
    }
    if !read.is_recent(limits.low) || *read == mine {
        *read = mine;
        return Some(Sight::Noted);
    }
    let (segment, warp) = (limits.segment, limits.segment + LANES as Stamp);
    let is_warp = !is_below(read.stamp(), segment) && !is_below(warp, read.stamp());
    if is_warp {
        // Lanes of one warp: if none has read its own cell before, all cells have been read by
        // several.
        let differ = *read == Line::same(warp) || read.by() == mine.by();
        if !differ {
            return None;
        }
        *read = Line::same(warp);
        return Some(Sight::Noted);
    }
    if limits.is_shared && !is_below(read.stamp(), limits.by_warp) {
        *read = Line::same(limits.several);
        return Some(Sight::Noted);
    }
    Some(Sight::Unclear)
}

/// The same for writes.
#[inline(always)]
pub(super) fn write_line<const WORDS: usize>(
    low: Stamp,
    first: Stamp,
    write: &mut Line,
    read: &mut Line,
) -> Sight {
    let mine = Line::row::<WORDS>(first);
    let conflicts = |line: Line| line.is_recent(low) && line != mine;
    if conflicts(*write) || conflicts(*read) {
        return Sight::Unclear;
    }
    (*write, *read) = (mine, Line::FRESH);
    Sight::Noted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::loops::{read_run, write_run};
    use super::super::runs::Run;
    use super::*;

    /// Stamps of eight segments; the first segments are low. Even segments belong to single lanes,
    /// and the segment after each belongs to several of its lanes.
    fn stamp() -> impl Strategy<Value = Stamp> {
        (0..9u32, prop_oneof![Just(0), 0..16u32]).prop_map(|(segment, lane)| 32 * segment + lane)
    }

    fn line() -> impl Strategy<Value = Line> {
        let row = (0..5u32, 0..17u32).prop_map(|(segment, lane)| 64 * segment + lane);
        prop_oneof![
            stamp().prop_map(Line::same),
            row.clone().prop_map(Line::row::<1>),
            row.prop_map(Line::row::<2>),
        ]
    }

    fn limits() -> impl Strategy<Value = Limits> {
        let boundary = || (0..9u32).prop_map(|segment| 32 * segment);
        (0..5u32, boundary(), boundary(), stamp(), any::<bool>()).prop_map(
            |(segment, low, by_warp, several, is_shared)| Limits {
                segment: 64 * segment,
                non_coherent: false,
                low,
                by_warp,
                several: several / 32 * 32,
                is_shared,
            },
        )
    }

    fn cells(line: Line) -> [Stamp; LINE] {
        std::array::from_fn(|cell| line.of_cell(cell))
    }

    fn agrees<const WORDS: usize>(
        limits: Limits,
        lane: usize,
        [write, read]: [Line; 2],
        is_write: bool,
    ) -> Result<(), TestCaseError> {
        let run = Run { lane, lanes: LINE / WORDS, is_broadcast: false };
        let first = limits.segment + lane as Stamp;
        let (mut writes, mut reads) = (cells(write), cells(read));
        let (mut new_write, mut new_read) = (write, read);
        let (whole, each) = if is_write {
            let low = limits.low;
            let whole = write_line::<WORDS>(low, first, &mut new_write, &mut new_read);
            (Some(whole), write_run::<WORDS>(limits, run, &mut writes, &mut reads))
        } else {
            let whole = read_line::<WORDS>(limits, first, write, &mut new_read);
            (whole, read_run::<WORDS>(limits, run, &writes, &mut reads))
        };
        match whole {
            Some(whole) => {
                prop_assert_eq!(whole, each);
                prop_assert_eq!((cells(new_write), cells(new_read)), (writes, reads));
            }
            None => prop_assert_eq!((new_write, new_read), (write, read)),
        }
        Ok(())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn a_look_at_a_line_comes_to_what_the_loops_over_its_cells_come_to(
            limits in limits(),
            lane in prop_oneof![Just(0), Just(16), 0..17usize],
            lines in [line(), line()],
            is_write in any::<bool>(),
        ) {
            agrees::<1>(limits, lane, lines, is_write)?;
            agrees::<2>(limits, lane, lines, is_write)?;
        }

        #[test]
        fn cells_of_which_one_stamp_tells_are_a_line_again(line in line()) {
            prop_assert_eq!(Line::of(&cells(line)).map(cells), Some(cells(line)));
        }
    }
}
