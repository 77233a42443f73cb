//! The names of a function body: nested scopes that hide each other (PTX ISA 4.4, 5.4.6).
//!
//! Registers and variables are known from their declaration to the end of their scope. Labels, and
//! declarations with a label (`.branchtargets`, `.callprototype`), are known in the whole of it. A
//! resolver enters a body's declarations in the order of the text and asks as it goes. Closed
//! scopes stay, so that later queries are possible. Registers get an identity when they are first
//! used, so a huge `%r<N>` costs nothing.
//!
//! Deviates from ptxas by accepting more: a label may have the name of a register or a variable of
//! another scope, as each is looked for where it can occur.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use crate::ptx::{Block, CallPrototype, Name, Span, Statement, Type};

/// A scope of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScopeId(u32);

impl ScopeId {
    /// The outermost scope, which has the parameters.
    pub const OUTERMOST: ScopeId = ScopeId(0);
}

/// A register of a body; the first that is used is number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegisterId(pub u32);

/// A register that is used.
#[derive(Clone, Debug, PartialEq)]
pub struct Register {
    /// Its name, with the `%`.
    pub name: Arc<str>,
    /// Its declared type; for a vector register, the type of its elements.
    pub ty: Type,
    /// Its elements: 1, except for a vector register.
    pub elements: u32,
}

impl Register {
    /// Bits of a register that holds one plain number of 16, 32 or 64 bits; 0 for predicates,
    /// vectors and the rest.
    pub fn width(&self) -> u8 {
        use Type as T;
        match self.ty {
            _ if self.elements != 1 => 0,
            T::B16 | T::U16 | T::S16 | T::F16 | T::Bf16 => 16,
            T::B32 | T::U32 | T::S32 | T::F32 | T::F16x2 | T::Bf16x2 => 32,
            T::B64 | T::U64 | T::S64 | T::F64 => 64,
            T::B8 | T::U8 | T::S8 | T::B128 | T::Pred | T::Texref | T::Samplerref | T::Surfref => 0,
        }
    }
}

/// The meaning of a name that is no label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity<V> {
    /// A register.
    Register(RegisterId),
    /// A variable or parameter.
    Variable(V),
}

/// What a label names.
#[derive(Clone, Copy, Debug)]
pub enum Label<'m> {
    /// A place in the body, numbered from 0.
    Place(usize),
    /// `.branchtargets`, with the scope that contains it. Its labels are looked up in that scope.
    Targets(ScopeId, &'m [Name]),
    /// `.calltargets`: any function of the program.
    CallTargets,
    /// `.callprototype`.
    Prototype(&'m CallPrototype),
}

/// A name that is declared a second time in one scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclaredTwice {
    /// The name.
    pub name: Arc<str>,
    /// Where it is declared again.
    pub span: Span,
}

impl fmt::Display for DeclaredTwice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is declared twice", self.name)
    }
}

impl std::error::Error for DeclaredTwice {}

#[derive(Debug)]
enum Declared<V> {
    /// A register that has not been used yet, with the number of its elements.
    Unused(Type, u32),
    Known(Entity<V>),
}

/// `%r<N>`.
#[derive(Debug)]
struct Family {
    prefix: Arc<str>,
    count: u32,
    ty: Type,
    elements: u32,
}

#[derive(Debug)]
struct Scope<'m, V> {
    parent: Option<ScopeId>,
    names: HashMap<Arc<str>, Declared<V>>,
    families: Vec<Family>,
    labels: HashMap<Arc<str>, Label<'m>>,
}

/// The scopes of a body, open and closed, with its registers and labels. `V` is the data kept about
/// a variable.
#[derive(Debug)]
pub struct Scopes<'m, V> {
    scopes: Vec<Scope<'m, V>>,
    registers: Vec<Register>,
    places: usize,
}

impl<V: Clone> Default for Scopes<'_, V> {
    fn default() -> Self {
        Scopes::new()
    }
}

