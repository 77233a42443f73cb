//! Where threads that diverge meet again, and the region before that place.
//!
//! A branch and its meeting place, the immediate post-dominator, have a region between them. Code
//! that leaves a region without reaching its meeting place is not in it: an early `ret` makes no
//! thread wait. Branches with one meeting place are treated together, so finding all regions costs
//! about as much as the regions have blocks.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rustc_hash::FxBuildHasher;

use super::graph::{Graph, flood};
use super::plan::{Counted, Counter};
use crate::lower::{Callee, EXIT, Effect, Leave, Pc};

/// A meeting place that a rendezvous lies before.
#[derive(Debug, Default)]
pub(super) struct Meeting {
    /// The region before it.
    region: Region,
    /// Where the threads that meet here diverge, if a rendezvous lies on one of their paths.
    pub(super) partings: Arc<[Pc]>,
    /// The rendezvous before it.
    pub(super) waits: Vec<Pc>,
}

/// The region before a meeting place.
#[derive(Debug, Default)]
struct Region {
    /// Basic blocks, in ascending order.
    blocks: Vec<usize>,
    operations: BTreeSet<Pc>,
    functions: BTreeSet<usize>,
}

/// How threads diverge at an operation.
enum Parting {
    /// They take different paths.
    Paths,
    /// Some are called away, into these functions.
    Calls(BTreeSet<usize>),
    /// Some execute a rendezvous, the others do not.
    Itself,
}

/// Where the threads that meet at one place diverge.
#[derive(Debug, Default)]
struct Parted {
    branches: Vec<Pc>,
    operations: BTreeSet<Pc>,
    calls: Vec<(Pc, BTreeSet<usize>)>,
}

/// The meeting places behind a rendezvous. Each has the places where the threads that meet there
/// diverge; waits and operations are in ascending order.
pub(super) fn meetings(
    graph: &Graph<'_>,
    waits: &[Pc],
    operations: impl IntoIterator<Item = Pc>,
) -> BTreeMap<Counted, Meeting> {
    let mut parted: BTreeMap<Counted, Parted> = BTreeMap::new();
    for pc in operations {
        let Some((what, parting)) = parting(graph, pc) else { continue };
        let all = parted.entry(what).or_default();
        match parting {
            Parting::Paths => all.branches.push(pc),
            Parting::Calls(functions) => all.calls.push((pc, functions)),
            Parting::Itself => _ = all.operations.insert(pc),
        }
    }
    let waiting = Waits::new(graph, waits);
    let meeting = |(what, parted)| {
        let meeting = Meeting::new(graph, &waiting, what, parted);
        (!meeting.waits.is_empty()).then_some((what, meeting))
    };
    parted.into_iter().filter_map(meeting).collect()
}

/// Selects the operations at which threads may diverge because some go to a rendezvous. The threads
/// that diverge at the given operations all meet at one place.
pub(super) fn partings_for(graph: &Graph<'_>, operations: &[Pc], wait: Pc) -> Vec<Pc> {
    let meetings = meetings(graph, &[wait], operations.iter().copied());
    meetings.into_values().flat_map(|meeting| meeting.partings.to_vec()).collect()
}

/// Where the rendezvous of a program are.
struct Waits {
    of_block: HashMap<usize, Vec<Pc>, FxBuildHasher>,
    of_function: HashMap<usize, Vec<Pc>, FxBuildHasher>,
}

impl Waits {
    fn new(graph: &Graph<'_>, waits: &[Pc]) -> Waits {
        let (mut of_block, mut of_function) = (HashMap::default(), HashMap::default());
        for wait in waits {
            let block: &mut Vec<Pc> = of_block.entry(graph.block_of(*wait)).or_default();
            block.push(*wait);
            let function: &mut Vec<Pc> = of_function.entry(graph.function_of(*wait)).or_default();
            function.push(*wait);
        }
        Waits { of_block, of_function }
    }

    fn are_at(&self, graph: &Graph<'_>, pc: Pc) -> bool {
        let here = self.of_block.get(&graph.block_of(pc));
        here.is_some_and(|waits| waits.binary_search(&pc).is_ok())
    }

