//! Probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi and Nagarakatti, "A Randomized
//! Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010.
//!
//! Every thread draws a priority; the one with the highest that can move does. At `depth - 1`
//! turns, drawn evenly from the length of the run, the thread about to move falls below all others.
//! Each fall has a rank that was drawn beforehand. Take a mistake that needs `depth` ordered pairs
//! of steps to show. One schedule finds it with a probability of at least 1 / (n k^(depth-1)),
//! where n threads take k turns.
//!
//! This requires the length ([`Pct::within`]). If it is unknown, its order of magnitude is drawn
//! first, below 2^20.
//!
//! Deviations. Each costs the bound where it applies:
//!
//! - A thread that has moved for [`TURNS`] turns in a row falls below all others, too. (If the run
//!   is longer, its length counts instead.) So a spinning thread does not keep the others from
//!   moving. It falls at once if it is found to spin. It also falls after a few turns in a row in
//!   which it only asks whether a phase of an mbarrier object is complete, with a negative answer.
//! - At most eight blocks are in play at a time: n and k count those. A block whose movable threads
//!   all spin leaves its place to another.
//! - Half of the seeds move threads singly. The other half move all lanes that have converged with
//!   the lane of the highest priority; there the units are groups of lanes.
//! - Half of the asynchronous copies are late.
//!
//! Some schedules know the [`Places`] where threads conflict. Such a schedule lets the free lanes
//! in the warp of the highest priority move together. The warp goes on as long as it has some, up
//! to as many turns as above. Changes of priority come, and their turns are counted, only where a
//! lane may reach such a place. So k is the number of those turns, and the bound is better.

use std::collections::BTreeMap;
use std::fmt;

use super::asks::{Asks, does_spin};
use super::draw::Draw;
use super::random::together;
use super::window::Window;
use super::{Choice, Move, Places, Schedule, View};
use crate::lanes::{Mask, lanes_of};

/// The depth when none is given: three ordered pairs of steps.
pub const DEPTH: u32 = 3;

/// The greatest depth that a text may ask for.
pub(super) const MOST: u32 = 1000;

/// Turns of a thread in a row before it falls below all others.
const TURNS: u64 = 1024;

/// Turns after which the running thread falls even though no thread spins, as in
/// [`super::adversarial`].
const TURNS_WITHOUT_SPINNING: u64 = 1 << 16;

/// Changes come before this power of two.
const LATEST: u64 = 20;

/// Drawn priorities are above this.
const DRAWN: u64 = 1 << 63;

/// A thread that fell at a change has a priority above this, by the rank of the change. A thread
/// that went on for too long has one below.
const CHANGED: u64 = 1 << 62;

/// A thread: block, warp, lane. Under `lockstep` lane 0 represents its warp.
type Thread = (u64, u32, u32);

/// A schedule by priorities.
#[derive(Clone, Debug)]
pub struct Pct {
    seed: u64,
    depth: u32,
    draw: Draw,
    /// Converged lanes move together.
    together: bool,
    /// The number of turns from which the changes were drawn.
    length: Option<u64>,
    /// The places where the order matters; `None` for everywhere.
    places: Option<Places>,
    /// The turns at which the thread about to move falls, and how low, the latest first.
    changes: Vec<(u64, u64)>,
    window: Window,
    turn: u64,
    at: Option<Thread>,
    /// Turns in a row of `at`, and turns since a thread last fell.
    turns: u64,
    since: u64,
    /// How often in a row `at` got a negative answer.
    asks: Asks,
    /// `at` spins.
    spins: bool,
    /// The priorities of the threads that fell.
    fallen: BTreeMap<Thread, u64>,
    falls: u64,
    /// For each warp in play its lanes that can move, and the best of them.
    best: BTreeMap<(u64, u32), (Mask, u64, u32)>,
}

impl Pct {
    /// The schedule of a seed, with `depth - 1` changes of priority, for a run of unknown length.
    pub fn new(seed: u64, depth: u32) -> Pct {
        Pct::drawn(seed, depth, None)
    }