impl<'m, V: Clone> Scopes<'m, V> {
    /// The outermost scope alone, with nothing in it.
    pub fn new() -> Scopes<'m, V> {
        Scopes { scopes: vec![Scope::within(None)], registers: Vec::new(), places: 0 }
    }

    /// Opens the scope of a block within another; its labels are known from here on.
    ///
    /// # Errors
    /// The block has a label twice.
    pub fn open(&mut self, parent: ScopeId, block: &'m Block) -> Result<ScopeId, DeclaredTwice> {
        let mut scope = Scope::within(Some(parent));
        let id = ScopeId(self.scopes.len() as u32);
        for statement in &block.statements {
            let (name, label) = match statement {
                Statement::Label(name) => (name, Label::Place(self.places)),
                Statement::BranchTargets(name, targets) => (name, Label::Targets(id, targets)),
                Statement::CallTargets(name, _) => (name, Label::CallTargets),
                Statement::CallPrototype(p) => (&p.name, Label::Prototype(p)),
                Statement::Registers(_)
                | Statement::Variable(_)
                | Statement::Instruction(_)
                | Statement::Block(_)
                | Statement::Loc(_)
                | Statement::Pragma(_) => continue,
            };
            self.places += usize::from(matches!(label, Label::Place(_)));
            if scope.labels.insert(Arc::clone(&name.text), label).is_some() {
                return Err(DeclaredTwice { name: Arc::clone(&name.text), span: name.span });
            }
        }
        self.scopes.push(scope);
        Ok(id)
    }

    /// Declares a register of a number of elements, or, with a count, a family of them.
    ///
    /// # Errors
    /// The scope has the name already; the same goes for [`Scopes::declare_variable`].
    pub fn declare_register(
        &mut self,
        scope: ScopeId,
        name: &Name,
        ty: Type,
        count: Option<u32>,
        elements: u32,
    ) -> Result<(), DeclaredTwice> {
        let Some(count) = count else {
            return self.declare(scope, &name.text, Declared::Unused(ty, elements), name.span);
        };
        let scope = self.scope_mut(scope);
        let family = Family { prefix: Arc::clone(&name.text), count, ty, elements };
        let known = scope.families.iter().find(|other| other.prefix == family.prefix);
        let known = known.map(|other| &other.prefix);
        if let Some(known) =
            known.or_else(|| scope.names.keys().filter(|name| family.contains(name)).min())
        {
            return Err(DeclaredTwice { name: Arc::clone(known), span: name.span });
        }
        scope.families.push(family);
        Ok(())
    }

    /// Declares a variable.
    ///
    /// # Errors
    /// The scope has the name already.
    pub fn declare_variable(
        &mut self,
        scope: ScopeId,
        name: &Arc<str>,
        variable: V,
        span: Span,
    ) -> Result<(), DeclaredTwice> {
        self.declare(scope, name, Declared::Known(Entity::Variable(variable)), span)
    }

    fn declare(
        &mut self,
        scope: ScopeId,
        name: &Arc<str>,
        what: Declared<V>,
        span: Span,
    ) -> Result<(), DeclaredTwice> {
        let scope = self.scope_mut(scope);
        if scope.declares(name) || scope.labels.contains_key(name) {
            return Err(DeclaredTwice { name: Arc::clone(name), span });
        }
        scope.names.insert(Arc::clone(name), what);
        Ok(())
    }

    /// The meaning of a name in a scope, if the body has declared it.
    pub fn lookup(&mut self, scope: ScopeId, name: &str) -> Option<Entity<V>> {
        let declaring = self.outwards(scope).find(|scope| self.scope(*scope).declares(name))?;
        let scope = self.scope(declaring);
        let (ty, elements) = match scope.names.get(name) {
            Some(Declared::Known(entity)) => return Some(entity.clone()),
            Some(Declared::Unused(ty, elements)) => (*ty, *elements),
            None => scope.in_family(name)?,
        };
        let name: Arc<str> = name.into();
        let entity = Entity::Register(RegisterId(self.registers.len() as u32));
        self.registers.push(Register { name: Arc::clone(&name), ty, elements });
        self.scope_mut(declaring).names.insert(name, Declared::Known(entity.clone()));
        Some(entity)
    }

    /// What a label names in a scope.
    pub fn label(&self, scope: ScopeId, name: &str) -> Option<Label<'m>> {
        self.outwards(scope).find_map(|scope| self.scope(scope).labels.get(name)).copied()
    }

    /// The place that a label names in a scope, if it names one.
    pub fn place(&self, scope: ScopeId, name: &str) -> Option<usize> {
        match self.label(scope, name)? {
            Label::Place(place) => Some(place),
            Label::Targets(..) | Label::CallTargets | Label::Prototype(_) => None,
        }
    }

    /// The registers that have been asked for, in the order of their numbers.
    pub fn registers(&self) -> &[Register] {
        &self.registers
    }

    /// How many places have labels, in the scopes so far.
    pub fn places(&self) -> usize {
        self.places
    }

    /// A scope and those around it.
    fn outwards(&self, scope: ScopeId) -> impl Iterator<Item = ScopeId> + use<'_, 'm, V> {
        std::iter::successors(Some(scope), |scope| self.scope(*scope).parent)
    }

    // A `ScopeId` comes from `open` of the same body, and no scope is ever taken out.
    fn scope(&self, scope: ScopeId) -> &Scope<'m, V> {
        &self.scopes[scope.0 as usize]
    }

    fn scope_mut(&mut self, scope: ScopeId) -> &mut Scope<'m, V> {
        &mut self.scopes[scope.0 as usize]
    }
}

impl<V> Scope<'_, V> {
    fn within(parent: Option<ScopeId>) -> Self {
        let (names, labels) = (HashMap::new(), HashMap::new());
        Scope { parent, names, families: Vec::new(), labels }
    }

    fn declares(&self, name: &str) -> bool {
        self.names.contains_key(name) || self.in_family(name).is_some()
    }

    /// The type and the elements of `%r5`, where `%r<10>` is declared.
    fn in_family(&self, name: &str) -> Option<(Type, u32)> {
        let family = self.families.iter().find(|family| family.contains(name))?;
        Some((family.ty, family.elements))
    }
}

