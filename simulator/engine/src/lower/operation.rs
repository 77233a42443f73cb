//! Operations: what a program is made of once names, types and scopes are gone.
//!
//! An [`Operation`] is data. What it reads and writes is said by [`Kind::operands`], what else it
//! does by [`Kind::effect`], both beside it in `roles.rs` and `effect.rs`; nobody else says these
//! things again. Code that tells operations apart matches all of [`Kind`], so that a new one does
//! not compile until everybody has said what it means there.

use super::asynchronous::Asynchronous;
use super::cluster::ClusterBarrier;
use super::image::ImageOperation;
use super::mbarrier::Mbarrier;
use super::program::{Home, Pc};
use super::runtime::RuntimeCall;
use super::warp_operation::WarpOperation;
use crate::lanes::{Mask, RegisterOperation, Registers, Slot};
use crate::ptx::{Space, Type};

/// An operation.
#[derive(Clone, Debug)]
pub struct Operation {
    /// It acts on the lanes of this predicate only.
    pub guard: Option<Guard>,
    /// It is a helper of the operation after it (it reads a special register for it, widens an
    /// operand): it is not counted and not shown as an instruction of its own.
    pub part: bool,
    /// It begins a basic block: control may arrive here from more than the operation before.
    pub leader: bool,
    /// Others can notice when it happens: it touches memory that others see, or synchronises.
    /// A schedule may switch after it.
    pub visible: bool,
    /// The place of its basic block in a topological order of the function in which a loop's blocks
    /// come before the loop's exits. Of two parts of a warp the one with the smaller rank is
    /// behind, and waiting for it lets them meet.
    pub rank: u32,
    /// What it does.
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

/// What an operation does.
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
        /// Where to.
        target: Pc,
        /// Where the paths meet again: the first operation of the immediate post-dominator, or
        /// [`super::EXIT`].
        reconverge: Pc,
    },
    /// `brx.idx`.
    BranchIndexed(Box<BranchIndexed>),
    /// `call`.
    Call(Box<Call>),
    /// `call` of a function that no PTX defines.
    Runtime(Box<RuntimeCall>),
    /// `ret`: back to the caller; in a kernel the same as `exit`.
    Return,
    /// `exit`.
    Exit,
    /// `trap`.
    Trap,
    /// `brkpt`: nothing, when no debugger is there.
    Breakpoint,
    /// `bar`, `barrier`.
    Barrier(Box<Barrier>),
    /// `bar.warp.sync`, `shfl`, `vote`, `match`, `redux`, `elect`.
    Warp(Box<WarpOperation>),
    /// `activemask` into a 32-bit slot.
    ActiveMask(Slot),
    /// `tex`, and what else textures and surfaces need.
    Image(Box<ImageOperation>),
    /// `fence`, `membar`.
    Fence(Semantics),
    /// `cp.async`, and what waits for it.
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
pub(super) struct Jump<'o> {
    /// Where to.
    pub(super) targets: &'o mut [Pc],
    /// Where the paths meet again.
    pub(super) reconverge: &'o mut Pc,
}

impl Kind {
    /// The program counters of a jump within the function; `None` for everything else.
    pub(super) fn jump(&mut self) -> Option<Jump<'_>> {
        match self {
            Kind::Branch { target, reconverge } => {
                Some(Jump { targets: std::slice::from_mut(target), reconverge })
            }
            Kind::BranchIndexed(branch) => {
                Some(Jump { targets: &mut branch.targets, reconverge: &mut branch.reconverge })
            }
            Kind::Lanes(..)
            | Kind::Special32(..)
            | Kind::Special64(..)
            | Kind::LocalAddress32(..)
            | Kind::LocalAddress64(..)
            | Kind::IsSpace { .. }
            | Kind::Load(_)
            | Kind::Store(_)
            | Kind::Atomic(_)
            | Kind::Span(_)
            | Kind::Stack(_)
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
            | Kind::Mbarrier(_)
            | Kind::ProxyFence
            | Kind::ClusterBarrier(_)
            | Kind::Nothing => None,
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
    /// Bytes of it to the byte, with those that the system has.
    AggregateSharedSize,
    /// Where the system's part of shared memory ends that can be relied on.
    ReservedSharedEnd,
    /// Where all of it ends.
    ReservedSharedCapacity,
    DynamicSharedSize,
    /// The address of the grid's workspace in a cooperative launch, 0 in another: its upper half
    /// (`%envreg1`).
    WorkspaceHigh,
    /// Its lower half (`%envreg2`).
    WorkspaceLow,
    /// The address of the queue for launches that the grid asks for, 0 where it asks for none: its
    /// upper half (`%envreg3`).
    LaunchQueueHigh,
    /// Its lower half (`%envreg4`).
    LaunchQueueLow,
    /// Reads as zero: `%envreg`, `%pm`, `%cluster_ctaid`...
    Zero,
    /// Reads as one: `%nclusterid`-like counts when there are no clusters.
    One,
}

/// What orders a memory operation, and for whom (PTX ISA 8, "Memory Consistency Model").
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

/// Who takes part in a strong operation's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "PTX's own words")]
pub enum Scope {
    Block,
    Cluster,
    Gpu,
    System,
}

/// Where an access goes: one address for each lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The state space; `None` for a generic address.
    pub space: Option<Space>,
    /// What the address starts from.
    pub base: Base,
    /// Bytes to add.
    pub offset: i64,
    /// Bytes of an element: 1, 2, 4, 8 or 16.
    pub width: u32,
    /// Elements of a vector access: 1, 2, 4 or 8. The whole access must be aligned to its size.
    pub elements: u32,
    /// Elements are pairs of halves, each of which is a memory operation of its own (PTX ISA 8.2.2
    /// "Packed Data Types").
    pub packed: bool,
    /// What orders it.
    pub semantics: Semantics,
    /// `.nc`: read through the non-coherent path.
    pub non_coherent: bool,
}

