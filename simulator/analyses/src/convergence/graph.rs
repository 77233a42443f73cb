//! The control flow of a lowered program: its basic blocks, and where nothing is left to do.

use std::collections::{BTreeMap, BTreeSet};

use crate::graph::predecessors;
use crate::lower::{AccessKind, Callee, Effect, Leave, Operation, Order, Pc, Program, Transfer};

/// Blocks are numbered through all functions, in the order of the program counters.
#[derive(Debug)]
pub(crate) struct Graph<'p> {
    pub(crate) program: &'p Program,
    /// The first operation of each block.
    starts: Vec<Pc>,
    /// The blocks of the same function that each may go on to.
    pub(crate) successors: Vec<Vec<usize>>,
    pub(crate) predecessors: Vec<Vec<usize>>,
    /// The calls, with the functions that each may go to.
    calls: BTreeMap<Pc, Vec<usize>>,
    /// The functions that each function calls.
    callees: Vec<BTreeSet<usize>>,
    /// Threads that begin the block have nothing left to do but register operations and `ret` or
    /// `exit`.
    idle: Vec<bool>,
    /// The same for threads that return from a function.
    idle_after: Vec<bool>,
}

impl<'p> Graph<'p> {
    pub(crate) fn new(program: &'p Program) -> Graph<'p> {
        let entries: BTreeSet<Pc> = program.functions.iter().map(|f| f.entry).collect();
        let numbered = || program.operations.iter().zip(0..);
        let begins = |(o, pc): &(&Operation, Pc)| o.leader || entries.contains(pc);
        let calls =
            numbered().filter_map(|(operation, pc)| match operation.kind.effect().transfer() {
                Some(Transfer::Call(call)) => Some((pc, callees(program, call.callee))),
                Some(Transfer::Return) | None => None,
            });
        let starts: Vec<Pc> = numbered().filter(begins).map(|(_, pc)| pc).collect();
        let mut graph = Graph {
            program,
            successors: Vec::new(),
            predecessors: Vec::new(),
            calls: calls.collect(),
            callees: vec![BTreeSet::new(); program.functions.len()],
            idle: vec![false; starts.len()],
            idle_after: vec![false; program.functions.len()],
            starts,
        };
        for (pc, functions) in &graph.calls {
            let caller = graph.function_of(*pc);
            graph.callees[caller].extend(functions);
        }
        for block in 0..graph.starts.len() {
            graph.successors.push(graph.next_blocks(block));
        }
        graph.predecessors = predecessors(&graph.successors);
        graph.find_idle();
        graph
    }

    /// Whether control may go from one operation to another within a function, without an operation
    /// for which threads stop. Not looked for through calls.
    pub(crate) fn leads_to(&self, from: Pc, to: Pc, stops: impl Fn(&Operation) -> bool) -> bool {
        let next = |pc: usize| -> Vec<usize> {
            let pc = pc as Pc;
            match stops(self.operation(pc)) {
                true => Vec::new(),
                false => self.targets(pc).into_iter().map(|pc| pc as usize).collect(),
            }
        };
        flood(next(from as usize), next).contains(&(to as usize))
    }

    /// The block that an operation is in.
    pub(crate) fn block_of(&self, pc: Pc) -> usize {
        self.starts.partition_point(|start| *start <= pc).saturating_sub(1)
    }

    /// The program counters of a block.
    pub(crate) fn pcs(&self, block: usize) -> std::ops::Range<Pc> {
        let end = self.program.operations.len() as Pc;
        self.starts[block]..self.starts.get(block + 1).copied().unwrap_or(end)
    }

    /// The function that an operation is in.
    pub(crate) fn function_of(&self, pc: Pc) -> usize {
        let functions = &self.program.functions;
        functions.partition_point(|f| f.entry <= pc).saturating_sub(1)
    }

    /// Whether the block may end with a `ret`.
    pub(super) fn returns(&self, block: usize) -> bool {
        let last = self.pcs(block).last().map(|last| self.operation(last).after());
        last.is_some_and(|after| after.leaves == Some(Leave::Return))
    }

    /// The functions that some calls may lead to, directly or not.
    pub(crate) fn called_from(&self, calls: impl IntoIterator<Item = Pc>) -> BTreeSet<usize> {
        let called = calls.into_iter().filter_map(|pc| self.calls.get(&pc));
        flood(called.flatten().copied(), |function| {
            self.callees.get(function).map_or_else(Vec::new, |f| f.iter().copied().collect())
        })
    }

    /// The calls in a function.
    pub(super) fn calls_of_function(&self, function: usize) -> impl Iterator<Item = Pc> + '_ {
        let range = self.program.functions.get(function).map_or(0..0, |f| f.entry..f.end);
        self.calls.range(range).map(|(pc, _)| *pc)
    }

    /// The calls of the kernel itself that may lead to a function, directly or not.
    pub(crate) fn calls_from_kernel(&self, function: usize) -> Vec<Pc> {
        let kernel = self.program.functions.first().map_or(0..0, |kernel| kernel.entry..kernel.end);
        let calls = self.calls.range(kernel).map(|(pc, _)| *pc);
        calls.filter(|call| self.called_from([*call]).contains(&function)).collect()
    }

