//! The usual access, fast: the addresses of all active lanes lie in one allocation of one state
//! space, in bounds and aligned.
//!
//! The addresses of most accesses lie on a line ([`Line`]), which one loop over the register finds.
//! Then no lane is looked at alone: the elements are copied in one piece or broadcast.
//!
//! This equals `slowly` of [`super::general`]. It hands over to that wherever it does not apply: an
//! address out of bounds or misaligned, lanes in several allocations, memory not in one piece.
//! `the_fast_path_gives_what_the_slow_one_gives` (`machine/tests.rs`) compares them.

use super::addresses::{Addresses, By, named_space, window_of};
use super::uniform::{Same, write_same};
use crate::internal;
use crate::lanes::{LANES, Mask, Registers, Slot, write_lanes};
use crate::lower::{Base, Load, Store, Target};
use crate::machine::memory::copy::{self, Lanes, Places};
use crate::machine::memory::{Line, Pages, place, spread};
use crate::machine::state::execution::Execution;
use crate::machine::state::frame::Frame;
use crate::machine::state::stop::Stop;
use crate::machine::state::warp::Warp;
use crate::observe::AccessKind;
use crate::ptx::Space;

/// The most bytes of an access that are assembled from two pages.
const MOST_TOGETHER: usize = 1024;

/// The largest distance between addresses off a line for which their pages are looked at together.
pub(in crate::machine) const MOST_APART: u64 = 16 << 12;

/// The place of an access that has been checked.
#[derive(Clone, Copy)]
pub(in crate::machine) struct Place {
    /// The state space.
    pub(in crate::machine) space: Space,
    /// The address of offset 0 in the space.
    origin: u64,
    /// The allocation, in global memory.
    pub(in crate::machine) allocation: usize,
}

impl Place {
    /// The addresses in its space.
    pub(in crate::machine) fn addresses(&self, offsets: Places<'_>) -> Addresses {
        std::array::from_fn(|lane| offsets.at(lane).wrapping_add(self.origin))
    }
}

/// The line of the addresses of an access.
#[inline(always)]
pub(in crate::machine) fn line(target: &Target, frame: &Frame, mask: Mask) -> Option<Line> {
    let offset = target.offset as u64;
    match target.base {
        Base::Absolute | Base::FrameParam => Some(Line::uniform(offset, mask)),
        Base::Frame => Some(Line::uniform(u64::from(frame.local_base).wrapping_add(offset), mask)),
        Base::W32(slot) => Line::of32(frame.registers.w32(slot), offset as u32, mask),
        Base::W64(slot) => Line::of64(frame.registers.w64(slot), offset, mask),
    }
}

impl Execution<'_, '_> {
    /// Locates an access whose addresses are on a line, if it lies in one place and all of it is
    /// good. The addresses become offsets.
    #[inline(always)]
    pub(in crate::machine) fn locate_line(
        &mut self,
        frame: &Frame,
        target: &Target,
        line: &mut Line,
    ) -> Option<Place> {
        let bytes = target.width * target.elements;
        let (low, high) = line.ends()?;
        let (space, window) = match named_space(target) {
            Some(space) => (space, 0),
            None => {
                let window = window_of(target, low);
                (window == window_of(target, high)).then_some(window)?
            }
        };
        let (origin, limit, allocation) = self.extent(frame, target, space, low - window)?;
        let end = (high - window).checked_add(bytes.into())?;
        let good = end <= limit && line.is_aligned(bytes);
        line.first -= window + origin;
        good.then_some(Place { space, origin, allocation })
    }

    /// Locates an access with any addresses.
    pub(in crate::machine) fn locate_each(
        &mut self,
        frame: &Frame,
        target: &Target,
        mask: Mask,
        offsets: &mut Addresses,
    ) -> Option<Place> {
        let bytes = u64::from(target.width * target.elements);
        let first = offsets[mask.trailing_zeros() as usize % LANES];
        let (space, window) = match named_space(target) {
            Some(space) => (space, 0),
            None => window_of(target, first),
        };
        let (origin, limit, allocation) = self.extent(frame, target, space, first - window)?;
        let room = (limit - origin).checked_sub(bytes)?;
        let base = origin + window;
        // The highest bit shows a number below zero: the offset, or the room left behind it.
        let (mut any, mut beyond) = (0, 0);
        for (lane, offset) in offsets.iter_mut().enumerate() {
            *offset = offset.wrapping_sub(base);
            let active = *offset & u64::from(mask >> lane & 1).wrapping_neg();
            any |= active;
            beyond |= active | room.wrapping_sub(active);
        }
        let good = beyond >> 63 == 0 && any & (bytes - 1) == 0;
        good.then_some(Place { space, origin, allocation })
    }

