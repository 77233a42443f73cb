//! The names of a function body: their meaning, and the slots of its registers.
//!
//! [`crate::scope`] decides which declaration a name means, for lowering and for the passes. This
//! module adds the meaning for a program: a register has a slot for each of its elements, and a
//! variable has a place. Registers get slots only when they are used.

use std::sync::Arc;

use super::error::{LowerError, LowerErrorKind};
use super::program::RegisterName;
use crate::lanes::{Slot, SlotCounts};
use crate::ptx::{Block, Name, Space, Span, Type};
use crate::scope::{DeclaredTwice, RegisterId, ScopeId, Scopes};

pub(super) use crate::scope::Label;

/// The meaning of a name of a body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Entity {
    /// A register: an index into the function's registers.
    Register(usize),
    /// A vector register: the index of its first element, and the number of elements.
    Vector(usize, usize),
    /// A variable.
    Variable(Variable),
}

/// A variable in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    /// The state space.
    pub(super) space: Space,
    /// Its place in the space.
    pub(super) location: Location,
    /// Its size in bytes.
    pub(super) size: u64,
    /// Bytes from one element to the next, if subscripts are possible.
    pub(super) element: Option<u32>,
}

/// The place of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Location {
    /// At an address.
    Absolute(u64),
    /// At an offset in the local memory of the activation.
    Frame(u32),
    /// At an offset in the `.param` bytes of the activation.
    FrameParam(u32),
}

/// The registers of a function.
#[derive(Debug, Default)]
pub(super) struct RegisterFile {
    pub(super) names: Vec<RegisterName>,
    pub(super) slots: SlotCounts,
    /// For each register the index in `names` where its elements begin.
    first: Vec<usize>,
}

impl RegisterFile {
    /// A new slot for a value of a type; the first of two for 128 bits.
    pub(super) fn slot(&mut self, ty: Type) -> Slot {
        let bank = match ty.bytes() {
            None => &mut self.slots.predicates,
            Some(8..) => &mut self.slots.w64,
            Some(_) => &mut self.slots.w32,
        };
        let first = *bank;
        *bank += if ty.bytes() == Some(16) { 2 } else { 1 };
        Slot::register(first)
    }

    /// Gives slots to the registers that have none yet: the most recently used ones.
    fn take_in(&mut self, registers: &[crate::scope::Register]) {
        for register in registers.iter().skip(self.first.len()) {
            self.first.push(self.names.len());
            for element in 0..register.elements {
                let name = match MEMBERS.get(element as usize) {
                    Some(member) if register.elements > 1 => {
                        format!("{}.{member}", register.name).into()
                    }
                    _ => Arc::clone(&register.name),
                };
                let slot = self.slot(register.ty);
                self.names.push(RegisterName { name, ty: register.ty, slot });
            }
        }
    }
}

/// The elements of a vector register (PTX ISA 6.4.3).
const MEMBERS: [&str; 4] = ["x", "y", "z", "w"];

/// The open scopes of a body, and its registers and labels.
#[derive(Default)]
pub(super) struct Names<'m> {
    scopes: Scopes<'m, Variable>,
    /// The blocks that are open, the innermost last.
    open: Vec<ScopeId>,
    pub(super) registers: RegisterFile,
}

impl<'m> Names<'m> {
    /// Opens the scope of a block; its labels are known from here on.
    pub(super) fn open(&mut self, block: &'m Block) -> Result<(), LowerError> {
        let scope = self.scopes.open(self.innermost(), block)?;
        self.open.push(scope);
        Ok(())
    }

    /// Closes the innermost scope.
    pub(super) fn close(&mut self) {
        self.open.pop();
    }

    /// The place of a label in a scope, if it exists.
    pub(super) fn place(&self, scope: ScopeId, name: &str) -> Option<usize> {
        self.scopes.place(scope, name)
    }

    /// The scope of the innermost block, or of the parameters.
    pub(super) fn innermost(&self) -> ScopeId {
        self.open.last().copied().unwrap_or(ScopeId::OUTERMOST)
    }

    /// Declares a register, `count` of them, or a vector register.
    pub(super) fn declare_register(
        &mut self,
        name: &Name,
        ty: Type,
        count: Option<u32>,
        vector: u32,
    ) -> Result<(), LowerError> {
        if matches!(ty, Type::Texref | Type::Samplerref | Type::Surfref) {
            let what = format!(".reg .{}", ty.keyword());
            let reason = "there are no registers of this type".into();
            return Err(LowerError::at(LowerErrorKind::Unsupported { what, reason }, name.span));
        }
        if vector as usize > MEMBERS.len() {
            let (name, span) = (name.text.to_string(), name.span);
            let reason = "a vector register has two or four elements".into();
            return Err(LowerError::at(LowerErrorKind::Variable { name, reason }, span));
        }
        Ok(self.scopes.declare_register(self.innermost(), name, ty, count, vector)?)
    }

    /// Declares a variable.
    pub(super) fn declare_variable(
        &mut self,
        name: &Arc<str>,
        variable: Variable,
        span: Span,
    ) -> Result<(), LowerError> {
        Ok(self.scopes.declare_variable(self.innermost(), name, variable, span)?)
    }

    /// The meaning of a name, if the body declares it.
    pub(super) fn lookup(&mut self, name: &str) -> Option<Entity> {
        match self.scopes.lookup(self.innermost(), name)? {
            crate::scope::Entity::Variable(variable) => Some(Entity::Variable(variable)),
            crate::scope::Entity::Register(RegisterId(number)) => {
                self.registers.take_in(self.scopes.registers());
                // Each register that was looked up has been taken in.
                let first = self.registers.first[number as usize];
                Some(match self.scopes.registers()[number as usize].elements {
                    1 => Entity::Register(first),
                    several => Entity::Vector(first, several as usize),
                })
            }
        }
    }

    /// The element of a vector register: an index into the function's registers. Elements have two
    /// names each, a position and a colour.
    pub(super) fn element(&mut self, name: &str, member: &str) -> Option<usize> {
        let Entity::Vector(first, elements) = self.lookup(name)? else { return None };
        let colours = ["r", "g", "b", "a"];
        let named = |names: [&str; 4]| names.iter().position(|known| *known == member);
        let element = named(MEMBERS).or_else(|| named(colours))?;
        (element < elements).then_some(first + element)
    }

    /// The meaning of a label.
    pub(super) fn label(&self, name: &str) -> Option<Label<'m>> {
        self.scopes.label(self.innermost(), name)
    }
}

impl From<DeclaredTwice> for LowerError {
    fn from(DeclaredTwice { name, span }: DeclaredTwice) -> LowerError {
        LowerError::at(LowerErrorKind::DeclaredTwice(name.to_string()), span)
    }
}
