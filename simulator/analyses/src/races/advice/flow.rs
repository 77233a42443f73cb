//! The control flow between accesses: which can come before which without synchronisation in
//! between, and where all threads of a block are together.
//!
//! In the kernel itself threads are together where they are inside no branch that they may decide
//! differently (`convergence::uniform`). They are also together at a place that each thread reaches
//! exactly as often as some barrier of the program: the program itself relies on it there. Nothing
//! is known about called functions.

use std::collections::BTreeSet;

use crate::convergence::graph::Graph;
use crate::convergence::uniform::apart_in_kernel;
use crate::graph::immediate_dominators;
use crate::lower::{Effect, Operation, Pc, Program, WarpAction};
use crate::passes::Side;
use crate::report::Mend;

/// A place beside an operation.
pub(super) type At = (Pc, Side);

/// The control flow of a program.
#[derive(Debug)]
pub(crate) struct Flow<'p> {
    graph: Graph<'p>,
    /// The blocks of the kernel that only some threads reach.
    apart: BTreeSet<usize>,
    /// The immediate dominator of each block, within its function.
    before: Vec<Option<usize>>,
    /// The immediate post-dominator.
    behind: Vec<Option<usize>>,
}

impl<'p> Flow<'p> {
    pub(crate) fn new(program: &'p Program) -> Flow<'p> {
        let graph = Graph::new(program);
        let apart = apart_in_kernel(&graph);
        let entries: Vec<usize> =
            program.functions.iter().map(|f| graph.block_of(f.entry)).collect();
        let before = dominators(&graph.successors, entries);
        let ends = (0..graph.successors.len()).filter(|b| graph.successors[*b].is_empty());
        let behind = dominators(&graph.predecessors, ends.collect());
        let mut flow = Flow { graph, apart, before, behind };
        let with_barrier: Vec<usize> =
            flow.apart.iter().copied().filter(|b| flow.waits(*b)).collect();
        let together = |block: &usize| with_barrier.iter().any(|b| flow.is_as_often(*b, *block));
        let together: BTreeSet<usize> = flow.apart.iter().copied().filter(together).collect();
        flow.apart.retain(|block| !together.contains(block));
        flow
    }

    /// Whether a block has a barrier.
    fn waits(&self, block: usize) -> bool {
        let is_barrier =
            |pc: Pc| matches!(self.graph.operation(pc).kind.effect(), Effect::Barrier(_));
        self.graph.pcs(block).any(is_barrier)
    }

    /// Whether every thread reaches both blocks equally often. One dominates the other, which
    /// post-dominates it, and no loop has only one of them.
    fn is_as_often(&self, a: usize, b: usize) -> bool {
        let is_chain = |above: usize, below: usize| {
            is_above(&self.before, above, below) && is_above(&self.behind, below, above)
        };
        let is_alone_in_loop = |block: usize, other: usize| {
            let mut seen = BTreeSet::new();
            let mut work = vec![block];
            while let Some(at) = work.pop() {
                let next = self.graph.successors[at].iter().filter(|next| **next != other);
                work.extend(next.filter(|next| seen.insert(**next)));
            }
            seen.contains(&block)
        };
        a == b
            || (is_chain(a, b) || is_chain(b, a))
                && !is_alone_in_loop(a, b)
                && !is_alone_in_loop(b, a)
    }

    /// Whether an operation is in the kernel itself.
    pub(super) fn is_in_kernel(&self, pc: Pc) -> bool {
        self.graph.function_of(pc) == 0
    }

    /// Whether only some threads of a block may reach an operation.
    pub(super) fn is_apart(&self, pc: Pc) -> bool {
        self.apart.contains(&self.graph.block_of(pc))
    }

    /// The operation itself, or the calls in the kernel that may lead to it.
    pub(super) fn in_kernel(&self, pc: Pc) -> Vec<Pc> {
        match self.graph.function_of(pc) {
            0 => vec![pc],
            function => self.graph.calls_from_kernel(function),
        }
    }

    /// The place right before an operation; if threads are diverged there, the last place before it
    /// where they are together.
    pub(super) fn before(&self, pc: Pc, is_adjacent: bool) -> Option<At> {
        let mut block = self.graph.block_of(pc);
        if is_adjacent || !self.apart.contains(&block) {
            return Some((pc, Side::Before));
        }
        while self.apart.contains(&block) {
            block = self.before[block]?;
        }
        let last = self.graph.pcs(block).last()?;
        let side = if self.goes_elsewhere(last) { Side::Before } else { Side::Behind };
        Some((last, side))
    }

    /// Whether control does not just go on behind an operation.
    pub(super) fn goes_elsewhere(&self, pc: Pc) -> bool {
        let operation = self.graph.operation(pc);
        operation.kind.effect().reconvergence().is_some() || operation.after().leaves.is_some()
    }

    /// The place right behind an operation; if threads are diverged there, the first place behind
    /// it where they are together.
    pub(super) fn behind(&self, pc: Pc, is_adjacent: bool) -> Option<At> {
        let mut block = self.graph.block_of(pc);
        if is_adjacent || !self.apart.contains(&block) {
            return Some((pc, Side::Behind));
        }
        while self.apart.contains(&block) {
            block = self.behind[block]?;
        }
        Some((self.graph.pcs(block).start, Side::Before))
    }

    /// The operations that control can reach from some others without passing synchronisation. Only
    /// synchronisation that orders as much as the mend counts. `places` count as having such
    /// synchronisation, too.
    pub(super) fn reached(&self, from: &BTreeSet<Pc>, mend: Mend, places: &[At]) -> BTreeSet<Pc> {
        self.flood(from, |pc, next| {
            let is_stopped = stops(self.graph.operation(pc), mend)
                || places.contains(&(pc, Side::Behind))
                || places.contains(&(next, Side::Before));
            !is_stopped
        })
    }

    /// Whether control may come from one to the other without going round a loop.
    pub(super) fn leads_forward(&self, from: &BTreeSet<Pc>, to: &BTreeSet<Pc>) -> bool {
        let forward = self.flood(from, |pc, next| {
            let (block, following) = (self.graph.block_of(pc), self.graph.block_of(next));
            let is_entry = self.graph.pcs(following).start == next;
            !(is_entry && self.dominates(following, block))
        });
        !forward.is_disjoint(to)
    }

    /// Every operation that can be reached from some operations by steps that a test allows.
    fn flood(&self, from: &BTreeSet<Pc>, goes: impl Fn(Pc, Pc) -> bool) -> BTreeSet<Pc> {
        let mut seen = BTreeSet::new();
        let mut work: Vec<Pc> = from.iter().copied().collect();
        while let Some(pc) = work.pop() {
            for next in self.graph.targets(pc) {
                if goes(pc, next) && seen.insert(next) {
                    work.push(next);
                }
            }
        }
        seen
    }

    fn dominates(&self, above: usize, block: usize) -> bool {
        is_above(&self.before, above, block)
    }

    pub(super) fn program(&self) -> &'p Program {
        self.graph.program
    }
}

