//! The undefined bytes of the registers of a warp: the bytes of each lane that were never written.
//!
//! Activations are distinguished by how deep a lane is in calls. Lanes at one depth may be in
//! different functions: each lane has its own column, so that their registers do not meet.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::origin::OriginId;
use super::written::{Cells, all};
use crate::lanes::{LANES, Mask, lanes_of};
use crate::lower::{Pc, Register};

/// The doubtful bytes of one lane's value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Doubt {
    /// The bytes that are undefined; bit i is byte i. Of a predicate, bit 0.
    pub undefined: u8,
    /// The bytes that an operation filled with a constant, as zero-extension does: they say nothing
    /// of the value.
    pub filler: u8,
    /// Where the undefined bytes came from.
    pub origin: OriginId,
}

impl Doubt {
    /// Whether there is any in the lowest bytes.
    pub(super) fn is_in(self, bytes: u8) -> bool {
        self.undefined & bytes != 0
    }

    /// Whether none of the lowest bytes says anything of the value.
    pub(super) fn is_whole(self, width: u32) -> bool {
        self.is_in(all(width)) && (self.undefined | self.filler) & all(width) == all(width)
    }

    /// The bytes that are undefined in memory when the lowest `width` are stored.
    pub(super) fn missing(self, width: u32) -> u8 {
        if self.is_whole(width) { all(width) } else { self.undefined & all(width) }
    }
}

/// One register of 32 lanes.
#[derive(Clone, Debug, Default)]
struct Column {
    /// The lanes with doubts.
    lanes: Mask,
    doubts: Option<Box<[Doubt; LANES]>>,
}

/// An activation at one depth of calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Activation {
    banks: [Vec<Column>; 3],
    /// Undefined bytes of `.param` variables, by lane and offset.
    pub(super) parameters: HashMap<(u8, u64), OriginId, FxBuildHasher>,
    /// The call by which each lane came here.
    pub(super) call: [Pc; LANES],
}

/// A warp.
#[derive(Clone, Debug, Default)]
pub(super) struct WarpRegisters {
    /// How deep each lane is in calls.
    pub(super) depth: [u16; LANES],
    pub(super) activations: Vec<Activation>,
    /// Registers with doubts, in all activations.
    doubtful: usize,
    /// The local memory of each lane; empty until it is used.
    pub(super) local: Vec<Cells>,
}

impl WarpRegisters {
    /// Whether any register has doubts.
    pub(super) fn has_doubts(&self) -> bool {
        self.doubtful > 0
    }

    /// Whether any register or parameter has doubts.
    pub(super) fn has_doubts_or_parameters(&self) -> bool {
        self.has_doubts() || self.activations.iter().any(|a| !a.parameters.is_empty())
    }

    fn column(&self, depth: u16, register: Register) -> Option<&Column> {
        if register.slot.is_constant() {
            return None;
        }
        let bank = &self.activations.get(usize::from(depth))?.banks[register.bank as usize];
        bank.get(register.slot.index()).filter(|column| column.lanes != 0)
    }

    /// The lanes of a register with doubts.
    pub(super) fn doubtful(&self, depth: u16, register: Register) -> Mask {
        self.column(depth, register).map_or(0, |column| column.lanes)
    }

    /// The doubtful bytes of a lane's value.
    pub(super) fn get(&self, depth: u16, register: Register, lane: usize) -> Doubt {
        let column = self.column(depth, register).filter(|column| column.lanes >> lane & 1 == 1);
        column.and_then(|c| c.doubts.as_ref()).map_or_else(Doubt::default, |d| d[lane])
    }

    /// The activation at a depth.
    pub(super) fn activation(&mut self, depth: u16) -> &mut Activation {
        let depth = usize::from(depth);
        if self.activations.len() <= depth {
            self.activations.resize_with(depth + 1, Activation::default);
        }
        &mut self.activations[depth]
    }

    /// Notes the doubt about a lane.
    pub(super) fn set(&mut self, depth: u16, register: Register, lane: usize, doubt: Doubt) {
        if doubt.undefined == 0 {
            self.clear(depth, register, 1 << lane);
            return;
        }
        if register.slot.is_constant() {
            return;
        }
        let bank = &mut self.activation(depth).banks[register.bank as usize];
        let index = register.slot.index();
        if bank.len() <= index {
            bank.resize_with(index + 1, Column::default);
        }
        let column = &mut bank[index];
        let fresh = column.lanes == 0;
        column.lanes |= 1 << lane;
        column.doubts.get_or_insert_default()[lane] = doubt;
        self.doubtful += usize::from(fresh);
    }

    /// Notes that lanes of a register hold something.
    pub(super) fn clear(&mut self, depth: u16, register: Register, lanes: Mask) {
        let Some(activation) = self.activations.get_mut(usize::from(depth)) else { return };
        let bank = &mut activation.banks[register.bank as usize];
        let column = bank.get_mut(register.slot.index()).filter(|_| !register.slot.is_constant());
        let Some(column) = column.filter(|column| column.lanes != 0) else { return };
        column.lanes &= !lanes;
        self.doubtful -= usize::from(column.lanes == 0);
    }

    /// A fresh activation for lanes at a depth.
    pub(super) fn enter(&mut self, depth: u16, lanes: Mask) {
        lanes_of(lanes).for_each(|lane| self.depth[lane] = depth);
        let mut emptied = 0;
        let activation = self.activation(depth);
        for column in activation.banks.iter_mut().flatten().filter(|column| column.lanes != 0) {
            column.lanes &= !lanes;
            emptied += usize::from(column.lanes == 0);
        }
        activation.parameters.retain(|(lane, _), _| lanes >> lane & 1 == 0);
        self.doubtful -= emptied;
    }
}
