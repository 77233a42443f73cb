//! Another schedule, with its turns counted: how long a run is.
//!
//! In turns of single threads it is no longer than the sum, over all turns, of the lanes that could
//! have moved together.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Move, Pct, Schedule, View};

/// Another schedule, with its turns counted. Copies count together: a launch runs a copy.
#[derive(Clone, Debug)]
pub struct Counted {
    schedule: Box<dyn Schedule>,
    turns: Arc<AtomicU64>,
    single: Arc<AtomicU64>,
}

impl Counted {
    /// Counts the turns of a schedule.
    pub fn new(schedule: &dyn Schedule) -> Counted {
        Counted { schedule: schedule.boxed(), turns: Arc::default(), single: Arc::default() }
    }

    /// The turns so far.
    pub fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    /// The turns that they would be if every thread moved by itself, or more.
    pub fn single_turns(&self) -> u64 {
        self.single.load(Ordering::Relaxed)
    }

    /// The schedule by priorities of a seed, for runs of this length.
    pub fn pct(&self, seed: u64, depth: u32) -> Box<dyn Schedule> {
        let together = Pct::new(seed, depth).moves_together();
        let turns = if together { self.turns() } else { self.single_turns() };
        Box::new(Pct::within(seed, depth, turns))
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.schedule.fmt(f)
    }
}

impl Schedule for Counted {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        let turn = self.schedule.next(view)?;
        let lanes = match view.is_lockstep() {
            true => 1,
            false => {
                let groups = view.groups(turn.block, turn.warp).into_iter();
                groups.map(|group| (group & turn.lanes.mask()).count_ones()).max().unwrap_or(1)
            }
        };
        self.turns.fetch_add(1, Ordering::Relaxed);
        self.single.fetch_add(lanes.into(), Ordering::Relaxed);
        Some(turn)
    }

    fn copies_at_once(&mut self) -> bool {
        self.schedule.copies_at_once()
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, resident: usize) -> Option<u64> {
        self.schedule.recurrence(resident)
    }
}
