//! Loads and stores (PTX ISA 9.7.9.8 `ld`, 9.7.9.12 `st`), one warp access at a time.
//!
//! The addresses of all lanes are found first; generic ones are told apart by window, so that one
//! instruction becomes one access for each state space it touches. Then the whole access is
//! checked, reported to the observer, and carried out. A refused access changes nothing.
//!
//! Deviation: a weak access takes effect at once and in program order for everybody; the weaker
//! outcomes that the memory model allows are not produced.

use super::coalesced::{Place, line};
use super::memory::copy::Places;
use super::memory::{MemoryFault, Values};
use super::stage::Stage;
use super::stop::Stop;
use super::warp::Warp;
use super::{Frame, FrameId};
use crate::lanes::{LANES, Mask, Registers, Slot, lanes_of, write_lanes};
use crate::lower::{Base, Load, Pc, Store, Target, window};
use crate::observe::{Access, AccessKind};
use crate::ptx::Space;

/// An address for each lane; lanes that are not active hold anything.
pub(super) type Addresses = [u64; LANES];

/// Who accesses, and where the instruction stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct By {
    /// The activation.
    pub frame: FrameId,
    /// The lanes.
    pub active: Mask,
    /// The operation.
    pub pc: Pc,
}

/// The addresses that a target names.
fn addresses(target: &Target, frame: &Frame) -> Addresses {
    let offset = target.offset as u64;
    match target.base {
        Base::Absolute | Base::FrameParam => [offset; LANES],
        Base::Frame => [u64::from(frame.local_base).wrapping_add(offset); LANES],
        Base::W32(slot) => {
            let base = frame.registers.w32(slot);
            std::array::from_fn(|lane| u64::from(base[lane].wrapping_add(offset as u32)))
        }
        Base::W64(slot) => {
            let base = frame.registers.w64(slot);
            let sums = std::array::from_fn(|lane| base[lane].wrapping_add(offset));
            if is_narrow(target.space) { sums.map(narrow) } else { sums }
        }
    }
}

/// Whether the hardware computes addresses of a state space with 32 bits: what an instruction names
/// as shared, local, constant or parameter memory (measured on an H100 at levels 0 and 4 of its
/// driver: garbage in the upper half of a register changes nothing, and sums with an offset wrap
/// round). Generic addresses and those of global memory count whole.
fn is_narrow(space: Option<Space>) -> bool {
    match space {
        Some(Space::Shared | Space::Local | Space::Const | Space::Param) => true,
        Some(Space::Global | Space::Tex) | None => false,
    }
}

/// The low half of an address. What lies below the beginning of a space stays a number below 0, as
/// messages say it.
fn narrow(address: u64) -> u64 {
    i64::from(address as i32) as u64
}

/// A state space, and where it begins among the addresses that lead to it.
type Window = (Space, u64);

/// The window that a generic address lies in.
fn generic_window(address: u64) -> Window {
    match address {
        a if a.wrapping_sub(window::SHARED) < window::SIZE => (Space::Shared, window::SHARED),
        a if a.wrapping_sub(window::LOCAL) < window::SIZE => (Space::Local, window::LOCAL),
        a if a.wrapping_sub(window::CONST) < window::SIZE => (Space::Const, window::CONST),
        a if a.wrapping_sub(window::PARAM) < window::SIZE => {
            let (space, base) = param_window(a.wrapping_sub(window::PARAM));
            (space, window::PARAM + base)
        }
        _ => (Space::Global, 0),
    }
}

/// Where an address of the `.param` space leads that was taken from a register: to a parameter of
/// the kernel, or to one of a function, whose copy lies in the thread's local memory.
fn param_window(address: u64) -> Window {
    match address {
        0..window::KERNEL_PARAM => (Space::Local, 0),
        _ => (Space::Param, window::KERNEL_PARAM),
    }
}

/// The state space of a generic address, and the address in it.
pub(super) fn of_generic(address: u64) -> (Space, u64) {
    let (space, base) = generic_window(address);
    (space, address.wrapping_sub(base))
}

/// The state space of a generic address.
pub fn space_of(address: u64) -> Space {
    generic_window(address).0
}

/// The state space that an access goes to, when the instruction alone says it.
pub(super) fn named_space(target: &Target) -> Option<Space> {
    let in_register = matches!(target.base, Base::W32(_) | Base::W64(_));
    target.space.filter(|space| *space != Space::Param || !in_register)
}

