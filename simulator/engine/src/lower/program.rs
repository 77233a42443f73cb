//! A kernel and the functions it can call, lowered to dense operations.
//!
//! All functions share one vector of operations, so a program counter ([`Pc`]) is an index into it,
//! and one bank of constants. Names, scopes and types are gone: operands are [`Slot`]s, labels are
//! program counters, variables are addresses. What a person wants to know of an operation is kept
//! beside it in a [`Place`].
//!
//! A program is bound to one loading of its module, because the addresses of module variables are
//! in it, and to nothing else: it is immutable and holds no state of a run.

use std::sync::Arc;

use crate::lanes::{Constants, RegisterOperation, Slot, SlotCounts};
use crate::ptx::{InstId, Source, Space, Type};
use crate::report::SourcePosition;

/// An index into [`Program::operations`].
pub type Pc = u32;

/// The program counter that stands for the exit of the function: where paths meet that meet nowhere
/// else.
pub const EXIT: Pc = Pc::MAX;

/// A lowered kernel.
#[derive(Debug)]
pub struct Program {
    /// The text it came from, for messages.
    pub source: Source,
    /// The functions; the kernel is the first.
    pub functions: Vec<Function>,
    /// The operations of all functions, one function after the other.
    pub operations: Vec<Operation>,
    /// One for each operation.
    pub places: Vec<Place>,
    /// The broadcast constants.
    pub constants: Arc<Constants>,
    /// The kernel's parameters, in order.
    pub parameters: Vec<KernelParameter>,
    /// Bytes of all parameters.
    pub parameter_bytes: u32,
    /// Shared variables that the kernel's functions or the module declare, at their addresses in
    /// shared memory.
    pub shared: Vec<Symbol>,
    /// Bytes of static shared memory; dynamic shared memory begins here, rounded up to 16.
    pub static_shared_bytes: u32,
    /// `.maxntid`/`.reqntid` of the kernel: the most threads of a block, and the shape required.
    pub max_threads: Option<u32>,
    /// `.reqntid`.
    pub required_block: Option<[u32; 3]>,
    /// Function addresses (as [`crate::lower::Placement`] gave them) that an indirect call may go
    /// to.
    pub function_addresses: Vec<(u64, usize)>,
}

/// A parameter of a kernel, at its place in the parameter bank.
#[derive(Clone, Debug, PartialEq)]
pub struct KernelParameter {
    /// Its name.
    pub name: Arc<str>,
    /// Its scalar type (the element type of an array).
    pub ty: Type,
    /// Where it lies in the parameter bank, in bytes.
    pub offset: u32,
    /// Its size in bytes.
    pub size: u32,
}

/// A variable with its address in its state space.
#[derive(Clone, Debug, PartialEq)]
pub struct Symbol {
    /// The name as declared.
    pub name: Arc<str>,
    /// The state space.
    pub space: Space,
    /// The element type.
    pub ty: Type,
    /// The address in that space.
    pub address: u64,
    /// The size in bytes; 0 for `extern __shared__ x[]`.
    pub size: u64,
}

/// A function of a program.
#[derive(Debug)]
pub struct Function {
    /// Its name.
    pub name: Arc<str>,
    /// The first operation.
    pub entry: Pc,
    /// One past its last operation.
    pub end: Pc,
    /// The registers of an activation.
    pub slots: SlotCounts,
    /// Bytes per lane of `.param` variables: parameters, return values and those of its calls.
    pub param_bytes: u32,
    /// Bytes per thread of `.local` variables; a multiple of 16.
    pub local_bytes: u32,
    /// Where its parameters arrive, in order.
    pub params: Vec<Home>,
    /// Where its return values are left, in order.
    pub returns: Vec<Home>,
    /// The registers that the text names.
    pub registers: Vec<RegisterName>,
    /// The `.local` variables, at their offsets in the activation's local memory.
    pub locals: Vec<Symbol>,
}

/// Where a parameter or return value lives in an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In the activation's `.param` bytes.
    Param {
        /// Offset in bytes.
        offset: u32,
        /// Size in bytes.
        size: u32,
    },
    /// In a 32-bit register or constant; `bytes` of it.
    W32(Slot, u32),
    /// In a 64-bit register or constant.
    W64(Slot),
}

/// A register as the text names it.
#[derive(Clone, Debug, PartialEq)]
pub struct RegisterName {
    /// `%r5`. A name that several nested scopes declare stands here several times.
    pub name: Arc<str>,
    /// Its type; decides the bank of the slot.
    pub ty: Type,
    /// Its slot.
    pub slot: Slot,
}

