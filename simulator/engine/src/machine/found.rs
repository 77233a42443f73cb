//! Loads and stores of all lanes at once where memory is not in one piece, or somebody is told: it is found beforehand where all
//! of them go; then they are told, as one ([`Accesses`]), and happen.
//!
//! Nobody is told, and nothing happens, where an access is bad, or on both sides of the end of a page: that is left to
//! [`super::access`], for one warp after the other.

use super::access::window_of;
use super::at_once::{At, Shape, load_elements, store_elements, store_in_order, whole_access};
use super::memory::Pages;
use super::stage::Stage;
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::reach::{self, Found, Reach};
use crate::lanes::{Gang, Slot};
use crate::lower::{Base, Load, Pc, Store, Target};
use crate::observe::{AccessKind, Accesses, AddressRegister};
use crate::ptx::Space;

/// The memory around an address that a target leads to.
#[derive(Clone, Copy, Debug)]
struct Around {
    space: Space,
    /// Where the space begins among the addresses in registers.
    window: u64,
    /// The address of the first byte in the space, and how many there are.
    origin: u64,
    bytes: u64,
    /// Which allocation of global memory; `None` for shared memory.
    allocation: Option<usize>,
}

/// The accesses of a gang, found.
#[derive(Debug)]
struct FoundAll {
    /// The operation, where another one may go to the same places but for its offset.
    pc: Option<Pc>,
    /// The offset of its target.
    offset: i64,
    around: Around,
    reach: Reach,
    each: Vec<Found>,
    /// The offset of the lowest byte of all, and one past the last.
    ends: (usize, usize),
}

impl FoundAll {
    /// The same for another target that has the same register, and as many bytes; `None` where these are not all good.
    fn moved(mut self, target: &Target, base: Slot) -> Option<FoundAll> {
        let Around { origin, window, bytes, .. } = self.around;
        let by = target.offset.checked_sub(self.offset)?;
        let low = i64::try_from(self.ends.0).ok()?.checked_add(by)?;
        let end = i64::try_from(self.ends.1).ok()?.checked_add(by)?;
        let is_inside = low >= 0 && end <= i64::try_from(bytes).ok()?;
        if !is_inside || by & i64::from(self.reach.bytes - 1) != 0 {
            return None;
        }
        let shift = by as usize;
        for found in self.each.iter_mut().filter(|found| found.end > 0) {
            for half in found.halves.iter_mut().flatten() {
                half.start = half.start.wrapping_add(shift);
            }
            (found.low, found.end) = (found.low.wrapping_add(shift), found.end.wrapping_add(shift));
        }
        (self.offset, self.ends) = (target.offset, (low as usize, end as usize));
        self.reach = whole_access(target, base, origin + window);
        Some(self)
    }
}

/// How many accesses are remembered.
const KEPT: usize = 4;

/// Where accesses of a gang went that executes operations in a row, for those behind them that go to the same places but for their
/// offsets; and the memory for others.
#[derive(Debug, Default)]
pub(super) struct Founds(Vec<FoundAll>);

impl Founds {
    /// Forgets them: other warps go on, or other lanes, or somewhere else.
    #[inline]
    pub(super) fn forget(&mut self) {
        self.0.iter_mut().for_each(|one| one.pc = None);
    }

    /// Takes what was found of an operation.
    #[inline]
    fn take(&mut self, pc: Pc) -> Option<FoundAll> {
        let at = self.0.iter().position(|one| one.pc == Some(pc))?;
        Some(self.0.swap_remove(at))
    }

    /// Memory that nobody needs any more, as much as there is.
    #[inline]
    fn room(&mut self) -> Vec<Found> {
        let free = self.0.iter().position(|one| one.pc.is_none());
        let oldest = (self.0.len() == KEPT).then_some(0);
        let mut room = match free.or(oldest) {
            Some(at) => self.0.remove(at).each,
            None => Vec::new(),
        };
        room.clear();
        room
    }

    /// Keeps what was found.
    #[inline]
    fn keep(&mut self, found: FoundAll) {
        self.0.push(found);
    }
}

impl Stage<'_, '_> {
    /// The memory around an address that a target leads to.
    #[inline]
    fn around(&mut self, target: &Target, address: u64) -> Option<Around> {
        let (space, window) = match target.space {
            Some(space) => (space, 0),
            None => window_of(target, address),
        };
        match space {
            Space::Global => {
                let (origin, end, allocation) = self.global.around(address - window)?;
                Some(Around {
                    space,
                    window,
                    origin,
                    bytes: end - origin,
                    allocation: Some(allocation),
                })
            }
            Space::Shared => {
                let bytes = self.common.shared.bytes();
                Some(Around { space, window, origin: 0, bytes, allocation: None })
            }
            Space::Local | Space::Const | Space::Param | Space::Tex => None,
        }
    }

