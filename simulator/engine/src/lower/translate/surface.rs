//! Surfaces (PTX ISA 9.7.11): accesses to global memory. The operation before it computes the
//! address from the handle and the coordinates, and which lanes have one.
//!
//! The width of the texels of a formatted store, and the signedness for a formatted reduction, are
//! known only at execution. There is one access for each case. A lane takes part in one of them.

use crate::internal;
use crate::lanes::Slot;
use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::operations::access::{
    Atomic, AtomicOperation, AtomicPiece, Base, Load, Order, Scope, Semantics, Store, Target,
};
use crate::lower::operations::image::{ImageAction, Outside, Unit};
use crate::lower::operations::operand::Guard;
use crate::lower::operations::operation::Kind;
use crate::lower::translate::memory::operation_named;
use crate::lower::translate::pieces;
use crate::lower::translate::structural::Form;
use crate::ptx::{Operand, Space, Type};

/// The place of a surface access: the address, and the lanes that have one.
struct Found {
    target: Target,
    inside: Slot,
    outside: Outside,
}

impl FunctionLowering<'_, '_> {
    /// `suld.b`
    pub(in crate::lower) fn load_surface(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d, place] = form.exactly()?;
        let ty = form.ty()?;
        let Found { target, inside, outside } = self.found(form, place, ty, Unit::Bytes)?;
        let whole = self.guard_with(inside);
        let load = self.loaded(target, d, ty);
        let load = load.map(|load| {
            if outside == Outside::Zero {
                self.clear(&load, whole);
            }
            self.emit(Kind::Load(Box::new(load)));
        });
        self.current.guard = whole;
        load
    }

    /// `sust.b`
    pub(in crate::lower) fn store_surface(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [place, c] = form.exactly()?;
        let ty = form.ty()?;
        let Found { target, inside, .. } = self.found(form, place, ty, Unit::Bytes)?;
        let whole = self.guard_with(inside);
        let done = self.store_at(target, c, ty);
        self.current.guard = whole;
        done
    }

    /// `sust.p`
    pub(in crate::lower) fn store_formatted(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [place, c] = form.exactly()?;
        let outside = outside(form)?;
        let values = self.values(c, elements(form), Type::B32)?.into_iter().map(|(_, slot)| slot);
        let values = values.collect();
        let place = self.texel_place(form, place)?;
        let d = self.temporary(Type::B64);
        let words: [Slot; 4] = std::array::from_fn(|_| self.temporary(Type::B32));
        let inside: [Slot; 5] = std::array::from_fn(|_| self.never());
        self.emit_image(place, ImageAction::Pack { d, inside, words, values, outside });
        for (width, count, inside) in [
            (1, 1, inside[0]),
            (2, 1, inside[1]),
            (4, 1, inside[2]),
            (4, 2, inside[3]),
            (4, 4, inside[4]),
        ] {
            let target =
                Target { base: Base::W64(d), ..Target::weak(Some(Space::Global), width, count) };
            let sources = words[..count as usize].to_vec();
            let whole = self.guard_with(inside);
            self.emit(Kind::Store(Box::new(Store { target, sources, wide: false })));
            self.current.guard = whole;
        }
        Ok(())
    }

    /// `sured`
    pub(in crate::lower) fn reduce_surface(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [place, c] = form.exactly()?;
        // The type of a formatted one gives only its width.
        let (operation, ty) = (form.choose("an operation", operation_named)?, form.ty()?);
        let cases: &[(Unit, Type)] = match (form.has("p"), operation, ty.bytes()) {
            (false, ..) => &[(Unit::Bytes, ty)],
            (true, AtomicOperation::Min | AtomicOperation::Max, Some(8)) => &[
                (Unit::TexelsOf { signed: false }, Type::U64),
                (Unit::TexelsOf { signed: true }, Type::S64),
            ],
            (true, AtomicOperation::Min | AtomicOperation::Max, _) => &[
                (Unit::TexelsOf { signed: false }, Type::U32),
                (Unit::TexelsOf { signed: true }, Type::S32),
            ],
            (true, AtomicOperation::Add, _) => &[(Unit::Texels, Type::U32)],
            (true, ..) => &[(Unit::Texels, ty)],
        };
        for (unit, ty) in cases {
            let Found { mut target, inside, .. } = self.found(form, place, *ty, *unit)?;
            target.semantics = Semantics { order: Order::Relaxed, scope: Scope::Gpu };
            let b = self.source(c, *ty)?;
            let wide = ty.bytes() == Some(8);
            let pieces = vec![AtomicPiece { destination: None, b, c: None }];
            let atomic = Atomic { target, operation, ty: *ty, pieces, wide };
            let whole = self.guard_with(inside);
            self.emit(Kind::Atomic(Box::new(atomic)));
            self.current.guard = whole;
        }
        Ok(())
    }

    /// The place of an access to as many elements of a type as the form has.
    fn found(
        &mut self,
        form: Form<'_>,
        place: &Operand,
        ty: Type,
        unit: Unit,
    ) -> Result<Found, LowerError> {
        let (outside, elements) = (outside(form)?, elements(form));
        let width = ty.bytes().ok_or_else(|| internal!("a surface of a .{}", ty.keyword()))?;
        let place = self.texel_place(form, place)?;
        let (d, inside) = (self.temporary(Type::B64), self.never());
        let bytes = width * elements;
        self.emit_image(place, ImageAction::Address { d, inside, outside, bytes, unit });
        let target =
            Target { base: Base::W64(d), ..Target::weak(Some(Space::Global), width, elements) };
        Ok(Found { target, inside, outside })
    }

    /// A predicate that is false in every lane, so far.
    fn never(&mut self) -> Slot {
        let inside = self.temporary(Type::Pred);
        let guard = self.current.guard.take();
        let never = self.constants.predicate(false);
        self.emit_lanes(pieces::COPY_PREDICATE, inside, never, never);
        self.current.guard = guard;
        inside
    }

    /// Guards the next operations with a predicate, which is false where the instruction is not
    /// executed. Returns the guard of the instruction.
    fn guard_with(&mut self, inside: Slot) -> Option<Guard> {
        let guard = Guard { predicate: inside, negated: false };
        self.current.guard.replace(guard)
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
}

/// The form's effect outside the surface.
fn outside(form: Form<'_>) -> Result<Outside, LowerError> {
    form.choose("what is outside", |modifier| match modifier {
        "trap" => Some(Outside::Trap),
        "clamp" => Some(Outside::Clamp),
        "zero" => Some(Outside::Zero),
        _ => None,
    })
}

/// The elements of the form's vector.
fn elements(form: Form<'_>) -> u32 {
    match () {
        () if form.has("v4") => 4,
        () if form.has("v2") => 2,
        () => 1,
    }
}
