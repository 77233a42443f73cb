//! `ldmatrix`, `stmatrix`, `mma` and `mma.sp` as operations.

use super::fragment::{Fragment, Layout};
use super::multiply::{Multiplication, Multiply, Sparsity};
use super::number::Format;
use super::product::{Dot, Order, Wide};
use super::rearrangement::{MatrixMove, Packing, Rearrangement};
use crate::internal;
use crate::internal::InternalError;
use crate::lanes::primitive::Logic;
use crate::lanes::{LANES, Mask, Primitive, Slot};
use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::operations::access::{Load, Store, Target};
use crate::lower::operations::operand::Guard;
use crate::lower::operations::operation::Kind;
use crate::lower::operations::warp_operation::WarpAction;
use crate::lower::translate::pieces;
use crate::lower::translate::structural::Form;
use crate::ptx::{Operand, OperandKind, Space, Type};

/// Words of a row.
const ROW: u32 = 4;

/// The shape of a product: rows of A, columns of B, columns of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Shape {
    pub(super) m: usize,
    pub(super) n: usize,
    pub(super) k: usize,
}

impl Shape {
    /// The shape of a modifier.
    pub(super) fn from_modifier(modifier: &str) -> Option<Shape> {
        let (m, rest) = modifier.strip_prefix('m')?.split_once('n')?;
        let (n, k) = rest.split_once('k')?;
        Some(Shape { m: m.parse().ok()?, n: n.parse().ok()?, k: k.parse().ok()? })
    }
}

/// The types of an instruction, in its order.
pub(super) fn formats<const N: usize>(form: Form<'_>) -> Result<[Format; N], InternalError> {
    let named = form.instruction.modifiers.iter().filter_map(|m| Format::from_modifier(&m.text));
    let named: Vec<Format> = named.collect();
    let count = named.len();
    named.try_into().map_err(|_| internal!("{count} types of a matrix where {N} are"))
}

/// For each `.row` or `.col`, in their order, whether it is `.row`.
pub(super) fn layouts(form: Form<'_>) -> Vec<bool> {
    let by_row = |modifier: &str| match modifier {
        "row" => Some(true),
        "col" => Some(false),
        _ => None,
    };
    form.instruction.modifiers.iter().filter_map(|m| by_row(&m.text)).collect()
}

/// The type of the registers that hold elements of a format.
pub(super) fn register_type(format: Format) -> Type {
    match format {
        Format::F64 => Type::F64,
        Format::F32 => Type::F32,
        Format::S32 => Type::S32,
        Format::F16
        | Format::Bf16
        | Format::Tf32
        | Format::E4m3
        | Format::E5m2
        | Format::E3m2
        | Format::E2m3
        | Format::E2m1
        | Format::S8
        | Format::U8
        | Format::S4
        | Format::U4
        | Format::B1 => Type::B32,
    }
}

impl FunctionLowering<'_, '_> {
    /// Appends a common operation of all lanes of the warp.
    pub(super) fn emit_meeting(&mut self, action: WarpAction) {
        let everybody = self.constants.w32(Mask::MAX);
        self.emit_warp(Some(everybody), action);
    }

    /// Appends an access that is a part of an instruction: no schedule switches behind it.
    pub(super) fn emit_access(&mut self, kind: Kind) {
        self.emit(kind);
        if let Some(operation) = self.operations.last_mut() {
            operation.visible = false;
        }
    }

    /// Runs `emit` with a guard for the first lanes of a warp, among the lanes for which the
    /// instruction's guard holds.
    fn in_first_lanes(&mut self, lanes: usize, emit: impl FnOnce(&mut Self)) {
        let guard = self.current.guard;
        if lanes < LANES {
            let first = self.constants.lanes((1 << lanes) - 1);
            let predicate = match guard {
                None => first,
                Some(guard) => {
                    self.current.guard = None;
                    let both = self.temporary(Type::Pred);
                    let mut own = guard.predicate;
                    if guard.negated {
                        self.emit_lanes(pieces::NOT_PREDICATE, both, own, own);
                        own = both;
                    }
                    self.emit_lanes(Primitive::Logic(Logic::AndPred), both, own, first);
                    both
                }
            };
            self.current.guard = Some(Guard { predicate, negated: false });
        }
        emit(self);
        self.current.guard = guard;
    }

