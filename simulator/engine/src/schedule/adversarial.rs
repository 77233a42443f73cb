//! Drives threads as far apart as the model allows: one thread runs as far as it can alone, then
//! the next.
//!
//! Forwards, the lowest lane of the lowest warp of the lowest resident block that can move has
//! every turn; with `back`, the highest. So for two unordered threads, each direction lets another
//! one go first, in every phase between two barriers. A missing synchronisation shows, whichever of
//! the two had to wait. (It does not show if the two waited for different threads in the meantime:
//! then neither may get ahead. Random choices and PCT find such cases.) [`super::Reverse`] differs:
//! there the last thread at a barrier leaves it first.
//!
//! A thread gives way when it waits or exits, and after a number of turns in a row. Then all others
//! go first, until they wait, exit or have used their time, too. So the event that a thread spins
//! for happens. A thread that only asks whether a phase of an mbarrier object is complete waits,
//! though it runs. It gives way after few turns with a negative answer. So does a spinning thread:
//! no other thread can notice its actions until a word changes that it has read. It can run its
//! rounds when others have moved. Asynchronous copies are as late as possible.
//!
//! Under `lockstep` the lanes of a warp move as one, so only warps and blocks are driven apart.
//!
//! Some schedules know the [`Places`] where threads conflict. Such a schedule lets the free lanes
//! in the current thread's warp move together. At these places the threads come in the same order.
//! So the run is equivalent to the run without known places, as long as no thread has to give way.

use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::asks::{Asks, does_spin};
use super::random::together;
use super::{Choice, Move, Places, Schedule, View};
use crate::lanes::{LANES, Mask};

/// Turns in a row of a thread before all others go first. When many have used theirs up, the others
/// get fewer in this round, so that a grid that spins as a whole soon repeats.
const TURNS: u64 = 4096;

/// The lower limit of the reduced [`TURNS`].
const LEAST_TURNS: u64 = 64;

/// Turns after which a thread gives way even though none spins. Threads may release each other at
/// barriers for ever, which must not keep the others from moving.
const TURNS_WITHOUT_SPINNING: u64 = 1 << 18;

/// The end that goes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// The lowest thread.
    Forward,
    /// The highest.
    Back,
}

/// The adversarial schedule.
#[derive(Clone, Debug)]
pub struct Adversarial {
    direction: Direction,
    at: Option<(u64, u32, u32)>,
    /// Turns in a row of the thread at `at`.
    turns: u64,
    /// How often in a row it got a negative answer.
    asks: Asks,
    /// It spins.
    spins: bool,
    /// Turns since a thread last gave way.
    since: u64,
    /// The lanes that have given way in this round.
    gave_way: BTreeMap<(u64, u32), Mask>,
    /// The places where the order matters; `None` for everywhere.
    places: Option<Places>,
}

/// Whether a block is resident.
fn is_resident(view: &dyn View, block: u64) -> bool {
    view.next_resident(block.checked_sub(1)) == Some(block)
}

impl Adversarial {
    /// Starts at this end.
    pub fn new(direction: Direction) -> Adversarial {
        Adversarial {
            direction,
            at: None,
            turns: 0,
            asks: Asks::default(),
            spins: false,
            since: 0,
            gave_way: BTreeMap::new(),
            places: None,
        }
    }

    /// The same, but it splits warps only at these places.
    #[must_use]
    pub fn at(self, places: Places) -> Adversarial {
        Adversarial { places: Some(places), ..self }
    }

