//! Branches (PTX ISA 9.7.12.3, 9.7.12.4).

use std::sync::Arc;

use crate::lower::error::{LowerError, LowerErrorKind};
use crate::lower::function::FunctionLowering;
use crate::lower::operations::operand::EXIT;
use crate::lower::operations::operation::{BranchIndexed, Kind};
use crate::lower::scope::Label;
use crate::lower::translate::structural::Form;
use crate::ptx::{Operand, OperandKind, Span, Type};
use crate::scope::ScopeId;

impl<'m> FunctionLowering<'m, '_> {
    pub(in crate::lower) fn branch(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [target] = form.exactly()?;
        let name = self.label_name(target)?;
        let label = self.place_of(self.scopes.innermost(), &name, target.span)?;
        self.jump_to(vec![label]);
        self.emit(Kind::Branch { target: EXIT, reconverge: EXIT });
        Ok(())
    }

    pub(in crate::lower) fn branch_indexed(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [index, list] = form.exactly()?;
        let name = self.label_name(list)?;
        let Some(Label::Targets(scope, targets)) = self.scopes.label(&name) else {
            return Err(self.wrong_operand(list, "the label of a .branchtargets list"));
        };
        let mut labels = Vec::new();
        for target in targets {
            labels.push(self.place_of(scope, &target.text, target.span)?);
        }
        let index = self.source(index, Type::U32)?;
        self.jump_to(labels);
        let branch = BranchIndexed { index, targets: Vec::new(), reconverge: EXIT };
        self.emit(Kind::BranchIndexed(Box::new(branch)));
        Ok(())
    }

    fn label_name(&self, operand: &Operand) -> Result<Arc<str>, LowerError> {
        match &operand.kind {
            OperandKind::Name(name) => Ok(Arc::clone(name)),
            _ => Err(self.wrong_operand(operand, "a label")),
        }
    }

    fn place_of(&self, scope: ScopeId, name: &str, span: Span) -> Result<usize, LowerError> {
        let missing = || LowerError::at(LowerErrorKind::NoSuchLabel(name.into()), span);
        self.scopes.place(scope, name).ok_or_else(missing)
    }
}
