//! Memory operations as the memory consistency model sees them (PTX ISA 8.3 to 8.7).

use super::thread::ThreadId;
use crate::lower::{Order, Scope, Semantics};
use crate::observe::AccessKind;

/// The threads that a scope includes, with only one device and no clusters: the threads of the same
/// block (`.cta`, `.cluster`), or all (`.gpu`, `.sys`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reach {
    /// The threads of the same block.
    Block,
    /// All threads.
    Device,
}

impl Reach {
    /// Both, the narrower first.
    pub const ALL: [Reach; 2] = [Reach::Block, Reach::Device];

    /// The reach of a scope.
    pub fn of(scope: Scope) -> Reach {
        match scope {
            Scope::Block | Scope::Cluster => Reach::Block,
            Scope::Gpu | Scope::System => Reach::Device,
        }
    }

    /// Its place among all.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Whether the scope of a thread of block `from` includes the threads of block `to`.
    pub fn includes(self, from: u64, to: u64) -> bool {
        self == Reach::Device || from == to
    }
}

/// The class of an operation: everything that decides whether it conflicts with another and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Class {
    /// What it does.
    pub kind: Kind,
    /// `None` when it is weak.
    pub strong: Option<Reach>,
    /// Through the non-coherent path.
    pub non_coherent: bool,
    /// The first byte.
    pub address: u64,
    /// How many bytes.
    pub bytes: u8,
}

/// What a memory operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// It reads.
    Read,
    /// It writes.
    Write,
    /// It does both in one step.
    Atomic,
}

impl Kind {
    /// The kind of an access.
    pub fn of(kind: AccessKind) -> Kind {
        match kind {
            AccessKind::Read => Kind::Read,
            AccessKind::Write => Kind::Write,
            AccessKind::Atomic => Kind::Atomic,
        }
    }

    /// Whether it writes.
    pub fn writes(self) -> bool {
        self != Kind::Read
    }

    /// Whether it reads.
    pub fn reads(self) -> bool {
        self != Kind::Write
    }
}

/// The reach of a memory operation's scope when it is strong (PTX ISA 8.3): `.volatile` is
/// `relaxed` at system scope.
pub(super) fn strength(semantics: Semantics) -> Option<Reach> {
    match semantics.order {
        Order::Weak => None,
        Order::Volatile | Order::Mmio => Some(Reach::Device),
        Order::Relaxed
        | Order::Acquire
        | Order::Release
        | Order::AcquireRelease
        | Order::SequentiallyConsistent => Some(Reach::of(semantics.scope)),
    }
}

/// Whether an operation or fence with this order acquires.
pub(super) fn acquires(order: Order) -> bool {
    matches!(order, Order::Acquire | Order::AcquireRelease | Order::SequentiallyConsistent)
}

/// Whether an operation or fence with this order releases.
pub(super) fn releases(order: Order) -> bool {
    matches!(order, Order::Release | Order::AcquireRelease | Order::SequentiallyConsistent)
}

impl Class {
    /// Whether the two overlap.
    pub fn overlaps(&self, other: &Class) -> bool {
        self.address < other.address + u64::from(other.bytes)
            && other.address < self.address + u64::from(self.bytes)
    }

    /// Whether the two access the very same bytes.
    pub fn coincides(&self, other: &Class) -> bool {
        (self.address, self.bytes) == (other.address, other.bytes)
    }

    /// Whether the two conflict: they overlap, and one of them writes (PTX ISA 8.7.1).
    pub fn conflicts(&self, other: &Class) -> bool {
        (self.kind.writes() || other.kind.writes()) && self.overlaps(other)
    }

    /// Whether every later access that conflicts with `other`, and is not ordered after it, also
    /// conflicts with this operation. Once this operation is ordered after `other`, `other` can
    /// then be forgotten.
    pub fn stands_for(&self, other: &Class) -> bool {
        let covers = self.address <= other.address
            && other.address + u64::from(other.bytes) <= self.address + u64::from(self.bytes);
        let as_kind =
            self.kind == other.kind || self.kind == Kind::Write && other.kind == Kind::Read;
        let weakest = self.strong.is_none() && !self.non_coherent && !other.non_coherent;
        *self == *other || weakest && covers && (as_kind || self.kind.writes())
    }
}

/// Why two conflicting operations are not morally strong (PTX ISA 8.6). The numbers of the two are
/// in the order in which they ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Weakness {
    /// One goes through the non-coherent path, the other does not.
    Proxy,
    /// An asynchronous copy in bulk reads what a thread wrote, and no proxy fence lies between.
    AsyncProxy,
    /// The first, the second or both are weak.
    Weak {
        /// The earlier one is.
        earlier: bool,
        /// The later one is.
        later: bool,
    },
    /// The scope of the first, the second or both leaves out the other's thread.
    Scope {
        /// The earlier one's does.
        earlier: bool,
        /// The later one's does.
        later: bool,
    },
    /// They overlap only in part.
    Overlap,
}

/// Why the two are not morally strong; `None` when they are.
pub(super) fn weakness(
    (earlier, a): (&Class, ThreadId),
    (later, b): (&Class, ThreadId),
) -> Option<Weakness> {
    if earlier.non_coherent != later.non_coherent {
        return Some(Weakness::Proxy);
    }
    let (Some(from), Some(to)) = (earlier.strong, later.strong) else {
        let (earlier, later) = (earlier.strong.is_none(), later.strong.is_none());
        return Some(Weakness::Weak { earlier, later });
    };
    let misses =
        |reach: Reach, from: ThreadId, to: ThreadId| !reach.includes(from.block(), to.block());
    let (first, second) = (misses(from, a, b), misses(to, b, a));
    if first || second {
        return Some(Weakness::Scope { earlier: first, later: second });
    }
    (!earlier.coincides(later)).then_some(Weakness::Overlap)
}
