//! Loads and stores of all lanes at once, for one warp or for all warps of a gang: elements of 1 to
//! 8 bytes in global or shared memory.
//!
//! One loop over the address register checks all addresses, and another copies the elements
//! ([`crate::lanes::reach`]). [`super::located`] first finds where all lanes access when memory is
//! not in one piece, an observer watches, or accesses are noted.
//!
//! This equals `slowly` of [`super::general`]. It hands over to that wherever it does not apply: an
//! address out of bounds or misaligned, lanes in several allocations or on both sides of a page's
//! end. `the_fast_path_gives_what_the_slow_one_gives` (`machine/tests.rs`) compares one warp, and
//! `warps_that_do_the_same_again_and_again_leave_what_single_turns_leave`
//! (`simulator/tests/suite/gangs.rs`) compares gangs.

use std::ops::Range;

use super::addresses::{By, window_of};
use crate::internal::InternalError;
use crate::lanes::reach::{self, Reach};
use crate::lanes::{Gang, Member, Slot};
use crate::lower::{Base, Load, Pc, Store, Target};
use crate::machine::state::execution::Execution;
use crate::machine::state::located::whole_access;
use crate::machine::state::warp::Warp;
use crate::observe::Who;
use crate::ptx::Space;

/// The warps that access at once: at which operation, and in which order.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct At<'a> {
    pub(in crate::machine) pc: Pc,
    /// Who they are; empty without an observer.
    pub(in crate::machine) who: &'a [Who<'a>],
    /// The warps from this number on come before the others.
    pub(in crate::machine) behind: usize,
    /// These warps have executed everything before it in its basic block together, with these
    /// lanes, as far as [`LocatedAccesses`](crate::machine::state::located::LocatedAccesses) knows.
    pub(in crate::machine) in_a_row: bool,
}

impl At<'_> {
    /// The ranges of this many warps in their order, without empty ranges.
    #[inline]
    pub(in crate::machine) fn in_order(&self, warps: usize) -> impl Iterator<Item = Range<usize>> {
        let first = self.behind.min(warps);
        [first..warps, 0..first].into_iter().filter(|range| !range.is_empty())
    }
}

/// How the elements of an access lie in memory and in registers.
#[derive(Clone, Copy)]
pub(in crate::machine) enum Shape {
    /// Elements of 1, 2 and 4 bytes in registers of 4, at addresses of 8 bytes.
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
    /// The shape of an access. `None` for rare ones: a narrow base, a register wider than needed,
    /// or elements of 16 bytes, which have two registers each.
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

impl Execution<'_, '_> {
    /// The flat memory around an address that a target leads to, and the address of its first byte.
    /// `None` where an observer watches accesses to it, or they are noted.
    #[inline(always)]
    pub(in crate::machine) fn flat_around(
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

    /// Executes a load of one warp, all lanes at once. Returns whether it did so.
    #[inline(always)]
    pub(in crate::machine) fn load_at_once(
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
    pub(in crate::machine) fn store_at_once(
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

    /// Executes a load for the active lanes of a gang, one warp after the other, in this order.
    /// Returns whether it did so. If not, observers saw nothing, and some warps may have loaded:
    /// they load the same again.
    #[inline(always)]
    pub(in crate::machine) fn load_together(
        &mut self,
        gang: &mut Gang<'_, '_>,
        load: &Load,
        at: At<'_>,
    ) -> Result<bool, InternalError> {
        let target = &load.target;
        let Some(shape) = Shape::of(target, load.wide) else { return Ok(false) };
        let Some((first, base)) = first_address(target, gang) else { return Ok(false) };
        // A piece that overwrites the address sends the next ones elsewhere, and the whole load,
        // too, when it is executed again. The load of a destination that is kept checks the
        // addresses.
        let pieces = load.destinations.as_slice();
        // Registers of 32 and of 64 bits have their own numbers.
        let is_alike = load.wide == matches!(target.base, Base::W64(_));
        let overwrites = is_alike && pieces.contains(&Some(base));
        let is_once = pieces.len() == 1 && gang.members().len() == 1;
        let is_kept = pieces.iter().any(Option::is_some);
        if load.signed || !is_kept || !is_once && overwrites {
            return Ok(false);
        }
        if let Some((memory, origin)) = self.flat_around(target, first) {
            // For loads the order of the warps makes no difference.
            let reach = whole_access(target, base, origin);
            return Ok(load_elements(gang, load, shape, reach, memory));
        }
        self.load_after_locating(gang, load, shape, (first, base), at)
    }

    /// Executes a store for the active lanes of a gang. Returns what [`Execution::load_together`]
    /// does.
    #[inline(always)]
    pub(in crate::machine) fn store_together(
        &mut self,
        gang: &mut Gang<'_, '_>,
        store: &Store,
        at: At<'_>,
    ) -> Result<bool, InternalError> {
        let target = &store.target;
        let Some(shape) = Shape::of(target, store.wide) else { return Ok(false) };
        let Some((first, base)) = first_address(target, gang) else { return Ok(false) };
        // All elements of one warp come before all elements of the next.
        if store.sources.len() > 1 && gang.members().len() > 1 {
            return Ok(false);
        }
        if let Some((memory, origin)) = self.flat_around(target, first) {
            let reach = whole_access(target, base, origin);
            return Ok(store_in_order(gang, store, shape, reach, memory, at));
        }
        self.store_after_locating(gang, store, shape, (first, base), at)
    }
}

/// One warp as a gang, and who it is for an observer. `told` is the alignment of local memory, if
/// there is an observer.
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

/// The address of the lowest active lane, and the register that holds the addresses.
#[inline(always)]
pub(in crate::machine) fn first_address(
    target: &Target,
    gang: &Gang<'_, '_>,
) -> Option<(u64, Slot)> {
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

/// Loads all elements for each lane. Returns whether it did so for all warps.
#[inline(always)]
pub(in crate::machine) fn load_elements(
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

/// Loads an element for each lane. Returns whether it did so for all warps.
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

/// Stores all elements of each lane, one warp after the other in this order. Returns whether it did
/// so for all warps.
#[inline(always)]
pub(in crate::machine) fn store_in_order(
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

/// Stores all elements of each lane. Returns whether it did so for all warps.
#[inline(always)]
pub(in crate::machine) fn store_elements(
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

/// Stores an element of each lane. Returns whether it did so for all warps.
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
