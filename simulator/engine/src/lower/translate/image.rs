//! Translates textures (PTX ISA 9.7.10), and the parts shared with surfaces.
//! [`crate::lower::ImageOperation`] is what they become.
//!
//! A texture lookup is a separate operation. A surface access is one to global memory: see
//! `surface`.

use crate::isa::ImageInstruction;
use crate::lanes::Slot;
use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::operations::access::{Base, Target};
use crate::lower::operations::image::{
    Detail, ImageAction, ImageOperation, ResultWidth, Sample, Shape,
};
use crate::lower::operations::operation::Kind;
use crate::lower::translate::structural::Form;
use crate::ptx::{AddressBase, Operand, OperandKind, Space, Type};

/// The handle and the coordinates of an instruction.
pub(in crate::lower) struct Place {
    handle: Slot,
    dimensions: u32,
    shape: Shape,
    layer: Option<Slot>,
    coordinates: Vec<Slot>,
}

impl FunctionLowering<'_, '_> {
    pub(in crate::lower) fn image(
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
            ImageInstruction::Load => self.load_surface(form),
            ImageInstruction::Store => self.store_surface(form),
            ImageInstruction::StoreFormatted => self.store_formatted(form),
            ImageInstruction::Reduce => self.reduce_surface(form),
        }
    }

    /// `tex`, and `tld4` of a component.
    fn sample(&mut self, form: Form<'_>, gathers: Option<u32>) -> Result<(), LowerError> {
        let ([d, place], rest) = form.at_least::<2>(4)?;
        let place = self.texel_place(form, place)?;
        let (detail, rest) = self.detail(form, &place, rest)?;
        let offsets = self.offsets(form, &place, rest)?;
        let whole = form.instruction.modifiers.last().is_some_and(|m| &*m.text == "s32");
        let (d, resident) = match &d.kind {
            OperandKind::Pair(d, p) => (&**d, Some(self.destination(p, Type::Pred)?)),
            _ => (d, None),
        };
        let (width, ty, count) = match () {
            () if form.has("f16x2") => (ResultWidth::Pairs, Type::B32, 2),
            () if form.has("f16") => (ResultWidth::Halves, Type::B16, 4),
            () => (ResultWidth::Words, Type::B32, 4),
        };
        let list = match &d.kind {
            OperandKind::Vector(list) if list.len() == count => list,
            _ => return Err(self.wrong_operand(d, &format!("{count} registers, `{{a, b, ...}}`"))),
        };
        let mut slots = [None; 4];
        for (slot, operand) in slots.iter_mut().zip(list) {
            if operand.kind != OperandKind::Sink {
                *slot = Some(self.destination(operand, ty)?);
            }
        }
        let target = Target {
            base: Base::W64(place.handle),
            non_coherent: true,
            ..Target::weak(Some(Space::Global), 4, 1)
        };
        let sample = Sample { d: slots, width, resident, whole, gathers, detail, offsets, target };
        self.emit_image(place, ImageAction::Sample(sample));
        Ok(())
    }

    /// The level of detail, and the operands after it.
    fn detail<'o>(
        &mut self,
        form: Form<'_>,
        place: &Place,
        rest: &'o [Operand],
    ) -> Result<(Detail, &'o [Operand]), LowerError> {
        if form.has("level") {
            let [level, rest @ ..] = rest else { return Err(form.operand_count()) };
            return Ok((Detail::Level(self.source(level, Type::B32)?), rest));
        }
        if form.has("grad") {
            let [x, y, rest @ ..] = rest else { return Err(form.operand_count()) };
            let growth = [self.directions(x, place)?, self.directions(y, place)?];
            return Ok((Detail::Growth(growth), rest));
        }
        Ok((Detail::Base, rest))
    }

    /// The offsets, which must be the last operands.
    fn offsets(
        &mut self,
        form: Form<'_>,
        place: &Place,
        rest: &[Operand],
    ) -> Result<Vec<Slot>, LowerError> {
        let refused = |this: &Self, reason: &str| {
            let what = crate::lower::function::mnemonic(form.instruction);
            Err(this.unsupported(what, reason, form.instruction.span))
        };
        match rest {
            [] => Ok(Vec::new()),
            [offsets] if matches!(offsets.kind, OperandKind::Vector(_)) => match place.shape {
                Shape::Plain | Shape::Layered => self.directions(offsets, place),
                Shape::Cube | Shape::CubeLayered => refused(self, "cubes have no offsets"),
            },
            _ => refused(self, "comparisons with a depth (operand f) are not modelled"),
        }
    }

    /// A vector with an element for each direction; a fourth fills up three.
    fn directions(&mut self, operand: &Operand, place: &Place) -> Result<Vec<Slot>, LowerError> {
        let wanted = place.dimensions as usize;
        let list = match &operand.kind {
            OperandKind::Vector(list) => list.as_slice(),
            _ => std::slice::from_ref(operand),
        };
        if list.len() != wanted && !(list.len() == 4 && wanted > 1) {
            let expected = format!("one for each of {wanted} directions");
            return Err(self.wrong_operand(operand, &expected));
        }
        list[..wanted].iter().map(|element| self.source(element, Type::B32)).collect()
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
        let nowhere = Place {
            handle,
            dimensions: 0,
            shape: Shape::Plain,
            layer: None,
            coordinates: Vec::new(),
        };
        self.emit_image(nowhere, ImageAction::Size { d, direction });
        Ok(())
    }

    pub(in crate::lower) fn emit_image(&mut self, place: Place, action: ImageAction) {
        let Place { handle, dimensions, shape, layer, coordinates } = place;
        let operation = ImageOperation { handle, dimensions, shape, layer, coordinates, action };
        self.emit(Kind::Image(Box::new(operation)));
    }

    /// `[a, c]`.
    pub(in crate::lower) fn texel_place(
        &mut self,
        form: Form<'_>,
        place: &Operand,
    ) -> Result<Place, LowerError> {
        // Directions, shape, elements of the vector: a last one fills up three.
        let geometry = |modifier: &str| match modifier {
            "1d" => Some((1, Shape::Plain, 1)),
            "2d" => Some((2, Shape::Plain, 2)),
            "3d" => Some((3, Shape::Plain, 4)),
            "a1d" => Some((1, Shape::Layered, 2)),
            "a2d" => Some((2, Shape::Layered, 4)),
            "cube" => Some((2, Shape::Cube, 4)),
            "acube" => Some((2, Shape::CubeLayered, 4)),
            _ => None,
        };
        let (dimensions, shape, wanted) = form.choose("a geometry", geometry)?;
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
        if list.len() != wanted {
            let expected = format!("{wanted} coordinates");
            return Err(self.wrong_operand(coordinates, &expected));
        }
        let handle = self.handle(handle)?;
        let (has_layer, count) = match shape {
            Shape::Plain => (false, dimensions as usize),
            Shape::Layered => (true, dimensions as usize),
            Shape::Cube => (false, 3),
            Shape::CubeLayered => (true, 3),
        };
        let (mut slots, first) = (Vec::new(), usize::from(has_layer));
        let layer = match has_layer {
            true => Some(self.source(&list[0], Type::B32)?),
            false => None,
        };
        for operand in &list[first..first + count] {
            slots.push(self.source(operand, Type::B32)?);
        }
        Ok(Place { handle, dimensions, shape, layer, coordinates: slots })
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
