//! How operations are executed for warps that run ahead.
//!
//! An operation executed for one warp at a time changes only its registers and the memory of its
//! threads. It does not depend on the clock of the block. A faulting one waits for the turn of the
//! warp. All warps get values of the launch, or the place of a thread in its block, in place.
//!
//! This equals `act` of [`crate::machine::execute::operation`] in the warp's turn.
//! `a_gang_leaves_what_single_turns_leave` (`simulator/tests/suite/gangs.rs`) compares them.

use std::iter::repeat;

use super::PerWarp;
use super::calls::direct_call;
use super::indexed::indexed;
use crate::lanes::{Gang, LANES, Slot};
use crate::lower::{Access, Base, Conduct, Kind, Load, Operation, Own, Pc, Store, Target};
use crate::machine::access::addresses::By;
use crate::machine::access::uniform::Same;
use crate::machine::execute::operation::{is_space, local_address};
use crate::machine::execute::special::Special;
use crate::machine::state::execution::Execution;
use crate::machine::state::warp::Warp;
use crate::ptx::Space;

/// How an operation is executed for warps that run ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Executed in a segment.
    Segment,
    /// A branch at which lanes, or warps, diverge.
    Part,
    /// A branch with more than two ways.
    Indexed,
    /// Executed for one warp at a time.
    Single,
    /// A call of one function, by all lanes.
    Call,
    /// A return of all lanes.
    Return,
    /// The end of all lanes.
    Exit,
    /// It must wait for the turn.
    Wait,
}

/// How an operation is executed for a warp that runs ahead, if no observer asks for it.
pub(super) fn step_of(operation: &Operation) -> Step {
    match operation.kind.conduct() {
        Conduct::Registers(_) => Step::Segment,
        Conduct::Branch { .. } => Step::Part,
        Conduct::Access(Access::Load(Load { target, .. }))
        | Conduct::Access(Access::Store(Store { target, .. }))
            if is_own(target) =>
        {
            Step::Single
        }
        Conduct::Own(own) if !own.tells_time() => Step::Single,
        Conduct::Block if indexed(operation).is_some() => Step::Indexed,
        Conduct::Block if direct_call(operation).is_some() => Step::Call,
        Conduct::Leave if operation.guard.is_none() => {
            if matches!(operation.kind, Kind::Return) {
                Step::Return
            } else {
                Step::Exit
            }
        }
        Conduct::Own(_)
        | Conduct::Access(_)
        | Conduct::Barrier(_)
        | Conduct::Leave
        | Conduct::Warp(_)
        | Conduct::Fence
        | Conduct::Block
        | Conduct::Beyond(_) => Step::Wait,
    }
}

/// Whether memory belongs to a thread, or no kernel writes to it.
fn is_own(target: &Target) -> bool {
    match target.space {
        Some(Space::Param | Space::Local | Space::Const) => true,
        None | Some(Space::Global | Space::Shared | Space::Tex) => false,
    }
}

/// Whether an operation accesses memory other than the parameters of the kernel, which are not
/// reported.
fn is_access(operation: &Operation) -> bool {
    match operation.kind.conduct() {
        Conduct::Access(Access::Load(load)) => {
            !(load.target.space == Some(Space::Param) && load.target.base == Base::Absolute)
        }
        Conduct::Access(_) => true,
        Conduct::Registers(_)
        | Conduct::Branch { .. }
        | Conduct::Own(_)
        | Conduct::Barrier(_)
        | Conduct::Leave
        | Conduct::Warp(_)
        | Conduct::Fence
        | Conduct::Block
        | Conduct::Beyond(_) => false,
    }
}

/// A value given to threads, and its destination register.
#[derive(Clone, Copy)]
pub(super) struct Given {
    d: Slot,
    /// It has 64 bits.
    wide: bool,
    special: Special,
}

impl Given {
    /// Writes it to the registers of the active lanes of warps; `own` is their own data. Returns
    /// whether it did so.
    #[inline(always)]
    pub(super) fn put(self, gang: &mut Gang<'_, '_>, own: &[PerWarp<'_>]) -> bool {
        let Given { d, wide, special } = self;
        match (special, wide) {
            (Special::Same(value), true) => gang.write(d, repeat(&[value; LANES])),
            (Special::Same(value), false) => gang.write(d, repeat(&[value as u32; LANES])),
            (Special::Lane(f), false) => {
                gang.write(d, repeat(&std::array::from_fn(|lane| f(lane as u32))));
            }
            (Special::Thread(i), false) => gang.write(d, own.iter().map(|own| &own.thread[i])),
            (Special::Lane(_) | Special::Thread(_), true) | (Special::Warp, _) => return false,
        }
        true
    }
}

impl Execution<'_, '_> {
    /// How the operation at the end of a segment is executed for a warp that runs ahead. Operations
    /// that an observer asks for happen in the order of the turns.
    pub(super) fn step_at(&self, operation: &Operation, pc: Pc) -> Step {
        if self.tells_of(pc) {
            return Step::Wait;
        }
        match step_of(operation) {
            // A kernel has no caller to return to.
            Step::Return if pc < self.environment.program.functions[0].end => Step::Exit,
            Step::Single if self.observes_accesses() && is_access(operation) => Step::Wait,
            step => step,
        }
    }

    /// The value and register of an operation without effects for others, if the launch and the
    /// place of the thread in its block determine the value.
    pub(super) fn given(&self, kind: &Kind) -> Option<Given> {
        match kind.conduct() {
            Conduct::Access(Access::Load(load)) => {
                let Same { d, wide, value } = self.parameter(load)?;
                Some(Given { d, wide, special: Special::Same(value) })
            }
            Conduct::Own(own) if own.tells_time() => None,
            Conduct::Own(Own::Special { d, register, wide }) => {
                Some(Given { d, wide, special: self.special(register) })
            }
            Conduct::Own(Own::LocalAddress { .. } | Own::IsSpace { .. } | Own::Nothing)
            | Conduct::Registers(_)
            | Conduct::Branch { .. }
            | Conduct::Access(_)
            | Conduct::Barrier(_)
            | Conduct::Leave
            | Conduct::Warp(_)
            | Conduct::Fence
            | Conduct::Block
            | Conduct::Beyond(_) => None,
        }
    }

    /// Executes an operation without effects for others, for at least one active lane. Returns
    /// whether it did so: a faulting access happens in its turn.
    pub(super) fn act_ahead(&mut self, warp: &mut Warp, kind: &Kind, by: By) -> bool {
        let own = match kind.conduct() {
            Conduct::Own(own) => own,
            Conduct::Access(Access::Load(load)) if is_own(&load.target) => {
                return self.load(warp, load, by).is_ok();
            }
            Conduct::Access(Access::Store(store)) if is_own(&store.target) => {
                return self.store(warp, store, by).is_ok();
            }
            Conduct::Registers(_)
            | Conduct::Branch { .. }
            | Conduct::Access(_)
            | Conduct::Barrier(_)
            | Conduct::Leave
            | Conduct::Warp(_)
            | Conduct::Fence
            | Conduct::Block
            | Conduct::Beyond(_) => return false,
        };
        match own {
            Own::Special { d, register, wide } => self.read_special(warp, by, d, register, wide),
            Own::LocalAddress { d, offset, wide } => local_address(warp, by, d, offset, wide),
            Own::IsSpace { d, a, space } => is_space(warp, by, d, a, space),
            Own::Nothing => {}
        }
        true
    }
}
