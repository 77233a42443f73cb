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
//! one block is left behind its early return.

use std::collections::BTreeSet;

use super::graph::Graph;
use super::plan::flood;
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

/// The guards of some barriers of a kernel, the innermost of each first.
pub(super) fn guards(graph: &Graph<'_>, barriers: &[Pc]) -> Vec<Guard> {
    let mut found = Vec::new();
    for (operation, branch) in graph.program.operations.iter().zip(0..) {
        if !matches!(operation.kind.effect(), Effect::Jump { .. }) || graph.function_of(branch) != 0
        {
            continue;
        }
        let [one, other] = graph.targets(branch)[..] else { continue };
        let behind = [one, other]
            .map(|pc| flood([graph.block_of(pc)], |block| graph.successors[block].clone()));
        // Where both come there is nothing left to do: they part for good.
        if !behind[0].intersection(&behind[1]).all(|block| graph.is_idle(graph.pcs(*block).start)) {
            continue;
        }
        for barrier in barriers.iter().copied().filter(|pc| graph.function_of(*pc) == 0) {
            let comes = |side: &&BTreeSet<usize>| side.contains(&graph.block_of(barrier));
            let mut sides = behind.iter().filter(comes);
            if let (Some(side), None) = (sides.next(), sides.next()) {
                let is_inside = is_inside(graph, branch, barrier, side);
                found.push(Guard { branch, barrier, is_inside, blocks: side.len() });
            }
        }
    }
    found.sort_by_key(|guard| (guard.barrier, guard.blocks));
    found
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
    flood(next, |block| graph.successors[block].clone()).contains(&block)
}
