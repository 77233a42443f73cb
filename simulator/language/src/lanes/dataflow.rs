//! The registers that an operation reads and writes, for code that follows values through a
//! program.
//!
//! Executing an operation needs none of this: its loop knows. It is kept with the operands in one
//! word, four bits for each of them.

/// An operand of a register operation; named like the fields of [`super::Operands`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named like the fields of Operands")]
pub enum Position {
    D,
    D2,
    A,
    B,
    C,
    E,
}

/// What of a slot an operation looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Width {
    /// A predicate slot.
    Predicate,
    /// The lowest 1, 2 or 4 bytes of a 32-bit slot, or all 8 of a 64-bit one.
    Bytes(u8),
}

impl Width {
    /// The bytes; 1 for a predicate.
    pub fn bytes(self) -> u32 {
        match self {
            Width::Predicate => 1,
            Width::Bytes(bytes) => bytes.into(),
        }
    }
}

/// Which operands an operation has, and whether it only moves them.
///
/// ```
/// use warpsim_language::lanes::{Dataflow, Position, Width};
///
/// let flow = Dataflow::NONE.with(Position::D, Some(4)).with(Position::A, None).moving();
/// assert_eq!(flow.width(Position::D), Some(Width::Bytes(4)));
/// assert_eq!(flow.width(Position::A), Some(Width::Predicate));
/// assert_eq!(flow.width(Position::B), None);
/// assert!(flow.moves());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dataflow(u32);

const MOVES: u32 = 1 << 31;
const PREDICATE: u32 = 15;

impl Dataflow {
    /// No operands.
    pub const NONE: Dataflow = Dataflow(0);

    /// The same with an operand of this many bytes; `None` for a predicate.
    #[must_use]
    pub const fn with(self, position: Position, bytes: Option<u32>) -> Dataflow {
        let code = match bytes {
            Some(bytes) => bytes & 15,
            None => PREDICATE,
        };
        Dataflow(self.0 & !(15 << (4 * position as u32)) | code << (4 * position as u32))
    }

    /// The same of an operation that moves bits: each bit of its result is a bit of a source,
    /// or a logic function of some.
    #[must_use]
    pub const fn moving(self) -> Dataflow {
        Dataflow(self.0 | MOVES)
    }

    /// Whether it moves bits, rather than compute with values.
    pub const fn moves(self) -> bool {
        self.0 & MOVES != 0
    }

    /// The width that it reads of an operand, or writes to it; `None` if it has no such operand.
    pub const fn width(self, position: Position) -> Option<Width> {
        match self.0 >> (4 * position as u32) & 15 {
            0 => None,
            PREDICATE => Some(Width::Predicate),
            bytes => Some(Width::Bytes(bytes as u8)),
        }
    }
}
