//! What an operation is to warps that run ahead.
//!
//! Those that are executed for one warp at a time change nothing but its registers, cannot fail, and do not depend on
//! the clock of the block.

use crate::lower::{Access, Conduct, Kind, Operation, Own, Pc};
use crate::machine::access::By;
use crate::machine::execute::{is_space, local_address};
use crate::machine::stage::Stage;
use crate::machine::warp::Warp;
use crate::ptx::Space;

/// What an operation is to warps that run ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Executed in a segment.
    Segment,
    /// A branch at which lanes, or warps, part.
    Part,
    /// Executed for one warp at a time.
    Single,
    /// It has to wait for the turn.
    Wait,
}

/// What an operation is to a warp that runs ahead, if nobody wants to be told of it.
pub(super) fn step_of(operation: &Operation) -> Step {
    match operation.kind.conduct() {
        Conduct::Registers(_) => Step::Segment,
        Conduct::Branch { .. } => Step::Part,
        Conduct::Access(Access::Load(load)) if load.target.space == Some(Space::Param) => {
            Step::Single
        }
        Conduct::Own(own) if !own.tells_time() => Step::Single,
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

impl Stage<'_, '_> {
    /// What an operation at which a segment ends is to a warp that runs ahead. Of what somebody wants to be told comes in
    /// the order of the turns.
    pub(super) fn step_at(&self, operation: &Operation, pc: Pc) -> Step {
        if self.tells_of(pc) { Step::Wait } else { step_of(operation) }
    }

    /// Executes an operation that is nothing to others, for at least one active lane. Whether it did.
    pub(super) fn act_ahead(&mut self, warp: &mut Warp, kind: &Kind, by: By) -> bool {
        let own = match kind.conduct() {
            Conduct::Own(own) => own,
            Conduct::Access(Access::Load(load)) => return self.load_parameter(warp, load, by),
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
