//! Wraps another schedule and counts its turns, to measure the length of a run.
//!
//! In turns of single threads the run is no longer than the sum, over all turns, of the lanes that
//! could have moved together. If the [`Places`] where the order matters are known, only turns of
//! lanes that may reach one of them count.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Move, Pct, Places, Schedule, View};

/// Another schedule, with its turns counted. Copies share their counts: a launch runs a copy.
#[derive(Clone, Debug)]
pub struct Counted {
    schedule: Box<dyn Schedule>,
    turns: Arc<AtomicU64>,
    single: Arc<AtomicU64>,
    places: Option<Places>,
}

impl Counted {
    /// Counts the turns of a schedule.
    pub fn new(schedule: &dyn Schedule) -> Counted {
        let (turns, single) = (Arc::default(), Arc::default());
        Counted { schedule: schedule.boxed(), turns, single, places: None }
    }

    /// The same, for schedules that choose only at these places.
    #[must_use]
    pub fn at(self, places: Option<Places>) -> Counted {
        Counted { places, ..self }
    }

    /// The places at which the schedules choose; `None` for everywhere.
    pub fn places(&self) -> Option<&Places> {
        self.places.as_ref()
    }

    /// The turns so far.
    pub fn turns(&self) -> u64 {
        self.turns.load(Ordering::Relaxed)
    }

    /// An upper bound of the turns if every thread moved alone.
    pub fn single_turns(&self) -> u64 {
        self.single.load(Ordering::Relaxed)
    }

    /// The schedule by priorities of a seed, for runs of this length.
    pub fn pct(&self, seed: u64, depth: u32) -> Box<dyn Schedule> {
        let together = Pct::new(seed, depth).moves_together();
        let turns = if together { self.turns() } else { self.single_turns() };
        let pct = Pct::within(seed, depth, turns);
        Box::new(match &self.places {
            Some(places) => pct.at(places.clone()),
            None => pct,
        })
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
        let free = self.places.as_mut().map_or(0, |p| view.free(turn.block, turn.warp, p));
        let counted = turn.lanes.mask() & !free;
        if view.ready(turn.block, turn.warp) & counted == 0 {
            return Some(turn);
        }
        let lanes = match view.is_lockstep() {
            true => 1,
            false => {
                let groups = view.groups(turn.block, turn.warp).into_iter();
                groups.map(|group| (group & counted).count_ones()).max().unwrap_or(1)
            }
        };
        self.turns.fetch_add(1, Ordering::Relaxed);
        self.single.fetch_add(lanes.into(), Ordering::Relaxed);
        Some(turn)
    }

    fn copies_at_once(&mut self) -> bool {
        self.schedule.copies_at_once()
    }

    fn lets_spinning_wait(&self) -> bool {
        self.schedule.lets_spinning_wait()
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, resident: usize) -> Option<u64> {
        self.schedule.recurrence(resident)
    }
}
