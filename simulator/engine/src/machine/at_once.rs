//! Loads and stores of all lanes at once, of one warp or of all warps of a gang: elements of 1 to 8
//! bytes in global or shared memory.
//!
//! One loop over the register with the addresses finds whether all of them are good, and another
//! copies the elements ([`crate::lanes::reach`]). Where memory is not in one piece, or somebody is
//! told, or accesses are noted, it is found beforehand where all of them go ([`super::found`]).
//! Gives exactly what [`super::access`] gives, which is asked whenever this does not apply: an
//! address out of bounds or misaligned, lanes in several allocations or on both sides of the end of
//! a page.

use std::ops::Range;

use super::access::{By, window_of};
#[cfg(doc)]
use super::found::Founds;
use super::stage::Stage;
use super::warp::Warp;
use crate::internal::InternalError;
use crate::lanes::reach::{self, Reach};
use crate::lanes::{Gang, Member, Slot};
use crate::lower::{Base, Load, Pc, Store, Target};
use crate::observe::Who;
use crate::ptx::Space;

/// Where warps stand that access at once, and in which order they do.
#[derive(Clone, Copy, Debug)]
pub(super) struct At<'a> {
    pub(super) pc: Pc,
    /// Who they are; nobody where nobody is told.
    pub(super) who: &'a [Who<'a>],
    /// The warps from this number on come before the others.
    pub(super) behind: usize,
    /// They have executed together, with these lanes, whatever comes before it in its basic block,
    /// as far as [`Founds`] has been told.
    pub(super) in_a_row: bool,
}

impl At<'_> {
    /// The warps in their order, of so many: ranges with warps in them.
    #[inline]
    pub(super) fn in_order(&self, warps: usize) -> impl Iterator<Item = Range<usize>> {
        let first = self.behind.min(warps);
        [first..warps, 0..first].into_iter().filter(|range| !range.is_empty())
    }
}

/// How the elements of an access lie in memory and in registers.
#[derive(Clone, Copy)]
pub(super) enum Shape {
    /// Elements of 1, 2 and 4 bytes in registers of 4, at addresses of 8.
    Byte,
    Half,
    Word,
    /// Elements of 8 bytes in registers of 8.
    Double,
    /// The same at addresses of 4 bytes.
    WordFrom32,
    DoubleFrom32,
}

impl Shape {
    /// The shape of an access; `None` for those that are rare: from a narrow base, or to a register
    /// that is wider than need be. And elements of 16 bytes, which have two registers each.
    #[inline(always)]
    fn of(target: &Target, wide: bool) -> Option<Shape> {
        match (target.base, target.width, wide) {
            (Base::W64(_), 1, false) => Some(Shape::Byte),
            (Base::W64(_), 2, false) => Some(Shape::Half),
            (Base::W64(_), 4, false) => Some(Shape::Word),
            (Base::W64(_), 8, true) => Some(Shape::Double),
            (Base::W32(_), 4, false) => Some(Shape::WordFrom32),
            (Base::W32(_), 8, true) => Some(Shape::DoubleFrom32),
            (
                Base::W64(_) | Base::W32(_) | Base::Absolute | Base::Frame | Base::FrameParam,
                0..,
                true | false,
            ) => None,
        }
    }
}

