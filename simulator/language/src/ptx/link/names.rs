//! The names that a module owns, and their new names where another module has them too.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::super::ast::{Function, Item, Module, Variable};
use super::Part;

/// Whether a function is of its module alone.
pub(super) fn is_own_function(function: &Function) -> bool {
    function.linkage.is_none() && !function.is_entry
}

/// Whether a variable is.
pub(super) fn is_own_variable(variable: &Variable) -> bool {
    variable.linkage.is_none()
}

/// The symbols of a module: their names, and whether they are its own.
fn symbols(module: &Module) -> Vec<(Arc<str>, bool)> {
    let mut symbols = Vec::new();
    for item in &module.items {
        match item {
            Item::Function(f) => symbols.push((Arc::clone(&f.name.text), is_own_function(f))),
            Item::Variable(v) => symbols.extend(v.names().map(|name| (name, is_own_variable(v)))),
            Item::Alias(alias, _) => symbols.push((Arc::clone(&alias.text), false)),
            Item::File(_) | Item::Section(_) | Item::Pragma(_) => {}
        }
    }
    // A prototype may be without the `.visible` of its definition.
    let visible: HashSet<Arc<str>> =
        symbols.iter().filter(|(_, own)| !own).map(|(name, _)| Arc::clone(name)).collect();
    symbols
        .into_iter()
        .map(|(name, own)| (Arc::clone(&name), own && !visible.contains(&name)))
        .collect()
}

/// Says for each part which of its symbols have another name in the whole; whether any have.
pub(super) fn rename(modules: &[Module], parts: &mut [Part]) -> bool {
    let all: Vec<Vec<(Arc<str>, bool)>> = modules.iter().map(symbols).collect();
    let everywhere = || all.iter().flatten();
    let mut taken: HashSet<Arc<str>> = everywhere().map(|(name, _)| Arc::clone(name)).collect();
    let mut first: HashMap<Arc<str>, usize> = HashMap::new();
    for (name, _) in everywhere().filter(|(_, own)| !own) {
        first.insert(Arc::clone(name), usize::MAX);
    }
    let mut any = false;
    for (number, (part, symbols)) in parts.iter_mut().zip(&all).enumerate() {
        let text = modules[number].source.text();
        for (name, _) in symbols.iter().filter(|(_, own)| *own) {
            if *first.entry(Arc::clone(name)).or_insert(number) == number {
                continue;
            }
            let mut new = format!("{name}${}", number + 1);
            while taken.contains(&*new) || text.contains(&new) {
                new.push('_');
            }
            let new: Arc<str> = new.into();
            taken.insert(Arc::clone(&new));
            part.renamed.insert(name.to_string(), new);
            any = true;
        }
    }
    any
}
