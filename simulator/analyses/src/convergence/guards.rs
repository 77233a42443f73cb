//! Conditions at the end of a kernel that a barrier may stand in.
//!
//! Who does not take a branch behind which a barrier lies, and has nothing to do but to leave the
//! kernel, either has returned early (`if (i >= n) return;`) or has passed by a barrier that stands
//! inside a condition (`if (i < n) { ... __syncthreads(); ... }`). Compiled, the two are the same.
//! The lines and columns of the source tell them apart where the source is laid out as usual: what
//! stands inside a condition comes after it and is indented deeper. Where a compiler has made one
//! branch of several conditions, they tell nothing.
//!
//! Where it can be wrong: a source that is not indented like that, and a kernel of which nothing but
//! one block is left behind its early return. Kernels with thousands of early exits are not looked at
//! whole.

use std::collections::{BTreeSet, HashMap, VecDeque};

use rustc_hash::FxBuildHasher;

use super::graph::{Graph, flood};
use crate::lanes::Slot;
use crate::lower::{Effect, Pc};
use crate::ptx::{SourcePosition, Type};

/// A branch at which threads part: some may come to a barrier, the others leave the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Guard {
    /// The branch.
    pub(super) branch: Pc,
    /// The barrier.
    pub(super) barrier: Pc,
    /// Lines show the barrier inside the condition.
    pub(super) is_inside: bool,
    /// The basic blocks behind the branch on the barrier's side: those of an inner one are fewer.
    pub(super) blocks: usize,
}

/// Blocks that are looked at for all branches together, at most. In a kernel with thousands of early
/// exits the outermost ones are left out.
const MOST_VISITS: usize = 4_000_000;

/// The guards of some barriers of a kernel, the innermost of each first.
pub(super) fn guards(graph: &Graph<'_>, barriers: &[Pc]) -> Vec<Guard> {
    let mut of_block: HashMap<usize, Vec<Pc>, FxBuildHasher> = HashMap::default();
    for barrier in barriers.iter().filter(|pc| graph.function_of(**pc) == 0) {
        of_block.entry(graph.block_of(*barrier)).or_default().push(*barrier);
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
            for barrier in side.iter().filter_map(|block| of_block.get(block)).flatten().copied() {
                let is_inside = is_inside(graph, branch, barrier, &side);
                found.push(Guard { branch, barrier, is_inside, blocks: side.len() });
                sides.visits += 1;
            }
        }
    }
    found.sort_by_key(|guard| (guard.barrier, guard.blocks, guard.branch));
    found
}

/// The sides of branches, walked along together.
struct Sides<'g, 'p> {
    graph: &'g Graph<'p>,
    /// For each block, the last round in which each side came there.
    seen: Vec<[usize; 2]>,
    round: usize,
    /// The blocks that all rounds have come to.
    visits: usize,
}

impl<'g, 'p> Sides<'g, 'p> {
    fn new(graph: &'g Graph<'p>) -> Sides<'g, 'p> {
        Sides { graph, seen: vec![[0; 2]; graph.successors.len()], round: 0, visits: 0 }
    }

    /// Whether both sides of a branch come to one place with something left to do there. If not, they
    /// part for good. Both are walked along breadth first, as they mostly meet soon.
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
}

/// Whether lines show a barrier inside the condition of a branch, behind which these blocks lie.
fn is_inside(graph: &Graph<'_>, branch: Pc, barrier: Pc, behind: &BTreeSet<usize>) -> bool {
    let line = |pc: Pc| graph.program.places.get(pc as usize).and_then(|p| p.source.as_deref());
    let (Some(condition), Some(here)) = (line(branch), line(barrier)) else { return false };
    let is_with = |other: &&SourcePosition| {
        (&other.file, &other.inlined_at) == (&condition.file, &condition.inlined_at)
    };
    let end = graph.program.functions.first().map_or(0, |f| f.end).checked_sub(1).and_then(line);
    let pcs = || behind.iter().flat_map(|block| graph.pcs(*block));
    let is_barrier = |pc: &Pc| matches!(graph.operation(*pc).kind.effect(), Effect::Barrier(_));
    let is_end = |pc: &Pc| matches!(graph.operation(*pc).kind.effect(), Effect::Leave(_));
    let is_again = pcs().filter(is_barrier).filter(|pc| line(*pc) == Some(here)).count() > 1
        || comes_again(graph, graph.block_of(barrier));
    let is_before_end = end.is_none_or(|end| !is_with(&end) || end.line > here.line);
    if !is_with(&here) || is_again || !is_before_end || !is_of_one_line(graph, branch) {
        return false;
    }
    if here.line == condition.line {
        // Nothing but this barrier is left to do.
        return pcs().all(|pc| pc == barrier || graph.is_quiet_at(pc));
    }
    // The column of the end of a kernel is that of its last brace.
    let mut lines = pcs().filter(|pc| !is_end(pc)).filter_map(line).filter(is_with);
    let is_deeper = |p: &SourcePosition| p.line <= condition.line || p.column > condition.column;
    here.line > condition.line && here.column > condition.column && lines.all(is_deeper)
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

/// Whether a block may come again.
fn comes_again(graph: &Graph<'_>, block: usize) -> bool {
    let next = graph.successors[block].iter().copied();
    flood(next, |block| graph.successors[block].iter().copied()).contains(&block)
}
