//! Textures and surfaces by handle (PTX ISA 9.7.10, 9.7.11): one to three dimensions, layers, cubes
//! and levels.
//!
//! The table refuses textures of several samples a texel, gradients of cubes, comparisons with a
//! depth, attributes beside sizes, samplers beside textures and references that a module declares.

use crate::isa::need::need;
use crate::isa::pattern::Pattern;
use crate::isa::row::{Action, Form, Opcode, Structural, unsupported};

/// An instruction on a texture or a surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageInstruction {
    /// `tex`: looks up a texture.
    Sample,
    /// `tld4`: one component of the four texels that a linear filter takes.
    Gather,
    /// `txq`, `suq`: asks for a size.
    Query,
    /// `suld.b`
    Load,
    /// `sust.b`
    Store,
    /// `sust.p`
    StoreFormatted,
    /// `sured`
    Reduce,
}

const fn form(pattern: &'static str, instruction: ImageInstruction) -> Form {
    Form { pattern: Pattern(pattern), action: Action::Structural(Structural::Image(instruction)) }
}

const SAMPLES: &str = "textures of several samples a texel are not modelled";
const GRADIENTS: &str = "the levels that gradients of cubes ask for are not modelled";
const ATTRIBUTES: &str = "attributes of textures and surfaces beside their sizes are not modelled";

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "tex",
        section: "9.7.10.3",
        operands: "d[|p], [a, c] {, lod} {, dPdx, dPdy}",
        summary: "Looks up a texture.",
        needs: &[],
        forms: &[
            form(
                "{.base|.level}(.1d|.2d|.3d|.a1d|.a2d).v4(.u32|.s32|.f16|.f32)(.s32|.f32)",
                ImageInstruction::Sample,
            ),
            form(
                "{.base|.level}(.1d|.2d|.3d|.a1d|.a2d).v2.f16x2(.s32|.f32)",
                ImageInstruction::Sample,
            ),
            form(
                ".grad(.1d|.2d|.3d|.a1d|.a2d).v4(.u32|.s32|.f16|.f32)(.s32|.f32)",
                ImageInstruction::Sample,
            ),
            form(".grad(.1d|.2d|.3d|.a1d|.a2d).v2.f16x2(.s32|.f32)", ImageInstruction::Sample),
            form(
                "{.base|.level}(.cube|.acube).v4(.u32|.s32|.f16|.f32).f32",
                ImageInstruction::Sample,
            ),
            form("{.base|.level}(.cube|.acube).v2.f16x2.f32", ImageInstruction::Sample),
            unsupported!(".grad(.cube|.acube).v4(.u32|.s32|.f16|.f32).f32", GRADIENTS),
            unsupported!(".grad(.cube|.acube).v2.f16x2.f32", GRADIENTS),
            unsupported!("{.base}(.2dms|.a2dms).v4(.u32|.s32|.f16|.f32).s32", SAMPLES),
            unsupported!("{.base}(.2dms|.a2dms).v2.f16x2.s32", SAMPLES),
        ],
    },
    Opcode {
        name: "tld4",
        section: "9.7.10.4",
        operands: "d[|p], [a, c]",
        summary: "Gathers a component of four texels.",
        needs: &[],
        forms: &[form(
            "(.r|.g|.b|.a)(.2d|.a2d|.cube|.acube).v4(.u32|.s32|.f32).f32",
            ImageInstruction::Gather,
        )],
    },
    Opcode {
        name: "txq",
        section: "9.7.10.5",
        operands: "d, [a]",
        summary: "Queries a texture.",
        needs: &[],
        forms: &[
            form("(.width|.height|.depth).b32", ImageInstruction::Query),
            unsupported!(".level(.width|.height|.depth).b32", ATTRIBUTES),
            unsupported!(
                concat!(
                    "(.channel_data_type|.channel_order|.normalized_coords|.array_size|.num_mipmap_levels|.num_samples",
                    "|.force_unnormalized_coords|.filter_mode|.addr_mode_0|.addr_mode_1|.addr_mode_2).b32"
                ),
                ATTRIBUTES
            ),
        ],
    },
    Opcode {
        name: "suld",
        section: "9.7.11.1",
        operands: "d, [a, b]",
        summary: "Loads from a surface.",
        needs: &[],
        forms: &[form(
            ".b(.1d|.2d|.3d|.a1d|.a2d){.ca|.cg|.cs|.cv}{.v2|.v4}(.b8|.b16|.b32|.b64)(.trap|.clamp|.zero)",
            ImageInstruction::Load,
        )],
    },
    Opcode {
        name: "sust",
        section: "9.7.11.2",
        operands: "[a, b], c",
        summary: "Stores to a surface.",
        needs: &[],
        forms: &[
            form(
                ".b(.1d|.2d|.3d|.a1d|.a2d){.wb|.cg|.cs|.wt}{.v2|.v4}(.b8|.b16|.b32|.b64)(.trap|.clamp|.zero)",
                ImageInstruction::Store,
            ),
            form(
                ".p(.1d|.2d|.3d){.v2|.v4}.b32(.trap|.clamp|.zero)",
                ImageInstruction::StoreFormatted,
            ),
        ],
    },
    Opcode {
        name: "sured",
        section: "9.7.11.3",
        operands: "[a, b], c",
        summary: "Reduces into a surface.",
        needs: &[need("(.min|.max)(.u64|.s64|.b64)", (8, 1), 50)],
        forms: &[
            form(
                ".b.add(.1d|.2d|.3d)(.u32|.s32|.u64)(.trap|.clamp|.zero)",
                ImageInstruction::Reduce,
            ),
            form(
                ".b(.min|.max)(.1d|.2d|.3d)(.u32|.s32|.u64|.s64)(.trap|.clamp|.zero)",
                ImageInstruction::Reduce,
            ),
            form(".b(.and|.or)(.1d|.2d|.3d).b32(.trap|.clamp|.zero)", ImageInstruction::Reduce),
            form(
                ".p(.add|.min|.max|.and|.or)(.1d|.2d|.3d).b32(.trap|.clamp|.zero)",
                ImageInstruction::Reduce,
            ),
            form(".p(.min|.max)(.1d|.2d|.3d).b64(.trap|.clamp|.zero)", ImageInstruction::Reduce),
        ],
    },
    Opcode {
        name: "suq",
        section: "9.7.11.4",
        operands: "d, [a]",
        summary: "Queries a surface.",
        needs: &[],
        forms: &[
            form("(.width|.height|.depth).b32", ImageInstruction::Query),
            unsupported!(
                "(.channel_data_type|.channel_order|.array_size|.memory_layout).b32",
                ATTRIBUTES
            ),
        ],
    },
];
