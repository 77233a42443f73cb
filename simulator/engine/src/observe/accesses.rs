//! What several warps of a block access at one instruction, one after the other, told at once.

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
    /// The function that they are in, as an index into the program's.
    pub function: usize,
    /// Where the local memory of an activation begins that this one calls.
    pub callee_base: u32,
}

/// The register that the addresses of an access are in, before the offset of its target is added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AddressRegister {
    /// 32 bits, which wrap around.
    W32(Slot),
    /// 64 bits.
    W64(Slot),
}

/// What several warps of a block access at one instruction, one after the other: as many events as
/// warps of which a lane is active, in their order. All accesses go to one allocation of global
/// memory, or to shared memory, and are good.
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
    /// What they do.
    pub kind: AccessKind,
    /// The state space.
    pub space: Space,
    /// What and how they access.
    pub target: &'a Target,
    /// Where their addresses come from.
    pub base: AddressRegister,
    /// Where the space begins among the addresses in registers.
    pub window: u64,
    /// All of them lie between these addresses in the space: that of the lowest byte, and one past
    /// the highest.
    pub low: u64,
    /// See `low`.
    pub end: u64,
    /// The warps,
    pub who: &'a [Who<'a>],
    /// their registers and active lanes,
    pub members: &'a [Member<'a>],
    /// and what each accesses.
    pub places: Places<'a>,
}

/// What warps access.
#[derive(Clone, Copy, Debug)]
pub enum Places<'a> {
    /// All lanes of all warps are active and access one element each, which follow each other from
    /// warp to warp: the address of the first in the space.
    Row(u64),
    /// What each accesses.
    Each {
        /// The address in the space from which on there are the offsets, which may wrap around.
        origin: u64,
        /// Those of the warps, and maybe of others before and behind them. It is one while the same
        /// warps go on, so that who keeps what they access can tell that they access the same but
        /// for `origin`.
        found: &'a Arc<Vec<Found>>,
        /// Which of them is that of the first warp.
        from: usize,
    },
}

impl Places<'_> {
    /// The accesses of each half of a warp, where each lane accesses so many bytes: see
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

/// Where half a warp accesses memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HalfWarp {
    /// The address of its first lane in the space.
    pub address: u64,
    /// The accesses follow each other; else it is one for all lanes.
    pub is_row: bool,
}

impl HalfWarp {
    /// What was found, as offsets behind an address of the space, which may wrap around.
    #[inline]
    pub fn of(half: Half, origin: u64) -> HalfWarp {
        HalfWarp { address: origin.wrapping_add(half.start as u64), is_row: half.is_row }
    }

    /// How many bytes it accesses, where each lane does so many.
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
    /// The accesses of each half, where all lanes are active and those of each half access one
    /// thing, or one behind the other.
    pub halves: Option<[HalfWarp; 2]>,
}

impl<'a> Accesses<'a> {
    /// Bytes for each lane, all elements together.
    #[inline]
    pub fn bytes(&self) -> u32 {
        self.target.width * self.target.elements
    }

    /// Those of warps of which a lane is active, in order.
    #[inline]
    pub fn warps(&self) -> impl Iterator<Item = WarpAccess> {
        let (places, bytes) = (self.places, self.bytes());
        let all = self.who.iter().zip(self.members).enumerate();
        all.filter(|(_, (_, member))| member.mask() != 0).map(move |(index, (who, member))| {
            let halves = places.halves(index, bytes);
            WarpAccess { index, warp: who.warp, mask: member.mask(), halves }
        })
    }

    /// The addresses of a warp in the space, by its place among the warps; those of lanes that are
    /// not active are anything.
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

    /// Tells them one by one.
    pub fn each(&self, mut tell: impl FnMut(&Event<'_>, &Access<'_>)) {
        for warp in self.warps() {
            self.one(&warp, &mut tell);
        }
    }

    /// Tells one of them.
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
