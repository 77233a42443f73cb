//! Asynchronous copies carry undefined bytes from where they read to where they write. The mbarrier
//! objects that signal them are here, too.
//!
//! The accesses of the instruction that begins the copies are reported one after the other, the
//! read ones before the written ones.

use super::origin::OriginId;
use super::registers::Doubt;
use super::use_kind::Use;
use super::warp::Watch;
use super::written::all;
use crate::lanes::lanes_of;
use crate::observe::{Access, AccessKind};
use crate::ptx::Space;

/// Unwritten bytes that a copy of a lane reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Missing {
    lane: usize,
    /// How far behind the start they are.
    offset: u64,
    /// Which of the bytes from there on.
    bytes: u8,
    width: u32,
    origin: OriginId,
}

impl Watch<'_, '_> {
    /// Copies that are begun read or write this.
    pub(super) fn copied(&mut self, access: &Access<'_>) {
        match access.kind {
            AccessKind::Read => self.copies_read(access),
            AccessKind::Write | AccessKind::Atomic => self.copies_write(access),
        }
    }

    /// An mbarrier object is made or ended, or what it holds is used.
    pub(super) fn mbarrier(&mut self, access: &Access<'_>) {
        for lane in lanes_of(access.mask) {
            let (address, width) = (access.addresses[lane], access.width);
            let (missing, origin) = self.read(access.space, lane, address, width);
            if access.kind != AccessKind::Write && missing != 0 {
                let origin = origin
                    .unwrap_or_else(|| self.read_nothing(access.space, lane, address, missing));
                self.uses.reach(origin, Use::AtomicMemory, self.spot(lane));
            }
            self.write(access.space, lane, address, width, Doubt::default());
        }
    }

    fn copies_read(&mut self, access: &Access<'_>) {
        if !self.may_miss(access) {
            return;
        }
        let width = access.width;
        for lane in lanes_of(access.mask) {
            for offset in (0..u64::from(access.bytes)).step_by(width as usize) {
                let address = access.addresses[lane].wrapping_add(offset);
                let (bytes, origin) = self.read(access.space, lane, address, width);
                if bytes != 0 {
                    let origin = origin
                        .unwrap_or_else(|| self.read_nothing(access.space, lane, address, bytes));
                    self.copying.push(Missing { lane, offset, bytes, width, origin });
                }
            }
        }
    }

    fn copies_write(&mut self, access: &Access<'_>) {
        for lane in lanes_of(access.mask) {
            for offset in (0..u64::from(access.bytes)).step_by(access.width as usize) {
                let address = access.addresses[lane].wrapping_add(offset);
                self.write(access.space, lane, address, access.width, Doubt::default());
            }
        }
        for missing in std::mem::take(self.copying) {
            let Missing { lane, offset, bytes, width, origin } = missing;
            if access.space == Space::Global {
                self.uses.reach(origin, Use::GlobalStore, self.spot(lane));
                continue;
            }
            let address = access.addresses[lane].wrapping_add(offset);
            let doubt = Doubt { undefined: bytes & all(width), filler: 0, origin };
            self.write(access.space, lane, address, width, doubt);
        }
    }
}
