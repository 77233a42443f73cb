//! What a program makes us count: found once for each program, before it runs.
//!
//! Threads part at branches and meet again at the immediate post-dominator of the branch (PTX ISA
//! 3.2; lowering has found it). An operation for which threads wait for each other, a *rendezvous*,
//! lies *before* a meeting place when it lies between a branch and that place: a lane that has arrived
//! at the place more often than somebody who waits at the rendezvous has passed it by.
//!
//! Branches in a caller count for a rendezvous in what it calls; the lanes that part in a function
//! and meet only behind it meet at its `ret`. A meeting place after which nothing is left to do but
//! `ret` is none.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::graph::Graph;
use super::guards::{Guard, guards};
use crate::lower::{Callee, EXIT, Effect, Leave, Operation, Pc, Program, WarpOperation};

/// An index into [`Plan::counters`].
pub(super) type Counter = usize;

/// What a counter counts of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Counted {
    /// Arrivals at a place where paths meet.
    Arrivals(Pc),
    /// Returns from a function, at whose end paths meet.
    Returns(usize),
    /// Executions of a warp operation.
    Executions(Pc),
    /// Arrivals at a branch of which one side leaves the kernel.
    Partings(Pc),
}

/// A meeting place that lies ahead of the lanes that wait at a rendezvous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Ahead {
    pub(super) counter: Counter,
    /// The operation at the meeting place.
    pub(super) place: Pc,
    /// The branches at which those who come there without the rendezvous may have left the others.
    pub(super) branches: Vec<Pc>,
}

/// What to do when lanes come to an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) counter: Counter,
    /// Only the lanes whose guard holds count.
    pub(super) guarded: bool,
}

/// What to count, where.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// For each counter, the counters that begin anew when it counts: those of places inside of
    /// what lies before the meeting place.
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
    /// The operations to be told of.
    pub(super) places: Arc<[bool]>,
    /// There are shuffles, with or without `.sync`.
    pub(super) has_shuffles: bool,
}