impl Target {
    /// Bytes of what a register takes of an element: all of it, or the half of one of 16 bytes.
    #[inline]
    pub fn piece(&self) -> u32 {
        self.width.min(8)
    }

    /// Bytes of what the memory model takes for one operation.
    pub fn scalar(&self) -> u32 {
        if self.packed { self.width / 2 } else { self.width }
    }

    /// Pieces of an element: 1, or 2 of one of 16 bytes, the lower first.
    pub fn pieces(&self) -> usize {
        self.width.div_ceil(8) as usize
    }
}

/// What an address starts from.
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
    /// Where from.
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
    /// Where to.
    pub target: Target,
    /// The values, one for each piece.
    pub sources: Vec<Slot>,
    /// They are 64-bit registers.
    pub wide: bool,
}

/// `st.bulk` and `discard`: what happens to as many bytes as a register says, in words of 8.
#[derive(Clone, Debug)]
pub struct Span {
    /// The first word.
    pub target: Target,
    /// How many bytes, in a 64-bit register.
    pub bytes: Slot,
    /// What happens to them.
    pub action: SpanAction,
}

/// What happens to a span of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanAction {
    /// They become zero.
    Clear,
    /// They hold nothing that a program may rely on.
    Discard,
}

/// What happens to the stack of an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackOperation {
    /// `alloca`.
    Allocate {
        /// The address goes here.
        d: Slot,
        /// Bytes, in a 64-bit register.
        size: Slot,
        /// What the address is a multiple of.
        align: u32,
        /// The address has 64 bits.
        wide: bool,
    },
    /// `stacksave`.
    Save {
        /// Where the stack ends goes here.
        d: Slot,
        /// In 64 bits.
        wide: bool,
    },
    /// `stackrestore`.
    Restore {
        /// Where the stack is to end, in a 64-bit register.
        a: Slot,
    },
}

/// `atom` and `red`.
#[derive(Clone, Debug)]
pub struct Atomic {
    /// Where; its width is that of the type. Each element of a vector is changed in one step, not
    /// the vector as a whole.
    pub target: Target,
    /// What is done.
    pub operation: AtomicOperation,
    /// The type it is done in.
    pub ty: Type,
    /// One for each piece ([`Target::piece`]).
    pub pieces: Vec<AtomicPiece>,
    /// Values are in 64-bit registers.
    pub wide: bool,
}

/// The registers of an atomic's element, or of the half of one of 16 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AtomicPiece {
    /// Where the old value goes; `None` for `red` and `_`.
    pub destination: Option<Slot>,
    /// The operand; for `cas` the value compared with.
    pub b: Slot,
    /// For `cas` the new value.
    pub c: Option<Slot>,
}

impl Atomic {
    /// The most pieces that an atomic has.
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
    /// Who is called.
    pub callee: Callee,
    /// Where the caller has the arguments.
    pub arguments: Vec<Home>,
    /// Where the caller wants the results.
    pub results: Vec<Home>,
}

/// Who is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    /// An index into [`super::Program::functions`].
    Direct(usize),
    /// The address in a 64-bit register; see [`super::Program::function_addresses`].
    Indirect(Slot),
}

/// `bar.sync`, `bar.arrive`, `bar.red`, and `barrier` alike (PTX ISA 9.7.13.1).
#[derive(Clone, Debug)]
pub struct Barrier {
    /// The barrier, 0 to 15, in a 32-bit slot.
    pub id: Slot,
    /// The number of threads, in a 32-bit slot; `None`: all threads of the block.
    pub count: Option<Slot>,
    /// What happens.
    pub action: BarrierAction,
    /// `.aligned` (which `bar` implies): all threads of a warp execute the same instruction.
    pub aligned: bool,
}

/// What happens at a barrier.
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
