//! A function's body with its names resolved (PTX ISA 5.4 and 4.4).
//!
//! [`crate::scope`] says which declaration a name means, for the passes as for lowering. Here every
//! instruction becomes a [`Site`] with the meaning of each name in it, in the order of the text.
//!
//! A name that cannot be resolved is [`Meaning::Unknown`], and the analyses assume the worst of it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::passes::function::effects;
use crate::ptx::{
    AddressBase, Block, Function, Index, InstId, Instruction, Item, Module, Name, Operand,
    OperandKind, Parameter, Registers, Space, Statement, Variable,
};
use crate::scope::{DeclaredTwice, Entity, Label, Register, RegisterId, ScopeId, Scopes};

/// A variable that the function can name: an index into [`Body::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(in crate::passes) struct VarId(pub(in crate::passes) u32);

/// A variable or parameter.
#[derive(Clone, Debug)]
pub(in crate::passes) struct Memory {
    /// Its name.
    pub(in crate::passes) name: Arc<str>,
    /// Where it lives.
    pub(in crate::passes) space: Space,
    /// `.extern .shared name[]`: all of these start at one place, so they may overlap.
    pub(in crate::passes) dynamic: bool,
    /// A kernel's parameter, which is never written.
    pub(in crate::passes) constant: bool,
    /// Bytes from one element to the next, where a subscript has a meaning.
    pub(in crate::passes) element: Option<u32>,
}

/// The most variables of one declaration `name<N>` that are distinguished; the others are unknown.
const MOST_NAMES: usize = 4096;

/// What a name means at one place.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::passes) enum Meaning {
    /// A register.
    Register(RegisterId),
    /// A variable or parameter.
    Variable(VarId),
    /// A label: the index of the site that follows it.
    Label(usize),
    /// A `.branchtargets` list: the sites of its labels, where all are known.
    Targets(Option<Vec<usize>>),
    /// A special register, or `WARP_SZ`.
    Special,
    /// Something else, or nothing.
    Unknown,
}

/// One instruction with its names resolved.
#[derive(Clone, Debug)]
pub(in crate::passes) struct Site<'a> {
    /// The instruction.
    pub(in crate::passes) inst: &'a Instruction,
    /// The scope that contains it.
    pub(in crate::passes) scope: ScopeId,
    /// The registers it writes, or may write when it is guarded.
    pub(in crate::passes) defines: Vec<RegisterId>,
    names: Vec<(Arc<str>, Meaning)>,
}

impl Site<'_> {
    /// What a name in this instruction means.
    pub(in crate::passes) fn meaning(&self, name: &str) -> &Meaning {
        let found = self.names.iter().find(|(known, _)| **known == *name);
        found.map_or(&Meaning::Unknown, |(_, meaning)| meaning)
    }

    /// The register that an operand is, if it is one.
    pub(in crate::passes) fn register(&self, operand: &Operand) -> Option<RegisterId> {
        let OperandKind::Name(name) = &operand.kind else { return None };
        match self.meaning(name) {
            Meaning::Register(register) => Some(*register),
            _ => None,
        }
    }
}

/// A function's instructions and what they name.
#[derive(Debug)]
pub(in crate::passes) struct Body<'a> {
    /// The instructions, in the order of the text, without those already deleted.
    pub(in crate::passes) sites: Vec<Site<'a>>,
    /// The variables in sight.
    pub(in crate::passes) variables: Vec<Memory>,
    /// Whether the address of a parameter may have got into a register, so that an access to
    /// memory may touch parameters.
    pub(in crate::passes) parameter_address_taken: bool,
    scopes: Scopes<'a, VarId>,
    /// The variables of the module.
    of_module: HashMap<Arc<str>, VarId>,
    /// For each place with a label, the index of the site after it.
    labels: Vec<usize>,
}

