//! `wmma` as operations (PTX ISA 9.7.14.4). The ISA leaves open which lane has which element. Here
//! it follows `mma`: several of its matrices form one matrix of a larger shape. For `m8n32k16` this
//! holds for the transposed matrices.

use super::fragment::{Fragment, Layout};
use super::lowering::{Shape, dot, formats, layouts, register_type};
use super::multiply::Multiplication;
use super::number::Format;
use super::product::Order;
use super::rearrangement::{MatrixMove, Rearrangement};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::primitive::{Integer, Logic};
use crate::lanes::{LANES, Primitive, Slot};
use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::operations::access::{Base, Load, Store, Target};
use crate::lower::operations::operation::Kind;
use crate::lower::operations::warp_operation::WarpAction;
use crate::lower::translate::pieces;
use crate::lower::translate::structural::Form;
use crate::ptx::{Operand, Space, Type};

/// A matrix of a product.
#[derive(Clone, Copy, PartialEq)]
enum Which {
    A,
    B,
    C,
}

/// The layout of a matrix of a product over the lanes.
fn fragment(which: Which, Shape { m, n, k }: Shape, format: Format) -> Fragment {
    let bits = format.bits();
    let transposed = m < n;
    let fragment = match (which, transposed) {
        (Which::A, false) => Fragment::new(Layout::Left, m, k, bits),
        (Which::B, false) => Fragment::new(Layout::Right, k, n, bits),
        (Which::C, false) => Fragment::new(Layout::Accumulator, m, n, bits),
        (Which::A, true) => Fragment::new(Layout::Right, k, m, bits),
        (Which::B, true) => Fragment::new(Layout::Left, n, k, bits),
        (Which::C, true) => Fragment::new(Layout::Accumulator, n, m, bits),
    };
    // A factor of f16 always has eight registers.
    let registers = match (which, format) {
        (Which::A | Which::B, Format::F16) => 8,
        _ => fragment.registers,
    };
    Fragment { registers, transposed, ..fragment }
}

/// An access of `wmma.load` and `wmma.store` to neighbouring elements in memory.
struct Piece {
    /// The address, of each lane.
    target: Target,
    /// The register of the fragment.
    register: usize,
    /// The place in the register, in accesses of this width.
    part: usize,
}

impl FunctionLowering<'_, '_> {
    pub(in crate::lower) fn wmma_load(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let ([r, p], stride) = form.at_least::<2>(1)?;
        let (fragment, ty) = accessed(form)?;
        let pieces = self.pieces(form, &fragment, p, stride.first())?;
        let slots = self.fragment(r, fragment.registers, ty, false)?;
        let wide = fragment.bits == 64;
        let parts = pieces.iter().map(|piece| piece.part + 1).max().unwrap_or(1);
        let mut loaded: Vec<Slot> = Vec::new();
        for piece in pieces {
            let whole = slots.get(piece.register).copied();
            let whole =
                whole.ok_or_else(|| internal!("a fragment has no register {}", piece.register))?;
            let d = if parts == 1 { whole } else { self.temporary(Type::B32) };
            let load =
                Load { target: piece.target, destinations: vec![Some(d)], wide, signed: false };
            self.emit_access(Kind::Load(Box::new(load)));
            loaded.push(d);
            if loaded.len() == parts && parts > 1 {
                self.pack_slots(&loaded, whole)?;
            }
            if loaded.len() == parts {
                loaded.clear();
            }
        }
        // The remaining registers repeat the same values.
        for (from, to) in slots.iter().zip(slots.iter().skip(fragment.needed())) {
            self.emit_lanes(pieces::COPY_32, *to, *from, *from);
        }
        self.meet();
        Ok(())
    }

    pub(in crate::lower) fn wmma_store(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let ([p, r], stride) = form.at_least::<2>(1)?;
        let (fragment, ty) = accessed(form)?;
        let pieces = self.pieces(form, &fragment, p, stride.first())?;
        let slots = self.fragment(r, fragment.registers, ty, true)?;
        let wide = fragment.bits == 64;
        for piece in pieces {
            let whole = slots.get(piece.register).copied();
            let mut source =
                whole.ok_or_else(|| internal!("a fragment has no register {}", piece.register))?;
            if piece.part > 0 {
                // Of the accumulators only f16 has two elements in a register.
                let high = self.temporary(Type::B32);
                self.emit_lanes(pieces::HIGH16, high, source, source);
                source = high;
            }
            let store = Store { target: piece.target, sources: vec![source], wide };
            self.emit_access(Kind::Store(Box::new(store)));
        }
        self.meet();
        Ok(())
    }

    pub(in crate::lower) fn wmma_mma(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let shape = form.choose("a shape", Shape::from_modifier)?;
        let operands = form.exactly::<4>()?;
        let [d, a, b, c] = match formats::<2>(form) {
            Ok([d, c]) => [d, Format::F16, Format::F16, c],
            Err(_) => formats::<4>(form)?,
        };
        let all = [a, b, c, d];
        // Hardware has only `m16n8k4` for these.
        let order = Order::Sums(if a == Format::Tf32 { 4 } else { shape.k });
        let what = Multiplication {
            a: fragment(Which::A, shape, a),
            b: fragment(Which::B, shape, b),
            c: fragment(Which::C, shape, c),
            d: fragment(Which::C, shape, d),
            types: all.map(register_type),
            dot: dot(form, all, order)?,
            sparsity: None,
        };
        self.multiply(what, operands, None)
    }

