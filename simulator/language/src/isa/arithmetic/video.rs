//! The forms of the scalar and SIMD video instructions (PTX ISA 9.7.18).
//!
//! The modifiers are here. The selectors of bytes and halves (`a.b3`, `d.h1`, `b.b7654`) and the
//! signs of `vmad` are beside the operands. Lowering makes one setting of all of them
//! (`lower/translate/video.rs`), and one evaluation does the rest: [`crate::lanes::scalar::video`].
//!
//! The assembler is stricter than the pattern of a form in one thing, which lowering checks: a
//! selector of the destination excludes a second operation.

use crate::isa::pattern::Pattern;
use crate::isa::row::{Action, Form, Opcode, Structural};
use crate::lanes::primitive::Video;

/// A video instruction: what it computes, and of how many elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VideoInstruction {
    /// The operation.
    pub operation: Video,
    /// Elements of a register: 1 of the scalar instructions, else 2 or 4.
    pub elements: u8,
}

const fn form(pattern: &'static str, operation: Video, elements: u8) -> Form {
    let instruction = VideoInstruction { operation, elements };
    Form { pattern: Pattern(pattern), action: Action::Structural(Structural::Video(instruction)) }
}

const SCALAR: &str = "(.u32|.s32)(.u32|.s32)(.u32|.s32){.sat}{.add|.min|.max}";
const SHIFT: &str = "(.u32|.s32)(.u32|.s32).u32{.sat}(.clamp|.wrap){.add|.min|.max}";
const MULTIPLY: &str = "(.u32|.s32)(.u32|.s32)(.u32|.s32){.po}{.sat}{.shr7|.shr15}";
const COMPARE: &str = "(.u32|.s32)(.u32|.s32)(.eq|.ne|.lt|.le|.gt|.ge){.add|.min|.max}";
const SIMD: &str = "(.u32|.s32)(.u32|.s32)(.u32|.s32){.sat|.add}";
const SIMD_COMPARE: &str = "(.u32|.s32)(.u32|.s32)(.eq|.ne|.lt|.le|.gt|.ge){.add}";

/// A scalar instruction.
macro_rules! scalar {
    ($name:literal, $operands:literal, $pattern:expr, $operation:ident, $summary:literal) => {
        Opcode {
            name: $name,
            section: "9.7.18.1",
            operands: $operands,
            summary: $summary,
            needs: &[],
            forms: &[form($pattern, Video::$operation, 1)],
        }
    };
}

/// An instruction on two halves or four bytes.
macro_rules! simd {
    ($name:literal, $elements:literal, $pattern:expr, $operation:ident, $summary:literal) => {
        Opcode {
            name: $name,
            section: "9.7.18.2",
            operands: "d{.mask}, a{.asel}, b{.bsel}, c",
            summary: $summary,
            needs: &[],
            forms: &[form($pattern, Video::$operation, $elements)],
        }
    };
}

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    scalar!(
        "vadd",
        "d{.dsel}, a{.asel}, b{.bsel} [, c]",
        SCALAR,
        VaddB32,
        "Adds, with byte and half selection."
    ),
    scalar!(
        "vsub",
        "d{.dsel}, a{.asel}, b{.bsel} [, c]",
        SCALAR,
        VsubB32,
        "Subtracts, with byte and half selection."
    ),
    scalar!(
        "vabsdiff",
        "d{.dsel}, a{.asel}, b{.bsel} [, c]",
        SCALAR,
        VabsdiffB32,
        "The absolute difference, with byte and half selection."
    ),
    scalar!(
        "vmin",
        "d{.dsel}, a{.asel}, b{.bsel} [, c]",
        SCALAR,
        VminB32,
        "The lesser, with byte and half selection."
    ),
    scalar!(
        "vmax",
        "d{.dsel}, a{.asel}, b{.bsel} [, c]",
        SCALAR,
        VmaxB32,
        "The greater, with byte and half selection."
    ),
    scalar!(
        "vshl",
        "d{.dsel}, a{.asel}, b{.bsel} [, c]",
        SHIFT,
        VshlB32,
        "Shifts left, with byte and half selection."
    ),
    scalar!(
        "vshr",
        "d{.dsel}, a{.asel}, b{.bsel} [, c]",
        SHIFT,
        VshrB32,
        "Shifts right, with byte and half selection."
    ),
    scalar!(
        "vmad",
        "d, {-}a{.asel}, {-}b{.bsel}, {-}c",
        MULTIPLY,
        VmadB32,
        "Multiplies and adds, with byte and half selection."
    ),
    scalar!(
        "vset",
        "d{.dsel}, a{.asel}, b{.bsel} [, c]",
        COMPARE,
        VsetB32,
        "Compares, with byte and half selection."
    ),
    simd!("vadd2", 2, SIMD, VaddB32, "Adds halves."),
    simd!("vsub2", 2, SIMD, VsubB32, "Subtracts halves."),
    simd!("vavrg2", 2, SIMD, VavrgB32, "Averages halves."),
    simd!("vabsdiff2", 2, SIMD, VabsdiffB32, "The absolute differences of halves."),
    simd!("vmin2", 2, SIMD, VminB32, "The lesser of halves."),
    simd!("vmax2", 2, SIMD, VmaxB32, "The greater of halves."),
    simd!("vset2", 2, SIMD_COMPARE, VsetB32, "Compares halves."),
    simd!("vadd4", 4, SIMD, VaddB32, "Adds bytes."),
    simd!("vsub4", 4, SIMD, VsubB32, "Subtracts bytes."),
    simd!("vavrg4", 4, SIMD, VavrgB32, "Averages bytes."),
    simd!("vabsdiff4", 4, SIMD, VabsdiffB32, "The absolute differences of bytes."),
    simd!("vmin4", 4, SIMD, VminB32, "The lesser of bytes."),
    simd!("vmax4", 4, SIMD, VmaxB32, "The greater of bytes."),
    simd!("vset4", 4, SIMD_COMPARE, VsetB32, "Compares bytes."),
];
