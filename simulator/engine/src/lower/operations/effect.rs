//! The effects of an operation beyond reading and writing registers of its own lanes, defined once
//! for each operation.
//!
//! [`Kind::effect`] determines where a schedule may switch, where control goes, where threads meet
//! and how analyses treat an operation. Code that asks matches all of [`Effect`].

use crate::lower::operations::access::{Base, Semantics, Target};
use crate::lower::operations::asynchronous::Asynchronous;
use crate::lower::operations::image::ImageAction;
use crate::lower::operations::mbarrier::{ClusterBarrier, Mbarrier};
use crate::lower::operations::operand::{Origin, Pc};
use crate::lower::operations::operation::{Barrier, Call, Kind, Operation};
use crate::lower::operations::runtime::{RuntimeCall, RuntimeFunction};
use crate::lower::operations::warp_operation::WarpOperation;
use crate::ptx::Space;

/// The effect of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
    /// Reads and writes in one step.
    Atomic,
}

/// The effect of an operation beyond registers.
#[derive(Clone, Copy, Debug)]
pub enum Effect<'o> {
    /// Nothing.
    Registers,
    /// It accesses memory. The target has the place, the space, the order and the scope.
    Memory(AccessKind, &'o Target),
    /// Threads of a block meet.
    Barrier(&'o Barrier),
    /// Lanes of a warp meet.
    Warp(&'o WarpOperation),
    /// It orders accesses to memory.
    Fence(Semantics),
    /// It begins asynchronous accesses to memory, or waits for them.
    Asynchronous(&'o Asynchronous),
    /// It orders the threads' accesses before the accesses of asynchronous copies.
    ProxyFence,
    /// Threads of a cluster meet.
    Cluster(ClusterBarrier),
    /// It changes an mbarrier object, or queries it.
    Mbarrier(&'o Mbarrier),
    /// Control goes on elsewhere in the function.
    Jump {
        /// The targets.
        targets: &'o [Pc],
        /// Where the paths meet again; see [`Kind::Branch`].
        reconverge: Pc,
    },
    /// Control goes to another function, and comes back when that returns.
    Call(&'o Call),
    /// A function of the toolchain prints, or allocates and frees memory.
    Runtime(&'o RuntimeCall),
    /// Control leaves the function.
    Leave(Leave),
}

/// How control leaves a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Leave {
    /// It goes back to the caller; in a kernel the thread ends.
    Return,
    /// The thread ends.
    Exit,
    /// The launch ends.
    Trap,
}

/// How lanes come to another activation.
#[derive(Clone, Copy, Debug)]
pub enum Transfer<'o> {
    /// They enter a function.
    Call(&'o Call),
    /// They go back to the caller; in a kernel they end.
    Return,
}

/// Where control may go after an operation, within its function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct After<'o> {
    /// The targets of jumps.
    pub targets: &'o [Pc],
    /// Some lanes may go on to the next operation.
    pub next: bool,
    /// It may leave the function.
    pub leaves: Option<Leave>,
}

impl Kind {
    /// Its effect beyond registers.
    ///
    /// ```
    /// use warpsim_engine::lower::{AccessKind, Effect, Placement, lower};
    ///
    /// let text = ".version 7.0 .target sm_80 .address_size 64 .entry k() {
    ///     .reg .u64 %a; st.global.u32 [%a], 1; ret; }";
    /// let module = warpsim::ptx::parse("k.ptx", text)?;
    /// let program = lower(&module, "k", &Placement::default())?;
    /// let effect = program.operations[0].kind.effect();
    /// assert!(matches!(effect, Effect::Memory(AccessKind::Write, target) if target.width == 4));
    /// assert!(effect.is_visible());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn effect(&self) -> Effect<'_> {
        match self {
            Kind::Lanes(..)
            | Kind::Special32(..)
            | Kind::Special64(..)
            | Kind::LocalAddress32(..)
            | Kind::LocalAddress64(..)
            | Kind::IsSpace { .. }
            | Kind::Stack(_)
            | Kind::ActiveMask(_)
            | Kind::Breakpoint
            | Kind::Nothing => Effect::Registers,
            Kind::Load(load) => Effect::Memory(AccessKind::Read, &load.target),
            Kind::Store(store) => Effect::Memory(AccessKind::Write, &store.target),
            Kind::Span(span) => Effect::Memory(AccessKind::Write, &span.target),
            Kind::Atomic(atomic) => Effect::Memory(AccessKind::Atomic, &atomic.target),
            Kind::Image(operation) => match &operation.action {
                ImageAction::Sample(sample) => Effect::Memory(AccessKind::Read, &sample.target),
                ImageAction::Size { .. }
                | ImageAction::Address { .. }
                | ImageAction::Pack { .. } => Effect::Registers,
            },
            Kind::Barrier(barrier) => Effect::Barrier(barrier),
            Kind::Warp(operation) => Effect::Warp(operation),
            Kind::Fence(semantics) => Effect::Fence(*semantics),
            Kind::Asynchronous(operation) => Effect::Asynchronous(operation),
            Kind::Mbarrier(operation) => Effect::Mbarrier(operation),
            Kind::ProxyFence => Effect::ProxyFence,
            Kind::ClusterBarrier(barrier) => Effect::Cluster(*barrier),
            Kind::Branch { target, reconverge } => {
                Effect::Jump { targets: std::slice::from_ref(target), reconverge: *reconverge }
            }
            Kind::BranchIndexed(branch) => {
                Effect::Jump { targets: &branch.targets, reconverge: branch.reconverge }
            }
            Kind::Call(call) => Effect::Call(call),
            Kind::Runtime(call) => match call.function {
                RuntimeFunction::AssertionFailed => Effect::Leave(Leave::Trap),
                RuntimeFunction::Print | RuntimeFunction::Allocate | RuntimeFunction::Free => {
                    Effect::Runtime(call)
                }
            },
            Kind::Return => Effect::Leave(Leave::Return),
            Kind::Exit => Effect::Leave(Leave::Exit),
            Kind::Trap => Effect::Leave(Leave::Trap),
        }
    }
}

impl Kind {
    /// Whether its lanes alone complete its whole effect at once: it calls no function, and leaves
    /// nothing to asynchronous copies, to mbarriers or to other blocks of a cluster.
    pub fn is_done_at_once(&self) -> bool {
        match self.effect() {
            Effect::Registers
            | Effect::Memory(..)
            | Effect::Barrier(_)
            | Effect::Warp(_)
            | Effect::Fence(_)
            | Effect::ProxyFence
            | Effect::Jump { .. } => true,
            // A failed assertion calls a function, and ends the launch.
            Effect::Leave(_) => !matches!(self, Kind::Runtime(_)),
            Effect::Call(_)
            | Effect::Runtime(_)
            | Effect::Asynchronous(_)
            | Effect::Mbarrier(_)
            | Effect::Cluster(_) => false,
        }
    }
}

impl<'o> Effect<'o> {
    /// Its access to memory, if the lanes themselves make one.
    pub fn access(self) -> Option<(AccessKind, &'o Target)> {
        match self {
            Effect::Memory(kind, target) => Some((kind, target)),
            Effect::Registers
            | Effect::Barrier(_)
            | Effect::Warp(_)
            | Effect::Fence(_)
            | Effect::Asynchronous(_)
            | Effect::Mbarrier(_)
            | Effect::ProxyFence
            | Effect::Cluster(_)
            | Effect::Jump { .. }
            | Effect::Call(_)
            | Effect::Runtime(_)
            | Effect::Leave(_) => None,
        }
    }

    /// How its lanes come to another activation, if they do and go on there.
    ///
    /// ```
    /// use warpsim_engine::lower::{Effect, Leave, Transfer};
    ///
    /// let back = Effect::Leave(Leave::Return).transfer();
    /// assert!(matches!(back, Some(Transfer::Return)));
    /// assert!(Effect::Leave(Leave::Exit).transfer().is_none());
    /// ```
    pub fn transfer(self) -> Option<Transfer<'o>> {
        match self {
            Effect::Call(call) => Some(Transfer::Call(call)),
            Effect::Leave(Leave::Return) => Some(Transfer::Return),
            Effect::Leave(Leave::Exit | Leave::Trap)
            | Effect::Registers
            | Effect::Memory(..)
            | Effect::Barrier(_)
            | Effect::Warp(_)
            | Effect::Fence(_)
            | Effect::Asynchronous(_)
            | Effect::Mbarrier(_)
            | Effect::ProxyFence
            | Effect::Cluster(_)
            | Effect::Jump { .. }
            | Effect::Runtime(_) => None,
        }
    }

    /// Where the paths of a jump meet again ([`Kind::Branch`]).
    pub fn reconvergence(self) -> Option<Pc> {
        match self {
            Effect::Jump { reconverge, .. } => Some(reconverge),
            Effect::Leave(_)
            | Effect::Registers
            | Effect::Memory(..)
            | Effect::Barrier(_)
            | Effect::Warp(_)
            | Effect::Fence(_)
            | Effect::Asynchronous(_)
            | Effect::Mbarrier(_)
            | Effect::ProxyFence
            | Effect::Cluster(_)
            | Effect::Call(_)
            | Effect::Runtime(_) => None,
        }
    }
}

impl Effect<'_> {
    /// Whether other threads can notice when it happens: it touches memory that others see, or
    /// synchronises. A schedule may switch after it.
    pub fn is_visible(&self) -> bool {
        match self {
            Effect::Memory(AccessKind::Atomic, _)
            | Effect::Barrier(_)
            | Effect::Warp(_)
            | Effect::Runtime(_)
            | Effect::Mbarrier(_)
            | Effect::Cluster(_)
            | Effect::Fence(_) => true,
            Effect::Memory(AccessKind::Read | AccessKind::Write, target) => target.is_shared(),
            Effect::Asynchronous(operation) => match operation {
                Asynchronous::Copy(_)
                | Asynchronous::Bulk(_)
                | Asynchronous::Store(_)
                | Asynchronous::Wait(..)
                | Asynchronous::WaitForReads(_)
                | Asynchronous::WaitAll => true,
                Asynchronous::Commit(_) => false,
            },
            Effect::Registers
            | Effect::ProxyFence
            | Effect::Jump { .. }
            | Effect::Call(_)
            | Effect::Leave(_) => false,
        }
    }

    /// Whether threads wait for each other at it.
    pub fn is_rendezvous(&self) -> bool {
        match self {
            Effect::Barrier(_) => true,
            Effect::Warp(operation) => operation.mask.is_some(),
            Effect::Registers
            | Effect::Memory(..)
            | Effect::Fence(_)
            | Effect::Asynchronous(_)
            | Effect::Mbarrier(_)
            | Effect::ProxyFence
            | Effect::Cluster(_)
            | Effect::Jump { .. }
            | Effect::Call(_)
            | Effect::Runtime(_)
            | Effect::Leave(_) => false,
        }
    }
}

impl Operation {
    /// Where control may go after it. A call comes back to the next operation.
    pub fn after(&self) -> After<'_> {
        let guarded = self.guard.is_some();
        match self.kind.effect() {
            Effect::Jump { targets, .. } => After { targets, next: guarded, leaves: None },
            Effect::Leave(how) => After { targets: &[], next: guarded, leaves: Some(how) },
            Effect::Registers
            | Effect::Memory(..)
            | Effect::Barrier(_)
            | Effect::Warp(_)
            | Effect::Fence(_)
            | Effect::Asynchronous(_)
            | Effect::Runtime(_)
            | Effect::Mbarrier(_)
            | Effect::ProxyFence
            | Effect::Cluster(_)
            | Effect::Call(_) => After { targets: &[], next: true, leaves: None },
        }
    }
}

impl Target {
    /// Whether it may lie in memory that other threads see.
    pub fn is_shared(&self) -> bool {
        match self.space {
            None | Some(Space::Global | Space::Shared) => true,
            Some(Space::Const | Space::Local | Space::Param | Space::Tex) => false,
        }
    }

    /// Whether it lies in memory without writes during a launch: constants, and the parameters of
    /// the kernel. (In a program with several functions an address in a register may also belong to
    /// a copy of a function's own parameter.)
    pub fn is_constant(&self) -> bool {
        match self.space {
            Some(Space::Const | Space::Tex) => true,
            Some(Space::Param) => self.base != Base::FrameParam,
            None | Some(Space::Global | Space::Shared | Space::Local) => false,
        }
    }

    /// The origin of a value that is read there.
    pub(in crate::lower) fn origin(&self) -> Origin {
        if self.is_constant() { Origin::Launch } else { Origin::Memory }
    }
}
