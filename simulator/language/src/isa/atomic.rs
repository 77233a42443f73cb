//! Atomic operations (PTX ISA 9.7.13.5 and 9.7.13.7); `lower` translates them.
//!
//! Compilers write the modifiers in several orders: semantics, scope and space before the
//! operation, the space before the scope (older PTX), or all of them after the operation (libcu++).
//! All are accepted.

use super::need::{Need, need};
use super::row::{Opcode, structural, unsupported};

macro_rules! scope {
    () => {
        "{.cta|.cluster|.gpu|.sys}"
    };
}

macro_rules! space {
    () => {
        "{.global|.shared|.shared::cta|.shared::cluster}"
    };
}

/// For each operation with its types a form for either order; then what is refused.
macro_rules! atomics {
    (
        $kind:ident, $semantics:literal,
        $($operation:literal $types:literal,)*
        refused $($refused:literal $reason:literal,)*
    ) => {
        &[
            $(
                structural!(concat!($semantics, scope!(), space!(), scope!(), $operation, $types), $kind),
                structural!(concat!($operation, $semantics, scope!(), space!(), scope!(), $types), $kind),
            )*
            $(unsupported!(concat!($semantics, scope!(), space!(), scope!(), $refused), $reason),)*
        ]
    };
}

/// What their modifiers need; the older forms, without any, have no scope to speak of.
const NEEDS: &[Need] = &[
    need("(.cta|.gpu|.sys)", (6, 0), 60),
    need(".add.f64", (6, 0), 60),
    need("(.relaxed|.acquire|.release|.acq_rel)", (6, 0), 70),
    need(".shared::cta", (7, 8), 50),
    need("(.cluster|.shared::cluster)", (7, 8), 90),
];

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "atom",
        section: "9.7.13.5",
        operands: "d, [a], b{, c}",
        summary: "Reads, changes and writes back a value in memory in one step; gives the old value.",
        needs: NEEDS,
        forms: atomics! {
            Atom, "{.relaxed|.acquire|.release|.acq_rel}",
            "(.and|.or|.xor)" "(.b32|.b64)",
            "(.exch|.cas)" "(.b32|.b64)",
            ".add" "(.u32|.s32|.u64|.f32|.f64)",
            "(.inc|.dec)" ".u32",
            "(.min|.max)" "(.u32|.s32|.u64|.s64)",
            refused
            "(.exch|.cas).b128" "warpsim has no 128-bit registers",
            ".cas.b16" "no 16-bit atomics",
            ".add.noftz(.f16|.f16x2|.bf16|.bf16x2)" "no half-precision atomics",
            "(.add|.min|.max){.noftz}(.v2|.v4|.v8)(.f16|.f16x2|.bf16|.bf16x2|.f32)" "no vector atomics",
        },
    },
    Opcode {
        name: "red",
        section: "9.7.13.7",
        operands: "[a], b",
        summary: "Changes a value in memory in one step.",
        needs: NEEDS,
        forms: atomics! {
            Red, "{.relaxed|.release}",
            "(.and|.or|.xor)" "(.b32|.b64)",
            ".add" "(.u32|.s32|.u64|.f32|.f64)",
            "(.inc|.dec)" ".u32",
            "(.min|.max)" "(.u32|.s32|.u64|.s64)",
            refused
            ".async.mbarrier::complete_tx::bytes(.inc|.dec|.min|.max|.and|.or|.xor|.add)(.u32|.s32|.u64|.b32)" "asynchronous reductions are not modelled",
            ".add.noftz(.f16|.f16x2|.bf16|.bf16x2)" "no half-precision atomics",
            "(.add|.min|.max){.noftz}(.v2|.v4|.v8)(.f16|.f16x2|.bf16|.bf16x2|.f32)" "no vector atomics",
        },
    },
];
