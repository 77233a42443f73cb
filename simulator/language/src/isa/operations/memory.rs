//! Data movement that `lower` translates (PTX ISA 9.7.9): loads, stores, `mov`, address
//! conversion, and the atomics of chapter 9.7.13.
//!
//! Cache operators, eviction priorities and prefetch sizes are accepted and change nothing: warpsim
//! models no caches. Without clusters `.shared::cluster` is the block's own shared memory.

use crate::isa::need::{Need, need};
use crate::isa::row::{Opcode, structural, unsupported};

/// The types that `ld` and `st` move.
macro_rules! types {
    () => {
        "(.b8|.b16|.b32|.b64|.b128|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|.f64)"
    };
}

/// Eviction priorities, cache hints and prefetch sizes, then the vector.
macro_rules! hints {
    () => {
        concat!(
            "{.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate}",
            "{.L2::evict_normal|.L2::evict_first|.L2::evict_last}{.L2::cache_hint}",
            "{.L2::64B|.L2::128B|.L2::256B}{.v2|.v4|.v8}",
        )
    };
}

/// The first priority of a policy.
macro_rules! policy {
    () => {
        "(.L2::evict_last|.L2::evict_normal|.L2::evict_first|.L2::evict_unchanged)"
    };
}

macro_rules! load_space {
    () => {
        "{.const|.global|.local|.param|.param::entry|.param::func|.shared|.shared::cta|.shared::cluster}"
    };
}

macro_rules! store_space {
    () => {
        "{.global|.local|.param|.param::func|.shared|.shared::cta|.shared::cluster}"
    };
}

macro_rules! scope {
    () => {
        "(.cta|.cluster|.gpu|.sys)"
    };
}

/// What the modifiers of loads and stores need. 256 bits at once, with or without an eviction
/// priority in the second cache, are the latest.
const ACCESS: &[Need] = &[
    need("(.weak|.relaxed|.acquire|.release)", (6, 0), 70),
    need(
        "(.L1::evict_normal|.L1::evict_unchanged|.L1::evict_first|.L1::evict_last|.L1::no_allocate)",
        (7, 4),
        70,
    ),
    need("(.L2::64B|.L2::128B)", (7, 4), 75),
    need("(.L2::256B|.L2::cache_hint)", (7, 4), 80),
    need(".shared::cta", (7, 8), 50),
    need("(.cluster|.shared::cluster)", (7, 8), 90),
    need(".mmio", (8, 2), 70),
    need("(.param::entry|.param::func)", (8, 3), 50),
    need("(.L2::evict_normal|.L2::evict_first|.L2::evict_last)", (8, 8), 100),
    need(".v8(.b32|.u32|.s32|.f32)", (8, 8), 100),
    need(".v4(.b64|.u64|.s64|.f64)", (8, 8), 100),
    need(".b128", (8, 3), 70),
    need(".sys.b128", (8, 4), 70),
    need(".volatile.local", (9, 1), 50),
];

/// What the names of state spaces need.
const SPACES: &[Need] = &[
    need(".param", (7, 7), 70),
    need(".shared::cta", (7, 8), 50),
    need(".shared::cluster", (7, 8), 90),
    need(".param::entry", (8, 3), 70),
];

