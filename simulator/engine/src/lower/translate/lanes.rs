//! Instructions: their form in the table, and register operations.
//!
//! The table defines the operands of a register operation and their types. They get their slots
//! here.

use crate::internal;
use crate::isa::{self, Action, Found, NoForm};
use crate::lanes::{Flags, Operands, Primitive, RegisterOperation, Role, Slot};
use crate::lower::error::{LowerError, LowerErrorKind};
use crate::lower::function::{FunctionLowering, mnemonic};
use crate::lower::operations::operation::Kind;
use crate::lower::translate::pieces;
use crate::lower::translate::structural::Form;
use crate::ptx::{Instruction, Operand, OperandKind, Type};

/// A step after the operation: the wide register that gets the result of a narrow type.
struct Widening {
    to: Slot,
    from: Slot,
    signed: bool,
}

impl<'m> FunctionLowering<'m, '_> {
    /// Lowers an instruction to operations.
    pub(in crate::lower) fn translate(
        &mut self,
        instruction: &'m Instruction,
    ) -> Result<(), LowerError> {
        let found = self.form(instruction)?;
        match found.form.action {
            Action::Lanes { operands, primitive } => {
                self.lanes(instruction, &found, operands, primitive)
            }
            Action::Structural(structural) => {
                self.structural(Form { instruction, found: &found }, structural)
            }
            Action::Unsupported(reason) => {
                Err(self.unsupported(mnemonic(instruction), reason, instruction.span))
            }
        }
    }

    fn form(&self, instruction: &Instruction) -> Result<Found, LowerError> {
        let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| &*m.text).collect();
        let (opcode, operands) = (&instruction.opcode.text, instruction.operands.len());
        let modifiers = self.around.implied.complete(opcode, &modifiers, operands);
        isa::lookup_with(opcode, &modifiers, operands).map_err(|why| {
            let kind = match why {
                NoForm::UnknownOpcode => LowerErrorKind::UnknownOpcode(mnemonic(instruction)),
                NoForm::UnknownModifiers { nearest } => {
                    LowerErrorKind::NoSuchForm { instruction: mnemonic(instruction), nearest }
                }
            };
            LowerError::at(kind, instruction.span)
        })
    }

    fn lanes(
        &mut self,
        instruction: &Instruction,
        found: &Found,
        roles: &[Role],
        primitive: Primitive,
    ) -> Result<(), LowerError> {
        let written = roles.iter().filter(|role| role.is_written()).count();
        if written != instruction.operands.len() {
            return Err(Form { instruction, found }.operand_count());
        }
        let mut o = Operands { flags: found.flags, ..Operands::default() };
        let mut widening = None;
        let mut text = instruction.operands.iter();
        for role in roles {
            self.place_operand(*role, &mut text, &mut o, &mut widening)?;
        }
        self.emit(Kind::Lanes(RegisterOperation::new(primitive, o)));
        if let Some(Widening { to, from, signed }) = widening {
            let widen = if signed { pieces::WIDEN_SIGNED } else { pieces::WIDEN_UNSIGNED };
            self.emit_lanes(widen, to, from, from);
        }
        Ok(())
    }

    fn place_operand(
        &mut self,
        role: Role,
        text: &mut std::slice::Iter<'_, Operand>,
        o: &mut Operands,
        widening: &mut Option<Widening>,
    ) -> Result<(), LowerError> {
        let mut next = || text.next().ok_or_else(|| internal!("no operand for the role {role:?}"));
        match role {
            Role::D(ty) => o.d = self.destination(next()?, ty)?,
            Role::WideD(ty) => o.d = self.wide_destination(next()?, ty, widening)?,
            Role::DPair => (o.d, o.d2) = self.destinations(next()?, Type::Pred)?,
            Role::DFirst => {
                (o.d, o.d2) = (self.destination(next()?, Type::Pred)?, self.temporary(Type::Pred));
            }
            Role::DWith(ty) => (o.d, o.d2) = self.destinations(next()?, ty)?,
            Role::A(ty) => o.a = self.source(next()?, ty)?,
            Role::WideA(ty) => o.a = self.wide_source(next()?, ty)?,
            Role::B(ty) => o.b = self.source(next()?, ty)?,
            Role::C(ty) => o.c = self.source(next()?, ty)?,
            Role::E(ty) => o.e = self.source(next()?, ty)?,
            Role::MaybeNotC => {
                let (inner, negated) = not(next()?);
                o.c = self.source(inner, Type::Pred)?;
                if negated {
                    o.flags = o.flags.with(Flags::NOT_C);
                }
            }
            Role::CarryIn => o.e = self.carry(),
            Role::CarryOut => o.d2 = self.carry(),
            Role::True(word) => o.e = self.constants.w32(word),
        }
        Ok(())
    }

    /// The carry flag `CC.CF` of the function (PTX ISA 9.7.2).
    fn carry(&mut self) -> Slot {
        let registers = &mut self.scopes.registers;
        *self.carry.get_or_insert_with(|| registers.slot(Type::Pred))
    }

    /// `d|p`, or `d` with a scratch predicate.
    fn destinations(&mut self, operand: &Operand, ty: Type) -> Result<(Slot, Slot), LowerError> {
        match &operand.kind {
            OperandKind::Pair(d, p) => {
                Ok((self.destination(d, ty)?, self.destination(p, Type::Pred)?))
            }
            _ => Ok((self.destination(operand, ty)?, self.temporary(Type::Pred))),
        }
    }

    fn wide_destination(
        &mut self,
        operand: &Operand,
        ty: Type,
        widening: &mut Option<Widening>,
    ) -> Result<Slot, LowerError> {
        let Some((found, slot)) = self.destination_register(operand)? else {
            return Ok(self.temporary(ty));
        };
        let (Some(have), Some(want)) = (found.bytes(), ty.bytes()) else {
            return Err(self.wrong_register(operand, found, ty, true));
        };
        if have < want || have > 8 {
            return Err(self.wrong_register(operand, found, ty, true));
        }
        if have < 8 || want == 8 {
            return Ok(slot);
        }
        let from = self.temporary(Type::B32);
        let signed = matches!(ty, Type::S8 | Type::S16 | Type::S32);
        *widening = Some(Widening { to: slot, from, signed });
        Ok(from)
    }
}

/// The operand under a `!`, and whether there is a `!`.
pub(in crate::lower) fn not(operand: &Operand) -> (&Operand, bool) {
    match &operand.kind {
        OperandKind::Not(inner) => (inner, true),
        _ => (operand, false),
    }
}
