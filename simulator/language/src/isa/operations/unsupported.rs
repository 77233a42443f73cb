//! Known instructions that do not run here: each with its section and the reason.
//!
//! Any modifiers are accepted, so an error says what is missing, not that the program is wrong.

use crate::isa::row::{Opcode, unsupported};

/// An opcode without any form that runs.
macro_rules! refused {
    ($name:literal, $section:literal, $summary:literal, $reason:expr) => {
        Opcode {
            name: $name,
            section: $section,
            operands: "",
            summary: $summary,
            needs: &[],
            forms: &[unsupported!("*", $reason)],
        }
    };
}

/// An opcode without any form that runs, with the beginning of each form.
macro_rules! refused_forms {
    ($name:literal, $section:literal, $summary:literal, $reason:expr, $($form:literal),+) => {
        Opcode {
            name: $name,
            section: $section,
            operands: "",
            summary: $summary,
            needs: &[],
            forms: &[$(unsupported!($form, $reason)),+],
        }
    };
}

const TEXTURE: &str = "references that a module declares (PTX ISA 5.3) are not modelled";

/// The family's rows, by section.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    refused_forms!(
        "multimem",
        "9.7.9.14",
        "Operates on the same place of several devices at once.",
        "there is one device: multimem addresses (PTX ISA 9.7.9.14) are not modelled",
        "(.ld_reduce|.st|.red)*",
        ".cp.async.bulk*",
        ".cp.reduce.async.bulk*"
    ),
    refused_forms!(
        "tensormap",
        "9.7.9.26",
        "Changes a tensor map, or makes a change seen.",
        "tensor maps (PTX ISA 9.7.9.26) are not modelled",
        "(.replace|.cp_fenceproxy)*"
    ),
    refused!("istypep", "9.7.10.6", "Asks for the kind of an opaque reference.", TEXTURE),
    refused_forms!(
        "wgmma",
        "9.7.15",
        "Multiplies matrices of a warp group.",
        "the asynchronous matrices of a warp group (PTX ISA 9.7.15) are not modelled",
        "(.fence|.commit_group|.wait_group)*",
        ".mma_async.sp*",
        ".mma_async*"
    ),
    refused_forms!(
        "tcgen05",
        "9.7.16",
        "Multiplies matrices in tensor memory.",
        "tensor memory and its matrices (PTX ISA 9.7.16) are not modelled",
        "(.alloc|.dealloc|.relinquish_alloc_permit|.ld|.st|.wait|.cp|.shift|.mma|.commit)*",
        "(.fence::before_thread_sync|.fence::after_thread_sync)"
    ),
];
