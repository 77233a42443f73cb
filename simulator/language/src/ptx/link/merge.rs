//! One module from several, after their own names were distinguished.
//!
//! A name represents one thing. The definition of a variable or a prototype of a function goes to
//! the first mention of its name, by a declaration or a definition: in PTX a name is declared
//! before it is used.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::ast::{
    Function, InitValue, Initializer, Item, Linkage, Module, Name, Parameter, Space, Type,
    Variable, Version,
};
use super::super::span::{Source, Span};
use super::LinkErrorKind;

type Wrong = (LinkErrorKind, Span);

/// A module without any definitions.
pub(super) fn nothing(source: Source) -> Module {
    let version = Version { major: 6, minor: 0 };
    Module {
        source,
        version,
        target: Vec::new(),
        address_size: Some(64),
        items: Vec::new(),
        next_inst: 0,
    }
}

/// The meaning of a name.
#[derive(Clone, Copy)]
enum Symbol<'m> {
    Function(&'m Function),
    Variable(&'m Variable),
}

impl<'m> Symbol<'m> {
    fn name(self) -> &'m Name {
        match self {
            Symbol::Function(function) => &function.name,
            Symbol::Variable(variable) => &variable.name,
        }
    }

    fn linkage(self) -> Option<Linkage> {
        match self {
            Symbol::Function(function) => function.linkage,
            Symbol::Variable(variable) => variable.linkage,
        }
    }

    fn is_definition(self) -> bool {
        match self {
            Symbol::Function(function) => function.body.is_some(),
            Symbol::Variable(variable) => variable.linkage != Some(Linkage::Extern),
        }
    }

    /// What takes its place: more is chosen before less.
    fn rank(self) -> u64 {
        match (self.is_definition(), self.linkage(), self) {
            // The dynamic shared memory has the largest alignment that a module asks for.
            (false, _, Symbol::Variable(v)) => u64::from(v.align.unwrap_or(0).min(1 << 16)),
            (false, _, Symbol::Function(_)) => 0,
            (true, Some(Linkage::Common), Symbol::Variable(v)) => {
                let initialised = u64::from(v.init.is_some());
                // At most 2^40 bytes.
                (1 << 17) + (bytes(v).unwrap_or(0) << 1 | initialised)
            }
            (true, Some(Linkage::Weak), _) => 1 << 62,
            (true, ..) => u64::MAX,
        }
    }
}

/// Bytes of a variable; `None` where it does not say.
fn bytes(variable: &Variable) -> Option<u64> {
    let element = u64::from(variable.ty.bytes()?) * u64::from(variable.vector.max(1));
    variable.dims.iter().enumerate().try_fold(element, |size, (i, dim)| {
        let of_list = match &variable.init {
            Some(Initializer::List(list, _)) if i == 0 => Some(list.len() as u64),
            _ => None,
        };
        size.checked_mul(dim.or(of_list)?)
    })
}

/// Makes one module of several.
pub(super) fn merge(source: Source, modules: &[Module]) -> Result<Module, Wrong> {
    let place =
        |span: Span| format!("{}:{}", source.file_name(span.start), source.line(span.start));
    let chosen = resolve(modules, &place)?;
    let mut merged =
        Merged { chosen: &chosen, items: Vec::new(), done: HashSet::new(), told: HashSet::new() };
    for module in modules {
        module.items.iter().for_each(|item| merged.add(item));
    }
    let items = merged.items;
    let first = modules.first();
    let bits = |module: &Module| module.address_size.unwrap_or(32);
    for module in modules {
        let first = first.map_or(64, bits);
        if bits(module) != first {
            let at = module.target.first().map_or(Span::default(), |target| target.span);
            return Err((LinkErrorKind::AddressSize { bits: bits(module), first }, at));
        }
    }
    let target = targets(modules)?;
    Ok(Module {
        version: modules.iter().map(|m| m.version).max().unwrap_or(Version { major: 6, minor: 0 }),
        target,
        address_size: first.and_then(|first| first.address_size),
        items,
        next_inst: modules.last().map_or(0, |last| last.next_inst),
        source,
    })
}

