//! Loads and stores of all lanes at once where memory is not in one piece, an observer watches, or
//! blocks run ahead of their turn. It first locates all accesses, then reports them as one
//! ([`Accesses`]) or notes them, and then carries them out.
//!
//! A bad access, or one on both sides of a page's end, is neither reported nor carried out here.
//! [`super::general`] executes it, one warp after the other. The result equals its `slowly`.
//! `of_warps_that_do_the_same_again_and_again_the_same_is_told_as_of_single_turns`
//! (`simulator/tests/suite/told.rs`) compares the reports, and
//! `the_fast_path_gives_what_the_slow_one_gives` (`machine/tests.rs`) the results of one warp.

use std::sync::Arc;

use super::addresses::window_of;
use super::all_lanes::{At, Shape, load_elements, store_elements, store_in_order};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::reach::{self, Found, Reach};
use crate::lanes::{Gang, LANES, Slot, rows};
use crate::lower::{Base, Load, Store, Target};
use crate::machine::memory::Pages;
use crate::machine::state::execution::Execution;
use crate::machine::state::located::{Around, LocatedAccess, whole_access};
use crate::observe::{AccessKind, Accesses, AddressRegister};
use crate::ptx::Space;

impl Execution<'_, '_> {
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

    /// Locates all accesses of a gang, given the address of the first one.
    #[inline]
    fn locate_all(
        &mut self,
        gang: &Gang<'_, '_>,
        target: &Target,
        (first, base): (u64, Slot),
        at: At<'_>,
    ) -> Option<Box<LocatedAccess>> {
        let pc = at.in_a_row.then_some(at.pc);
        let before = pc.and_then(|pc| self.environment.program.again.before(pc));
        if let Some(mut known) = before.and_then(|before| self.found.take(before)) {
            if known.go_to(target, base) {
                known.pc = pc;
                return Some(known);
            }
            known.pc = None;
            self.found.keep(known);
        }
        let around = self.around(target, first)?;
        let reach = whole_access(target, base, around.origin + around.window);
        let bytes = usize::try_from(around.bytes).ok()?;
        let offset = target.offset;
        let mut found = match self.found.room() {
            Some(mut room) => {
                (room.pc, room.offset, room.around, room.reach) = (pc, offset, around, reach);
                room
            }
            None => {
                let (each, row, shift, ends) = (Arc::default(), None, 0, (0, 0));
                Box::new(LocatedAccess { pc, offset, around, reach, row, each, shift, ends })
            }
        };
        let good = match target.base {
            Base::W64(_) => found.look::<u64>(gang, target, bytes),
            Base::W32(_) => found.look::<u32>(gang, target, bytes),
            Base::Absolute | Base::Frame | Base::FrameParam => false,
        };
        if !good {
            found.pc = None;
            self.found.keep(found);
            return None;
        }
        Some(found)
    }

    /// Loads for a gang, from memory of any form, after the report to the observer, if there is
    /// one.
    #[inline(never)]
    pub(in crate::machine) fn load_after_locating(
        &mut self,
        gang: &mut Gang<'_, '_>,
        load: &Load,
        shape: Shape,
        first: (u64, Slot),
        at: At<'_>,
    ) -> Result<bool, InternalError> {
        let Some(found) = self.locate_all(gang, &load.target, first, at) else { return Ok(false) };
        self.note_all(gang, AccessKind::Read, &load.target, &found)?;
        let done = self.load_where(gang, load, shape, &found, at);
        self.found.keep(found);
        done
    }

