//! Loads, stores and atomics carry undefined bytes from memory to registers and back.

use super::origin::{Origin, OriginId};
use super::registers::Doubt;
use super::use_kind::Use;
use super::warp::Watch;
use super::written::{Cells, all};
use crate::lanes::{LANES, Slot, lanes_of};
use crate::lower::{Atomic, AtomicOperation, Base, Load, Register, Span, SpanAction, Store};
use crate::observe::Access;
use crate::ptx::Space;

impl Watch<'_, '_> {
    /// Values arrive in registers, which have been cleared.
    pub(super) fn loaded(&mut self, load: &Load, access: &Access<'_>) {
        // The host has written the parameters of a kernel.
        let of_kernel = access.space == Space::Param && load.target.base != Base::FrameParam;
        if of_kernel || !self.may_miss(access) {
            return;
        }
        let width = load.target.piece();
        for lane in lanes_of(access.mask) {
            for (i, slot) in load.destinations.iter().enumerate() {
                let Some(slot) = slot else { continue };
                let address = access.addresses[lane].wrapping_add(u64::from(width) * i as u64);
                let (missing, origin) = self.read(access.space, lane, address, width);
                if missing != 0 {
                    let origin = origin
                        .unwrap_or_else(|| self.read_nothing(access.space, lane, address, missing));
                    let register = Register::data(*slot, load.wide);
                    let doubt = extended(missing, width, register.bytes(), load.signed, origin);
                    self.warp.set(self.depth, register, lane, doubt);
                }
            }
        }
    }

    /// A lane has read bytes that were never written.
    pub(super) fn read_nothing(
        &mut self,
        space: Space,
        lane: usize,
        address: u64,
        missing: u8,
    ) -> OriginId {
        let address = address.wrapping_add(missing.trailing_zeros().into());
        let load = self.spot(lane);
        self.uses.origins.add(Origin { load, space, address, computed: None })
    }

    /// Whether anything that an access reads can be undefined.
    pub(super) fn may_miss(&mut self, access: &Access<'_>) -> bool {
        match access.space {
            Space::Shared | Space::Local => true,
            Space::Global => self.global.may_miss(access.addresses, access.mask),
            Space::Param => !self.warp.activation(self.depth).parameters.is_empty(),
            Space::Const | Space::Tex => false,
        }
    }

    /// The undefined bytes of a cell, and where they came from when that is known.
    pub(super) fn read(
        &mut self,
        space: Space,
        lane: usize,
        address: u64,
        width: u32,
    ) -> (u8, Option<OriginId>) {
        match space {
            Space::Shared => self.shared.read(address, width),
            Space::Local => match self.warp.local.get(lane) {
                Some(local) => local.read(address, width),
                None => (all(width), None),
            },
            Space::Global => (self.global.missing(address, width), None),
            Space::Param => self.read_parameter(lane, address, width),
            Space::Const | Space::Tex => (0, None),
        }
    }

    fn read_parameter(&mut self, lane: usize, offset: u64, width: u32) -> (u8, Option<OriginId>) {
        let parameters = &self.warp.activation(self.depth).parameters;
        let byte = |i: u64| parameters.get(&(lane as u8, offset + i)).copied();
        let bytes = 0..u64::from(width.min(8));
        let missing = bytes.clone().filter(|i| byte(*i).is_some()).fold(0, |m, i| m | 1 << i);
        (missing, bytes.filter_map(byte).next())
    }

    /// Values go to memory.
    pub(super) fn stored(&mut self, store: &Store, access: &Access<'_>) {
        let is_frame = store.target.base == Base::FrameParam;
        let has_doubts = self.warp.has_doubts();
        match access.space {
            Space::Shared | Space::Local => {}
            Space::Global if has_doubts || self.may_miss(access) => {}
            Space::Param if is_frame && (has_doubts || self.may_miss(access)) => {}
            Space::Global | Space::Param | Space::Const | Space::Tex => return,
        }
        if access.space == Space::Global && has_doubts {
            lanes_of(access.mask).for_each(|lane| self.store_to_global(store, access, lane));
            return;
        }
        let width = store.target.piece();
        // Of lanes that hit one cell the lowest wins.
        for lane in lanes_of(access.mask).rev() {
            for (i, slot) in store.sources.iter().enumerate() {
                let address = access.addresses[lane].wrapping_add(i as u64 * u64::from(width));
                let doubt = self.warp.get(self.depth, Register::data(*slot, store.wide), lane);
                self.write(access.space, lane, address, width, doubt);
            }
        }
    }

