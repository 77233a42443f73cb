//! Operands: names, immediates, addresses (PTX ISA chapter 6).
//!
//! A register is accepted if its size matches the size of the operand's type. Whether it is
//! declared with `.b`, `.u`, `.s` or `.f` is ignored. `ptxas` is stricter: it does not accept a
//! float register for an integer operand, or the reverse.

use std::sync::Arc;

use crate::internal;
use crate::internal::InternalError;
use crate::lanes::Slot;
use crate::lower::error::{LowerError, LowerErrorKind};
use crate::lower::function::FunctionLowering;
use crate::lower::module::placement::window;
use crate::lower::operations::access::Base;
use crate::lower::operations::operation::{Kind, SpecialRegister};
use crate::lower::operations::runtime;
use crate::lower::scope::{Entity, Location, Variable};
use crate::lower::translate::pieces;
use crate::lower::translate::special::special_register;
use crate::ptx::{Index, Linkage, Operand, OperandKind, Space, Span, Type};

/// The meaning of an operand that is no immediate.
#[derive(Clone, Debug)]
pub(in crate::lower) enum Meaning {
    /// A register: its type and slot.
    Register(Type, Slot),
    /// A whole vector register.
    Vector,
    /// A register of the machine.
    Special(SpecialRegister),
    /// A variable.
    Variable(Variable),
    /// The address of a function.
    Function(u64),
}

impl FunctionLowering<'_, '_> {
    /// The places of the elements of a register that has just been declared.
    pub(in crate::lower) fn registers_named(
        &mut self,
        name: &Arc<str>,
    ) -> Result<Vec<Slot>, InternalError> {
        let elements = match self.scopes.lookup(name) {
            Some(Entity::Register(index)) => index..index + 1,
            Some(Entity::Vector(first, count)) => first..first + count,
            Some(Entity::Variable(_)) | None => {
                return Err(internal!("`{name}` has been declared, and is no register"));
            }
        };
        elements.map(|index| Ok(self.slot_of(index)?.1)).collect()
    }

    /// The type and place of a register.
    pub(in crate::lower) fn slot_of(&self, index: usize) -> Result<(Type, Slot), InternalError> {
        let register = self.scopes.registers.names.get(index);
        let register = register.ok_or_else(|| internal!("there is no register {index}"))?;
        Ok((register.ty, register.slot))
    }

    /// The predicate of a guard.
    pub(in crate::lower) fn predicate_register(
        &mut self,
        name: &Arc<str>,
        span: Span,
    ) -> Result<Slot, LowerError> {
        match self.scopes.lookup(name) {
            None => Err(LowerError::at(LowerErrorKind::Undeclared(name.to_string()), span)),
            Some(Entity::Register(index)) if self.slot_of(index)?.0 == Type::Pred => {
                self.current.reads.push(index as u32);
                Ok(self.slot_of(index)?.1)
            }
            Some(Entity::Register(_) | Entity::Vector(..) | Entity::Variable(_)) => {
                let operand = name.to_string();
                let expected = "a predicate register".into();
                Err(LowerError::at(LowerErrorKind::Operand { operand, expected }, span))
            }
        }
    }

    /// Whether a name names a predicate.
    pub(in crate::lower) fn names_predicate(&mut self, name: &str) -> bool {
        match self.scopes.lookup(name) {
            Some(Entity::Register(index)) => {
                let register = self.scopes.registers.names.get(index);
                register.is_some_and(|register| register.ty == Type::Pred)
            }
            Some(Entity::Vector(..) | Entity::Variable(_)) | None => false,
        }
    }

    /// The meaning of a name; `reads` tells whether the register is read or written.
    pub(in crate::lower) fn meaning(
        &mut self,
        name: &Arc<str>,
        span: Span,
        reads: bool,
    ) -> Result<Meaning, LowerError> {
        match self.scopes.lookup(name) {
            Some(Entity::Register(index)) => return self.used(index, reads),
            Some(Entity::Vector(..)) => return Ok(Meaning::Vector),
            Some(Entity::Variable(variable)) => return Ok(Meaning::Variable(variable)),
            None => {}
        }
        if let Some(special) = special_register(name, None) {
            return Ok(Meaning::Special(special));
        }
        self.module_name(name, span)
    }

