//! Operations: the elements of a program without names, types and scopes.
//!
//! An [`Operation`] is data. [`Kind::operands`] defines what it reads and writes, and
//! [`Kind::effect`] its other effects, in `roles.rs` and `effect.rs`. No other place repeats these
//! facts. Code that distinguishes operations matches all of [`Kind`]. So a new operation does not
//! compile until each place handles it.

use crate::lanes::{Mask, RegisterOperation, Registers, Slot};
use crate::lower::program::{Home, Pc};
use crate::lower::synchronisation::asynchronous::Asynchronous;
use crate::lower::synchronisation::cluster::ClusterBarrier;
use crate::lower::synchronisation::mbarrier::Mbarrier;
use crate::lower::synchronisation::warp_operation::WarpOperation;
use crate::lower::translate::image::ImageOperation;
use crate::lower::translate::runtime::RuntimeCall;
use crate::ptx::{Space, Type};

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

/// `@p` or `@!p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate.
    pub predicate: Slot,
    /// `!`.
    pub negated: bool,
}

impl Guard {
    /// The lanes for which it holds.
    pub fn lanes(self, registers: &Registers) -> Mask {
        let mask = registers.predicate(self.predicate);
        if self.negated { !mask } else { mask }
    }
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

/// The order and scope of a memory operation (PTX ISA 8, "Memory Consistency Model").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Semantics {
    /// The order.
    pub order: Order,
    /// The scope; [`Scope::System`] where the operation has none.
    pub scope: Scope,
}

/// How strong a memory operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "PTX's own words")]
pub enum Order {
    Weak,
    Volatile,
    Mmio,
    Relaxed,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

/// The threads in a strong operation's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "PTX's own words")]
pub enum Scope {
    Block,
    Cluster,
    Gpu,
    System,
}

/// The target of an access: one address for each lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The state space; `None` for a generic address.
    pub space: Option<Space>,
    /// The base of the address.
    pub base: Base,
    /// Bytes to add.
    pub offset: i64,
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub width: u32,
    /// Elements of a vector access: 1, 2, 4 or 8. The whole access must be aligned to its size.
    pub elements: u32,
    /// Elements are pairs of halves. Each half is a separate memory operation (PTX ISA 8.2.2
    /// "Packed Data Types").
    pub packed: bool,
    /// Its order and scope.
    pub semantics: Semantics,
    /// `.nc`: read through the non-coherent path.
    pub non_coherent: bool,
}

impl Target {
    /// Bytes of an element in one register: all of it, or the half of one of 16 bytes.
    #[inline]
    pub fn piece(&self) -> u32 {
        self.width.min(8)
    }

    /// Bytes of one operation of the memory model.
    pub fn scalar(&self) -> u32 {
        if self.packed { self.width / 2 } else { self.width }
    }

    /// Pieces of an element: 1, or 2 for one of 16 bytes, the lower first.
    pub fn pieces(&self) -> usize {
        self.width.div_ceil(8) as usize
    }
}

/// The base of an address.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Base {
    /// Nothing: the offset is the address.
    Absolute,
    /// A 32-bit register, zero-extended.
    W32(Slot),
    /// A 64-bit register.
    W64(Slot),
    /// The local memory of this activation.
    Frame,
    /// The `.param` bytes of this activation (space [`Space::Param`] in a function).
    FrameParam,
}

/// `ld`.
#[derive(Clone, Debug)]
pub struct Load {
    /// The source.
    pub target: Target,
    /// The destinations, one for each piece ([`Target::piece`]); `None` for `_`.
    pub destinations: Vec<Option<Slot>>,
    /// The destinations are 64-bit registers.
    pub wide: bool,
    /// Elements narrower than the register are sign-extended.
    pub signed: bool,
}

/// `st`.
#[derive(Clone, Debug)]
pub struct Store {
    /// The destination.
    pub target: Target,
    /// The values, one for each piece.
    pub sources: Vec<Slot>,
    /// They are 64-bit registers.
    pub wide: bool,
}

/// `st.bulk` and `discard`: the effect on this many bytes, in words of 8.
#[derive(Clone, Debug)]
pub struct Span {
    /// The first word.
    pub target: Target,
    /// The number of bytes, in a 64-bit register.
    pub bytes: Slot,
    /// The effect on them.
    pub action: SpanAction,
}

/// The effect on a span of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanAction {
    /// They become zero.
    Clear,
    /// Their contents become unreliable.
    Discard,
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

/// `atom` and `red`.
#[derive(Clone, Debug)]
pub struct Atomic {
    /// The place; its width is the width of the type. Each element of a vector is changed in one
    /// step, but not the vector as a whole.
    pub target: Target,
    /// The operation.
    pub operation: AtomicOperation,
    /// The type of the operation.
    pub ty: Type,
    /// One for each piece ([`Target::piece`]).
    pub pieces: Vec<AtomicPiece>,
    /// Values are in 64-bit registers.
    pub wide: bool,
}

/// The registers of an atomic's element, or of the half of one of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicPiece {
    /// The destination of the old value; `None` for `red` and `_`.
    pub destination: Option<Slot>,
    /// The operand; for `cas` the value to compare with.
    pub b: Slot,
    /// For `cas` the new value.
    pub c: Option<Slot>,
}

impl Atomic {
    /// The most pieces of an atomic.
    pub const PIECES: usize = 8;

    /// Whether its thread gets an old value.
    pub fn gives(&self) -> bool {
        self.pieces.iter().any(|piece| piece.destination.is_some())
    }
}

/// The operation of an atomic (PTX ISA 9.7.13.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "PTX's own words")]
pub enum AtomicOperation {
    Add,
    Min,
    Max,
    And,
    Or,
    Xor,
    Exchange,
    CompareAndSwap,
    Increment,
    Decrement,
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
