//! The names of a function body: nested scopes that shadow each other (PTX ISA 4.4, 5.4.6).
//!
//! Registers and variables are known from their declaration on; labels and what is declared with a
//! label (`.branchtargets`, `.callprototype`) in the whole of their scope. Registers get slots only
//! when they are used.

use std::collections::HashMap;
use std::sync::Arc;

use super::error::{LowerError, LowerErrorKind};
use super::program::RegisterName;
use crate::lanes::{Slot, SlotCounts};
use crate::ptx::{Block, CallPrototype, Name, Space, Span, Statement, Type};

/// What a name of a body stands for.
#[derive(Clone, Debug)]
pub(super) enum Entity {
    /// A register: an index into the function's registers.
    Register(usize),
    /// A vector register: its elements.
    Vector(Vec<usize>),
    /// A variable.
    Variable(Variable),
}

/// A variable in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    /// The state space.
    pub(super) space: Space,
    /// Where in it.
    pub(super) location: Location,
    /// Its size in bytes.
    pub(super) size: u64,
    /// Bytes from one element to the next, where a subscript has a meaning.
    pub(super) element: Option<u32>,
}

/// Where a variable lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// At an address.
    Absolute(u64),
    /// At an offset in the local memory of the activation.
    Frame(u32),
    /// At an offset in the `.param` bytes of the activation.
    FrameParam(u32),
}

/// What a label names.
#[derive(Clone, Copy, Debug)]
pub(super) enum Label<'m> {
    /// A place in the body, by number.
    Place(usize),
    /// `.branchtargets`.
    Targets(&'m [Name]),
    /// `.calltargets`: any function of the program.
    CallTargets,
    /// `.callprototype`.
    Prototype(&'m CallPrototype),
}

#[derive(Debug)]
enum Declared {
    /// A register that has not been used yet.
    Unused(Type),
    /// A vector register, with the number of its elements.
    Vector(u32),
    Known(Entity),
}

#[derive(Debug)]
struct Range {
    prefix: Arc<str>,
    count: u32,
    ty: Type,
}

#[derive(Default)]
struct Scope<'m> {
    names: HashMap<Arc<str>, Declared>,
    ranges: Vec<Range>,
    labels: HashMap<Arc<str>, Label<'m>>,
}

/// The registers of a function.
#[derive(Debug, Default)]
pub(super) struct RegisterFile {
    pub(super) names: Vec<RegisterName>,
    pub(super) slots: SlotCounts,
}

impl RegisterFile {
    /// A new slot for a value of a type.
    pub(super) fn slot(&mut self, ty: Type) -> Slot {
        let bank = match ty.bytes() {
            None => &mut self.slots.predicates,
            Some(8..) => &mut self.slots.w64,
            Some(_) => &mut self.slots.w32,
        };
        *bank += 1;
        Slot::register(*bank - 1)
    }

    fn register(&mut self, name: &Arc<str>, ty: Type) -> usize {
        let slot = self.slot(ty);
        self.names.push(RegisterName { name: Arc::clone(name), ty, slot });
        self.names.len() - 1
    }
}

/// The open scopes of a body, and its registers and labels.
#[derive(Default)]
pub(super) struct Scopes<'m> {
    open: Vec<Scope<'m>>,
    pub(super) registers: RegisterFile,
    /// How many labels there are.
    pub(super) places: usize,
}

impl<'m> Scopes<'m> {
    /// Opens a scope without labels, for parameters.
    pub(super) fn open(&mut self) {
        self.open.push(Scope::default());
    }

    /// Opens the scope of a block; its labels are known from here on.
    pub(super) fn open_block(&mut self, block: &'m Block) -> Result<(), LowerError> {
        self.open();
        for statement in &block.statements {
            let (name, label) = match statement {
                Statement::Label(name) => (name, Label::Place(self.places)),
                Statement::BranchTargets(name, targets) => (name, Label::Targets(targets)),
                Statement::CallTargets(name, _) => (name, Label::CallTargets),
                Statement::CallPrototype(p) => (&p.name, Label::Prototype(p)),
                _ => continue,
            };
            self.places += usize::from(matches!(label, Label::Place(_)));
            let scope = self.innermost();
            if scope.labels.insert(Arc::clone(&name.text), label).is_some() {
                return Err(twice(&name.text, name.span));
            }
        }
        Ok(())
    }

    /// Closes the innermost scope.
    pub(super) fn close(&mut self) {
        self.open.pop();
    }

