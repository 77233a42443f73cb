//! A function's body with its names resolved (PTX ISA 5.4 and 4.4).
//!
//! PTX scopes nest: registers, variables and labels of a `{ }` are visible from their declaration
//! to its brace, and hide outer ones. Here every instruction becomes a [`Site`] that says what each
//! name in it means, in the order of the text; registers of `name<N>` get an identity when they
//! are first used, so that a huge N costs nothing.
//!
//! What cannot be resolved is [`Meaning::Unknown`], and the analyses assume the worst of it.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::effects;
use crate::ptx::{
    AddressBase, Block, Function, Index, InstId, Instruction, Item, Module, Operand, OperandKind,
    Space, Statement, Type, Variable,
};

/// A register of the function: an index into [`Body::registers`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct RegId(pub(super) u32);

/// A variable that the function can name: an index into [`Body::variables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct VarId(pub(super) u32);

/// A scope: an index into the body's scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ScopeId(u32);

/// A register.
#[derive(Clone, Debug)]
pub(super) struct Register {
    /// Its name, with the `%`.
    pub(super) name: Arc<str>,
    /// Its declared type.
    pub(super) ty: Type,
    /// Bits; 0 for predicates, vectors and what else holds no plain number of 16, 32 or 64 bits.
    pub(super) width: u8,
}

/// A variable or parameter.
#[derive(Clone, Debug)]
pub(super) struct Memory {
    /// Its name.
    pub(super) name: Arc<str>,
    /// Where it lives.
    pub(super) space: Space,
    /// `.extern .shared name[]`: all of these start at one place, so they may overlap.
    pub(super) dynamic: bool,
    /// A kernel's parameter, which nobody writes.
    pub(super) constant: bool,
    /// Bytes from one element to the next, where a subscript has a meaning.
    pub(super) element: Option<u32>,
}

/// What a name means at one place.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning {
    /// A register.
    Register(RegId),
    /// A variable or parameter.
    Variable(VarId),
    /// A label: the index of the site that follows it.
    Label(usize),
    /// A `.branchtargets` list: the labels' names.
    Targets(Vec<Arc<str>>),
    /// A special register, or `WARP_SZ`.
    Special,
    /// Something else, or nothing.
    Unknown,
}

/// One instruction with its names resolved.
#[derive(Clone, Debug)]
pub(super) struct Site<'a> {
    /// The instruction.
    pub(super) inst: &'a Instruction,
    /// The scope it stands in.
    pub(super) scope: ScopeId,
    /// The registers it writes, or may write when it is guarded.
    pub(super) defines: Vec<RegId>,
    names: Vec<(Arc<str>, Meaning)>,
}

impl Site<'_> {
    /// What a name in this instruction means.
    pub(super) fn meaning(&self, name: &str) -> &Meaning {
        let found = self.names.iter().find(|(known, _)| **known == *name);
        found.map_or(&Meaning::Unknown, |(_, meaning)| meaning)
    }

    /// The register that an operand is, if it is one.
    pub(super) fn register(&self, operand: &Operand) -> Option<RegId> {
        let OperandKind::Name(name) = &operand.kind else { return None };
        match self.meaning(name) {
            Meaning::Register(register) => Some(*register),
            _ => None,
        }
    }
}

#[derive(Debug, Default)]
struct Scope {
    parent: Option<ScopeId>,
    names: HashMap<Arc<str>, Meaning>,
    families: Vec<(Arc<str>, u32, Type)>,
}

/// A function's instructions and what they name.
#[derive(Debug)]
pub(super) struct Body<'a> {
    /// The instructions, in the order of the text, without those already deleted.
    pub(super) sites: Vec<Site<'a>>,
    /// The registers that are used.
    pub(super) registers: Vec<Register>,
    /// The variables in sight.
    pub(super) variables: Vec<Memory>,
    /// Whether the address of a parameter may have got into a register, so that an access to
    /// memory may touch parameters.
    pub(super) parameter_address_taken: bool,
    scopes: Vec<Scope>,
    labels: Vec<usize>,
}