    fn are_in_functions(&self, functions: &BTreeSet<usize>) -> bool {
        functions.iter().any(|function| self.of_function.contains_key(function))
    }

    /// The waits in a region, in ascending order.
    fn within(&self, region: &Region) -> Vec<Pc> {
        let blocks = region.blocks.iter().filter_map(|block| self.of_block.get(block));
        let functions = region.functions.iter().filter_map(|f| self.of_function.get(f));
        let mut found: Vec<Pc> = blocks.chain(functions).flatten().copied().collect();
        found.extend(&region.operations);
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Meeting {
    /// A meeting place of threads that diverge like this; without waits when there are none before
    /// it.
    fn new(graph: &Graph<'_>, waiting: &Waits, what: Counted, parted: Parted) -> Meeting {
        let Parted { mut branches, mut operations, mut calls } = parted;
        operations.retain(|pc| waiting.are_at(graph, *pc));
        calls.retain(|(_, functions)| waiting.are_in_functions(functions));
        let blocks = between(graph, &branches, what);
        branches = towards_waits(graph, waiting, &branches, &blocks);
        let blocks = match branches.is_empty() {
            true => BTreeSet::new(),
            false => between(graph, &branches, what),
        };
        let mut functions = functions_called(graph, &blocks);
        functions.extend(calls.iter().flat_map(|(_, functions)| functions));
        let mut partings = branches;
        partings.extend(calls.iter().map(|(pc, _)| *pc));
        partings.extend(&operations);
        partings.sort_unstable();
        let region = Region { blocks: blocks.into_iter().collect(), operations, functions };
        Meeting { waits: waiting.within(&region), region, partings: partings.into() }
    }
}

/// Where threads that diverge at an operation meet, and how they diverge; `None` when they do not
/// diverge, or never meet with anything left to do.
fn parting(graph: &Graph<'_>, pc: Pc) -> Option<(Counted, Parting)> {
    let operation = graph.operation(pc);
    let guarded = operation.guard.is_some();
    let next = Counted::Arrivals(pc + 1);
    let effect = operation.kind.effect();
    let (what, parting) = match effect {
        Effect::Jump { reconverge, .. } => {
            if graph.targets(pc).len() < 2 {
                return None;
            }
            let function = graph.function_of(pc);
            match reconverge {
                EXIT if function == 0 => return None,
                EXIT => (Counted::Returns(function), Parting::Paths),
                pc => (Counted::Arrivals(pc), Parting::Paths),
            }
        }
        Effect::Leave(Leave::Return) if guarded && graph.function_of(pc) != 0 => {
            (Counted::Returns(graph.function_of(pc)), Parting::Paths)
        }
        Effect::Call(call) if guarded || matches!(call.callee, Callee::Indirect(_)) => {
            (next, Parting::Calls(graph.called_from([pc])))
        }
        Effect::Barrier(_) | Effect::Warp(_) if guarded && effect.is_rendezvous() => {
            (next, Parting::Itself)
        }
        Effect::Registers
        | Effect::Memory(..)
        | Effect::Barrier(_)
        | Effect::Warp(_)
        | Effect::Fence(_)
        | Effect::Asynchronous(_)
        | Effect::Mbarrier(_)
        | Effect::ProxyFence
        | Effect::Cluster(_)
        | Effect::Call(_)
        | Effect::Runtime(_)
        | Effect::Leave(_) => return None,
    };
    let is_idle = match what {
        Counted::Arrivals(pc) | Counted::Executions(pc) | Counted::Partings(pc) => {
            graph.is_idle(pc)
        }
        Counted::Returns(function) => graph.is_idle_after(function),
    };
    (!is_idle).then_some((what, parting))
}

/// The block of the meeting place, unless that is the end of a function.
fn meeting_block(graph: &Graph<'_>, what: Counted) -> Option<usize> {
    match what {
        Counted::Arrivals(pc) => Some(graph.block_of(pc)),
        Counted::Returns(_) | Counted::Executions(_) | Counted::Partings(_) => None,
    }
}

/// The blocks that branches may go to, except the meeting place.
fn sides<'a>(
    graph: &'a Graph<'_>,
    branches: &'a [Pc],
    meeting: Option<usize>,
) -> impl Iterator<Item = usize> + 'a {
    let targets = branches.iter().flat_map(|branch| graph.targets(*branch));
    targets.map(|pc| graph.block_of(pc)).filter(move |block| Some(*block) != meeting)
}