/// The window that an address of an access lies in whose instruction does not name its space.
#[inline]
pub(super) fn window_of(target: &Target, address: u64) -> Window {
    if target.space.is_none() { generic_window(address) } else { param_window(address) }
}

/// Whether kernels can only read what an access goes to. Only a generic address leads there: a
/// store cannot name these spaces.
fn is_read_only(target: &Target, space: Space) -> bool {
    matches!(space, Space::Const | Space::Param | Space::Tex) && target.base != Base::FrameParam
}

/// Splits the lanes of an access by the state space of their addresses, and makes those addresses
/// of the space.
pub(super) fn by_space(
    target: &Target,
    addresses: &Addresses,
    mask: Mask,
) -> impl Iterator<Item = (Space, Mask, Addresses)> {
    let window_of = |address| window_of(target, address);
    let mut rest = mask;
    std::iter::from_fn(move || {
        if rest == 0 {
            return None;
        }
        let (space, base) = window_of(addresses[rest.trailing_zeros() as usize]);
        let same = lanes_of(rest).filter(|lane| window_of(addresses[*lane]) == (space, base));
        let mask = same.fold(0, |mask, lane| mask | 1 << lane);
        rest &= !mask;
        Some((space, mask, addresses.map(|a| a.wrapping_sub(base))))
    })
}

impl Stage<'_, '_> {
    /// Executes `ld`.
    #[inline(never)]
    pub(super) fn load(&mut self, warp: &mut Warp, load: &Load, by: By) -> Result<(), Stop> {
        if self.load_at_once(warp, load, by)? {
            return Ok(());
        }
        self.load_in_pieces(warp, load, by)
    }

    /// Executes `ld` from any memory.
    #[inline(never)]
    fn load_in_pieces(&mut self, warp: &mut Warp, load: &Load, by: By) -> Result<(), Stop> {
        if self.load_parameter(warp, load, by) {
            return Ok(());
        }
        let frame = &warp.frames[usize::from(by.frame)];
        let target = &load.target;
        if let Some(mut line) = line(target, frame, by.active) {
            if let Some(place) = self.locate_line(frame, target, &mut line) {
                return self.load_there(warp, load, by, (place, Places::Line(&line)));
            }
        } else {
            let mut offsets = addresses(target, frame);
            if let Some(place) = self.locate_each(frame, target, by.active, &mut offsets) {
                return self.load_there(warp, load, by, (place, Places::Each(&offsets)));
            }
        }
        self.load_slowly(warp, load, by)
    }