    fn load_where(
        &mut self,
        gang: &mut Gang<'_, '_>,
        load: &Load,
        shape: Shape,
        found: &LocatedAccess,
        at: At<'_>,
    ) -> Result<bool, InternalError> {
        let pages = self.pages_of(&found.around);
        let (low, end) = found.ends;
        let whole = pages.span(low as u64, end - low).is_some();
        let warps = gang.members().len();
        let is_there = |warp: usize| {
            let (low, bytes) = found.span(warp);
            bytes == 0 || pages.span(low as u64, bytes).is_some()
        };
        if !whole && !(0..warps).all(is_there) {
            return Ok(false);
        }
        self.tell_all(gang, AccessKind::Read, &load.target, found, at);
        let pages = self.pages_of(&found.around);
        if whole {
            let memory = pages.span(low as u64, end - low).ok_or_else(lost)?;
            let reach = from(found.reach, low);
            let behind = low.wrapping_sub(found.shift);
            let done = match (found.row, load.destinations.as_slice()) {
                (Some(_), [Some(into)]) => load_row(gang, shape, memory, *into),
                (Some(_), _) => false,
                (None, _) => load_known(gang, load, shape, reach, memory, (&found.each, behind)),
            };
            return if done { Ok(true) } else { Err(lost()) };
        }
        for warp in 0..warps {
            let (low, bytes) = found.span(warp);
            if bytes == 0 {
                continue;
            }
            let memory = pages.span(low as u64, bytes).ok_or_else(lost)?;
            let mut part = gang.part(warp..warp + 1).ok_or_else(lost)?;
            if !load_elements(&mut part, load, shape, from(found.reach, low), memory) {
                return Err(lost());
            }
        }
        Ok(true)
    }

    /// The same for a store.
    #[inline(never)]
    pub(in crate::machine) fn store_after_locating(
        &mut self,
        gang: &mut Gang<'_, '_>,
        store: &Store,
        shape: Shape,
        first: (u64, Slot),
        at: At<'_>,
    ) -> Result<bool, InternalError> {
        let Some(found) = self.locate_all(gang, &store.target, first, at) else { return Ok(false) };
        self.note_all(gang, AccessKind::Write, &store.target, &found)?;
        let done = self.store_where(gang, store, shape, &found, at);
        self.found.keep(found);
        done
    }

    fn store_where(
        &mut self,
        gang: &mut Gang<'_, '_>,
        store: &Store,
        shape: Shape,
        found: &LocatedAccess,
        at: At<'_>,
    ) -> Result<bool, InternalError> {
        let pages = self.pages_of_mut(&found.around);
        let (low, end) = found.ends;
        let whole = pages.span_mut(low as u64, end - low).is_some();
        let warps = gang.members().len();
        let mut is_there = |warp: usize| {
            let (low, bytes) = found.span(warp);
            bytes == 0 || pages.span_mut(low as u64, bytes).is_some()
        };
        if !whole && !(0..warps).all(&mut is_there) {
            return Ok(false);
        }
        self.tell_all(gang, AccessKind::Write, &store.target, found, at);
        let pages = self.pages_of_mut(&found.around);
        if whole {
            let memory = pages.span_mut(low as u64, end - low).ok_or_else(lost)?;
            let done = match (found.row, store.sources.as_slice()) {
                (Some(_), [source]) => store_row(gang, shape, memory, *source),
                (Some(_), _) => false,
                (None, _) => store_in_order(gang, store, shape, from(found.reach, low), memory, at),
            };
            return if done { Ok(true) } else { Err(lost()) };
        }
        for warp in at.in_order(warps).flatten() {
            let (low, bytes) = found.span(warp);
            if bytes == 0 {
                continue;
            }
            let memory = pages.span_mut(low as u64, bytes).ok_or_else(lost)?;
            let mut part = gang.part(warp..warp + 1).ok_or_else(lost)?;
            if !store_elements(&mut part, store, shape, from(found.reach, low), memory) {
                return Err(lost());
            }
        }
        Ok(true)
    }

    /// Notes all accesses of a gang to the memory of blocks that run ahead of their turn. A noted
    /// access that does not happen does no harm.
    fn note_all(
        &mut self,
        gang: &Gang<'_, '_>,
        kind: AccessKind,
        target: &Target,
        found: &LocatedAccess,
    ) -> Result<(), InternalError> {
        let Some(allocation) = found.around.allocation.filter(|_| self.global.is_speculative())
        else {
            return Ok(());
        };
        let bytes = u64::from(found.reach.bytes);
        if found.row.is_some() {
            if bytes < 4 {
                let mut warps = 0..gang.members().len();
                return warps
                    .try_for_each(|warp| self.note_warp(gang, warp, (kind, target), found));
            }
            let (low, end) = found.ends;
            self.global.note_run(kind, allocation, low as u64..end as u64);
            return Ok(());
        }
        let mut run = 0..0;
        for (warp, one) in found.each.iter().enumerate().filter(|(_, one)| one.end > 0) {
            let Some(halves) = one.halves.filter(|_| bytes >= 4) else {
                self.note_warp(gang, warp, (kind, target), found)?;
                continue;
            };
            for half in halves {
                let start = half.start.wrapping_add(found.shift) as u64;
                let end = start + if half.is_row { LANES as u64 / 2 * bytes } else { bytes };
                if start == run.end {
                    run.end = end;
                } else {
                    self.global.note_run(kind, allocation, std::mem::replace(&mut run, start..end));
                }
            }
        }
        self.global.note_run(kind, allocation, run);
        Ok(())
    }