    /// A variable or function of the module.
    fn module_name(&self, name: &Arc<str>, span: Span) -> Result<Meaning, LowerError> {
        let around = self.around;
        if let Some(function) = around.symbols.function(name) {
            let address = around.placement.functions.get(&function.name.text);
            let address = address.copied().map(Meaning::Function);
            return address.ok_or_else(|| self.unresolved(name, span));
        }
        let Some(variable) = around.symbols.variable(name) else {
            return Err(LowerError::at(LowerErrorKind::Undeclared(name.to_string()), span));
        };
        let (address, size) = match variable.space {
            Space::Global => (around.placement.globals.get(name).copied(), 0),
            Space::Const => (around.placement.constants.get(name).copied(), 0),
            Space::Shared => {
                let symbol = around.shared.of_module(name);
                (symbol.map(|s| s.address), symbol.map_or(0, |s| s.size))
            }
            _ => (None, 0),
        };
        let address = address.ok_or_else(|| match variable.linkage {
            Some(Linkage::Extern) => self.unresolved(name, span),
            _ => {
                let reason = "variables of this kind have no place here";
                self.unsupported(name.to_string(), reason, span)
            }
        })?;
        let location = Location::Absolute(address);
        let element = variable.element();
        Ok(Meaning::Variable(Variable { space: variable.space, location, size, element }))
    }

    /// The error of a function or variable that no module defines.
    pub(in crate::lower) fn unresolved(&self, name: &str, span: Span) -> LowerError {
        let kind = match runtime::refused(name) {
            Some(reason) => LowerErrorKind::Unsupported {
                what: format!("call {name}"),
                reason: reason.to_owned(),
            },
            None => LowerErrorKind::Unresolved(name.to_owned()),
        };
        LowerError::at(kind, span)
    }

    pub(in crate::lower) fn unsupported(
        &self,
        what: String,
        reason: &str,
        span: Span,
    ) -> LowerError {
        LowerError::at(LowerErrorKind::Unsupported { what, reason: reason.into() }, span)
    }

    /// A source operand of a type.
    pub(in crate::lower) fn source(
        &mut self,
        operand: &Operand,
        ty: Type,
    ) -> Result<Slot, LowerError> {
        self.read(operand, ty, false)
    }

    /// A source operand of a type whose register may be wider.
    pub(in crate::lower) fn wide_source(
        &mut self,
        operand: &Operand,
        ty: Type,
    ) -> Result<Slot, LowerError> {
        self.read(operand, ty, true)
    }

    fn read(&mut self, operand: &Operand, ty: Type, wide: bool) -> Result<Slot, LowerError> {
        let meaning = match &operand.kind {
            OperandKind::Name(name) => self.meaning(name, operand.span, true)?,
            OperandKind::Member(name, member) => self.member(name, member, operand.span, true)?,
            OperandKind::Offset(name, offset) => {
                let meaning = self.meaning(name, operand.span, true)?;
                if let Meaning::Register(found, slot) = meaning {
                    let sum = self.register_sum(found, slot, *offset, operand)?;
                    return self.fit(found, sum, ty, wide, operand);
                }
                return self.address_value(&meaning, *offset, ty, operand);
            }
            OperandKind::Subscript(name, index) => {
                let (variable, element) = self.subscripted(name, operand)?;
                let number = match index {
                    Index::Constant(number) => self.bytes_of(*number, element, operand)?,
                    Index::Register(register, more) => {
                        let at = (&variable, element, register, *more);
                        let address = self.indexed_address(at, operand)?;
                        return self.fit(Type::B64, address, ty, ty.bytes() == Some(4), operand);
                    }
                };
                return self.address_value(&Meaning::Variable(variable), number, ty, operand);
            }
            OperandKind::Not(inner) if ty == Type::Pred => {
                let a = self.source(inner, ty)?;
                let d = self.temporary(ty);
                self.emit_lanes(pieces::NOT_PREDICATE, d, a, a);
                return Ok(d);
            }
            _ => return self.immediate(operand, ty),
        };
        match meaning {
            Meaning::Register(found, slot) => self.fit(found, slot, ty, wide, operand),
            Meaning::Special(special) => {
                let d = self.temporary(ty);
                self.special(d, special, ty, operand)?;
                Ok(d)
            }
            meaning => self.address_value(&meaning, 0, ty, operand),
        }
    }

