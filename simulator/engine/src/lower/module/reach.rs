//! Which functions a kernel can reach.
//!
//! Direct calls lead to the named function. An indirect call that can be reached may lead to every
//! function whose address is taken anywhere in the module: in an initialiser, or by an instruction
//! of any function.

use std::collections::HashSet;

use crate::lower::module::symbols::Symbols;
use crate::lower::translate::call::callee;
use crate::ptx::{
    AddressBase, Function, InitValue, Initializer, Item, Module, Operand, OperandKind,
};

/// The functions that a kernel can reach, and the names in them.
pub(in crate::lower) struct Reachable<'m> {
    /// The kernel first.
    pub(in crate::lower) functions: Vec<&'m Function>,
    /// Every name of an operand.
    pub(in crate::lower) named: HashSet<&'m str>,
}

impl<'m> Reachable<'m> {
    /// Follows the calls from `kernel`.
    pub(in crate::lower) fn from(kernel: &'m Function, symbols: &Symbols<'m>) -> Reachable<'m> {
        let mut reachable = Reachable { functions: vec![kernel], named: HashSet::new() };
        let mut next = 0;
        let mut indirect = false;
        while let Some(function) = reachable.functions.get(next).copied() {
            next += 1;
            for instruction in function.instructions() {
                instruction.operands.iter().for_each(|o| names(o, &mut reachable.named));
                let Some(name) = callee(instruction) else { continue };
                match symbols.function(name) {
                    Some(called) => reachable.add(called),
                    None if !indirect => {
                        indirect = true;
                        for name in addresses_taken(symbols.module) {
                            symbols.function(name).into_iter().for_each(|f| reachable.add(f));
                        }
                    }
                    None => {}
                }
            }
        }
        reachable
    }

    fn add(&mut self, function: &'m Function) {
        let known = self.functions.iter().any(|f| std::ptr::eq(*f, function));
        if !known && function.body.is_some() && !function.is_entry {
            self.functions.push(function);
        }
    }
}

/// The names in a module other than called ones: a function among them has its address taken.
fn addresses_taken(module: &Module) -> Vec<&str> {
    let mut taken = HashSet::new();
    for item in &module.items {
        match item {
            Item::Variable(v) => v.init.iter().for_each(|init| initial_names(init, &mut taken)),
            Item::Function(f) => {
                for instruction in f.instructions().filter(|i| callee(i).is_none()) {
                    instruction.operands.iter().for_each(|o| names(o, &mut taken));
                }
            }
            // An alias is its function.
            Item::File(_) | Item::Section(_) | Item::Pragma(_) | Item::Alias(..) => {}
        }
    }
    let functions = module.functions().map(|f| &*f.name.text);
    functions.filter(|name| taken.contains(name)).collect()
}

fn names<'m>(operand: &'m Operand, out: &mut HashSet<&'m str>) {
    match &operand.kind {
        OperandKind::Name(name)
        | OperandKind::Offset(name, _)
        | OperandKind::Subscript(name, _)
        | OperandKind::Address(AddressBase::Name(name), _) => {
            out.insert(name);
        }
        OperandKind::Vector(all) | OperandKind::List(all) | OperandKind::Tuple(all) => {
            all.iter().for_each(|o| names(o, out));
        }
        OperandKind::Pair(a, b) => {
            names(a, out);
            names(b, out);
        }
        OperandKind::Not(a) | OperandKind::Negate(a) => names(a, out),
        OperandKind::Member(..)
        | OperandKind::Integer(_)
        | OperandKind::F32(_)
        | OperandKind::F64(_)
        | OperandKind::Address(AddressBase::Absolute(_), _)
        | OperandKind::Sink => {}
    }
}

fn initial_names<'m>(init: &'m Initializer, out: &mut HashSet<&'m str>) {
    match init {
        Initializer::List(list, _) => list.iter().for_each(|i| initial_names(i, out)),
        Initializer::Value(InitValue::Address { symbol, .. }, _) => {
            out.insert(&symbol.text);
        }
        Initializer::Value(..) => {}
    }
}
