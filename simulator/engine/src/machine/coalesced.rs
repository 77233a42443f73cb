//! The usual access, fast: every active lane loads or stores one word of 4 or 8 bytes, all in one
//! page; or all load one parameter of the kernel.
//!
//! Gives exactly what [`super::access`] gives, which is asked whenever this does not apply: lanes
//! in several pages, vectors, bytes, an address out of bounds or misaligned, somebody who watches every
//! instruction.

use super::access::{Addresses, By, take};
use super::memory::{PAGE_BYTES, highest_in_page, one_page};
use super::stage::Stage;
use super::warp::Warp;
use crate::lanes::{LANES, Mask, lanes_of, write_lanes};
use crate::lower::{Base, Load, Store, Target};
use crate::observe::AccessKind;
use crate::ptx::Space;

const PAGE: u64 = PAGE_BYTES as u64;

/// A page of a space: where in it, which allocation of global memory it belongs to.
struct Place {
    allocation: usize,
    page: usize,
}

impl Stage<'_, '_> {
    /// Executes a load if it is a usual one. Whether it was.
    #[inline]
    pub(super) fn load_word(
        &mut self,
        warp: &mut Warp,
        load: &Load,
        by: By,
        found: &Addresses,
    ) -> bool {
        let [Some(destination)] = load.destinations.as_slice() else { return false };
        if !matches!((load.target.width, load.wide), (4, false) | (8, true)) {
            return false;
        }
        let Some(place) = self.usual(&load.target, by, found) else { return false };
        self.report_word(warp, &load.target, by, found, AccessKind::Read);
        let words = match load.target.space {
            Some(Space::Shared) => self.common.shared.page_words(place.page),
            _ => self.global.page_words(place.allocation, place.page),
        };
        let registers = &mut warp.frames[usize::from(by.frame)].registers;
        if load.wide {
            let mut values = [0; LANES];
            for lane in 0..LANES {
                let at = index(found[lane]) & !1;
                values[lane] = u64::from(words[at]) | u64::from(words[at | 1]) << 32;
            }
            write_lanes(registers, *destination, by.active, &values);
        } else {
            let mut values = [0; LANES];
            for lane in 0..LANES {
                values[lane] = words[index(found[lane])];
            }
            write_lanes(registers, *destination, by.active, &values);
        }
        true
    }

    /// Executes a load of a kernel parameter, which is the same for all lanes. Whether it was one.
    #[inline]
    pub(super) fn load_parameter(&self, warp: &mut Warp, load: &Load, by: By) -> bool {
        let target = &load.target;
        let ([Some(destination)], Base::Absolute) = (load.destinations.as_slice(), target.base)
        else {
            return false;
        };
        let parameters = &self.environment.parameters;
        let end = (target.offset as u64).saturating_add(target.width.into());
        let aligned = (target.offset as u64).is_multiple_of(target.width.into());
        let plain = target.width == if load.wide { 8 } else { 4 };
        if self.is_watched() || !plain || !aligned || end > parameters.bytes() {
            return false;
        }
        let value = parameters.read(target.offset as u64, target.width);
        let registers = &mut warp.frames[usize::from(by.frame)].registers;
        if load.wide {
            write_lanes(registers, *destination, by.active, &[value; LANES]);
        } else {
            write_lanes(registers, *destination, by.active, &[value as u32; LANES]);
        }
        true
    }

    /// Executes a store if it is a usual one. Whether it was.
    #[inline]
    pub(super) fn store_word(
        &mut self,
        warp: &Warp,
        store: &Store,
        by: By,
        found: &Addresses,
    ) -> bool {
        let [source] = store.sources.as_slice() else { return false };
        let width = store.target.width;
        if width < 4 || (width == 8) != store.wide {
            return false;
        }
        let Some(place) = self.usual(&store.target, by, found) else { return false };
        self.report_word(warp, &store.target, by, found, AccessKind::Write);
        let words = match store.target.space {
            Some(Space::Shared) => self.common.shared.page_words_mut(place.page),
            _ => self.global.page_words_mut(place.allocation, place.page),
        };
        let Some(words) = words else { return false };
        let registers = &warp.frames[usize::from(by.frame)].registers;
        if width == 4 {
            let values = registers.w32(*source);
            each_from_above(by.active, |lane| words[index(found[lane])] = values[lane]);
        } else {
            let values = take(registers, *source, true);
            each_from_above(by.active, |lane| {
                let at = index(found[lane]) & !1;
                words[at] = values[lane] as u32;
                words[at | 1] = (values[lane] >> 32) as u32;
            });
        }
        true
    }

    /// Tells the observer of a usual access.
    #[inline]
    fn report_word(
        &mut self,
        warp: &Warp,
        target: &Target,
        by: By,
        found: &Addresses,
        kind: AccessKind,
    ) {
        if self.tells_accesses()
            && let Some(space) = target.space
        {
            self.report_access(warp, target, by, space, found, kind);
        }
    }

    /// The one page that all lanes access, in bounds and aligned.
    #[inline]
    fn usual(&mut self, target: &Target, by: By, found: &Addresses) -> Option<Place> {
        if self.is_watched() || !matches!(target.base, Base::W32(_) | Base::W64(_) | Base::Absolute)
        {
            return None;
        }
        let bytes = target.width;
        let (first, any) = one_page(found, by.active, bytes)?;
        let (base, end, allocation) = match target.space {
            Some(Space::Shared) => (0, self.common.shared.bytes(), 0),
            Some(Space::Global) => self.global.around(first)?,
            _ => return None,
        };
        let page = (first - base) / PAGE;
        let in_page = (end - base).checked_sub(page * PAGE)?;
        // No address is above the bits that any of them has, which is cheaper to know than the
        // highest.
        let inside = in_page >= PAGE
            || any % PAGE + u64::from(bytes) <= in_page
            || u64::from(highest_in_page(found, by.active)) + u64::from(bytes) <= in_page;
        inside.then_some(Place { allocation, page: page as usize })
    }
}

/// Calls `store` for the lanes of a mask from the highest down: of lanes that hit one cell the
/// lowest wins.
#[inline(always)]
fn each_from_above(mask: Mask, store: impl FnMut(usize)) {
    if mask == Mask::MAX {
        (0..LANES).rev().for_each(store);
    } else {
        lanes_of(mask).rev().for_each(store);
    }
}

/// The word of its page that an address is in.
#[inline(always)]
fn index(address: u64) -> usize {
    (address / 4) as usize % (PAGE_BYTES / 4)
}