    /// The lanes of the warp wait for each other.
    fn meet(&mut self) {
        let stay = Rearrangement { how: MatrixMove::Stay, given: Vec::new(), got: Vec::new() };
        self.emit_meeting(WarpAction::Rearrange(Box::new(stay)));
    }

    /// Packs elements into a register, the first lowest.
    fn pack_slots(&mut self, elements: &[Slot], d: Slot) -> Result<(), LowerError> {
        match elements {
            [a, b] => self.emit_lanes(pieces::PACK16, d, *a, *b),
            [a, b, c, e] => {
                let (low, high) = (self.temporary(Type::B32), self.temporary(Type::B32));
                self.emit_lanes(pieces::PACK8, low, *a, *b);
                self.emit_lanes(pieces::PACK8, high, *c, *e);
                self.emit_lanes(pieces::PACK16, d, low, high);
            }
            _ => return Err(internal!("{} elements to pack", elements.len()).into()),
        }
        Ok(())
    }

    /// The accesses that load or store a matrix: words where elements of a register are neighbours,
    /// else elements. Their addresses have been computed.
    fn pieces(
        &mut self,
        form: Form<'_>,
        fragment: &Fragment,
        address: &Operand,
        stride: Option<&Operand>,
    ) -> Result<Vec<Piece>, LowerError> {
        let by_row = layouts(form).first().copied();
        let by_row = by_row.ok_or_else(|| internal!("a matrix without a layout"))?;
        let whole = self.target(form, address, Type::B8)?;
        if !matches!(whole.space, None | Some(Space::Global | Space::Shared)) {
            return Err(self.wrong_operand(address, "global or shared memory"));
        }
        let stride = self.stride(fragment, stride, by_row)?;
        let per = fragment.per_register();
        let place = |lane: usize, element: usize| {
            let (row, column) = fragment.place(lane, element);
            if by_row { (row, column) } else { (column, row) }
        };
        let together = per == 1 || place(0, 1).0 == place(0, 0).0;
        let (width, step) = if together {
            (if fragment.bits == 64 { 8 } else { 4 }, per)
        } else {
            (fragment.bits as u32 / 8, 1)
        };
        let mut pieces = Vec::new();
        for element in (0..fragment.elements()).step_by(step) {
            let major = std::array::from_fn(|lane| place(lane, element).0 as u32);
            let minor =
                std::array::from_fn(|lane| (place(lane, element).1 * fragment.bits / 8) as u64);
            let base = self.element_address(&whole, stride, major, minor);
            let target = Target { base, width, ..whole };
            let part = if together { 0 } else { element % per };
            pieces.push(Piece { target, register: element / per, part });
        }
        Ok(pieces)
    }

    /// Bytes from a row or column to the next, in a 32-bit slot.
    fn stride(
        &mut self,
        fragment: &Fragment,
        stride: Option<&Operand>,
        by_row: bool,
    ) -> Result<Slot, LowerError> {
        let (rows, columns) = fragment.size();
        let Some(stride) = stride else {
            let elements = if by_row { columns } else { rows };
            return Ok(self.constants.w32((elements * fragment.bits / 8) as u32));
        };
        let stride = self.source(stride, Type::U32)?;
        let d = self.temporary(Type::B32);
        let bytes = fragment.bits / 8;
        if bytes > 0 {
            let bytes = self.constants.w32(bytes as u32);
            self.emit_lanes(Primitive::Integer(Integer::MulLoU32), d, stride, bytes);
        } else {
            let shift = self.constants.w32((8 / fragment.bits).ilog2());
            self.emit_lanes(Primitive::Logic(Logic::ShrU32), d, stride, shift);
        }
        Ok(d)
    }

    /// The base of the address of an element whose place differs between lanes.
    fn element_address(
        &mut self,
        whole: &Target,
        stride: Slot,
        major: [u32; LANES],
        minor: [u64; LANES],
    ) -> Base {
        let d = self.temporary(Type::B64);
        let (major, minor) =
            (self.constants.w32_of_lanes(major), self.constants.w64_of_lanes(minor));
        self.emit_lanes(Primitive::Integer(Integer::MulWideU32), d, major, stride);
        self.emit_lanes(pieces::ADD64, d, d, minor);
        match whole.base {
            Base::W64(base) => self.emit_lanes(pieces::ADD64, d, d, base),
            Base::W32(base) => {
                let wide = self.temporary(Type::B64);
                self.emit_lanes(pieces::WIDEN_UNSIGNED, wide, base, base);
                self.emit_lanes(pieces::ADD64, d, d, wide);
            }
            // The variable's place is in the offset; memory of a frame is neither global nor
            // shared.
            Base::Absolute | Base::Frame | Base::FrameParam => {}
        }
        Base::W64(d)
    }
}

/// The fragment that `wmma.load` and `wmma.store` access, and the type of its registers.
fn accessed(form: Form<'_>) -> Result<(Fragment, Type), InternalError> {
    let shape = form.choose("a shape", Shape::from_modifier);
    let shape = shape.map_err(|_| internal!("a matrix without a shape"))?;
    let [format] = formats(form)?;
    let which = form.find(|m| match m {
        "a" => Some(Which::A),
        "b" => Some(Which::B),
        "c" | "d" => Some(Which::C),
        _ => None,
    });
    let which = which.ok_or_else(|| internal!("a matrix that is none of a product"))?;
    Ok((fragment(which, shape, format), register_type(format)))
}
