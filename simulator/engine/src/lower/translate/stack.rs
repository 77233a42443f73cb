//! `alloca`, `stacksave` and `stackrestore` (PTX ISA 9.7.17).
//!
//! Allocated memory lies behind the variables of the activation, in local memory, separately for
//! each thread. The stack grows upwards here; `stacksave` gives its end.

use crate::lanes::Slot;
use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::operations::operation::{Kind, StackOperation};
use crate::lower::translate::pieces;
use crate::lower::translate::structural::Form;
use crate::ptx::{Operand, OperandKind, Type};

/// The alignment of allocated memory, if the instruction names none.
const ALIGNMENT: u32 = 8;

impl FunctionLowering<'_, '_> {
    pub(in crate::lower) fn allocate_on_stack(&mut self, form: Form<'_>) -> Result<(), LowerError> {
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

    pub(in crate::lower) fn save_stack(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let (ty, [d]) = (form.ty()?, form.exactly()?);
        let d = self.destination(d, ty)?;
        let wide = ty.bytes() == Some(8);
        self.emit(Kind::Stack(Box::new(StackOperation::Save { d, wide })));
        Ok(())
    }

    pub(in crate::lower) fn restore_stack(&mut self, form: Form<'_>) -> Result<(), LowerError> {
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
