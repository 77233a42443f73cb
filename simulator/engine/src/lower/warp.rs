//! Operations for which the lanes of a warp wait for each other (PTX ISA 9.7.9.6, 9.7.13.2,
//! 9.7.13.9 and after).

use super::error::LowerError;
use super::function::FunctionLowering;
use super::memory::atomic_operation;
use super::operation::{AtomicOperation, Kind};
use super::structural::Form;
use super::warp_operation::*;
use crate::lanes::Slot;
use crate::ptx::{Operand, OperandKind, Type};

impl FunctionLowering<'_, '_> {
    fn emit_warp(&mut self, mask: Option<Slot>, action: WarpAction) {
        self.emit(Kind::Warp(Box::new(WarpOperation { mask, action })));
    }

    pub(super) fn warp_sync(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [mask] = form.exactly()?;
        let mask = self.source(mask, Type::U32)?;
        self.emit_warp(Some(mask), WarpAction::Sync);
        Ok(())
    }

    /// The operands, and after them the member mask where there is `.sync`.
    fn with_members<'a, const N: usize>(
        &mut self,
        form: Form<'a>,
    ) -> Result<(&'a [Operand; N], Option<Slot>), LowerError> {
        let (operands, mask) = form.at_least::<N>(1)?;
        match (form.has("sync"), mask) {
            (true, [mask]) => Ok((operands, Some(self.source(mask, Type::U32)?))),
            (false, []) => Ok((operands, None)),
            (true | false, _) => Err(form.operand_count()),
        }
    }

    /// `d|p`: the destination, and the predicate when it is asked for.
    fn with_predicate(
        &mut self,
        operand: &Operand,
        ty: Type,
    ) -> Result<(Slot, Option<Slot>), LowerError> {
        let OperandKind::Pair(d, p) = &operand.kind else {
            return Ok((self.destination(operand, ty)?, None));
        };
        let d = self.destination(d, ty)?;
        let p = match p.kind {
            OperandKind::Sink => None,
            _ => Some(self.destination(p, Type::Pred)?),
        };
        Ok((d, p))
    }

    pub(super) fn shuffle(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let ([d, a, b, c], mask) = self.with_members(form)?;
        let a = self.source(a, Type::B32)?;
        let b = self.source(b, Type::U32)?;
        let c = self.source(c, Type::U32)?;
        let (d, p) = self.with_predicate(d, Type::B32)?;
        let mode = form.choose("a direction", |m| match m {
            "up" => Some(ShuffleMode::Up),
            "down" => Some(ShuffleMode::Down),
            "bfly" => Some(ShuffleMode::Butterfly),
            "idx" => Some(ShuffleMode::Index),
            _ => None,
        })?;
        self.emit_warp(mask, WarpAction::Shuffle { mode, d, p, a, b, c });
        Ok(())
    }

    pub(super) fn vote(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let ([d, p], mask) = self.with_members(form)?;
        let p = self.asked(p)?;
        let d = self.destination(d, form.ty()?)?;
        let mode = form.choose("a question", |m| match m {
            "all" => Some(VoteMode::All),
            "any" => Some(VoteMode::Any),
            "uni" => Some(VoteMode::Uniform),
            "ballot" => Some(VoteMode::Ballot),
            _ => None,
        })?;
        self.emit_warp(mask, WarpAction::Vote { mode, d, p });
        Ok(())
    }

    pub(super) fn match_lanes(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let ([d, a], mask) = self.with_members(form)?;
        let all = form.choose("`.all` or `.any`", |m| match m {
            "all" => Some(true),
            "any" => Some(false),
            _ => None,
        })?;
        if !all && matches!(d.kind, OperandKind::Pair(..)) {
            return Err(self.wrong_operand(d, "one register: only match.all gives a predicate"));
        }
        let ty = form.ty()?;
        let a = self.source(a, ty)?;
        let (d, p) = self.with_predicate(d, Type::B32)?;
        let wide = ty.bytes() == Some(8);
        self.emit_warp(mask, WarpAction::Match { all, wide, d, p, a });
        Ok(())
    }

    pub(super) fn redux(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let ([d, a], mask) = self.with_members(form)?;
        let ty = form.ty()?;
        let a = self.source(a, ty)?;
        let d = self.destination(d, ty)?;
        let operation: AtomicOperation = form.choose("an operation", atomic_operation)?;
        self.emit_warp(mask, WarpAction::Redux { operation, ty, d, a });
        Ok(())
    }

    pub(super) fn active_mask(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d] = form.exactly()?;
        let d = self.destination(d, Type::B32)?;
        self.emit(Kind::ActiveMask(d));
        Ok(())
    }

    pub(super) fn elect(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let ([result], mask) = self.with_members(form)?;
        let OperandKind::Pair(d, p) = &result.kind else {
            return Err(self.wrong_operand(result, "a register and a predicate: d|p"));
        };
        let d = match d.kind {
            OperandKind::Sink => None,
            _ => Some(self.destination(d, Type::B32)?),
        };
        let p = self.destination(p, Type::Pred)?;
        self.emit_warp(mask, WarpAction::Elect { d, p });
        Ok(())
    }
}