    /// The calls in a block.
    pub(super) fn calls_of(&self, block: usize) -> impl Iterator<Item = Pc> + '_ {
        self.calls.range(self.pcs(block)).map(|(pc, _)| *pc)
    }

    /// Where control may go within the function at a branch, or from any other operation.
    pub(crate) fn targets(&self, pc: Pc) -> Vec<Pc> {
        let after = self.operation(pc).after();
        let end = self.program.functions.get(self.function_of(pc)).map_or(0, |f| f.end);
        let mut targets: Vec<Pc> = after.targets.to_vec();
        targets.extend((after.next && pc + 1 < end).then_some(pc + 1));
        targets.sort_unstable();
        targets.dedup();
        targets
    }

    /// Whether a thread that returns from a function has nothing left to do.
    pub(super) fn is_idle_after(&self, function: usize) -> bool {
        self.idle_after.get(function).copied().unwrap_or(false)
    }

    /// Whether a thread at `pc` has nothing left to do.
    pub(super) fn is_idle(&self, pc: Pc) -> bool {
        let block = self.block_of(pc);
        (!self.returns(block) || self.is_idle_after(self.function_of(pc)))
            && self.successors[block].iter().all(|b| self.idle[*b])
            && (pc..self.pcs(block).end).all(|pc| is_quiet(self.operation(pc)))
    }

    /// Whether a thread that begins a block has nothing left to do.
    pub(super) fn is_idle_block(&self, block: usize) -> bool {
        self.idle[block]
    }

    /// Whether no other thread can notice an operation.
    pub(super) fn is_quiet_at(&self, pc: Pc) -> bool {
        is_quiet(self.operation(pc))
    }

    /// An operation.
    pub(crate) fn operation(&self, pc: Pc) -> &'p Operation {
        &self.program.operations[pc as usize]
    }

    fn next_blocks(&self, block: usize) -> Vec<usize> {
        let last = self.pcs(block).last();
        let targets = last.map_or_else(Vec::new, |last| self.targets(last));
        let mut next: Vec<usize> = targets.into_iter().map(|pc| self.block_of(pc)).collect();
        next.dedup();
        next
    }

    /// The least fixed point: an endless loop is not idle. A block is looked at again only when one
    /// that may follow it has become idle.
    fn find_idle(&mut self) {
        // Where threads go on that return from a function, and how many of these are known as idle.
        let mut after: Vec<(Vec<Pc>, usize)> = vec![Default::default(); self.idle_after.len()];
        for (pc, functions) in &self.calls {
            functions.iter().for_each(|function| after[*function].0.push(pc + 1));
        }
        for (function, (places, _)) in after.iter().enumerate() {
            self.idle_after[function] = function == 0 || places.is_empty();
        }
        let mut work: Vec<usize> = (0..self.starts.len()).collect();
        while let Some(block) = work.pop() {
            if !self.idle[block] && self.is_idle(self.starts[block]) {
                self.idle[block] = true;
                work.extend(&self.predecessors[block]);
            }
            let called: BTreeSet<usize> =
                self.calls.range(self.pcs(block)).flat_map(|(_, f)| f).copied().collect();
            for function in called {
                let (places, idle) = &mut after[function];
                *idle += places[*idle..].iter().take_while(|pc| self.is_idle(**pc)).count();
                if *idle == places.len() && !self.idle_after[function] {
                    self.idle_after[function] = true;
                    work.extend(self.blocks_of(function).filter(|block| self.returns(*block)));
                }
            }
        }
    }

    /// The blocks of a function.
    fn blocks_of(&self, function: usize) -> std::ops::Range<usize> {
        let function = &self.program.functions[function];
        self.block_of(function.entry)..self.starts.partition_point(|start| *start < function.end)
    }
}

/// Everything that can be reached from some nodes.
pub(super) fn flood<N: IntoIterator<Item = usize>>(
    from: impl IntoIterator<Item = usize>,
    next: impl Fn(usize) -> N,
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

/// The functions that a call may go to.
fn callees(program: &Program, callee: Callee) -> Vec<usize> {
    match callee {
        Callee::Direct(function) => vec![function],
        Callee::Indirect(_) => program.function_addresses.iter().map(|(_, f)| *f).collect(),
    }
}

/// Whether no other thread can notice an operation.
fn is_quiet(operation: &Operation) -> bool {
    match operation.kind.effect() {
        Effect::Memory(AccessKind::Read, target) => target.semantics.order == Order::Weak,
        Effect::Memory(AccessKind::Write, target) => !target.is_shared(),
        Effect::Memory(AccessKind::Atomic, _)
        | Effect::Call(_)
        | Effect::Runtime(_)
        | Effect::Leave(Leave::Trap)
        | Effect::Barrier(_)
        | Effect::Warp(_)
        | Effect::Fence(_)
        | Effect::Asynchronous(_)
        | Effect::Mbarrier(_)
        | Effect::ProxyFence
        | Effect::Cluster(_) => false,
        Effect::Registers | Effect::Jump { .. } | Effect::Leave(Leave::Return | Leave::Exit) => {
            true
        }
    }
}
