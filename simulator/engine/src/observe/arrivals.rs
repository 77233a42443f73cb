//! Arrivals of several warps of a block at a barrier, one after the other, reported at once.

use super::{Arrival, Event, Who};
use crate::lanes::{Mask, Member};
use crate::lower::{Pc, Program};

/// Several warps of a block arrive, one after the other, at one instruction of a barrier of all
/// threads of the block. There is one event for each warp with an arriving lane, in their order.
/// They wait.
#[derive(Clone, Copy, Debug)]
pub struct Arrivals<'a> {
    /// The program.
    pub program: &'a Program,
    /// The instruction.
    pub pc: Pc,
    /// The block's linear number.
    pub block: u64,
    /// `%ctaid`.
    pub block_index: [u32; 3],
    /// The barrier, 0 to 15.
    pub barrier: u8,
    /// `.aligned`.
    pub aligned: bool,
    /// The warps,
    pub who: &'a [Who<'a>],
    /// their registers,
    pub members: &'a [Member<'a>],
    /// and their lanes that arrive.
    pub masks: &'a [Mask],
}

impl Arrivals<'_> {
    /// The arrivals of warps with an arriving lane, in order.
    #[inline]
    pub fn all(&self) -> impl Iterator<Item = Arrival> {
        let Arrivals { pc, aligned, .. } = *self;
        let all = self.who.iter().zip(self.masks).filter(|(_, lanes)| **lanes != 0);
        all.map(move |(who, lanes)| Arrival {
            warp: who.warp,
            lanes: *lanes,
            pc,
            waits: true,
            aligned,
            predicate: 0,
        })
    }

    /// Reports them one by one.
    pub fn each(&self, mut tell: impl FnMut(&Event<'_>, &Arrival)) {
        let those = self.who.iter().zip(self.members).zip(self.masks);
        let those = those.filter(|(_, lanes)| **lanes != 0);
        for (((who, member), lanes), arrival) in those.zip(self.all()) {
            let event = Event {
                program: self.program,
                pc: self.pc,
                block: self.block,
                block_index: self.block_index,
                warp: who.warp,
                mask: *lanes,
                active: *lanes,
                thread: who.thread,
                function: who.function,
                callee_base: who.callee_base,
                registers: member.registers(),
            };
            tell(&event, &arrival);
        }
    }
}