    /// The schedule of a seed for a run of that many turns: see [`Pct::moves_together`] for what a
    /// turn is.
    pub fn within(seed: u64, depth: u32, turns: u64) -> Pct {
        Pct::drawn(seed, depth, Some(turns.max(1)))
    }

    /// The same, but it chooses only at these places.
    #[must_use]
    pub fn at(self, places: Places) -> Pct {
        Pct { places: Some(places), ..self }
    }

    /// Whether all lanes that have converged with the lane of the highest priority move with it,
    /// rather than that lane alone. The seed decides it.
    pub fn moves_together(&self) -> bool {
        self.together
    }

    fn drawn(seed: u64, depth: u32, length: Option<u64>) -> Pct {
        let mut draw = Draw::new(seed);
        let together = draw.any() & 1 == 1;
        let change = |draw: &mut Draw| match length {
            Some(turns) => 1 + draw.below(turns),
            None => {
                let magnitude = 1u64 << draw.below(LATEST);
                magnitude + draw.below(magnitude)
            }
        };
        // Each is drawn separately, so their ranks are unordered.
        let mut changes: Vec<(u64, u64)> =
            (1..depth.into()).map(|rank| (change(&mut draw), rank)).collect();
        changes.sort_unstable_by(|a, b| b.cmp(a));
        Pct {
            seed,
            depth,
            draw,
            together,
            length,
            places: None,
            changes,
            window: Window::default(),
            turn: 0,
            at: None,
            turns: 0,
            since: 0,
            asks: Asks::default(),
            spins: false,
            fallen: BTreeMap::new(),
            falls: 0,
            best: BTreeMap::new(),
        }
    }

    /// A thread's priority: drawn, unless it fell.
    fn priority(&self, thread: Thread) -> u64 {
        let fallen = self.fallen.get(&thread).copied();
        fallen.unwrap_or_else(|| scramble(self.seed, thread) | DRAWN)
    }

    /// Whether a thread that is about to move has moved for too long.
    fn goes_on(&self, thread: Thread) -> bool {
        let (turns, idle) = match self.length {
            Some(length) => (TURNS.max(length), TURNS_WITHOUT_SPINNING.max(length)),
            None => (TURNS, TURNS_WITHOUT_SPINNING),
        };
        let too_long = self.turns >= turns || self.spins || self.asks.are_enough();
        self.at == Some(thread) && too_long || self.since >= idle
    }

    /// Lets the thread about to move fall when its time has come. Returns whether it did so.
    fn fall(&mut self, thread: Thread, is_free: bool) -> bool {
        let turn = self.turn + u64::from(!is_free);
        let priority = match self.changes.pop_if(|(at, _)| !is_free && *at <= turn) {
            Some((_, rank)) => CHANGED + rank,
            None if self.goes_on(thread) => {
                self.falls += 1;
                (self.turns, self.since, self.asks) = (0, 0, Asks::default());
                self.spins = false;
                CHANGED - self.falls
            }
            None => return false,
        };
        self.fallen.insert(thread, priority);
        self.best.remove(&(thread.0, thread.1));
        true
    }

    /// The best lane of a warp that can move.
    fn best_of(&mut self, view: &dyn View, block: u64, warp: u32) -> Option<(u64, Thread)> {
        let ready = view.ready(block, warp);
        let ready = if view.is_lockstep() { Mask::from(ready != 0) } else { ready };
        if ready == 0 {
            return None;
        }
        if let Some((mask, priority, lane)) = self.best.get(&(block, warp)).copied()
            && mask == ready
        {
            return Some((priority, (block, warp, lane)));
        }
        let lanes = lanes_of(ready).map(|lane| lane as u32);
        let best = lanes.map(|lane| (self.priority((block, warp, lane)), (block, warp, lane)));
        let (priority, thread) = best.max()?;
        self.best.insert((block, warp), (ready, priority, thread.2));
        Some((priority, thread))
    }

