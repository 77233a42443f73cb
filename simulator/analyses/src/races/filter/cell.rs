//! How one lane accesses one cell, and whether that could race with the cell's last accesses, which
//! two stamps describe (PTX ISA 8.7 "Morally strong operations", 8.7.1 "Conflict and data-races").
//!
//! Atomics of 4 bytes do not race with each other, nor do atomics of 8 bytes. Atomics of other
//! sizes count as writes. Only barriers of the whole block order a stamp for several threads.
//! Errors are on one side: this may report a race on a cell without one, and the judge looks at it.

use super::stamps::{Phase, Stamp, Stamps, Who};
use crate::lanes::LANES;
use crate::observe::AccessKind;

/// Who accesses.
#[derive(Clone, Copy)]
pub(super) struct Me {
    pub(super) block: u32,
    pub(super) warp: u16,
    pub(super) segment: Stamp,
    pub(super) phase: Phase,
    pub(super) by_block: Stamp,
    pub(super) by_warp: Stamp,
    /// Shared memory, or an atomic of block scope: no thread of another block should be there.
    pub(super) is_local: bool,
    pub(super) non_coherent: bool,
}

/// How one lane accesses one cell. `Err` when it could race.
#[inline]
pub(super) fn touch(
    stamps: &Stamps,
    me: &Me,
    mine: Stamp,
    kind: AccessKind,
    bytes: u8,
    write: &mut Stamp,
    read: &mut Stamp,
) -> Result<(), ()> {
    let is_before = |stamp: Stamp| me.is_before(stamps, mine, stamp);
    let could_race = match kind {
        AccessKind::Read => {
            let stale = me.non_coherent && *write >= stamps.launch;
            let bad = !is_before(*write) || stale;
            *read = me.reading(stamps, mine, *read);
            bad
        }
        // Atomics of other sizes are rare, and looked at closely when two threads meet at one.
        AccessKind::Atomic if bytes != 4 && bytes != 8 => {
            return touch(stamps, me, mine, AccessKind::Write, bytes, write, read);
        }
        AccessKind::Write => {
            let bad = !is_before(*write) || !is_before(*read);
            (*write, *read) = (mine, 0);
            bad
        }
        AccessKind::Atomic => {
            let bad = !is_before(*read);
            match me.updating(stamps, mine, *write, bytes) {
                Some(stamp) => {
                    *write = stamp;
                    bad
                }
                None => true,
            }
        }
    };
    if could_race { Err(()) } else { Ok(()) }
}

impl Me {
    /// Whether the accesses of a stamp are ordered before what lane `mine` does now.
    #[inline]
    fn is_before(&self, stamps: &Stamps, mine: Stamp, stamp: Stamp) -> bool {
        if stamp < stamps.launch || stamp == mine {
            return true;
        }
        let segment = stamps.segment(stamp);
        if segment.block != self.block {
            return false;
        }
        if stamp < self.by_block {
            return true;
        }
        let same_warp = segment.warp == self.warp;
        let same_lane = segment.who == Who::Lane && stamp % 32 == mine % 32;
        same_warp && (stamp < self.by_warp || same_lane)
    }

    /// Whether the accesses of a stamp are ordered before everything that the block's threads do
    /// now.
    fn is_before_all(&self, stamps: &Stamps, stamp: Stamp) -> bool {
        stamps.segment(stamp).block == self.block && stamp < self.by_block
    }

    /// The readers of a cell, with lane `mine` among them.
    fn reading(&self, stamps: &Stamps, mine: Stamp, readers: Stamp) -> Stamp {
        let (warp, block) = (self.segment + LANES as Stamp, self.phase.several);
        if readers == mine || readers == warp || readers == block || readers == stamps.grid {
            return readers;
        }
        if self.is_before(stamps, mine, readers) {
            return mine;
        }
        let segment = stamps.segment(readers);
        match segment.block == self.block {
            true if segment.warp == self.warp => warp,
            true => block,
            false => stamps.grid,
        }
    }

    /// The writer of a cell after an atomic of lane `mine`; `None` when the two could race.
    fn updating(&self, stamps: &Stamps, mine: Stamp, writer: Stamp, bytes: u8) -> Option<Stamp> {
        let (pure, impure) = (self.phase.atomics(bytes, true), self.phase.atomics(bytes, false));
        let grid = stamps.grid_atomics[usize::from(bytes == 8)];
        if writer == impure || !self.is_local && (writer == pure || writer == grid) {
            return Some(writer);
        }
        if writer < stamps.launch {
            return Some(if self.is_local { impure } else { pure });
        }
        let is_pure = stamps.segment(writer).who == Who::Atomics { bytes, is_pure: true };
        if is_pure && !self.is_local {
            return Some(grid);
        }
        if writer == pure || self.is_before_all(stamps, writer) {
            return Some(impure);
        }
        // Ordered for this thread alone: from here on it counts as its plain access.
        self.is_before(stamps, mine, writer).then_some(mine)
    }
}