    #[inline]
    fn pages_of(&self, around: &Around) -> &Pages {
        match around.allocation {
            Some(allocation) => self.global.pages(allocation),
            None => &self.common.shared,
        }
    }

    #[inline]
    fn pages_of_mut(&mut self, around: &Around) -> &mut Pages {
        match around.allocation {
            Some(allocation) => self.global.pages_mut(allocation),
            None => &mut self.common.shared,
        }
    }

    /// Finds where all accesses of a gang go, from the address of one of them on.
    #[inline]
    fn find_all(
        &mut self,
        gang: &Gang<'_, '_>,
        target: &Target,
        (first, base): (u64, Slot),
        at: At<'_>,
    ) -> Option<FoundAll> {
        let pc = at.in_a_row.then_some(at.pc);
        let before = pc.and_then(|pc| self.environment.program.again.before(pc));
        let known = before.and_then(|before| self.found.take(before));
        if let Some(found) = known.and_then(|found| found.moved(target, base)) {
            return Some(FoundAll { pc, ..found });
        }
        let around = self.around(target, first)?;
        let reach = whole_access(target, base, around.origin + around.window);
        let bytes = usize::try_from(around.bytes).ok()?;
        let mut each = self.found.room();
        each.resize(gang.members().len(), Found::default());
        let good = match target.base {
            Base::W64(_) => reach::find::<u64>(gang, reach, bytes, &mut each),
            Base::W32(_) => reach::find::<u32>(gang, reach, bytes, &mut each),
            Base::Absolute | Base::Frame | Base::FrameParam => false,
        };
        let active = each.iter().filter(|found| found.end > 0);
        let ends = active
            .fold((usize::MAX, 0), |(low, end), found| (found.low.min(low), found.end.max(end)));
        good.then_some(FoundAll { pc, offset: target.offset, around, reach, each, ends })
    }

    /// Loads for a gang, from memory of any form, after somebody was told of it if they want to be.
    #[inline(never)]
    pub(super) fn load_found(
        &mut self,
        gang: &mut Gang<'_, '_>,
        load: &Load,
        shape: Shape,
        first: (u64, Slot),
        at: At<'_>,
    ) -> Result<bool, InternalError> {
        let Some(found) = self.find_all(gang, &load.target, first, at) else { return Ok(false) };
        let done = self.load_where(gang, load, shape, &found, at);
        self.found.keep(found);
        done
    }

    fn load_where(
        &mut self,
        gang: &mut Gang<'_, '_>,
        load: &Load,
        shape: Shape,
        found: &FoundAll,
        at: At<'_>,
    ) -> Result<bool, InternalError> {
        let pages = self.pages_of(&found.around);
        let (low, end) = found.ends;
        let whole = pages.span(low as u64, end - low).is_some();
        let is_there = |one: &Found| pages.span(one.low as u64, one.end - one.low).is_some();
        if !whole && !found.each.iter().all(is_there) {
            return Ok(false);
        }
        self.tell_all(gang, AccessKind::Read, &load.target, found, at);
        let pages = self.pages_of(&found.around);
        if whole {
            let memory = pages.span(low as u64, end - low).ok_or_else(lost)?;
            let reach = from(found.reach, low);
            let done = load_known(gang, load, shape, reach, memory, (&found.each, low));
            return if done { Ok(true) } else { Err(lost()) };
        }
        for (warp, one) in found.each.iter().enumerate().filter(|(_, one)| one.end > 0) {
            let memory = pages.span(one.low as u64, one.end - one.low).ok_or_else(lost)?;
            let mut part = gang.part(warp..warp + 1).ok_or_else(lost)?;
            if !load_elements(&mut part, load, shape, from(found.reach, one.low), memory) {
                return Err(lost());
            }
        }
        Ok(true)
    }

    /// The same for a store.
    #[inline(never)]
    pub(super) fn store_found(
        &mut self,
        gang: &mut Gang<'_, '_>,
        store: &Store,
        shape: Shape,
        first: (u64, Slot),
        at: At<'_>,
    ) -> Result<bool, InternalError> {
        let Some(found) = self.find_all(gang, &store.target, first, at) else { return Ok(false) };
        let done = self.store_where(gang, store, shape, &found, at);
        self.found.keep(found);
        done
    }

