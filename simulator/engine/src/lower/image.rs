//! Textures and surfaces (PTX ISA 9.7.10, 9.7.11): the operations, and how they are translated.
//!
//! A lookup of a texture is an operation of its own. An access to a surface is one to global memory, at
//! an address that an operation before it makes of the handle and the coordinates: it says for which
//! lanes there is one.

use super::error::LowerError;
use super::function::FunctionLowering;
use super::memory::atomic_operation;
use super::operation::{
    Atomic, AtomicPiece, Base, Guard, Kind, Load, Order, Scope, Semantics, Target,
};
use super::pieces;
use super::structural::Form;
use crate::internal;
use crate::isa::ImageInstruction;
use crate::lanes::Slot;
use crate::ptx::{AddressBase, Operand, OperandKind, Space, Type};

/// An operation on textures or surfaces.
#[derive(Clone, Debug)]
pub struct ImageOperation {
    /// The handle, in a 64-bit slot.
    pub handle: Slot,
    /// The directions that the instruction has.
    pub dimensions: u32,
    /// The coordinates, one for each direction, in 32-bit slots.
    pub coordinates: Vec<Slot>,
    /// What is done.
    pub action: ImageAction,
}

/// What is done with a texture or a surface.
#[derive(Clone, Debug)]
pub enum ImageAction {
    /// `tex`, `tld4`.
    Sample(Sample),
    /// `txq`, `suq`: the size along a direction, into a 32-bit slot.
    Size {
        /// Where to.
        d: Slot,
        /// 0 for the width, 1 for the height, 2 for the depth.
        direction: u32,
    },
    /// The address of what an access to a surface is for.
    Address {
        /// The address, in a 64-bit slot.
        d: Slot,
        /// The predicate that becomes true in lanes that have an address.
        inside: Slot,
        /// What coordinates outside mean.
        outside: Outside,
        /// Bytes of the access.
        bytes: u32,
    },
}

/// A lookup of a texture.
#[derive(Clone, Debug)]
pub struct Sample {
    /// The four components of the result, in 32-bit slots; `None` for `_`.
    pub d: [Option<Slot>; 4],
    /// Coordinates are integers.
    pub whole: bool,
    /// `tld4`: this component of four texels.
    pub gathers: Option<u32>,
    /// What it is as an access to memory: its address and its size follow from the object.
    pub target: Target,
}

/// What an access to a surface does outside of it (PTX ISA 9.7.11.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outside {
    /// The launch ends.
    Trap,
    /// The nearest place is accessed.
    Clamp,
    /// Zeros are read, and nothing is written.
    Zero,
}

/// The handle and the coordinates of an instruction.
struct Place {
    handle: Slot,
    dimensions: u32,
    coordinates: Vec<Slot>,
}

impl FunctionLowering<'_, '_> {
    pub(super) fn image(
        &mut self,
        form: Form<'_>,
        instruction: ImageInstruction,
    ) -> Result<(), LowerError> {
        match instruction {
            ImageInstruction::Sample => self.sample(form, None),
            ImageInstruction::Gather => {
                let component = |modifier: &str| "rgba".find(modifier).map(|at| at as u32);
                let component = form.choose("a component", component)?;
                self.sample(form, Some(component))
            }
            ImageInstruction::Query => self.size(form),
            ImageInstruction::Load => {
                let [d, place] = form.exactly()?;
                self.in_surface(form, place, |this, target, elsewhere| {
                    let load = this.loaded(target, d, form.ty()?)?;
                    if let Some(guard) = elsewhere {
                        this.clear(&load, guard);
                    }
                    this.emit(Kind::Load(Box::new(load)));
                    Ok(())
                })
            }
            ImageInstruction::Store => {
                let [place, c] = form.exactly()?;
                self.in_surface(form, place, |this, target, _| this.store_at(target, c, form.ty()?))
            }
            ImageInstruction::Reduce => {
                let [place, c] = form.exactly()?;
                self.in_surface(form, place, |this, target, _| {
                    this.reduce_in_surface(form, target, c)
                })
            }
        }
    }

