//! The rows of the table: which function on which type, and what it does to a cell.
//!
//! The meaning is that of the CUDA C++ Programming Guide, "Atomic Functions", written down without a
//! look at how the simulator does it.

use warpsim::element::ElementType;

use Function::{Add, And, Cas, Dec, Exch, Inc, Max, Min, Or, Sub, Xor};

/// An atomic function of CUDA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Add,
    Sub,
    Exch,
    Cas,
    Min,
    Max,
    And,
    Or,
    Xor,
    Inc,
    Dec,
}

/// A function on a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) function: Function,
    pub(super) ty: ElementType,
}

/// What most integer types have.
const INTEGERS: [Function; 7] = [Exch, Cas, Min, Max, And, Or, Xor];

/// What `inc` and `dec` count to.
const LIMIT: u64 = 6;
/// What `cas` compares with, or one more.
const COMPARE: u64 = 5;

/// The rows, in the order in which the kernels have them.
pub(super) fn rows() -> Vec<Row> {
    use ElementType as T;
    let of = |ty, functions: &[Function]| -> Vec<Row> {
        functions.iter().map(|function| Row { function: *function, ty }).collect()
    };
    [
        of(T::I32, &[Add, Sub]),
        of(T::I32, &INTEGERS),
        of(T::U32, &[Add, Sub]),
        of(T::U32, &INTEGERS),
        of(T::U32, &[Inc, Dec]),
        of(T::U64, &[Add]),
        of(T::U64, &INTEGERS),
        of(T::I64, &[Min, Max]),
        of(T::F32, &[Add, Exch]),
        of(T::F64, &[Add]),
    ]
    .concat()
}

impl Function {
    /// The function's name in CUDA.
    pub(super) fn name(self) -> &'static str {
        match self {
            Add => "atomicAdd",
            Sub => "atomicSub",
            Exch => "atomicExch",
            Cas => "atomicCAS",
            Min => "atomicMin",
            Max => "atomicMax",
            And => "atomicAnd",
            Or => "atomicOr",
            Xor => "atomicXor",
            Inc => "atomicInc",
            Dec => "atomicDec",
        }
    }
}

impl Row {
    /// What the cells hold at first.
    pub(super) fn before(self) -> u64 {
        match self.function {
            And => self.ty.mask(),
            Min => self.ty.mask() >> 1,
            Add | Sub | Exch | Cas | Max | Or | Xor | Inc | Dec => self.ty.of_integer(5),
        }
    }

    /// What a thread gives to it: small where sums must be exact, in both halves of 64 bits.
    fn operand(self, x: i32) -> u64 {
        let given =
            if self.ty.is_float() { i128::from(x & 1023) } else { i128::from(x) * 0x1_0000_0001 };
        self.ty.of_integer(given)
    }

    /// What a cell holds after a thread with this number came.
    pub(super) fn after(self, old: u64, x: i32) -> u64 {
        let given = self.operand(x);
        let value = |bits| self.ty.integer(bits).unwrap_or_default();
        match self.function {
            Add if self.ty.is_float() => {
                self.ty.of_float(self.ty.float(old) + self.ty.float(given))
            }
            Add => self.ty.of_integer(value(old) + value(given)),
            Sub => self.ty.of_integer(value(old) - value(given)),
            Exch => given,
            Cas if old == COMPARE + (given & 1) => given,
            Cas => old,
            Min => self.ty.of_integer(value(old).min(value(given))),
            Max => self.ty.of_integer(value(old).max(value(given))),
            And => old & given,
            Or => old | given,
            Xor => old ^ given,
            Inc if old >= LIMIT => 0,
            Inc => old + 1,
            Dec if old == 0 || old > LIMIT => LIMIT,
            Dec => old - 1,
        }
    }

    /// Whether it leaves the same whoever comes last.
    pub(super) fn commutes(self) -> bool {
        !matches!(self.function, Exch | Cas)
    }
}