impl Family {
    fn contains(&self, name: &str) -> bool {
        let Some(digits) = name.strip_prefix(&*self.prefix) else { return false };
        let canonical = digits == "0" || digits.starts_with(|c| matches!(c, '1'..='9'));
        canonical
            && digits.bytes().all(|b| b.is_ascii_digit())
            && digits.parse::<u32>().is_ok_and(|n| n < self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::{Item, Module, parse};

    fn module(body: &str) -> Module {
        let head = ".version 8.0\n.target sm_80\n.address_size 64\n";
        parse("scopes.ptx", &format!("{head}.visible .entry k() {{\n{body}\n}}\n")).unwrap()
    }

    /// The block of the kernel, and the first block within it.
    fn blocks(module: &Module) -> (&Block, &Block) {
        let Some(Item::Function(function)) = module.items.first() else { panic!("no kernel") };
        let outer = function.body.as_ref().unwrap();
        let inner = outer.statements.iter().find_map(|statement| match statement {
            Statement::Block(inner) => Some(inner),
            _ => None,
        });
        (outer, inner.unwrap())
    }

    fn name(text: &str) -> Name {
        Name { text: text.into(), span: Span::default() }
    }

    #[test]
    fn an_inner_declaration_hides_the_outer_one_from_where_it_stands() {
        let module = module("l: { l: ret; }");
        let (outer, inner) = blocks(&module);
        let mut scopes = Scopes::<u8>::new();
        let outside = scopes.open(ScopeId::OUTERMOST, outer).unwrap();
        scopes.declare_register(outside, &name("%r"), Type::B32, Some(4), 1).unwrap();
        let within = scopes.open(outside, inner).unwrap();
        let before = scopes.lookup(within, "%r3").unwrap();
        scopes.declare_register(within, &name("%r"), Type::B64, Some(4), 1).unwrap();
        let after = scopes.lookup(within, "%r3").unwrap();
        assert_eq!(scopes.lookup(outside, "%r3"), Some(before));
        assert_ne!(before, after);
        assert_eq!(
            scopes.registers().iter().map(|r| r.ty).collect::<Vec<_>>(),
            [Type::B32, Type::B64]
        );
        assert!(matches!(scopes.label(outside, "l"), Some(Label::Place(0))));
        assert!(matches!(scopes.label(within, "l"), Some(Label::Place(1))));
        assert_eq!(scopes.places(), 2);
    }

    #[test]
    fn the_labels_of_branchtargets_are_those_known_where_it_stands() {
        let module = module("t: .branchtargets l; { l: brx.idx 0, t; } l: ret;");
        let (outer, inner) = blocks(&module);
        let mut scopes = Scopes::<u8>::new();
        let outside = scopes.open(ScopeId::OUTERMOST, outer).unwrap();
        let within = scopes.open(outside, inner).unwrap();
        let Some(Label::Targets(scope, targets)) = scopes.label(within, "t") else {
            panic!("no targets")
        };
        assert_eq!((scope, targets.len()), (outside, 1));
        assert_ne!(scopes.place(scope, "l"), scopes.place(within, "l"));
        assert_eq!(scopes.place(within, "t"), None);
    }

    #[test]
    fn only_the_numbers_of_a_family_as_they_are_written_belong_to_it() {
        let mut scopes = Scopes::<u8>::new();
        let scope = ScopeId::OUTERMOST;
        scopes.declare_register(scope, &name("%r"), Type::B32, Some(12), 1).unwrap();
        scopes.declare_register(scope, &name("%r1"), Type::B64, Some(2), 1).unwrap();
        for (text, is_one) in
            [("%r0", true), ("%r11", true), ("%r12", false), ("%r01", false), ("%r", false)]
        {
            assert_eq!(scopes.lookup(scope, text).is_some(), is_one, "{text}");
        }
        // `%r10` may be number 10 of `%r<12>` and number 0 of `%r1<2>`: the first family has it.
        scopes.lookup(scope, "%r10").unwrap();
        assert_eq!(scopes.registers().last().map(|r| r.ty), Some(Type::B32));
    }

    #[test]
    fn a_scope_has_a_name_once() {
        let mut scopes = Scopes::new();
        let scope = ScopeId::OUTERMOST;
        scopes.declare_variable(scope, &"a".into(), 1, Span::default()).unwrap();
        let again = scopes.declare_variable(scope, &"a".into(), 2, Span::default());
        assert_eq!(again.unwrap_err().to_string(), "`a` is declared twice");
        assert_eq!(scopes.lookup(scope, "a"), Some(Entity::Variable(1)));
        let module = module("x: { l: l: ret; }");
        let (outer, inner) = blocks(&module);
        assert!(scopes.open(scope, inner).is_err());
        let block = scopes.open(scope, outer).unwrap();
        assert!(scopes.declare_variable(block, &"x".into(), 3, Span::default()).is_err());
        // A number of a family is a name as others are, whichever comes first.
        scopes.declare_variable(scope, &"s1".into(), 4, Span::default()).unwrap();
        let again = scopes.declare_register(scope, &name("s"), Type::B32, Some(4), 1);
        assert_eq!(again.unwrap_err().name, "s1".into());
        scopes.declare_register(scope, &name("s"), Type::B32, Some(1), 1).unwrap();
    }
}
