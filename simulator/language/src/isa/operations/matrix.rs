//! Matrices that a warp holds: `wmma` (PTX ISA 9.7.14.4), `mma` with `ldmatrix` and `stmatrix`
//! (9.7.14.5), and `mma.sp` (9.7.14.6). `lower/matrix` of the engine translates them.
//!
//! Block-scaled forms are refused. Forms for `sm_100a` or `sm_120a` alone have the number of the
//! architecture, 100 or 120.

use crate::isa::need::need;
use crate::isa::row::{Form, Opcode, joined, structural, unsupported};

const BLOCK_SCALED: &str = "block scaling is not modelled (PTX ISA 9.7.14.3)";

/// `mma` without sparsity.
const MMA: &[Form] = &[
    structural!(".sync.aligned.m8n8k4(.row|.col)(.row|.col)(.f16|.f32).f16.f16.f16", Warp(Mma)),
    structural!(".sync.aligned.m8n8k4(.row|.col)(.row|.col).f32.f16.f16.f32", Warp(Mma)),
    structural!(".sync.aligned(.m16n8k8|.m16n8k16).row.col.f16.f16.f16.f16", Warp(Mma)),
    structural!(".sync.aligned(.m16n8k8|.m16n8k16).row.col.f32.f16.f16.f32", Warp(Mma)),
    structural!(".sync.aligned(.m16n8k8|.m16n8k16).row.col.f32.bf16.bf16.f32", Warp(Mma)),
    structural!(".sync.aligned(.m16n8k4|.m16n8k8).row.col.f32.tf32.tf32.f32", Warp(Mma)),
    structural!(
        ".sync.aligned(.m8n8k4|.m16n8k4|.m16n8k8|.m16n8k16).row.col{.rn|.rz|.rm|.rp}.f64.f64.f64.f64",
        Warp(Mma)
    ),
    structural!(
        ".sync.aligned(.m16n8k16|.m16n8k32).row.col.f32(.e4m3|.e5m2)(.e4m3|.e5m2).f32",
        Warp(Mma)
    ),
    structural!(
        ".sync.aligned(.m16n8k16|.m16n8k32).row.col.f16(.e4m3|.e5m2)(.e4m3|.e5m2).f16",
        Warp(Mma)
    ),
    structural!(
        ".sync.aligned.m16n8k32.row.col.kind::f8f6f4.f32(.e4m3|.e5m2|.e3m2|.e2m3|.e2m1)(.e4m3|.e5m2|.e3m2|.e2m3|.e2m1).f32",
        Warp(Mma)
    ),
    structural!(
        ".sync.aligned.m16n8k32.row.col.kind::f8f6f4.f16(.e4m3|.e5m2|.e3m2|.e2m3|.e2m1)(.e4m3|.e5m2|.e3m2|.e2m3|.e2m1).f16",
        Warp(Mma)
    ),
    structural!(
        ".sync.aligned(.m8n8k16|.m16n8k16|.m16n8k32).row.col{.satfinite}.s32(.s8|.u8)(.s8|.u8).s32",
        Warp(Mma)
    ),
    structural!(
        ".sync.aligned(.m8n8k32|.m16n8k32|.m16n8k64).row.col{.satfinite}.s32(.s4|.u4)(.s4|.u4).s32",
        Warp(Mma)
    ),
    structural!(
        ".sync.aligned(.m8n8k128|.m16n8k128|.m16n8k256).row.col.s32.b1.b1.s32(.xor|.and).popc",
        Warp(Mma)
    ),
    unsupported!(
        ".sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale{.scale_vec::1X}.f32(.e4m3|.e5m2|.e3m2|.e2m3|.e2m1)(.e4m3|.e5m2|.e3m2|.e2m3|.e2m1).f32.ue8m0",
        BLOCK_SCALED
    ),
    unsupported!(
        ".sync.aligned.m16n8k64.row.col(.kind::mxf4|.kind::mxf4nvf4).block_scale{.scale_vec::2X|.scale_vec::4X}.f32.e2m1.e2m1.f32(.ue8m0|.ue4m3)",
        BLOCK_SCALED
    ),
];

