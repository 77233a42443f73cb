//! Loads and stores of all lanes at once: elements of 1 to 8 bytes in flat memory, global or shared, of which nobody is
//! told.
//!
//! One loop over the register with the addresses finds whether all of them are good, and another copies the elements
//! ([`crate::lanes::reach`]). Gives exactly what [`super::access`] gives, which is asked whenever this does not apply: an
//! address out of bounds or misaligned, lanes in several allocations, memory of which pages are shared.

use super::access::{By, window_of};
use super::stage::Stage;
use super::warp::Warp;
use crate::lanes::reach::{self, Reach};
use crate::lanes::{LANES, Mask, Registers, Slot};
use crate::lower::{Base, Load, Store, Target};
use crate::ptx::Space;

impl Stage<'_, '_> {
    /// The flat memory around an address that a target leads to, and the address of its first byte, if nobody is told
    /// of accesses to it.
    #[inline(always)]
    fn flat_around(&mut self, target: &Target, address: u64) -> Option<(&mut [u8], u64)> {
        let (space, window) = match target.space {
            Some(space) => (space, 0),
            None => window_of(target, address),
        };
        match space {
            Space::Global if !self.tells_accesses() => {
                let (origin, _, allocation) = self.global.around(address - window)?;
                Some((self.global.pages_mut(allocation).flat_mut()?, origin + window))
            }
            Space::Shared if !self.observes_accesses() => {
                Some((self.common.shared.flat_mut()?, window))
            }
            Space::Global
            | Space::Shared
            | Space::Local
            | Space::Const
            | Space::Param
            | Space::Tex => None,
        }
    }

    /// Executes a load from flat memory of which nobody is told, all lanes at once. Whether it was one.
    #[inline(always)]
    pub(super) fn load_at_once(&mut self, warp: &mut Warp, load: &Load, by: By) -> bool {
        let target = &load.target;
        let registers = &mut warp.frames[usize::from(by.frame)].registers;
        let Some((first, base)) = first_address(target, registers, by.active) else { return false };
        // Where a piece overwrites the address, the next ones would go elsewhere. And one that is kept is looked at.
        let pieces = load.destinations.as_slice();
        let is_kept = pieces.iter().any(Option::is_some);
        if load.signed || !is_kept || pieces.len() > 1 && pieces.contains(&Some(base)) {
            return false;
        }
        let Some((memory, origin)) = self.flat_around(target, first) else { return false };
        let mut reach = whole_access(target, base, origin, by.active);
        for into in pieces {
            if let Some(into) = *into
                && !load_element(registers, target, load.wide, reach, memory, into)
            {
                return false;
            }
            reach.within += target.width;
        }
        true
    }

    /// The same for a store.
    #[inline(always)]
    pub(super) fn store_at_once(&mut self, warp: &Warp, store: &Store, by: By) -> bool {
        let target = &store.target;
        let registers = &warp.frames[usize::from(by.frame)].registers;
        let Some((first, base)) = first_address(target, registers, by.active) else { return false };
        let Some((memory, origin)) = self.flat_around(target, first) else { return false };
        let mut reach = whole_access(target, base, origin, by.active);
        for from in &store.sources {
            if !store_element(registers, target, store.wide, reach, memory, *from) {
                return false;
            }
            reach.within += target.width;
        }
        true
    }
}

/// The address of the lowest active lane, and the register that it is in with those of the others.
#[inline(always)]
fn first_address(target: &Target, registers: &Registers, mask: Mask) -> Option<(u64, Slot)> {
    let lane = mask.trailing_zeros() as usize % LANES;
    match target.base {
        Base::W64(slot) => {
            Some((registers.w64(slot)[lane].wrapping_add(target.offset as u64), slot))
        }
        Base::W32(slot) => {
            Some((registers.w32(slot)[lane].wrapping_add(target.offset as u32).into(), slot))
        }
        Base::Absolute | Base::Frame | Base::FrameParam => None,
    }
}

/// An access to memory that begins at the address `origin`, from its first element on.
#[inline(always)]
fn whole_access(target: &Target, base: Slot, origin: u64, mask: Mask) -> Reach {
    let shift = (target.offset as u64).wrapping_sub(origin);
    Reach { base, shift, bytes: target.width * target.elements, within: 0, mask }
}

/// Loads an element for each lane. Whether there is a quick way.
#[inline(always)]
fn load_element(
    registers: &mut Registers,
    target: &Target,
    wide: bool,
    reach: Reach,
    memory: &[u8],
    into: Slot,
) -> bool {
    let narrow_base = matches!(target.base, Base::W32(_));
    match (target.width, wide, narrow_base) {
        (4, false, false) => reach::load::<u64, u32, u32>(registers, reach, memory, into),
        (4, false, true) => reach::load::<u32, u32, u32>(registers, reach, memory, into),
        (8, true, false) => reach::load::<u64, u64, u64>(registers, reach, memory, into),
        (8, true, true) => reach::load::<u32, u64, u64>(registers, reach, memory, into),
        (1, false, false) => reach::load::<u64, u8, u32>(registers, reach, memory, into),
        (2, false, false) => reach::load::<u64, u16, u32>(registers, reach, memory, into),
        // Rare: from a narrow base, or to a register that is wider than need be. And elements of 16 bytes, which
        // have two registers each.
        _ => false,
    }
}

/// Stores an element of each lane. Whether there is a quick way.
#[inline(always)]
fn store_element(
    registers: &Registers,
    target: &Target,
    wide: bool,
    reach: Reach,
    memory: &mut [u8],
    from: Slot,
) -> bool {
    let narrow_base = matches!(target.base, Base::W32(_));
    match (target.width, wide, narrow_base) {
        (4, false, false) => reach::store::<u64, u32, u32>(registers, reach, memory, from),
        (4, false, true) => reach::store::<u32, u32, u32>(registers, reach, memory, from),
        (8, true, false) => reach::store::<u64, u64, u64>(registers, reach, memory, from),
        (8, true, true) => reach::store::<u32, u64, u64>(registers, reach, memory, from),
        (1, false, false) => reach::store::<u64, u8, u32>(registers, reach, memory, from),
        (2, false, false) => reach::store::<u64, u16, u32>(registers, reach, memory, from),
        // As for loads.
        _ => false,
    }
}