    /// The memory around an address of a space: its first address, one past its last, and the
    /// allocation of global memory. `None` where it is not the same for all lanes.
    #[inline(always)]
    fn extent(
        &mut self,
        frame: &Frame,
        target: &Target,
        space: Space,
        address: u64,
    ) -> Option<(u64, u64, usize)> {
        let limit = match space {
            Space::Global => return self.global.around(address),
            Space::Shared => self.common.shared.bytes(),
            Space::Local => frame.top_of_all()?.into(),
            Space::Const => self.environment.constants.bytes(),
            Space::Param if target.base == Base::FrameParam => frame.param_bytes().into(),
            Space::Param => self.environment.parameters.bytes(),
            Space::Tex => return None,
        };
        Some((0, limit, 0))
    }

    /// Reports a located access to the observer.
    #[inline]
    pub(in crate::machine) fn report_located(
        &mut self,
        warp: &Warp,
        target: &Target,
        by: By,
        (place, offsets): (Place, Places<'_>),
        kind: AccessKind,
    ) {
        if self.tells_accesses() {
            self.report_access(warp, target, by, place.space, &place.addresses(offsets), kind);
        }
    }

    /// Carries out a located load. Returns whether the memory is in one piece; if not, nothing has
    /// happened.
    #[inline(always)]
    pub(in crate::machine) fn load_located(
        &mut self,
        warp: &mut Warp,
        load: &Load,
        by: By,
        (place, offsets): (Place, Places<'_>),
    ) -> Result<bool, Stop> {
        let target = &load.target;
        let frame = &mut warp.frames[usize::from(by.frame)];
        let pages = match place.space {
            Space::Global => self.global.pages(place.allocation),
            Space::Shared => &self.common.shared,
            Space::Const => &self.environment.constants,
            Space::Param if target.base == Base::FrameParam => {
                let (registers, params) = frame.registers_and_params();
                return load_pieces(registers, params, load, by.active, offsets, INTERLEAVED);
            }
            Space::Param => &self.environment.parameters,
            Space::Local => {
                warp.local.reach(frame.local_top.into());
                let Some(rows) = warp.local.rows.flat() else { return Ok(false) };
                let registers = &mut frame.registers;
                return load_pieces(registers, rows, load, by.active, offsets, INTERLEAVED);
            }
            Space::Tex => return Ok(false),
        };
        let registers = &mut frame.registers;
        match pages.flat() {
            Some(memory) => load_pieces(registers, memory, load, by.active, offsets, PLAIN),
            None => load_from_pages(registers, pages, load, by.active, offsets),
        }
    }

    /// Carries out a located store, in the same way.
    #[inline(always)]
    pub(in crate::machine) fn store_located(
        &mut self,
        warp: &mut Warp,
        store: &Store,
        by: By,
        (place, offsets): (Place, Places<'_>),
    ) -> Result<bool, Stop> {
        let target = &store.target;
        let frame = &mut warp.frames[usize::from(by.frame)];
        let pages = match place.space {
            Space::Global => self.global.pages_mut(place.allocation),
            Space::Shared => &mut self.common.shared,
            Space::Param if target.base == Base::FrameParam => {
                let (registers, params) = frame.registers_and_params();
                return store_pieces(registers, params, store, by.active, offsets, INTERLEAVED);
            }
            Space::Local => {
                warp.local.reach(frame.local_top.into());
                let Some(rows) = warp.local.rows.flat_mut() else { return Ok(false) };
                let registers = &frame.registers;
                return store_pieces(registers, rows, store, by.active, offsets, INTERLEAVED);
            }
            Space::Const | Space::Param | Space::Tex => return Ok(false),
        };
        let registers = &frame.registers;
        if pages.flat_mut().is_none() {
            return store_to_pages(registers, pages, store, by.active, offsets);
        }
        match pages.flat_mut() {
            Some(memory) => store_pieces(registers, memory, store, by.active, offsets, PLAIN),
            None => Ok(false),
        }
    }

    /// Executes a load of a kernel parameter, which is the same for all lanes. Returns whether it
    /// was one.
    #[inline]
    pub(in crate::machine) fn load_parameter(&self, warp: &mut Warp, load: &Load, by: By) -> bool {
        let same = self.parameter(load);
        if let Some(same) = &same {
            write_same(warp, by, same);
        }
        same.is_some()
    }

    /// The value that a load of a kernel parameter gives to all threads; `None` for any other load.
    pub(in crate::machine) fn parameter(&self, load: &Load) -> Option<Same> {
        let target = &load.target;
        let ([Some(d)], Base::Absolute) = (load.destinations.as_slice(), target.base) else {
            return None;
        };
        let parameters = &self.environment.parameters;
        let end = (target.offset as u64).saturating_add(target.width.into());
        let aligned = (target.offset as u64).is_multiple_of(target.width.into());
        let plain = target.width == if load.wide { 8 } else { 4 };
        let is_parameter = target.space == Some(Space::Param);
        if !is_parameter || self.is_watched() || !plain || !aligned || end > parameters.bytes() {
            return None;
        }
        let value = parameters.read(target.offset as u64, target.width);
        Some(Same { d: *d, wide: load.wide, value })
    }
}

/// How offsets of lanes become offsets of memory.
#[derive(Clone, Copy)]
struct Layout {
    /// Each lane has its own words ([`crate::machine::memory::Interleaved`]).
    interleaved: bool,
    /// Subtracted from each offset.
    low: u64,
}

const PLAIN: Layout = Layout { interleaved: false, low: 0 };
const INTERLEAVED: Layout = Layout { interleaved: true, low: 0 };

/// Calls `act` with the places of the pieces that lie `step` bytes behind the first ones.
#[inline(always)]
fn at_step(
    offsets: Places<'_>,
    step: u64,
    layout: Layout,
    mut act: impl FnMut(Places<'_>) -> Option<()>,
) -> Result<(), Stop> {
    let done = match offsets {
        _ if step == 0 && layout.low == 0 && !layout.interleaved => act(offsets),
        Places::Line(line) => {
            let line = Line { first: line.first - layout.low + step, ..*line };
            if !layout.interleaved {
                act(Places::Line(&line))
            } else if let Some(line) = spread(&line) {
                act(Places::Line(&line))
            } else {
                act(Places::Each(&std::array::from_fn(|lane| place(line.at(lane), lane))))
            }
        }
        Places::Each(offsets) if layout.interleaved => {
            act(Places::Each(&std::array::from_fn(|lane| {
                place(offsets[lane].wrapping_add(step), lane)
            })))
        }
        Places::Each(offsets) => {
            let by = step.wrapping_sub(layout.low);
            act(Places::Each(&offsets.map(|offset| offset.wrapping_add(by))))
        }
    };
    done.ok_or_else(|| internal!("an access that was located leaves its memory").into())
}

/// Loads all pieces from memory that is not flat.
#[inline(never)]
fn load_from_pages(
    registers: &mut Registers,
    pages: &Pages,
    load: &Load,
    mask: Mask,
    offsets: Places<'_>,
) -> Result<bool, Stop> {
    let Some((low, length)) = range(offsets, &load.target, mask) else { return Ok(false) };
    let layout = Layout { low, ..PLAIN };
    match pages.span(low, length) {
        Some(memory) => load_pieces(registers, memory, load, mask, offsets, layout),
        None if length <= MOST_TOGETHER => {
            let mut together = [0; MOST_TOGETHER];
            pages.read_bytes(low, &mut together[..length]);
            load_pieces(registers, &together, load, mask, offsets, layout)
        }
        None => Ok(false),
    }
}

/// The lowest and the highest address of active lanes.
#[inline]
pub(in crate::machine) fn ends(addresses: &[u64; LANES], mask: Mask) -> (u64, u64) {
    let (mut low, mut high) = (u64::MAX, 0);
    for (lane, address) in addresses.iter().enumerate() {
        let inactive = u64::from(mask >> lane & 1).wrapping_sub(1);
        low = low.min(address | inactive);
        high = high.max(address & !inactive);
    }
    (low, high)
}

/// The bytes from the first to the last that an access touches; `None` if the range is too long.
fn range(offsets: Places<'_>, target: &Target, mask: Mask) -> Option<(u64, usize)> {
    let (low, high) = match offsets {
        Places::Line(line) => line.ends()?,
        Places::Each(offsets) => {
            let (low, high) = ends(offsets, mask);
            (high.checked_sub(low)? <= MOST_APART).then_some((low, high))?
        }
    };
    Some((low, (high - low) as usize + (target.width * target.elements) as usize))
}

/// Loads all pieces from bytes in which the offsets lie.
#[inline]
fn load_pieces(
    registers: &mut Registers,
    memory: &[u8],
    load: &Load,
    mask: Mask,
    offsets: Places<'_>,
    layout: Layout,
) -> Result<bool, Stop> {
    let width = load.target.piece();
    let mut step = 0;
    for destination in &load.destinations {
        if let Some(slot) = *destination {
            at_step(offsets, step, layout, |places| {
                let lanes = Lanes { registers, slot, mask };
                load_piece(memory, places, lanes, load, layout.interleaved)
            })?;
        }
        step += u64::from(width);
    }
    Ok(true)
}

/// Loads one piece for each lane.
#[inline]
fn load_piece(
    memory: &[u8],
    places: Places<'_>,
    Lanes { registers, slot, mask }: Lanes<'_>,
    load: &Load,
    interleaved: bool,
) -> Option<()> {
    let width = load.target.piece();
    let lanes = Lanes { registers, slot, mask };
    match (width, load.wide) {
        (4, false) => copy::load::<u32, u32>(memory, places, lanes),
        (8, true) if interleaved => copy::load_split(memory, places, lanes),
        (8, true) => copy::load::<u64, u64>(memory, places, lanes),
        (1, false) => copy::load::<u8, u32>(memory, places, lanes),
        (2, false) => copy::load::<u16, u32>(memory, places, lanes),
        (1, true) => copy::load::<u8, u64>(memory, places, lanes),
        (2, true) => copy::load::<u16, u64>(memory, places, lanes),
        (4, true) => copy::load::<u32, u64>(memory, places, lanes),
        _ => None,
    }?;
    if load.signed {
        extend(registers, slot, mask, load);
    }
    Some(())
}

/// Extends loaded signed elements to the width of their register.
#[cold]
fn extend(registers: &mut Registers, slot: Slot, mask: Mask, load: &Load) {
    let bits = 8 * load.target.piece();
    if load.wide {
        let values = registers.w64(slot).map(|v| (v << (64 - bits)) as i64 >> (64 - bits));
        write_lanes(registers, slot, mask, &values.map(|v| v as u64));
    } else {
        let values = registers.w32(slot).map(|v| (v << (32 - bits)) as i32 >> (32 - bits));
        write_lanes(registers, slot, mask, &values.map(|v| v as u32));
    }
}

/// Stores all pieces to memory that is not flat.
#[inline(never)]
fn store_to_pages(
    registers: &Registers,
    pages: &mut Pages,
    store: &Store,
    mask: Mask,
    offsets: Places<'_>,
) -> Result<bool, Stop> {
    let Some((low, length)) = range(offsets, &store.target, mask) else { return Ok(false) };
    let layout = Layout { low, ..PLAIN };
    match pages.span_mut(low, length) {
        Some(memory) => store_pieces(registers, memory, store, mask, offsets, layout),
        None if length <= MOST_TOGETHER => {
            let mut together = [0; MOST_TOGETHER];
            pages.read_bytes(low, &mut together[..length]);
            store_pieces(registers, &mut together, store, mask, offsets, layout)?;
            pages.write_bytes(low, &together[..length]);
            Ok(true)
        }
        None => Ok(false),
    }
}

/// Stores all pieces to bytes in which the offsets lie.
#[inline]
fn store_pieces(
    registers: &Registers,
    memory: &mut [u8],
    store: &Store,
    mask: Mask,
    offsets: Places<'_>,
    layout: Layout,
) -> Result<bool, Stop> {
    let width = store.target.piece();
    let mut step = 0;
    for source in &store.sources {
        let source = *source;
        at_step(offsets, step, layout, |places| {
            let r = registers;
            match (width, store.wide) {
                (4, false) => copy::store::<u32, u32>(memory, places, r.w32(source), mask),
                (8, true) if layout.interleaved => {
                    copy::store_split(memory, places, r.w64(source), mask)
                }
                (8, true) => copy::store::<u64, u64>(memory, places, r.w64(source), mask),
                (1, false) => copy::store::<u8, u32>(memory, places, r.w32(source), mask),
                (2, false) => copy::store::<u16, u32>(memory, places, r.w32(source), mask),
                (1, true) => copy::store::<u8, u64>(memory, places, r.w64(source), mask),
                (2, true) => copy::store::<u16, u64>(memory, places, r.w64(source), mask),
                (4, true) => copy::store::<u32, u64>(memory, places, r.w64(source), mask),
                _ => None,
            }
        })?;
        step += u64::from(width);
    }
    Ok(true)
}
