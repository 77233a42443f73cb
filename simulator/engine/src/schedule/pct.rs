//! Probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi and Nagarakatti, "A Randomized
//! Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010.
//!
//! Every thread draws a priority; of those that can move the one with the highest does. At
//! `depth - 1` turns, drawn evenly from the length of the run, the thread that is about to move
//! falls below all others; each that fell so has a rank that was drawn beforehand. A mistake that
//! needs `depth` ordered pairs of steps to show is then found by one schedule with a probability of
//! at least 1 / (n k^(depth-1)), where n threads take k turns.
//!
//! The length has to be known for that ([`Pct::within`]). Where it is not, its order of magnitude
//! is drawn first, below 2^20.
//!
//! Deviations, each of which costs the bound where it applies. A thread that has moved for
//! [`TURNS`] turns in a row, or for the length of the run if that is more, falls below all others
//! too, so that a thread that spins does not keep the rest from moving; at once, where it is found
//! to spin, and when it only asks, a few turns in a row, whether a phase of an mbarrier object is
//! complete, and is told no. At most eight blocks are in play at a time: n and k count those. One
//! of which all threads that can move spin leaves its place to another. Half of the seeds move
//! threads singly, the other half move all lanes that have converged with the one of the highest
//! priority; there the units are groups of lanes. Half of the asynchronous copies are late.
//!
//! A schedule that knows the [`Places`] where threads conflict lets the free lanes of the warp of
//! the highest priority move together, and the warp go on as long as it has some, up to as many
//! turns as above. Changes of priority come, and their turns are counted, only where a lane may
//! come to such a place: k is the number of those, and the bound the better for it.

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

/// Turns after which the running thread falls even though nobody spins, as in
/// [`super::adversarial`].
const TURNS_WITHOUT_SPINNING: u64 = 1 << 16;

/// Changes come before this power of two.
const LATEST: u64 = 20;

/// Priorities that were drawn are above this.
const DRAWN: u64 = 1 << 63;

/// A thread that fell at a change has a priority above this, by the rank of the change; one that
/// went on for too long, below.
const CHANGED: u64 = 1 << 62;

/// A thread: block, warp, lane. Under `lockstep` lane 0 stands for its warp.
type Thread = (u64, u32, u32);

/// A schedule by priorities.
#[derive(Clone, Debug)]
pub struct Pct {
    seed: u64,
    depth: u32,
    draw: Draw,
    /// Converged lanes move together.
    together: bool,
    /// The number of turns that the changes were drawn from.
    length: Option<u64>,
    /// Where it matters who goes first; `None` for everywhere.
    places: Option<Places>,
    /// The turns at which the thread about to move falls, and how low, the latest first.
    changes: Vec<(u64, u64)>,
    window: Window,
    turn: u64,
    at: Option<Thread>,
    /// Turns in a row of `at`, and turns since somebody last fell.
    turns: u64,
    since: u64,
    /// How often in a row `at` was told no.
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

    /// The same, which chooses at these places only.
    #[must_use]
    pub fn at(self, places: Places) -> Pct {
        Pct { places: Some(places), ..self }
    }

    /// Whether all lanes that have converged with the one of the highest priority move with it, and
    /// not that one alone. The seed decides it.
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
        // Each is drawn by itself, so their ranks are in no order.
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

    /// Lets the thread that is about to move fall when its time has come. Whether it did.
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

    /// The thread that moves, once those have fallen whose time has come, and the lanes of its warp
    /// that need no choice.
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

    /// The thread that has the highest priority of those that can move.
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

/// A number that looks random and is decided by the seed and the thread.
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