    /// The registers of a vector operand that holds a matrix.
    pub(super) fn fragment(
        &mut self,
        operand: &Operand,
        count: usize,
        ty: Type,
        reads: bool,
    ) -> Result<Vec<Slot>, LowerError> {
        if let OperandKind::Vector(elements) = &operand.kind {
            self.check_elements(operand, elements.len(), count as u32)?;
            let slot = |element| {
                if reads { self.source(element, ty) } else { self.destination(element, ty) }
            };
            return elements.iter().map(slot).collect();
        }
        let mut slots = Vec::new();
        for (operand, register) in self.elements(operand, count as u32, reads)? {
            match register {
                Some((found, slot)) if found.bytes() == ty.bytes() => slots.push(slot),
                Some((found, _)) => return Err(self.wrong_register(operand, found, ty, false)),
                None => return Err(self.wrong_operand(operand, "a vector of registers")),
            }
        }
        Ok(slots)
    }

    /// The place of the rows of matrices.
    fn rows(&mut self, form: Form<'_>, address: &Operand) -> Result<Target, LowerError> {
        let target = self.target(form, address, Type::B32)?;
        if !matches!(target.space, None | Some(Space::Shared)) {
            return Err(self.wrong_operand(address, "shared memory"));
        }
        Ok(Target { elements: ROW, ..target })
    }

    pub(in crate::lower) fn ldmatrix(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [r, p] = form.exactly()?;
        let how = loaded(form)?;
        let matrices = number(form)?;
        let (lanes, registers) = match how {
            MatrixMove::LoadBytes(_) => (16 * matrices, 2 * matrices),
            _ => (8 * matrices, matrices),
        };
        let target = self.rows(form, p)?;
        let got = self.fragment(r, registers, Type::B32, false)?;
        let rows: Vec<Slot> = (0..ROW).map(|_| self.temporary(Type::B32)).collect();
        let destinations = rows.iter().copied().map(Some).collect();
        let load = Load { target, destinations, wide: false, signed: false };
        self.in_first_lanes(lanes, |lowering| lowering.emit_access(Kind::Load(Box::new(load))));
        let rearrangement = Rearrangement { how, given: rows, got };
        self.emit_meeting(WarpAction::Rearrange(Box::new(rearrangement)));
        Ok(())
    }

    pub(in crate::lower) fn stmatrix(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [p, r] = form.exactly()?;
        let how = match form.has("m16n8") {
            true => MatrixMove::StoreBytes,
            false => MatrixMove::StoreHalves { transposed: form.has("trans") },
        };
        let matrices = number(form)?;
        let target = self.rows(form, p)?;
        let given = self.fragment(r, matrices, Type::B32, true)?;
        let rows: Vec<Slot> = (0..ROW).map(|_| self.temporary(Type::B32)).collect();
        let rearrangement = Rearrangement { how, given, got: rows.clone() };
        self.emit_meeting(WarpAction::Rearrange(Box::new(rearrangement)));
        let store = Store { target, sources: rows, wide: false };
        self.in_first_lanes(8 * matrices, |lowering| lowering.emit(Kind::Store(Box::new(store))));
        Ok(())
    }

    pub(in crate::lower) fn mma(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let shape = form.choose("a shape", Shape::from_modifier)?;
        let [d, a, b, c] = formats(form)?;
        let sparse = form.has("sp") || form.has("sp::ordered_metadata");
        let (operands, metadata) = form.at_least::<4>(2)?;
        let mut what = dense(form, shape, [a, b, c, d])?;
        let metadata = match (sparse, metadata) {
            (false, []) => None,
            (true, [e, f]) => {
                what.a = Fragment::new(Layout::Left, shape.m, shape.k / 2, a.bits());
                what.sparsity = Some(self.sparsity(shape, a, f)?);
                Some(self.source(e, Type::B32)?)
            }
            (true | false, _) => return Err(form.operand_count()),
        };
        self.multiply(what, operands, metadata)
    }

    /// Appends a product of the matrices in `d, a, b, c`.
    pub(super) fn multiply(
        &mut self,
        what: Multiplication,
        [d, a, b, c]: &[Operand; 4],
        metadata: Option<Slot>,
    ) -> Result<(), LowerError> {
        let [of_a, of_b, of_c, _] = what.registers();
        let types = what.types;
        let mut given = self.fragment(a, of_a, types[0], true)?;
        given.extend(self.fragment(b, of_b, types[1], true)?);
        given.extend(self.fragment(c, of_c, types[2], true)?);
        given.extend(metadata);
        let got = self.fragment(d, what.d.registers, types[3], false)?;
        self.emit_meeting(WarpAction::Multiply(Box::new(Multiply {
            what: Box::new(what),
            given,
            got,
        })));
        Ok(())
    }

