//! The names of a module: its functions and variables (PTX ISA 4.4, 5.4, 11.1, 11.6).

use std::collections::HashMap;

use crate::lower::error::{LowerError, LowerErrorKind};
use crate::ptx::{Function, Item, Linkage, Module, Variable};

/// The meaning of the names of a module.
pub(in crate::lower) struct Symbols<'m> {
    pub(in crate::lower) module: &'m Module,
    functions: HashMap<&'m str, &'m Function>,
    variables: HashMap<&'m str, &'m Variable>,
}

impl<'m> Symbols<'m> {
    /// Collects the names. A definition takes precedence over declarations.
    ///
    /// # Errors
    ///
    /// Names that are defined twice.
    pub(in crate::lower) fn new(module: &'m Module) -> Result<Symbols<'m>, LowerError> {
        let mut symbols = Symbols { module, functions: HashMap::new(), variables: HashMap::new() };
        for item in &module.items {
            match item {
                Item::Function(function) => symbols.add_function(function)?,
                Item::Variable(variable) => symbols.add_variable(variable)?,
                Item::File(_) | Item::Section(_) | Item::Pragma(_) | Item::Alias(..) => {}
            }
        }
        for item in &module.items {
            if let Item::Alias(alias, target) = item {
                let function = symbols.functions.get(&*target.text).copied();
                let undeclared = LowerErrorKind::Undeclared(target.text.to_string());
                let function = function.ok_or(LowerError::at(undeclared, target.span))?;
                symbols.functions.insert(&alias.text, function);
            }
        }
        Ok(symbols)
    }

    fn add_function(&mut self, function: &'m Function) -> Result<(), LowerError> {
        match self.functions.get(&*function.name.text) {
            Some(known) if known.body.is_some() && function.body.is_some() => {
                Err(twice(&function.name))
            }
            Some(_) if function.body.is_none() => Ok(()),
            _ => {
                self.functions.insert(&function.name.text, function);
                Ok(())
            }
        }
    }

    fn add_variable(&mut self, variable: &'m Variable) -> Result<(), LowerError> {
        let is_declaration = |v: &Variable| v.linkage == Some(Linkage::Extern);
        match self.variables.get(&*variable.name.text) {
            Some(known) if !is_declaration(known) && !is_declaration(variable) => {
                Err(twice(&variable.name))
            }
            Some(_) if is_declaration(variable) => Ok(()),
            _ => {
                self.variables.insert(&variable.name.text, variable);
                Ok(())
            }
        }
    }

    /// The function of this name: its definition, or otherwise a declaration of it.
    pub(in crate::lower) fn function(&self, name: &str) -> Option<&'m Function> {
        self.functions.get(name).copied()
    }

    /// The module variable of this name.
    pub(in crate::lower) fn variable(&self, name: &str) -> Option<&'m Variable> {
        self.variables.get(name).copied()
    }
}

fn twice(name: &crate::ptx::Name) -> LowerError {
    LowerError::at(LowerErrorKind::DeclaredTwice(name.text.to_string()), name.span)
}
