//! Mbarrier objects (PTX ISA 9.7.13.15); `lower` translates them.
//!
//! [`crate::isa::operand_needs`] has the needs of `_` for the state and of a count of arrivals. NVIDIA's
//! assembler takes neither `.relaxed` for operations that must not complete a phase nor
//! `.shared::cluster` for waits.

use crate::isa::effect::{Destinations, Effect};
use crate::isa::need::{Need, need};
use crate::isa::row::{Opcode, structural};

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
    pub(in crate::isa) const fn effect(self) -> (Effect, Destinations) {
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

/// What every instruction needs.
const ALL: Need = need("", (7, 0), 80);

/// The names of state spaces.
const CTA: Need = need(".shared::cta", (7, 8), 80);
const CLUSTER: Need = need(".shared::cluster", (8, 0), 90);

/// Orders, and the scopes that follow them.
const RELAXED: Need = need(".relaxed", (8, 6), 90);
const OF_CLUSTER: Need = need(".cluster", (8, 0), 90);

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "mbarrier",
        section: "9.7.13.15.9",
        operands: "[addr], count",
        summary: "Makes an mbarrier object.",
        needs: &[ALL, CTA],
        forms: &[structural!(".init{.shared|.shared::cta}.b64", Mbarrier(Init))],
    },
    Opcode {
        name: "mbarrier",
        section: "9.7.13.15.10",
        operands: "[addr]",
        summary: "Ends an mbarrier object.",
        needs: &[ALL, CTA],
        forms: &[structural!(".inval{.shared|.shared::cta}.b64", Mbarrier(Invalidate))],
    },
    Opcode {
        name: "mbarrier",
        section: "9.7.13.15.11",
        operands: "[addr], txCount",
        summary: "Adds to what the phase of an mbarrier object waits for.",
        needs: &[need("", (8, 0), 90)],
        forms: &[
            structural!(
                ".expect_tx{.shared|.shared::cta|.shared::cluster}.b64",
                Mbarrier(ExpectTx)
            ),
            structural!(
                ".expect_tx.relaxed(.cta|.cluster){.shared|.shared::cta|.shared::cluster}.b64",
                Mbarrier(ExpectTx)
            ),
        ],
    },
    Opcode {
        name: "mbarrier",
        section: "9.7.13.15.12",
        operands: "[addr], txCount",
        summary: "Takes from what the phase of an mbarrier object waits for.",
        needs: &[need("", (8, 0), 90)],
        forms: &[
            structural!(
                ".complete_tx{.shared|.shared::cta|.shared::cluster}.b64",
                Mbarrier(CompleteTx)
            ),
            structural!(
                ".complete_tx.relaxed(.cta|.cluster){.shared|.shared::cta|.shared::cluster}.b64",
                Mbarrier(CompleteTx)
            ),
        ],
    },
    Opcode {
        name: "mbarrier",
        section: "9.7.13.15.13",
        operands: "state, [addr]{, count}",
        summary: "Arrives at an mbarrier object; `_drop`: for the last time.",
        needs: &[
            ALL,
            CTA,
            CLUSTER,
            need(".release", (8, 0), 80),
            RELAXED,
            OF_CLUSTER,
            need(".expect_tx", (8, 0), 90),
        ],
        forms: &[
            structural!(
                "(.arrive|.arrive_drop){.expect_tx}{.shared|.shared::cta|.shared::cluster}.b64",
                Mbarrier(Arrive)
            ),
            structural!(
                "(.arrive|.arrive_drop){.expect_tx}(.release|.relaxed)(.cta|.cluster){.shared|.shared::cta|.shared::cluster}.b64",
                Mbarrier(Arrive)
            ),
            structural!(
                "(.arrive|.arrive_drop).noComplete{.shared|.shared::cta}.b64",
                Mbarrier(Arrive)
            ),
            structural!(
                "(.arrive|.arrive_drop).noComplete.release.cta{.shared|.shared::cta}.b64",
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
        needs: &[
            ALL,
            CTA,
            need(".acquire", (8, 0), 80),
            RELAXED,
            OF_CLUSTER,
            need(".test_wait.parity", (7, 1), 80),
            need(".try_wait", (7, 8), 90),
        ],
        forms: &[
            structural!(
                "(.test_wait|.try_wait){.parity}{.shared|.shared::cta}.b64",
                Mbarrier(Test)
            ),
            structural!(
                "(.test_wait|.try_wait){.parity}(.acquire|.relaxed)(.cta|.cluster){.shared|.shared::cta}.b64",
                Mbarrier(Test)
            ),
        ],
    },
    Opcode {
        name: "mbarrier",
        section: "9.7.13.15.17",
        operands: "count, state",
        summary: "The arrivals that were pending in a state.",
        needs: &[ALL],
        forms: &[structural!(".pending_count.b64", Mbarrier(PendingCount))],
    },
];
