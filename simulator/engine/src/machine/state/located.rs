//! Located accesses of a gang: which memory they lie in, and where each warp accesses.
//!
//! A few are kept for the next operations, which may access the same places with another offset.
//! [`crate::machine::access::located`] fills and uses them.

use std::ops::Range;
use std::sync::Arc;

use crate::lanes::reach::{self, Address, Found, Reach};
use crate::lanes::{Gang, LANES, Slot, rows};
use crate::lower::{Pc, Target};
use crate::observe::Places;
use crate::ptx::Space;

/// The memory around an address that a target leads to.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct Around {
    pub(in crate::machine) space: Space,
    /// Where the space begins among the addresses in registers.
    pub(in crate::machine) window: u64,
    /// The address of the first byte in the space, and the number of bytes.
    pub(in crate::machine) origin: u64,
    pub(in crate::machine) bytes: u64,
    /// The allocation of global memory; `None` for shared memory.
    pub(in crate::machine) allocation: Option<usize>,
}

/// The accesses of one operation of a gang, located.
#[derive(Debug)]
pub(in crate::machine) struct LocatedAccess {
    /// The operation, if another one may access the same places with another offset.
    pub(in crate::machine) pc: Option<Pc>,
    /// The offset of its target.
    pub(in crate::machine) offset: i64,
    pub(in crate::machine) around: Around,
    pub(in crate::machine) reach: Reach,
    /// If the lanes of all warps access consecutive elements: their first offset. Otherwise see
    /// `each`.
    pub(in crate::machine) row: Option<usize>,
    /// The accesses of each warp. Observers may keep it.
    pub(in crate::machine) each: Arc<Vec<Found>>,
    /// Added to the offsets of `row` and `each`.
    pub(in crate::machine) shift: usize,
    /// The offset of the lowest byte of all, and one past the last.
    pub(in crate::machine) ends: (usize, usize),
}

impl LocatedAccess {
    /// Moves the accesses to another target with the same register and size. Returns whether they
    /// are all good.
    #[inline]
    pub(in crate::machine) fn go_to(&mut self, target: &Target, base: Slot) -> bool {
        let Around { origin, window, bytes, .. } = self.around;
        let moved = |by: i64| {
            let low = i64::try_from(self.ends.0).ok()?.checked_add(by)?;
            let end = i64::try_from(self.ends.1).ok()?.checked_add(by)?;
            let is_inside = low >= 0 && end <= i64::try_from(bytes).ok()?;
            let is_aligned = by & i64::from(self.reach.bytes - 1) == 0;
            (is_inside && is_aligned).then_some((by as usize, low as usize, end as usize))
        };
        let Some((by, low, end)) = target.offset.checked_sub(self.offset).and_then(moved) else {
            return false;
        };
        self.shift = self.shift.wrapping_add(by);
        (self.offset, self.ends) = (target.offset, (low, end));
        self.reach = whole_access(target, base, origin + window);
        true
    }

    /// Locates the accesses of all warps of a gang, in memory of this many bytes. Returns whether
    /// all are good.
    pub(in crate::machine) fn look<A: Address>(
        &mut self,
        gang: &Gang<'_, '_>,
        target: &Target,
        bytes: usize,
    ) -> bool {
        self.shift = 0;
        let of_one = if target.elements == 1 { Some(self.reach) } else { None };
        self.row = of_one.and_then(|reach| rows::find_row::<A>(gang, reach, bytes));
        let warps = gang.members().len();
        if let Some(start) = self.row {
            self.ends = (start, start + warps * LANES * self.reach.bytes as usize);
            return true;
        }
        let each = Arc::make_mut(&mut self.each);
        each.resize(warps, Found::default());
        let good = reach::find::<A>(gang, self.reach, bytes, each);
        let active = self.each.iter().filter(|found| found.end > 0);
        self.ends = active
            .fold((usize::MAX, 0), |(low, end), found| (found.low.min(low), found.end.max(end)));
        good
    }

    /// The accesses of a warp: the offset of the lowest byte, and the bytes up to the last; none
    /// where no lane is active.
    #[inline]
    pub(in crate::machine) fn span(&self, warp: usize) -> (usize, usize) {
        let (low, bytes) = match self.row {
            Some(start) => {
                let bytes = LANES * self.reach.bytes as usize;
                (start + warp * bytes, bytes)
            }
            None => self.each.get(warp).map_or((0, 0), |one| (one.low, one.end - one.low)),
        };
        (low.wrapping_add(self.shift), bytes)
    }

    /// The same for some warps, as observers get it.
    pub(in crate::machine) fn places(&self, warps: Range<usize>) -> Places<'_> {
        let origin = self.around.origin.wrapping_add(self.shift as u64);
        match self.row {
            Some(start) => {
                let before = warps.start * LANES * self.reach.bytes as usize;
                Places::Row(origin.wrapping_add((start + before) as u64))
            }
            None => Places::Each { origin, found: &self.each, from: warps.start },
        }
    }
}

/// How many accesses are kept.
pub(in crate::machine) const KEPT: usize = 4;

/// The located accesses of a gang that executes operations in a row. Later operations may access
/// the same places with other offsets. Also memory for new ones.
#[derive(Debug, Default)]
pub(in crate::machine) struct LocatedAccesses {
    pub(in crate::machine) all: [Option<Box<LocatedAccess>>; KEPT],
    /// The next one to be replaced, when all are in use.
    pub(in crate::machine) next: usize,
}

impl LocatedAccesses {
    /// Forgets them: other warps or other lanes go on, or at another place.
    #[inline]
    pub(in crate::machine) fn forget(&mut self) {
        self.all.iter_mut().flatten().for_each(|one| one.pc = None);
    }

    /// Takes the accesses of an operation.
    #[inline]
    pub(in crate::machine) fn take(&mut self, pc: Pc) -> Option<Box<LocatedAccess>> {
        let is_it = |one: &&mut Option<Box<LocatedAccess>>| {
            one.as_ref().is_some_and(|found| found.pc == Some(pc))
        };
        self.all.iter_mut().find(is_it)?.take()
    }

    /// Memory that is no longer needed, if there is any.
    #[inline]
    pub(in crate::machine) fn room(&mut self) -> Option<Box<LocatedAccess>> {
        let is_free =
            |one: &Option<Box<LocatedAccess>>| one.as_ref().is_some_and(|found| found.pc.is_none());
        if let Some(free) = self.all.iter().position(is_free) {
            return self.all[free].take();
        }
        if self.all.iter().any(Option::is_none) {
            return None;
        }
        self.next = (self.next + 1) % KEPT;
        self.all[self.next].take()
    }

    /// Keeps located accesses.
    #[inline]
    pub(in crate::machine) fn keep(&mut self, found: Box<LocatedAccess>) {
        // At most as many are taken as are kept.
        if let Some(free) = self.all.iter_mut().find(|one| one.is_none()) {
            *free = Some(found);
        }
    }
}

/// An access to memory that begins at the address `origin`, from its first element on.
#[inline(always)]
pub(in crate::machine) fn whole_access(target: &Target, base: Slot, origin: u64) -> Reach {
    let shift = (target.offset as u64).wrapping_sub(origin);
    Reach { base, shift, bytes: target.width * target.elements, within: 0 }
}

#[cfg(test)]
mod tests;
