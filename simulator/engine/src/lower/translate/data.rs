//! `mov`, `cvta` and `isspacep` (PTX ISA 9.7.9.3 to 9.7.9.5, 9.7.9.18, 9.7.9.19).
//!
//! `mov` of a vector packs its elements, the lowest first, or unpacks. `cvta` adds the start of a
//! state space's window, or subtracts it; a global address is generic already.

use std::sync::Arc;

use crate::internal;
use crate::lanes::{Primitive, Slot};
use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::module::placement::window;
use crate::lower::operations::operation::Kind;
use crate::lower::scope::Entity;
use crate::lower::translate::memory::{space_of, vector_of};
use crate::lower::translate::operands::Meaning;
use crate::lower::translate::pieces;
use crate::lower::translate::special::special_register;
use crate::lower::translate::structural::Form;
use crate::ptx::{Operand, OperandKind, Space, Type};

impl FunctionLowering<'_, '_> {
    pub(in crate::lower) fn mov(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let (ty, [d, a]) = (form.ty()?, form.exactly()?);
        if let Some(elements) = form.find(vector_of) {
            return self.mov_vector(d, a, elements, ty);
        }
        let (d, a) = (&self.in_elements(d), &self.in_elements(a));
        if ty == Type::B128 {
            return self.mov_128(d, a);
        }
        match (&d.kind, &a.kind) {
            (OperandKind::Vector(elements), _) => self.unpack(elements, a, ty, d),
            (_, OperandKind::Vector(elements)) => self.pack(d, elements, ty, a),
            _ => self.copy(d, a, ty),
        }
    }

    /// The operand; a vector register becomes the list of its elements.
    fn in_elements(&mut self, operand: &Operand) -> Operand {
        let OperandKind::Name(name) = &operand.kind else { return operand.clone() };
        let Some(Entity::Vector(_, count)) = self.scopes.lookup(name) else {
            return operand.clone();
        };
        members(name, count, operand)
    }

    /// `mov.v2` and `mov.v4`: element by element, as if all at once.
    fn mov_vector(
        &mut self,
        d: &Operand,
        a: &Operand,
        count: u32,
        ty: Type,
    ) -> Result<(), LowerError> {
        let a = match &a.kind {
            // All of `%tid` and similar registers.
            OperandKind::Name(name) if special_register(name, Some("x")).is_some() => {
                members(name, 4, a)
            }
            _ => self.in_elements(a),
        };
        let d = self.in_elements(d);
        let elements = |vector: &Operand| match &vector.kind {
            OperandKind::Vector(list) if list.len() == count as usize => Ok(list.clone()),
            _ => Err(self.wrong_operand(vector, &format!("a vector of {count} elements"))),
        };
        let (to, from) = (elements(&d)?, elements(&a)?);
        let mut between = Vec::new();
        for operand in &from {
            let (source, copy) = (self.source(operand, ty)?, self.temporary(ty));
            self.emit_lanes(copy_of(ty), copy, source, source);
            between.push(copy);
        }
        for (operand, source) in to.iter().zip(between) {
            let d = self.destination(operand, ty)?;
            self.emit_lanes(copy_of(ty), d, source, source);
        }
        Ok(())
    }

