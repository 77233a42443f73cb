//! Operations on mbarrier objects (PTX ISA 9.7.13.15), and their translation. The machine defines
//! their effect on an object.
//!
//! A time limit of `try_wait` is read and changes nothing.

use crate::isa::MbarrierInstruction;
use crate::lanes::Slot;
use crate::lower::error::LowerError;
use crate::lower::function::FunctionLowering;
use crate::lower::operations::operation::{Kind, Order, Scope, Semantics, Target};
use crate::lower::translate::memory::{order_of, scope_of, space_of};
use crate::lower::translate::pieces;
use crate::lower::translate::structural::Form;
use crate::ptx::{Operand, OperandKind, Space, Type};

/// An operation on an mbarrier object.
#[derive(Clone, Debug)]
pub struct Mbarrier {
    /// The object: 64 bits in shared memory.
    pub target: Target,
    /// The action.
    pub action: MbarrierAction,
}

/// An action on an mbarrier object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierAction {
    /// `init`, for this many arrivals (32-bit slot).
    Init {
        /// The number of arrivals.
        count: Slot,
    },
    /// `inval`.
    Invalidate,
    /// `expect_tx`.
    ExpectTx {
        /// The number of bytes (32-bit slot).
        bytes: Slot,
    },
    /// `complete_tx`.
    CompleteTx {
        /// The number of bytes (32-bit slot).
        bytes: Slot,
    },
    /// `arrive` and `arrive_drop`.
    Arrive(MbarrierArrive),
    /// `cp.async.mbarrier.arrive`: an arrival once the copies that the thread has begun are
    /// complete.
    ArriveWithCopies {
        /// The phase waits for one more arrival.
        counted: bool,
    },
    /// `test_wait` and `try_wait`: whether a phase is complete.
    Test {
        /// The resulting predicate.
        d: Slot,
        /// The phase.
        phase: MbarrierPhase,
    },
}

/// `arrive` and `arrive_drop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MbarrierArrive {
    /// The state before, in a 64-bit slot; `None` if unused.
    pub d: Option<Slot>,
    /// The number of arrivals (32-bit slot); `None`: one.
    pub count: Option<Slot>,
    /// `.expect_tx`: this many bytes are expected, before the arrival (32-bit slot).
    pub expected: Option<Slot>,
    /// `arrive_drop`: later phases wait for that many fewer.
    pub drops: bool,
    /// `.noComplete`: it must not complete the phase.
    pub completes_nothing: bool,
}

/// The phase of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MbarrierPhase {
    /// The phase of a state (64-bit slot).
    State(Slot),
    /// The latest phase with this parity (32-bit slot).
    Parity(Slot),
}

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