impl<'a> Body<'a> {
    /// Resolves a function's body, leaving out the instructions in `deleted`.
    ///
    /// None for a prototype.
    pub(super) fn new(
        module: &'a Module,
        function: &'a Function,
        deleted: &HashSet<InstId>,
    ) -> Option<Body<'a>> {
        let block = function.body.as_ref()?;
        let mut body = Body {
            sites: Vec::new(),
            registers: Vec::new(),
            variables: Vec::new(),
            parameter_address_taken: false,
            scopes: vec![Scope::default()],
            labels: Vec::new(),
        };
        for item in &module.items {
            if let Item::Variable(variable) = item {
                body.declare_variable(ScopeId(0), variable);
            }
        }
        let scope = body.open(ScopeId(0));
        for parameter in function.returns.iter().chain(&function.params) {
            if parameter.register {
                body.declare_family(scope, &parameter.name.text, None, parameter.ty, 1);
            } else {
                let memory = Memory {
                    name: parameter.name.text.clone(),
                    space: Space::Param,
                    dynamic: false,
                    constant: function.is_entry,
                    element: parameter.ty.bytes(),
                };
                body.declare_memory(scope, memory);
            }
        }
        body.walk(block, scope, deleted);
        body.settle_labels();
        Some(body)
    }

    /// What a name means in a scope, wherever it is declared there.
    pub(super) fn lookup(&mut self, scope: ScopeId, name: &str) -> Meaning {
        let mut at = Some(scope);
        while let Some(id) = at {
            let Some(scope) = self.scopes.get(id.0 as usize) else { break };
            if let Some(meaning) = scope.names.get(name) {
                return meaning.clone();
            }
            if let Some(ty) = scope.family(name) {
                return self.new_register(id, name, ty, 1);
            }
            at = scope.parent;
        }
        if name.starts_with('%') || name == "WARP_SZ" { Meaning::Special } else { Meaning::Unknown }
    }

    /// Whether a register can be named in a scope.
    pub(super) fn is_visible(&mut self, register: RegId, scope: ScopeId) -> bool {
        let Some(name) = self.registers.get(register.0 as usize).map(|found| found.name.clone())
        else {
            return false;
        };
        self.lookup(scope, &name) == Meaning::Register(register)
    }

    /// The register's description.
    pub(super) fn register(&self, register: RegId) -> Option<&Register> {
        self.registers.get(register.0 as usize)
    }

    /// How many bytes behind the start of a variable an element lies (PTX ISA 6.4.2), where that is
    /// a known number.
    pub(super) fn element_offset(&self, meaning: &Meaning, index: &Index) -> Option<i64> {
        match (meaning, index) {
            (Meaning::Variable(variable), Index::Constant(number)) => {
                let element = self.variables.get(variable.0 as usize)?.element?;
                number.checked_mul(element.into())
            }
            _ => None,
        }
    }

    fn open(&mut self, parent: ScopeId) -> ScopeId {
        self.scopes.push(Scope { parent: Some(parent), ..Scope::default() });
        ScopeId(self.scopes.len() as u32 - 1)
    }

    fn declare(&mut self, scope: ScopeId, name: &Arc<str>, meaning: Meaning) {
        if let Some(scope) = self.scopes.get_mut(scope.0 as usize) {
            scope.names.insert(name.clone(), meaning);
        }
    }

    fn new_register(&mut self, scope: ScopeId, name: &str, ty: Type, vector: u32) -> Meaning {
        let id = RegId(self.registers.len() as u32);
        let width = if vector == 1 { width_of(ty) } else { 0 };
        let name: Arc<str> = name.into();
        self.registers.push(Register { name: name.clone(), ty, width });
        self.declare(scope, &name, Meaning::Register(id));
        Meaning::Register(id)
    }

    fn declare_family(
        &mut self,
        scope: ScopeId,
        name: &Arc<str>,
        count: Option<u32>,
        ty: Type,
        vector: u32,
    ) {
        match count {
            None => {
                self.new_register(scope, name, ty, vector);
            }
            Some(count) => {
                if let Some(scope) = self.scopes.get_mut(scope.0 as usize) {
                    scope.families.push((name.clone(), count, ty));
                }
            }
        }
    }

    fn declare_memory(&mut self, scope: ScopeId, memory: Memory) {
        let id = VarId(self.variables.len() as u32);
        self.declare(scope, &memory.name, Meaning::Variable(id));
        self.variables.push(memory);
    }

    fn declare_variable(&mut self, scope: ScopeId, variable: &Variable) {
        let dynamic = variable.space == Space::Shared
            && (variable.linkage.is_some() || variable.dims.contains(&None));
        let (space, element) = (variable.space, variable.element());
        let memory = |name| Memory { name, space, dynamic, constant: false, element };
        match variable.count {
            None => self.declare_memory(scope, memory(variable.name.text.clone())),
            Some(count) => {
                for number in 0..count.min(4096) {
                    let name = format!("{}{number}", variable.name.text);
                    self.declare_memory(scope, memory(name.into()));
                }
            }
        }
    }

    fn walk(&mut self, block: &'a Block, scope: ScopeId, deleted: &HashSet<InstId>) {
        for statement in &block.statements {
            if let Statement::Label(name) = statement {
                let label = self.labels.len();
                self.labels.push(usize::MAX);
                self.declare(scope, &name.text, Meaning::Label(label));
            }
            if let Statement::BranchTargets(name, targets) = statement {
                let targets = targets.iter().map(|target| target.text.clone()).collect();
                self.declare(scope, &name.text, Meaning::Targets(targets));
            }
        }
        for statement in &block.statements {
            match statement {
                Statement::Registers(declared) => {
                    for (name, count) in &declared.names {
                        self.declare_family(
                            scope,
                            &name.text,
                            *count,
                            declared.ty,
                            declared.vector,
                        );
                    }
                }
                Statement::Variable(variable) => self.declare_variable(scope, variable),
                Statement::Label(name) => {
                    if let Meaning::Label(label) = self.lookup(scope, &name.text)
                        && let Some(place) = self.labels.get_mut(label)
                    {
                        *place = self.sites.len();
                    }
                }
                Statement::Instruction(inst) if !deleted.contains(&inst.id) => {
                    self.add_site(inst, scope);
                }
                Statement::Block(inner) => {
                    let inner_scope = self.open(scope);
                    self.walk(inner, inner_scope, deleted);
                }
                _ => {}
            }
        }
    }

    fn add_site(&mut self, inst: &'a Instruction, scope: ScopeId) {
        let mut names: Vec<(Arc<str>, Meaning)> = Vec::new();
        let guard = inst.guard.as_ref().map(|guard| guard.register.text.clone());
        let mut used: Vec<Arc<str>> = guard.into_iter().collect();
        inst.operands.iter().for_each(|operand| collect_names(operand, &mut used));
        for name in used {
            if names.iter().all(|(known, _)| *known != name) {
                let meaning = self.lookup(scope, &name);
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

    /// Replaces label numbers, which forward branches needed, by the sites they stand before.
    fn settle_labels(&mut self) {
        let end = self.sites.len();
        let places: Vec<usize> = self.labels.iter().map(|place| (*place).min(end)).collect();
        let in_sites = self.sites.iter_mut().flat_map(|site| &mut site.names);
        let in_scopes = self.scopes.iter_mut().flat_map(|scope| scope.names.iter_mut());
        let meanings = in_sites.map(|(_, meaning)| meaning).chain(in_scopes.map(|(_, m)| m));
        for meaning in meanings {
            if let Meaning::Label(label) = meaning {
                *label = places.get(*label).copied().unwrap_or(end);
            }
        }
    }
}

impl Scope {
    /// The type of `nameK` when a family `name<N>` with K < N is declared here.
    fn family(&self, name: &str) -> Option<Type> {
        let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit());
        // `%x10` may be number 10 of `%x<N>` or number 0 of `%x1<N>`.
        (stem.len()..name.len()).filter(|split| *split > 0).find_map(|split| {
            let (prefix, digits) = name.split_at_checked(split)?;
            if digits.len() > 1 && digits.starts_with('0') {
                return None;
            }
            let number: u32 = digits.parse().ok()?;
            let mut families = self.families.iter();
            let found = families.find(|(stem, count, _)| **stem == *prefix && number < *count)?;
            Some(found.2)
        })
    }
}

/// Bits of a register that holds a plain number, else 0.
fn width_of(ty: Type) -> u8 {
    match ty {
        Type::B16 | Type::U16 | Type::S16 | Type::F16 | Type::Bf16 => 16,
        Type::B32 | Type::U32 | Type::S32 | Type::F32 | Type::F16x2 | Type::Bf16x2 => 32,
        Type::B64 | Type::U64 | Type::S64 | Type::F64 => 64,
        _ => 0,
    }
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
        _ => {}
    }
}

/// The names that an operand writes when it is a destination: addresses are only read.
fn collect_written(operand: &Operand, names: &mut Vec<Arc<str>>) {
    match &operand.kind {
        OperandKind::Address(..) | OperandKind::Subscript(..) | OperandKind::Tuple(_) => {}
        _ => collect_names(operand, names),
    }
}