/// `mma.sp`: half of A is zero, and left out.
const SPARSE: &[Form] = &[
    structural!(
        "(.sp|.sp::ordered_metadata).sync.aligned(.m16n8k16|.m16n8k32).row.col.f16.f16.f16.f16",
        Warp(Mma)
    ),
    structural!(
        "(.sp|.sp::ordered_metadata).sync.aligned(.m16n8k16|.m16n8k32).row.col.f32.f16.f16.f32",
        Warp(Mma)
    ),
    structural!(
        "(.sp|.sp::ordered_metadata).sync.aligned(.m16n8k16|.m16n8k32).row.col.f32.bf16.bf16.f32",
        Warp(Mma)
    ),
    structural!(
        "(.sp|.sp::ordered_metadata).sync.aligned(.m16n8k8|.m16n8k16).row.col.f32.tf32.tf32.f32",
        Warp(Mma)
    ),
    structural!(
        "(.sp|.sp::ordered_metadata).sync.aligned.m16n8k64.row.col.f32(.e4m3|.e5m2)(.e4m3|.e5m2).f32",
        Warp(Mma)
    ),
    structural!(
        ".sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f32(.e4m3|.e5m2|.e3m2|.e2m3|.e2m1)(.e4m3|.e5m2|.e3m2|.e2m3|.e2m1).f32",
        Warp(Mma)
    ),
    structural!(
        ".sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::f8f6f4.f16(.e4m3|.e5m2|.e3m2|.e2m3|.e2m1)(.e4m3|.e5m2|.e3m2|.e2m3|.e2m1).f16",
        Warp(Mma)
    ),
    structural!(
        "(.sp|.sp::ordered_metadata).sync.aligned(.m16n8k32|.m16n8k64).row.col{.satfinite}.s32(.s8|.u8)(.s8|.u8).s32",
        Warp(Mma)
    ),
    structural!(
        "(.sp|.sp::ordered_metadata).sync.aligned(.m16n8k64|.m16n8k128).row.col{.satfinite}.s32(.s4|.u4)(.s4|.u4).s32",
        Warp(Mma)
    ),
    unsupported!(
        ".sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale{.scale_vec::1X}.f32(.e4m3|.e5m2|.e3m2|.e2m3|.e2m1)(.e4m3|.e5m2|.e3m2|.e2m3|.e2m1).f32.ue8m0",
        BLOCK_SCALED
    ),
    unsupported!(
        ".sp::ordered_metadata.sync.aligned.m16n8k128.row.col(.kind::mxf4|.kind::mxf4nvf4).block_scale{.scale_vec::2X|.scale_vec::4X}.f32.e2m1.e2m1.f32(.ue8m0|.ue4m3)",
        BLOCK_SCALED
    ),
];

/// `wmma.load`.
const WMMA_LOAD: &[Form] = &[
    structural!(
        ".load(.a|.b).sync.aligned(.row|.col)(.m16n16k16|.m8n32k16|.m32n8k16){.global|.shared|.shared::cta}(.f16|.bf16|.s8|.u8)",
        Warp(WmmaLoad)
    ),
    structural!(
        ".load.c.sync.aligned(.row|.col)(.m16n16k16|.m8n32k16|.m32n8k16){.global|.shared|.shared::cta}(.f16|.f32|.s32)",
        Warp(WmmaLoad)
    ),
    structural!(
        ".load(.a|.b).sync.aligned(.row|.col).m16n16k8{.global|.shared|.shared::cta}.tf32",
        Warp(WmmaLoad)
    ),
    structural!(
        ".load.c.sync.aligned(.row|.col).m16n16k8{.global|.shared|.shared::cta}.f32",
        Warp(WmmaLoad)
    ),
    structural!(
        ".load(.a|.b|.c).sync.aligned(.row|.col).m8n8k4{.global|.shared|.shared::cta}.f64",
        Warp(WmmaLoad)
    ),
    structural!(
        ".load.a.sync.aligned.row.m8n8k32{.global|.shared|.shared::cta}(.s4|.u4)",
        Warp(WmmaLoad)
    ),
    structural!(
        ".load.b.sync.aligned.col.m8n8k32{.global|.shared|.shared::cta}(.s4|.u4)",
        Warp(WmmaLoad)
    ),
    structural!(
        ".load.a.sync.aligned.row.m8n8k128{.global|.shared|.shared::cta}.b1",
        Warp(WmmaLoad)
    ),
    structural!(
        ".load.b.sync.aligned.col.m8n8k128{.global|.shared|.shared::cta}.b1",
        Warp(WmmaLoad)
    ),
    structural!(
        ".load.c.sync.aligned(.row|.col)(.m8n8k32|.m8n8k128){.global|.shared|.shared::cta}.s32",
        Warp(WmmaLoad)
    ),
];

