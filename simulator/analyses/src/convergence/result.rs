//! The findings, as data.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::lanes::Mask;
use crate::lower::Pc;
use crate::observe::FirstBug;
use crate::report::Code;

/// A thread at an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Spot {
    /// The block's linear number.
    pub block: u64,
    /// The warp in the block.
    pub warp: u32,
    /// The lane in the warp.
    pub lane: u32,
    /// The operation.
    pub pc: Pc,
}

/// How lanes fail to meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Violation {
    /// Threads wait at different instructions of one barrier.
    Apart {
        /// One of them.
        first: Spot,
        /// Another.
        second: Spot,
        /// The barrier, 0 to 15.
        barrier: u8,
        /// The number of threads that the barrier waits for; `None` for all of the block.
        count: Option<u32>,
    },
    /// A live lane passed by a barrier at which others wait.
    PassedBarrier {
        /// One that waits.
        waiting: Spot,
        /// One that does not, at the place where it has come past.
        passing: Spot,
        /// The lanes of its warp that did like it.
        lanes: Mask,
        /// The barrier.
        barrier: u8,
        /// As above.
        count: Option<u32>,
        /// The branches at which it may have left the others.
        branches: Arc<[Pc]>,
    },
    /// Lanes left the kernel at a branch that separates them from others who wait at a barrier:
    /// they have returned early, or the barrier is inside a condition.
    LeftBarrier {
        /// One that waits.
        waiting: Spot,
        /// One that has left, at the branch.
        left: Spot,
        /// The lanes of its warp that did like it.
        lanes: Mask,
        /// The barrier.
        barrier: u8,
        /// Lines show the barrier inside the condition.
        is_inside: bool,
    },
    /// A lane named in a member mask passed by the operation.
    PassedWarpOperation {
        /// One that executes it.
        waiting: Spot,
        /// One that does not, at the place where it has come past.
        passing: Spot,
        /// The member mask.
        mask: Mask,
        /// The lanes that do not take part.
        missing: Mask,
        /// The branches at which it may have left the others.
        branches: Arc<[Pc]>,
    },
    /// Lanes named in a member mask executed the operation with another mask.
    OtherMask {
        /// One that executes it.
        waiting: Spot,
        /// Its member mask.
        mask: Mask,
        /// The lanes that named others.
        missing: Mask,
    },
    /// Live lanes named in a member mask are not active (`lockstep`).
    NotActive {
        /// One that executes it.
        waiting: Spot,
        /// Its member mask.
        mask: Mask,
        /// The lanes that are not there.
        missing: Mask,
    },
    /// Lanes wait for each other at operations that never meet.
    Stuck {
        /// One of them.
        waiting: Spot,
        /// Its member mask.
        mask: Mask,
        /// A lane that it waits for, at the place where that lane waits.
        other: Spot,
        /// All that it waits for in vain.
        missing: Mask,
    },
    /// A lane is not in its own member mask.
    NotInOwnMask {
        /// The lane.
        at: Spot,
        /// Its member mask.
        mask: Mask,
    },
    /// `shfl` reads a lane that does not take part.
    InactiveSource {
        /// The lane that reads.
        at: Spot,
        /// The lane that it reads.
        source: u32,
        /// Why the other does not take part.
        why: Absence,
    },
}

/// Why a lane does not take part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Absence {
    /// It is somewhere else.
    Elsewhere,
    /// It has exited.
    Exited,
    /// The block has no such thread: its last warp is short.
    NoThread,
    /// The member mask of the reader does not name it.
    NotNamed,
}

impl Violation {
    /// What it is reported as.
    pub fn code(&self) -> Code {
        match self {
            Violation::Apart { .. }
            | Violation::PassedBarrier { .. }
            | Violation::LeftBarrier { .. } => Code::BarrierDivergence,
            Violation::PassedWarpOperation { .. }
            | Violation::OtherMask { .. }
            | Violation::NotActive { .. }
            | Violation::Stuck { .. }
            | Violation::NotInOwnMask { .. } => Code::SyncMask,
            Violation::InactiveSource { .. } => Code::ShuffleInactiveLane,
        }
    }

    /// The identity of a violation: its kind and its pair of source places.
    fn key(&self) -> (u8, Pc, Pc) {
        match self {
            Violation::Apart { first, second, .. } => {
                (0, first.pc.min(second.pc), first.pc.max(second.pc))
            }
            Violation::PassedBarrier { waiting, passing, .. } => (1, waiting.pc, passing.pc),
            Violation::PassedWarpOperation { waiting, passing, .. } => (2, waiting.pc, passing.pc),
            Violation::OtherMask { waiting, .. } => (3, waiting.pc, 0),
            Violation::NotActive { waiting, .. } => (4, waiting.pc, 0),
            Violation::Stuck { waiting, other, .. } => {
                (5, waiting.pc.min(other.pc), waiting.pc.max(other.pc))
            }
            Violation::NotInOwnMask { at, .. } => (6, at.pc, 0),
            Violation::InactiveSource { at, why, .. } => (7, at.pc, *why as Pc),
            Violation::LeftBarrier { is_inside: true, waiting, left, .. } => {
                (8, waiting.pc, left.pc)
            }
            // One for a kernel.
            Violation::LeftBarrier { is_inside: false, .. } => (NOTE, 0, 0),
        }
    }
}

/// The kind of what may be as it should: left out where worse is known of the barriers.
const NOTE: u8 = 9;

/// What was found in a launch: the first example of each, and how often.
#[derive(Clone, Debug, Default)]
pub(super) struct Violations {
    found: BTreeMap<(u8, Pc, Pc), (Violation, u64)>,
    /// What kept warpsim from looking.
    pub(super) bug: FirstBug,
}

impl Violations {
    pub(super) fn add(&mut self, violation: Violation) {
        self.found.entry(violation.key()).or_insert((violation, 0)).1 += 1;
    }

    /// All of them, in the order of their instructions; forgets them.
    pub(super) fn take(&mut self) -> Vec<(Violation, u64)> {
        let mut found = std::mem::take(&mut self.found);
        let diverges =
            |(violation, _): &(Violation, u64)| violation.code() == Code::BarrierDivergence;
        if found.values().filter(|found| diverges(found)).count() > 1 {
            found.remove(&(NOTE, 0, 0));
        }
        found.into_values().collect()
    }
}
