//! Guesses at small differences: of two threads that touch one cell, the later goes first.
//!
//! One run in order is watched. A guess takes a pair of conflicting accesses by different threads,
//! with the earlier one's turn before the later one's. In its schedule the later thread runs ahead,
//! alone, from just before the earlier access. The guess ignores whether something keeps the two in
//! order. If a barrier does, the thread does not get that far and the guess is wrong.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::lanes::lanes_of;
use crate::lower::Pc;
use crate::observe::{Access, AccessKind, Event, Interest, Observer};
use crate::ptx::Space;
use crate::schedule::{Choice, InOrder, Move, Part, Schedule, View};

/// Guesses kept for a pair of places in the program.
const FOR_A_PAIR: usize = 4;

/// Guesses in all.
const MOST: usize = 512;

/// Accesses of lanes that are looked at.
const LOOKED_AT: u64 = 1 << 22;

/// An access: when, by whom, where in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Touch {
    turn: u64,
    block: u64,
    warp: u32,
    lane: u32,
    pc: Pc,
}

/// Who touched a cell: the last to write, and some of those that read since.
#[derive(Clone, Debug, Default)]
struct Cell {
    write: Option<Touch>,
    reads: Vec<Touch>,
}

/// What has been seen of the run.
#[derive(Debug, Default)]
struct Seen {
    in_order: InOrder,
    turn: u64,
    /// The turns of each warp.
    turns_of: HashMap<(u64, u32), Vec<u64>>,
    cells: HashMap<(Option<u64>, u64), Cell>,
    looked_at: u64,
    /// Pairs of accesses, the later second, by their places.
    pairs: HashMap<(Pc, Pc), Vec<(Touch, Touch)>>,
}

/// Watches a run in order, as its schedule and its observer.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs(Arc<Mutex<Seen>>);

impl Seen {
    fn access(&mut self, touch: Touch, cell: (Option<u64>, u64), writes: bool) {
        let entry = self.cells.entry(cell).or_default();
        let earlier = entry.write.iter().chain(entry.reads.iter().filter(|_| writes));
        for earlier in earlier {
            let other = (earlier.block, earlier.warp, earlier.lane);
            if other == (touch.block, touch.warp, touch.lane) || earlier.turn == touch.turn {
                continue;
            }
            let known = self.pairs.entry((earlier.pc, touch.pc)).or_default();
            if known.len() < FOR_A_PAIR {
                known.push((*earlier, touch));
            }
        }
        if writes {
            *entry = Cell { write: Some(touch), reads: Vec::new() };
        } else if entry.reads.len() < FOR_A_PAIR {
            entry.reads.push(touch);
        }
    }

    /// The later thread runs ahead from just before the earlier access.
    fn guess(&self, earlier: &Touch, later: &Touch, lockstep: bool) -> Vec<Part> {
        let turns = self.turns_of.get(&(later.block, later.warp));
        let ahead = turns.map_or(0, |turns| {
            turns.partition_point(|t| *t <= later.turn)
                - turns.partition_point(|t| *t < earlier.turn)
        });
        let lanes = if lockstep { Choice::Together } else { Choice::Only(1 << later.lane) };
        let turn = Move { block: later.block, warp: later.warp, lanes };
        let before = Some(Part::InOrder(earlier.turn)).filter(|part| part.count() > 0);
        before.into_iter().chain([Part::Turns(turn, ahead as u64)]).collect()
    }
}

impl Pairs {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The guesses, those with the fewest turns first.
    pub(super) fn guesses(&self, lockstep: bool) -> Vec<Vec<Part>> {
        let seen = self.seen();
        let pairs = seen.pairs.values().flatten();
        let mut guesses: Vec<Vec<Part>> =
            pairs.map(|(earlier, later)| seen.guess(earlier, later, lockstep)).collect();
        guesses.sort_by_key(|parts| {
            let ahead = parts.last().map_or(0, |part| part.count());
            let turn = parts.last().and_then(|part| match part {
                Part::Turns(turn, _) => Some((turn.block, turn.warp, turn.lanes.mask())),
                Part::InOrder(_) => None,
            });
            // The number of parts distinguishes a guess that departs at once from one that waits as
            // many turns.
            (ahead, parts.first().map(|part| part.count()), turn, parts.len())
        });
        guesses.dedup();
        guesses.truncate(MOST);
        guesses
    }
}

impl fmt::Display for Pairs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("in-order")
    }
}

impl Schedule for Pairs {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        let mut seen = self.seen();
        let turn = seen.in_order.next(view)?;
        // The first turn is number 0: what comes before it are no turns.
        let number = seen.turn;
        seen.turns_of.entry((turn.block, turn.warp)).or_default().push(number);
        seen.turn += 1;
        Some(turn)
    }

    fn copies_at_once(&mut self) -> bool {
        self.seen().in_order.copies_at_once()
    }

    fn boxed(&self) -> Box<dyn Schedule> {
        Box::new(self.clone())
    }

    fn recurrence(&self, resident: usize) -> Option<u64> {
        self.seen().in_order.recurrence(resident)
    }
}

impl Observer for Pairs {
    fn interest(&self) -> Interest {
        Interest::none().with_accesses(true)
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        let mut seen = self.seen();
        let space = match access.space {
            Space::Global => None,
            Space::Shared => Some(event.block),
            _ => return,
        };
        let turn = seen.turn.saturating_sub(1);
        for lane in lanes_of(access.mask) {
            seen.looked_at += 1;
            if seen.looked_at > LOOKED_AT {
                return;
            }
            let (block, warp, pc) = (event.block, event.warp, event.pc);
            let touch = Touch { turn, block, warp, lane: lane as u32, pc };
            // Cells of four bytes: a guess may be wrong.
            let first = access.addresses[lane] / 4;
            let last = access.addresses[lane].wrapping_add(u64::from(access.bytes) - 1) / 4;
            for cell in first..=last {
                seen.access(touch, (space, cell), access.kind != AccessKind::Read);
            }
        }
    }
}
