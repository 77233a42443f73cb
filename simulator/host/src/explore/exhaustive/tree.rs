//! The choices of the search: at each turn, who could move, who has, and who has to be tried yet.

use std::collections::BTreeSet;

use super::step::Step;
use super::trail::{Event, Process};

/// Turns in a row after which another process goes first by default.
const STAY: usize = 32;

/// A moment at which a process had to be chosen.
#[derive(Clone, Debug)]
struct Node {
    enabled: Vec<Process>,
    chosen: Process,
    /// To be tried, or tried already.
    to_try: BTreeSet<Process>,
    /// Tried already, with what they did.
    tried: Vec<(Process, Step)>,
    /// Whatever begins with these has been seen elsewhere (sleep sets: Godefroid, "Partial-Order
    /// Methods for the Verification of Concurrent Systems", 1996).
    asleep: Vec<(Process, Step)>,
    /// Whose next turn ends the run: seen once, that is enough.
    barred: BTreeSet<Process>,
}

/// What to do at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// This one moves.
    Move(Process),
    /// Nothing that has not been seen.
    Seen,
    /// No process can move.
    Nobody,
}

/// The path of the present run through the tree, and the choices left to try along it.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// Turns of the present run so far.
    depth: usize,
}

impl Tree {
    /// How many turns the present run has had.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Chooses who moves next. `events` are the turns so far, `enabled` who can.
    pub(super) fn next(&mut self, enabled: Vec<Process>, events: &[Event]) -> Next {
        if enabled.is_empty() {
            return Next::Nobody;
        }
        if self.depth == self.nodes.len() {
            let Some(node) = self.fresh(enabled, events) else { return Next::Seen };
            self.nodes.push(node);
        }
        let chosen = self.nodes[self.depth].chosen;
        self.depth += 1;
        Next::Move(chosen)
    }

    fn fresh(&self, enabled: Vec<Process>, events: &[Event]) -> Option<Node> {
        let parent = self.depth.checked_sub(1).map(|up| &self.nodes[up]);
        let (mut asleep, mut barred) = (Vec::new(), BTreeSet::new());
        if let (Some(parent), Some(last)) = (parent, events.last()) {
            let seen = parent.asleep.iter().chain(&parent.tried);
            let still = seen.filter(|(p, step)| *p != last.process && !step.conflicts(&last.step));
            asleep = still.cloned().collect();
            barred = parent.barred.clone();
        }
        let is_free =
            |p: &Process| !barred.contains(p) && !asleep.iter().any(|(sleeper, _)| sleeper == p);
        let free: Vec<Process> = enabled.iter().copied().filter(is_free).collect();
        let chosen = preferred(&free, events)?;
        let to_try = BTreeSet::from([chosen]);
        Some(Node { enabled, chosen, to_try, tried: Vec::new(), asleep, barred })
    }

    /// At a turn, tries one of these processes too, unless one of them is or was; `best` of them if
    /// possible.
    pub(super) fn try_one_of(&mut self, turn: usize, processes: &[Process], best: Process) {
        let Some(node) = self.nodes.get_mut(turn) else { return };
        if processes.iter().any(|p| node.to_try.contains(p)) {
            return;
        }
        let best = Some(&best).filter(|best| processes.contains(best));
        match best.or(processes.first()) {
            Some(process) if node.enabled.contains(process) => {
                node.to_try.insert(*process);
            }
            // It waits for something that we take for no reason to wait: try everybody.
            _ => node.to_try.extend(node.enabled.iter().copied()),
        }
    }

    /// The last turn ended the run for everybody: what would the others have done?
    pub(super) fn stopped(&mut self) {
        let Some(node) = self.nodes.last_mut() else { return };
        node.barred.insert(node.chosen);
        let asleep = |p: &Process| node.asleep.iter().any(|(sleeper, _)| sleeper == p);
        let other = node.enabled.iter().find(|p| !node.barred.contains(p) && !asleep(p));
        if let Some(other) = other.copied() {
            node.to_try.insert(other);
        }
    }

    /// Ends the run, and goes to where the next one departs from it. `false` when nothing is left.
    pub(super) fn turn_back(&mut self, events: &[Event]) -> bool {
        self.depth = 0;
        self.nodes.truncate(events.len());
        while let Some(turn) = self.nodes.len().checked_sub(1)
            && let Some(node) = self.nodes.last_mut()
        {
            if let Some(event) = events.get(turn) {
                node.tried.push((event.process, event.step.clone()));
            }
            let known = |p: &Process| {
                node.barred.contains(p)
                    || node.tried.iter().chain(&node.asleep).any(|(seen, _)| seen == p)
            };
            if let Some(next) = node.to_try.iter().find(|p| !known(p)).copied() {
                node.chosen = next;
                return true;
            }
            self.nodes.pop();
        }
        false
    }
}

/// Which thread moves by default: the one that moved last, for a while, and then the next one.
fn preferred(free: &[Process], events: &[Event]) -> Option<Process> {
    let last = events.last().map(|event| event.process);
    let stayed = events.iter().rev().take_while(|event| Some(event.process) == last).count();
    match last {
        Some(last) if stayed < STAY && free.contains(&last) => Some(last),
        Some(last) => free.iter().find(|p| **p > last).or(free.first()).copied(),
        None => free.first().copied(),
    }
}
