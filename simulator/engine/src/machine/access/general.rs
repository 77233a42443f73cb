//! Loads and stores (PTX ISA 9.7.9.8 `ld`, 9.7.9.12 `st`), one warp access at a time.
//!
//! First the addresses of all lanes are computed. Generic addresses are split by window, so one
//! instruction becomes one access for each state space that it touches. Then the whole access is
//! checked, reported to the observer, and carried out. A refused access changes nothing.
//!
//! Deviation: a weak access takes effect at once and in program order for all threads. The weaker
//! outcomes that the memory model allows are not produced.

use super::coalesced::{Place, line};
use crate::lanes::{Mask, Registers, Slot, lanes_of, write_lanes};
use crate::lower::{Base, Load, Store, Target};
use crate::machine::access::addresses::{
    Addresses, By, addresses_of, by_space, is_read_only, named_space,
};
use crate::machine::memory::copy::Places;
use crate::machine::memory::{MemoryFault, Values};
use crate::machine::state::execution::Execution;
use crate::machine::state::stop::Stop;
use crate::machine::state::warp::Warp;
use crate::observe::{Access, AccessKind};
use crate::ptx::Space;

/// The parts in which loads and stores differ.
pub(in crate::machine) trait Transfer {
    /// Whether it reads or writes.
    const KIND: AccessKind;

    /// Where.
    fn target(&self) -> &Target;

    /// Executes a load of a kernel parameter. Returns whether it was one.
    #[inline(always)]
    fn of_parameter(&self, _: &Execution<'_, '_>, _: &mut Warp, _: By) -> bool {
        false
    }

    /// Executes a located access, if its memory is in one piece. Returns whether it did so.
    fn located(
        &self,
        execution: &mut Execution<'_, '_>,
        warp: &mut Warp,
        by: By,
        located: (Place, Places<'_>),
    ) -> Result<bool, Stop>;

    /// Executes a checked access to one space.
    fn admitted(
        &self,
        execution: &mut Execution<'_, '_>,
        warp: &mut Warp,
        by: By,
        space: Space,
        found: &Addresses,
    ) -> Result<(), Stop>;
}

impl Transfer for Load {
    const KIND: AccessKind = AccessKind::Read;

    #[inline(always)]
    fn target(&self) -> &Target {
        &self.target
    }

    #[inline(always)]
    fn of_parameter(&self, execution: &Execution<'_, '_>, warp: &mut Warp, by: By) -> bool {
        execution.load_parameter(warp, self, by)
    }

    #[inline(always)]
    fn located(
        &self,
        execution: &mut Execution<'_, '_>,
        warp: &mut Warp,
        by: By,
        located: (Place, Places<'_>),
    ) -> Result<bool, Stop> {
        execution.load_located(warp, self, by, located)
    }

    fn admitted(
        &self,
        execution: &mut Execution<'_, '_>,
        warp: &mut Warp,
        by: By,
        space: Space,
        found: &Addresses,
    ) -> Result<(), Stop> {
        let width = self.target.piece();
        for (i, destination) in self.destinations.iter().enumerate() {
            let Some(destination) = destination else { continue };
            let step = u64::from(width) * i as u64;
            let values = if self.target.base == Base::FrameParam {
                let frame = &warp.frames[usize::from(by.frame)];
                std::array::from_fn(|lane| frame.read_param(lane, found[lane] + step, width))
            } else if step == 0 {
                execution.read(warp, space, found, by.active, width)?
            } else {
                let found = found.map(|a| a.wrapping_add(step));
                execution.read(warp, space, &found, by.active, width)?
            };
            let registers = &mut warp.frames[usize::from(by.frame)].registers;
            deposit(registers, *destination, by.active, &values, self);
        }
        Ok(())
    }
}

impl Transfer for Store {
    const KIND: AccessKind = AccessKind::Write;

    #[inline(always)]
    fn target(&self) -> &Target {
        &self.target
    }

