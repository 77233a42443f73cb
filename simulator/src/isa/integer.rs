//! Integer arithmetic (PTX ISA 9.7.1.1 to 9.7.1.13).
//!
//! Bit-exact. What the ISA leaves undefined: division by zero gives all ones, the remainder by
//! zero is the dividend, MIN / -1 wraps to MIN (see [`super::scalar::integers`]).

use super::row::{Opcode, lanes};
use super::scalar::integers::{Integer, by_halves_s16, by_halves_u16, product_s24, product_u24};

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "add",
        section: "9.7.1.1",
        operands: "d, a, b",
        summary: "Adds two values.",
        forms: &[
            lanes!("(.u16|.s16)", binary(u16, u16) -> u16, u16::wrapping_add),
            lanes!("(.u32|.s32)", binary(u32, u32) -> u32, u32::wrapping_add),
            lanes!("(.u64|.s64)", binary(u64, u64) -> u64, u64::wrapping_add),
            lanes!(".sat.s32", binary(i32, i32) -> i32, i32::saturating_add),
            lanes!("(.u16x2|.s16x2)", binary(u32, u32) -> u32, |a, b| {
                by_halves_u16(a, b, u16::wrapping_add)
            }),
        ],
    },
    Opcode {
        name: "sub",
        section: "9.7.1.2",
        operands: "d, a, b",
        summary: "Subtracts one value from another.",
        forms: &[
            lanes!("(.u16|.s16)", binary(u16, u16) -> u16, u16::wrapping_sub),
            lanes!("(.u32|.s32)", binary(u32, u32) -> u32, u32::wrapping_sub),
            lanes!("(.u64|.s64)", binary(u64, u64) -> u64, u64::wrapping_sub),
            lanes!(".sat.s32", binary(i32, i32) -> i32, i32::saturating_sub),
        ],
    },
    Opcode {
        name: "mul",
        section: "9.7.1.3",
        operands: "d, a, b",
        summary: "Multiplies two values; keeps the low half, the high half or all of the product.",
        forms: &[
            lanes!(".lo(.u16|.s16)", binary(u16, u16) -> u16, u16::wrapping_mul),
            lanes!(".lo(.u32|.s32)", binary(u32, u32) -> u32, u32::wrapping_mul),
            lanes!(".lo(.u64|.s64)", binary(u64, u64) -> u64, u64::wrapping_mul),
            lanes!(".hi.u16", binary(u16, u16) -> u16, u16::high_product),
            lanes!(".hi.s16", binary(i16, i16) -> i16, i16::high_product),
            lanes!(".hi.u32", binary(u32, u32) -> u32, u32::high_product),
            lanes!(".hi.s32", binary(i32, i32) -> i32, i32::high_product),
            lanes!(".hi.u64", binary(u64, u64) -> u64, u64::high_product),
            lanes!(".hi.s64", binary(i64, i64) -> i64, i64::high_product),
            lanes!(".wide.u16", binary(u16, u16) -> u32, u16::wide_product),
            lanes!(".wide.s16", binary(i16, i16) -> i32, i16::wide_product),
            lanes!(".wide.u32", binary(u32, u32) -> u64, u32::wide_product),
            lanes!(".wide.s32", binary(i32, i32) -> i64, i32::wide_product),
        ],
    },
    Opcode {
        name: "mad",
        section: "9.7.1.4",
        operands: "d, a, b, c",
        summary: "Multiplies two values and adds a third to the low half, the high half or all of the product.",
        forms: &[
            lanes!(".lo(.u16|.s16)", ternary(u16, u16, u16) -> u16, |a: u16, b, c| {
                a.wrapping_mul(b).wrapping_add(c)
            }),
            lanes!(".lo(.u32|.s32)", ternary(u32, u32, u32) -> u32, |a: u32, b, c| {
                a.wrapping_mul(b).wrapping_add(c)
            }),
            lanes!(".lo(.u64|.s64)", ternary(u64, u64, u64) -> u64, |a: u64, b, c| {
                a.wrapping_mul(b).wrapping_add(c)
            }),
            lanes!(".hi.u16", ternary(u16, u16, u16) -> u16, |a: u16, b, c| {
                a.high_product(b).wrapping_add(c)
            }),
            lanes!(".hi.s16", ternary(i16, i16, i16) -> i16, |a: i16, b, c| {
                a.high_product(b).wrapping_add(c)
            }),
            lanes!(".hi.u32", ternary(u32, u32, u32) -> u32, |a: u32, b, c| {
                a.high_product(b).wrapping_add(c)
            }),
            lanes!(".hi.s32", ternary(i32, i32, i32) -> i32, |a: i32, b, c| {
                a.high_product(b).wrapping_add(c)
            }),
            lanes!(".hi.sat.s32", ternary(i32, i32, i32) -> i32, |a: i32, b, c| {
                a.high_product(b).saturating_add(c)
            }),
            lanes!(".hi.u64", ternary(u64, u64, u64) -> u64, |a: u64, b, c| {
                a.high_product(b).wrapping_add(c)
            }),
            lanes!(".hi.s64", ternary(i64, i64, i64) -> i64, |a: i64, b, c| {
                a.high_product(b).wrapping_add(c)
            }),
            lanes!(".wide.u16", ternary(u16, u16, u32) -> u32, |a: u16, b, c| {
                a.wide_product(b).wrapping_add(c)
            }),
            lanes!(".wide.s16", ternary(i16, i16, i32) -> i32, |a: i16, b, c| {
                a.wide_product(b).wrapping_add(c)
            }),
            lanes!(".wide.u32", ternary(u32, u32, u64) -> u64, |a: u32, b, c| {
                a.wide_product(b).wrapping_add(c)
            }),
            lanes!(".wide.s32", ternary(i32, i32, i64) -> i64, |a: i32, b, c| {
                a.wide_product(b).wrapping_add(c)
            }),
        ],
    },
    Opcode {
        name: "mul24",
        section: "9.7.1.5",
        operands: "d, a, b",
        summary: "Multiplies two 24-bit values; keeps bits 0 to 31 or 16 to 47 of the product.",
        forms: &[
            lanes!(".lo.u32", binary(u32, u32) -> u32, |a, b| product_u24(a, b) as u32),
            lanes!(".lo.s32", binary(i32, i32) -> i32, |a, b| product_s24(a, b) as i32),
            lanes!(".hi.u32", binary(u32, u32) -> u32, |a, b| (product_u24(a, b) >> 16) as u32),
            lanes!(".hi.s32", binary(i32, i32) -> i32, |a, b| (product_s24(a, b) >> 16) as i32),
        ],
    },
    Opcode {
        name: "mad24",
        section: "9.7.1.6",
        operands: "d, a, b, c",
        summary: "Multiplies two 24-bit values and adds a third to bits 0 to 31 or 16 to 47.",
        forms: &[
            lanes!(".lo.u32", ternary(u32, u32, u32) -> u32, |a, b, c| {
                (product_u24(a, b) as u32).wrapping_add(c)
            }),
            lanes!(".lo.s32", ternary(i32, i32, i32) -> i32, |a, b, c| {
                (product_s24(a, b) as i32).wrapping_add(c)
            }),
            lanes!(".hi.u32", ternary(u32, u32, u32) -> u32, |a, b, c| {
                ((product_u24(a, b) >> 16) as u32).wrapping_add(c)
            }),
            lanes!(".hi.s32", ternary(i32, i32, i32) -> i32, |a, b, c| {
                ((product_s24(a, b) >> 16) as i32).wrapping_add(c)
            }),
            lanes!(".hi.sat.s32", ternary(i32, i32, i32) -> i32, |a, b, c| {
                ((product_s24(a, b) >> 16) as i32).saturating_add(c)
            }),
        ],
    },
    Opcode {
        name: "sad",
        section: "9.7.1.7",
        operands: "d, a, b, c",
        summary: "Adds the absolute difference of two values to a third.",
        forms: &[
            lanes!(".u16", ternary(u16, u16, u16) -> u16, |a: u16, b, c| {
                a.distance(b).wrapping_add(c)
            }),
            lanes!(".s16", ternary(i16, i16, i16) -> i16, |a: i16, b, c| {
                a.distance(b).wrapping_add(c)
            }),
            lanes!(".u32", ternary(u32, u32, u32) -> u32, |a: u32, b, c| {
                a.distance(b).wrapping_add(c)
            }),
            lanes!(".s32", ternary(i32, i32, i32) -> i32, |a: i32, b, c| {
                a.distance(b).wrapping_add(c)
            }),
            lanes!(".u64", ternary(u64, u64, u64) -> u64, |a: u64, b, c| {
                a.distance(b).wrapping_add(c)
            }),
            lanes!(".s64", ternary(i64, i64, i64) -> i64, |a: i64, b, c| {
                a.distance(b).wrapping_add(c)
            }),
        ],
    },
    Opcode {
        name: "div",
        section: "9.7.1.8",
        operands: "d, a, b",
        summary: "Divides one value by another, rounding toward zero.",
        forms: &[
            lanes!(".u16", binary(u16, u16) -> u16, u16::quotient),
            lanes!(".s16", binary(i16, i16) -> i16, i16::quotient),
            lanes!(".u32", binary(u32, u32) -> u32, u32::quotient),
            lanes!(".s32", binary(i32, i32) -> i32, i32::quotient),
            lanes!(".u64", binary(u64, u64) -> u64, u64::quotient),
            lanes!(".s64", binary(i64, i64) -> i64, i64::quotient),
        ],
    },
    Opcode {
        name: "rem",
        section: "9.7.1.9",
        operands: "d, a, b",
        summary: "The remainder of a division, with the sign of the dividend.",
        forms: &[
            lanes!(".u16", binary(u16, u16) -> u16, u16::remainder),
            lanes!(".s16", binary(i16, i16) -> i16, i16::remainder),
            lanes!(".u32", binary(u32, u32) -> u32, u32::remainder),
            lanes!(".s32", binary(i32, i32) -> i32, i32::remainder),
            lanes!(".u64", binary(u64, u64) -> u64, u64::remainder),
            lanes!(".s64", binary(i64, i64) -> i64, i64::remainder),
        ],
    },
    Opcode {
        name: "abs",
        section: "9.7.1.10",
        operands: "d, a",
        summary: "The absolute value; that of the least value is itself.",
        forms: &[
            lanes!(".s16", unary(i16) -> i16, i16::wrapping_abs),
            lanes!(".s32", unary(i32) -> i32, i32::wrapping_abs),
            lanes!(".s64", unary(i64) -> i64, i64::wrapping_abs),
        ],
    },
    Opcode {
        name: "neg",
        section: "9.7.1.11",
        operands: "d, a",
        summary: "The negated value; that of the least value is itself.",
        forms: &[
            lanes!(".s16", unary(i16) -> i16, i16::wrapping_neg),
            lanes!(".s32", unary(i32) -> i32, i32::wrapping_neg),
            lanes!(".s64", unary(i64) -> i64, i64::wrapping_neg),
        ],
    },
    Opcode {
        name: "min",
        section: "9.7.1.12",
        operands: "d, a, b",
        summary: "The lesser of two values; with `.relu`, 0 when that is negative.",
        forms: &[
            lanes!(".u16", binary(u16, u16) -> u16, u16::min),
            lanes!(".s16", binary(i16, i16) -> i16, i16::min),
            lanes!(".u32", binary(u32, u32) -> u32, u32::min),
            lanes!(".s32", binary(i32, i32) -> i32, i32::min),
            lanes!(".u64", binary(u64, u64) -> u64, u64::min),
            lanes!(".s64", binary(i64, i64) -> i64, i64::min),
            lanes!(".relu.s32", binary(i32, i32) -> i32, |a: i32, b| a.min(b).max(0)),
            lanes!(".u16x2", binary(u32, u32) -> u32, |a, b| by_halves_u16(a, b, u16::min)),
            lanes!(".s16x2", binary(u32, u32) -> u32, |a, b| by_halves_s16(a, b, i16::min)),
            lanes!(".relu.s16x2", binary(u32, u32) -> u32, |a, b| {
                by_halves_s16(a, b, |a, b| a.min(b).max(0))
            }),
        ],
    },
    Opcode {
        name: "max",
        section: "9.7.1.13",
        operands: "d, a, b",
        summary: "The greater of two values; with `.relu`, 0 when that is negative.",
        forms: &[
            lanes!(".u16", binary(u16, u16) -> u16, u16::max),
            lanes!(".s16", binary(i16, i16) -> i16, i16::max),
            lanes!(".u32", binary(u32, u32) -> u32, u32::max),
            lanes!(".s32", binary(i32, i32) -> i32, i32::max),
            lanes!(".u64", binary(u64, u64) -> u64, u64::max),
            lanes!(".s64", binary(i64, i64) -> i64, i64::max),
            lanes!(".relu.s32", binary(i32, i32) -> i32, |a: i32, b| a.max(b).max(0)),
            lanes!(".u16x2", binary(u32, u32) -> u32, |a, b| by_halves_u16(a, b, u16::max)),
            lanes!(".s16x2", binary(u32, u32) -> u32, |a, b| by_halves_s16(a, b, i16::max)),
            lanes!(".relu.s16x2", binary(u32, u32) -> u32, |a, b| {
                by_halves_s16(a, b, |a, b| a.max(b).max(0))
            }),
        ],
    },
];
