//! Barriers and fences (PTX ISA 9.7.13.1 to 9.7.13.4).

use crate::internal;
use crate::lanes::Slot;
use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::operations::access::{Order, Semantics};
use crate::lower::operations::operand::Guard;
use crate::lower::operations::operation::*;
use crate::lower::translate::lanes::not;
use crate::lower::translate::memory::{order_of, scope_of};
use crate::lower::translate::structural::Form;
use crate::ptx::{Operand, OperandKind, Type};

/// The action of an instruction at a barrier.
#[derive(Clone, Copy)]
enum Asked {
    Sync,
    Arrive,
    Reduce,
}

/// The reduction of the predicates by `bar.red`.
#[derive(Clone, Copy)]
enum Reduction {
    Popc,
    And,
    Or,
}

/// The number of barriers of a block (PTX ISA 9.7.13.1).
const BARRIERS: i128 = 16;

impl FunctionLowering<'_, '_> {
    /// `bar` and `barrier`.
    pub(in crate::lower) fn barrier(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let action = form.choose("what it does", |m| match m {
            "sync" => Some(Asked::Sync),
            "arrive" => Some(Asked::Arrive),
            "red" => Some(Asked::Reduce),
            _ => None,
        })?;
        let (id, count, asked) = match (action, form.operands()) {
            (Asked::Sync, [id]) | (Asked::Reduce, [_, id, _]) => (id, None, action),
            (Asked::Sync | Asked::Arrive, [id, count]) | (Asked::Reduce, [_, id, count, _]) => {
                (id, Some(count), action)
            }
            (Asked::Sync | Asked::Arrive | Asked::Reduce, _) => return Err(form.operand_count()),
        };
        let id = self.barrier_id(id)?;
        let count = count.map(|count| self.source(count, Type::U32)).transpose()?;
        let action = match (asked, form.operands()) {
            (Asked::Sync, _) => BarrierAction::Sync,
            (Asked::Arrive, _) => BarrierAction::Arrive,
            (Asked::Reduce, [d, .., p]) => self.reduction(form, d, p)?,
            (Asked::Reduce, _) => return Err(form.operand_count()),
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
        let how = form.choose("a reduction", |m| match m {
            "popc" => Some(Reduction::Popc),
            "and" => Some(Reduction::And),
            "or" => Some(Reduction::Or),
            _ => None,
        })?;
        Ok(match how {
            Reduction::Popc => BarrierAction::Popc { d: self.destination(d, Type::U32)?, p },
            Reduction::And => BarrierAction::And { d: self.destination(d, Type::Pred)?, p },
            Reduction::Or => BarrierAction::Or { d: self.destination(d, Type::Pred)?, p },
        })
    }

    /// A predicate to be asked about, perhaps negated.
    pub(in crate::lower) fn asked(&mut self, operand: &Operand) -> Result<Guard, LowerError> {
        let (inner, negated) = not(operand);
        Ok(Guard { predicate: self.source(inner, Type::Pred)?, negated })
    }

    /// `membar` and `fence`: a `membar` is a `fence.sc` (PTX ISA 9.7.13.4).
    pub(in crate::lower) fn fence(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [] = form.exactly()?;
        let order = match (&*form.instruction.opcode.text, form.find(order_of)) {
            ("fence", Some(order)) => order,
            ("fence", None) => Order::AcquireRelease,
            ("membar", None) => Order::SequentiallyConsistent,
            (opcode, order) => return Err(internal!("`{opcode}` with {order:?} as a fence").into()),
        };
        let scope = form.choose("a scope", scope_of)?;
        self.emit(Kind::Fence(Semantics { order, scope }));
        Ok(())
    }
}
