//! How far runs have come, for somebody who waits for them, and how to end them from outside.
//!
//! A machine adds what it has done every [`BEATS`] turns and asks whether it is to end. Nothing
//! else of a run depends on that: a run that nobody interrupts is the same with a meter and
//! without. Several machines may share one, on several host threads. The numbers are counted with
//! relaxed atomics, since nothing is read on the strength of them.
//!
//! The atomics are those that the module above names: a test compiles this file with loom's, which
//! tries every order in which threads can see what others did (`tests/meter.rs`).

use super::{AtomicBool, AtomicU64, Ordering};

/// Turns of a machine, or as many rounds of a gang, from one look at the meter to the next.
pub(super) const BEATS: u32 = 1024;

/// How far runs have come.
///
/// ```
/// use std::sync::Arc;
/// use warpsim_engine::machine::Meter;
///
/// let meter = Arc::new(Meter::default());
/// assert_eq!((meter.lane_instructions(), meter.is_interrupted()), (0, false));
/// meter.interrupt();
/// assert!(meter.is_interrupted());
/// ```
#[derive(Debug, Default)]
pub struct Meter {
    lane_instructions: AtomicU64,
    runs: AtomicU64,
    interrupted: AtomicBool,
}

impl Meter {
    /// The lane instructions that machines have told of so far: all of the runs that have ended,
    /// and nearly all of those under way. Work that was thrown away, to be done again in its turn,
    /// counts too.
    pub fn lane_instructions(&self) -> u64 {
        self.lane_instructions.load(Ordering::Relaxed)
    }

    /// The runs that have ended.
    pub fn runs(&self) -> u64 {
        self.runs.load(Ordering::Relaxed)
    }

    /// A run has ended.
    pub fn end_run(&self) {
        self.runs.fetch_add(1, Ordering::Relaxed);
    }

    /// Ends the runs under way, and all that begin later, with
    /// [`Stop::Interrupted`](super::Stop::Interrupted).
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// Whether runs are to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, lane_instructions: u64) {
        self.lane_instructions.fetch_add(lane_instructions, Ordering::Relaxed);
    }
}