impl<'a> Body<'a> {
    /// Resolves a function's body, leaving out the instructions in `deleted`.
    ///
    /// None for a prototype.
    ///
    /// # Errors
    /// A name is declared twice in one scope.
    pub(in crate::passes) fn new(
        module: &'a Module,
        function: &'a Function,
        deleted: &HashSet<InstId>,
    ) -> Result<Option<Body<'a>>, DeclaredTwice> {
        let Some(block) = function.body.as_ref() else { return Ok(None) };
        let mut body = Body {
            sites: Vec::new(),
            variables: Vec::new(),
            parameter_address_taken: false,
            scopes: Scopes::new(),
            of_module: HashMap::new(),
            labels: Vec::new(),
        };
        for item in &module.items {
            if let Item::Variable(variable) = item {
                for memory in memories(variable) {
                    let name = Arc::clone(&memory.name);
                    let variable = body.new_variable(memory);
                    body.of_module.insert(name, variable);
                }
            }
        }
        for parameter in function.returns.iter().chain(&function.params) {
            body.declare_parameter(parameter, function.is_entry)?;
        }
        body.walk(block, ScopeId::OUTERMOST, deleted)?;
        body.settle_labels();
        Ok(Some(body))
    }

    fn declare_parameter(
        &mut self,
        parameter: &Parameter,
        constant: bool,
    ) -> Result<(), DeclaredTwice> {
        let (name, scope) = (&parameter.name, ScopeId::OUTERMOST);
        if parameter.register {
            let (ty, elements) = (parameter.ty, parameter.vector);
            return self.scopes.declare_register(scope, name, ty, None, elements);
        }
        let variable = self.new_variable(Memory {
            name: Arc::clone(&name.text),
            space: Space::Param,
            dynamic: false,
            constant,
            element: parameter.ty.bytes(),
        });
        self.scopes.declare_variable(scope, &name.text, variable, name.span)
    }

    /// What a name means in a scope, wherever it is declared there.
    pub(in crate::passes) fn lookup(&mut self, scope: ScopeId, name: &str) -> Meaning {
        match self.scopes.lookup(scope, name) {
            Some(Entity::Register(register)) => return Meaning::Register(register),
            Some(Entity::Variable(variable)) => return Meaning::Variable(variable),
            None => {}
        }
        if let Some(variable) = self.of_module.get(name) {
            return Meaning::Variable(*variable);
        }
        if name.starts_with('%') || name == "WARP_SZ" { Meaning::Special } else { Meaning::Unknown }
    }

    /// What a label means in a scope. Until labels are settled, places are numbers.
    fn label(&self, scope: ScopeId, name: &str) -> Meaning {
        match self.scopes.label(scope, name) {
            Some(Label::Place(place)) => Meaning::Label(place),
            Some(Label::Targets(scope, targets)) => {
                let place = |target: &Name| self.scopes.place(scope, &target.text);
                Meaning::Targets(targets.iter().map(place).collect::<Option<Vec<_>>>())
            }
            Some(Label::CallTargets | Label::Prototype(_)) | None => Meaning::Unknown,
        }
    }

    /// Whether a register can be named in a scope.
    pub(in crate::passes) fn is_visible(&mut self, register: RegisterId, scope: ScopeId) -> bool {
        let Some(name) = self.register(register).map(|found| Arc::clone(&found.name)) else {
            return false;
        };
        self.lookup(scope, &name) == Meaning::Register(register)
    }

    /// The registers that are used.
    pub(in crate::passes) fn registers(&self) -> &[Register] {
        self.scopes.registers()
    }

    /// The register's description.
    pub(in crate::passes) fn register(&self, register: RegisterId) -> Option<&Register> {
        self.registers().get(register.0 as usize)
    }

    /// How many bytes behind the start of a variable an element lies (PTX ISA 6.4.2), if the number
    /// is known.
    pub(in crate::passes) fn element_offset(
        &self,
        meaning: &Meaning,
        index: &Index,
    ) -> Option<i64> {
        match (meaning, index) {
            (Meaning::Variable(variable), Index::Constant(number)) => {
                let element = self.variables.get(variable.0 as usize)?.element?;
                number.checked_mul(element.into())
            }
            _ => None,
        }
    }

    fn new_variable(&mut self, memory: Memory) -> VarId {
        self.variables.push(memory);
        VarId(self.variables.len() as u32 - 1)
    }

    fn walk(
        &mut self,
        block: &'a Block,
        parent: ScopeId,
        deleted: &HashSet<InstId>,
    ) -> Result<(), DeclaredTwice> {
        let scope = self.scopes.open(parent, block)?;
        self.labels.resize(self.scopes.places(), usize::MAX);
        for statement in &block.statements {
            match statement {
                Statement::Registers(Registers { ty, vector, names, .. }) => {
                    for (name, count) in names {
                        self.scopes.declare_register(scope, name, *ty, *count, *vector)?;
                    }
                }
                Statement::Variable(variable) => {
                    for memory in memories(variable) {
                        let (name, span) = (Arc::clone(&memory.name), variable.name.span);
                        let variable = self.new_variable(memory);
                        self.scopes.declare_variable(scope, &name, variable, span)?;
                    }
                }
                Statement::Label(name) => {
                    if let Some(label) = self.scopes.place(scope, &name.text)
                        && let Some(place) = self.labels.get_mut(label)
                    {
                        *place = self.sites.len();
                    }
                }
                Statement::Instruction(inst) if deleted.contains(&inst.id) => {}
                Statement::Instruction(inst) => self.add_site(inst, scope),
                Statement::Block(inner) => self.walk(inner, scope, deleted)?,
                Statement::BranchTargets(..)
                | Statement::CallTargets(..)
                | Statement::CallPrototype(_)
                | Statement::Loc(_)
                | Statement::Pragma(_) => {}
            }
        }
        Ok(())
    }

    fn add_site(&mut self, inst: &'a Instruction, scope: ScopeId) {
        let mut names: Vec<(Arc<str>, Meaning)> = Vec::new();
        let guard = inst.guard.as_ref().map(|guard| guard.register.text.clone());
        let mut used: Vec<Arc<str>> = guard.into_iter().collect();
        inst.operands.iter().for_each(|operand| collect_names(operand, &mut used));
        for name in used {
            if names.iter().all(|(known, _)| *known != name) {
                let meaning = match names_labels(inst) {
                    true => match self.label(scope, &name) {
                        Meaning::Unknown => self.lookup(scope, &name),
                        label => label,
                    },
                    false => self.lookup(scope, &name),
                };
                self.note_parameter_address(inst, &meaning);
                names.push((name, meaning));
            }
        }
        let mut site = Site { inst, scope, defines: Vec::new(), names };
        let mut written = Vec::new();
        for operand in effects::destinations(inst) {
            collect_written(operand, &mut written);
        }
        for name in written {
            if let Meaning::Register(register) = site.meaning(&name) {
                let register = *register;
                site.defines.push(register);
            }
        }
        self.sites.push(site);
    }

    /// Any use of a parameter's name but `ld.param`, `st.param` and the lists of a call lets its
    /// address escape.
    fn note_parameter_address(&mut self, inst: &Instruction, meaning: &Meaning) {
        let Meaning::Variable(variable) = meaning else { return };
        let is_parameter = self
            .variables
            .get(variable.0 as usize)
            .is_some_and(|variable| variable.space == Space::Param);
        if is_parameter && !matches!(&*inst.opcode.text, "ld" | "st" | "call") {
            self.parameter_address_taken = true;
        }
    }

    /// Replaces label numbers, which forward branches needed, by the sites that follow the labels.
    fn settle_labels(&mut self) {
        let end = self.sites.len();
        let settle = |place: &mut usize| {
            *place = self.labels.get(*place).map_or(end, |site| (*site).min(end));
        };
        for (_, meaning) in self.sites.iter_mut().flat_map(|site| &mut site.names) {
            match meaning {
                Meaning::Label(place) => settle(place),
                Meaning::Targets(Some(places)) => places.iter_mut().for_each(settle),
                Meaning::Targets(None)
                | Meaning::Register(_)
                | Meaning::Variable(_)
                | Meaning::Special
                | Meaning::Unknown => {}
            }
        }
    }
}

