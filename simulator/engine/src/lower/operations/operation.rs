//! Operations: the elements of a program without names, types and scopes.
//!
//! An [`Operation`] is data. [`Kind::operands`] defines what it reads and writes, and
//! [`Kind::effect`] its other effects, in `roles.rs` and `effect.rs`. No other place repeats these
//! facts. Code that distinguishes operations matches all of [`Kind`]. So a new operation does not
//! compile until each place handles it.

use crate::lanes::{RegisterOperation, Slot};
use crate::lower::operations::access::{Atomic, Load, Semantics, Span, Store, Target};
use crate::lower::operations::asynchronous::Asynchronous;
use crate::lower::operations::image::ImageOperation;
use crate::lower::operations::mbarrier::{ClusterBarrier, Mbarrier};
use crate::lower::operations::operand::{Guard, Home, Pc};
use crate::lower::operations::runtime::RuntimeCall;
use crate::lower::operations::warp_operation::WarpOperation;
use crate::ptx::Space;

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// It acts on the lanes of this predicate only.
    pub guard: Option<Guard>,
    /// It is a helper of the operation after it (it reads a special register for it, widens an
    /// operand). It is not counted and not shown as a separate instruction.
    pub part: bool,
    /// It begins a basic block: control may arrive here from more than the operation before.
    pub leader: bool,
    /// Other threads can notice when it happens: it touches memory that others see, or
    /// synchronises. A schedule may switch after it.
    pub visible: bool,
    /// The place of its basic block in a topological order of the function in which a loop's blocks
    /// come before the loop's exits. Of two parts of a warp the one with the smaller rank is
    /// behind, and waiting for it lets them meet.
    pub rank: u32,
    /// Its effect.
    pub kind: Kind,
}

/// The effect of an operation.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A pure register operation.
    Lanes(RegisterOperation),
    /// Reads a special register into a 32-bit slot.
    Special32(Slot, SpecialRegister),
    /// Reads a special register into a 64-bit slot.
    Special64(Slot, SpecialRegister),
    /// The address of a `.local` variable of this activation, in the `.local` space, into a 64-bit
    /// slot.
    LocalAddress64(Slot, u32),
    /// The same into a 32-bit slot.
    LocalAddress32(Slot, u32),
    /// `isspacep`: whether a generic address (64-bit slot) lies in a space.
    IsSpace {
        /// The predicate.
        d: Slot,
        /// The address.
        a: Slot,
        /// The space.
        space: Space,
    },
    /// `ld`.
    Load(Box<Load>),
    /// `st`.
    Store(Box<Store>),
    /// `atom` and `red`.
    Atomic(Box<Atomic>),
    /// `st.bulk` and `discard`.
    Span(Box<Span>),
    /// `alloca`, `stacksave` and `stackrestore`.
    Stack(Box<StackOperation>),
    /// `bra`; conditional when guarded.
    Branch {
        /// The target.
        target: Pc,
        /// Where the paths meet again: the first operation of the immediate post-dominator, or
        /// [`crate::lower::EXIT`].
        reconverge: Pc,
    },
    /// `brx.idx`.
    BranchIndexed(Box<BranchIndexed>),
    /// `call`.
    Call(Box<Call>),
    /// `call` of a function that no PTX defines.
    Runtime(Box<RuntimeCall>),
    /// `ret`: back to the caller; the same as `exit` in a kernel.
    Return,
    /// `exit`.
    Exit,
    /// `trap`.
    Trap,
    /// `brkpt`: no effect without a debugger.
    Breakpoint,
    /// `bar`, `barrier`.
    Barrier(Box<Barrier>),
    /// `bar.warp.sync`, `shfl`, `vote`, `match`, `redux`, `elect`.
    Warp(Box<WarpOperation>),
    /// `activemask` into a 32-bit slot.
    ActiveMask(Slot),
    /// `tex`, and the other operations on textures and surfaces.
    Image(Box<ImageOperation>),
    /// `fence`, `membar`.
    Fence(Semantics),
    /// `cp.async`, and the waits for it.
    Asynchronous(Box<Asynchronous>),
    /// `barrier.cluster`.
    ClusterBarrier(ClusterBarrier),
    /// `fence.proxy.async`.
    ProxyFence,
    /// `mbarrier`, `cp.async.mbarrier.arrive`.
    Mbarrier(Box<Mbarrier>),
    /// `pmevent`, `nanosleep`, `prefetch`, ...: no effect that a program can rely on.
    Nothing,
}

