//! The lowest `.version` and `.target` that a module needs (PTX ISA 11.1).
//!
//! Compilers write the version of their release and the architecture that they were asked for,
//! whatever is in the text. A driver refuses a text above its own. [`needs`] says what the text
//! asks for, by the instruction table and the tables of everything else. [`lowest`] gives the
//! module with no more than that.
//!
//! Below sm_70 a program has another meaning: the lanes of a warp move together. A driver keeps
//! this meaning when it runs a text for an older architecture on a newer GPU. Below PTX 6.0 there
//! is no memory consistency model. So a module is not lowered beyond these, nor raised to them. A
//! module for one architecture alone (`sm_90a`, `sm_100f`) may have instructions that only this one
//! has, so it is left as it is. So is a module with an instruction that warpsim does not run, since
//! the table does not know its needs.

use std::sync::Arc;

use super::declared;
use super::lookup::lookup_with;
use super::need::{Level, first_version};
use super::operand_needs::{self, Predicates};
use super::row::Action;
use crate::ptx::{
    Block, Directive, Function, InitValue, Initializer, Instruction, Item, Module, Operand,
    OperandKind, Parameter, Pragma, Span, Statement, Type, Variable,
};

/// The oldest architecture whose lanes have a program counter each.
const INDEPENDENT_LANES: u32 = 70;

/// What in a module asks for something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// Its name: `elect.sync`, `%clusterid`, `.noreturn`.
    pub name: String,
    /// Its place. If several parts ask for the same, it is the place of the first.
    pub span: Span,
    /// What it asks for.
    pub level: Level,
}

/// What a module needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needs {
    /// The version and the target; the version knows the target.
    pub level: Level,
    /// The part that asks for the version; none if everything is in [`Level::FLOOR`].
    pub version: Option<Cause>,
    /// What asks for the target.
    pub target: Option<Cause>,
    /// The first instruction with unknown needs.
    pub unknown: Option<(String, Span)>,
}

/// What a module needs.
///
/// ```
/// let text = ".version 9.0 .target sm_120 .entry k() { .reg .b32 %r<4>;
///     redux.sync.add.u32 %r1, %r2, %r3; ret; }";
/// let needs = warpsim::isa::needs(&warpsim::ptx::parse("k.ptx", text)?);
/// assert_eq!(needs.level.to_string(), "PTX 7.0 for sm_80");
/// assert_eq!(needs.version.unwrap().name, "redux.sync.add.u32");
/// # Ok::<(), warpsim::ptx::SyntaxError>(())
/// ```
pub fn needs(module: &Module) -> Needs {
    Needs::above(module, Level::FLOOR)
}

/// The version and the architecture that a module names, features of one architecture alone
/// (`sm_90a`) aside; none when there is no target.
pub(super) fn level_of(module: &Module) -> Option<Level> {
    let name = module.target.first()?.text.strip_prefix("sm_")?;
    let target = name.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?;
    Some(Level { version: module.version, target })
}

/// The module with the lowest version and target that it needs, never above its own.
///
/// ```
/// let text = ".version 9.0 .target sm_120 .entry k() { .reg .b32 %r<4>;
///     redux.sync.add.u32 %r1, %r2, %r3; ret; }";
/// let lowest = warpsim::isa::lowest(&warpsim::ptx::parse("k.ptx", text)?);
/// let printed = warpsim::ptx::print(&lowest);
/// assert!(printed.starts_with(".version 7.0\n.target sm_80\n"));
/// # Ok::<(), warpsim::ptx::SyntaxError>(())
/// ```
pub fn lowest(module: &Module) -> Module {
    let mut lowest = module.clone();
    let needs = needs(module);
    let Some(own) = architecture(module) else { return lowest };
    if needs.unknown.is_some() || first_version(own).is_none() {
        return lowest;
    }
    let target = needs.level.target.max(INDEPENDENT_LANES).min(own);
    let needed = Level { version: needs.level.version, target }.with_version_of_target();
    lowest.version = module.version.min(needed.version);
    if target < own
        && let Some(name) = lowest.target.first_mut()
    {
        name.text = Arc::from(format!("sm_{target}"));
    }
    lowest
}

/// 90 of `.target sm_90, debug`; nothing of `sm_90a`, or when there is no target.
fn architecture(module: &Module) -> Option<u32> {
    module.target.first()?.text.strip_prefix("sm_")?.parse().ok()
}

