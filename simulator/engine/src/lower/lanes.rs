//! Instructions: finding their form in the table, and register operations.
//!
//! The table says which operands a register operation has and of what types; here they get their
//! slots.

use super::error::{LowerError, LowerErrorKind};
use super::function::{FunctionLowering, mnemonic};
use super::pieces;
use super::program::Kind;
use crate::isa::{self, Action, Found, NoForm};
use crate::lanes::{Flags, Operands, Primitive, RegisterOperation, Role, Slot};
use crate::ptx::{Instruction, Operand, OperandKind, Type};

/// What has to be done after the operation: the wide register that gets the result of a narrow
/// type.
struct Widening {
    to: Slot,
    from: Slot,
    signed: bool,
}

impl<'m> FunctionLowering<'m, '_> {
    /// Lowers an instruction to operations.
    pub(super) fn translate(&mut self, instruction: &'m Instruction) -> Result<(), LowerError> {
        let found = self.form(instruction)?;
        match found.form.action {
            Action::Lanes { operands, primitive } => {
                self.lanes(instruction, &found, operands, primitive)
            }
            Action::Structural(structural) => self.structural(instruction, &found, structural),
            Action::Unsupported(reason) => {
                Err(self.unsupported(mnemonic(instruction), reason, instruction.span))
            }
        }
    }

    fn form(&self, instruction: &Instruction) -> Result<Found, LowerError> {
        let modifiers: Vec<&str> = instruction.modifiers.iter().map(|m| &*m.text).collect();
        isa::lookup(&instruction.opcode.text, &modifiers).map_err(|why| {
            let kind = match why {
                NoForm::UnknownOpcode => LowerErrorKind::UnknownOpcode(mnemonic(instruction)),
                NoForm::UnknownModifiers { nearest } => {
                    LowerErrorKind::NoSuchForm { instruction: mnemonic(instruction), nearest }
                }
            };
            LowerError::at(kind, instruction.span)
        })
    }

    /// An error about the number of operands.
    pub(super) fn operand_count(&self, instruction: &Instruction, found: &Found) -> LowerError {
        let kind = LowerErrorKind::OperandCount {
            instruction: mnemonic(instruction),
            expected: found.opcode.operands.into(),
            found: instruction.operands.len(),
        };
        LowerError::at(kind, instruction.span)
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
            return Err(self.operand_count(instruction, found));
        }
        let mut o = Operands { flags: found.flags, ..Operands::default() };
        let mut widening = None;
        let mut text = instruction.operands.iter();
        for role in roles {
            match role {
                Role::CarryIn => o.e = self.carry(),
                Role::CarryOut => o.d2 = self.carry(),
                Role::True(word) => o.e = self.constants.w32(*word),
                _ => {
                    if let Some(operand) = text.next() {
                        self.place_operand(*role, operand, &mut o, &mut widening)?;
                    }
                }
            }
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
        operand: &Operand,
        o: &mut Operands,
        widening: &mut Option<Widening>,
    ) -> Result<(), LowerError> {
        match role {
            Role::D(ty) => o.d = self.destination(operand, ty)?,
            Role::WideD(ty) => o.d = self.wide_destination(operand, ty, widening)?,
            Role::DPair => (o.d, o.d2) = self.destinations(operand, Type::Pred)?,
            Role::DFirst => {
                (o.d, o.d2) = (self.destination(operand, Type::Pred)?, self.temporary(Type::Pred));
            }
            Role::DWith(ty) => (o.d, o.d2) = self.destinations(operand, ty)?,
            Role::A(ty) => o.a = self.source(operand, ty)?,
            Role::WideA(ty) => o.a = self.wide_source(operand, ty)?,
            Role::B(ty) => o.b = self.source(operand, ty)?,
            Role::C(ty) => o.c = self.source(operand, ty)?,
            Role::E(ty) => o.e = self.source(operand, ty)?,
            Role::MaybeNotC => {
                let (inner, negated) = not(operand);
                o.c = self.source(inner, Type::Pred)?;
                if negated {
                    o.flags = o.flags.with(Flags::NOT_C);
                }
            }
            Role::CarryIn | Role::CarryOut | Role::True(_) => {}
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
        if have < want {
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

/// The operand under a `!`, and whether there is one.
pub(super) fn not(operand: &Operand) -> (&Operand, bool) {
    match &operand.kind {
        OperandKind::Not(inner) => (inner, true),
        _ => (operand, false),
    }
}