    /// Executes a load that has been located.
    #[inline(always)]
    fn load_there(
        &mut self,
        warp: &mut Warp,
        load: &Load,
        by: By,
        located: (Place, Places<'_>),
    ) -> Result<(), Stop> {
        self.report_located(warp, &load.target, by, located, AccessKind::Read);
        if self.load_located(warp, load, by, located)? {
            return Ok(());
        }
        let (place, offsets) = located;
        self.load_admitted(warp, load, by, place.space, &place.addresses(offsets))
    }

    /// The same, lane by lane: what the fast path is held to.
    #[inline(never)]
    pub(super) fn load_slowly(&mut self, warp: &mut Warp, load: &Load, by: By) -> Result<(), Stop> {
        let found = addresses(&load.target, &warp.frames[usize::from(by.frame)]);
        match named_space(&load.target) {
            Some(space) => self.load_from(warp, load, by, space, &found),
            None => {
                by_space(&load.target, &found, by.active).try_for_each(|(space, active, found)| {
                    self.load_from(warp, load, By { active, ..by }, space, &found)
                })
            }
        }
    }

    /// Executes `st`.
    #[inline(never)]
    pub(super) fn store(&mut self, warp: &mut Warp, store: &Store, by: By) -> Result<(), Stop> {
        if self.store_at_once(warp, store, by)? {
            return Ok(());
        }
        self.store_in_pieces(warp, store, by)
    }

    /// Executes `st` to any memory.
    #[inline(never)]
    fn store_in_pieces(&mut self, warp: &mut Warp, store: &Store, by: By) -> Result<(), Stop> {
        let frame = &warp.frames[usize::from(by.frame)];
        let target = &store.target;
        // What kernels can only read is refused lane by lane.
        let may = |place: &Place| !is_read_only(target, place.space);
        if let Some(mut line) = line(target, frame, by.active) {
            if let Some(place) = self.locate_line(frame, target, &mut line).filter(may) {
                return self.store_there(warp, store, by, (place, Places::Line(&line)));
            }
        } else {
            let mut offsets = addresses(target, frame);
            let place = self.locate_each(frame, target, by.active, &mut offsets);
            if let Some(place) = place.filter(may) {
                return self.store_there(warp, store, by, (place, Places::Each(&offsets)));
            }
        }
        self.store_slowly(warp, store, by)
    }

    /// Executes a store that has been located.
    #[inline(always)]
    fn store_there(
        &mut self,
        warp: &mut Warp,
        store: &Store,
        by: By,
        located: (Place, Places<'_>),
    ) -> Result<(), Stop> {
        self.report_located(warp, &store.target, by, located, AccessKind::Write);
        if self.store_located(warp, store, by, located)? {
            return Ok(());
        }
        let (place, offsets) = located;
        self.store_admitted(warp, store, by, place.space, &place.addresses(offsets))
    }

    /// The same, lane by lane.
    #[inline(never)]
    pub(super) fn store_slowly(
        &mut self,
        warp: &mut Warp,
        store: &Store,
        by: By,
    ) -> Result<(), Stop> {
        let found = addresses(&store.target, &warp.frames[usize::from(by.frame)]);
        match named_space(&store.target) {
            Some(space) => self.store_to(warp, store, by, space, &found),
            None => {
                by_space(&store.target, &found, by.active).try_for_each(|(space, active, found)| {
                    self.store_to(warp, store, By { active, ..by }, space, &found)
                })
            }
        }
    }

    fn load_from(
        &mut self,
        warp: &mut Warp,
        load: &Load,
        by: By,
        space: Space,
        found: &Addresses,
    ) -> Result<(), Stop> {
        self.admit(warp, &load.target, by, space, found, AccessKind::Read)?;
        self.load_admitted(warp, load, by, space, found)
    }

    fn load_admitted(
        &mut self,
        warp: &mut Warp,
        load: &Load,
        by: By,
        space: Space,
        found: &Addresses,
    ) -> Result<(), Stop> {
        let width = load.target.piece();
        for (i, destination) in load.destinations.iter().enumerate() {
            let Some(destination) = destination else { continue };
            let step = u64::from(width) * i as u64;
            let values = if load.target.base == Base::FrameParam {
                let frame = &warp.frames[usize::from(by.frame)];
                std::array::from_fn(|lane| frame.read_param(lane, found[lane] + step, width))
            } else if step == 0 {
                self.read(warp, space, found, by.active, width)?
            } else {
                self.read(warp, space, &found.map(|a| a.wrapping_add(step)), by.active, width)?
            };
            let registers = &mut warp.frames[usize::from(by.frame)].registers;
            deposit(registers, *destination, by.active, &values, load);
        }
        Ok(())
    }

    fn store_to(
        &mut self,
        warp: &mut Warp,
        store: &Store,
        by: By,
        space: Space,
        found: &Addresses,
    ) -> Result<(), Stop> {
        self.admit(warp, &store.target, by, space, found, AccessKind::Write)?;
        self.store_admitted(warp, store, by, space, found)
    }

    fn store_admitted(
        &mut self,
        warp: &mut Warp,
        store: &Store,
        by: By,
        space: Space,
        found: &Addresses,
    ) -> Result<(), Stop> {
        let width = store.target.piece();
        for (i, source) in store.sources.iter().enumerate() {
            let step = u64::from(width) * i as u64;
            let frame = &mut warp.frames[usize::from(by.frame)];
            let values = take(&frame.registers, *source, store.wide);
            if store.target.base == Base::FrameParam {
                for lane in lanes_of(by.active) {
                    frame.write_param(lane, found[lane] + step, width, values[lane]);
                }
            } else if step == 0 {
                self.write(warp, space, found, by.active, width, &values)?;
            } else {
                let found = found.map(|a| a.wrapping_add(step));
                self.write(warp, space, &found, by.active, width, &values)?;
            }
        }
        Ok(())
    }

    /// Checks a whole access and tells the observer.
    pub(super) fn admit(
        &mut self,
        warp: &mut Warp,
        target: &Target,
        by: By,
        space: Space,
        found: &Addresses,
        kind: AccessKind,
    ) -> Result<(), Stop> {
        self.check(warp, target, by, space, found, kind)?;
        self.report_access(warp, target, by, space, found, kind);
        Ok(())
    }

    /// Checks a whole access.
    pub(super) fn check(
        &self,
        warp: &Warp,
        target: &Target,
        by: By,
        space: Space,
        found: &Addresses,
        kind: AccessKind,
    ) -> Result<(), Stop> {
        let bytes = target.width * target.elements;
        let is_refused = is_read_only(target, space) && kind != AccessKind::Read;
        let bad = lanes_of(by.active).find_map(|lane| {
            let fault = self.refuse(warp, by, space, (lane, found[lane]), bytes, target.base);
            Some((lane, fault.or(is_refused.then_some(MemoryFault::ReadOnly))?))
        });
        if let Some((lane, fault)) = bad {
            let at = self.thread(warp, 1 << lane, by.pc);
            return Err(Stop::Memory { at, space, address: found[lane], bytes, fault });
        }
        Ok(())
    }

    /// Tells the observer of an access that has been found good.
    #[inline]
    pub(super) fn report_access(
        &mut self,
        warp: &Warp,
        target: &Target,
        by: By,
        space: Space,
        found: &Addresses,
        kind: AccessKind,
    ) {
        if !self.tells_accesses() {
            return;
        }
        let access = Access {
            kind,
            space,
            mask: by.active,
            addresses: found,
            bytes: target.width * target.elements,
            width: target.scalar(),
            semantics: target.semantics,
            non_coherent: target.non_coherent,
            flight: None,
        };
        self.tell_access(warp, by.frame, by.pc, &access);
    }

    /// Why one lane's access is refused; `None` when it is not.
    fn refuse(
        &self,
        warp: &Warp,
        by: By,
        space: Space,
        (lane, address): (usize, u64),
        bytes: u32,
        base: Base,
    ) -> Option<MemoryFault> {
        if !address.is_multiple_of(u64::from(bytes)) {
            return Some(MemoryFault::Misaligned { alignment: bytes });
        }
        self.outside(warp, by, space, (lane, address), bytes, base)
    }

    /// Why bytes are not there, or not to be touched; `None` when they are.
    pub(super) fn outside(
        &self,
        warp: &Warp,
        by: By,
        space: Space,
        (lane, address): (usize, u64),
        bytes: u32,
        base: Base,
    ) -> Option<MemoryFault> {
        let frame = &warp.frames[usize::from(by.frame)];
        let limit = match space {
            Space::Global => {
                return self.global.find_ref(address, u64::from(bytes)).err();
            }
            Space::Shared => self.common.shared.bytes(),
            Space::Local => u64::from(frame.top(lane)),
            Space::Const => self.environment.constants.bytes(),
            Space::Param if base == Base::FrameParam => frame.param_bytes().into(),
            Space::Param => self.environment.parameters.bytes(),
            Space::Tex => 0,
        };
        let inside = address.checked_add(u64::from(bytes)).is_some_and(|end| end <= limit);
        (!inside).then_some(MemoryFault::OutOfBounds { near: None })
    }
}

/// Puts loaded elements into a register, extended to its width.
#[inline]
fn deposit(registers: &mut Registers, slot: Slot, mask: Mask, values: &Values, load: &Load) {
    let shift = 64 - 8 * load.target.width.clamp(1, 8);
    if load.wide {
        if load.signed && shift != 0 {
            let extended = values.map(|v| ((v << shift) as i64 >> shift) as u64);
            write_lanes(registers, slot, mask, &extended);
        } else {
            write_lanes(registers, slot, mask, values);
        }
    } else if load.signed && shift > 32 {
        write_lanes(registers, slot, mask, &values.map(|v| ((v << shift) as i64 >> shift) as u32));
    } else {
        write_lanes(registers, slot, mask, &values.map(|v| v as u32));
    }
}

/// Takes the elements to be stored out of a register.
#[inline]
pub(super) fn take(registers: &Registers, slot: Slot, wide: bool) -> Values {
    if wide { *registers.w64(slot) } else { registers.w32(slot).map(u64::from) }
}

/// The addresses of an access, for atomics.
pub(super) fn addresses_of(target: &Target, frame: &Frame) -> Addresses {
    addresses(target, frame)
}

/// The lowest of some lanes, with the state space that it accesses and the address in it.
pub(super) fn lowest_address(
    target: &Target,
    frame: &Frame,
    active: Mask,
) -> Option<(usize, Space, u64)> {
    let lane = lanes_of(active).next()?;
    let address = addresses(target, frame)[lane];
    Some(match named_space(target) {
        Some(space) => (lane, space, address),
        None => {
            let (space, base) = window_of(target, address);
            (lane, space, address.wrapping_sub(base))
        }
    })
}