/// The blocks on the paths from some branches to where they meet.
fn between(graph: &Graph<'_>, branches: &[Pc], what: Counted) -> BTreeSet<usize> {
    let meeting = meeting_block(graph, what);
    let from_branches = flood(sides(graph, branches, meeting), |block| {
        graph.successors[block].iter().copied().filter(|b| Some(*b) != meeting)
    });
    let arrives = |block: &usize| match meeting {
        Some(meeting) => graph.successors[*block].contains(&meeting),
        None => graph.returns(*block),
    };
    let last = from_branches.iter().copied().filter(arrives);
    flood(last, |block| {
        graph.predecessors[block].iter().copied().filter(|b| from_branches.contains(b))
    })
}

/// The branches that lead to a rendezvous within a region.
fn towards_waits(
    graph: &Graph<'_>,
    waiting: &Waits,
    branches: &[Pc],
    blocks: &BTreeSet<usize>,
) -> Vec<Pc> {
    let waits = |block: &usize| {
        waiting.of_block.contains_key(block)
            || graph.calls_of(*block).any(|pc| waiting.are_in_functions(&graph.called_from([pc])))
    };
    let towards = flood(blocks.iter().copied().filter(waits), |block| {
        graph.predecessors[block].iter().copied().filter(|b| blocks.contains(b))
    });
    let leads = |branch: &Pc| {
        sides(graph, &[*branch], None)
            .any(|block| blocks.contains(&block) && towards.contains(&block))
    };
    branches.iter().copied().filter(leads).collect()
}

/// The functions that may run while a thread is in some blocks.
fn functions_called(graph: &Graph<'_>, blocks: &BTreeSet<usize>) -> BTreeSet<usize> {
    graph.called_from(blocks.iter().flat_map(|block| graph.calls_of(*block)))
}

/// For each counter those that begin anew when it counts, in ascending order.
pub(super) fn resets(
    graph: &Graph<'_>,
    meetings: &BTreeMap<Counted, Meeting>,
    counted: &[Counted],
) -> Vec<Vec<Counter>> {
    let mut of_block: HashMap<usize, Vec<Counter>, FxBuildHasher> = HashMap::default();
    let mut of_function: HashMap<usize, Vec<Counter>, FxBuildHasher> = HashMap::default();
    let mut at: HashMap<Pc, Vec<Counter>, FxBuildHasher> = HashMap::default();
    for (counter, what) in counted.iter().enumerate() {
        match what {
            Counted::Arrivals(pc) | Counted::Executions(pc) => {
                of_block.entry(graph.block_of(*pc)).or_default().push(counter);
                of_function.entry(graph.function_of(*pc)).or_default().push(counter);
                at.entry(*pc).or_default().push(counter);
            }
            Counted::Returns(function) => of_function.entry(*function).or_default().push(counter),
            // Who left the kernel has left it for good.
            Counted::Partings(_) => {}
        }
    }
    let of = |(outer, what): (Counter, &Counted)| {
        let Some(Meeting { region, .. }) = meetings.get(what) else { return Vec::new() };
        let blocks = region.blocks.iter().filter_map(|block| of_block.get(block));
        let functions = region.functions.iter().filter_map(|f| of_function.get(f));
        let operations = region.operations.iter().filter_map(|pc| at.get(pc));
        let all = blocks.chain(functions).chain(operations).flatten().copied();
        let inner: BTreeSet<Counter> = all.filter(|counter| *counter != outer).collect();
        inner.into_iter().collect()
    };
    counted.iter().enumerate().map(of).collect()
}
