//! Operations for which the lanes of a warp wait for each other (PTX ISA 9.7.9.6, 9.7.13.8 and
//! after); `lower` translates them.
//!
//! The forms without `.sync` are those of before Volta; they take whichever lanes are there.

use super::need::need;
use super::row::{Opcode, structural, unsupported};

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "shfl",
        section: "9.7.9.6",
        operands: "d|p, a, b, c{, membermask}",
        summary: "Reads a register of another lane.",
        needs: &[],
        forms: &[structural!("{.sync}(.up|.down|.bfly|.idx).b32", Shfl)],
    },
    Opcode {
        name: "vote",
        section: "9.7.13.9",
        operands: "d, {!}a{, membermask}",
        summary: "Asks a question about a predicate of all lanes.",
        needs: &[],
        forms: &[
            structural!("{.sync}(.all|.any|.uni).pred", Vote),
            structural!("{.sync}.ballot.b32", Vote),
        ],
    },
    Opcode {
        name: "match",
        section: "9.7.13.10",
        operands: "d|p, a, membermask",
        summary: "Finds the lanes that have the same value.",
        needs: &[need("", (6, 0), 70)],
        forms: &[structural!("(.any|.all).sync(.b32|.b64)", Match)],
    },
    Opcode {
        name: "activemask",
        section: "9.7.13.11",
        operands: "d",
        summary: "Gives the lanes that execute it together.",
        needs: &[need("", (6, 2), 50)],
        forms: &[structural!(".b32", Activemask)],
    },
    Opcode {
        name: "redux",
        section: "9.7.13.12",
        operands: "d, a, membermask",
        summary: "Reduces a value over lanes.",
        needs: &[need("", (7, 0), 80)],
        forms: &[
            structural!(".sync(.add|.min|.max)(.u32|.s32)", Redux),
            structural!(".sync(.and|.or|.xor).b32", Redux),
            unsupported!(".sync(.min|.max){.abs}{.NaN}.f32", "no reductions of floats"),
        ],
    },
    Opcode {
        name: "elect",
        section: "9.7.13.15",
        operands: "d|p, membermask",
        summary: "Elects one lane.",
        needs: &[need("", (8, 0), 90)],
        forms: &[structural!(".sync", Elect)],
    },
];