    /// `REGISTER+N` where a value is expected. NVIDIA's assembler adds the number, modulo the
    /// register's bits. For registers of floats it accepts some such sums and crashes at others;
    /// here they are refused.
    fn register_sum(
        &mut self,
        found: Type,
        slot: Slot,
        number: i64,
        operand: &Operand,
    ) -> Result<Slot, LowerError> {
        let is_float = matches!(found, Type::F16 | Type::F32 | Type::F64 | Type::Bf16);
        let (add, number) = match found.bytes() {
            Some(2) if !is_float => (pieces::ADD16, self.constants.w32(number as u16 as u32)),
            Some(4) if !is_float => (pieces::ADD32, self.constants.w32(number as u32)),
            Some(8) if !is_float => (pieces::ADD64, self.constants.w64(number as u64)),
            Some(_) | None => {
                return Err(self.wrong_operand(
                    operand,
                    "an integer register of 16, 32 or 64 bits before the `+`",
                ));
            }
        };
        let sum = self.temporary(found);
        self.emit_lanes(add, sum, slot, number);
        Ok(sum)
    }

    /// The variable of the element `NAME[N]`, and the bytes of an element (PTX ISA 6.4.2).
    pub(in crate::lower) fn subscripted(
        &mut self,
        name: &Arc<str>,
        operand: &Operand,
    ) -> Result<(Variable, u32), LowerError> {
        let Meaning::Variable(variable) = self.meaning(name, operand.span, true)? else {
            return Err(self.wrong_operand(operand, "a variable before the `[`"));
        };
        let Some(element) = variable.element else {
            return Err(self.wrong_operand(operand, "an array of something that has a size"));
        };
        Ok((variable, element))
    }

    /// The distance of an element from the start of its variable in bytes. As with `NAME+BYTES`, it
    /// may lie outside.
    pub(in crate::lower) fn bytes_of(
        &self,
        number: i64,
        element: u32,
        operand: &Operand,
    ) -> Result<i64, LowerError> {
        let bytes = number.checked_mul(element.into());
        bytes.ok_or_else(|| self.wrong_operand(operand, "an element that has an address"))
    }

    /// The address of the element that a register plus a number selects: `NAME[REGISTER+N]`. As in
    /// NVIDIA's assembler, the register is an unsigned number. Its product with the bytes of an
    /// element has the register's bits, or 32 for a register of 16 bits.
    pub(in crate::lower) fn indexed_address(
        &mut self,
        (variable, element, register, more): (&Variable, u32, &Arc<str>, i64),
        operand: &Operand,
    ) -> Result<Slot, LowerError> {
        let more = self.bytes_of(more, element, operand)?;
        let Meaning::Register(found, index) = self.meaning(register, operand.span, true)? else {
            return Err(self.wrong_operand(operand, "a register or a number between the brackets"));
        };
        let offset = match found.bytes() {
            Some(8) => {
                let (bytes, product) =
                    (self.constants.w64(element.into()), self.temporary(Type::B64));
                self.emit_lanes(pieces::MULTIPLY64, product, index, bytes);
                let (more, sum) = (self.constants.w64(more as u64), self.temporary(Type::B64));
                self.emit_lanes(pieces::ADD64, sum, product, more);
                sum
            }
            Some(size @ (2 | 4)) => {
                let mut index = index;
                if size == 2 {
                    let whole = self.temporary(Type::B32);
                    self.emit_lanes(pieces::WIDEN16, whole, index, index);
                    index = whole;
                }
                let (bytes, product) = (self.constants.w32(element), self.temporary(Type::B32));
                self.emit_lanes(pieces::MULTIPLY32, product, index, bytes);
                let (more, sum) = (self.constants.w32(more as u32), self.temporary(Type::B32));
                self.emit_lanes(pieces::ADD32, sum, product, more);
                let wide = self.temporary(Type::B64);
                self.emit_lanes(pieces::WIDEN_UNSIGNED, wide, sum, sum);
                wide
            }
            _ => return Err(self.wrong_operand(operand, "a register of 16, 32 or 64 bits")),
        };
        let start = self.address_value(&Meaning::Variable(*variable), 0, Type::B64, operand)?;
        let address = self.temporary(Type::B64);
        self.emit_lanes(pieces::ADD64, address, start, offset);
        Ok(address)
    }

