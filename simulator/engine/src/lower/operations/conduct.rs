//! How an operation concerns other warps, defined once for each operation.
//!
//! Most operations concern only the warp that executes them. Code that executes several at a time,
//! or ahead of a turn, asks [`Kind::conduct`] and matches all of [`Conduct`]. It need not know the
//! other operations. Nothing here is part of the PTX ISA: it describes this machine.

use crate::lanes::{RegisterOperation, Slot};
use crate::lower::operations::access::{Atomic, Load, Span, Store};
use crate::lower::operations::operand::{Origin, Pc};
use crate::lower::operations::operation::{Barrier, Kind, SpecialRegister};
use crate::lower::operations::runtime::RuntimeCall;
use crate::lower::operations::warp_operation::WarpOperation;
use crate::ptx::Space;

/// How an operation concerns other warps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Conduct<'o> {
    /// It changes registers, depending only on registers.
    Registers(&'o RegisterOperation),
    /// It is a branch.
    Branch {
        /// The target.
        target: Pc,
    },
    /// It changes registers, depending on the warp's place and the launch, or nothing.
    Own(Own),
    /// It accesses memory, at once.
    Access(Access<'o>),
    /// Threads of the block meet.
    Barrier(&'o Barrier),
    /// Lanes of the warp wait for each other.
    Warp(&'o WarpOperation),
    /// It orders accesses.
    Fence,
    /// Its lanes leave the function, or end.
    Leave,
    /// Another effect within its block.
    Block,
    /// An effect beyond its block, other than by an access.
    Beyond(Beyond<'o>),
}

/// Changes only registers of the warp, or nothing, cannot fail, and does not concern other warps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Own {
    /// It reads a special register.
    Special {
        /// The destination.
        d: Slot,
        /// The register.
        register: SpecialRegister,
        /// Into a 64-bit slot.
        wide: bool,
    },
    /// It takes an address in the local memory of the activation.
    LocalAddress {
        /// The destination.
        d: Slot,
        /// The place in the local memory.
        offset: u32,
        /// Into a 64-bit slot.
        wide: bool,
    },
    /// It asks whether an address lies in a space.
    IsSpace {
        /// The predicate.
        d: Slot,
        /// The address, in a 64-bit slot.
        a: Slot,
        /// The space.
        space: Space,
    },
    /// It does nothing.
    Nothing,
}

/// An access to memory.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Access<'o> {
    /// `ld`.
    Load(&'o Load),
    /// `st`.
    Store(&'o Store),
    /// `atom` and `red`.
    Atomic(&'o Atomic),
}

/// May concern other blocks, other than by an access.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Beyond<'o> {
    /// A span of memory.
    Span(&'o Span),
    /// A function that no PTX defines.
    Runtime(&'o RuntimeCall),
    /// A texture or surface.
    Image,
    /// Asynchronous accesses.
    Asynchronous,
    /// Threads of a cluster meet.
    Cluster,
}

impl Kind {
    /// How it concerns other warps.
    #[inline(always)]
    pub(crate) fn conduct(&self) -> Conduct<'_> {
        match self {
            Kind::Lanes(operation) => Conduct::Registers(operation),
            Kind::Branch { target, .. } => Conduct::Branch { target: *target },
            Kind::Special32(d, register) => {
                Conduct::Own(Own::Special { d: *d, register: *register, wide: false })
            }
            Kind::Special64(d, register) => {
                Conduct::Own(Own::Special { d: *d, register: *register, wide: true })
            }
            Kind::LocalAddress32(d, offset) => {
                Conduct::Own(Own::LocalAddress { d: *d, offset: *offset, wide: false })
            }
            Kind::LocalAddress64(d, offset) => {
                Conduct::Own(Own::LocalAddress { d: *d, offset: *offset, wide: true })
            }
            Kind::IsSpace { d, a, space } => {
                Conduct::Own(Own::IsSpace { d: *d, a: *a, space: *space })
            }
            Kind::Nothing => Conduct::Own(Own::Nothing),
            Kind::Load(load) => Conduct::Access(Access::Load(load)),
            Kind::Store(store) => Conduct::Access(Access::Store(store)),
            Kind::Atomic(atomic) => Conduct::Access(Access::Atomic(atomic)),
            Kind::Barrier(barrier) => Conduct::Barrier(barrier),
            Kind::Warp(operation) => Conduct::Warp(operation),
            Kind::Fence(_) => Conduct::Fence,
            Kind::Return | Kind::Exit => Conduct::Leave,
            Kind::Stack(_)
            | Kind::BranchIndexed(_)
            | Kind::Call(_)
            | Kind::Trap
            | Kind::Breakpoint
            | Kind::ActiveMask(_)
            | Kind::ProxyFence
            | Kind::Mbarrier(_) => Conduct::Block,
            Kind::Span(span) => Conduct::Beyond(Beyond::Span(span)),
            Kind::Runtime(call) => Conduct::Beyond(Beyond::Runtime(call)),
            Kind::Image(_) => Conduct::Beyond(Beyond::Image),
            Kind::Asynchronous(_) => Conduct::Beyond(Beyond::Asynchronous),
            Kind::ClusterBarrier(_) => Conduct::Beyond(Beyond::Cluster),
        }
    }
}

impl Own {
    /// Whether it depends on the instructions executed so far, which are the clock.
    pub(crate) fn tells_time(self) -> bool {
        match self {
            Own::Special { register, .. } => register.origin() == Origin::Schedule,
            Own::LocalAddress { .. } | Own::IsSpace { .. } | Own::Nothing => false,
        }
    }
}