    /// The place of the metadata of a sparse A, by the sparsity selector `f`.
    fn sparsity(&self, shape: Shape, format: Format, f: &Operand) -> Result<Sparsity, LowerError> {
        let together = if format.bits() == 4 { 2 } else { 1 };
        let one_of_two = format == Format::Tf32;
        let chunks = shape.k / if one_of_two { 2 } else { 4 * together };
        // The lanes, of each four, with metadata: 16 chunks of two rows are one word for each of
        // four.
        let lanes = chunks / 4;
        let first = match f.kind {
            OperandKind::Integer(selector) if (0..4 / lanes as i128).contains(&selector) => {
                selector as usize * lanes
            }
            _ => {
                let expected = match lanes {
                    1 => "an integer from 0 to 3, the lane of four that has the metadata",
                    2 => "0 or 1, the pair of lanes that has the metadata",
                    _ => "0: all lanes have metadata",
                };
                return Err(self.wrong_operand(f, expected));
            }
        };
        Ok(Sparsity { together, one_of_two, first, both_rows: format.bits() >= 16 })
    }
}

/// How `ldmatrix` distributes rows.
fn loaded(form: Form<'_>) -> Result<MatrixMove, LowerError> {
    let packing = form.find(|m| match m {
        "b8" => Some(Packing::Bytes),
        "b6x16_p32" => Some(Packing::Six),
        "b4x16_p64" => Some(Packing::Four),
        _ => None,
    });
    match (form.has("m8n8"), form.has("m16n16"), packing) {
        (true, _, None) => Ok(MatrixMove::LoadHalves { transposed: form.has("trans") }),
        (false, true, Some(packing)) => Ok(MatrixMove::LoadBytes(packing)),
        (false, false, Some(packing)) => Ok(MatrixMove::LoadPacked(packing)),
        (true, _, Some(_)) | (false, _, None) => Err(internal!("rows of no known form").into()),
    }
}

/// `.x1`, `.x2`, `.x4`.
fn number(form: Form<'_>) -> Result<usize, LowerError> {
    form.choose("a number of matrices", |m| match m {
        "x1" => Some(1),
        "x2" => Some(2),
        "x4" => Some(4),
        _ => None,
    })
}

/// The product of an `mma` without sparsity.
fn dense(form: Form<'_>, shape: Shape, formats: [Format; 4]) -> Result<Multiplication, LowerError> {
    let Shape { m, n, k } = shape;
    let [a, b, c, d] = formats;
    if (a, k) == (Format::F16, 4) {
        return four(form, formats);
    }
    let order =
        if a.bits() == 8 && !form.has("kind::f8f6f4") { Order::Eights } else { Order::Sums(k) };
    Ok(Multiplication {
        a: Fragment::new(Layout::Left, m, k, a.bits()),
        b: Fragment::new(Layout::Right, k, n, b.bits()),
        c: Fragment::new(Layout::Accumulator, m, n, c.bits()),
        d: Fragment::new(Layout::Accumulator, m, n, d.bits()),
        types: formats.map(register_type),
        dot: dot(form, formats, order)?,
        sparsity: None,
    })
}

/// `m8n8k4` of f16: four products.
fn four(form: Form<'_>, formats: [Format; 4]) -> Result<Multiplication, LowerError> {
    let [a, b, c, d] = formats;
    let by_row = layouts(form);
    let [of_a, of_b] = by_row[..] else {
        return Err(internal!("`m8n8k4` of f16 without two layouts").into());
    };
    let accumulator = |format: Format| {
        let layout = if format == Format::F16 { Layout::FourHalf } else { Layout::FourSingle };
        Fragment::new(layout, 32, 8, format.bits())
    };
    let order = if d == Format::F16 { Order::Pairs } else { Order::OneByOne };
    Ok(Multiplication {
        a: Fragment::new(Layout::FourLeft { by_row: of_a }, 32, 4, a.bits()),
        b: Fragment::new(Layout::FourRight { by_row: of_b }, 4, 32, b.bits()),
        c: accumulator(c),
        d: accumulator(d),
        types: formats.map(register_type),
        dot: dot(form, formats, order)?,
        sparsity: None,
    })
}

/// How rows and columns are multiplied; floats of up to 32 bits in this order.
pub(super) fn dot(
    form: Form<'_>,
    [a, b, c, d]: [Format; 4],
    order: Order,
) -> Result<Dot, InternalError> {
    if a == Format::B1 {
        return Ok(Dot::Bits { xor: form.has("xor") });
    }
    if a == Format::F64 {
        return Ok(Dot::Doubles { flags: form.found.flags });
    }
    match (a.integer(), b.integer(), a.float(), b.float()) {
        (Some(a), Some(b), None, None) => {
            Ok(Dot::Integers { a, b, saturate: form.has("satfinite") })
        }
        (None, None, Some(a), Some(b)) => {
            Ok(Dot::Floats { a, b, c: Wide::of(c)?, d: Wide::of(d)?, order })
        }
        _ => Err(internal!("a product of {a:?} and {b:?}")),
    }
}
