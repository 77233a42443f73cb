//! Reads of shared memory that are not noted yet, because most never need to be.
//!
//! A read of shared memory could race only with writes of others of the block before its next
//! barrier. So a read could not race with anything that has happened, as long as no thread has
//! written there since the last barrier. The reader and the place are written down. They are noted
//! when a thread writes, or when warps order what they do. The next barrier of the whole block
//! orders the read before all that follows. The result is the same as if all were noted at once,
//! since nothing that matters has changed in between.

use std::sync::Arc;

use super::rows::Rows;
use super::together::OfWarp;
use super::{Closely, Filter, How};
use crate::lanes::Mask;
use crate::lanes::reach::Found;
use crate::observe::{AccessKind, Accesses, Places};
use crate::ptx::Space;

/// How many accesses of warps are written down at most: those behind them are noted as they happen.
const MOST: usize = 1024;

/// The reads of a block that are not noted yet.
#[derive(Clone, Debug, Default)]
pub(super) struct Pending {
    /// Reads must be noted as they happen: a thread has written since the last barrier, or there
    /// are too many.
    at_once: bool,
    all: Vec<Reads>,
    /// Who reads: once where it is the same as before.
    warps: Vec<u32>,
    /// And where, except where the offsets begin.
    known: Vec<Known>,
    /// How many accesses of warps there are.
    count: usize,
}

/// What warps read at one instruction.
#[derive(Clone, Copy, Debug)]
struct Reads {
    how: How,
    what: Closely,
    places: Where,
    /// The range of the warps in the list of all warps.
    warps: (usize, usize),
}

/// Where they read: see [`Places`].
#[derive(Clone, Copy, Debug)]
enum Where {
    Row(u64),
    /// The reads of each warp are known, by their place among all known reads.
    Each {
        origin: u64,
        known: usize,
    },
}

/// What warps read, starting with the first of them, and their range in the list of all warps.
#[derive(Clone, Debug)]
struct Known {
    found: Arc<Vec<Found>>,
    from: usize,
    warps: (usize, usize),
}

/// This many of those that are known last are looked through.
const RECENT: usize = 4;

impl Pending {
    /// All is ordered before what comes now.
    pub(super) fn forget(&mut self) {
        self.at_once = false;
        self.clear();
    }

    fn clear(&mut self) {
        self.all.clear();
        self.warps.clear();
        self.known.clear();
        self.count = 0;
    }

    /// Whether these reads may be written down.
    #[inline]
    fn may_have(&self, accesses: &Accesses<'_>) -> bool {
        !self.at_once
            && accesses.space == Space::Shared
            && accesses.kind == AccessKind::Read
            && self.count + accesses.who.len() <= MOST
    }

    /// Which of the known reads these are. They belong to the same warps, which go on.
    #[inline]
    fn known(&self, accesses: &Accesses<'_>) -> Option<usize> {
        let Places::Each { found, from, .. } = accesses.places else { return None };
        let is_it = |known: &Known| {
            let (first, end) = known.warps;
            Arc::ptr_eq(&known.found, found)
                && known.from == from
                && end - first == accesses.who.len()
        };
        let old = self.known.len().saturating_sub(RECENT);
        let at = self.known[old..].iter().position(is_it)?;
        Some(old + at)
    }

    /// The warps of the reads that were written down last, where these are of the same.
    #[inline]
    fn same_warps(&self, accesses: &Accesses<'_>) -> Option<(usize, usize)> {
        let (from, end) = self.all.last()?.warps;
        let warps = self.warps.get(from..end)?;
        let are_same = warps.len() == accesses.who.len()
            && warps.iter().zip(accesses.who).all(|(warp, who)| *warp == who.warp);
        are_same.then_some((from, end))
    }
}

impl Filter {
    /// Defers reads, if that is allowed.
    #[inline]
    pub(super) fn put_off(
        &mut self,
        place: usize,
        (how, what): (How, Closely),
        accesses: &Accesses<'_>,
    ) -> bool {
        if !self.blocks[place].pending.may_have(accesses) {
            return false;
        }
        let pending = &mut self.blocks[place].pending;
        if let Some(known) = pending.known(accesses)
            && let Places::Each { origin, .. } = accesses.places
        {
            let (warps, places) = (pending.known[known].warps, Where::Each { origin, known });
            pending.count += accesses.who.len();
            pending.all.push(Reads { how, what, places, warps });
            return true;
        }
        self.put_off_new(place, (how, what), accesses)
    }

    /// The same where it is not known what they read.
    #[inline(never)]
    fn put_off_new(
        &mut self,
        place: usize,
        (how, what): (How, Closely),
        accesses: &Accesses<'_>,
    ) -> bool {
        let count = accesses.who.len();
        if let Places::Each { found, from, .. } = accesses.places
            && !found[from..from + count].iter().all(|one| one.halves.is_some())
        {
            return false;
        }
        let same = self.blocks[place].pending.same_warps(accesses);
        if same.is_none() {
            // Their segments begin now, as they would if they were noted.
            for who in accesses.who {
                if self.segment(place, (accesses.block, who.warp, Mask::MAX)).is_none() {
                    return false;
                }
            }
        }
        let pending = &mut self.blocks[place].pending;
        let warps = match same {
            Some(warps) => warps,
            None => {
                let from = pending.warps.len();
                pending.warps.extend(accesses.who.iter().map(|who| who.warp));
                (from, pending.warps.len())
            }
        };
        let places = match accesses.places {
            Places::Row(start) => Where::Row(start),
            Places::Each { origin, found, from } => {
                pending.known.push(Known { found: Arc::clone(found), from, warps });
                Where::Each { origin, known: pending.known.len() - 1 }
            }
        };
        pending.count += count;
        pending.all.push(Reads { how, what, places, warps });
        true
    }

    /// Notes the pending reads of a block. Later reads are noted as they happen.
    #[inline]
    pub(super) fn settle(&mut self, place: usize) {
        let Some(block) = self.blocks.get_mut(place) else { return };
        block.pending.at_once = true;
        if !block.pending.all.is_empty() {
            self.note_pending(place);
        }
    }

    #[inline(never)]
    fn note_pending(&mut self, place: usize) {
        let block = &mut self.blocks[place];
        let number = block.number;
        let mut pending = std::mem::take(&mut block.pending);
        for &Reads { how, what, places, warps: (from, end) } in &pending.all {
            let (those, count) = (&pending.warps[from..end], end - from);
            let warp = |n: usize| those[n];
            let (places, done) = match places {
                Where::Row(start) => {
                    let rows = Rows { block: number, place, count, warp, start };
                    (Places::Row(start), self.look_at_rows((how, what.bytes), &rows))
                }
                Where::Each { origin, known } => {
                    let Known { found, from, .. } = &pending.known[known];
                    (Places::Each { origin, found, from: *from }, 0)
                }
            };
            let of_warp = |index| OfWarp {
                warp: warp(index),
                mask: Mask::MAX,
                halves: places.halves(index, what.bytes),
                index,
            };
            self.look_at_warps(number, (how, what), (done..count).map(of_warp), None);
        }
        pending.clear();
        self.blocks[place].pending = pending;
    }
}
