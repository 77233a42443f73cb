//! Operations on mbarrier objects (PTX ISA 9.7.13.15), and the barrier of a cluster (9.7.13.3). The
//! machine defines their effects.

use crate::lanes::Slot;
use crate::lower::operations::access::Target;

/// An operation on an mbarrier object.
#[derive(Clone, Debug)]
pub struct Mbarrier {
    /// The object: 64 bits in shared memory.
    pub target: Target,
    /// The action.
    pub action: MbarrierAction,
}

/// An action on an mbarrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierAction {
    /// `init`, for this many arrivals (32-bit slot).
    Init {
        /// The number of arrivals.
        count: Slot,
    },
    /// `inval`.
    Invalidate,
    /// `expect_tx`.
    ExpectTx {
        /// The number of bytes (32-bit slot).
        bytes: Slot,
    },
    /// `complete_tx`.
    CompleteTx {
        /// The number of bytes (32-bit slot).
        bytes: Slot,
    },
    /// `arrive` and `arrive_drop`.
    Arrive(MbarrierArrive),
    /// `cp.async.mbarrier.arrive`: an arrival once the copies that the thread has begun are
    /// complete.
    ArriveWithCopies {
        /// The phase waits for one more arrival.
        counted: bool,
    },
    /// `test_wait` and `try_wait`: whether a phase is complete.
    Test {
        /// The resulting predicate.
        d: Slot,
        /// The phase.
        phase: MbarrierPhase,
    },
}

/// `arrive` and `arrive_drop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MbarrierArrive {
    /// The state before, in a 64-bit slot; `None` if unused.
    pub d: Option<Slot>,
    /// The number of arrivals (32-bit slot); `None`: one.
    pub count: Option<Slot>,
    /// `.expect_tx`: this many bytes are expected, before the arrival (32-bit slot).
    pub expected: Option<Slot>,
    /// `arrive_drop`: later phases wait for that many fewer.
    pub drops: bool,
    /// `.noComplete`: it must not complete the phase.
    pub completes_nothing: bool,
}

/// The phase of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierPhase {
    /// The phase of a state (64-bit slot).
    State(Slot),
    /// The latest phase with this parity (32-bit slot).
    Parity(Slot),
}

/// `barrier.cluster`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClusterBarrier {
    /// `arrive`.
    Arrive {
        /// With a release.
        releases: bool,
    },
    /// `wait`, which acquires.
    Wait,
}