    /// `v.x` of a vector register or a special one.
    pub(in crate::lower) fn member(
        &mut self,
        name: &Arc<str>,
        member: &str,
        span: Span,
        reads: bool,
    ) -> Result<Meaning, LowerError> {
        if let Some(special) = special_register(name, Some(member)) {
            return Ok(Meaning::Special(special));
        }
        let element = self.scopes.element(name, member);
        let undeclared = || LowerErrorKind::Undeclared(format!("{name}.{member}"));
        let index = element.ok_or_else(|| LowerError::at(undeclared(), span))?;
        self.used(index, reads)
    }

    /// Notes that an instruction uses a register.
    fn used(&mut self, index: usize, reads: bool) -> Result<Meaning, LowerError> {
        let seen = if reads { &mut self.current.reads } else { &mut self.current.writes };
        seen.push(index as u32);
        let (ty, slot) = self.slot_of(index)?;
        Ok(Meaning::Register(ty, slot))
    }

    /// Reads a special register into a slot of a type.
    pub(in crate::lower) fn special(
        &mut self,
        d: Slot,
        special: SpecialRegister,
        ty: Type,
        operand: &Operand,
    ) -> Result<(), LowerError> {
        match ty.bytes() {
            Some(8) => self.emit(Kind::Special64(d, special)),
            Some(2 | 4) => self.emit(Kind::Special32(d, special)),
            None if special == SpecialRegister::Zero => {
                let no = self.constants.predicate(false);
                self.emit_lanes(crate::lower::translate::data::copy_of(ty), d, no, no);
            }
            _ => return Err(self.wrong_operand(operand, &format!("a .{}", ty.keyword()))),
        }
        Ok(())
    }

    /// A register where a type is expected.
    fn fit(
        &mut self,
        found: Type,
        slot: Slot,
        ty: Type,
        wide: bool,
        operand: &Operand,
    ) -> Result<Slot, LowerError> {
        let (have, want) = (found.bytes(), ty.bytes());
        if have == want {
            return Ok(slot);
        }
        match (have, want) {
            (Some(have), Some(want)) if wide && have > want => {
                if have >= 8 && want < 8 {
                    let d = self.temporary(Type::B32);
                    self.emit_lanes(pieces::NARROW, d, slot, slot);
                    return Ok(d);
                }
                Ok(slot)
            }
            _ => Err(self.wrong_register(operand, found, ty, wide)),
        }
    }

    pub(in crate::lower) fn wrong_register(
        &self,
        operand: &Operand,
        found: Type,
        ty: Type,
        wide: bool,
    ) -> LowerError {
        let size = match ty.bytes() {
            None => "a predicate register".to_string(),
            Some(bytes) if wide => format!("a register of at least {} bits", bytes * 8),
            Some(bytes) => format!("a register of {} bits", bytes * 8),
        };
        self.wrong_operand(operand, &format!("{size}, and this is a .{}", found.keyword()))
    }

    pub(in crate::lower) fn wrong_operand(&self, operand: &Operand, expected: &str) -> LowerError {
        let (operand, expected, span) = (operand.to_string(), expected.into(), operand.span);
        LowerError::at(LowerErrorKind::Operand { operand, expected }, span)
    }

    /// The address of a variable or function as a value.
    pub(in crate::lower) fn address_value(
        &mut self,
        meaning: &Meaning,
        offset: i64,
        ty: Type,
        operand: &Operand,
    ) -> Result<Slot, LowerError> {
        let wide = match (ty, ty.bytes()) {
            (Type::F32 | Type::F64 | Type::F16 | Type::Bf16, _) => {
                return Err(self.wrong_operand(operand, "a floating-point value"));
            }
            (_, Some(8)) => true,
            (_, Some(4)) => false,
            _ => return Err(self.wrong_operand(operand, &format!("a .{}", ty.keyword()))),
        };
        let address = match meaning {
            Meaning::Function(address) => *address,
            Meaning::Variable(variable) => match variable.location {
                Location::Absolute(offset) if variable.space == Space::Param => {
                    window::KERNEL_PARAM + offset
                }
                Location::Absolute(address) => address,
                Location::Frame(at) => return self.frame_address(at, offset, wide, operand),
                Location::FrameParam(at) => match self.copied_param(at, variable)? {
                    Some(at) => return self.frame_address(at, offset, wide, operand),
                    None => {
                        let what = format!("the address of {operand}");
                        let reason = "what is passed to or from a call is reached by ld.param and st.param only";
                        return Err(self.unsupported(what, reason, operand.span));
                    }
                },
            },
            _ => return Err(self.wrong_operand(operand, "a register, an immediate or an address")),
        };
        let address = address.wrapping_add_signed(offset);
        if wide {
            return Ok(self.constants.w64(address));
        }
        let narrow = u32::try_from(address);
        let narrow =
            narrow.map_err(|_| self.wrong_operand(operand, "an address that fits in 32 bits"))?;
        Ok(self.constants.w32(narrow))
    }