    fn store_where(
        &mut self,
        gang: &mut Gang<'_, '_>,
        store: &Store,
        shape: Shape,
        found: &FoundAll,
        at: At<'_>,
    ) -> Result<bool, InternalError> {
        let pages = self.pages_of_mut(&found.around);
        let (low, end) = found.ends;
        let whole = pages.span_mut(low as u64, end - low).is_some();
        let mut is_there = |one: &Found| {
            one.end == 0 || pages.span_mut(one.low as u64, one.end - one.low).is_some()
        };
        if !whole && !found.each.iter().all(&mut is_there) {
            return Ok(false);
        }
        self.tell_all(gang, AccessKind::Write, &store.target, found, at);
        let pages = self.pages_of_mut(&found.around);
        if whole {
            let memory = pages.span_mut(low as u64, end - low).ok_or_else(lost)?;
            let done = store_in_order(gang, store, shape, from(found.reach, low), memory, at);
            return if done { Ok(true) } else { Err(lost()) };
        }
        for warp in at.in_order(found.each.len()).flatten() {
            let one = &found.each[warp];
            if one.end == 0 {
                continue;
            }
            let memory = pages.span_mut(one.low as u64, one.end - one.low).ok_or_else(lost)?;
            let mut part = gang.part(warp..warp + 1).ok_or_else(lost)?;
            if !store_elements(&mut part, store, shape, from(found.reach, one.low), memory) {
                return Err(lost());
            }
        }
        Ok(true)
    }

    /// Tells the observer of all accesses of a gang, in their order, if they want to be told.
    fn tell_all(
        &mut self,
        gang: &Gang<'_, '_>,
        kind: AccessKind,
        target: &Target,
        found: &FoundAll,
        at: At<'_>,
    ) {
        let base = match target.base {
            Base::W64(slot) => AddressRegister::W64(slot),
            Base::W32(slot) => AddressRegister::W32(slot),
            Base::Absolute | Base::Frame | Base::FrameParam => return,
        };
        if !self.observes_accesses() {
            return;
        }
        let Some(observer) = self.observer.as_deref_mut() else { return };
        let Around { space, window, origin, .. } = found.around;
        for range in at.in_order(found.each.len()) {
            observer.accesses(&Accesses {
                program: &self.environment.program,
                pc: at.pc,
                block: self.block,
                block_index: self.block_index,
                kind,
                space,
                target,
                base,
                window,
                origin,
                low: origin + found.ends.0 as u64,
                end: origin + found.ends.1 as u64,
                who: &at.who[range.clone()],
                members: &gang.members()[range.clone()],
                found: &found.each[range],
            });
        }
    }
}

/// An access in the memory behind an offset.
fn from(reach: Reach, offset: usize) -> Reach {
    Reach { shift: reach.shift.wrapping_sub(offset as u64), ..reach }
}

/// What was found to be there is not.
fn lost() -> InternalError {
    internal!("an access that was found leaves its memory")
}

/// Loads all elements for each lane of warps of which it has been found what they access, in a memory that begins behind
/// an offset. Whether it did.
#[inline(always)]
fn load_known(
    gang: &mut Gang<'_, '_>,
    load: &Load,
    shape: Shape,
    mut reach: Reach,
    memory: &[u8],
    found: (&[Found], usize),
) -> bool {
    for into in &load.destinations {
        if let Some(into) = *into
            && !load_known_element(gang, shape, reach, memory, into, found)
        {
            return false;
        }
        reach.within += load.target.width;
    }
    true
}

#[inline(always)]
fn load_known_element(
    gang: &mut Gang<'_, '_>,
    shape: Shape,
    reach: Reach,
    memory: &[u8],
    into: Slot,
    found: (&[Found], usize),
) -> bool {
    match shape {
        Shape::Byte => reach::load_found::<u64, u8, u32>(gang, reach, memory, into, found),
        Shape::Half => reach::load_found::<u64, u16, u32>(gang, reach, memory, into, found),
        Shape::Word => reach::load_found::<u64, u32, u32>(gang, reach, memory, into, found),
        Shape::Double => reach::load_found::<u64, u64, u64>(gang, reach, memory, into, found),
        Shape::WordFrom32 => reach::load_found::<u32, u32, u32>(gang, reach, memory, into, found),
        Shape::DoubleFrom32 => reach::load_found::<u32, u64, u64>(gang, reach, memory, into, found),
    }
}
