//! A module with synchronisation added beside some of its instructions: the program as it is when a
//! user follows the advice to put a barrier there.
//!
//! The barriers come from `__syncthreads()`, `__syncwarp()` and `__threadfence()` (PTX ISA 9.7.13.1
//! `bar`, 9.7.13.2 `bar.warp.sync`, 9.7.13.4 `membar`). All other instructions keep their
//! identities, so facts about them can be compared.

use std::collections::HashMap;
use std::sync::Arc;

use crate::ptx::{InstId, Instruction, Item, Module, Name, Operand, OperandKind, Span, Statement};

/// What orders threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Synchronisation {
    /// All lanes of a warp wait for each other.
    Warp,
    /// All threads of a block wait for each other.
    Block,
    /// The earlier actions of a thread come before its later actions, for all threads of the
    /// device.
    Fence,
}

impl Synchronisation {
    /// What CUDA C++ calls it.
    pub const fn call(self) -> &'static str {
        match self {
            Synchronisation::Warp => "__syncwarp()",
            Synchronisation::Block => "__syncthreads()",
            Synchronisation::Fence => "__threadfence()",
        }
    }

    /// What PTX calls it.
    pub const fn instruction(self) -> &'static str {
        match self {
            Synchronisation::Warp => "bar.warp.sync 0xffffffff;",
            Synchronisation::Block => "bar.sync 0;",
            Synchronisation::Fence => "membar.gl;",
        }
    }

    /// The opcode, the modifiers and the operand of the instruction.
    const fn parts(self) -> (&'static str, &'static [&'static str], Option<i128>) {
        match self {
            Synchronisation::Warp => ("bar", &["warp", "sync"], Some(0xffff_ffff)),
            Synchronisation::Block => ("bar", &["sync"], Some(0)),
            Synchronisation::Fence => ("membar", &["gl"], None),
        }
    }
}

/// On which side of something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Side {
    /// Before it. Every way to it passes here.
    Before,
    /// Behind it.
    Behind,
}

impl Side {
    /// The word for it.
    pub const fn word(self) -> &'static str {
        match self {
            Side::Before => "before",
            Side::Behind => "behind",
        }
    }
}

/// The module with synchronisation added at these places. Places of instructions that it does not
/// have are skipped.
///
/// ```
/// use warpsim::passes::{Side, Synchronisation, synchronised};
/// use warpsim::ptx::{InstId, parse, print};
///
/// let text = ".version 7.0 .target sm_70 .address_size 64 .entry k() { .shared .u32 s; .reg .u32 %r;
///     st.shared.u32 [s], 1; L: ld.shared.u32 %r, [s]; ret; }";
/// let places = [(InstId(1), Side::Before)];
/// let module = synchronised(&parse("k.ptx", text)?, Synchronisation::Block, &places);
/// let printed = print(&module);
/// let at = |what: &str| printed.find(what).unwrap();
/// assert!(at("L:") < at("bar.sync") && at("bar.sync") < at("ld.shared"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn synchronised(module: &Module, what: Synchronisation, places: &[(InstId, Side)]) -> Module {
    let mut module = module.clone();
    let mut wanted: HashMap<InstId, Vec<Side>> = HashMap::new();
    for (instruction, side) in places {
        wanted.entry(*instruction).or_default().push(*side);
    }
    let mut next = module.next_inst;
    for item in &mut module.items {
        if let Item::Function(function) = item
            && let Some(body) = &mut function.body
        {
            Arc::make_mut(body).replace_each(&mut |statement, into| {
                add(statement, what, &wanted, &mut next, into);
            });
        }
    }
    module.next_inst = next;
    module
}

/// Adds a statement at its place again, with synchronisation beside it where it is wanted.
fn add(
    statement: Statement,
    what: Synchronisation,
    wanted: &HashMap<InstId, Vec<Side>>,
    next: &mut u32,
    into: &mut Vec<Statement>,
) {
    let Some(instruction) = statement.instruction() else {
        into.push(statement);
        return;
    };
    let sides = wanted.get(&instruction.id).map_or(&[][..], Vec::as_slice);
    let span = instruction.span;
    let mut made = || Statement::Instruction(instruction_of(what, span, next));
    if sides.contains(&Side::Before) {
        into.push(made());
    }
    let behind = sides.contains(&Side::Behind).then(made);
    into.push(statement);
    into.extend(behind);
}

/// The instruction, at the place of another one.
fn instruction_of(what: Synchronisation, span: Span, next: &mut u32) -> Instruction {
    let id = InstId(*next);
    *next = next.saturating_add(1);
    let (opcode, modifiers, operand) = what.parts();
    let name = |text: &str| Name { text: text.into(), span };
    let operands = operand.map(|value| Operand { kind: OperandKind::Integer(value), span });
    Instruction {
        id,
        guard: None,
        opcode: name(opcode),
        modifiers: modifiers.iter().copied().map(name).collect(),
        operands: operands.into_iter().collect(),
        span,
    }
}