/// What a person wants to know of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// The instruction it came from. One instruction may become several operations; all but the
    /// last are [`Operation::part`]s.
    pub instruction: InstId,
    /// The instruction's line in the PTX text, from 1.
    pub line: u32,
    /// The line of the source that the PTX was compiled from.
    pub source: Option<SourcePosition>,
    /// The opcode with its modifiers: `ld.shared.u32`.
    pub name: Arc<str>,
    /// The instruction as printed, without guard and semicolon: `add.s32 %r1, %r2, 1`.
    pub text: Arc<str>,
    /// The registers that the instruction reads, as written, for traces. Index into
    /// [`Function::registers`].
    pub reads: Vec<u32>,
    /// The registers that it writes.
    pub writes: Vec<u32>,
}

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
    /// `bra`; conditional when guarded.
    Branch {
        /// Where to.
        target: Pc,
        /// Where the paths meet again: the first operation of the immediate post-dominator, or
        /// [`EXIT`].
        reconverge: Pc,
    },
    /// `brx.idx`.
    BranchIndexed {
        /// The index (32-bit); an index outside the list is a fault.
        index: Slot,
        /// The targets.
        targets: Arc<[Pc]>,
        /// Where the paths meet again.
        reconverge: Pc,
    },
    /// `call`.
    Call(Box<Call>),
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
    /// `fence`, `membar`.
    Fence(Semantics),
    /// `pmevent`, `nanosleep`, `prefetch`, ...: no effect that a program can rely on.
    Nothing,
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
    /// Bytes of shared memory of the block, static and dynamic.
    TotalSharedSize,
    DynamicSharedSize,
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
    /// Bytes of an element: 1, 2, 4 or 8.
    pub width: u32,
    /// Elements of a vector access: 1, 2, 4 or 8. The whole access must be aligned to its size.
    pub elements: u32,
    /// What orders it.
    pub semantics: Semantics,
    /// `.nc`: read through the non-coherent path.
    pub non_coherent: bool,
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
    /// The destinations, one for each element; `None` for `_`.
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
    /// The values, one for each element.
    pub sources: Vec<Slot>,
    /// They are 64-bit registers.
    pub wide: bool,
}

/// `atom` and `red`.
#[derive(Clone, Debug)]
pub struct Atomic {
    /// Where; its width is that of the type.
    pub target: Target,
    /// What is done.
    pub operation: AtomicOperation,
    /// The type it is done in.
    pub ty: Type,
    /// Where the old value goes; `None` for `red` and `_`.
    pub destination: Option<Slot>,
    /// The operand; for `cas` the value compared with.
    pub b: Slot,
    /// For `cas` the new value.
    pub c: Option<Slot>,
    /// Values are in 64-bit registers.
    pub wide: bool,
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
    /// An index into [`Program::functions`].
    Direct(usize),
    /// The address in a 64-bit register; see [`Program::function_addresses`].
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

/// An operation for which lanes of a warp wait for each other.
#[derive(Clone, Debug)]
pub struct WarpOperation {
    /// The member mask, in a 32-bit slot; `None` for the forms without `.sync`, which take whoever
    /// is there.
    pub mask: Option<Slot>,
    /// What is done.
    pub action: WarpAction,
}

/// What lanes do together.
#[derive(Clone, Debug, PartialEq)]
pub enum WarpAction {
    /// `bar.warp.sync`.
    Sync,
    /// `shfl` (PTX ISA 9.7.9.6).
    Shuffle {
        /// Which neighbour.
        mode: ShuffleMode,
        /// The destination.
        d: Slot,
        /// Whether the source lane was in range.
        p: Option<Slot>,
        /// The value given.
        a: Slot,
        /// The lane, delta or lane mask.
        b: Slot,
        /// Clamp and segment mask.
        c: Slot,
    },
    /// `vote`.
    Vote {
        /// What is asked.
        mode: VoteMode,
        /// A 32-bit slot for a ballot, else a predicate.
        d: Slot,
        /// The predicate asked about.
        p: Guard,
    },
    /// `match`.
    Match {
        /// `.all` rather than `.any`.
        all: bool,
        /// 64-bit values.
        wide: bool,
        /// The mask of lanes with the same value (32-bit slot).
        d: Slot,
        /// `.all`: whether all are equal.
        p: Option<Slot>,
        /// The value.
        a: Slot,
    },
    /// `redux`.
    Redux {
        /// Add, min, max, and, or, xor.
        operation: AtomicOperation,
        /// `.s32`, `.u32`, `.b32`.
        ty: Type,
        /// The destination.
        d: Slot,
        /// The value.
        a: Slot,
    },
    /// `elect`.
    Elect {
        /// The lane elected (32-bit slot), when asked for.
        d: Option<Slot>,
        /// Whether it is this lane.
        p: Slot,
    },
}

/// Which neighbour `shfl` reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "PTX's own words")]
pub enum ShuffleMode {
    Up,
    Down,
    Butterfly,
    Index,
}

/// What `vote` asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "PTX's own words")]
pub enum VoteMode {
    All,
    Any,
    Uniform,
    Ballot,
}
