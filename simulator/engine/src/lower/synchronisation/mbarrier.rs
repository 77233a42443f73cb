//! Translates operations on mbarrier objects (PTX ISA 9.7.13.15). [`crate::lower::Mbarrier`] is what
//! they become.
//!
//! A time limit of `try_wait` is read and changes nothing.

use crate::isa::MbarrierInstruction;
use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::operations::access::{Order, Scope, Semantics, Target};
use crate::lower::operations::mbarrier::{Mbarrier, MbarrierAction, MbarrierArrive, MbarrierPhase};
use crate::lower::operations::operation::Kind;
use crate::lower::translate::memory::{order_of, scope_of, space_of};
use crate::lower::translate::pieces;
use crate::lower::translate::structural::Form;
use crate::ptx::{Operand, OperandKind, Space, Type};

impl FunctionLowering<'_, '_> {
    /// `mbarrier` and `cp.async.mbarrier.arrive`.
    pub(in crate::lower) fn mbarrier(
        &mut self,
        form: Form<'_>,
        instruction: MbarrierInstruction,
    ) -> Result<(), LowerError> {
        let weak = Semantics { order: Order::Weak, scope: Scope::System };
        let default = |order| Semantics {
            order: form.find(order_of).unwrap_or(order),
            scope: form.find(scope_of).unwrap_or(Scope::Block),
        };
        let (address, semantics, action) = match instruction {
            MbarrierInstruction::PendingCount => return self.pending_count(form),
            MbarrierInstruction::Init => {
                let [address, count] = form.exactly()?;
                let count = self.source(count, Type::U32)?;
                (address, weak, MbarrierAction::Init { count })
            }
            MbarrierInstruction::Invalidate => {
                let [address] = form.exactly()?;
                (address, weak, MbarrierAction::Invalidate)
            }
            MbarrierInstruction::ExpectTx => {
                let [address, bytes] = form.exactly()?;
                let bytes = self.source(bytes, Type::U32)?;
                (address, default(Order::Relaxed), MbarrierAction::ExpectTx { bytes })
            }
            MbarrierInstruction::CompleteTx => {
                let [address, bytes] = form.exactly()?;
                let bytes = self.source(bytes, Type::U32)?;
                (address, default(Order::Relaxed), MbarrierAction::CompleteTx { bytes })
            }
            MbarrierInstruction::Arrive => {
                let (address, arrive) = self.arrive(form)?;
                (address, default(Order::Release), MbarrierAction::Arrive(arrive))
            }
            MbarrierInstruction::Test => {
                let ([d, address, phase], limit) = form.at_least::<3>(1)?;
                if let [limit] = limit {
                    if form.has("test_wait") {
                        return Err(form.operand_count());
                    }
                    self.source(limit, Type::U32)?;
                }
                let phase = match form.has("parity") {
                    true => MbarrierPhase::Parity(self.source(phase, Type::U32)?),
                    false => MbarrierPhase::State(self.source(phase, Type::B64)?),
                };
                let d = self.destination(d, Type::Pred)?;
                (address, default(Order::Acquire), MbarrierAction::Test { d, phase })
            }
            MbarrierInstruction::ArriveWithCopies => {
                let [address] = form.exactly()?;
                let action = MbarrierAction::ArriveWithCopies { counted: !form.has("noinc") };
                (address, default(Order::Release), action)
            }
        };
        let target = Target { semantics, ..Target::weak(form.find(space_of), 8, 1) };
        let target = self.at(target, address)?;
        if !matches!(target.space, None | Some(Space::Shared)) {
            return Err(self.wrong_operand(address, "an address in shared memory"));
        }
        self.emit(Kind::Mbarrier(Box::new(Mbarrier { target, action })));
        Ok(())
    }

    fn arrive<'a>(&mut self, form: Form<'a>) -> Result<(&'a Operand, MbarrierArrive), LowerError> {
        let ([d, address], rest) = form.at_least::<2>(1)?;
        let (expects, completes_nothing) = (form.has("expect_tx"), form.has("noComplete"));
        let number = match rest {
            [number] => Some(self.source(number, Type::U32)?),
            _ if expects || completes_nothing => return Err(form.operand_count()),
            _ => None,
        };
        let d = match d.kind {
            OperandKind::Sink => None,
            _ if form.has("shared::cluster") => {
                return Err(self.wrong_operand(d, "`_` for the state of .shared::cluster"));
            }
            _ => Some(self.destination(d, Type::B64)?),
        };
        let (count, expected) = if expects { (None, number) } else { (number, None) };
        let drops = form.has("arrive_drop");
        Ok((address, MbarrierArrive { d, count, expected, drops, completes_nothing }))
    }

    /// `mbarrier.pending_count`: the count is in the high half of a state.
    fn pending_count(&mut self, form: Form<'_>) -> Result<(), LowerError> {
        let [d, state] = form.exactly()?;
        let state = self.source(state, Type::B64)?;
        let d = self.destination(d, Type::B32)?;
        self.emit_lanes(pieces::HIGH, d, state, state);
        Ok(())
    }
}
