//! Integer arithmetic (PTX ISA 9.7.1).

use super::row::{Opcode, lanes};

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[Opcode {
    name: "add",
    section: "9.7.1.1",
    operands: "d, a, b",
    summary: "Adds two values.",
    forms: &[
        lanes!("(.u16|.s16)", binary(u16, u16) -> u16, u16::wrapping_add),
        lanes!("(.u32|.s32)", binary(u32, u32) -> u32, u32::wrapping_add),
        lanes!("(.u64|.s64)", binary(u64, u64) -> u64, u64::wrapping_add),
        lanes!(".sat.s32", binary(i32, i32) -> i32, i32::saturating_add),
    ],
}];
