//! Half-precision arithmetic: f16, bf16 and pairs of them (PTX ISA 9.7.4).
//!
//! Bit-exact but for `tanh` and `ex2`, which are within the ISA's bounds; the rules are in [`super::scalar::halves`].

use half::{bf16, f16};

use super::row::{Opcode, joined, lanes};
use super::scalar::halves::{self, Pair, each, each_2, each_3};

/// The two forms of an operation of one operand, alone and in pairs; the patterns come before the type.
macro_rules! half1 {
    ($half:ty, $single:expr, $pair:expr, $f:path) => {
        &[
            lanes!($single, unary($half) -> $half, with_flags $f),
            lanes!($pair, unary(Pair<$half>) -> Pair<$half>, with_flags |f, a| {
                each(|a| $f(f, a), a)
            }),
        ]
    };
}

/// As `half1`, of two operands.
macro_rules! half2 {
    ($half:ty, $single:expr, $pair:expr, $f:path) => {
        &[
            lanes!($single, binary($half, $half) -> $half, with_flags $f),
            lanes!($pair, binary(Pair<$half>, Pair<$half>) -> Pair<$half>, with_flags |f, a, b| {
                each_2(|a, b| $f(f, a, b), a, b)
            }),
        ]
    };
}

/// As `half1`, of three operands.
macro_rules! half3 {
    ($half:ty, $single:expr, $pair:expr, $f:path) => {
        &[
            lanes!($single, ternary($half, $half, $half) -> $half, with_flags $f),
            lanes!(
                $pair,
                ternary(Pair<$half>, Pair<$half>, Pair<$half>) -> Pair<$half>,
                with_flags |f, a, b, c| each_3(|a, b, c| $f(f, a, b, c), a, b, c)
            ),
        ]
    };
}

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "add",
        section: "9.7.4.1",
        operands: "d, a, b",
        summary: "Adds two half-precision values.",
        forms: joined![
            half2!(f16, "{.rn}{.ftz}{.sat}.f16", "{.rn}{.ftz}{.sat}.f16x2", halves::add),
            half2!(bf16, "{.rn}.bf16", "{.rn}.bf16x2", halves::add),
        ],
    },
    Opcode {
        name: "sub",
        section: "9.7.4.2",
        operands: "d, a, b",
        summary: "Subtracts one half-precision value from another.",
        forms: joined![
            half2!(f16, "{.rn}{.ftz}{.sat}.f16", "{.rn}{.ftz}{.sat}.f16x2", halves::sub),
            half2!(bf16, "{.rn}.bf16", "{.rn}.bf16x2", halves::sub),
        ],
    },
    Opcode {
        name: "mul",
        section: "9.7.4.3",
        operands: "d, a, b",
        summary: "Multiplies two half-precision values.",
        forms: joined![
            half2!(f16, "{.rn}{.ftz}{.sat}.f16", "{.rn}{.ftz}{.sat}.f16x2", halves::mul),
            half2!(bf16, "{.rn}.bf16", "{.rn}.bf16x2", halves::mul),
        ],
    },
    Opcode {
        name: "fma",
        section: "9.7.4.4",
        operands: "d, a, b, c",
        summary: "Multiplies two half-precision values and adds a third, rounding once.",
        forms: joined![
            half3!(f16, ".rn{.ftz}{.sat|.relu}.f16", ".rn{.ftz}{.sat|.relu}.f16x2", halves::fma),
            half3!(bf16, ".rn{.relu}.bf16", ".rn{.relu}.bf16x2", halves::fma),
            half3!(f16, ".rn.oob{.relu}.f16", ".rn.oob{.relu}.f16x2", halves::fma),
            half3!(bf16, ".rn.oob{.relu}.bf16", ".rn.oob{.relu}.bf16x2", halves::fma),
        ],
    },
    Opcode {
        name: "neg",
        section: "9.7.4.5",
        operands: "d, a",
        summary: "The negated half-precision value.",
        forms: joined![
            half1!(f16, "{.ftz}.f16", "{.ftz}.f16x2", halves::neg),
            half1!(bf16, ".bf16", ".bf16x2", halves::neg),
        ],
    },
    Opcode {
        name: "abs",
        section: "9.7.4.6",
        operands: "d, a",
        summary: "The absolute half-precision value.",
        forms: joined![
            half1!(f16, "{.ftz}.f16", "{.ftz}.f16x2", halves::abs),
            half1!(bf16, ".bf16", ".bf16x2", halves::abs),
        ],
    },
    Opcode {
        name: "min",
        section: "9.7.4.7",
        operands: "d, a, b",
        summary: "The lesser of two half-precision values; a NaN loses, except with `.NaN`.",
        forms: joined![
            half2!(
                f16,
                "{.ftz}{.NaN}{.xorsign.abs}.f16",
                "{.ftz}{.NaN}{.xorsign.abs}.f16x2",
                halves::min
            ),
            half2!(bf16, "{.NaN}{.xorsign.abs}.bf16", "{.NaN}{.xorsign.abs}.bf16x2", halves::min),
        ],
    },
    Opcode {
        name: "max",
        section: "9.7.4.8",
        operands: "d, a, b",
        summary: "The greater of two half-precision values; a NaN loses, except with `.NaN`.",
        forms: joined![
            half2!(
                f16,
                "{.ftz}{.NaN}{.xorsign.abs}.f16",
                "{.ftz}{.NaN}{.xorsign.abs}.f16x2",
                halves::max
            ),
            half2!(bf16, "{.NaN}{.xorsign.abs}.bf16", "{.NaN}{.xorsign.abs}.bf16x2", halves::max),
        ],
    },
    Opcode {
        name: "tanh",
        section: "9.7.4.9",
        operands: "d, a",
        summary: "The hyperbolic tangent in half precision, approximately.",
        forms: joined![
            half1!(f16, ".approx.f16", ".approx.f16x2", halves::tanh),
            half1!(bf16, ".approx.bf16", ".approx.bf16x2", halves::tanh),
        ],
    },
    Opcode {
        name: "ex2",
        section: "9.7.4.10",
        operands: "d, a",
        summary: "2 to the power a in half precision, approximately.",
        forms: joined![
            half1!(f16, ".approx.f16", ".approx.f16x2", halves::ex2),
            half1!(bf16, ".approx.ftz.bf16", ".approx.ftz.bf16x2", halves::ex2),
        ],
    },
];
