//! Asynchronous copies (PTX ISA 9.7.9.25); `lower` translates them.
//!
//! Cache hints and prefetch sizes are accepted and change nothing. A predicate for `ignore-src` needs PTX 7.5, which a
//! table of modifiers cannot say.

use super::need::need;
use super::row::{Opcode, structural, unsupported};

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "cp",
        section: "9.7.9.25.3.1",
        operands: "[dst], [src], cp-size{, src-size}{, ignore-src}{, cache-policy}",
        summary: "Begins a copy from global to shared memory.",
        needs: &[
            need("", (7, 0), 80),
            need("(.L2::64B|.L2::128B|.L2::256B|.L2::cache_hint)", (7, 4), 80),
            need(".shared::cta", (7, 8), 80),
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
        section: "9.7.9.25.4",
        operands: "",
        summary: "Copies in bulk.",
        needs: &[],
        forms: &[unsupported!("*", "copies in bulk are not modelled")],
    },
];
