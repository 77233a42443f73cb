//! The parts of a row of the instruction table, and the macros that write rows.

use super::need::Need;
use super::pattern::Pattern;
use crate::isa::arithmetic::video::VideoInstruction;
use crate::isa::operations::mbarrier::MbarrierInstruction;
use crate::isa::operations::texture::ImageInstruction;
use crate::isa::operations::warp::WarpInstruction;
use crate::lanes::primitive::Narrow;
use crate::lanes::{Primitive, Role};

/// The forms of an opcode that one section of the ISA defines. Where several sections share an
/// opcode (`add` of integers, of floats, of halves) there are several of these.
#[derive(Debug)]
pub struct Opcode {
    /// The part before the first dot: `add`.
    pub name: &'static str,
    /// The section of the PTX ISA that defines it: `9.7.1.1`.
    pub section: &'static str,
    /// The operands as the ISA writes them: `d, a, b`.
    pub operands: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Which of its modifiers need which version of PTX and which architecture, if they need more
    /// than [`super::Level::FLOOR`].
    pub needs: &'static [Need],
    /// Its forms; the first whose pattern matches is taken.
    pub forms: &'static [Form],
}

/// One form of an opcode.
#[derive(Clone, Copy, Debug)]
pub struct Form {
    /// Its modifiers.
    pub pattern: Pattern,
    /// What it means.
    pub action: Action,
}

impl Form {
    /// How many operands its text has; `None` where a routine of `lower` says so.
    pub(crate) fn operands(&self) -> Option<usize> {
        match self.action {
            Action::Lanes { operands, .. } => {
                Some(operands.iter().filter(|role| role.is_written()).count())
            }
            Action::Structural(_) | Action::Unsupported(_) => None,
        }
    }

    /// Whether its text may have this many operands.
    pub(crate) fn may_take(&self, operands: usize) -> bool {
        self.operands().is_none_or(|count| count == operands)
    }
}

/// What a form means.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// A pure register operation.
    Lanes {
        /// The operands in the order of the instruction's text.
        operands: &'static [Role],
        /// The computation on them.
        primitive: Primitive,
    },
    /// Translated by a routine of `lower`.
    Structural(Structural),
    /// Known, and refused with this reason.
    Unsupported(&'static str),
}

/// Instructions that do more than compute: each is a routine of `lower`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "named like the instructions they translate")]
pub enum Structural {
    Mov,
    Ld,
    St,
    Atom,
    Red,
    Cvta,
    Isspacep,
    CreatePolicy,
    Discard,
    Fill,
    Alloca,
    StackSave,
    StackRestore,
    Bra,
    BrxIdx,
    Call,
    Ret,
    Exit,
    Trap,
    Breakpoint,
    Bar,
    BarRed,
    Fence,
    ProxyFence,
    /// `cp.async`
    CpAsync,
    /// `cp.async.bulk`, `cp.reduce.async.bulk`
    CpBulk,
    /// `st.async`, `red.async`
    AsyncStore,
    /// `clusterlaunchcontrol.try_cancel`
    TryCancel,
    /// `clusterlaunchcontrol.query_cancel`
    QueryCancel,
    /// `cp.async.bulk.prefetch`
    CpPrefetch,
    /// `cp.async.commit_group`, `cp.async.bulk.commit_group`
    CommitGroup,
    /// `cp.async.wait_group`, `cp.async.wait_all`, `cp.async.bulk.wait_group`
    WaitGroup,
    /// `mapa`
    Mapa,
    /// `getctarank`
    Getctarank,
    /// `barrier.cluster`
    ClusterBarrier,
    /// What lanes of a warp do together.
    Warp(WarpInstruction),
    /// On bytes, halves and words picked out of registers.
    Video(VideoInstruction),
    /// On textures and surfaces.
    Image(ImageInstruction),
    /// `lop3` that also combines whether its result is not zero with a predicate.
    Lop3,
    /// `cvt.rs` of four numbers: two and two by the primitive.
    CvtFour(Narrow),
    /// An operation on an mbarrier object.
    Mbarrier(MbarrierInstruction),
    Nothing,
}

/// A pure register operation: `lanes!(pattern, Integer::AddU32)`.
macro_rules! lanes {
    ($pattern:expr, $family:ident::$name:ident) => {
        $crate::isa::row::register($pattern, $crate::lanes::Primitive::$family($family::$name))
    };
}

/// A form that computes a primitive, with the operands of the primitive.
pub(crate) const fn register(pattern: &'static str, primitive: Primitive) -> Form {
    register_with(pattern, primitive, primitive.roles())
}

/// A form that computes a primitive, whose operands are more or less than the primitive's own.
pub(crate) const fn register_with(
    pattern: &'static str,
    primitive: Primitive,
    operands: &'static [Role],
) -> Form {
    Form { pattern: Pattern(pattern), action: Action::Lanes { primitive, operands } }
}

/// A form translated by `lower`: `structural!(pattern, Ld)`, or `structural!(pattern, Warp(Shfl))`
/// for one of [`WarpInstruction`].
macro_rules! structural {
    ($pattern:expr, Warp($instruction:ident)) => {
        $crate::isa::row::Form {
            pattern: $crate::isa::pattern::Pattern($pattern),
            action: $crate::isa::row::Action::Structural($crate::isa::row::Structural::Warp(
                $crate::isa::operations::warp::WarpInstruction::$instruction,
            )),
        }
    };
    ($pattern:expr, Mbarrier($instruction:ident)) => {
        $crate::isa::row::Form {
            pattern: $crate::isa::pattern::Pattern($pattern),
            action: $crate::isa::row::Action::Structural($crate::isa::row::Structural::Mbarrier(
                $crate::isa::operations::mbarrier::MbarrierInstruction::$instruction,
            )),
        }
    };
    ($pattern:expr, $kind:ident) => {
        $crate::isa::row::Form {
            pattern: $crate::isa::pattern::Pattern($pattern),
            action: $crate::isa::row::Action::Structural($crate::isa::row::Structural::$kind),
        }
    };
}

/// A form that is known and refused: `unsupported!(pattern, "why")`.
macro_rules! unsupported {
    ($pattern:expr, $reason:expr) => {
        $crate::isa::row::Form {
            pattern: $crate::isa::pattern::Pattern($pattern),
            action: $crate::isa::row::Action::Unsupported($reason),
        }
    };
}

/// Several lists of forms as one: `joined!(LIST, LIST, ...)`.
macro_rules! joined {
    ($($part:expr),* $(,)?) => {{
        const PARTS: &[&[$crate::isa::row::Form]] = &[$($part),*];
        const ALL: [$crate::isa::row::Form; $crate::isa::row::total(PARTS)] =
            $crate::isa::row::join(PARTS);
        &ALL
    }};
}

/// How many forms there are in all lists.
pub(crate) const fn total(parts: &[&[Form]]) -> usize {
    let (mut sum, mut part) = (0, 0);
    while part < parts.len() {
        sum += parts[part].len();
        part += 1;
    }
    sum
}

/// The forms of all lists; `N` is their [`total`].
pub(crate) const fn join<const N: usize>(parts: &[&[Form]]) -> [Form; N] {
    let nothing = Form { pattern: Pattern(""), action: Action::Unsupported("") };
    let mut all = [nothing; N];
    let (mut at, mut part) = (0, 0);
    while part < parts.len() {
        let mut form = 0;
        while form < parts[part].len() {
            all[at] = parts[part][form];
            at += 1;
            form += 1;
        }
        part += 1;
    }
    all
}

pub(crate) use {joined, lanes, structural, unsupported};
