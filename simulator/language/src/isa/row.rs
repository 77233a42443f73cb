//! What a row of the instruction table is made of, and the macros that write rows.

use super::need::Need;
use super::pattern::Pattern;
use crate::lanes::LaneOperation;
use crate::ptx::Type;

/// The forms of an opcode that one section of the ISA defines. Where several sections share an
/// opcode (`add` of integers, of floats, of halves) there are several of these.
#[derive(Debug)]
pub struct Opcode {
    /// What stands before the first dot: `add`.
    pub name: &'static str,
    /// The section of the PTX ISA that defines it: `9.7.1.1`.
    pub section: &'static str,
    /// The operands as the ISA writes them: `d, a, b`.
    pub operands: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Which of its modifiers need which version of PTX and which architecture, where that is more
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

/// What a form means.
#[derive(Clone, Copy, Debug)]
pub enum Action {
    /// A pure register operation.
    Lanes {
        /// The operands in the order of the instruction's text.
        operands: &'static [Operand],
        /// The lane loop around the scalar function.
        run: LaneOperation,
    },
    /// Translated by a routine of `lower`.
    Structural(Structural),
    /// Known, and refused with this reason.
    Unsupported(&'static str),
}

/// The role and the type of one operand of a register operation, in the order of the text.
/// Together with the roles, lowering fills [`crate::lanes::Operands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Destination `d`. A predicate destination may be `_`.
    D(Type),
    /// `p|q`: two predicate destinations `d` and `d2`, the second optional in the text. When it is
    /// absent, `d2` is a scratch slot.
    DPair,
    /// `d|p`: a register destination `d` with an optional predicate destination `d2`.
    DWith(Type),
    /// Source `a`, `b`, `c` or `e`.
    A(Type),
    /// Source `b`.
    B(Type),
    /// Source `c`.
    C(Type),
    /// Source `e`.
    E(Type),
    /// The carry flag as source `e`: not in the text.
    CarryIn,
    /// The carry flag as destination `d2`: not in the text.
    CarryOut,
    /// The predicate source `c`, which the text may negate (`!p`): then lowering sets
    /// [`crate::lanes::Flags::NOT_C`].
    MaybeNotC,
    /// Destination `d` of an integer type, whose register may be wider: the result is
    /// zero- or sign-extended to it (PTX ISA 9.4.1, the relaxed rules for `cvt`).
    WideD(Type),
    /// Source `a`, whose register may be wider: its low bits are taken (PTX ISA 9.4.1).
    WideA(Type),
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
    Bra,
    BrxIdx,
    Call,
    Ret,
    Exit,
    Trap,
    Breakpoint,
    Bar,
    BarWarpSync,
    Fence,
    Shfl,
    Vote,
    Match,
    Redux,
    Activemask,
    Elect,
    Nothing,
}

/// A register operation of a common shape around a scalar function:
/// `lanes!(pattern, binary(u32, u32) -> u32, |a, b| ...)`, or `with_flags |flags, a, b| ...` for
/// one that looks at the modifiers.
macro_rules! lanes {
    ($pattern:expr, $shape:ident($($arg:ty),+) -> $d:ty, with_flags $f:expr) => {
        $crate::isa::row::lanes!(@ $pattern, $shape($($arg),+) -> $d, flags, $f)
    };
    ($pattern:expr, $shape:ident($($arg:ty),+) -> $d:ty, $f:expr) => {
        $crate::isa::row::lanes!(@ $pattern, $shape($($arg),+) -> $d, no_flags, $f)
    };
    (@ $pattern:expr, unary($a:ty) -> $d:ty, $flags:ident, $f:expr) => {
        $crate::isa::row::lane_form!($pattern, [D(<$d>), A(<$a>)], |r, o, m| {
            $crate::lanes::unary::<$a, $d>(r, o, m, $crate::isa::row::scalar!($flags, o, $f, |a|))
        })
    };
    (@ $pattern:expr, binary($a:ty, $b:ty) -> $d:ty, $flags:ident, $f:expr) => {
        $crate::isa::row::lane_form!($pattern, [D(<$d>), A(<$a>), B(<$b>)], |r, o, m| {
            $crate::lanes::binary::<$a, $b, $d>(r, o, m, $crate::isa::row::scalar!($flags, o, $f, |a, b|))
        })
    };
    (@ $pattern:expr, binary_uniform($a:ty, $b:ty) -> $d:ty, $flags:ident, $f:expr) => {
        $crate::isa::row::lane_form!($pattern, [D(<$d>), A(<$a>), B(<$b>)], |r, o, m| {
            $crate::lanes::binary_uniform::<$a, $b, $d>(
                r, o, m, $crate::isa::row::scalar!($flags, o, $f, |a, b|))
        })
    };
    (@ $pattern:expr, ternary($a:ty, $b:ty, $c:ty) -> $d:ty, $flags:ident, $f:expr) => {
        $crate::isa::row::lane_form!($pattern, [D(<$d>), A(<$a>), B(<$b>), C(<$c>)], |r, o, m| {
            $crate::lanes::ternary::<$a, $b, $c, $d>(r, o, m, $crate::isa::row::scalar!($flags, o, $f, |a, b, c|))
        })
    };
    (@ $pattern:expr, quaternary($a:ty, $b:ty, $c:ty, $e:ty) -> $d:ty, $flags:ident, $f:expr) => {
        $crate::isa::row::lane_form!(
            $pattern, [D(<$d>), A(<$a>), B(<$b>), C(<$c>), E(<$e>)], |r, o, m| {
                $crate::lanes::quaternary::<$a, $b, $c, $e, $d>(r, o, m, $crate::isa::row::scalar!($flags, o, $f, |a, b, c, e|))
            })
    };
}

/// The scalar function; one that asked for the flags gets them as its first argument.
macro_rules! scalar {
    (no_flags, $o:ident, $f:expr, |$($arg:ident),+|) => {
        $f
    };
    (flags, $o:ident, $f:expr, |$($arg:ident),+|) => {{
        let flags = $o.flags;
        move |$($arg),+| ($f)(flags, $($arg),+)
    }};
}

/// A register operation with its operands spelled out and any body over `(registers, operands,
/// mask)`. An operand is a role with the Rust type that it is read as, `A(<u32>)`, with a PTX
/// type, `A[Pred]`, or without any: `DPair`.
macro_rules! lane_form {
    (
        $pattern:expr,
        [$($role:ident $((<$ty:ty>))? $([$ptx:ident])?),*],
        |$r:ident, $o:ident, $m:ident| $body:expr
    ) => {{
        fn run(
            $r: &mut $crate::lanes::Registers,
            $o: &$crate::lanes::Operands,
            $m: $crate::lanes::Mask,
        ) {
            $body
        }
        $crate::isa::row::Form {
            pattern: $crate::isa::pattern::Pattern($pattern),
            action: $crate::isa::row::Action::Lanes {
                operands: &[$(
                    $crate::isa::row::Operand::$role
                        $((<$ty as $crate::lanes::Value>::TYPE))?
                        $(($crate::ptx::Type::$ptx))?
                ),*],
                run,
            },
        }
    }};
}

/// A form translated by `lower`: `structural!(pattern, Ld)`.
macro_rules! structural {
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

pub(crate) use {joined, lane_form, lanes, scalar, structural, unsupported};
