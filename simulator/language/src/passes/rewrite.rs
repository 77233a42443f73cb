//! Edits of a function's syntax tree.
//!
//! Decisions are collected as [`Edits`], keyed by the instruction they concern, and applied in one
//! walk. Instructions that go stay in the tree until [`strip`], so that later rounds and the
//! remarks still know their places. Readers of the tree in between leave them out. A store that
//! moves takes its `.loc` along: its line is where it was written, not where it ended up.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::ptx::{
    Block, Function, Guard, InstId, Instruction, Item, Loc, Module, Name, Operand, OperandKind,
    Parameter, Registers, Span, Statement, Type,
};

/// What to change in one function.
#[derive(Debug, Default)]
pub(super) struct Edits {
    /// Instructions that replace others.
    pub(super) replaced: HashMap<InstId, Instruction>,
    /// Instructions to add behind one.
    pub(super) behind: HashMap<InstId, Vec<Instruction>>,
    /// Stores that move to before one.
    pub(super) moved_before: HashMap<InstId, Vec<Instruction>>,
    /// Stores that move to behind one.
    pub(super) moved_behind: HashMap<InstId, Vec<Instruction>>,
    /// Fresh registers: names and bits.
    pub(super) registers: Vec<(Arc<str>, u8)>,
}

/// Makes instructions for the places of others.
pub(super) struct Maker<'m> {
    /// The module's next fresh id.
    pub(super) next: &'m mut u32,
}

impl Maker<'_> {
    /// A fresh identity.
    pub(super) fn id(&mut self) -> InstId {
        let id = InstId(*self.next);
        *self.next = self.next.saturating_add(1);
        id
    }

    /// `OPCODE.MODIFIERS into, from;` with a guard or none, at some place.
    pub(super) fn copy(
        &mut self,
        words: &[&str],
        into: Operand,
        from: Operand,
        guard: Option<Guard>,
        span: Span,
    ) -> Instruction {
        let mut names = words.iter().map(|word| Name { text: (*word).into(), span });
        let opcode = names.next().unwrap_or_else(|| Name { text: "mov".into(), span });
        let modifiers = names.collect();
        Instruction { id: self.id(), guard, opcode, modifiers, operands: vec![into, from], span }
    }
}

/// A register as an operand.
pub(super) fn register_operand(name: &Arc<str>, span: Span) -> Operand {
    Operand { kind: OperandKind::Name(name.clone()), span }
}

/// Applies edits to a function.
pub(super) fn apply(function: &mut Function, edits: &Edits) {
    let Some(body) = function.body.as_mut().map(Arc::make_mut) else { return };
    let mut applying = Applying { edits, lines: lines_of(body), current: None };
    body.replace_each(&mut |statement, new| applying.statement(statement, new));
    declare(body, &edits.registers);
}

/// The `.loc` that applies to each instruction.
fn lines_of(body: &Block) -> HashMap<InstId, Loc> {
    let mut current = None;
    let mut lines = HashMap::new();
    for statement in body.walk() {
        match statement {
            Statement::Loc(loc) => current = Some(loc.clone()),
            Statement::Instruction(inst) => {
                lines.extend(current.clone().map(|loc| (inst.id, loc)));
            }
            Statement::Registers(_)
            | Statement::Variable(_)
            | Statement::Label(_)
            | Statement::Block(_)
            | Statement::Pragma(_)
            | Statement::BranchTargets(..)
            | Statement::CallTargets(..)
            | Statement::CallPrototype(_) => {}
        }
    }
    lines
}

struct Applying<'e> {
    edits: &'e Edits,
    lines: HashMap<InstId, Loc>,
    current: Option<Loc>,
}

