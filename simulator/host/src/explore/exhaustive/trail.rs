//! One run of the search: the events of each turn, their order, and where two turns might have
//! changed places.

use std::collections::{HashMap, HashSet};

use super::clock::Clock;
use super::step::{Location, Step};
use super::tree::Tree;

/// Something that runs alone: a thread, or a warp when those move as wholes. Numbered in order of
/// appearance, the same in all runs of a search.
pub(super) type Process = usize;

/// A turn that is over.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) process: Process,
    /// What happened before it, itself included.
    pub(super) clock: Clock,
    pub(super) step: Step,
}

impl Event {
    /// Whether this one had to happen before another one that took place later.
    fn is_before(&self, clock: &Clock) -> bool {
        clock.of(self.process) >= self.clock.of(self.process)
    }
}

/// Who touched a location: the last turn that changed it, and those that looked since.
#[derive(Clone, Debug, Default)]
struct Touched {
    change: Option<usize>,
    looks: Vec<usize>,
}

/// The turn in progress.
#[derive(Clone, Debug)]
pub(super) struct Current {
    pub(super) process: Process,
    pub(super) step: Step,
    /// Processes that have met: all that each of them did before happens before all that any of
    /// them does next.
    pub(super) meetings: Vec<Vec<Process>>,
}

/// One run.
#[derive(Debug, Default)]
pub(super) struct Trail {
    pub(super) events: Vec<Event>,
    pub(super) current: Option<Current>,
    clocks: Vec<Clock>,
    touched: HashMap<Location, Touched>,
    /// The turns of each process.
    turns_of: Vec<Vec<usize>>,
    /// Which threads spin on these, without anything having changed.
    spinning: HashMap<Process, HashSet<Location>>,
}

/// The longest loop, in turns, that is recognised as one that only looks.
const LONGEST_LOOP: usize = 16;

impl Trail {
    /// Whether a process can do nothing new until another one changes the memory that it reads.
    pub(super) fn is_spinning(&self, process: Process) -> bool {
        self.spinning.contains_key(&process)
    }

    /// Ends the turn in progress, and notes in the tree which turns might have come in the other
    /// order.
    pub(super) fn end_turn(&mut self, tree: &mut Tree) {
        let Some(Current { process, step, meetings }) = self.current.take() else { return };
        let most = meetings.iter().flatten().copied().max().unwrap_or(0).max(process);
        if self.clocks.len() <= most {
            self.clocks.resize_with(most + 1, Clock::default);
            self.turns_of.resize_with(most + 1, Vec::new);
        }
        let conflicting = self.conflicting(process, &step);
        let mut clock = self.clocks[process].clone();
        clock.tick(process);
        for earlier in &conflicting {
            clock.join(&self.events[*earlier].clock);
        }
        let number = self.events.len();
        self.clocks[process] = clock.clone();
        self.turns_of[process].push(number);
        self.note_touched(number, &step);
        self.events.push(Event { process, clock, step });
        for earlier in self.reversible(&conflicting) {
            self.reverse(earlier, number, tree);
        }
        for processes in meetings {
            let mut together = Clock::default();
            processes.iter().for_each(|p| together.join(&self.clocks[*p]));
            processes.iter().for_each(|p| self.clocks[*p] = together.clone());
        }
        self.look_for_spinning(process);
    }

    /// The last turns of other processes that conflict with this one and that nothing puts before
    /// it yet.
    fn conflicting(&self, process: Process, step: &Step) -> Vec<usize> {
        let before = &self.clocks[process];
        let mut found = Vec::new();
        for (location, changes) in &step.touched {
            let Some(touched) = self.touched.get(location) else { continue };
            let looks = touched.looks.iter().filter(|_| *changes);
            for earlier in touched.change.iter().chain(looks) {
                let event = &self.events[*earlier];
                if event.process != process && !event.is_before(before) && !found.contains(earlier)
                {
                    found.push(*earlier);
                }
            }
        }
        found
    }

    /// The turns among these that no other one of them comes after: only these can change places
    /// with the later turn directly.
    fn reversible(&self, conflicting: &[usize]) -> Vec<usize> {
        let is_last = |earlier: &&usize| {
            let event = &self.events[**earlier];
            !conflicting.iter().any(|o| o != *earlier && event.is_before(&self.events[*o].clock))
        };
        conflicting.iter().filter(is_last).copied().collect()
    }

    fn note_touched(&mut self, number: usize, step: &Step) {
        for (location, changes) in &step.touched {
            let touched = self.touched.entry(*location).or_default();
            if *changes {
                *touched = Touched { change: Some(number), looks: Vec::new() };
            } else {
                touched.looks.push(number);
            }
            if *changes {
                self.spinning.retain(|_, looked_at| !looked_at.contains(location));
            }
        }
    }

    /// Makes sure that the search will also try the later turn before the earlier one. Then the
    /// turns in between that do not depend on the earlier one must come first. Any process that can
    /// begin them will do (a source set: Abdulla, Aronis, Jonsson and Sagonas, "Optimal Dynamic
    /// Partial Order Reduction", POPL 2014).
    fn reverse(&self, earlier: usize, later: usize, tree: &mut Tree) {
        let first = &self.events[earlier];
        let between = (earlier + 1..later).filter(|k| !first.is_before(&self.events[*k].clock));
        let apart: Vec<usize> = between.chain([later]).collect();
        let mut seen = Vec::new();
        let mut beginners = Vec::new();
        for (i, k) in apart.iter().enumerate() {
            let event = &self.events[*k];
            if seen.contains(&event.process) {
                continue;
            }
            seen.push(event.process);
            if !apart[..i].iter().any(|m| self.events[*m].is_before(&event.clock)) {
                beginners.push(event.process);
            }
        }
        tree.try_one_of(earlier, &beginners, self.events[later].process);
    }

    /// Finds out whether a process has just gone round a loop twice, only read, and seen the same.
    fn look_for_spinning(&mut self, process: Process) {
        let turns = &self.turns_of[process];
        let step = |turn: &usize| &self.events[*turn].step;
        for length in 1..=LONGEST_LOOP.min(turns.len() / 2) {
            let twice = &turns[turns.len() - 2 * length..];
            let (once, again) = twice.split_at(length);
            let same = once.iter().zip(again).all(|(a, b)| step(a).trace == step(b).trace);
            if !same || twice.iter().any(|turn| step(turn).acts) {
                continue;
            }
            let looked_at: HashSet<Location> =
                again.iter().flat_map(|t| step(t).touched.keys().copied()).collect();
            let changed = self.events[once[0]..].iter().any(|event| {
                event.process != process
                    && event
                        .step
                        .touched
                        .iter()
                        .any(|(l, changes)| *changes && looked_at.contains(l))
            });
            if !changed {
                self.spinning.insert(process, looked_at);
            }
            return;
        }
    }
}
