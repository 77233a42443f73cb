//! Printing of instructions and operands.

use std::fmt;

use super::super::ast::{AddressBase, Guard, Index, Instruction, Operand, OperandKind};
use super::Separated;

/// As in PTX, on one line, without the semicolon: `@%p1 ld.shared.u32 %r1, [%rd1+4]`.
impl fmt::Display for Instruction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Mnemonic(self))?;
        match self.operands.as_slice() {
            [] => Ok(()),
            operands => write!(f, " {}", Separated(operands, ", ")),
        }
    }
}

/// The guard, opcode and modifiers of an instruction.
pub(super) struct Mnemonic<'a>(pub(super) &'a Instruction);

impl fmt::Display for Mnemonic<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(guard) = &self.0.guard {
            write!(f, "{guard} ")?;
        }
        write!(f, "{}", self.0.opcode)?;
        self.0.modifiers.iter().try_for_each(|modifier| write!(f, ".{modifier}"))
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "@{}{}", if self.negated { "!" } else { "" }, self.register)
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl fmt::Display for OperandKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OperandKind::Name(name) => f.write_str(name),
            OperandKind::Member(name, member) => write!(f, "{name}.{member}"),
            OperandKind::Integer(value) => value.fmt(f),
            OperandKind::F32(bits) => Exact::F32(*bits).fmt(f),
            OperandKind::F64(bits) => Exact::F64(*bits).fmt(f),
            OperandKind::Offset(name, offset) => write!(f, "{name}+{offset}"),
            OperandKind::Address(AddressBase::Name(name), offset) => {
                write!(f, "[{name}{}]", Sum(*offset))
            }
            OperandKind::Address(AddressBase::Absolute(address), offset) => {
                write!(f, "[{}]", address.wrapping_add_signed(*offset))
            }
            OperandKind::Subscript(name, index) => write!(f, "{name}[{index}]"),
            OperandKind::Vector(operands) => write!(f, "{{{}}}", Separated(operands, ", ")),
            OperandKind::Pair(first, second) => write!(f, "{first}|{second}"),
            OperandKind::Not(operand) => write!(f, "!{operand}"),
            OperandKind::Negate(operand) => write!(f, "-{operand}"),
            OperandKind::Sink => f.write_str("_"),
            OperandKind::List(operands) => write!(f, "({})", Separated(operands, ", ")),
            OperandKind::Tuple(operands) => write!(f, "[{}]", Separated(operands, ", ")),
        }
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Index::Constant(number) => number.fmt(f),
            Index::Register(name, offset) => write!(f, "{name}{}", Sum(*offset)),
        }
    }
}

/// `+N` after a name, nothing for 0. `ptxas` wants `+-4`, not `-4`.
pub(super) struct Sum(pub(super) i64);

impl fmt::Display for Sum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            0 => Ok(()),
            offset => write!(f, "+{offset}"),
        }
    }
}

/// A floating-point literal by its bits.
pub(super) enum Exact {
    F32(u32),
    F64(u64),
}

impl fmt::Display for Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exact::F32(bits) => write!(f, "0f{bits:08X}"),
            Exact::F64(bits) => write!(f, "0d{bits:016X}"),
        }
    }
}
