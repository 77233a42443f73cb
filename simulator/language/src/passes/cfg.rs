//! Basic blocks of a function and what can follow what.
//!
//! A block starts at the function's head, at every label that a branch names, and after every
//! instruction that may go elsewhere. Labels that only debug data names start none. Nested scopes
//! make no difference. A branch whose targets are not known makes the function unanalysable:
//! [`Cfg::new`] says None and the pass leaves the function alone.

use std::ops::Range;

use super::body::{Body, Meaning, Site};
use crate::ptx::{Operand, OperandKind};

/// A basic block.
#[derive(Clone, Debug, Default)]
pub(super) struct BasicBlock {
    /// Its sites.
    pub(super) sites: Range<usize>,
    /// Blocks that may follow.
    pub(super) successors: Vec<usize>,
    /// Blocks that may come before.
    pub(super) predecessors: Vec<usize>,
    /// Whether the thread may end here (or, for a function, return).
    pub(super) exits: bool,
}

/// The control-flow graph of a function. Block 0 is the entry.
#[derive(Clone, Debug)]
pub(super) struct Cfg {
    /// The blocks in the order of the text.
    pub(super) blocks: Vec<BasicBlock>,
    /// Blocks that can be reached, each after its predecessors but for back edges.
    pub(super) order: Vec<usize>,
    /// Where each block stands in `order`.
    position: Vec<usize>,
}

/// Where control can go after a site.
enum Flow {
    /// On.
    Next,
    /// To these labels, and on when conditional.
    Branch(Vec<usize>),
    /// Out of the function.
    Exit,
}

impl Cfg {
    /// Builds the graph; None when a branch's targets are unknown or there is no instruction.
    pub(super) fn new(body: &mut Body<'_>) -> Option<Cfg> {
        let count = body.sites.len();
        if count == 0 {
            return None;
        }
        let flows: Vec<Flow> =
            (0..count).map(|site| flow(body, site)).collect::<Option<Vec<Flow>>>()?;
        let blocks = split(&flows, &body.sites);
        let position = vec![usize::MAX; blocks.len()];
        let mut cfg = Cfg { order: Vec::new(), blocks, position };
        cfg.link(&flows, &body.sites);
        cfg.order = cfg.reverse_postorder();
        for (position, block) in cfg.order.iter().enumerate() {
            cfg.position[*block] = position;
        }
        Some(cfg)
    }

    /// Whether an edge goes backwards in `order`, as every loop's edge to its head does.
    pub(super) fn is_back_edge(&self, from: usize, to: usize) -> bool {
        self.position[from] >= self.position[to]
    }

    /// Whether control can get to a block.
    pub(super) fn is_reached(&self, block: usize) -> bool {
        self.position[block] != usize::MAX
    }

    /// The block that starts at a site.
    fn starting_at(&self, site: usize) -> Option<usize> {
        self.blocks.binary_search_by_key(&site, |block| block.sites.start).ok()
    }

    fn link(&mut self, flows: &[Flow], sites: &[Site<'_>]) {
        for index in 0..self.blocks.len() {
            let range = self.blocks[index].sites.clone();
            let last = range.end - 1;
            let guarded = sites[last].inst.guard.is_some();
            let (mut targets, falls_through, leaves) = match &flows[last] {
                Flow::Next => (Vec::new(), true, false),
                Flow::Branch(targets) => (targets.clone(), guarded, false),
                Flow::Exit => (Vec::new(), guarded, true),
            };
            if falls_through {
                targets.push(range.end);
            }
            let mut exits = leaves;
            for target in targets {
                match self.starting_at(target) {
                    Some(block) if !self.blocks[index].successors.contains(&block) => {
                        self.blocks[index].successors.push(block);
                        self.blocks[block].predecessors.push(index);
                    }
                    Some(_) => {}
                    // Past the last instruction the function returns.
                    None => exits = true,
                }
            }
            self.blocks[index].exits = exits;
        }
    }

    /// Depth first without recursion: bodies can be long.
    fn reverse_postorder(&self) -> Vec<usize> {
        let mut seen = vec![false; self.blocks.len()];
        let mut order = Vec::new();
        let mut stack = vec![(0usize, 0usize)];
        seen[0] = true;
        while let Some((block, next)) = stack.pop() {
            match self.blocks[block].successors.get(next) {
                Some(&successor) => {
                    stack.push((block, next + 1));
                    if !seen[successor] {
                        seen[successor] = true;
                        stack.push((successor, 0));
                    }
                }
                None => order.push(block),
            }
        }
        order.reverse();
        order
    }

    /// For each block, whether the end of the function can be reached from it.
    pub(super) fn reaches_exit(&self) -> Vec<bool> {
        let mut reaches: Vec<bool> = self.blocks.iter().map(|block| block.exits).collect();
        let mut work: Vec<usize> = (0..self.blocks.len()).filter(|block| reaches[*block]).collect();
        while let Some(block) = work.pop() {
            for &before in &self.blocks[block].predecessors {
                if !reaches[before] {
                    reaches[before] = true;
                    work.push(before);
                }
            }
        }
        reaches
    }
}

/// Cuts the sites into blocks.
fn split(flows: &[Flow], sites: &[Site<'_>]) -> Vec<BasicBlock> {
    let mut starts = vec![0];
    for (index, flow) in flows.iter().enumerate() {
        match flow {
            Flow::Next => {}
            Flow::Branch(targets) => {
                starts.extend(targets.iter().filter(|target| **target < sites.len()));
                starts.push(index + 1);
            }
            Flow::Exit => starts.push(index + 1),
        }
    }
    starts.retain(|start| *start < sites.len());
    starts.sort_unstable();
    starts.dedup();
    let ends = starts.iter().skip(1).copied().chain([sites.len()]);
    let ranges = starts.iter().copied().zip(ends);
    ranges.map(|(start, end)| BasicBlock { sites: start..end, ..BasicBlock::default() }).collect()
}

/// Where control can go after a site; None when that cannot be told.
fn flow(body: &mut Body<'_>, site: usize) -> Option<Flow> {
    let found = body.sites.get(site)?;
    match &*found.inst.opcode.text {
        "bra" => {
            let target = found.inst.operands.first()?;
            Some(Flow::Branch(vec![label(found, target)?]))
        }
        "brx" => indexed(body, site).map(Flow::Branch),
        "ret" | "exit" | "trap" => Some(Flow::Exit),
        _ => Some(Flow::Next),
    }
}

/// The targets of a `brx.idx`: a named list, or one in place.
fn indexed(body: &mut Body<'_>, site: usize) -> Option<Vec<usize>> {
    let found = body.sites.get(site)?;
    let list = found.inst.operands.get(1)?;
    match &list.kind {
        OperandKind::List(parts) | OperandKind::Vector(parts) => {
            parts.iter().map(|part| label(found, part)).collect()
        }
        OperandKind::Name(name) => {
            let Meaning::Targets(names) = found.meaning(name).clone() else { return None };
            let scope = found.scope;
            let meanings = names.iter().map(|name| body.lookup(scope, name));
            let targets = meanings.map(|meaning| match meaning {
                Meaning::Label(target) => Some(target),
                _ => None,
            });
            targets.collect()
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
