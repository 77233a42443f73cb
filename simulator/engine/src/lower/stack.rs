//! `alloca`, `stacksave` and `stackrestore` (PTX ISA 9.7.17).
//!
//! What is allocated lies behind the variables of the activation, in local memory, each thread's by
//! itself. The stack grows upwards here; what `stacksave` gives is where it ends.

use super::error::LowerError;
use super::function::FunctionLowering;
use super::operation::{Kind, StackOperation};
use super::pieces;
use super::structural::Form;
use crate::lanes::Slot;
use crate::ptx::{Operand, OperandKind, Type};

/// The alignment of what is allocated, where the instruction names none.
const ALIGNMENT: u32 = 8;

impl FunctionLowering<'_, '_> {
    pub(super) fn allocate_on_stack(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let (ty, ([d, size], align)) = (form.ty()?, form.at_least::<2>(1)?);
        let align = match align {
            [operand] => self.alignment(operand)?,
            _ => ALIGNMENT,
        };
        let size = self.source(size, ty)?;
        let size = self.in_64_bits(size, ty);
        let d = self.destination(d, ty)?;
        let wide = ty.bytes() == Some(8);
        self.emit(Kind::Stack(Box::new(StackOperation::Allocate { d, size, align, wide })));
        Ok(())
    }

    fn alignment(&self, operand: &Operand) -> Result<u32, LowerError> {
        let found = match operand.kind {
            OperandKind::Integer(value) => u32::try_from(value).ok(),
            _ => None,
        };
        let found = found.filter(|align| align.is_power_of_two() && *align <= 1 << 18);
        found.ok_or_else(|| self.wrong_operand(operand, "a power of two as the alignment"))
    }

    pub(super) fn save_stack(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let (ty, [d]) = (form.ty()?, form.exactly()?);
        let d = self.destination(d, ty)?;
        let wide = ty.bytes() == Some(8);
        self.emit(Kind::Stack(Box::new(StackOperation::Save { d, wide })));
        Ok(())
    }

    pub(super) fn restore_stack(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let (ty, [a]) = (form.ty()?, form.exactly()?);
        let a = self.source(a, ty)?;
        let a = self.in_64_bits(a, ty);
        self.emit(Kind::Stack(Box::new(StackOperation::Restore { a })));
        Ok(())
    }

    fn in_64_bits(&mut self, slot: Slot, ty: Type) -> Slot {
        if ty.bytes() == Some(8) {
            return slot;
        }
        let wide = self.temporary(Type::B64);
        self.emit_lanes(pieces::WIDEN_UNSIGNED, wide, slot, slot);
        wide
    }
}