    /// `mov.b128`: between two registers, or to and from two of 64 bits or four of 32.
    fn mov_128(&mut self, d: &Operand, a: &Operand) -> Result<(), LowerError> {
        match (&d.kind, &a.kind) {
            (OperandKind::Vector(elements), _) => {
                let halves = self.halves(a)?;
                let count = self.half_count(elements, d)?;
                for (elements, half) in elements.chunks(count).zip(halves) {
                    match elements {
                        [only] if only.kind == OperandKind::Sink => {}
                        [only] => {
                            let d = self.destination(only, Type::B64)?;
                            self.emit_lanes(pieces::COPY_64, d, half, half);
                        }
                        pair => {
                            self.split(pair, half, [pieces::NARROW, pieces::HIGH], Type::B32)?
                        }
                    }
                }
                if elements.iter().all(|e| e.kind == OperandKind::Sink) {
                    self.emit(Kind::Nothing);
                }
            }
            (_, OperandKind::Vector(elements)) => {
                let count = self.half_count(elements, a)?;
                let ty = if count == 1 { Type::B64 } else { Type::B32 };
                let mut slots = Vec::new();
                for element in elements {
                    slots.push(self.source(element, ty)?);
                }
                let Some(halves) = self.destination_halves(d)? else {
                    return Err(self.wrong_operand(d, "a register of 128 bits"));
                };
                for (half, slots) in halves.into_iter().zip(slots.chunks(count)) {
                    match slots {
                        [a, b] => self.emit_lanes(pieces::PACK32, half, *a, *b),
                        _ => self.emit_lanes(pieces::COPY_64, half, slots[0], slots[0]),
                    }
                }
            }
            _ => {
                let from = self.halves(a)?;
                let Some(to) = self.destination_halves(d)? else {
                    return Err(self.wrong_operand(d, "a register of 128 bits"));
                };
                for (d, a) in to.into_iter().zip(from) {
                    self.emit_lanes(pieces::COPY_64, d, a, a);
                }
            }
        }
        Ok(())
    }

    /// How many of the elements of a vector fill 64 bits of 128.
    fn half_count(&self, elements: &[Operand], vector: &Operand) -> Result<usize, LowerError> {
        match elements.len() {
            2 => Ok(1),
            4 => Ok(2),
            _ => Err(self.wrong_operand(vector, "a vector whose elements fill a .b128")),
        }
    }

    fn copy(&mut self, d: &Operand, a: &Operand, ty: Type) -> Result<(), LowerError> {
        let special = match &a.kind {
            OperandKind::Name(name) if self.scopes.lookup(name).is_none() => {
                self.meaning(name, a.span, true)?
            }
            OperandKind::Member(name, member) => self.member(name, member, a.span, true)?,
            _ => {
                let source = self.source(a, ty)?;
                let d = self.destination(d, ty)?;
                self.emit_lanes(copy_of(ty), d, source, source);
                return Ok(());
            }
        };
        let source = match special {
            Meaning::Special(special) => {
                let d = self.destination(d, ty)?;
                return self.special(d, special, ty, a);
            }
            Meaning::Register(found, slot) if found.bytes() == ty.bytes() => slot,
            Meaning::Register(found, _) => return Err(self.wrong_register(a, found, ty, false)),
            meaning => self.address_value(&meaning, 0, ty, a)?,
        };
        let d = self.destination(d, ty)?;
        self.emit_lanes(copy_of(ty), d, source, source);
        Ok(())
    }

    /// The type of the elements of a vector of `n` that fills a type.
    fn element(&self, ty: Type, n: usize, vector: &Operand) -> Result<Type, LowerError> {
        match (ty.bytes(), n) {
            (Some(8), 2) => Ok(Type::B32),
            (Some(8), 4) | (Some(4), 2) => Ok(Type::B16),
            (Some(4), 4) | (Some(2), 2) => Ok(Type::B8),
            (Some(_) | None, _) => {
                let expected = format!("a vector whose elements fill a .{}", ty.keyword());
                Err(self.wrong_operand(vector, &expected))
            }
        }
    }

    fn pack(
        &mut self,
        d: &Operand,
        elements: &[Operand],
        ty: Type,
        vector: &Operand,
    ) -> Result<(), LowerError> {
        let element = self.element(ty, elements.len(), vector)?;
        let mut slots = Vec::new();
        for operand in elements {
            slots.push(self.source(operand, element)?);
        }
        let d = self.destination(d, ty)?;
        let (narrow, wide): (Primitive, Primitive) = match element {
            Type::B32 => (pieces::PACK32, pieces::PACK32),
            Type::B16 => (pieces::PACK16, pieces::PACK32),
            Type::B8 => (pieces::PACK8, pieces::PACK16),
            other => return Err(internal!("elements of .{} to pack", other.keyword()).into()),
        };
        match slots[..] {
            [a, b] => self.emit_lanes(narrow, d, a, b),
            [a, b, c, e] => {
                let (low, high) = (self.temporary(Type::B32), self.temporary(Type::B32));
                self.emit_lanes(narrow, low, a, b);
                self.emit_lanes(narrow, high, c, e);
                self.emit_lanes(wide, d, low, high);
            }
            _ => return Err(internal!("a vector of {} elements to pack", slots.len()).into()),
        }
        Ok(())
    }

