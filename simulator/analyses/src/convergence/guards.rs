//! Conditions at the end of a kernel that may contain a barrier.
//!
//! Consider a thread that does not take a branch to a barrier and then only leaves the kernel.
//! Either it has returned early (`if (i >= n) return;`), or it has passed by a barrier inside a
//! condition (`if (i < n) { ... __syncthreads(); ... }`). Compiled, the two are the same. The lines
//! and columns of the source distinguish them where the source is laid out as usual: the body of a
//! condition comes after it and is indented deeper. If a compiler has joined several conditions
//! into one branch, the lines do not decide.
//!
//! A barrier in a called function, or in one that was inlined (`thread_block::sync()`), lies where
//! its call lies. If several calls lead to it, all must lie inside the condition.
//!
//! Where it can be wrong: a source that is not indented like that, and a kernel that has nothing
//! but one block behind its early return. Kernels with thousands of early exits are not looked at
//! whole.

use std::collections::{BTreeSet, HashMap, VecDeque};

use rustc_hash::FxBuildHasher;

use super::graph::{Graph, flood};
use crate::lanes::Slot;
use crate::lower::{Effect, Pc};
use crate::ptx::{SourcePosition, Type};

/// A branch where threads diverge: some may reach a barrier, the others leave the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guard {
    /// The branch.
    pub(super) branch: Pc,
    /// The barrier.
    pub(super) barrier: Pc,
    /// Lines show the barrier inside the condition.
    pub(super) is_inside: bool,
    /// The basic blocks behind the branch on the barrier's side. An inner branch has fewer.
    pub(super) blocks: usize,
}

/// Blocks that are looked at for all branches together, at most. In a kernel with thousands of
/// early exits the outermost ones are left out.
const MOST_VISITS: usize = 4_000_000;

/// The guards of some barriers of a kernel, the innermost of each first.
pub(super) fn guards(graph: &Graph<'_>, barriers: &[Pc]) -> Vec<Guard> {
    let stands = stands(graph, barriers);
    let mut of_block: HashMap<usize, Vec<usize>, FxBuildHasher> = HashMap::default();
    for (index, stand) in stands.iter().enumerate() {
        for place in &stand.places {
            of_block.entry(graph.block_of(*place)).or_default().push(index);
        }
    }
    let mut sides = Sides::new(graph);
    let mut found = Vec::new();
    for branch in (0..graph.program.operations.len() as Pc).rev() {
        if of_block.is_empty() || sides.visits > MOST_VISITS {
            break;
        }
        if !matches!(graph.operation(branch).kind.effect(), Effect::Jump { .. })
            || graph.function_of(branch) != 0
        {
            continue;
        }
        let [one, other] = graph.targets(branch)[..] else { continue };
        let both = [graph.block_of(one), graph.block_of(other)];
        if sides.meet(both) {
            continue;
        }
        for side in both {
            let side = flood([side], |block| graph.successors[block].iter().copied());
            sides.visits += side.len();
            let blocks = side.iter().filter_map(|block| of_block.get(block));
            let there: BTreeSet<usize> = blocks.flatten().copied().collect();
            let is_there = |place: &Pc| side.contains(&graph.block_of(*place));
            let behind = there.into_iter().map(|index| &stands[index]);
            let behind: Vec<&Stand> =
                behind.filter(|stand| stand.places.iter().all(is_there)).collect();
            if behind.is_empty() {
                continue;
            }
            let lines = Lines::of(graph, branch, &side);
            for Stand { barrier, places } in behind {
                let is_inside = places.iter().all(|place| {
                    lines.as_ref().is_some_and(|l| l.show_inside(graph, *place))
                        && !sides.comes_again(graph.block_of(*place))
                });
                found.push(Guard { branch, barrier: *barrier, is_inside, blocks: side.len() });
                sides.visits += places.len();
            }
        }
    }
    found.sort_by_key(|guard| (guard.barrier, guard.blocks, guard.branch));
    found
}

/// The places of a barrier in the kernel: the barrier itself, or all calls in the kernel that lead
/// to its function.
struct Stand {
    barrier: Pc,
    places: Vec<Pc>,
}

/// The places of barriers. Leaves out a barrier whose function is never called.
fn stands(graph: &Graph<'_>, barriers: &[Pc]) -> Vec<Stand> {
    let calls = graph.calls_of_function(0);
    let reached: Vec<(Pc, BTreeSet<usize>)> =
        calls.map(|call| (call, graph.called_from([call]))).collect();
    let stands = barriers.iter().map(|barrier| {
        let places = match graph.function_of(*barrier) {
            0 => vec![*barrier],
            function => {
                let leading = reached.iter().filter(|(_, functions)| functions.contains(&function));
                leading.map(|(call, _)| *call).collect()
            }
        };
        Stand { barrier: *barrier, places }
    });
    stands.filter(|stand| !stand.places.is_empty()).collect()
}

/// The sides of branches, walked along together.
struct Sides<'g, 'p> {
    graph: &'g Graph<'p>,
    /// For each block, the last round in which each side came there.
    seen: Vec<[usize; 2]>,
    round: usize,
    /// Whether a block may come again, once that has been asked.
    again: HashMap<usize, bool, FxBuildHasher>,
    /// The blocks visited in all rounds, and by the search for blocks that repeat.
    visits: usize,
}

impl<'g, 'p> Sides<'g, 'p> {
    fn new(graph: &'g Graph<'p>) -> Sides<'g, 'p> {
        let seen = vec![[0; 2]; graph.successors.len()];
        Sides { graph, seen, round: 0, again: HashMap::default(), visits: 0 }
    }