/// The meaning of each name.
fn resolve<'m>(
    modules: &'m [Module],
    place: &dyn Fn(Span) -> String,
) -> Result<HashMap<Arc<str>, Symbol<'m>>, Wrong> {
    let mut chosen: HashMap<Arc<str>, Symbol<'m>> = HashMap::new();
    for item in modules.iter().flat_map(|module| &module.items) {
        let symbol = match item {
            Item::Function(function) => Symbol::Function(function),
            Item::Variable(variable) => Symbol::Variable(variable),
            Item::File(_) | Item::Section(_) | Item::Pragma(_) | Item::Alias(..) => continue,
        };
        let name = symbol.name();
        let Some(known) = chosen.get(&name.text).copied() else {
            chosen.insert(Arc::clone(&name.text), symbol);
            continue;
        };
        let at = known.name().span;
        if known.rank() == u64::MAX && symbol.rank() == u64::MAX {
            let (name, first) = (name.text.to_string(), place(at));
            return Err((LinkErrorKind::DefinedTwice { name, first }, symbol.name().span));
        }
        let (here, there) = (describe(symbol), describe(known));
        if !fit(known, symbol) {
            let (name, other) = (name.text.to_string(), place(at));
            return Err((LinkErrorKind::Mismatch { name, here, there, other }, symbol.name().span));
        }
        if symbol.rank() > known.rank() {
            chosen.insert(Arc::clone(&name.text), symbol);
        }
    }
    Ok(chosen)
}

/// Whether two symbols may mean the same thing.
fn fit(one: Symbol<'_>, other: Symbol<'_>) -> bool {
    match (one, other) {
        (Symbol::Function(a), Symbol::Function(b)) => {
            a.is_entry == b.is_entry
                && shapes(&a.params) == shapes(&b.params)
                && shapes(&a.returns) == shapes(&b.returns)
        }
        (Symbol::Variable(a), Symbol::Variable(b)) => a.space == b.space && sizes_fit(a, b),
        (Symbol::Function(_), Symbol::Variable(_)) | (Symbol::Variable(_), Symbol::Function(_)) => {
            false
        }
    }
}

/// Whether two variables may be one by their sizes. Common ones may have any; a definition has room
/// for all of them.
fn sizes_fit(a: &Variable, b: &Variable) -> bool {
    let (Some(of_a), Some(of_b)) = (bytes(a), bytes(b)) else { return true };
    let is_common = |v: &Variable| v.linkage == Some(Linkage::Common);
    let is_declared = |v: &Variable| v.linkage == Some(Linkage::Extern);
    match (is_common(a), is_common(b)) {
        (true, true) => true,
        (true, false) if !is_declared(b) => of_a <= of_b,
        (false, true) if !is_declared(a) => of_b <= of_a,
        (true | false, true | false) => of_a == of_b,
    }
}

fn is_float(ty: Type) -> bool {
    use Type as T;
    match ty {
        T::F16 | T::F16x2 | T::Bf16 | T::Bf16x2 | T::F32 | T::F64 => true,
        T::B8 | T::B16 | T::B32 | T::B64 | T::B128 => false,
        T::U8 | T::U16 | T::U32 | T::U64 | T::S8 | T::S16 | T::S32 | T::S64 => false,
        T::Pred | T::Texref | T::Samplerref | T::Surfref => false,
    }
}

/// What a linker compares of parameters: `.b32` for integers of 32 bits, `.f32`, `.b8[16]`; `.b8[]`
/// for one that takes any number of bytes.
fn shapes(parameters: &[Parameter]) -> Vec<String> {
    let shape = |p: &Parameter| {
        let kind = if is_float(p.ty) { 'f' } else { 'b' };
        // A predicate has no bytes: it is `.b8` in the signatures that are compared.
        let element = format!(".{kind}{}", 8 * p.ty.bytes().unwrap_or(1));
        match p.array {
            None => element,
            Some(None) => format!("{element}[]"),
            Some(Some(length)) => format!("{element}[{length}]"),
        }
    };
    parameters.iter().map(shape).collect()
}

fn describe(symbol: Symbol<'_>) -> String {
    match symbol {
        Symbol::Function(f) => format!(
            "a {} of the parameters ({}) and the results ({})",
            if f.is_entry { "kernel" } else { "function" },
            shapes(&f.params).join(", "),
            shapes(&f.returns).join(", ")
        ),
        Symbol::Variable(v) => {
            let space = space_name(v.space);
            match bytes(v) {
                Some(1) => format!("a {space} variable of 1 byte"),
                Some(bytes) => format!("a {space} variable of {bytes} bytes"),
                None => format!("a {space} variable without a size"),
            }
        }
    }
}

