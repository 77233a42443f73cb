//! Barriers and fences (PTX ISA 9.7.13.1 to 9.7.13.4).

use super::error::LowerError;
use super::function::FunctionLowering;
use super::lanes::not;
use super::memory::{order_of, scope_of};
use super::program::*;
use super::structural::Form;
use crate::lanes::Slot;
use crate::ptx::{Operand, OperandKind, Type};

/// The number of barriers of a block (PTX ISA 9.7.13.1).
const BARRIERS: i128 = 16;

impl FunctionLowering<'_, '_> {
    /// `bar` and `barrier`.
    pub(super) fn barrier(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let reduces = form.has("red");
        let arrives = form.has("arrive");
        let fixed = if reduces { 3 } else { 1 + usize::from(arrives) };
        let most = if arrives { 2 } else { fixed + 1 };
        self.expect_operands(form, fixed..=most)?;
        let (result, rest, predicate) = match form.operands() {
            [d, rest @ .., p] if reduces => (Some(d), rest, Some(p)),
            rest => (None, rest, None),
        };
        let [id, count @ ..] = rest else { return Ok(()) };
        let id = self.barrier_id(id)?;
        let count = match count.first() {
            Some(count) => Some(self.source(count, Type::U32)?),
            None => None,
        };
        let action = match (result, predicate) {
            (Some(d), Some(p)) => self.reduction(form, d, p)?,
            _ if arrives => BarrierAction::Arrive,
            _ => BarrierAction::Sync,
        };
        let aligned = &*form.instruction.opcode.text == "bar" || form.has("aligned");
        self.emit(Kind::Barrier(Box::new(Barrier { id, count, action, aligned })));
        Ok(())
    }

    fn barrier_id(&mut self, operand: &Operand) -> Result<Slot, LowerError> {
        if let OperandKind::Integer(id) = operand.kind
            && !(0..BARRIERS).contains(&id)
        {
            return Err(self.wrong_operand(operand, "a barrier from 0 to 15"));
        }
        self.source(operand, Type::U32)
    }

    fn reduction(
        &mut self,
        form: Form<'_>,
        d: &Operand,
        p: &Operand,
    ) -> Result<BarrierAction, LowerError> {
        let p = self.asked(p)?;
        if form.has("popc") {
            return Ok(BarrierAction::Popc { d: self.destination(d, Type::U32)?, p });
        }
        let d = self.destination(d, Type::Pred)?;
        Ok(if form.has("and") { BarrierAction::And { d, p } } else { BarrierAction::Or { d, p } })
    }

    /// A predicate that is asked about, perhaps negated.
    pub(super) fn asked(&mut self, operand: &Operand) -> Result<Guard, LowerError> {
        let (inner, negated) = not(operand);
        Ok(Guard { predicate: self.source(inner, Type::Pred)?, negated })
    }

    /// `membar` and `fence`: a `membar` is a `fence.sc` (PTX ISA 9.7.13.4).
    pub(super) fn fence(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        self.expect_operands(form, 0..=0)?;
        let default = match &*form.instruction.opcode.text {
            "membar" => Order::SequentiallyConsistent,
            _ => Order::AcquireRelease,
        };
        self.emit(Kind::Fence(Semantics {
            order: form.find(order_of).unwrap_or(default),
            scope: form.find(scope_of).unwrap_or(Scope::System),
        }));
        Ok(())
    }
}