    /// Whether both sides of a branch reach one place with something left to do there. If not, they
    /// never reconverge. The search goes along both sides breadth first, as they mostly meet soon.
    fn meet(&mut self, both: [usize; 2]) -> bool {
        self.round += 1;
        let mut work: VecDeque<(usize, usize)> = both.into_iter().zip(0..).collect();
        while let Some((block, side)) = work.pop_front() {
            self.visits += 1;
            // Behind a block where nothing is left to do there are only such blocks.
            if self.seen[block][side] == self.round || self.graph.is_idle_block(block) {
                continue;
            }
            self.seen[block][side] = self.round;
            if self.seen[block][1 - side] == self.round {
                return true;
            }
            work.extend(self.graph.successors[block].iter().map(|next| (*next, side)));
        }
        false
    }

    /// Whether a block may come again.
    fn comes_again(&mut self, block: usize) -> bool {
        let Sides { graph, again, visits, .. } = self;
        *again.entry(block).or_insert_with(|| {
            let next = graph.successors[block].iter().copied();
            let behind = flood(next, |block| graph.successors[block].iter().copied());
            *visits += behind.len();
            behind.contains(&block)
        })
    }
}

/// What lines say of a condition, and of what lies behind it on one side.
struct Lines<'p> {
    condition: &'p SourcePosition,
    /// How many barriers each place of the source has there.
    barriers: HashMap<&'p SourcePosition, usize, FxBuildHasher>,
    /// How many operations there can be noticed by others.
    noticed: usize,
    /// What comes after the condition is indented deeper.
    is_deeper: bool,
}

impl<'p> Lines<'p> {
    /// What they say about a branch with these blocks behind it; `None` if they do not decide.
    fn of(graph: &Graph<'p>, branch: Pc, behind: &BTreeSet<usize>) -> Option<Lines<'p>> {
        let condition = line(graph, branch)?;
        if !is_of_one_line(graph, branch) {
            return None;
        }
        let barriers = HashMap::default();
        let mut lines = Lines { condition, barriers, noticed: 0, is_deeper: true };
        for pc in behind.iter().flat_map(|block| graph.pcs(*block)) {
            lines.noticed += usize::from(!graph.is_quiet_at(pc));
            let Some(here) = line(graph, pc).and_then(|here| lines.as_seen(here)) else {
                continue;
            };
            let effect = graph.operation(pc).kind.effect();
            if matches!(effect, Effect::Barrier(_) | Effect::Call(_)) {
                *lines.barriers.entry(here).or_default() += 1;
            }
            // At the end of a kernel, the column is the column of its last brace.
            if !matches!(effect, Effect::Leave(_)) {
                lines.is_deeper &= here.line <= condition.line || here.column > condition.column;
            }
        }
        Some(lines)
    }

    /// A place as it is seen from the condition: itself, where it is in the same file and inlined
    /// in the same place, or the call into which it was inlined; `None` where it has none there.
    fn as_seen(&self, place: &'p SourcePosition) -> Option<&'p SourcePosition> {
        let condition = self.condition;
        let calls = &place.inlined_at;
        let levels = std::iter::once(place).chain(calls).enumerate();
        let mut levels = levels.filter(|(level, here)| {
            here.file == condition.file && calls[*level..] == condition.inlined_at[..]
        });
        levels.next().map(|(_, here)| here)
    }

    /// Whether they show a barrier inside the condition, if it does not come again.
    fn show_inside(&self, graph: &Graph<'p>, barrier: Pc) -> bool {
        let Some(here) = line(graph, barrier).and_then(|here| self.as_seen(here)) else {
            return false;
        };
        let end = graph.program.functions.first().map_or(0, |f| f.end).checked_sub(1);
        let end = end.and_then(|end| line(graph, end)).and_then(|end| self.as_seen(end));
        let is_before_end = end.is_none_or(|end| end.line > here.line);
        let is_again = self.barriers.get(here).is_some_and(|barriers| *barriers > 1);
        if is_again || !is_before_end {
            return false;
        }
        if here.line == self.condition.line {
            // Nothing but this barrier is left to do.
            return self.noticed == 1;
        }
        let is_deeper = here.column > self.condition.column && self.is_deeper;
        here.line > self.condition.line && is_deeper
    }
}

/// The source position of an operation.
fn line<'p>(graph: &Graph<'p>, pc: Pc) -> Option<&'p SourcePosition> {
    graph.program.places.get(pc as usize).and_then(|place| place.source.as_deref())
}

/// Whether what decides at a branch is computed in its line, just before it.
fn is_of_one_line(graph: &Graph<'_>, branch: Pc) -> bool {
    let places = &graph.program.places;
    let line = |pc: Pc| places[pc as usize].source.as_ref().map(|s| (&s.file, s.line));
    let registers = &graph.program.functions[graph.function_of(branch)].registers;
    let predicates = |named: &[u32]| -> Vec<Slot> {
        let named = named.iter().filter_map(|index| registers.get(*index as usize));
        named.filter(|r| r.ty == Type::Pred).map(|r| r.slot).collect()
    };
    let mut needed: BTreeSet<Slot> =
        graph.operation(branch).guard.iter().map(|guard| guard.predicate).collect();
    for pc in (graph.pcs(graph.block_of(branch)).start..branch).rev() {
        let place = &places[pc as usize];
        let written = predicates(place.writes());
        if written.iter().any(|slot| needed.contains(slot)) {
            if line(pc) != line(branch) {
                return false;
            }
            written.iter().for_each(|slot| _ = needed.remove(slot));
            needed.extend(predicates(place.reads()));
        }
    }
    needed.is_empty()
}
