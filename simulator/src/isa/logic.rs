//! Logic, shifts and byte permutation (PTX ISA 9.7.8, 9.7.9.7). Bit-exact.
//!
//! Shift amounts are 32-bit whatever the type, and clamp: a shift by the width or more gives 0,
//! or the sign for signed values.

use super::row::{Opcode, lane_form, lanes, unsupported};
use super::scalar::integers::{
    funnel_left, funnel_right, permute_by, permute_bytes, shl_16, shl_32, shl_64, shr_s16, shr_s32,
    shr_s64, shr_u16, shr_u32, shr_u64, three_input_logic,
};
use crate::machine::{predicates, ternary};

/// A form on predicates: `p = f(a, b)` on lane masks.
macro_rules! predicate_logic {
    ($f:expr) => {
        lane_form!(".pred", [D[Pred], A[Pred], B[Pred]], |r, o, m| predicates(r, o, m, $f))
    };
}

/// A mode of `prmt`, with the selectors for the four values of the low bits of `c`.
macro_rules! permute {
    ($pattern:expr, $selectors:expr) => {
        lanes!($pattern, ternary(u32, u32, u32) -> u32, |a, b, c| permute_by(a, b, c, $selectors))
    };
}

const LOP3_PREDICATE: &str = "lop3 with a Boolean operation on a predicate is not supported yet";

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "and",
        section: "9.7.8.1",
        operands: "d, a, b",
        summary: "Bitwise and.",
        forms: &[
            predicate_logic!(|a, b| a & b),
            lanes!(".b16", binary(u16, u16) -> u16, |a, b| a & b),
            lanes!(".b32", binary(u32, u32) -> u32, |a, b| a & b),
            lanes!(".b64", binary(u64, u64) -> u64, |a, b| a & b),
        ],
    },
    Opcode {
        name: "or",
        section: "9.7.8.2",
        operands: "d, a, b",
        summary: "Bitwise or.",
        forms: &[
            predicate_logic!(|a, b| a | b),
            lanes!(".b16", binary(u16, u16) -> u16, |a, b| a | b),
            lanes!(".b32", binary(u32, u32) -> u32, |a, b| a | b),
            lanes!(".b64", binary(u64, u64) -> u64, |a, b| a | b),
        ],
    },
    Opcode {
        name: "xor",
        section: "9.7.8.3",
        operands: "d, a, b",
        summary: "Bitwise exclusive or.",
        forms: &[
            predicate_logic!(|a, b| a ^ b),
            lanes!(".b16", binary(u16, u16) -> u16, |a, b| a ^ b),
            lanes!(".b32", binary(u32, u32) -> u32, |a, b| a ^ b),
            lanes!(".b64", binary(u64, u64) -> u64, |a, b| a ^ b),
        ],
    },
    Opcode {
        name: "not",
        section: "9.7.8.4",
        operands: "d, a",
        summary: "Bitwise complement.",
        forms: &[
            lane_form!(".pred", [D[Pred], A[Pred]], |r, o, m| {
                let value = !r.predicate(o.a);
                r.set_predicate(o.d, m, value);
            }),
            lanes!(".b16", unary(u16) -> u16, |a: u16| !a),
            lanes!(".b32", unary(u32) -> u32, |a: u32| !a),
            lanes!(".b64", unary(u64) -> u64, |a: u64| !a),
        ],
    },
    Opcode {
        name: "cnot",
        section: "9.7.8.5",
        operands: "d, a",
        summary: "1 for 0, 0 for anything else.",
        forms: &[
            lanes!(".b16", unary(u16) -> u16, |a| (a == 0) as u16),
            lanes!(".b32", unary(u32) -> u32, |a| (a == 0) as u32),
            lanes!(".b64", unary(u64) -> u64, |a| (a == 0) as u64),
        ],
    },
    Opcode {
        name: "lop3",
        section: "9.7.8.6",
        operands: "d, a, b, c, immLut",
        summary: "Any bitwise function of three values, given as a table of 8 bits.",
        forms: &[
            lane_form!(".b32", [D(<u32>), A(<u32>), B(<u32>), C(<u32>), E(<u32>)], |r, o, m| {
                // The table is a constant in every program.
                let table = r.w32(o.e)[0];
                ternary::<u32, u32, u32, u32>(r, o, m, |a, b, c| three_input_logic(a, b, c, table))
            }),
            unsupported!("(.and|.or).b32", LOP3_PREDICATE),
        ],
    },
    Opcode {
        name: "shf",
        section: "9.7.8.7",
        operands: "d, a, b, c",
        summary: "Shifts the 64 bits of b and a, and keeps the upper half (left) or the lower half (right).",
        forms: &[
            lanes!(".l.wrap.b32", ternary(u32, u32, u32) -> u32, |a, b, c| funnel_left(a, b, c & 31)),
            lanes!(".r.wrap.b32", ternary(u32, u32, u32) -> u32, |a, b, c| funnel_right(a, b, c & 31)),
            lanes!(".l.clamp.b32", ternary(u32, u32, u32) -> u32, funnel_left),
            lanes!(".r.clamp.b32", ternary(u32, u32, u32) -> u32, funnel_right),
        ],
    },
    Opcode {
        name: "shl",
        section: "9.7.8.8",
        operands: "d, a, b",
        summary: "Shifts left.",
        forms: &[
            lanes!(".b16", binary_uniform(u16, u32) -> u16, shl_16),
            lanes!(".b32", binary_uniform(u32, u32) -> u32, shl_32),
            lanes!(".b64", binary_uniform(u64, u32) -> u64, shl_64),
        ],
    },
    Opcode {
        name: "shr",
        section: "9.7.8.9",
        operands: "d, a, b",
        summary: "Shifts right; signed values fill with their sign.",
        forms: &[
            lanes!("(.b16|.u16)", binary_uniform(u16, u32) -> u16, shr_u16),
            lanes!("(.b32|.u32)", binary_uniform(u32, u32) -> u32, shr_u32),
            lanes!("(.b64|.u64)", binary_uniform(u64, u32) -> u64, shr_u64),
            lanes!(".s16", binary_uniform(i16, u32) -> i16, shr_s16),
            lanes!(".s32", binary_uniform(i32, u32) -> i32, shr_s32),
            lanes!(".s64", binary_uniform(i64, u32) -> i64, shr_s64),
        ],
    },
    Opcode {
        name: "prmt",
        section: "9.7.9.7",
        operands: "d, a, b, c",
        summary: "Picks four of the eight bytes of b and a.",
        forms: &[
            lanes!(".b32", ternary(u32, u32, u32) -> u32, permute_bytes),
            permute!(".b32.f4e", [0x3210, 0x4321, 0x5432, 0x6543]),
            permute!(".b32.b4e", [0x5670, 0x6701, 0x7012, 0x0123]),
            permute!(".b32.rc8", [0x0000, 0x1111, 0x2222, 0x3333]),
            permute!(".b32.ecl", [0x3210, 0x3211, 0x3222, 0x3333]),
            permute!(".b32.ecr", [0x0000, 0x1110, 0x2210, 0x3210]),
            permute!(".b32.rc16", [0x1010, 0x3232, 0x1010, 0x3232]),
        ],
    },
];