impl Kind {
    /// The store, when it is one.
    pub fn store(&self) -> Option<&Store> {
        if let Kind::Store(store) = self { Some(store) } else { None }
    }

    /// The atomic, when it is one.
    pub fn atomic(&self) -> Option<&Atomic> {
        if let Kind::Atomic(atomic) = self { Some(atomic) } else { None }
    }

    /// The warp operation, when it is one.
    pub fn warp(&self) -> Option<&WarpOperation> {
        if let Kind::Warp(operation) = self { Some(operation) } else { None }
    }
}

/// The program counters of a jump, to be filled in.
pub(in crate::lower) struct Jump<'o> {
    /// The targets.
    pub(in crate::lower) targets: &'o mut [Pc],
    /// Where the paths meet again.
    pub(in crate::lower) reconverge: &'o mut Pc,
}

/// What lowering changes in an operation when it knows more of the function.
pub(in crate::lower) enum Open<'o> {
    /// The program counters of a jump within the function.
    Jump(Jump<'o>),
    /// Where a load or store of a parameter may lie.
    Parameter(&'o mut Target),
    /// The parameters that a call passes and gets back.
    Call {
        /// The arguments.
        arguments: &'o [Home],
        /// The results.
        results: &'o [Home],
    },
}

impl Kind {
    /// The part of it that is still open; `None` if it involves neither places of the text nor
    /// parameters.
    pub(in crate::lower) fn open(&mut self) -> Option<Open<'_>> {
        match self {
            Kind::Branch { target, reconverge } => {
                Some(Open::Jump(Jump { targets: std::slice::from_mut(target), reconverge }))
            }
            Kind::BranchIndexed(branch) => {
                let BranchIndexed { targets, reconverge, .. } = &mut **branch;
                Some(Open::Jump(Jump { targets, reconverge }))
            }
            Kind::Load(load) => Some(Open::Parameter(&mut load.target)),
            Kind::Store(store) => Some(Open::Parameter(&mut store.target)),
            Kind::Call(call) => {
                Some(Open::Call { arguments: &call.arguments, results: &call.results })
            }
            Kind::Runtime(call) => {
                Some(Open::Call { arguments: &call.arguments, results: &call.results })
            }
            Kind::Lanes(..)
            | Kind::Special32(..)
            | Kind::Special64(..)
            | Kind::LocalAddress32(..)
            | Kind::LocalAddress64(..)
            | Kind::IsSpace { .. }
            | Kind::Atomic(_)
            | Kind::Span(_)
            | Kind::Stack(_)
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
            | Kind::Mbarrier(_)
            | Kind::ProxyFence
            | Kind::ClusterBarrier(_)
            | Kind::Nothing => None,
        }
    }

    /// The program counters of a jump within the function; `None` for everything else.
    pub(in crate::lower) fn jump(&mut self) -> Option<Jump<'_>> {
        match self.open()? {
            Open::Jump(jump) => Some(jump),
            Open::Parameter(_) | Open::Call { .. } => None,
        }
    }
}

/// `brx.idx`.
#[derive(Clone, Debug)]
pub struct BranchIndexed {
    /// The index (32-bit); an index outside the list is a fault.
    pub index: Slot,
    /// The targets.
    pub targets: Vec<Pc>,
    /// Where the paths meet again, as for [`Kind::Branch`].
    pub reconverge: Pc,
}