/// `wmma.store`.
const WMMA_STORE: &[Form] = &[
    structural!(
        ".store.d.sync.aligned(.row|.col)(.m16n16k16|.m8n32k16|.m32n8k16){.global|.shared|.shared::cta}(.f16|.f32|.s32)",
        Warp(WmmaStore)
    ),
    structural!(
        ".store.d.sync.aligned(.row|.col).m16n16k8{.global|.shared|.shared::cta}.f32",
        Warp(WmmaStore)
    ),
    structural!(
        ".store.d.sync.aligned(.row|.col).m8n8k4{.global|.shared|.shared::cta}.f64",
        Warp(WmmaStore)
    ),
    structural!(
        ".store.d.sync.aligned(.row|.col)(.m8n8k32|.m8n8k128){.global|.shared|.shared::cta}.s32",
        Warp(WmmaStore)
    ),
];

/// `wmma.mma`.
const WMMA_MMA: &[Form] = &[
    structural!(
        ".mma.sync.aligned(.row|.col)(.row|.col)(.m16n16k16|.m8n32k16|.m32n8k16)(.f16|.f32)(.f16|.f32)",
        Warp(WmmaMma)
    ),
    structural!(
        ".mma.sync.aligned(.row|.col)(.row|.col)(.m16n16k16|.m8n32k16|.m32n8k16).f32.bf16.bf16.f32",
        Warp(WmmaMma)
    ),
    structural!(
        ".mma.sync.aligned(.row|.col)(.row|.col).m16n16k8.f32.tf32.tf32.f32",
        Warp(WmmaMma)
    ),
    structural!(
        ".mma.sync.aligned(.row|.col)(.row|.col).m8n8k4{.rn|.rz|.rm|.rp}.f64.f64.f64.f64",
        Warp(WmmaMma)
    ),
    structural!(
        ".mma.sync.aligned(.row|.col)(.row|.col)(.m16n16k16|.m8n32k16|.m32n8k16).s32.s8.s8.s32{.satfinite}",
        Warp(WmmaMma)
    ),
    structural!(
        ".mma.sync.aligned(.row|.col)(.row|.col)(.m16n16k16|.m8n32k16|.m32n8k16).s32.u8.u8.s32{.satfinite}",
        Warp(WmmaMma)
    ),
    structural!(".mma.sync.aligned.row.col.m8n8k32.s32.s4.s4.s32{.satfinite}", Warp(WmmaMma)),
    structural!(".mma.sync.aligned.row.col.m8n8k32.s32.u4.u4.s32{.satfinite}", Warp(WmmaMma)),
    structural!(".mma(.xor|.and).popc.sync.aligned.row.col.m8n8k128.s32.b1.b1.s32", Warp(WmmaMma)),
];

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "wmma",
        section: "9.7.14.4",
        operands: "r, [p]{, stride} | [p], r{, stride} | d, a, b, c",
        summary: "Loads, stores and multiplies matrices of a warp.",
        needs: &[
            // Before that without `.aligned`.
            need("", (6, 3), 70),
            need("(.s8|.u8|.s32)", (6, 3), 72),
            need("(.m8n8k32|.m8n8k128)", (6, 3), 75),
            need("(.bf16|.tf32|.f64)", (7, 0), 80),
            need(".m16n16k8", (7, 0), 80),
            need(".and", (7, 1), 80),
            need(".shared::cta", (7, 8), 70),
        ],
        forms: joined!(WMMA_LOAD, WMMA_STORE, WMMA_MMA),
    },
    Opcode {
        name: "mma",
        section: "9.7.14.5",
        operands: "d, a, b, c",
        summary: "Multiplies matrices of a warp and adds.",
        needs: &[
            need("", (6, 4), 70),
            need(".m16n8k8", (6, 5), 75),
            need("(.m8n8k16|.m8n8k32)", (6, 5), 75),
            need(".m8n8k128", (7, 0), 75),
            need("(.m16n8k4|.m16n8k16|.m16n8k32|.m16n8k64)", (7, 0), 80),
            need("(.m16n8k128|.m16n8k256)", (7, 0), 80),
            need("(.bf16|.tf32|.f64)", (7, 0), 80),
            need(".and", (7, 1), 80),
            need("(.m16n8k4|.m16n8k8|.m16n8k16).f64", (7, 8), 90),
            need("(.e4m3|.e5m2)", (8, 4), 89),
            need(".m16n8k16(.e4m3|.e5m2)", (8, 7), 89),
            need(".f16(.e4m3|.e5m2)", (8, 7), 89),
            need(".kind::f8f6f4", (8, 7), 120),
        ],
        forms: MMA,
    },
    Opcode {
        name: "ldmatrix",
        section: "9.7.14.5",
        operands: "r, [p]",
        summary: "Loads matrices whose rows lie anywhere in shared memory.",
        needs: &[
            need("", (6, 5), 75),
            need(".shared::cta", (7, 8), 75),
            need("(.m8n16|.m16n16)", (8, 6), 100),
        ],
        forms: &[
            structural!(
                ".sync.aligned.m8n8(.x1|.x2|.x4){.trans}{.shared|.shared::cta}.b16",
                Warp(Ldmatrix)
            ),
            structural!(
                ".sync.aligned.m16n16(.x1|.x2).trans{.shared|.shared::cta}.b8",
                Warp(Ldmatrix)
            ),
            structural!(
                ".sync.aligned.m16n16(.x1|.x2).trans{.shared|.shared::cta}.b8x16(.b6x16_p32|.b4x16_p64)",
                Warp(Ldmatrix)
            ),
            structural!(
                ".sync.aligned.m8n16(.x1|.x2|.x4){.shared|.shared::cta}.b8x16(.b6x16_p32|.b4x16_p64)",
                Warp(Ldmatrix)
            ),
        ],
    },
    Opcode {
        name: "stmatrix",
        section: "9.7.14.5",
        operands: "[p], r",
        summary: "Stores matrices whose rows lie anywhere in shared memory.",
        needs: &[need("", (7, 8), 90), need(".m16n8", (8, 6), 100)],
        forms: &[
            structural!(
                ".sync.aligned.m8n8(.x1|.x2|.x4){.trans}{.shared|.shared::cta}.b16",
                Warp(Stmatrix)
            ),
            structural!(
                ".sync.aligned.m16n8(.x1|.x2|.x4).trans{.shared|.shared::cta}.b8",
                Warp(Stmatrix)
            ),
        ],
    },
    Opcode {
        name: "mma",
        section: "9.7.14.6",
        operands: "d, a, b, c, e, f",
        summary: "Multiplies a matrix that is half zeros with another, and adds.",
        needs: &[
            need("", (7, 1), 80),
            need(".sp::ordered_metadata", (8, 5), 80),
            need("(.e4m3|.e5m2)", (8, 4), 89),
            need(".kind::f8f6f4", (8, 7), 120),
        ],
        forms: SPARSE,
    },
];