/// Whether names in an instruction may be labels.
fn names_labels(inst: &Instruction) -> bool {
    matches!(&*inst.opcode.text, "bra" | "brx")
}

/// What a declaration of a variable declares: one, or a number of them.
fn memories(variable: &Variable) -> Vec<Memory> {
    let dynamic = variable.space == Space::Shared
        && (variable.linkage.is_some() || variable.dims.contains(&None));
    let (space, element) = (variable.space, variable.element());
    let memory = |name| Memory { name, space, dynamic, constant: false, element };
    variable.names().take(MOST_NAMES).map(memory).collect()
}

/// Every name in an operand.
fn collect_names(operand: &Operand, names: &mut Vec<Arc<str>>) {
    match &operand.kind {
        OperandKind::Name(name) | OperandKind::Offset(name, _) => names.push(name.clone()),
        OperandKind::Member(name, _) => names.push(name.clone()),
        OperandKind::Address(AddressBase::Name(name), _) => names.push(name.clone()),
        OperandKind::Subscript(name, index) => {
            names.push(name.clone());
            if let Index::Register(register, _) = index {
                names.push(register.clone());
            }
        }
        OperandKind::Vector(parts) | OperandKind::List(parts) | OperandKind::Tuple(parts) => {
            parts.iter().for_each(|part| collect_names(part, names));
        }
        OperandKind::Pair(first, second) => {
            collect_names(first, names);
            collect_names(second, names);
        }
        OperandKind::Not(inner) | OperandKind::Negate(inner) => collect_names(inner, names),
        OperandKind::Address(AddressBase::Absolute(_), _)
        | OperandKind::Integer(_)
        | OperandKind::F32(_)
        | OperandKind::F64(_)
        | OperandKind::Sink => {}
    }
}

/// The names that an operand writes when it is a destination: addresses are only read.
fn collect_written(operand: &Operand, names: &mut Vec<Arc<str>>) {
    match &operand.kind {
        OperandKind::Address(..) | OperandKind::Subscript(..) | OperandKind::Tuple(_) => {}
        OperandKind::Name(_)
        | OperandKind::Member(..)
        | OperandKind::Integer(_)
        | OperandKind::F32(_)
        | OperandKind::F64(_)
        | OperandKind::Offset(..)
        | OperandKind::Vector(_)
        | OperandKind::Pair(..)
        | OperandKind::Not(_)
        | OperandKind::Negate(_)
        | OperandKind::Sink
        | OperandKind::List(_) => collect_names(operand, names),
    }
}
