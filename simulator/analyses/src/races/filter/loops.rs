//! The loops over the cells of a run: its effect on their stamps, if no closer look is needed.
//!
//! They are compiled for each tier of the processor ([`warpsim_language::lanes::Work`]), so they
//! compute in bits: a stamp is below another one where all bits of a number are set. A fact about
//! one cell of many shows in the sum of these.

use super::line::LINE;
use super::runs::Run;
use super::stamps::Stamp;
use crate::lanes::LANES;

/// Who accesses, and what decides whether a run needs no closer look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The segment of the warp.
    pub(super) segment: Stamp,
    /// Through the non-coherent path.
    pub(super) non_coherent: bool,
    /// What was done with lower stamps is ordered before.
    pub(super) low: Stamp,
    /// What the warp did with lower stamps, too.
    pub(super) by_warp: Stamp,
    /// Several threads. Nothing more about them is needed.
    pub(super) several: Stamp,
    /// All stamps from `low` on are of this block.
    pub(super) is_shared: bool,
}

/// The result of a look at a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    /// It needs a closer look.
    Unclear,
    /// It is noted.
    Noted,
    /// It is noted, and would be for any lanes of the block: nobody has written since the last
    /// barrier, and several threads have read.
    NotedForAll,
}

/// All bits where a stamp is not lower than a limit; else none. Both are below 2^31.
#[inline(always)]
fn not_below(stamp: Stamp, limit: Stamp) -> Stamp {
    (limit.wrapping_sub(1).wrapping_sub(stamp) as i32 >> 31) as Stamp
}

/// Whether a stamp is lower.
#[inline(always)]
pub(super) fn is_below(stamp: Stamp, limit: Stamp) -> bool {
    (stamp as i32) < limit as i32
}

/// The stamp of the lane that accesses a cell, where each has so many, and the first lane has the
/// stamp `first`.
#[inline(always)]
fn mine<const WORDS: usize>(first: Stamp, cell: usize) -> Stamp {
    first + (cell / WORDS) as Stamp
}

/// A run of reads, of this many words each: whether all earlier writes are ordered before it, and
/// it is clear enough who has read before.
#[inline(always)]
pub(super) fn read_run<const WORDS: usize>(
    limits: Limits,
    run: Run,
    writes: &[Stamp],
    reads: &mut [Stamp],
) -> Sight {
    if limits.non_coherent && !writes.is_empty() {
        return Sight::Unclear;
    }
    // A loop over as many cells as one lane or a line has is better than one over any number.
    if reads.len() == WORDS {
        read_cells::<WORDS>(limits, run, writes, &mut reads[..WORDS])
    } else if reads.len() == LINE {
        read_cells::<WORDS>(limits, run, writes, &mut reads[..LINE])
    } else {
        read_cells::<WORDS>(limits, run, writes, reads)
    }
}

#[inline(always)]
fn read_cells<const WORDS: usize>(
    limits: Limits,
    run: Run,
    writes: &[Stamp],
    reads: &mut [Stamp],
) -> Sight {
    let several_lanes = run.is_broadcast && run.lanes > 1;
    let first = limits.segment + run.lane as Stamp;
    let (mut written, mut conflicts) = (0, 0);
    if !writes.is_empty() {
        let anybody = if several_lanes { Stamp::MAX } else { 0 };
        // A page that was written has as many cells for that as for reads.
        let writes = &writes[..reads.len()];
        for (cell, write) in writes.iter().enumerate() {
            let recent = not_below(*write, limits.low);
            written |= recent;
            conflicts |= recent & (anybody | write ^ mine::<WORDS>(first, cell));
        }
    }
    let (mut differs, mut recent) = (0, 0);
    for read in reads.iter() {
        differs |= read ^ limits.several;
        recent |= not_below(*read, limits.low);
    }
    if conflicts != 0 {
        return Sight::Unclear;
    }
    if differs == 0 {
        return if written == 0 { Sight::NotedForAll } else { Sight::Noted };
    }
    if recent == 0 {
        if several_lanes {
            reads.fill(limits.segment + LANES as Stamp);
        } else {
            for (cell, read) in reads.iter_mut().enumerate() {
                *read = mine::<WORDS>(first, cell);
            }
        }
        return Sight::Noted;
    }
    match known_readers::<WORDS>(limits, several_lanes, first, reads) {
        true => Sight::Noted,
        false => Sight::Unclear,
    }
}

/// Adds lanes, from that with the stamp `first` on, to the readers of their cells. Whether who has
/// read before is known well enough for that.
#[inline]
fn known_readers<const WORDS: usize>(
    limits: Limits,
    several_lanes: bool,
    first: Stamp,
    reads: &mut [Stamp],
) -> bool {
    let mut closer = false;
    let (segment, warp) = (limits.segment, limits.segment + LANES as Stamp);
    let mut known = [0; LINE];
    for (cell, (read, known)) in reads.iter().zip(&mut known).enumerate() {
        let mine = if several_lanes { warp } else { mine::<WORDS>(first, cell) };
        let is_fresh = is_below(*read, limits.low) | (*read == mine);
        let is_warp = !is_below(*read, segment) & !is_below(warp, *read);
        let is_block = limits.is_shared & !is_below(*read, limits.by_warp);
        closer |= !(is_fresh | is_warp | is_block | (*read == limits.several));
        *known = if is_fresh {
            mine
        } else if is_warp {
            warp
        } else {
            limits.several
        };
    }
    if !closer {
        // A run is looked at line by line: it has at most a line of cells.
        reads.copy_from_slice(&known[..reads.len()]);
    }
    !closer
}

/// The same for writes: whether all that was done is ordered.
#[inline(always)]
pub(super) fn write_run<const WORDS: usize>(
    limits: Limits,
    run: Run,
    writes: &mut [Stamp],
    reads: &mut [Stamp],
) -> Sight {
    if run.is_broadcast && run.lanes > 1 {
        return Sight::Unclear;
    }
    let (cells, low) = (reads.len().min(writes.len()), limits.low);
    let first = limits.segment + run.lane as Stamp;
    if cells == LINE {
        write_cells::<WORDS>(low, first, &mut writes[..LINE], &mut reads[..LINE])
    } else {
        write_cells::<WORDS>(low, first, &mut writes[..cells], &mut reads[..cells])
    }
}

#[inline(always)]
fn write_cells<const WORDS: usize>(
    low: Stamp,
    first: Stamp,
    writes: &mut [Stamp],
    reads: &mut [Stamp],
) -> Sight {
    let mut conflicts = 0;
    for cell in 0..reads.len() {
        let mine = mine::<WORDS>(first, cell);
        conflicts |= not_below(writes[cell], low) & (writes[cell] ^ mine);
        conflicts |= not_below(reads[cell], low) & (reads[cell] ^ mine);
    }
    if conflicts != 0 {
        return Sight::Unclear;
    }
    for (cell, write) in writes.iter_mut().enumerate() {
        *write = mine::<WORDS>(first, cell);
    }
    reads.fill(0);
    Sight::Noted
}