impl Stage<'_, '_> {
    /// The flat memory around an address that a target leads to, and the address of its first byte,
    /// if nobody is told of accesses to it.
    #[inline(always)]
    pub(super) fn flat_around(
        &mut self,
        target: &Target,
        address: u64,
    ) -> Option<(&mut [u8], u64)> {
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

    /// Executes a load of one warp, all lanes at once. Whether it did.
    #[inline(always)]
    pub(super) fn load_at_once(
        &mut self,
        warp: &mut Warp,
        load: &Load,
        by: By,
    ) -> Result<bool, InternalError> {
        let align = self.environment.program.local_align;
        let (mut member, who) = one_of(warp, by, self.observes_accesses().then_some(align));
        let at = At { pc: by.pc, who: who.as_slice(), behind: 0, in_a_row: false };
        self.load_together(&mut Gang::of_one(&mut member), load, at)
    }

    /// The same for a store.
    #[inline(always)]
    pub(super) fn store_at_once(
        &mut self,
        warp: &mut Warp,
        store: &Store,
        by: By,
    ) -> Result<bool, InternalError> {
        let align = self.environment.program.local_align;
        let (mut member, who) = one_of(warp, by, self.observes_accesses().then_some(align));
        let at = At { pc: by.pc, who: who.as_slice(), behind: 0, in_a_row: false };
        self.store_together(&mut Gang::of_one(&mut member), store, at)
    }

    /// Executes a load for the active lanes of a gang, of one warp after the other, in this order.
    /// Whether it did; if not, nobody was told, and it may have for some warps, and comes to the
    /// same when they execute it again.
    #[inline(always)]
    pub(super) fn load_together(
        &mut self,
        gang: &mut Gang<'_, '_>,
        load: &Load,
        at: At<'_>,
    ) -> Result<bool, InternalError> {
        let target = &load.target;
        let Some(shape) = Shape::of(target, load.wide) else { return Ok(false) };
        let Some((first, base)) = first_address(target, gang) else { return Ok(false) };
        // Where a piece overwrites the address, the next ones would go elsewhere, and so would the
        // whole when it is executed again. And one that is kept is looked at.
        let pieces = load.destinations.as_slice();
        // Registers of 32 and of 64 bits have numbers of their own.
        let is_alike = load.wide == matches!(target.base, Base::W64(_));
        let overwrites = is_alike && pieces.contains(&Some(base));
        let is_once = pieces.len() == 1 && gang.members().len() == 1;
        let is_kept = pieces.iter().any(Option::is_some);
        if load.signed || !is_kept || !is_once && overwrites {
            return Ok(false);
        }
        if let Some((memory, origin)) = self.flat_around(target, first) {
            // Of loads it makes no difference who comes first.
            let reach = whole_access(target, base, origin);
            return Ok(load_elements(gang, load, shape, reach, memory));
        }
        self.load_found(gang, load, shape, (first, base), at)
    }

    /// Executes a store for the active lanes of a gang, as a load ([`Stage::load_together`]).
    #[inline(always)]
    pub(super) fn store_together(
        &mut self,
        gang: &mut Gang<'_, '_>,
        store: &Store,
        at: At<'_>,
    ) -> Result<bool, InternalError> {
        let target = &store.target;
        let Some(shape) = Shape::of(target, store.wide) else { return Ok(false) };
        let Some((first, base)) = first_address(target, gang) else { return Ok(false) };
        // Elements of one warp come before those of the next.
        if store.sources.len() > 1 && gang.members().len() > 1 {
            return Ok(false);
        }
        if let Some((memory, origin)) = self.flat_around(target, first) {
            let reach = whole_access(target, base, origin);
            return Ok(store_in_order(gang, store, shape, reach, memory, at));
        }
        self.store_found(gang, store, shape, (first, base), at)
    }
}

/// One warp as a gang, and who it is where that is told: with what local memory is aligned to.
#[inline(always)]
fn one_of<'w>(warp: &'w mut Warp, by: By, told: Option<u64>) -> (Member<'w>, Option<Who<'w>>) {
    let Warp { number, thread, frames, .. } = warp;
    let frame = &mut frames[usize::from(by.frame)];
    let who = told.map(|align| {
        let (function, callee_base) = (frame.function, frame.callee_base(align));
        Who { warp: *number, thread, function, callee_base }
    });
    (Member::new(&mut frame.registers, by.active), who)
}