    fn unpack(
        &mut self,
        elements: &[Operand],
        a: &Operand,
        ty: Type,
        vector: &Operand,
    ) -> Result<(), LowerError> {
        let element = self.element(ty, elements.len(), vector)?;
        let a = self.source(a, ty)?;
        if elements.iter().all(|e| e.kind == OperandKind::Sink) {
            self.emit(Kind::Nothing);
            return Ok(());
        }
        let halves: [Primitive; 2] = match (ty.bytes(), element) {
            (Some(8), _) => [pieces::NARROW, pieces::HIGH],
            (Some(4), _) => [pieces::LOW16, pieces::HIGH16],
            _ => [pieces::LOW8, pieces::HIGH8],
        };
        let quarters: [Primitive; 2] = match element {
            Type::B16 => [pieces::LOW16, pieces::HIGH16],
            _ => [pieces::LOW8, pieces::HIGH8],
        };
        if elements.len() == 2 {
            return self.split(elements, a, halves, element);
        }
        for (half, pair) in halves.into_iter().zip(elements.chunks(2)) {
            let middle = self.temporary(Type::B32);
            self.emit_lanes(half, middle, a, a);
            self.split(pair, middle, quarters, element)?;
        }
        Ok(())
    }

    fn split(
        &mut self,
        pair: &[Operand],
        a: Slot,
        halves: [Primitive; 2],
        element: Type,
    ) -> Result<(), LowerError> {
        for (operand, half) in pair.iter().zip(halves) {
            if operand.kind == OperandKind::Sink {
                continue;
            }
            let d = self.destination(operand, element)?;
            self.emit_lanes(half, d, a, a);
        }
        Ok(())
    }

    pub(in crate::lower) fn cvta(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d, a] = form.exactly()?;
        let a = self.source(a, Type::U64)?;
        let d = self.destination(d, Type::U64)?;
        let start = match form.choose("a state space", space_of)? {
            // Only the low half of an address of shared memory counts; the upper half belongs to
            // the window.
            Space::Shared => {
                let low = self.temporary(Type::U32);
                self.emit_lanes(pieces::NARROW, low, a, a);
                let upper = if form.has("to") { 0 } else { (window::SHARED >> 32) as u32 };
                let upper = self.constants.w32(upper);
                self.emit_lanes(pieces::PACK32, d, low, upper);
                return Ok(());
            }
            Space::Local => window::LOCAL,
            Space::Const => window::CONST,
            Space::Param => window::PARAM,
            Space::Global => {
                self.emit_lanes(pieces::COPY_64, d, a, a);
                return Ok(());
            }
            Space::Tex => return Err(internal!("`cvta` of textures").into()),
        };
        let start = if form.has("to") { start.wrapping_neg() } else { start };
        let start = self.constants.w64(start);
        self.emit_lanes(pieces::ADD64, d, a, start);
        Ok(())
    }

    pub(in crate::lower) fn isspacep(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d, a] = form.exactly()?;
        let a = self.source(a, Type::U64)?;
        let d = self.destination(d, Type::Pred)?;
        let space = form.choose("a state space", space_of)?;
        self.emit(Kind::IsSpace { d, a, space });
        Ok(())
    }
}

/// `{v.x, v.y, ...}`
fn members(name: &Arc<str>, count: usize, operand: &Operand) -> Operand {
    let span = operand.span;
    let member = |member: &str| OperandKind::Member(Arc::clone(name), member.into());
    let elements = ["x", "y", "z", "w"].into_iter().take(count);
    let elements = elements.map(|x| Operand { kind: member(x), span }).collect();
    Operand { kind: OperandKind::Vector(elements), span }
}

pub(in crate::lower) fn copy_of(ty: Type) -> Primitive {
    match ty.bytes() {
        None => pieces::COPY_PREDICATE,
        Some(8) => pieces::COPY_64,
        Some(_) => pieces::COPY_32,
    }
}
