//! The translation of instructions for which lanes of a warp wait for each other (PTX ISA 9.7.9.6,
//! 9.7.13.2, 9.7.13.9 and after; for matrices 9.7.14). [`crate::lower::WarpOperation`] defines the
//! resulting operations.

use crate::isa::WarpInstruction;
use crate::lanes::{Mask, Slot};
use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::operations::operation::Kind;
use crate::lower::operations::reduction::Reduction;
use crate::lower::operations::warp_operation::{ShuffleMode, VoteMode, WarpAction, WarpOperation};
use crate::lower::translate::memory::atomic_operation;
use crate::lower::translate::structural::Form;
use crate::ptx::{Operand, OperandKind, Type};

impl FunctionLowering<'_, '_> {
    pub(in crate::lower) fn emit_warp(&mut self, mask: Option<Slot>, action: WarpAction) {
        self.emit(Kind::Warp(Box::new(WarpOperation { mask, action })));
    }

    pub(in crate::lower) fn warp(
        &mut self,
        form: Form<'_>,
        instruction: WarpInstruction,
    ) -> Result<(), LowerError> {
        match instruction {
            WarpInstruction::Sync => self.warp_sync(form),
            WarpInstruction::Shfl => self.shuffle(form),
            WarpInstruction::Vote => self.vote(form),
            WarpInstruction::Match => self.match_lanes(form),
            WarpInstruction::Redux => self.redux(form),
            WarpInstruction::Activemask => self.active_mask(form),
            WarpInstruction::Elect => self.elect(form),
            WarpInstruction::Movmatrix => self.transpose(form),
            WarpInstruction::Ldmatrix => self.ldmatrix(form),
            WarpInstruction::Stmatrix => self.stmatrix(form),
            WarpInstruction::Mma => self.mma(form),
            WarpInstruction::WmmaLoad => self.wmma_load(form),
            WarpInstruction::WmmaStore => self.wmma_store(form),
            WarpInstruction::WmmaMma => self.wmma_mma(form),
        }
    }

    fn warp_sync(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [mask] = form.exactly()?;
        let mask = self.source(mask, Type::U32)?;
        self.emit_warp(Some(mask), WarpAction::Sync);
        Ok(())
    }

    /// The operands; the member mask follows them with `.sync`.
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

    /// `d|p`: the destination, and the predicate if it is used.
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

    fn shuffle(&mut self, form: Form<'_>) -> Result<(), LowerError> {
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

    fn vote(&mut self, form: Form<'_>) -> Result<(), LowerError> {
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

    fn match_lanes(&mut self, form: Form<'_>) -> Result<(), LowerError> {
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

    fn redux(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let ([d, a], mask) = self.with_members(form)?;
        let ty = form.ty()?;
        let a = self.source(a, ty)?;
        let d = self.destination(d, ty)?;
        let reduction = if ty == Type::F32 {
            let greatest = form.choose("`.min` or `.max`", |m| match m {
                "max" => Some(true),
                "min" => Some(false),
                _ => None,
            })?;
            Reduction::Floats { greatest, absolute: form.has("abs"), nan: form.has("NaN") }
        } else {
            let (operation, ty) = atomic_operation(form)?;
            Reduction::Integers { operation, ty }
        };
        self.emit_warp(mask, WarpAction::Redux { reduction, d, a });
        Ok(())
    }

    fn active_mask(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d] = form.exactly()?;
        let d = self.destination(d, Type::B32)?;
        self.emit(Kind::ActiveMask(d));
        Ok(())
    }

    /// `movmatrix`: all lanes of the warp take part.
    fn transpose(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d, a] = form.exactly()?;
        let a = self.source(a, Type::B32)?;
        let d = self.destination(d, Type::B32)?;
        let everybody = self.constants.w32(Mask::MAX);
        self.emit_warp(Some(everybody), WarpAction::Transpose { d, a });
        Ok(())
    }

    fn elect(&mut self, form: Form<'_>) -> Result<(), LowerError> {
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
