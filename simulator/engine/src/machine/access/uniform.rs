//! A value that is the same in all lanes of a warp, and its destination register.

use super::addresses::By;
use crate::lanes::{LANES, Slot, write_lanes};
use crate::machine::state::warp::Warp;

/// A value that is the same in all threads of a block, and its destination register.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct Same {
    pub(in crate::machine) d: Slot,
    /// It has 64 bits.
    pub(in crate::machine) wide: bool,
    pub(in crate::machine) value: u64,
}

/// Writes a value to a register of the active lanes of a warp.
#[inline]
pub(in crate::machine) fn write_same(warp: &mut Warp, by: By, same: &Same) {
    let registers = &mut warp.frames[usize::from(by.frame)].registers;
    let Same { d, wide, value } = *same;
    if wide {
        write_lanes(registers, d, by.active, &[value; LANES]);
    } else {
        write_lanes(registers, d, by.active, &[value as u32; LANES]);
    }
}