    /// `tex`, and `tld4` of a component.
    fn sample(&mut self, form: Form<'_>, gathers: Option<u32>) -> Result<(), LowerError> {
        let more = if form.has("level") {
            1
        } else if form.has("grad") {
            2
        } else {
            0
        };
        let ([d, place], rest) = form.at_least::<2>(4)?;
        if rest.len() > more {
            let reason = "offsets and comparisons are not modelled";
            let what = super::function::mnemonic(form.instruction);
            return Err(self.unsupported(what, reason, form.instruction.span));
        }
        if rest.len() < more {
            return Err(form.operand_count());
        }
        // There is one level: which one is asked for makes no difference.
        for operand in rest {
            match &operand.kind {
                OperandKind::Vector(list) => {
                    for element in list {
                        self.source(element, Type::B32)?;
                    }
                }
                _ => {
                    self.source(operand, Type::B32)?;
                }
            }
        }
        let whole = form.instruction.modifiers.last().is_some_and(|m| &*m.text == "s32");
        let Place { handle, dimensions, coordinates } = self.texel_place(form, place)?;
        let OperandKind::Vector(list) = &d.kind else {
            return Err(self.wrong_operand(d, "four registers, `{a, b, c, d}`"));
        };
        let [x, y, z, w] = list.as_slice() else {
            return Err(self.wrong_operand(d, "four registers, `{a, b, c, d}`"));
        };
        let mut slots = [None; 4];
        for (slot, operand) in slots.iter_mut().zip([x, y, z, w]) {
            if operand.kind != OperandKind::Sink {
                *slot = Some(self.destination(operand, Type::B32)?);
            }
        }
        let target = Target {
            base: Base::W64(handle),
            non_coherent: true,
            ..Target::weak(Some(Space::Global), 4, 1)
        };
        let sample = Sample { d: slots, whole, gathers, target };
        self.emit_image(handle, dimensions, coordinates, ImageAction::Sample(sample));
        Ok(())
    }

