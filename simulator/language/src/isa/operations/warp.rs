//! Operations for which the lanes of a warp wait for each other (PTX ISA 9.7.9.6, 9.7.13.8 and
//! after); `lower` translates them.
//!
//! The forms without `.sync` are older than Volta; they act on the lanes that are present.
//!
//! `redux` of floats is for sm_100a, and from PTX 8.8 on for the family sm_100f. The table knows
//! only the numbers of architectures. A module for sm_100 or sm_120 with it runs here without a
//! warning, and NVIDIA's assembler refuses it.

use crate::isa::effect::{Destinations, Effect};
use crate::isa::need::need;
use crate::isa::row::{Opcode, structural};

/// Instructions that lanes of a warp execute together: each is a routine of `lower`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named like the instructions they translate")]
pub enum WarpInstruction {
    /// `bar.warp.sync`
    Sync,
    Shfl,
    Vote,
    Match,
    Redux,
    Activemask,
    Elect,
    Movmatrix,
    Ldmatrix,
    Stmatrix,
    Mma,
    WmmaLoad,
    WmmaStore,
    WmmaMma,
}

impl WarpInstruction {
    /// What it does beside computing, and which of its operands it writes.
    pub(in crate::isa) const fn effect(self) -> (Effect, Destinations) {
        match self {
            WarpInstruction::Sync => (Effect::Orders, Destinations::None),
            WarpInstruction::Shfl
            | WarpInstruction::Vote
            | WarpInstruction::Match
            | WarpInstruction::Redux
            | WarpInstruction::Activemask
            | WarpInstruction::Elect
            | WarpInstruction::Movmatrix
            | WarpInstruction::Mma
            | WarpInstruction::WmmaMma => (Effect::Lanes, Destinations::First),
            // They access memory at addresses of other lanes, too.
            WarpInstruction::Ldmatrix | WarpInstruction::WmmaLoad => {
                (Effect::Orders, Destinations::First)
            }
            WarpInstruction::Stmatrix | WarpInstruction::WmmaStore => {
                (Effect::Orders, Destinations::None)
            }
        }
    }
}

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "shfl",
        section: "9.7.9.6",
        operands: "d|p, a, b, c{, membermask}",
        summary: "Reads a register of another lane.",
        needs: &[],
        forms: &[structural!("{.sync}(.up|.down|.bfly|.idx).b32", Warp(Shfl))],
    },
    Opcode {
        name: "vote",
        section: "9.7.13.9",
        operands: "d, {!}a{, membermask}",
        summary: "Asks a question about a predicate of all lanes.",
        needs: &[],
        forms: &[
            structural!("{.sync}(.all|.any|.uni).pred", Warp(Vote)),
            structural!("{.sync}.ballot.b32", Warp(Vote)),
        ],
    },
    Opcode {
        name: "match",
        section: "9.7.13.10",
        operands: "d|p, a, membermask",
        summary: "Finds the lanes that have the same value.",
        needs: &[need("", (6, 0), 70)],
        forms: &[structural!("(.any|.all).sync(.b32|.b64)", Warp(Match))],
    },
    Opcode {
        name: "activemask",
        section: "9.7.13.11",
        operands: "d",
        summary: "Gives the lanes that execute it together.",
        needs: &[need("", (6, 2), 50)],
        forms: &[structural!(".b32", Warp(Activemask))],
    },
    Opcode {
        name: "redux",
        section: "9.7.13.12",
        operands: "d, a, membermask",
        summary: "Reduces a value over lanes.",
        needs: &[need("", (7, 0), 80), need(".f32", (8, 6), 100)],
        forms: &[
            structural!(".sync(.add|.min|.max)(.u32|.s32)", Warp(Redux)),
            structural!(".sync(.and|.or|.xor).b32", Warp(Redux)),
            structural!(".sync(.min|.max){.abs}{.NaN}.f32", Warp(Redux)),
        ],
    },
    Opcode {
        name: "elect",
        section: "9.7.13.15",
        operands: "d|p, membermask",
        summary: "Elects one lane.",
        needs: &[need("", (8, 0), 90)],
        forms: &[structural!(".sync", Warp(Elect))],
    },
    Opcode {
        name: "movmatrix",
        section: "9.7.14.5",
        operands: "d, a",
        summary: "Transposes a matrix of 8 by 8 halves that a warp holds.",
        needs: &[need("", (7, 8), 75)],
        forms: &[structural!(".sync.aligned.m8n8.trans.b16", Warp(Movmatrix))],
    },
];