    /// Notes the accesses of one warp, lane by lane.
    fn note_warp(
        &mut self,
        gang: &Gang<'_, '_>,
        warp: usize,
        (kind, target): (AccessKind, &Target),
        found: &LocatedAccess,
    ) -> Result<(), InternalError> {
        let Reach { shift, bytes, .. } = found.reach;
        let lost = || internal!("an access of warp {warp} of a gang was found, and is none");
        let (offsets, mask) = match target.base {
            Base::W64(base) => {
                let (base, mask) = gang.of_warp::<u64>(warp, base).ok_or_else(lost)?;
                (base.map(|address| address.wrapping_add(shift)), mask)
            }
            Base::W32(base) => {
                let (base, mask) = gang.of_warp::<u32>(warp, base).ok_or_else(lost)?;
                (base.map(|address| address.wrapping_add(shift as u32).into()), mask)
            }
            Base::Absolute | Base::Frame | Base::FrameParam => return Err(lost()),
        };
        let addresses = offsets.map(|offset| offset.wrapping_add(found.around.origin));
        self.global.note(kind, &addresses, mask, bytes);
        Ok(())
    }

    /// Reports all accesses of a gang to the observer, in their order, if it asks for them.
    fn tell_all(
        &mut self,
        gang: &Gang<'_, '_>,
        kind: AccessKind,
        target: &Target,
        found: &LocatedAccess,
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
        for range in at.in_order(gang.members().len()) {
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
                low: origin + found.ends.0 as u64,
                end: origin + found.ends.1 as u64,
                who: &at.who[range.clone()],
                members: &gang.members()[range.clone()],
                places: found.places(range),
            });
        }
    }
}

/// An access in the memory behind an offset.
fn from(reach: Reach, offset: usize) -> Reach {
    Reach { shift: reach.shift.wrapping_sub(offset as u64), ..reach }
}

/// A located access leaves its memory.
fn lost() -> InternalError {
    internal!("an access that was found leaves its memory")
}

/// Loads an element for each lane of all warps; the elements follow each other from the beginning
/// of `memory`. Returns whether it did so.
#[inline(always)]
fn load_row(gang: &mut Gang<'_, '_>, shape: Shape, memory: &[u8], into: Slot) -> bool {
    match shape {
        Shape::Byte => rows::load_row::<u8, u32>(gang, memory, into),
        Shape::Half => rows::load_row::<u16, u32>(gang, memory, into),
        Shape::Word | Shape::WordFrom32 => rows::load_row::<u32, u32>(gang, memory, into),
        Shape::Double | Shape::DoubleFrom32 => rows::load_row::<u64, u64>(gang, memory, into),
    }
}

/// The same for a store.
#[inline(always)]
fn store_row(gang: &mut Gang<'_, '_>, shape: Shape, memory: &mut [u8], from: Slot) -> bool {
    match shape {
        Shape::Byte => rows::store_row::<u8, u32>(gang, memory, from),
        Shape::Half => rows::store_row::<u16, u32>(gang, memory, from),
        Shape::Word | Shape::WordFrom32 => rows::store_row::<u32, u32>(gang, memory, from),
        Shape::Double | Shape::DoubleFrom32 => rows::store_row::<u64, u64>(gang, memory, from),
    }
}

/// Loads all elements for each lane of warps whose accesses are located, from a memory that begins
/// behind an offset. Returns whether it did so.
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
