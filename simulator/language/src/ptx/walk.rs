//! Walks over a body: all its statements, instructions and variables. The ones in inner scopes are
//! included (PTX ISA 5.1.2: a scope is `{ ... }` within a body).
//!
//! The order is the order of the text. Code that must know the scope of a name opens the scopes
//! itself ([`crate::scope`]), and does not walk here.

use super::ast::{Block, Function, Instruction, Item, Module, Statement, Variable};

impl Module {
    /// The functions that it declares or defines, kernels among them.
    pub fn functions(&self) -> impl Iterator<Item = &Function> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            Item::Variable(_)
            | Item::File(_)
            | Item::Section(_)
            | Item::Pragma(_)
            | Item::Alias(..) => None,
        })
    }
}

impl Function {
    /// The instructions of its body; none, where it is declared only.
    ///
    /// ```
    /// let text = ".version 7.0\n.target sm_80\n.address_size 64\n\
    ///             .entry k() { bar.sync 0; { membar.gl; } ret; }";
    /// let module = warpsim::ptx::parse("k.ptx", text)?;
    /// let kernel = module.functions().next().unwrap();
    /// let opcodes: Vec<&str> = kernel.instructions().map(|one| &*one.opcode.text).collect();
    /// assert_eq!(opcodes, ["bar", "membar", "ret"]);
    /// # Ok::<(), warpsim::ptx::SyntaxError>(())
    /// ```
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.body.as_deref().into_iter().flat_map(Block::instructions)
    }

    /// The variables that its body declares.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.body.as_deref().into_iter().flat_map(Block::variables)
    }
}

impl Block {
    /// All statements in it. A scope comes before its contents.
    pub fn walk(&self) -> impl Iterator<Item = &Statement> {
        // The scopes that are open, the innermost last.
        let mut open = vec![self.statements.iter()];
        std::iter::from_fn(move || {
            loop {
                match open.last_mut()?.next() {
                    Some(statement) => {
                        if let Statement::Block(inner) = statement {
                            open.push(inner.statements.iter());
                        }
                        return Some(statement);
                    }
                    None => drop(open.pop()),
                }
            }
        })
    }

    /// The instructions in it.
    pub fn instructions(&self) -> impl Iterator<Item = &Instruction> {
        self.walk().filter_map(Statement::instruction)
    }

    /// The variables that it declares.
    pub fn variables(&self) -> impl Iterator<Item = &Variable> {
        self.walk().filter_map(Statement::variable)
    }

    /// Replaces each statement that is no scope. `with` gets the statement, and adds its
    /// replacements to the list.
    pub fn replace_each(&mut self, with: &mut impl FnMut(Statement, &mut Vec<Statement>)) {
        let old = std::mem::take(&mut self.statements);
        self.statements.reserve(old.len());
        for statement in old {
            match statement {
                Statement::Block(mut inner) => {
                    inner.replace_each(with);
                    self.statements.push(Statement::Block(inner));
                }
                Statement::Registers(_)
                | Statement::Variable(_)
                | Statement::Label(_)
                | Statement::Instruction(_)
                | Statement::Loc(_)
                | Statement::Pragma(_)
                | Statement::BranchTargets(..)
                | Statement::CallTargets(..)
                | Statement::CallPrototype(_) => with(statement, &mut self.statements),
            }
        }
    }

    /// Removes the instructions for which the function returns false.
    pub fn retain_instructions(&mut self, mut keep: impl FnMut(&Instruction) -> bool) {
        self.replace_each(&mut |statement, into| {
            if statement.instruction().is_none_or(&mut keep) {
                into.push(statement);
            }
        });
    }
}

impl Statement {
    /// The instruction, if it is one.
    pub fn instruction(&self) -> Option<&Instruction> {
        if let Statement::Instruction(instruction) = self { Some(instruction) } else { None }
    }

    /// The variable, if it declares one.
    pub fn variable(&self) -> Option<&Variable> {
        if let Statement::Variable(variable) = self { Some(variable) } else { None }
    }
}