/// Whether a block is another's dominator, or the block itself, by immediate dominators.
fn is_above(immediate: &[Option<usize>], above: usize, mut block: usize) -> bool {
    while block != above {
        let Some(next) = immediate[block] else { return false };
        block = next;
    }
    true
}

/// Immediate dominators in a graph that begins at several nodes; `None` for those and for what they
/// do not reach.
fn dominators(successors: &[Vec<usize>], roots: Vec<usize>) -> Vec<Option<usize>> {
    let root = successors.len();
    let mut graph = successors.to_vec();
    graph.push(roots);
    let mut all = immediate_dominators(&graph, root);
    all.truncate(root);
    all.into_iter().map(|dominator| dominator.filter(|d| *d != root)).collect()
}

/// Whether lanes of a warp, or all threads of a block, wait for each other at an operation.
fn stops(operation: &Operation, mend: Mend) -> bool {
    match operation.kind.effect() {
        Effect::Barrier(_) => true,
        Effect::Warp(operation) => mend == Mend::Warp && operation.action == WarpAction::Sync,
        Effect::Registers
        | Effect::Memory(..)
        | Effect::Fence(_)
        | Effect::Asynchronous(_)
        | Effect::Mbarrier(_)
        | Effect::ProxyFence
        | Effect::Cluster(_)
        | Effect::Jump { .. }
        | Effect::Call(_)
        | Effect::Runtime(_)
        | Effect::Leave(_) => false,
    }
}