    /// The address of a place in the local memory of the activation.
    fn frame_address(
        &mut self,
        at: u32,
        offset: i64,
        wide: bool,
        operand: &Operand,
    ) -> Result<Slot, LowerError> {
        let at = u32::try_from(i64::from(at).saturating_add(offset));
        let at = at.map_err(|_| self.wrong_operand(operand, "an address inside the variable"))?;
        let d = self.temporary(if wide { Type::B64 } else { Type::B32 });
        self.emit(if wide { Kind::LocalAddress64(d, at) } else { Kind::LocalAddress32(d, at) });
        Ok(d)
    }

    /// A constant of a type.
    fn immediate(&mut self, operand: &Operand, ty: Type) -> Result<Slot, LowerError> {
        let bits = match (&operand.kind, ty) {
            (OperandKind::Integer(value), Type::Pred) => {
                return Ok(self.constants.predicate(*value != 0));
            }
            (OperandKind::Integer(value), _) => integer_bits(*value, ty),
            (OperandKind::F32(bits), Type::F32 | Type::B32 | Type::U32 | Type::S32) => {
                Some(u64::from(*bits))
            }
            (OperandKind::F64(bits), Type::F64 | Type::B64 | Type::U64 | Type::S64) => Some(*bits),
            (OperandKind::F64(bits), Type::F32 | Type::B32 | Type::U32) => {
                Some((f64::from_bits(*bits) as f32).to_bits().into())
            }
            _ => None,
        };
        let expected = || match ty {
            Type::Pred => "a predicate".to_string(),
            Type::F32 | Type::F64 => {
                format!("a register or a floating-point value of .{}", ty.keyword())
            }
            _ => format!("a register or an integer of .{}", ty.keyword()),
        };
        let bits = bits.ok_or_else(|| self.wrong_operand(operand, &expected()))?;
        Ok(if ty.bytes() == Some(8) {
            self.constants.w64(bits)
        } else {
            self.constants.w32(bits as u32)
        })
    }

    /// A destination register of a type; `_` is a scratch slot.
    pub(in crate::lower) fn destination(
        &mut self,
        operand: &Operand,
        ty: Type,
    ) -> Result<Slot, LowerError> {
        let found = match self.destination_register(operand)? {
            None => return Ok(self.temporary(ty)),
            Some(found) => found,
        };
        if found.0.bytes() == ty.bytes() {
            return Ok(found.1);
        }
        Err(self.wrong_register(operand, found.0, ty, false))
    }

    /// The register that an operand writes; `None` for `_`.
    pub(in crate::lower) fn destination_register(
        &mut self,
        operand: &Operand,
    ) -> Result<Option<(Type, Slot)>, LowerError> {
        let meaning = match &operand.kind {
            OperandKind::Sink => return Ok(None),
            OperandKind::Name(name) => self.meaning(name, operand.span, false)?,
            OperandKind::Member(name, member) => self.member(name, member, operand.span, false)?,
            _ => return Err(self.wrong_operand(operand, "a register")),
        };
        match meaning {
            Meaning::Register(ty, slot) => Ok(Some((ty, slot))),
            _ => Err(self.wrong_operand(operand, "a register")),
        }
    }

    /// The base of an address in a variable.
    pub(in crate::lower) fn base_of(variable: &Variable) -> (Base, i64) {
        match variable.location {
            Location::Absolute(address) => (Base::Absolute, address as i64),
            Location::Frame(offset) => (Base::Frame, offset.into()),
            Location::FrameParam(offset) => (Base::FrameParam, offset.into()),
        }
    }
}

/// The bits of an integer in a type. Constants have 64 bits and are converted at their use (PTX ISA
/// 4.5.1), so a narrower type takes the low bits. No integer is accepted as a float.
fn integer_bits(value: i128, ty: Type) -> Option<u64> {
    if matches!(ty, Type::F32 | Type::F64 | Type::F16 | Type::Bf16) {
        return None;
    }
    let bits = ty.bytes()? * 8;
    if bits > 64 {
        return None;
    }
    Some(value as u64 & (u64::MAX >> (64 - bits)))
}