fn space_name(space: Space) -> &'static str {
    match space {
        Space::Global => ".global",
        Space::Shared => ".shared",
        Space::Local => ".local",
        Space::Const => ".const",
        Space::Param => ".param",
        Space::Tex => ".tex",
    }
}

/// The items of the module, as far as they are there.
struct Merged<'a, 'm> {
    chosen: &'a HashMap<Arc<str>, Symbol<'m>>,
    items: Vec<Item>,
    /// The places of all definitions so far.
    done: HashSet<u32>,
    /// The functions that have been declared.
    told: HashSet<Arc<str>>,
}

impl Merged<'_, '_> {
    fn add(&mut self, item: &Item) {
        match item {
            Item::Variable(variable) => self.variable(variable),
            Item::Function(function) => self.function(function),
            Item::File(_) | Item::Pragma(_) | Item::Alias(..) => self.items.push(item.clone()),
            // About the text of one file.
            Item::Section(_) => {}
        }
    }

    /// Puts the variable that a name means, and before it the symbols in its initial value.
    fn variable(&mut self, variable: &Variable) {
        let Some(Symbol::Variable(chosen)) = self.chosen.get(&variable.name.text).copied() else {
            return;
        };
        if !self.done.insert(chosen.name.span.start) {
            return;
        }
        if let Some(init) = &chosen.init {
            self.initialised_with(init);
        }
        let mut chosen = chosen.clone();
        // A common variable of several sizes, or a weak one of several, is one now.
        if chosen.linkage == Some(Linkage::Common) {
            chosen.linkage = Some(Linkage::Visible);
        }
        self.items.push(Item::Variable(chosen));
    }

    fn initialised_with(&mut self, init: &Initializer) {
        match init {
            Initializer::List(list, _) => list.iter().for_each(|init| self.initialised_with(init)),
            Initializer::Value(InitValue::Address { symbol, .. }, _) => {
                match self.chosen.get(&symbol.text).copied() {
                    Some(Symbol::Variable(variable)) => self.variable(variable),
                    Some(Symbol::Function(function)) => self.prototype(function),
                    None => {}
                }
            }
            Initializer::Value(
                InitValue::Integer(_) | InitValue::F32(_) | InitValue::F64(_),
                _,
            ) => {}
        }
    }

    /// Puts a function where it is defined, and a prototype where it is mentioned first before
    /// that.
    fn function(&mut self, function: &Function) {
        let Some(Symbol::Function(chosen)) = self.chosen.get(&function.name.text).copied() else {
            return;
        };
        let is_it = std::ptr::eq(chosen, function);
        if !is_it || function.body.is_none() {
            return self.prototype(chosen);
        }
        if self.done.insert(function.name.span.start) {
            self.told.insert(Arc::clone(&function.name.text));
            self.items.push(Item::Function(function.clone()));
        }
    }

    fn prototype(&mut self, function: &Function) {
        if self.told.insert(Arc::clone(&function.name.text)) && !function.is_entry {
            self.items.push(Item::Function(Function { body: None, ..function.clone() }));
        }
    }
}

/// The architecture that runs all modules, and their options.
fn targets(modules: &[Module]) -> Result<Vec<Name>, Wrong> {
    let number = |name: &Name| {
        let digits: String = name.text.chars().filter(char::is_ascii_digit).collect();
        name.text.starts_with("sm_").then(|| digits.parse::<u32>().unwrap_or(0))
    };
    let is_for_one = |name: &Name| name.text.ends_with(['a', 'f']);
    let mut highest: Option<&Name> = None;
    let mut options: Vec<&Name> = Vec::new();
    for name in modules.iter().flat_map(|module| &module.target) {
        let Some(found) = number(name) else {
            if !options.iter().any(|option| option.text == name.text) {
                options.push(name);
            }
            continue;
        };
        match highest.map(|known| (known, number(known).unwrap_or(0))) {
            // Code for one architecture alone runs only there, and older code runs there too.
            Some((known, number))
                if (is_for_one(known) && found > number)
                    || (is_for_one(name) && found < number) =>
            {
                let (target, other) = (name.text.to_string(), known.text.to_string());
                return Err((LinkErrorKind::Targets { target, other }, name.span));
            }
            Some((known, number)) if number > found || (number == found && is_for_one(known)) => {}
            Some(_) | None => highest = Some(name),
        }
    }
    Ok(highest.into_iter().chain(options).cloned().collect())
}