    fn innermost(&mut self) -> &mut Scope<'m> {
        if self.open.is_empty() {
            self.open();
        }
        let last = self.open.len() - 1;
        &mut self.open[last]
    }

    /// Declares a register, `count` of them, or a vector register.
    pub(super) fn declare_register(
        &mut self,
        name: &Name,
        ty: Type,
        count: Option<u32>,
        vector: u32,
    ) -> Result<(), LowerError> {
        if matches!(ty, Type::B128 | Type::Texref | Type::Samplerref | Type::Surfref) {
            let what = format!(".reg .{}", ty.keyword());
            let reason = "there are no registers of this type".into();
            return Err(LowerError::at(LowerErrorKind::Unsupported { what, reason }, name.span));
        }
        let scope = self.innermost();
        if let Some(count) = count {
            if scope.ranges.iter().any(|r| r.prefix == name.text) {
                return Err(twice(&name.text, name.span));
            }
            scope.ranges.push(Range { prefix: Arc::clone(&name.text), count, ty });
            return Ok(());
        }
        if vector > 1 {
            for member in ["x", "y", "z", "w"].iter().take(vector as usize) {
                let element = format!("{}.{member}", name.text).into();
                self.declare(element, Declared::Unused(ty), name.span)?;
            }
            return self.declare(Arc::clone(&name.text), Declared::Vector(vector), name.span);
        }
        self.declare(Arc::clone(&name.text), Declared::Unused(ty), name.span)
    }

    /// Declares a variable.
    pub(super) fn declare_variable(
        &mut self,
        name: &Arc<str>,
        variable: Variable,
        span: Span,
    ) -> Result<(), LowerError> {
        self.declare(Arc::clone(name), Declared::Known(Entity::Variable(variable)), span)
    }

    fn declare(&mut self, name: Arc<str>, what: Declared, span: Span) -> Result<(), LowerError> {
        let scope = self.innermost();
        if scope.in_range(&name).is_some() || scope.names.contains_key(&name) {
            return Err(twice(&name, span));
        }
        scope.names.insert(name, what);
        Ok(())
    }

    /// What a name stands for, if the body declares it.
    pub(super) fn lookup(&mut self, name: &Arc<str>) -> Option<Entity> {
        let Scopes { open, registers, .. } = self;
        let scope = open.iter_mut().rev().find(|s| s.declares(name))?;
        let ty = match scope.names.get(name) {
            Some(Declared::Known(entity)) => return Some(entity.clone()),
            Some(Declared::Vector(n)) => {
                let n = *n;
                return self.elements(name, n);
            }
            Some(Declared::Unused(ty)) => *ty,
            None => scope.in_range(name)?,
        };
        let entity = Entity::Register(registers.register(name, ty));
        scope.names.insert(Arc::clone(name), Declared::Known(entity.clone()));
        Some(entity)
    }

    fn elements(&mut self, name: &Arc<str>, n: u32) -> Option<Entity> {
        let members = ["x", "y", "z", "w"].into_iter().take(n as usize);
        let elements = members.map(|m| match self.lookup(&format!("{name}.{m}").into()) {
            Some(Entity::Register(index)) => Some(index),
            _ => None,
        });
        elements.collect::<Option<_>>().map(Entity::Vector)
    }

    /// What a label names.
    pub(super) fn label(&self, name: &str) -> Option<Label<'m>> {
        self.open.iter().rev().find_map(|s| s.labels.get(name)).copied()
    }
}

impl Scope<'_> {
    fn declares(&self, name: &str) -> bool {
        self.names.contains_key(name) || self.in_range(name).is_some()
    }

    /// The type of `%r5`, where `%r<10>` is declared.
    fn in_range(&self, name: &str) -> Option<Type> {
        self.ranges.iter().find(|range| range.contains(name)).map(|range| range.ty)
    }
}

impl Range {
    fn contains(&self, name: &str) -> bool {
        let Some(digits) = name.strip_prefix(&*self.prefix) else { return false };
        let canonical = digits == "0" || digits.starts_with(|c| matches!(c, '1'..='9'));
        canonical
            && digits.bytes().all(|b| b.is_ascii_digit())
            && digits.parse::<u32>().is_ok_and(|n| n < self.count)
    }
}

fn twice(name: &str, span: Span) -> LowerError {
    LowerError::at(LowerErrorKind::DeclaredTwice(name.into()), span)
}
