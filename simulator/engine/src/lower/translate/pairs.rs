//! Register instructions with more operands than a register operation: two operations each.
//!
//! - `lop3.and`, `lop3.or` (PTX ISA 9.7.8.6): the bitwise function, then a comparison of its result
//!   with zero, combined with a predicate;
//! - `cvt.rs` of four numbers (PTX ISA 9.7.9.21): two, then the other two, packed one above the
//!   other.

use crate::lanes::primitive::compare::{Equality, Test, Truth, Width};
use crate::lanes::primitive::{Compare, Logic, Narrow};
use crate::lanes::{Flags, Operands, Primitive, RegisterOperation, Slot};
use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::operations::operation::Kind;
use crate::lower::translate::lanes::not;
use crate::lower::translate::pieces;
use crate::lower::translate::structural::Form;
use crate::ptx::{OperandKind, Type};

/// Whether a word is not zero, combined with a predicate.
const NOT_ZERO: Primitive = Primitive::Compare(Compare {
    test: Test::Equality(Equality::Ne, Width::B32),
    into: Truth::Predicates,
    combined: true,
});

impl FunctionLowering<'_, '_> {
    /// `d|p = lop3(a, b, c), (d != 0) BoolOp q`.
    pub(in crate::lower) fn logic_and_predicate(
        &mut self,
        form: Form<'_>,
    ) -> Result<(), LowerError> {
        let [both, a, b, c, table, q] = form.exactly()?;
        let OperandKind::Pair(d, p) = &both.kind else {
            return Err(self.wrong_operand(both, "a register and a predicate, `d|p`"));
        };
        let (q, negated) = not(q);
        let combine = |modifier: &str| match modifier {
            "and" => Some(Flags::AND),
            "or" => Some(Flags::OR),
            _ => None,
        };
        let combined = form.choose("a Boolean operation", combine)?;
        let flags = if negated { combined.with(Flags::NOT_C) } else { combined };
        let q = self.source(q, Type::Pred)?;
        let logic = Operands {
            a: self.source(a, Type::B32)?,
            b: self.source(b, Type::B32)?,
            c: self.source(c, Type::B32)?,
            e: self.source(table, Type::U32)?,
            d: self.destination(d, Type::B32)?,
            ..Operands::default()
        };
        let zero = self.constants.w32(0);
        let (p, complement) = (self.destination(p, Type::Pred)?, self.temporary(Type::Pred));
        let test = Operands { a: logic.d, b: zero, c: q, d: p, d2: complement, flags, ..logic };
        self.emit_operation(Primitive::Logic(Logic::Lop3B32), logic);
        self.emit_operation(NOT_ZERO, test);
        Ok(())
    }

    /// `d = {a, b, e, f}`, the first highest.
    pub(in crate::lower) fn convert_four(
        &mut self,
        form: Form<'_>,
        two: Narrow,
    ) -> Result<(), LowerError> {
        let [d, numbers, random] = form.exactly()?;
        let OperandKind::Vector(list) = &numbers.kind else {
            return Err(self.wrong_operand(numbers, "four registers, `{a, b, e, f}`"));
        };
        let [a, b, e, f] = list.as_slice() else {
            return Err(self.wrong_operand(numbers, "four registers, `{a, b, e, f}`"));
        };
        let random = self.source(random, Type::B32)?;
        let (half, whole, pack) = match two {
            Narrow::CvtRsE2m1x2F32 => (Type::B8, Type::B16, pieces::PACK8),
            _ => (Type::B16, Type::B32, pieces::PACK16),
        };
        let flags = form.found.flags;
        let mut converted = [Slot::default(); 2];
        let pairs = [([a, b], flags.with(Flags::VARIANT)), ([e, f], flags)];
        for (([x, y], flags), slot) in pairs.into_iter().zip(&mut converted) {
            let (a, b) = (self.source(x, Type::F32)?, self.source(y, Type::F32)?);
            *slot = self.temporary(half);
            let operands = Operands { a, b, c: random, d: *slot, flags, ..Operands::default() };
            self.emit_operation(Primitive::Narrow(two), operands);
        }
        let [upper, lower] = converted;
        let d = self.destination(d, whole)?;
        self.emit_lanes(pack, d, lower, upper);
        Ok(())
    }

    fn emit_operation(&mut self, primitive: Primitive, operands: Operands) {
        self.emit(Kind::Lanes(RegisterOperation::new(primitive, operands)));
    }
}