/// A register that the machine provides (PTX ISA chapter 10). The number is the component: 0 for x,
/// 1 for y, 2 for z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named like PTX's special registers")]
pub enum SpecialRegister {
    Tid(u8),
    Ntid(u8),
    Ctaid(u8),
    Nctaid(u8),
    Laneid,
    Warpid,
    Nwarpid,
    Smid,
    Nsmid,
    Gridid,
    LanemaskEq,
    LanemaskLe,
    LanemaskLt,
    LanemaskGe,
    LanemaskGt,
    /// `%clock`, `%clock64`: warp instructions that this block has executed.
    Clock,
    ClockHi,
    Globaltimer,
    GlobaltimerHi,
    /// Bytes of shared memory of the block, static and dynamic, in whole units of allocation.
    TotalSharedSize,
    /// The exact bytes of it, including the system's.
    AggregateSharedSize,
    /// The end of the part of the system's shared memory that can be relied on.
    ReservedSharedEnd,
    /// The end of the system's shared memory.
    ReservedSharedCapacity,
    DynamicSharedSize,
    /// The address of the grid's workspace in a cooperative launch, 0 in another: its upper half
    /// (`%envreg1`).
    WorkspaceHigh,
    /// Its lower half (`%envreg2`).
    WorkspaceLow,
    /// The address of the queue for launches of the grid, 0 without any: its upper half
    /// (`%envreg3`).
    LaunchQueueHigh,
    /// Its lower half (`%envreg4`).
    LaunchQueueLow,
    /// Reads as zero: `%envreg`, `%pm`, `%cluster_ctaid`...
    Zero,
    /// Reads as one: counts such as `%nclusterid`, without clusters.
    One,
}

/// An operation on the stack of an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackOperation {
    /// `alloca`.
    Allocate {
        /// The destination of the address.
        d: Slot,
        /// Bytes, in a 64-bit register.
        size: Slot,
        /// The alignment of the address.
        align: u32,
        /// The address has 64 bits.
        wide: bool,
    },
    /// `stacksave`.
    Save {
        /// The destination of the stack's end.
        d: Slot,
        /// In 64 bits.
        wide: bool,
    },
    /// `stackrestore`.
    Restore {
        /// The new end of the stack, in a 64-bit register.
        a: Slot,
    },
}

/// `call`.
#[derive(Clone, Debug)]
pub struct Call {
    /// The called function.
    pub callee: Callee,
    /// The caller's arguments.
    pub arguments: Vec<Home>,
    /// The caller's places for the results.
    pub results: Vec<Home>,
}

/// The called function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// An index into [`crate::lower::Program::functions`].
    Direct(usize),
    /// The address in a 64-bit register; see [`crate::lower::Program::function_addresses`].
    Indirect(Slot),
}

/// `bar.sync`, `bar.arrive`, `bar.red`, and the same forms of `barrier` (PTX ISA 9.7.13.1).
#[derive(Clone, Debug)]
pub struct Barrier {
    /// The barrier, 0 to 15, in a 32-bit slot.
    pub id: Slot,
    /// The number of threads, in a 32-bit slot; `None`: all threads of the block.
    pub count: Option<Slot>,
    /// The action.
    pub action: BarrierAction,
    /// `.aligned` (which `bar` implies): all threads of a warp execute the same instruction.
    pub aligned: bool,
}

/// The action at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BarrierAction {
    /// Arrive and wait.
    Sync,
    /// Arrive and go on.
    Arrive,
    /// Arrive, wait, and get the number of threads whose predicate is true.
    Popc {
        /// The 32-bit destination.
        d: Slot,
        /// The predicate.
        p: Guard,
    },
    /// ... whether all predicates are true.
    And {
        /// The destination predicate.
        d: Slot,
        /// The predicate.
        p: Guard,
    },
    /// ... whether any predicate is true.
    Or {
        /// The destination predicate.
        d: Slot,
        /// The predicate.
        p: Guard,
    },
}
