//! `discard`, `st.bulk` and `createpolicy` (PTX ISA 9.7.9.13, 9.7.9.17, 9.7.9.18).
//!
//! There are no caches: discarded memory keeps its contents, and nothing may rely on it. A policy
//! is an unused number; `createpolicy` gives the numbers of CUDA's headers.

use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::operations::access::{Span, SpanAction};
use crate::lower::operations::operation::Kind;
use crate::lower::translate::pieces;
use crate::lower::translate::structural::Form;
use crate::ptx::{Operand, OperandKind, Type};

/// Bytes that a `discard` destroys, which is also its alignment.
pub const DISCARDED: u32 = 128;

impl FunctionLowering<'_, '_> {
    pub(in crate::lower) fn discard(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [a, size] = form.exactly()?;
        self.number(size, DISCARDED)?;
        let target = self.target(form, a, Type::B64)?;
        let bytes = self.constants.w64(DISCARDED.into());
        self.emit(Kind::Span(Box::new(Span { target, bytes, action: SpanAction::Discard })));
        Ok(())
    }

    /// `st.bulk`: it stores only zeros.
    pub(in crate::lower) fn fill(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [a, size, value] = form.exactly()?;
        self.number(value, 0)?;
        let target = self.target(form, a, Type::B64)?;
        let bytes = self.source(size, Type::B64)?;
        self.emit(Kind::Span(Box::new(Span { target, bytes, action: SpanAction::Clear })));
        Ok(())
    }

    /// The only number that is allowed here.
    fn number(&self, operand: &Operand, expected: u32) -> Result<(), LowerError> {
        match operand.kind {
            OperandKind::Integer(value) if value == i128::from(expected) => Ok(()),
            _ => Err(self.wrong_operand(operand, &format!("the number {expected}"))),
        }
    }

    pub(in crate::lower) fn create_policy(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let d = match form.operands() {
            [d, a] if form.has("cvt") => {
                self.source(a, Type::B64)?;
                d
            }
            [d] if form.has("fractional") => d,
            [d, fraction] if form.has("fractional") => {
                self.source(fraction, Type::F32)?;
                d
            }
            [d, a, primary, total] if form.has("range") => {
                self.target(form, a, Type::B8)?;
                self.source(primary, Type::B32)?;
                self.source(total, Type::B32)?;
                d
            }
            _ => return Err(form.operand_count()),
        };
        let policy = form.find(|modifier| match modifier {
            "L2::evict_first" => Some(0x12f0_0000_0000_0000),
            "L2::evict_last" => Some(0x14f0_0000_0000_0000),
            "L2::evict_normal" | "L2::evict_unchanged" => Some(0x10f0_0000_0000_0000),
            _ => None,
        });
        let policy = self.constants.w64(policy.unwrap_or(0x1000_0000_0000_0000));
        let d = self.destination(d, Type::B64)?;
        self.emit_lanes(pieces::COPY_64, d, policy, policy);
        Ok(())
    }
}
