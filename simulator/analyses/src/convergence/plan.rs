//! The places to count in a program: found once for each program, before it runs.
//!
//! Threads diverge at branches that are not uniform, and meet again at the immediate post-dominator
//! of the branch (PTX ISA 3.2; lowering has found it). An operation for which threads wait for each
//! other is a *rendezvous*. It lies *before* a meeting place when it lies between a branch and that
//! place. A lane has passed it by when it has arrived at the place more often than a thread that
//! waits at the rendezvous.
//!
//! Branches in a caller count for a rendezvous in its callee. Lanes that diverge in a function and
//! meet only behind it meet at its `ret`. A place after which nothing is left but `ret` is no
//! meeting place.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::graph::Graph;
use super::guards::{Guard, guards};
use super::meetings::{Meeting, meetings, resets};
use super::uniform::Uniform;
use crate::lower::{Leave, Operation, Pc, Program, WarpOperation};

/// An index into [`Plan::counters`].
pub(super) type Counter = usize;

/// What a counter counts of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Counted {
    /// Arrivals at a place where paths meet.
    Arrivals(Pc),
    /// Returns from a function, at whose end paths meet.
    Returns(usize),
    /// Executions of a warp operation.
    Executions(Pc),
    /// Arrivals at a branch with one side that leaves the kernel.
    Partings(Pc),
}

/// A meeting place that lies ahead of the lanes that wait at a rendezvous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ahead {
    pub(super) counter: Counter,
    /// The operation at the meeting place.
    pub(super) place: Pc,
    /// Where the lanes that arrive there may have diverged. [`super::meetings::partings_for`] later
    /// keeps the branches that lead to the rendezvous, when a person will read them.
    pub(super) branches: Arc<[Pc]>,
}

/// What to do when lanes reach an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) counter: Counter,
    /// Only the lanes whose guard holds count.
    pub(super) guarded: bool,
}

/// What to count, where.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// For each counter, the counters that restart when it counts. These belong to places inside
    /// the code before the meeting place.
    pub(super) resets: Vec<Vec<Counter>>,
    /// What to count at an operation.
    pub(super) counts: HashMap<Pc, Vec<Count>, FxBuildHasher>,
    /// For each rendezvous, the meeting places ahead, the outermost first.
    pub(super) ahead: HashMap<Pc, Vec<Ahead>, FxBuildHasher>,
    /// For each warp operation the counter of its executions.
    pub(super) executions: HashMap<Pc, Counter, FxBuildHasher>,
    /// For each barrier the branches at which others may have left the kernel, the innermost first,
    /// with the counter of those who came there.
    pub(super) guards: HashMap<Pc, Vec<(Counter, Guard)>, FxBuildHasher>,
    /// The operations whose execution is reported to the analysis.
    pub(super) places: Arc<[bool]>,
    /// There are shuffles, with or without `.sync`.
    pub(super) has_shuffles: bool,
}

impl Plan {
    pub(super) fn new(program: &Program) -> Plan {
        let is_rendezvous = |(_, o): &(Pc, &Operation)| o.kind.effect().is_rendezvous();
        let waits: Vec<Pc> =
            (0..).zip(&program.operations).filter(is_rendezvous).map(|(pc, _)| pc).collect();
        let has_shuffles = program.operations.iter().any(moves_values);
        if waits.is_empty() {
            return Plan { has_shuffles, ..Plan::default() };
        }
        let graph = Graph::new(program);
        let uniform = Uniform::new(&graph);
        let partings =
            (0..program.operations.len() as Pc).filter(|pc| !uniform.is_uniform_at(&graph, *pc));
        let meetings = meetings(&graph, &waits, partings);
        let executions = waits.iter().copied().filter(|pc| is_warp_operation(program, *pc));
        let barriers: Vec<Pc> =
            waits.iter().copied().filter(|pc| !is_warp_operation(program, *pc)).collect();
        let guards = guards(&graph, &barriers);
        let partings: BTreeSet<Pc> = guards.iter().map(|guard| guard.branch).collect();
        let counted: Vec<Counted> = meetings
            .keys()
            .copied()
            .chain(executions.map(Counted::Executions))
            .chain(partings.into_iter().map(Counted::Partings))
            .collect();
        let mut plan =
            Plan { resets: resets(&graph, &meetings, &counted), has_shuffles, ..Plan::default() };
        for (counter, what) in counted.iter().enumerate() {
            plan.count(program, counter, *what);
        }
        plan.ahead = waits.iter().map(|wait| (*wait, Vec::new())).collect();
        plan.note_meetings(&graph, meetings);
        let counters: HashMap<Counted, Counter, FxBuildHasher> =
            counted.iter().copied().zip(0..).collect();
        for guard in guards {
            let counter = counters[&Counted::Partings(guard.branch)];
            plan.guards.entry(guard.barrier).or_default().push((counter, guard));
        }
        let told = |pc: Pc| plan.counts.contains_key(&pc);
        plan.places = (0..program.operations.len() as Pc).map(told).collect();
        plan
    }

    /// Notes where a counter counts.
    fn count(&mut self, program: &Program, counter: Counter, what: Counted) {
        let mut at = |pc, guarded| {
            self.counts.entry(pc).or_default().push(Count { counter, guarded });
        };
        match what {
            Counted::Arrivals(pc) | Counted::Partings(pc) => at(pc, false),
            Counted::Executions(pc) => {
                at(pc, true);
                self.executions.insert(pc, counter);
            }
            Counted::Returns(function) => {
                let Some(function) = program.functions.get(function) else { return };
                for pc in function.entry..function.end {
                    let after = program.operations[pc as usize].after();
                    if after.leaves == Some(Leave::Return) {
                        at(pc, true);
                    }
                }
            }
        }
    }

    /// For each rendezvous the meeting places ahead, the outermost first.
    fn note_meetings(&mut self, graph: &Graph<'_>, meetings: BTreeMap<Counted, Meeting>) {
        for (counter, (what, meeting)) in meetings.into_iter().enumerate() {
            let place = match what {
                Counted::Arrivals(pc) | Counted::Executions(pc) | Counted::Partings(pc) => pc,
                Counted::Returns(function) => graph.program.functions[function].end - 1,
            };
            for wait in meeting.waits {
                let branches = Arc::clone(&meeting.partings);
                self.ahead.entry(wait).or_default().push(Ahead { counter, place, branches });
            }
        }
        for ahead in self.ahead.values_mut() {
            let within = |outer: &Ahead| {
                let resets = &self.resets[outer.counter];
                ahead.iter().filter(|inner| resets.binary_search(&inner.counter).is_ok()).count()
            };
            let mut ranked: Vec<(usize, Ahead)> =
                ahead.iter().map(|a| (within(a), a.clone())).collect();
            ranked.sort_by_key(|(within, _)| std::cmp::Reverse(*within));
            *ahead = ranked.into_iter().map(|(_, ahead)| ahead).collect();
        }
    }
}

/// Whether lanes of a warp meet at an operation.
fn is_warp_operation(program: &Program, pc: Pc) -> bool {
    program.operations[pc as usize].kind.warp().is_some()
}

/// Whether lanes get the values of other lanes as they are.
fn moves_values(operation: &Operation) -> bool {
    operation.kind.warp().is_some_and(WarpOperation::moves_values)
}
