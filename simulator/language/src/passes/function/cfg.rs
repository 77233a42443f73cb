//! Basic blocks of a function and what can follow what.
//!
//! A block starts at the function's head, at every label that a branch names, and after every
//! instruction that may go elsewhere. Labels that only debug data names start none. Nested scopes
//! make no difference. A branch whose targets are not known makes the function unanalysable:
//! [`Cfg::new`] says None and the pass leaves the function alone.

use std::ops::Range;

use crate::graph::{self, Blocks, Step};
use crate::passes::function::body::{Body, Meaning, Site};
use crate::ptx::{Operand, OperandKind};

/// A basic block.
#[derive(Clone, Debug, Default)]
pub(in crate::passes) struct BasicBlock {
    /// Its sites.
    pub(in crate::passes) sites: Range<usize>,
    /// Blocks that may follow.
    pub(in crate::passes) successors: Vec<usize>,
    /// Blocks that may come before.
    pub(in crate::passes) predecessors: Vec<usize>,
    /// Whether the thread may end here (or, for a function, return).
    pub(in crate::passes) exits: bool,
}

/// The control-flow graph of a function. Block 0 is the entry.
#[derive(Clone, Debug)]
pub(in crate::passes) struct Cfg {
    /// The blocks in the order of the text.
    pub(in crate::passes) blocks: Vec<BasicBlock>,
    /// Blocks that can be reached, each after its predecessors, except for back edges.
    pub(in crate::passes) order: Vec<usize>,
    /// The index of each block in `order`.
    position: Vec<usize>,
}

impl Cfg {
    /// Builds the graph; None when a branch's targets are unknown or there is no instruction.
    pub(in crate::passes) fn new(body: &Body<'_>) -> Option<Cfg> {
        let count = body.sites.len();
        if count == 0 {
            return None;
        }
        let steps: Vec<Step> =
            (0..count).map(|site| step(body, site)).collect::<Option<Vec<Step>>>()?;
        let Blocks { starts, successors, .. } = Blocks::new(&steps);
        let order = graph::reverse_postorder(&successors, 0);
        let mut position = vec![usize::MAX; starts.len()];
        order.iter().enumerate().for_each(|(place, block)| position[*block] = place);
        let predecessors = graph::predecessors(&successors);
        let ends = starts.iter().skip(1).copied().chain([count]);
        let sites = starts.iter().zip(ends).map(|(start, end)| *start..end);
        let blocks = sites.zip(successors.into_iter().zip(predecessors));
        let blocks = blocks.map(|(sites, (successors, predecessors))| BasicBlock {
            exits: leaves(&steps[sites.end - 1], sites.end, count),
            sites,
            successors,
            predecessors,
        });
        Some(Cfg { blocks: blocks.collect(), order, position })
    }

    /// Whether an edge goes backwards in `order`, as every loop's edge to its head does.
    pub(in crate::passes) fn is_back_edge(&self, from: usize, to: usize) -> bool {
        self.position[from] >= self.position[to]
    }

    /// Whether control can get to a block.
    pub(in crate::passes) fn is_reached(&self, block: usize) -> bool {
        self.position[block] != usize::MAX
    }

    /// For each block, whether the end of the function can be reached from it.
    pub(in crate::passes) fn reaches_exit(&self) -> Vec<bool> {
        let before: Vec<Vec<usize>> =
            self.blocks.iter().map(|block| block.predecessors.clone()).collect();
        graph::reachable(&before, (0..before.len()).filter(|block| self.blocks[*block].exits))
    }
}

/// Whether control may leave a function of `count` sites after a step, to go on at `next` or
/// beyond.
fn leaves(step: &Step, next: usize, count: usize) -> bool {
    // Past the last instruction the function returns.
    match step {
        Step::Leave { .. } => true,
        Step::Next => next == count,
        Step::Jump { targets, conditional } => {
            *conditional && next == count || targets.iter().any(|target| *target >= count)
        }
    }
}

/// Where control can go after a site; None when that is unknown.
fn step(body: &Body<'_>, site: usize) -> Option<Step> {
    let found = body.sites.get(site)?;
    let conditional = found.inst.guard.is_some();
    let targets = match &*found.inst.opcode.text {
        "bra" => vec![label(found, found.inst.operands.first()?)?],
        "brx" => indexed(body, site)?,
        "ret" | "exit" | "trap" => return Some(Step::Leave { conditional }),
        _ => return Some(Step::Next),
    };
    Some(Step::Jump { targets, conditional })
}

/// The targets of a `brx.idx`: a named list, or one in place.
fn indexed(body: &Body<'_>, site: usize) -> Option<Vec<usize>> {
    let found = body.sites.get(site)?;
    let list = found.inst.operands.get(1)?;
    match &list.kind {
        OperandKind::List(parts) | OperandKind::Vector(parts) => {
            parts.iter().map(|part| label(found, part)).collect()
        }
        OperandKind::Name(name) => {
            let Meaning::Targets(targets) = found.meaning(name) else { return None };
            targets.clone()
        }
        _ => None,
    }
}

fn label(site: &Site<'_>, operand: &Operand) -> Option<usize> {
    let OperandKind::Name(name) = &operand.kind else { return None };
    match site.meaning(name) {
        Meaning::Label(target) => Some(*target),
        _ => None,
    }
}
