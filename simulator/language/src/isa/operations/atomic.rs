//! Atomic operations (PTX ISA 9.7.13.5 and 9.7.13.7); `lower` translates them.
//!
//! Compilers write the modifiers in several orders: semantics, scope and space before the
//! operation, the space before the scope (older PTX), or all of them after the operation (libcu++).
//! All are accepted.

use crate::isa::need::{Need, need};
use crate::isa::row::{Opcode, structural};

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

/// The part before the operation of an asynchronous reduction in shared memory.
macro_rules! asynchronous {
    () => {
        ".async.relaxed.cluster{.shared::cluster}{.mbarrier::complete_tx::bytes}"
    };
}

/// For each operation with its types a form for either order, those that take a cache hint first,
/// then those that take none; vectors, which lie in global memory.
macro_rules! atomics {
    (
        $kind:ident, $semantics:literal,
        hinted $($operation:literal $types:literal,)*
        plain $($swap:literal $swapped:literal,)*
        vectors $($vector:literal,)*
    ) => {
        &[
            $(
                structural!(
                    concat!($semantics, scope!(), space!(), scope!(), $operation, "{.L2::cache_hint}", $types),
                    $kind
                ),
                structural!(
                    concat!($operation, $semantics, scope!(), space!(), scope!(), "{.L2::cache_hint}", $types),
                    $kind
                ),
            )*
            $(
                structural!(concat!($semantics, scope!(), space!(), scope!(), $swap, $swapped), $kind),
                structural!(concat!($swap, $semantics, scope!(), space!(), scope!(), $swapped), $kind),
            )*
            $(structural!(concat!($semantics, scope!(), "{.global}", $vector), $kind),)*
        ]
    };
}

/// What their modifiers need; the older forms, without any, have no scope to speak of.
const NEEDS: &[Need] = &[
    need("(.cta|.gpu|.sys)", (6, 0), 60),
    need(".add.f64", (6, 0), 60),
    need(".noftz.f16x2", (6, 2), 60),
    need(".noftz.f16", (6, 3), 70),
    need(".noftz(.bf16|.bf16x2)", (7, 8), 90),
    need("(.v2|.v4|.v8)", (8, 1), 90),
    need(".L2::cache_hint", (7, 4), 80),
    need("(.relaxed|.acquire|.release|.acq_rel)", (6, 0), 70),
    need(".shared::cta", (7, 8), 50),
    need("(.cluster|.shared::cluster)", (7, 8), 90),
];

/// The same, and what only `atom` has.
const ATOM_NEEDS: &[Need] = &[
    NEEDS[0],
    NEEDS[1],
    NEEDS[2],
    NEEDS[3],
    NEEDS[4],
    NEEDS[5],
    NEEDS[6],
    NEEDS[7],
    NEEDS[8],
    NEEDS[9],
    need(".cas.b16", (6, 3), 70),
    need(".b128", (8, 3), 90),
    // At any position of the scope.
    need(".sys.b128", (8, 4), 90),
];

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "atom",
        section: "9.7.13.5",
        operands: "d, [a], b{, c}",
        summary: "Reads, changes and writes back a value in memory in one step; gives the old value. Of a vector, each element in one step.",
        needs: ATOM_NEEDS,
        forms: atomics! {
            Atom, "{.relaxed|.acquire|.release|.acq_rel}",
            hinted
            "(.and|.or|.xor)" "(.b32|.b64)",
            ".exch" "(.b32|.b64)",
            ".add" "(.u32|.s32|.u64|.f32|.f64)",
            ".add" ".noftz(.f16|.f16x2|.bf16|.bf16x2)",
            "(.inc|.dec)" ".u32",
            "(.min|.max)" "(.u32|.s32|.u64|.s64)",
            ".exch" ".b128",
            plain
            ".cas" "(.b16|.b32|.b64|.b128)",
            vectors
            ".add{.L2::cache_hint}(.v2|.v4).f32",
            "(.add|.min|.max).noftz{.L2::cache_hint}(.v2|.v4|.v8)(.f16|.bf16)",
            "(.add|.min|.max).noftz{.L2::cache_hint}(.v2|.v4)(.f16x2|.bf16x2)",
        },
    },
    Opcode {
        name: "red",
        section: "9.7.13.7",
        operands: "[a], b",
        summary: "Changes a value in memory in one step. Of a vector, each element in one step.",
        needs: NEEDS,
        forms: atomics! {
            Red, "{.relaxed|.release}",
            hinted
            "(.and|.or|.xor)" "(.b32|.b64)",
            ".add" "(.u32|.s32|.u64|.f32|.f64)",
            ".add" ".noftz(.f16|.f16x2|.bf16|.bf16x2)",
            "(.inc|.dec)" ".u32",
            "(.min|.max)" "(.u32|.s32|.u64|.s64)",
            plain
            vectors
            ".add{.L2::cache_hint}(.v2|.v4).f32",
            "(.add|.min|.max).noftz{.L2::cache_hint}(.v2|.v4|.v8)(.f16|.bf16)",
            "(.add|.min|.max).noftz{.L2::cache_hint}(.v2|.v4)(.f16x2|.bf16x2)",
        },
    },
    Opcode {
        name: "red",
        section: "9.7.13.8",
        operands: "[a], b, [mbar]",
        summary: "Begins a reduction in shared memory, and signals an mbarrier object when it is \
                  complete.",
        needs: &[need("", (8, 1), 90)],
        forms: &[
            structural!(concat!(asynchronous!(), "(.inc|.dec).u32"), AsyncStore),
            structural!(concat!(asynchronous!(), "(.min|.max)(.u32|.s32)"), AsyncStore),
            structural!(concat!(asynchronous!(), "(.and|.or|.xor).b32"), AsyncStore),
            structural!(concat!(asynchronous!(), ".add(.u32|.s32|.u64|.s64)"), AsyncStore),
        ],
    },
    Opcode {
        name: "red",
        section: "9.7.13.8",
        operands: "[a], b",
        summary: "Begins a reduction in global memory, which is done at once here.",
        needs: &[need("", (8, 7), 100)],
        forms: &[
            structural!(".async.release(.gpu|.sys){.global}.add(.u32|.s32|.u64|.s64)", Red),
            structural!(".async.mmio.release.sys{.global}.add(.u32|.s32|.u64|.s64)", Red),
        ],
    },
];