    /// The lanes of a warp that need no choice.
    fn free(&mut self, view: &dyn View, block: u64, warp: u32) -> Mask {
        self.places.as_mut().map_or(0, |places| view.free(block, warp, places))
    }

    /// The thread that moves, after all due falls, and the lanes of its warp that need no choice.
    fn chosen(&mut self, view: &dyn View) -> Option<(Thread, Mask)> {
        loop {
            let thread = self.highest(view)?;
            let free = self.free(view, thread.0, thread.1);
            if !self.fall(thread, free != 0) {
                return Some((thread, free));
            }
        }
    }

    /// The warp of the last turn goes on as long as it has lanes that need no choice.
    fn go_on(&mut self, view: &dyn View) -> Option<Move> {
        self.places.as_ref()?;
        let thread = self.at?;
        if self.goes_on(thread) {
            return None;
        }
        let (block, warp, _) = thread;
        let free = self.free(view, block, warp);
        if free == 0 {
            return None;
        }
        self.turns += 1;
        self.since += 1;
        Some(together(view, block, warp, free))
    }

    /// The movable thread with the highest priority.
    fn highest(&mut self, view: &dyn View) -> Option<Thread> {
        let mut highest: Option<(u64, Thread)> = None;
        for block in self.window.blocks().to_vec() {
            for warp in 0..view.warps(block) {
                highest = highest.max(self.best_of(view, block, warp));
            }
        }
        highest.map(|(_, thread)| thread)
    }
}

impl fmt::Display for Pct {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.depth, self.length) {
            (DEPTH, None) => write!(f, "pct:{}", self.seed)?,
            (depth, None) => write!(f, "pct:{}:{depth}", self.seed)?,
            (depth, Some(length)) => write!(f, "pct:{}:{depth}:{length}", self.seed)?,
        }
        self.places.iter().try_for_each(|places| write!(f, "@{places}"))
    }
}

impl Schedule for Pct {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        if let Some(thread) = self.at {
            self.asks.count(view, thread);
            self.spins = does_spin(view, thread);
        }
        if let Some(turn) = self.go_on(view) {
            return Some(turn);
        }
        if self.spins
            && let Some((block, ..)) = self.at
        {
            self.window.leave_to_others(view, block);
        }
        self.window.refill(view, &mut self.draw);
        if self.best.len() > 1024 {
            self.best.clear();
        }
        let next = self.chosen(view);
        let thread = next.map(|(thread, _)| thread);
        (self.turns, self.asks) =
            if thread == self.at { (self.turns + 1, self.asks) } else { (1, Asks::default()) };
        self.since += 1;
        self.at = thread;
        let ((block, warp, lane), free) = next?;
        if free != 0 {
            return Some(together(view, block, warp, free));
        }
        self.turn += 1;
        let alone: Mask = 1 << lane;
        let lanes = if view.is_lockstep() {
            Choice::Together
        } else if self.together {
            let groups = view.groups(block, warp);
            Choice::Only(groups.into_iter().find(|g| g & alone != 0).unwrap_or(alone))
        } else {
            Choice::Only(alone)
        };
        Some(Move { block, warp, lanes })
    }

    fn copies_at_once(&mut self) -> bool {
        self.draw.any() & 1 == 1
    }

    fn lets_spinning_wait(&self) -> bool {
        true
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, _resident: usize) -> Option<u64> {
        None
    }
}

/// A pseudo-random number, decided by the seed and the thread.
fn scramble(seed: u64, (block, warp, lane): Thread) -> u64 {
    // The finaliser of SplitMix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
    // Generators", OOPSLA 2014).
    let mix = |z: u64| {
        let z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    let add = |state: u64, value: u64| {
        mix(state.wrapping_add(0x9e37_79b9_7f4a_7c15) ^ mix(value.wrapping_add(1)))
    };
    add(add(add(seed, block), warp.into()), lane.into())
}
