//! Mbarrier objects (PTX ISA 9.7.13.15); `lower` translates them.
//!
//! What a table of modifiers cannot say: `_` for the state needs PTX 7.1, and a count for `arrive` without `.noComplete`
//! PTX 7.8 and sm_90. NVIDIA's assembler takes neither `.relaxed` for what must not complete a phase nor
//! `.shared::cluster` for waits.

use super::effect::{Destinations, Effect};
use super::need::{Need, need};
use super::row::{Opcode, structural};

/// Instructions on mbarrier objects: each is a routine of `lower`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named like the instructions they translate")]
pub enum MbarrierInstruction {
    Init,
    Invalidate,
    ExpectTx,
    CompleteTx,
    /// `arrive`, `arrive_drop`
    Arrive,
    /// `cp.async.mbarrier.arrive`
    ArriveWithCopies,
    /// `test_wait`, `try_wait`
    Test,
    PendingCount,
}

impl MbarrierInstruction {
    /// What it does beside computing, and which of its operands it writes.
    pub(super) const fn effect(self) -> (Effect, Destinations) {
        match self {
            MbarrierInstruction::Init
            | MbarrierInstruction::Invalidate
            | MbarrierInstruction::ExpectTx
            | MbarrierInstruction::CompleteTx
            | MbarrierInstruction::ArriveWithCopies => (Effect::Orders, Destinations::None),
            MbarrierInstruction::Arrive | MbarrierInstruction::Test => {
                (Effect::Orders, Destinations::First)
            }
            MbarrierInstruction::PendingCount => (Effect::Registers, Destinations::First),
        }
    }
}

/// What all instructions need, and what is newer.
const NEEDS: &[Need] = &[
    need("", (7, 0), 80),
    need(".shared::cta", (7, 8), 80),
    need("(.shared::cluster|.cluster)", (8, 0), 90),
    need(".test_wait.parity", (7, 1), 80),
    need(".try_wait", (7, 8), 90),
    need("(.expect_tx|.complete_tx)", (8, 0), 90),
    need("(.release|.acquire)", (8, 0), 80),
    need(".relaxed", (8, 0), 90),
    need("(.arrive|.arrive_drop|.test_wait|.try_wait).relaxed", (8, 6), 90),
];

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "mbarrier",
        section: "9.7.13.15.9",
        operands: "[addr], count",
        summary: "Makes an mbarrier object.",
        needs: NEEDS,
        forms: &[structural!(".init{.shared|.shared::cta}.b64", Mbarrier(Init))],
    },
    Opcode {
        name: "mbarrier",
        section: "9.7.13.15.10",
        operands: "[addr]",
        summary: "Ends an mbarrier object.",
        needs: NEEDS,
        forms: &[structural!(".inval{.shared|.shared::cta}.b64", Mbarrier(Invalidate))],
    },
    Opcode {
        name: "mbarrier",
        section: "9.7.13.15.11",
        operands: "[addr], txCount",
        summary: "Adds to what the phase of an mbarrier object waits for.",
        needs: NEEDS,
        forms: &[structural!(
            ".expect_tx{.relaxed.cta|.relaxed.cluster}{.shared|.shared::cta|.shared::cluster}.b64",
            Mbarrier(ExpectTx)
        )],
    },
    Opcode {
        name: "mbarrier",
        section: "9.7.13.15.12",
        operands: "[addr], txCount",
        summary: "Takes from what the phase of an mbarrier object waits for.",
        needs: NEEDS,
        forms: &[structural!(
            ".complete_tx{.relaxed.cta|.relaxed.cluster}{.shared|.shared::cta|.shared::cluster}.b64",
            Mbarrier(CompleteTx)
        )],
    },
    Opcode {
        name: "mbarrier",
        section: "9.7.13.15.13",
        operands: "state, [addr]{, count}",
        summary: "Arrives at an mbarrier object; `_drop`: for the last time.",
        needs: NEEDS,
        forms: &[
            structural!(
                "(.arrive|.arrive_drop){.expect_tx}{.release.cta|.release.cluster|.relaxed.cta|.relaxed.cluster}{.shared|.shared::cta|.shared::cluster}.b64",
                Mbarrier(Arrive)
            ),
            structural!(
                "(.arrive|.arrive_drop).noComplete{.release.cta}{.shared|.shared::cta}.b64",
                Mbarrier(Arrive)
            ),
        ],
    },
    Opcode {
        name: "cp",
        section: "9.7.13.15.15",
        operands: "[addr]",
        summary: "Arrives at an mbarrier object when the thread's asynchronous copies are complete.",
        needs: &[need("", (7, 0), 80), need(".shared::cta", (7, 8), 80)],
        forms: &[structural!(
            ".async.mbarrier.arrive{.noinc}{.shared|.shared::cta}.b64",
            Mbarrier(ArriveWithCopies)
        )],
    },
    Opcode {
        name: "mbarrier",
        section: "9.7.13.15.16",
        operands: "waitComplete, [addr], state{, suspendTimeHint}",
        summary: "Asks whether a phase of an mbarrier object is complete.",
        needs: NEEDS,
        forms: &[structural!(
            "(.test_wait|.try_wait){.parity}{.acquire.cta|.acquire.cluster|.relaxed.cta|.relaxed.cluster}{.shared|.shared::cta}.b64",
            Mbarrier(Test)
        )],
    },
    Opcode {
        name: "mbarrier",
        section: "9.7.13.15.17",
        operands: "count, state",
        summary: "The arrivals that were pending in a state.",
        needs: NEEDS,
        forms: &[structural!(".pending_count.b64", Mbarrier(PendingCount))],
    },
];
