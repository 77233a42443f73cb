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
            let mut offsets = addresses_of(target, frame);
            if let Some(place) = self.locate_each(frame, target, by.active, &mut offsets) {
                return self.load_there(warp, load, by, (place, Places::Each(&offsets)));
            }
        }
        self.load_slowly(warp, load, by)
    }

    /// Executes a located load.
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

    /// Executes a load lane by lane. The fast paths must give what this gives.
    #[inline(never)]
    pub(in crate::machine) fn load_slowly(
        &mut self,
        warp: &mut Warp,
        load: &Load,
        by: By,
    ) -> Result<(), Stop> {
        let found = addresses_of(&load.target, &warp.frames[usize::from(by.frame)]);
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
    pub(in crate::machine) fn store(
        &mut self,
        warp: &mut Warp,
        store: &Store,
        by: By,
    ) -> Result<(), Stop> {
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
        // A store to a read-only space is refused lane by lane.
        let may = |place: &Place| !is_read_only(target, place.space);
        if let Some(mut line) = line(target, frame, by.active) {
            if let Some(place) = self.locate_line(frame, target, &mut line).filter(may) {
                return self.store_there(warp, store, by, (place, Places::Line(&line)));
            }
        } else {
            let mut offsets = addresses_of(target, frame);
            let place = self.locate_each(frame, target, by.active, &mut offsets);
            if let Some(place) = place.filter(may) {
                return self.store_there(warp, store, by, (place, Places::Each(&offsets)));
            }
        }
        self.store_slowly(warp, store, by)
    }

    /// Executes a located store.
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

    /// Executes a store lane by lane. The fast paths must give what this gives.
    #[inline(never)]
    pub(in crate::machine) fn store_slowly(
        &mut self,
        warp: &mut Warp,
        store: &Store,
        by: By,
    ) -> Result<(), Stop> {
        let found = addresses_of(&store.target, &warp.frames[usize::from(by.frame)]);
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
