//! Accesses to memory: their target, their order and scope, and the registers of loads, stores and
//! atomics (PTX ISA 8, 9.7.9, 9.7.13).

use crate::lanes::Slot;
use crate::ptx::{Space, Type};

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
