//! Asynchronous copies (PTX ISA 9.7.9.25); `lower` translates them.
//!
//! Cache hints and prefetch sizes are accepted and change nothing. [`crate::isa::operand_needs`] has the
//! needs of a predicate for `ignore-src`.

use crate::isa::need::need;
use crate::isa::row::{Opcode, structural, unsupported};

const CLUSTERS: &str = "clusters of more than one block are not modelled";
const TENSOR_MAPS: &str = "tensor maps (PTX ISA 9.7.9.25.5) are not modelled";

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "cp",
        section: "9.7.9.25.3.1",
        operands: "[dst], [src], cp-size{, src-size}{, ignore-src}{, cache-policy}",
        summary: "Begins a copy from global to shared memory.",
        needs: &[
            need("", (7, 0), 80),
            need("(.L2::64B|.L2::128B|.L2::256B|.L2::cache_hint)", (7, 4), 80),
        ],
        forms: &[structural!(
            ".async(.ca|.cg)(.shared|.shared::cta).global{.L2::cache_hint}{.L2::64B|.L2::128B|.L2::256B}",
            CpAsync
        )],
    },
    Opcode {
        name: "cp",
        section: "9.7.9.25.3.2",
        operands: "",
        summary: "Makes a group of the copies begun since the last one.",
        needs: &[need("", (7, 0), 80)],
        forms: &[structural!(".async.commit_group", CommitGroup)],
    },
    Opcode {
        name: "cp",
        section: "9.7.9.25.3.3",
        operands: "{N}",
        summary: "Waits for groups of copies.",
        needs: &[need("", (7, 0), 80)],
        forms: &[structural!(".async(.wait_group|.wait_all)", WaitGroup)],
    },
    Opcode {
        name: "cp",
        section: "9.7.9.25.4.1",
        operands: "[dst], [src], size{, [mbar]}{, cache-policy}",
        summary: "Begins a copy in bulk.",
        needs: &[need("", (8, 0), 90)],
        forms: &[
            structural!(
                ".async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.L2::cache_hint}",
                CpBulk
            ),
            structural!(
                ".async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes",
                CpBulk
            ),
            structural!(".async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}", CpBulk),
            unsupported!(
                ".async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster{.L2::cache_hint}",
                CLUSTERS
            ),
            unsupported!(
                ".async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.cp_mask",
                "copies of single bytes of 16 are not modelled"
            ),
        ],
    },
    Opcode {
        name: "cp",
        section: "9.7.9.25.4.1",
        operands: "[dst], [src], size, [mbar]{, cache-policy}",
        summary: "Begins a copy in bulk to the block's own shared memory.",
        needs: &[need("", (8, 6), 90)],
        forms: &[structural!(
            ".async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{.L2::cache_hint}",
            CpBulk
        )],
    },
    Opcode {
        name: "cp",
        section: "9.7.9.25.4.2",
        operands: "[dst], [src], size{, [mbar]}{, cache-policy}",
        summary: "Begins a reduction in bulk.",
        needs: &[need("", (8, 0), 90)],
        forms: &[
            structural!(
                ".reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}(.and|.or|.xor)(.b32|.b64)",
                CpBulk
            ),
            structural!(
                ".reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.add(.u32|.s32|.u64|.f32|.f64)",
                CpBulk
            ),
            structural!(
                ".reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}(.inc|.dec).u32",
                CpBulk
            ),
            structural!(
                ".reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}(.min|.max)(.u32|.s32|.u64|.s64)",
                CpBulk
            ),
            structural!(
                ".reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes(.and|.or|.xor).b32",
                CpBulk
            ),
            structural!(
                ".reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add(.u32|.s32|.u64)",
                CpBulk
            ),
            structural!(
                ".reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes(.inc|.dec).u32",
                CpBulk
            ),
            structural!(
                ".reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes(.min|.max)(.u32|.s32)",
                CpBulk
            ),
            structural!(
                ".reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.add.noftz(.f16|.bf16)",
                CpBulk
            ),
            structural!(
                ".reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}(.min|.max)(.f16|.bf16)",
                CpBulk
            ),
        ],
    },
    Opcode {
        name: "cp",
        section: "9.7.9.25.4.3",
        operands: "[src], size{, cache-policy}",
        summary: "Asks for memory to be brought into a cache: no effect here.",
        needs: &[need("", (8, 0), 90)],
        forms: &[structural!(".async.bulk.prefetch.L2.global{.L2::cache_hint}", CpPrefetch)],
    },
    Opcode {
        name: "cp",
        section: "9.7.9.25.5",
        operands: "",
        summary: "Copies by a tensor map.",
        needs: &[],
        forms: &[
            unsupported!(
                ".async.bulk.tensor(.1d|.2d|.3d|.4d|.5d)(.shared::cluster|.shared::cta).global{.tile|.tile::gather4|.im2col|.im2col::w|.im2col::w::128}.mbarrier::complete_tx::bytes{.multicast::cluster}{.cta_group::1|.cta_group::2}{.L2::cache_hint}",
                TENSOR_MAPS
            ),
            unsupported!(
                ".async.bulk.tensor(.1d|.2d|.3d|.4d|.5d).global.shared::cta{.tile|.tile::scatter4|.im2col_no_offs}.bulk_group{.L2::cache_hint}",
                TENSOR_MAPS
            ),
            unsupported!(
                ".reduce.async.bulk.tensor(.1d|.2d|.3d|.4d|.5d).global.shared::cta(.add|.min|.max|.inc|.dec|.and|.or|.xor){.tile|.im2col_no_offs}.bulk_group{.L2::cache_hint}",
                TENSOR_MAPS
            ),
            unsupported!(
                ".async.bulk.prefetch.tensor(.1d|.2d|.3d|.4d|.5d).L2.global{.tile|.tile::gather4|.im2col|.im2col::w|.im2col::w::128}{.L2::cache_hint}",
                TENSOR_MAPS
            ),
        ],
    },
    Opcode {
        name: "cp",
        section: "9.7.9.25.6",
        operands: "{N}",
        summary: "Makes a group of copies in bulk, or waits for groups.",
        needs: &[need("", (8, 0), 90)],
        forms: &[
            structural!(".async.bulk.commit_group", CommitGroup),
            structural!(".async.bulk.wait_group{.read}", WaitGroup),
        ],
    },
];