    #[inline(always)]
    fn located(
        &self,
        execution: &mut Execution<'_, '_>,
        warp: &mut Warp,
        by: By,
        located: (Place, Places<'_>),
    ) -> Result<bool, Stop> {
        execution.store_located(warp, self, by, located)
    }

    fn admitted(
        &self,
        execution: &mut Execution<'_, '_>,
        warp: &mut Warp,
        by: By,
        space: Space,
        found: &Addresses,
    ) -> Result<(), Stop> {
        let width = self.target.piece();
        for (i, source) in self.sources.iter().enumerate() {
            let step = u64::from(width) * i as u64;
            let frame = &mut warp.frames[usize::from(by.frame)];
            let values = take(&frame.registers, *source, self.wide);
            if self.target.base == Base::FrameParam {
                for lane in lanes_of(by.active) {
                    frame.write_param(lane, found[lane] + step, width, values[lane]);
                }
            } else if step == 0 {
                execution.write(warp, space, found, by.active, width, &values)?;
            } else {
                let found = found.map(|a| a.wrapping_add(step));
                execution.write(warp, space, &found, by.active, width, &values)?;
            }
        }
        Ok(())
    }
}

impl Execution<'_, '_> {
    /// Executes `ld`.
    #[inline(never)]
    pub(in crate::machine) fn load(
        &mut self,
        warp: &mut Warp,
        load: &Load,
        by: By,
    ) -> Result<(), Stop> {
        if self.load_at_once(warp, load, by)? {
            return Ok(());
        }
        self.in_pieces(warp, load, by)
    }

    /// Executes `st`.
    #[inline(never)]
    pub(in crate::machine) fn store(
        &mut self,
        warp: &mut Warp,
        store: &Store,
        by: By,
    ) -> Result<(), Stop> {
        if self.store_at_once(warp, store, by)? {
            return Ok(());
        }
        self.in_pieces(warp, store, by)
    }

    /// Executes an access to any memory.
    #[inline(never)]
    fn in_pieces<T: Transfer>(
        &mut self,
        warp: &mut Warp,
        transfer: &T,
        by: By,
    ) -> Result<(), Stop> {
        if transfer.of_parameter(self, warp, by) {
            return Ok(());
        }
        let frame = &warp.frames[usize::from(by.frame)];
        let target = transfer.target();
        // A store to a read-only space is refused lane by lane.
        let may = |place: &Place| T::KIND == AccessKind::Read || !is_read_only(target, place.space);
        if let Some(mut line) = line(target, frame, by.active) {
            if let Some(place) = self.locate_line(frame, target, &mut line).filter(may) {
                return self.there(warp, transfer, by, (place, Places::Line(&line)));
            }
        } else {
            let mut offsets = addresses_of(target, frame);
            let place = self.locate_each(frame, target, by.active, &mut offsets);
            if let Some(place) = place.filter(may) {
                return self.there(warp, transfer, by, (place, Places::Each(&offsets)));
            }
        }
        self.slowly(warp, transfer, by)
    }

    /// Executes a located access.
    #[inline(always)]
    fn there<T: Transfer>(
        &mut self,
        warp: &mut Warp,
        transfer: &T,
        by: By,
        located: (Place, Places<'_>),
    ) -> Result<(), Stop> {
        self.report_located(warp, transfer.target(), by, located, T::KIND);
        if transfer.located(self, warp, by, located)? {
            return Ok(());
        }
        let (place, offsets) = located;
        transfer.admitted(self, warp, by, place.space, &place.addresses(offsets))
    }

    /// Executes an access lane by lane. The fast paths must give what this gives.
    #[inline(never)]
    pub(in crate::machine) fn slowly<T: Transfer>(
        &mut self,
        warp: &mut Warp,
        transfer: &T,
        by: By,
    ) -> Result<(), Stop> {
        let target = transfer.target();
        let found = addresses_of(target, &warp.frames[usize::from(by.frame)]);
        match named_space(target) {
            Some(space) => self.within(warp, transfer, by, space, &found),
            None => by_space(target, &found, by.active).try_for_each(|(space, active, found)| {
                self.within(warp, transfer, By { active, ..by }, space, &found)
            }),
        }
    }

    /// Executes an access to one space.
    fn within<T: Transfer>(
        &mut self,
        warp: &mut Warp,
        transfer: &T,
        by: By,
        space: Space,
        found: &Addresses,
    ) -> Result<(), Stop> {
        self.admit(warp, transfer.target(), by, space, found, T::KIND)?;
        transfer.admitted(self, warp, by, space, found)
    }

    /// Checks a whole access and reports it to the observer.
    pub(in crate::machine) fn admit(
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
    pub(in crate::machine) fn check(
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

    /// Reports a checked access to the observer.
    #[inline]
    pub(in crate::machine) fn report_access(
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

    /// Why one lane's access is refused; `None` if it is allowed.
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

    /// Why bytes are missing or must not be accessed; `None` if they are accessible.
    pub(in crate::machine) fn outside(
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

/// Takes the elements of a store out of a register.
#[inline]
pub(in crate::machine) fn take(registers: &Registers, slot: Slot, wide: bool) -> Values {
    if wide { *registers.w64(slot) } else { registers.w32(slot).map(u64::from) }
}