impl Needs {
    /// What a module needs that is above a level.
    pub(super) fn above(module: &Module, level: Level) -> Needs {
        let mut found = Needs { level, version: None, target: None, unknown: None };
        module.items.iter().for_each(|item| found.item(item));
        found
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Variable(variable) => self.variable(variable),
            Item::Function(function) => self.function(function),
            Item::Pragma(pragma) => self.pragma(pragma),
            Item::Alias(alias, _) => self.ask(declared::ALIAS, ".alias", alias.span),
            Item::File(_) | Item::Section(_) => {}
        }
    }

    fn ask(&mut self, level: Level, name: &str, span: Span) {
        let level = level.with_version_of_target();
        let cause = || Some(Cause { name: name.to_owned(), span, level });
        if level.version > self.level.version {
            self.version = cause();
        }
        if level.target > self.level.target {
            self.target = cause();
        }
        self.level = self.level.and(level);
    }

    fn ask_if(&mut self, level: Option<Level>, name: &str, span: Span) {
        if let Some(level) = level {
            self.ask(level, name, span);
        }
    }

    fn variable(&mut self, variable: &Variable) {
        self.declaration(variable.ty, variable.span);
        for attribute in &variable.attributes {
            self.ask_if(declared::attribute(&attribute.text), &attribute.text, attribute.span);
        }
        if let Some(init) = &variable.init {
            self.initializer(init);
        }
    }

    fn declaration(&mut self, ty: Type, span: Span) {
        self.ask_if(declared::declaration(ty), &format!(".{}", ty.keyword()), span);
    }

    fn initializer(&mut self, init: &Initializer) {
        match init {
            Initializer::Value(InitValue::Address { mask: Some(_), .. }, span) => {
                self.ask(declared::MASK, "mask()", *span);
            }
            Initializer::Value(..) => {}
            Initializer::List(all, _) => all.iter().for_each(|init| self.initializer(init)),
        }
    }

    fn function(&mut self, function: &Function) {
        self.directives(&function.directives);
        self.parameters(&function.params);
        self.parameters(&function.returns);
        if function.is_entry && bytes(&function.params) > declared::PARAMETERS {
            let name = format!("more than {} bytes of parameters", declared::PARAMETERS);
            self.ask(declared::LARGE_PARAMETERS, &name, function.name.span);
        }
        if let Some(body) = &function.body {
            self.block(body, &mut Predicates::default());
        }
    }

    fn directives(&mut self, directives: &[Directive]) {
        for directive in directives {
            let span = directive.name.span;
            let name = &directive.name.text;
            self.ask_if(declared::directive(name), &format!(".{name}"), span);
            for string in &directive.strings {
                let level = declared::attribute(string).or_else(|| declared::pragma(string));
                self.ask_if(level, string, span);
            }
        }
    }

    fn parameters(&mut self, parameters: &[Parameter]) {
        parameters.iter().for_each(|parameter| self.declaration(parameter.ty, parameter.span));
    }

    fn pragma(&mut self, pragma: &Pragma) {
        for string in &pragma.strings {
            self.ask_if(declared::pragma(string), string, pragma.span);
        }
    }

    fn block<'m>(&mut self, block: &'m Block, predicates: &mut Predicates<'m>) {
        block.walk().for_each(|statement| self.statement(statement, predicates));
    }

    fn statement<'m>(&mut self, statement: &'m Statement, predicates: &mut Predicates<'m>) {
        match statement {
            Statement::Registers(registers) => {
                predicates.declare(registers);
                self.declaration(registers.ty, registers.span);
            }
            Statement::Variable(variable) => self.variable(variable),
            Statement::Instruction(instruction) => self.instruction(instruction, predicates),
            Statement::Loc(loc) if loc.function_name.is_some() || loc.inlined_at.is_some() => {
                self.ask(declared::INLINED, ".loc of an inlined function", loc.span);
            }
            Statement::Pragma(pragma) => self.pragma(pragma),
            Statement::CallPrototype(prototype) => {
                self.directives(&prototype.directives);
                self.parameters(&prototype.params);
                self.parameters(&prototype.returns);
            }
            Statement::Loc(_)
            | Statement::Block(_)
            | Statement::Label(_)
            | Statement::BranchTargets(..)
            | Statement::CallTargets(..) => {}
        }
    }

    fn instruction(&mut self, instruction: &Instruction, predicates: &Predicates<'_>) {
        let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| &*m.text).collect();
        let name = || {
            let names = std::iter::once(&*instruction.opcode.text).chain(modifiers.iter().copied());
            names.collect::<Vec<_>>().join(".")
        };
        match lookup_with(&instruction.opcode.text, &modifiers, instruction.operands.len()) {
            Ok(found) if !matches!(found.form.action, Action::Unsupported(_)) => {
                let level = found.opcode.level(&modifiers);
                if self.level != self.level.and(level) {
                    self.ask(level, &name(), instruction.span);
                }
            }
            _ if self.unknown.is_none() => self.unknown = Some((name(), instruction.span)),
            _ => {}
        }
        if let Some((level, name)) = operand_needs::of(instruction, predicates) {
            self.ask(level, name, instruction.span);
        }
        instruction.operands.iter().for_each(|operand| self.operand(operand));
    }

    fn operand(&mut self, operand: &Operand) {
        match &operand.kind {
            OperandKind::Name(name) | OperandKind::Member(name, _) => {
                self.ask_if(declared::special_register(name), name, operand.span);
            }
            OperandKind::Vector(all) | OperandKind::List(all) | OperandKind::Tuple(all) => {
                all.iter().for_each(|operand| self.operand(operand));
            }
            OperandKind::Pair(first, second) => {
                self.operand(first);
                self.operand(second);
            }
            OperandKind::Not(operand) | OperandKind::Negate(operand) => self.operand(operand),
            OperandKind::Integer(_)
            | OperandKind::F32(_)
            | OperandKind::F64(_)
            | OperandKind::Offset(..)
            | OperandKind::Address(..)
            | OperandKind::Subscript(..)
            | OperandKind::Sink => {}
        }
    }
}

/// The bytes of a kernel's parameters, laid out one after the other.
fn bytes(parameters: &[Parameter]) -> u64 {
    parameters.iter().fold(0, |end: u64, parameter| {
        // A predicate has none, and is refused as a parameter.
        let element = u64::from(parameter.ty.bytes().unwrap_or(0));
        let count = parameter.array.flatten().unwrap_or(1);
        let align = parameter.align.map_or(element, u64::from).max(1);
        // A module may say any size: one that is too large stays that.
        let start = end.checked_next_multiple_of(align).unwrap_or(u64::MAX);
        start.saturating_add(element.saturating_mul(count))
    })
}
