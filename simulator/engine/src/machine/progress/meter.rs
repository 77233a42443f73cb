//! The progress of runs, for a thread that waits for them, and a way to end them from outside.
//!
//! A machine adds its work every [`BEATS`] turns and asks whether it must end. Nothing else of a
//! run depends on that: an uninterrupted run is the same with a meter and without. Several machines
//! may share one, on several host threads. The counters are relaxed atomics, since no other data
//! depends on them.
//!
//! The module above chooses the atomics. A test compiles this file with loom's, which tries every
//! order in which threads can see the effects of others (`tests/meter.rs`).

use super::{AtomicBool, AtomicU64, Ordering};

/// Turns of a machine, or as many rounds of a gang, between two looks at the meter.
pub(super) const BEATS: u32 = 1024;

/// The progress of runs.
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
    /// The lane instructions that machines have reported so far: all of the ended runs, and nearly
    /// all of those under way. Discarded work, which is done again in its turn, counts too.
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

    /// Ends the runs under way, and all later ones, with
    /// [`Stop::Interrupted`](crate::machine::state::stop::Stop::Interrupted).
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// Whether runs must end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    pub(super) fn add(&self, lane_instructions: u64) {
        self.lane_instructions.fetch_add(lane_instructions, Ordering::Relaxed);
    }
}