/// What lies before a meeting place.
#[derive(Debug, Default)]
struct Before {
    blocks: BTreeSet<usize>,
    operations: BTreeSet<Pc>,
    functions: BTreeSet<usize>,
    branches: Vec<(Pc, BTreeSet<Pc>)>,
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
        let meetings = meetings(&graph, &waits);
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
        for wait in &waits {
            let ahead = plan.ahead_of(&graph, &meetings, *wait);
            plan.ahead.insert(*wait, ahead);
        }
        for guard in guards {
            let is_its = |what: &Counted| *what == Counted::Partings(guard.branch);
            let Some(counter) = counted.iter().position(is_its) else { continue };
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

    /// The meeting places ahead of a rendezvous, the outermost first.
    fn ahead_of(
        &self,
        graph: &Graph<'_>,
        meetings: &BTreeMap<Counted, Before>,
        wait: Pc,
    ) -> Vec<Ahead> {
        let here = meetings.iter().enumerate().filter(|(_, (_, b))| b.contains(graph, wait));
        let mut found: Vec<Ahead> = here
            .map(|(counter, (what, before))| {
                let branches = before.branches.iter().filter(|(_, inside)| inside.contains(&wait));
                let place = match what {
                    Counted::Arrivals(pc) | Counted::Executions(pc) | Counted::Partings(pc) => *pc,
                    Counted::Returns(function) => graph.program.functions[*function].end - 1,
                };
                Ahead { counter, place, branches: branches.map(|(pc, _)| *pc).collect() }
            })
            .collect();
        let counters: Vec<Counter> = found.iter().map(|a| a.counter).collect();
        let within = |a: &Ahead| {
            self.resets[a.counter].iter().filter(|inner| counters.contains(inner)).count()
        };
        found.sort_by_key(|a| std::cmp::Reverse(within(a)));
        found
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

/// The meeting places that a rendezvous lies before.
fn meetings(graph: &Graph<'_>, waits: &[Pc]) -> BTreeMap<Counted, Before> {
    let mut found: BTreeMap<Counted, Before> = BTreeMap::new();
    for (operation, pc) in graph.program.operations.iter().zip(0..) {
        let Some((what, before)) = parting(graph, operation, pc) else { continue };
        let inside: BTreeSet<Pc> =
            waits.iter().copied().filter(|wait| before.contains(graph, *wait)).collect();
        if inside.is_empty() {
            continue;
        }
        let all = found.entry(what).or_default();
        all.blocks.extend(before.blocks);
        all.operations.extend(before.operations);
        all.functions.extend(before.functions);
        all.branches.push((pc, inside));
    }
    found
}

/// Where lanes that part at an operation meet, and what lies before that; `None` when they do not
/// part, or never meet with anything left to do.
fn parting(graph: &Graph<'_>, operation: &Operation, pc: Pc) -> Option<(Counted, Before)> {
    let guarded = operation.guard.is_some();
    let next = Counted::Arrivals(pc + 1);
    let effect = operation.kind.effect();
    let (what, before) = match effect {
        Effect::Jump { reconverge, .. } => {
            if graph.targets(pc).len() < 2 {
                return None;
            }
            let function = graph.function_of(pc);
            let what = match reconverge {
                EXIT if function == 0 => return None,
                EXIT => Counted::Returns(function),
                pc => Counted::Arrivals(pc),
            };
            (what, between(graph, pc, what))
        }
        Effect::Leave(Leave::Return) if guarded && graph.function_of(pc) != 0 => {
            let what = Counted::Returns(graph.function_of(pc));
            (what, between(graph, pc, what))
        }
        Effect::Call(call) if guarded || matches!(call.callee, Callee::Indirect(_)) => {
            let functions = graph.called_from([pc]);
            (next, Before { functions, ..Before::default() })
        }
        Effect::Barrier(_) | Effect::Warp(_) if guarded && effect.is_rendezvous() => {
            (next, Before { operations: [pc].into(), ..Before::default() })
        }
        Effect::Registers
        | Effect::Memory(..)
        | Effect::Barrier(_)
        | Effect::Warp(_)
        | Effect::Fence(_)
        | Effect::Call(_)
        | Effect::Leave(_) => return None,
    };
    let is_idle = match what {
        Counted::Arrivals(pc) | Counted::Executions(pc) | Counted::Partings(pc) => {
            graph.is_idle(pc)
        }
        Counted::Returns(function) => graph.is_idle_after(function),
    };
    (!is_idle).then_some((what, before))
}

/// What lies on the paths from a branch to where they meet. What leaves without coming there is
/// not: an early `ret` keeps nobody waiting.
fn between(graph: &Graph<'_>, branch: Pc, what: Counted) -> Before {
    let meeting = match what {
        Counted::Arrivals(pc) => Some(graph.block_of(pc)),
        Counted::Returns(_) | Counted::Executions(_) | Counted::Partings(_) => None,
    };
    let sides = graph.targets(branch).into_iter().map(|pc| graph.block_of(pc));
    let sides = sides.filter(|b| Some(*b) != meeting);
    let from_branch = flood(sides, |block| {
        graph.successors[block].iter().copied().filter(|b| Some(*b) != meeting).collect()
    });
    let arrives = |block: &usize| match meeting {
        Some(meeting) => graph.successors[*block].contains(&meeting),
        None => graph.returns(*block),
    };
    let last = from_branch.iter().copied().filter(arrives);
    let blocks = flood(last, |block| {
        graph.predecessors[block].iter().copied().filter(|b| from_branch.contains(b)).collect()
    });
    let calls = graph.calls.keys().copied();
    let functions = graph.called_from(calls.filter(|pc| blocks.contains(&graph.block_of(*pc))));
    Before { blocks, functions, ..Before::default() }
}

/// Everything that can be reached from some nodes.
pub(super) fn flood(
    from: impl IntoIterator<Item = usize>,
    next: impl Fn(usize) -> Vec<usize>,
) -> BTreeSet<usize> {
    let mut seen = BTreeSet::new();
    let mut work: Vec<usize> = from.into_iter().collect();
    while let Some(node) = work.pop() {
        if seen.insert(node) {
            work.extend(next(node));
        }
    }
    seen
}

/// For each counter, those that begin anew when it counts.
fn resets(
    graph: &Graph<'_>,
    meetings: &BTreeMap<Counted, Before>,
    counted: &[Counted],
) -> Vec<Vec<Counter>> {
    let of = |outer: &Counted| {
        let Some(before) = meetings.get(outer) else { return Vec::new() };
        let inside = |inner: &Counted| match inner {
            Counted::Arrivals(pc) | Counted::Executions(pc) => before.contains(graph, *pc),
            Counted::Returns(function) => before.functions.contains(function),
            // Who left the kernel has left it for good.
            Counted::Partings(_) => false,
        };
        let inner = counted.iter().enumerate().filter(|(_, c)| *c != outer && inside(c));
        inner.map(|(counter, _)| counter).collect()
    };
    counted.iter().map(of).collect()
}

impl Before {
    fn contains(&self, graph: &Graph<'_>, pc: Pc) -> bool {
        self.operations.contains(&pc)
            || self.functions.contains(&graph.function_of(pc))
            || self.blocks.contains(&graph.block_of(pc))
    }
}