/// The address of the lowest active lane, and the register that it is in with those of the others.
#[inline(always)]
pub(super) fn first_address(target: &Target, gang: &Gang<'_, '_>) -> Option<(u64, Slot)> {
    match target.base {
        Base::W64(slot) => {
            Some((gang.first_active::<u64>(slot)?.wrapping_add(target.offset as u64), slot))
        }
        Base::W32(slot) => {
            let first = gang.first_active::<u32>(slot)?.wrapping_add(target.offset as u32);
            Some((first.into(), slot))
        }
        Base::Absolute | Base::Frame | Base::FrameParam => None,
    }
}

/// An access to memory that begins at the address `origin`, from its first element on.
#[inline(always)]
pub(super) fn whole_access(target: &Target, base: Slot, origin: u64) -> Reach {
    let shift = (target.offset as u64).wrapping_sub(origin);
    Reach { base, shift, bytes: target.width * target.elements, within: 0 }
}

/// Loads all elements for each lane. Whether it did, for all warps.
#[inline(always)]
pub(super) fn load_elements(
    gang: &mut Gang<'_, '_>,
    load: &Load,
    shape: Shape,
    mut reach: Reach,
    memory: &[u8],
) -> bool {
    for into in &load.destinations {
        if let Some(into) = *into
            && !load_element(gang, shape, reach, memory, into)
        {
            return false;
        }
        reach.within += load.target.width;
    }
    true
}

/// Loads an element for each lane. Whether it did, for all warps.
#[inline(always)]
fn load_element(
    gang: &mut Gang<'_, '_>,
    shape: Shape,
    reach: Reach,
    memory: &[u8],
    into: Slot,
) -> bool {
    match shape {
        Shape::Byte => reach::load::<u64, u8, u32>(gang, reach, memory, into),
        Shape::Half => reach::load::<u64, u16, u32>(gang, reach, memory, into),
        Shape::Word => reach::load::<u64, u32, u32>(gang, reach, memory, into),
        Shape::Double => reach::load::<u64, u64, u64>(gang, reach, memory, into),
        Shape::WordFrom32 => reach::load::<u32, u32, u32>(gang, reach, memory, into),
        Shape::DoubleFrom32 => reach::load::<u32, u64, u64>(gang, reach, memory, into),
    }
}

/// Stores all elements of each lane, of one warp after the other in this order. Whether it did, for
/// all warps.
#[inline(always)]
pub(super) fn store_in_order(
    gang: &mut Gang<'_, '_>,
    store: &Store,
    shape: Shape,
    reach: Reach,
    memory: &mut [u8],
    at: At<'_>,
) -> bool {
    if at.behind == 0 {
        return store_elements(gang, store, shape, reach, memory);
    }
    at.in_order(gang.members().len()).all(|range| {
        let Some(mut part) = gang.part(range) else { return false };
        store_elements(&mut part, store, shape, reach, memory)
    })
}

/// Stores all elements of each lane. Whether it did, for all warps.
#[inline(always)]
pub(super) fn store_elements(
    gang: &mut Gang<'_, '_>,
    store: &Store,
    shape: Shape,
    mut reach: Reach,
    memory: &mut [u8],
) -> bool {
    for from in &store.sources {
        if !store_element(gang, shape, reach, memory, *from) {
            return false;
        }
        reach.within += store.target.width;
    }
    true
}

/// Stores an element of each lane. Whether it did, for all warps.
#[inline(always)]
fn store_element(
    gang: &mut Gang<'_, '_>,
    shape: Shape,
    reach: Reach,
    memory: &mut [u8],
    from: Slot,
) -> bool {
    match shape {
        Shape::Byte => reach::store::<u64, u8, u32>(gang, reach, memory, from),
        Shape::Half => reach::store::<u64, u16, u32>(gang, reach, memory, from),
        Shape::Word => reach::store::<u64, u32, u32>(gang, reach, memory, from),
        Shape::Double => reach::store::<u64, u64, u64>(gang, reach, memory, from),
        Shape::WordFrom32 => reach::store::<u32, u32, u32>(gang, reach, memory, from),
        Shape::DoubleFrom32 => reach::store::<u32, u64, u64>(gang, reach, memory, from),
    }
}