impl Applying<'_> {
    fn statement(&mut self, statement: Statement, new: &mut Vec<Statement>) {
        match statement {
            Statement::Instruction(inst) => self.instruction(inst, new),
            Statement::Loc(loc) => {
                self.current = Some(loc.clone());
                new.push(Statement::Loc(loc));
            }
            Statement::Registers(_)
            | Statement::Variable(_)
            | Statement::Label(_)
            | Statement::Block(_)
            | Statement::Pragma(_)
            | Statement::BranchTargets(..)
            | Statement::CallTargets(..)
            | Statement::CallPrototype(_) => new.push(statement),
        }
    }

    fn instruction(&mut self, inst: Instruction, new: &mut Vec<Statement>) {
        let id = inst.id;
        let edits = self.edits;
        self.moved(edits.moved_before.get(&id), new);
        let kept = edits.replaced.get(&id).cloned().unwrap_or(inst);
        new.push(Statement::Instruction(kept));
        let behind = edits.behind.get(&id).into_iter().flatten().cloned();
        new.extend(behind.map(Statement::Instruction));
        self.moved(edits.moved_behind.get(&id), new);
    }

    fn moved(&self, stores: Option<&Vec<Instruction>>, new: &mut Vec<Statement>) {
        for store in stores.into_iter().flatten() {
            let from = self.lines.get(&store.id);
            let elsewhere = from.is_some() && from != self.current.as_ref();
            if elsewhere {
                new.extend(from.cloned().map(Statement::Loc));
            }
            new.push(Statement::Instruction(store.clone()));
            if elsewhere {
                new.extend(self.current.clone().map(Statement::Loc));
            }
        }
    }
}

/// Declares fresh registers at the head of a body, one statement for each width.
fn declare(body: &mut Block, registers: &[(Arc<str>, u8)]) {
    let span = Span::new(body.span.start, body.span.start);
    for (width, ty) in [(64, Type::B64), (32, Type::B32), (16, Type::B16)] {
        let of_width = registers.iter().filter(|(_, bits)| *bits == width);
        let names: Vec<(Name, Option<u32>)> =
            of_width.map(|(text, _)| (Name { text: text.clone(), span }, None)).collect();
        if !names.is_empty() {
            let declared = Registers { ty, vector: 1, names, span };
            body.statements.insert(0, Statement::Registers(declared));
        }
    }
}

/// Takes the deleted instructions out of a module.
pub(super) fn strip(module: &mut Module, deleted: &HashSet<InstId>) {
    for item in &mut module.items {
        if let Item::Function(Function { body: Some(body), .. }) = item {
            Arc::make_mut(body).retain_instructions(|inst| !deleted.contains(&inst.id));
        }
    }
}

/// A stem for fresh registers, `%kept` and perhaps some underscores, that begins no declared name
/// of the function.
pub(super) fn fresh_stem(function: &Function) -> String {
    let mut names: Vec<Arc<str>> = Vec::new();
    let parameters = function.params.iter().chain(&function.returns);
    names.extend(parameters.map(|parameter: &Parameter| parameter.name.text.clone()));
    if let Some(body) = &function.body {
        declared_names(body, &mut names);
    }
    let mut stem = String::from("%kept");
    while names.iter().any(|name| name.starts_with(&stem)) {
        stem.push('_');
    }
    stem
}

fn declared_names(body: &Block, names: &mut Vec<Arc<str>>) {
    for statement in body.walk() {
        match statement {
            Statement::Registers(declared) => {
                names.extend(declared.names.iter().map(|(name, _)| name.text.clone()));
            }
            Statement::Variable(variable) => names.push(variable.name.text.clone()),
            Statement::Instruction(_)
            | Statement::Block(_)
            | Statement::Loc(_)
            | Statement::Label(_)
            | Statement::Pragma(_)
            | Statement::BranchTargets(..)
            | Statement::CallTargets(..)
            | Statement::CallPrototype(_) => {}
        }
    }
}

/// The instructions of a function in the order of the text.
pub(super) fn order(function: &Function) -> Vec<InstId> {
    function.instructions().map(|inst| inst.id).collect()
}
