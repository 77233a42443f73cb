//! The rows of the table: a function on a type, and its effect on a cell.
//!
//! The meaning follows the CUDA C++ Programming Guide, "Atomic Functions". It was written down
//! without a look at the simulator.

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
    ty: ElementType,
    /// A cell holds two numbers of the type: `half2`.
    is_pair: bool,
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
        functions.iter().map(|function| Row { function: *function, ty, is_pair: false }).collect()
    };
    let pairs = |ty| vec![Row { function: Add, ty, is_pair: true }];
    [
        of(T::I32, &[Add, Sub]),
        of(T::I32, &INTEGERS),
        of(T::U32, &[Add, Sub]),
        of(T::U32, &INTEGERS),
        of(T::U32, &[Inc, Dec]),
        of(T::U64, &[Add]),
        of(T::U64, &INTEGERS),
        of(T::I64, &[Min, Max]),
        of(T::U16, &[Cas]),
        of(T::F32, &[Add, Exch]),
        of(T::F64, &[Add]),
        of(T::F16, &[Add]),
        pairs(T::F16),
        of(T::Bf16, &[Add]),
        pairs(T::Bf16),
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
        let one = match self.function {
            And => self.ty.mask(),
            Min => self.ty.mask() >> 1,
            Add | Sub | Exch | Cas | Max | Or | Xor | Inc | Dec => self.ty.of_integer(5),
        };
        self.of_parts([one, one])
    }

    /// What a cell holds after a thread with this number came.
    pub(super) fn after(self, old: u64, x: i32) -> u64 {
        let (old, given) = (self.parts(old), self.operands(x));
        self.of_parts([self.on_one(old[0], given[0]), self.on_one(old[1], given[1])])
    }

    /// Whether it leaves the same, whichever thread comes last.
    pub(super) fn commutes(self) -> bool {
        !matches!(self.function, Exch | Cas)
    }

    /// The name of the type.
    pub(super) fn type_name(self) -> String {
        format!("{}{}", self.ty.name(), if self.is_pair { "x2" } else { "" })
    }

    /// What a cell holds, as text.
    pub(super) fn text(self, bits: u64) -> String {
        let [low, high] = self.parts(bits).map(|part| self.ty.text(part));
        if self.is_pair { format!("({low}, {high})") } else { low }
    }

    /// The one or two numbers of a cell, the lower first.
    fn parts(self, bits: u64) -> [u64; 2] {
        let next = if self.is_pair { bits >> (8 * self.ty.size()) } else { 0 };
        [bits & self.ty.mask(), next & self.ty.mask()]
    }

    fn of_parts(self, [low, high]: [u64; 2]) -> u64 {
        if self.is_pair { high << (8 * self.ty.size()) | low } else { low }
    }

    /// What a thread gives: small where sums must be exact, in both halves of 64 bits.
    fn operands(self, x: i32) -> [u64; 2] {
        let given = match self.ty {
            ElementType::F16 => [x & 15, x >> 4 & 15].map(i128::from),
            ElementType::Bf16 => [x & 3, x >> 2 & 3].map(i128::from),
            _ if self.ty.is_float() => [i128::from(x & 1023); 2],
            _ => [i128::from(x) * 0x1_0000_0001; 2],
        };
        given.map(|number| self.ty.of_integer(number))
    }

    /// A number as an integer. Floats have no fraction here either: all inputs are whole.
    fn whole(self, bits: u64) -> i128 {
        match self.ty.integer(bits) {
            Some(number) => number,
            None => self.ty.float(bits) as i128,
        }
    }

    /// The function on one number.
    fn on_one(self, old: u64, given: u64) -> u64 {
        let value = |bits| self.whole(bits);
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
}
