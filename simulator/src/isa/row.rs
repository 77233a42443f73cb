//! What a row of the instruction table is made of, and the macros that write rows.

use super::pattern::Pattern;
use crate::machine::LaneOperation;
use crate::ptx::Type;

/// An opcode: everything before the first dot.
#[derive(Debug)]
pub struct Opcode {
    /// `add`.
    pub name: &'static str,
    /// The section of the PTX ISA that defines it: `9.7.1.1`.
    pub section: &'static str,
    /// The operands as the ISA writes them: `d, a, b`.
    pub operands: &'static str,
    /// What it does, in a line.
    pub summary: &'static str,
    /// Its forms; the first whose pattern matches is taken.
    pub forms: &'static [Form],
}

/// One form of an opcode.
#[derive(Debug)]
pub struct Form {
    /// Its modifiers.
    pub pattern: Pattern,
    /// What it means.
    pub action: Action,
}

/// What a form means.
#[derive(Debug)]
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
/// Together with the roles, lowering fills [`crate::machine::Operands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// Destination `d`. A predicate destination may be `_`.
    D(Type),
    /// `p|q`: two predicate destinations `d` and `d2`, the second optional in the text. When it is absent, `d2` is a scratch slot.
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
    /// The destination `d` is also source `c`... not in the text: for read-modify-write forms.
    CIsD,
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

/// A register operation: `lanes!(pattern, shape(types) -> type, |a, b| ...)`.
macro_rules! lanes {
    ($pattern:expr, unary($a:ty) -> $d:ty, $f:expr) => {
        $crate::isa::row::lane_form!(
            $pattern, [D(<$d>), A(<$a>)],
            |r, o, m| $crate::machine::unary::<$a, $d>(r, o, m, $f))
    };
    ($pattern:expr, binary($a:ty, $b:ty) -> $d:ty, $f:expr) => {
        $crate::isa::row::lane_form!(
            $pattern, [D(<$d>), A(<$a>), B(<$b>)],
            |r, o, m| $crate::machine::binary::<$a, $b, $d>(r, o, m, $f))
    };
    ($pattern:expr, ternary($a:ty, $b:ty, $c:ty) -> $d:ty, $f:expr) => {
        $crate::isa::row::lane_form!(
            $pattern, [D(<$d>), A(<$a>), B(<$b>), C(<$c>)],
            |r, o, m| $crate::machine::ternary::<$a, $b, $c, $d>(r, o, m, $f))
    };
    ($pattern:expr, quaternary($a:ty, $b:ty, $c:ty, $e:ty) -> $d:ty, $f:expr) => {
        $crate::isa::row::lane_form!(
            $pattern, [D(<$d>), A(<$a>), B(<$b>), C(<$c>), E(<$e>)],
            |r, o, m| $crate::machine::quaternary::<$a, $b, $c, $e, $d>(r, o, m, $f))
    };
}

/// A register operation with its operands spelled out and any body over `(registers, operands, mask)`.
macro_rules! lane_form {
    ($pattern:expr, [$($role:ident (<$ty:ty>)),* $(; $($hidden:ident),*)?], |$r:ident, $o:ident, $m:ident| $body:expr) => {{
        fn run(
            $r: &mut $crate::machine::Registers,
            $o: &$crate::machine::Operands,
            $m: $crate::machine::Mask,
        ) {
            $body
        }
        $crate::isa::row::Form {
            pattern: $crate::isa::pattern::Pattern($pattern),
            action: $crate::isa::row::Action::Lanes {
                operands: &[
                    $($crate::isa::row::Operand::$role(<$ty as $crate::machine::Value>::TYPE)),*
                    $(, $($crate::isa::row::Operand::$hidden),*)?
                ],
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

pub(crate) use {lane_form, lanes, structural};