    fn size(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d, a] = form.exactly()?;
        let direction = |modifier: &str| match modifier {
            "width" => Some(0),
            "height" => Some(1),
            "depth" => Some(2),
            _ => None,
        };
        let direction = form.choose("a direction", direction)?;
        let handle = match &a.kind {
            OperandKind::Address(AddressBase::Name(name), 0) => {
                Operand { kind: OperandKind::Name(name.clone()), span: a.span }
            }
            _ => return Err(self.wrong_operand(a, "a handle in brackets")),
        };
        let handle = self.handle(&handle)?;
        let d = self.destination(d, Type::B32)?;
        self.emit_image(handle, 0, Vec::new(), ImageAction::Size { d, direction });
        Ok(())
    }

    /// Zeros for lanes that may have no place to load from.
    fn clear(&mut self, load: &Load, guard: Option<Guard>) {
        let inside = std::mem::replace(&mut self.current.guard, guard);
        let (zero, copy) = match load.wide {
            true => (self.constants.w64(0), pieces::COPY_64),
            false => (self.constants.w32(0), pieces::COPY_32),
        };
        for d in load.destinations.iter().flatten() {
            self.emit_lanes(copy, *d, zero, zero);
        }
        self.current.guard = inside;
    }

    /// An access at a place of a surface, for the lanes that have one. It gets the guard of the
    /// instruction where lanes may have none.
    fn in_surface(
        &mut self,
        form: Form<'_>,
        place: &Operand,
        access: impl FnOnce(&mut Self, Target, Option<Option<Guard>>) -> Result<(), LowerError>,
    ) -> Result<(), LowerError> {
        let outside = |modifier: &str| match modifier {
            "trap" => Some(Outside::Trap),
            "clamp" => Some(Outside::Clamp),
            "zero" => Some(Outside::Zero),
            _ => None,
        };
        let outside = form.choose("what is outside", outside)?;
        let ty = form.ty()?;
        let elements = if form.has("v4") {
            4
        } else if form.has("v2") {
            2
        } else {
            1
        };
        let width = ty.bytes().ok_or_else(|| internal!("a surface of a .{}", ty.keyword()))?;
        let Place { handle, dimensions, coordinates } = self.texel_place(form, place)?;
        let (d, inside) = (self.temporary(Type::B64), self.temporary(Type::Pred));
        let guard = self.current.guard.take();
        let never = self.constants.predicate(false);
        self.emit_lanes(pieces::COPY_PREDICATE, inside, never, never);
        self.current.guard = guard;
        let bytes = width * elements;
        let action = ImageAction::Address { d, inside, outside, bytes };
        self.emit_image(handle, dimensions, coordinates, action);
        let target =
            Target { base: Base::W64(d), ..Target::weak(Some(Space::Global), width, elements) };
        let guarded = Guard { predicate: inside, negated: false };
        let whole = self.current.guard.replace(guarded);
        let elsewhere = (outside == Outside::Zero).then_some(whole);
        let done = access(self, target, elsewhere);
        self.current.guard = whole;
        done
    }

    fn reduce_in_surface(
        &mut self,
        form: Form<'_>,
        mut target: Target,
        c: &Operand,
    ) -> Result<(), LowerError> {
        let (operation, ty) = atomic_operation(form)?;
        target.semantics = Semantics { order: Order::Relaxed, scope: Scope::Gpu };
        let b = self.source(c, ty)?;
        let wide = ty.bytes() == Some(8);
        let pieces = vec![AtomicPiece { destination: None, b, c: None }];
        let atomic = Atomic { target, operation, ty, pieces, wide };
        self.emit(Kind::Atomic(Box::new(atomic)));
        Ok(())
    }

    fn emit_image(
        &mut self,
        handle: Slot,
        dimensions: u32,
        coordinates: Vec<Slot>,
        action: ImageAction,
    ) {
        let operation = ImageOperation { handle, dimensions, coordinates, action };
        self.emit(Kind::Image(Box::new(operation)));
    }

    /// `[a, c]`.
    fn texel_place(&mut self, form: Form<'_>, place: &Operand) -> Result<Place, LowerError> {
        let dimensions = |modifier: &str| match modifier {
            "1d" => Some(1),
            "2d" => Some(2),
            "3d" => Some(3),
            _ => None,
        };
        let dimensions: u32 = form.choose("a geometry", dimensions)?;
        let OperandKind::Tuple(parts) = &place.kind else {
            return Err(self.wrong_operand(place, "a handle and coordinates, `[a, {x, y}]`"));
        };
        let [handle, coordinates] = parts.as_slice() else {
            let reason = "samplers beside textures are not modelled";
            return Err(self.unsupported(place.to_string(), reason, place.span));
        };
        let list = match &coordinates.kind {
            OperandKind::Vector(list) => list.as_slice(),
            _ => std::slice::from_ref(coordinates),
        };
        // A fourth coordinate fills up the vector of three.
        let wanted = if dimensions == 3 { 4 } else { dimensions as usize };
        if list.len() != wanted {
            let expected = format!("{wanted} coordinates");
            return Err(self.wrong_operand(coordinates, &expected));
        }
        let handle = self.handle(handle)?;
        let mut slots = Vec::new();
        for operand in &list[..dimensions as usize] {
            slots.push(self.source(operand, Type::B32)?);
        }
        Ok(Place { handle, dimensions, coordinates: slots })
    }

    /// A handle in a register.
    fn handle(&mut self, operand: &Operand) -> Result<Slot, LowerError> {
        let is_register = match &operand.kind {
            OperandKind::Name(name) => self.scopes.lookup(name).is_some(),
            _ => false,
        };
        if !is_register {
            let reason = "references that a module declares are not modelled; take a handle of 64 bits as a parameter";
            return Err(self.unsupported(operand.to_string(), reason, operand.span));
        }
        self.source(operand, Type::U64)
    }
}