    /// The thread of a block that goes first, among those that have not given way.
    fn first_of(&self, view: &dyn View, block: u64) -> Option<(u64, u32, u32)> {
        let count = view.warps(block);
        let in_warp = |warp: u32| {
            let ready = view.ready(block, warp);
            // Lanes that move as one count as one: the lowest represents all.
            let units = if view.is_lockstep() { Mask::from(ready != 0) } else { ready };
            let free = units & !self.gave_way.get(&(block, warp)).copied().unwrap_or(0);
            let lane = match self.direction {
                Direction::Forward => free.trailing_zeros(),
                Direction::Back => (LANES as u32 - 1).wrapping_sub(free.leading_zeros()),
            };
            (free != 0).then_some((block, warp, lane))
        };
        match self.direction {
            Direction::Forward => (0..count).find_map(in_warp),
            Direction::Back => (0..count).rev().find_map(in_warp),
        }
    }

    /// The thread that goes first. Only actions in a block change which of its threads can move. So
    /// the block stays the first as long as one of its threads can. The blocks before it then have
    /// none until the next round. When it has ended, another may have become resident.
    fn first(&self, view: &dyn View) -> Option<(u64, u32, u32)> {
        let at = self.at.map(|(block, ..)| block);
        if let Some(here) = at.and_then(|block| self.first_of(view, block)) {
            return Some(here);
        }
        let from = at.filter(|block| is_resident(view, *block));
        match self.direction {
            Direction::Forward => {
                let blocks = view.resident_after(from);
                let mut blocks = blocks.take_while(|block| from.is_none_or(|from| *block > from));
                blocks.find_map(|block| self.first_of(view, block))
            }
            Direction::Back => {
                let mut blocks: Vec<u64> = view.resident_after(None).collect();
                blocks.reverse();
                let mut blocks =
                    blocks.into_iter().filter(|block| from.is_none_or(|from| *block < from));
                blocks.find_map(|block| self.first_of(view, block))
            }
        }
    }

    /// Makes the thread at `at` give way when its time is up.
    fn give_way(&mut self) {
        let given = self.gave_way.len().min(63) as u32;
        let allowed = TURNS.checked_shr(given).unwrap_or(0).max(LEAST_TURNS);
        if let Some((block, warp, lane)) = self.at
            && (self.turns >= allowed
                || self.spins
                || self.asks.are_enough()
                || self.since >= TURNS_WITHOUT_SPINNING)
        {
            *self.gave_way.entry((block, warp)).or_default() |= 1 << lane;
            self.turns = 0;
            self.asks = Asks::default();
            self.since = 0;
        }
    }
}

impl fmt::Display for Adversarial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.direction {
            Direction::Forward => "adversarial",
            Direction::Back => "adversarial:back",
        })?;
        self.places.iter().try_for_each(|places| write!(f, "@{places}"))
    }
}

impl Schedule for Adversarial {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        if let Some(thread) = self.at {
            self.asks.count(view, thread);
            self.spins = does_spin(view, thread);
        }
        self.give_way();
        let next = self.first(view).or_else(|| {
            // All threads that can move have given way: a new round.
            self.gave_way.clear();
            self.at = None;
            self.first(view)
        });
        (self.turns, self.asks) =
            if next == self.at { (self.turns + 1, self.asks) } else { (1, Asks::default()) };
        self.since += 1;
        self.at = next;
        let (block, warp, lane) = next?;
        // Threads that have given way in this round are not asked again in it.
        let free = self.places.as_mut().map_or(0, |places| view.free(block, warp, places));
        let free = free & !self.gave_way.get(&(block, warp)).copied().unwrap_or(0);
        if free >> lane & 1 == 1 || view.is_lockstep() && free != 0 {
            return Some(together(view, block, warp, free));
        }
        let lanes = if view.is_lockstep() { Choice::Together } else { Choice::Only(1 << lane) };
        Some(Move { block, warp, lanes })
    }

    fn copies_at_once(&mut self) -> bool {
        false
    }

    fn lets_spinning_wait(&self) -> bool {
        true
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, _resident: usize) -> Option<u64> {
        let mut hasher = DefaultHasher::new();
        (self.at, self.turns, self.asks, self.since, &self.gave_way).hash(&mut hasher);
        Some(hasher.finish())
    }
}