const LOAD_REST: &str = "d, [a]";

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "mov",
        section: "9.7.9.4",
        operands: "d, a",
        summary: "Sets a register to a value, a special register, an address, or packs and unpacks.",
        needs: &[need(".b128", (8, 3), 70)],
        forms: &[
            structural!(
                "(.pred|.b16|.b32|.b64|.b128|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64)",
                Mov
            ),
            structural!("(.v2|.v4)(.b16|.b32|.b64|.u16|.u32|.u64|.s16|.s32|.s64|.f32|.f64)", Mov),
        ],
    },
    Opcode {
        name: "ld",
        section: "9.7.9.8",
        operands: LOAD_REST,
        summary: "Loads from memory.",
        needs: ACCESS,
        forms: &[
            structural!(
                concat!("{.weak}", load_space!(), "{.ca|.cg|.cs|.lu|.cv}", hints!(), types!()),
                Ld
            ),
            structural!(concat!(".global{.ca|.cg|.cs}.nc", hints!(), types!()), Ld),
            structural!(concat!(".volatile", load_space!(), hints!(), types!()), Ld),
            structural!(
                concat!("(.relaxed|.acquire)", scope!(), load_space!(), hints!(), types!()),
                Ld
            ),
            structural!(concat!(".mmio.relaxed.sys{.global}", types!()), Ld),
        ],
    },
    Opcode {
        name: "ldu",
        section: "9.7.9.10",
        operands: LOAD_REST,
        summary: "Loads from an address that is the same in all lanes.",
        needs: &[need(".b128", (8, 3), 70)],
        forms: &[structural!(concat!("{.global}{.v2|.v4}", types!()), Ld)],
    },
    Opcode {
        name: "st",
        section: "9.7.9.11",
        operands: "[a], b",
        summary: "Stores to memory.",
        needs: ACCESS,
        forms: &[
            structural!(
                concat!("{.weak}", store_space!(), "{.wb|.cg|.cs|.wt}", hints!(), types!()),
                St
            ),
            structural!(concat!(".volatile", store_space!(), hints!(), types!()), St),
            structural!(
                concat!("(.relaxed|.release)", scope!(), store_space!(), hints!(), types!()),
                St
            ),
            structural!(concat!(".mmio.relaxed.sys{.global}", types!()), St),
        ],
    },
    Opcode {
        name: "st",
        section: "9.7.9.12",
        operands: "[a], b, [mbar]",
        summary: "Begins a store to shared memory, and signals an mbarrier object when it is \
                  complete.",
        needs: &[need("", (8, 1), 90)],
        forms: &[structural!(
            ".async{.weak|.cluster}{.shared::cluster}{.mbarrier::complete_tx::bytes}{.v2|.v4}(.b32|.b64|.u32|.u64|.s32|.s64|.f32|.f64)",
            AsyncStore
        )],
    },
    Opcode {
        name: "st",
        section: "9.7.9.12",
        operands: "[a], b",
        summary: "Begins a store to global memory, which is done at once here.",
        needs: &[need("", (8, 7), 100)],
        forms: &[
            structural!(
                ".async.release(.gpu|.sys){.global}(.b8|.b16|.b32|.b64|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|.f64)",
                St
            ),
            structural!(
                ".async.mmio.release.sys{.global}(.b8|.b16|.b32|.b64|.u8|.u16|.u32|.u64|.s8|.s16|.s32|.s64|.f32|.f64)",
                St
            ),
        ],
    },
    Opcode {
        name: "st",
        section: "9.7.9.13",
        operands: "[a], size, 0",
        summary: "Fills shared memory with zeros.",
        needs: &[need(".bulk", (8, 6), 100)],
        forms: &[structural!(".bulk{.weak}{.shared::cta}", Fill)],
    },
    Opcode {
        name: "prefetch",
        section: "9.7.9.15",
        operands: "[a]",
        summary: "Asks for a line to be brought into a cache: no effect here.",
        needs: &[
            need("(.L2::evict_last|.L2::evict_normal)", (7, 4), 80),
            need(".tensormap", (8, 0), 90),
        ],
        forms: &[
            structural!("{.global|.local}(.L1|.L2)", Nothing),
            structural!("{.global}(.L2::evict_last|.L2::evict_normal)", Nothing),
            structural!("{.const|.param}.tensormap", Nothing),
        ],
    },
    Opcode {
        name: "prefetchu",
        section: "9.7.9.15",
        operands: "[a]",
        summary: "Asks for a line to be brought into the uniform cache: no effect here.",
        needs: &[],
        forms: &[structural!(".L1", Nothing)],
    },
    Opcode {
        name: "applypriority",
        section: "9.7.9.16",
        operands: "[a], size",
        summary: "Sets the eviction priority of a line: no effect here.",
        needs: &[need("", (7, 4), 80)],
        forms: &[structural!("{.global}.L2::evict_normal", Nothing)],
    },
    Opcode {
        name: "discard",
        section: "9.7.9.17",
        operands: "[a], size",
        summary: "Destroys what is in memory, without writing it back from the cache.",
        needs: &[need("", (7, 4), 80)],
        forms: &[structural!("{.global}.L2", Discard)],
    },
    Opcode {
        name: "createpolicy",
        section: "9.7.9.18",
        operands: "d{, [a]}{, b}{, c}",
        summary: "Makes a policy of the cache, which has no effect here.",
        needs: &[need("", (7, 4), 80)],
        forms: &[
            structural!(
                concat!(".fractional", policy!(), "{.L2::evict_first|.L2::evict_unchanged}.b64"),
                CreatePolicy
            ),
            structural!(
                concat!(
                    ".range{.global}",
                    policy!(),
                    "{.L2::evict_first|.L2::evict_unchanged}.b64"
                ),
                CreatePolicy
            ),
            structural!(".cvt.L2.b64", CreatePolicy),
        ],
    },
    Opcode {
        name: "isspacep",
        section: "9.7.9.19",
        operands: "p, a",
        summary: "Asks whether a generic address lies in a state space.",
        needs: SPACES,
        forms: &[structural!(
            "(.const|.global|.local|.shared|.shared::cta|.shared::cluster|.param|.param::entry)",
            Isspacep
        )],
    },
    Opcode {
        name: "cvta",
        section: "9.7.9.20",
        operands: "d, a",
        summary: "Converts an address from a state space to generic, or back.",
        needs: SPACES,
        forms: &[
            structural!(
                "{.to}(.const|.global|.local|.shared|.shared::cta|.shared::cluster|.param|.param::entry).u64",
                Cvta
            ),
            unsupported!(
                "{.to}(.const|.global|.local|.shared|.shared::cta|.shared::cluster|.param|.param::entry).u32",
                "generic addresses have 64 bits"
            ),
        ],
    },
    Opcode {
        name: "mapa",
        section: "9.7.9.23",
        operands: "d, a, b",
        summary: "The address of a block's shared memory in another block of the cluster, which is itself here.",
        needs: &[need("", (7, 8), 90)],
        forms: &[structural!("{.shared::cluster}(.u32|.u64)", Mapa)],
    },
    Opcode {
        name: "getctarank",
        section: "9.7.9.24",
        operands: "d, a",
        summary: "The rank in the cluster of the block that an address belongs to: 0 here.",
        needs: &[need("", (7, 8), 90)],
        forms: &[structural!("{.shared::cluster}(.u32|.u64)", Getctarank)],
    },
];