    /// Writes a cell; a doubtful value is a copy.
    pub(super) fn write(
        &mut self,
        space: Space,
        lane: usize,
        address: u64,
        width: u32,
        doubt: Doubt,
    ) {
        let is_computed = doubt.is_in(all(width)) && self.uses.origins.is_computed(doubt.origin);
        match space {
            Space::Shared => self.shared.write(address, width, doubt, is_computed),
            Space::Local => {
                if self.warp.local.is_empty() {
                    self.warp.local.resize_with(LANES, Cells::default);
                }
                self.warp.local[lane].write(address, width, doubt, is_computed);
            }
            Space::Global => self.global.write(address, width, doubt.missing(width)),
            Space::Param => {
                let missing = doubt.missing(width);
                let parameters = &mut self.warp.activation(self.depth).parameters;
                for i in 0..u64::from(width) {
                    if missing >> i & 1 == 1 {
                        parameters.insert((lane as u8, address + i), doubt.origin);
                    } else {
                        parameters.remove(&(lane as u8, address + i));
                    }
                }
            }
            Space::Const | Space::Tex => {}
        }
    }

    /// One lane stores elements to global memory. That is a use, unless the undefined bytes are
    /// padding: no computation has used them, and other bytes of the same store are defined.
    fn store_to_global(&mut self, store: &Store, access: &Access<'_>, lane: usize) {
        let (depth, width) = (self.depth, store.target.piece());
        let get = |warp: &super::registers::WarpRegisters, slot: Slot| {
            warp.get(depth, Register::data(slot, store.wide), lane)
        };
        let is_whole = |slot: &Slot| get(self.warp, *slot).is_whole(width);
        let nothing_known = store.sources.iter().all(is_whole);
        for (i, slot) in store.sources.iter().enumerate() {
            let address = access.addresses[lane].wrapping_add(u64::from(width) * i as u64);
            let doubt = get(self.warp, *slot);
            let is_computed = self.uses.origins.is_computed(doubt.origin);
            let is_use = nothing_known && !self.is_padding_byte(width, lane, doubt.origin);
            if doubt.is_in(all(width)) && (is_computed || is_use) {
                self.uses.reach(doubt.origin, Use::GlobalStore, self.spot(lane));
                self.global.write(address, width, 0);
            } else {
                self.global.write(address, width, doubt.missing(width));
            }
        }
    }

    /// Whether a single byte comes from a word with other, defined bytes. Compilers copy large
    /// structs byte by byte.
    fn is_padding_byte(&mut self, width: u32, lane: usize, origin: OriginId) -> bool {
        let Some(origin) = self.uses.origins.get(origin).copied() else { return false };
        let around = self.read(origin.space, lane, origin.address & !7, 8).0;
        width == 1 && origin.computed.is_none() && around != u8::MAX
    }

    /// A word of `st.bulk` is written, or one is discarded.
    pub(super) fn spanned(&mut self, span: &Span, access: &Access<'_>) {
        let width = access.width;
        for lane in lanes_of(access.mask) {
            let address = access.addresses[lane];
            match (span.action, access.space) {
                (SpanAction::Clear, space) => {
                    self.write(space, lane, address, width, Doubt::default());
                }
                (SpanAction::Discard, Space::Global) => {
                    self.global.discard(address);
                }
                (SpanAction::Discard, Space::Shared) => self.shared.forget(address, address + 8),
                (SpanAction::Discard, _) => {}
            }
        }
    }

    /// An atomic operation happens. Its operands have been looked at.
    pub(super) fn changed(&mut self, atomic: &Atomic, access: &Access<'_>) {
        if !self.may_miss(access) {
            return;
        }
        let width = atomic.target.piece();
        let pieces = atomic.pieces.iter().zip(0u64..);
        for (lane, (piece, i)) in
            lanes_of(access.mask).flat_map(|lane| pieces.clone().map(move |piece| (lane, piece)))
        {
            let address = access.addresses[lane].wrapping_add(i * u64::from(width));
            let (missing, origin) = self.read(access.space, lane, address, width);
            if missing == 0 {
                continue;
            }
            let origin =
                origin.unwrap_or_else(|| self.read_nothing(access.space, lane, address, missing));
            if atomic.operation != AtomicOperation::Exchange {
                self.uses.reach(origin, Use::AtomicMemory, self.spot(lane));
            } else if let Some(d) = piece.destination {
                let register = Register::data(d, atomic.wide);
                let doubt = extended(missing, width, register.bytes(), false, origin);
                self.warp.set(self.depth, register, lane, doubt);
            }
            self.write(access.space, lane, address, width, Doubt::default());
        }
    }
}

/// The doubtful bytes of a loaded value, extended to its register.
fn extended(missing: u8, width: u32, bytes: u32, signed: bool, origin: OriginId) -> Doubt {
    let upper = all(bytes) & !all(width);
    let sign = missing >> (width - 1) & 1 == 1;
    if signed && sign {
        return Doubt { undefined: missing | upper, filler: 0, origin };
    }
    Doubt { undefined: missing, filler: if signed { 0 } else { upper }, origin }
}
