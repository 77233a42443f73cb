//! The accesses of several warps of a block at one instruction, one after the other, reported at
//! once.

use std::sync::Arc;

use super::{Access, AccessKind, Event};
use crate::lanes::reach::{Found, Half};
use crate::lanes::{LANES, Mask, Member, Slot};
use crate::lower::{Pc, Program, Target};
use crate::ptx::Space;

/// A warp, for [`Accesses`].
#[derive(Clone, Copy, Debug)]
pub struct Who<'a> {
    /// Its number in the block.
    pub warp: u32,
    /// `%tid` of the lanes.
    pub thread: &'a [[u32; LANES]; 3],
    /// The function of the lanes, as an index into the program's.
    pub function: usize,
    /// Where the local memory of a called activation begins.
    pub callee_base: u32,
}

/// The register with the addresses of an access, before the offset of its target is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressRegister {
    /// 32 bits, which wrap around.
    W32(Slot),
    /// 64 bits.
    W64(Slot),
}

/// The accesses of several warps of a block at one instruction, one after the other. There is one
/// event for each warp with an active lane, in their order. All accesses are good, and go to one
/// allocation of global memory, or to shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Accesses<'a> {
    /// The program.
    pub program: &'a Program,
    /// The operation.
    pub pc: Pc,
    /// The block's linear number.
    pub block: u64,
    /// `%ctaid`.
    pub block_index: [u32; 3],
    /// The kind of access.
    pub kind: AccessKind,
    /// The state space.
    pub space: Space,
    /// The target of the access.
    pub target: &'a Target,
    /// The register of their addresses.
    pub base: AddressRegister,
    /// Where the space begins among the addresses in registers.
    pub window: u64,
    /// All of them lie between these addresses in the space: the address of the lowest byte, and
    /// one past the highest.
    pub low: u64,
    /// See `low`.
    pub end: u64,
    /// The warps,
    pub who: &'a [Who<'a>],
    /// their registers and active lanes,
    pub members: &'a [Member<'a>],
    /// and their accesses.
    pub places: Places<'a>,
}

/// The accesses of warps.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// All lanes of all warps are active and access one element each; the elements follow each
    /// other from warp to warp. The address of the first in the space.
    Row(u64),
    /// The accesses of each warp.
    Each {
        /// The address to add the offsets to, in the space; the sums may wrap around.
        origin: u64,
        /// The offsets of the warps, and maybe of others before and behind them. It is one object
        /// while the same warps go on. So an observer that keeps accesses recognises those that
        /// differ only in `origin`.
        found: &'a Arc<Vec<Found>>,
        /// The index of the first warp.
        from: usize,
    },
}

impl Places<'_> {
    /// The accesses of each half of a warp, where each lane accesses this many bytes: see
    /// [`WarpAccess::halves`].
    #[inline]
    pub fn halves(&self, warp: usize, bytes: u32) -> Option<[HalfWarp; 2]> {
        match *self {
            Places::Row(start) => {
                let half = (LANES / 2) as u64 * u64::from(bytes);
                let address = start + 2 * half * warp as u64;
                Some([address, address + half].map(|address| HalfWarp { address, is_row: true }))
            }
            Places::Each { origin, found, from } => {
                let halves = found.get(from + warp)?.halves?;
                Some(halves.map(|half| HalfWarp::of(half, origin)))
            }
        }
    }
}

/// The memory access of half a warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfWarp {
    /// The address of its first lane in the space.
    pub address: u64,
    /// The accesses follow each other; otherwise all lanes share one.
    pub is_row: bool,
}

impl HalfWarp {
    /// A half's access from its offsets behind an address of the space, which may wrap around.
    #[inline]
    pub fn of(half: Half, origin: u64) -> HalfWarp {
        HalfWarp { address: origin.wrapping_add(half.start as u64), is_row: half.is_row }
    }

    /// The number of its bytes, if each lane accesses `each` bytes.
    #[inline]
    pub fn bytes(self, each: u32) -> u64 {
        u64::from(each) * if self.is_row { LANES as u64 / 2 } else { 1 }
    }
}

/// The access of one warp, among [`Accesses`].
#[derive(Clone, Copy, Debug)]
pub struct WarpAccess {
    /// Its place among the warps.
    pub index: usize,
    /// Its number in the block.
    pub warp: u32,
    /// The lanes.
    pub mask: Mask,
    /// The accesses of each half, if all lanes are active and each half accesses one element, or
    /// consecutive ones.
    pub halves: Option<[HalfWarp; 2]>,
}

impl<'a> Accesses<'a> {
    /// Bytes for each lane, all elements together.
    #[inline]
    pub fn bytes(&self) -> u32 {
        self.target.width * self.target.elements
    }

    /// The accesses of warps with an active lane, in order.
    #[inline]
    pub fn warps(&self) -> impl Iterator<Item = WarpAccess> {
        let (places, bytes) = (self.places, self.bytes());
        let all = self.who.iter().zip(self.members).enumerate();
        all.filter(|(_, (_, member))| member.mask() != 0).map(move |(index, (who, member))| {
            let halves = places.halves(index, bytes);
            WarpAccess { index, warp: who.warp, mask: member.mask(), halves }
        })
    }

    /// The addresses of a warp in the space, by its place among the warps; arbitrary for inactive
    /// lanes.
    #[inline]
    pub fn addresses(&self, index: usize) -> [u64; LANES] {
        let registers = self.members[index].registers();
        let offset = self.target.offset as u64;
        let window = self.window;
        match self.base {
            AddressRegister::W64(slot) => {
                let shift = offset.wrapping_sub(window);
                registers.w64(slot).map(|base| base.wrapping_add(shift))
            }
            AddressRegister::W32(slot) => registers
                .w32(slot)
                .map(|base| u64::from(base.wrapping_add(offset as u32)).wrapping_sub(window)),
        }
    }

    /// Reports them one by one.
    pub fn each(&self, mut tell: impl FnMut(&Event<'_>, &Access<'_>)) {
        for warp in self.warps() {
            self.one(&warp, &mut tell);
        }
    }

    /// Reports one of them.
    pub fn one(&self, of: &WarpAccess, tell: impl FnOnce(&Event<'_>, &Access<'_>)) {
        let (who, member) = (&self.who[of.index], &self.members[of.index]);
        let event = Event {
            program: self.program,
            pc: self.pc,
            block: self.block,
            block_index: self.block_index,
            warp: who.warp,
            mask: of.mask,
            active: of.mask,
            thread: who.thread,
            function: who.function,
            callee_base: who.callee_base,
            registers: member.registers(),
        };
        let access = Access {
            kind: self.kind,
            space: self.space,
            mask: of.mask,
            addresses: &self.addresses(of.index),
            bytes: self.bytes(),
            width: self.target.scalar(),
            semantics: self.target.semantics,
            non_coherent: self.target.non_coherent,
            flight: None,
        };
        tell(&event, &access);
    }
}
