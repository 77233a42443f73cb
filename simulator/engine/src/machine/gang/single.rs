//! What an operation at which a segment ends is to warps that run ahead.
//!
//! Those that are executed for one warp at a time change nothing but its registers, cannot fail, and do not depend on
//! the clock of the block.

use crate::lower::{Kind, Operation, SpecialRegister};
use crate::machine::access::By;
use crate::machine::execute::{is_space, local_address};
use crate::machine::stage::Stage;
use crate::machine::warp::Warp;
use crate::ptx::Space;

/// What an operation is to warps that run ahead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// A branch at which lanes, or warps, part.
    Part,
    /// Executed for one warp at a time.
    Single,
    /// It has to wait for the turn.
    Wait,
}

/// What an operation at which a segment ends is to a warp that runs ahead.
pub(super) fn step_of(operation: &Operation) -> Step {
    match &operation.kind {
        Kind::Branch { .. } => Step::Part,
        Kind::Load(load) if load.target.space == Some(Space::Param) => Step::Single,
        Kind::Special32(_, register) | Kind::Special64(_, register) if !tells_time(*register) => {
            Step::Single
        }
        Kind::LocalAddress32(..)
        | Kind::LocalAddress64(..)
        | Kind::IsSpace { .. }
        | Kind::Nothing => Step::Single,
        Kind::Lanes(..)
        | Kind::Special32(..)
        | Kind::Special64(..)
        | Kind::Load(_)
        | Kind::Store(_)
        | Kind::Atomic(_)
        | Kind::Span(_)
        | Kind::Stack(_)
        | Kind::BranchIndexed(_)
        | Kind::Call(_)
        | Kind::Runtime(_)
        | Kind::Return
        | Kind::Exit
        | Kind::Trap
        | Kind::Breakpoint
        | Kind::Barrier(_)
        | Kind::Warp(_)
        | Kind::ActiveMask(_)
        | Kind::Image(_)
        | Kind::Fence(_)
        | Kind::Asynchronous(_)
        | Kind::ClusterBarrier(_)
        | Kind::ProxyFence
        | Kind::Mbarrier(_) => Step::Wait,
    }
}

/// Whether a special register depends on what has been executed.
fn tells_time(register: SpecialRegister) -> bool {
    use SpecialRegister as S;
    match register {
        S::Clock | S::ClockHi | S::Globaltimer | S::GlobaltimerHi => true,
        S::Tid(_)
        | S::Ntid(_)
        | S::Ctaid(_)
        | S::Nctaid(_)
        | S::Laneid
        | S::Warpid
        | S::Nwarpid
        | S::Smid
        | S::Nsmid
        | S::Gridid
        | S::LanemaskEq
        | S::LanemaskLe
        | S::LanemaskLt
        | S::LanemaskGe
        | S::LanemaskGt
        | S::TotalSharedSize
        | S::AggregateSharedSize
        | S::ReservedSharedEnd
        | S::ReservedSharedCapacity
        | S::DynamicSharedSize
        | S::WorkspaceHigh
        | S::WorkspaceLow
        | S::Zero
        | S::One => false,
    }
}

impl Stage<'_, '_> {
    /// Executes an operation that is nothing to others, for at least one active lane. Whether it did.
    pub(super) fn act_ahead(&mut self, warp: &mut Warp, kind: &Kind, by: By) -> bool {
        match kind {
            Kind::Load(load) => return self.load_parameter(warp, load, by),
            Kind::Special32(d, register) => self.read_special(warp, by, *d, *register, false),
            Kind::Special64(d, register) => self.read_special(warp, by, *d, *register, true),
            Kind::LocalAddress32(d, offset) => local_address(warp, by, *d, *offset, false),
            Kind::LocalAddress64(d, offset) => local_address(warp, by, *d, *offset, true),
            Kind::IsSpace { d, a, space } => is_space(warp, by, *d, *a, *space),
            Kind::Nothing => {}
            Kind::Lanes(..)
            | Kind::Store(_)
            | Kind::Atomic(_)
            | Kind::Span(_)
            | Kind::Stack(_)
            | Kind::Branch { .. }
            | Kind::BranchIndexed(_)
            | Kind::Call(_)
            | Kind::Runtime(_)
            | Kind::Return
            | Kind::Exit
            | Kind::Trap
            | Kind::Breakpoint
            | Kind::Barrier(_)
            | Kind::Warp(_)
            | Kind::ActiveMask(_)
            | Kind::Image(_)
            | Kind::Fence(_)
            | Kind::Asynchronous(_)
            | Kind::ClusterBarrier(_)
            | Kind::ProxyFence
            | Kind::Mbarrier(_) => return false,
        }
        true
    }
}
