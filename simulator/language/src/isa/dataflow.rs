//! What a register operation reads and writes, and whether it only moves bits: read off the roles
//! of its operands.

use super::row::{Opcode, Operand};
use crate::lanes::{Dataflow, Position};
use crate::ptx::Type;

/// Opcodes that move bits about or combine them singly, as compilers do with the parts of a value
/// that is wider or narrower than the register it is in. `cvt` is one between integers.
const MOVING: &[&str] = &[
    "and", "bfe", "bfi", "brev", "cvt", "lop3", "mov", "not", "or", "prmt", "selp", "shf", "shl",
    "shr", "szext", "xor",
];

/// The dataflow of an operation of this opcode whose operands have these roles.
///
/// ```
/// use warpsim::isa::{self, Action};
///
/// let flow = |opcode, modifiers: &[&str]| {
///     let found = isa::lookup(opcode, modifiers).unwrap();
///     let Action::Lanes { operands, .. } = found.form.action else { unreachable!() };
///     isa::dataflow(found.opcode, operands)
/// };
/// assert!(flow("cvt", &["u32", "u8"]).moves());
/// assert!(!flow("cvt", &["rn", "f32", "s32"]).moves());
/// assert!(!flow("add", &["u32"]).moves());
/// ```
pub fn dataflow(opcode: &Opcode, roles: &[Operand]) -> Dataflow {
    let mut flow = Dataflow::NONE;
    let mut bits_only = true;
    for role in roles {
        let (position, ty) = place(*role);
        flow = flow.with(position, ty.bytes());
        if *role == Operand::DPair {
            flow = flow.with(Position::D, None);
        }
        if let Operand::DWith(ty) = role {
            flow = flow.with(Position::D, ty.bytes());
        }
        bits_only &= !is_real(ty);
    }
    if MOVING.contains(&opcode.name) && (bits_only || opcode.name != "cvt") {
        flow.moving()
    } else {
        flow
    }
}

fn is_real(ty: Type) -> bool {
    !matches!(
        ty,
        Type::Pred
            | Type::B8
            | Type::B16
            | Type::B32
            | Type::B64
            | Type::U8
            | Type::U16
            | Type::U32
            | Type::U64
            | Type::S8
            | Type::S16
            | Type::S32
            | Type::S64
    )
}

/// Where lowering puts an operand of this role; of a pair, the second.
fn place(role: Operand) -> (Position, Type) {
    match role {
        Operand::D(ty) | Operand::WideD(ty) => (Position::D, ty),
        Operand::DPair | Operand::DWith(_) | Operand::CarryOut => (Position::D2, Type::Pred),
        Operand::A(ty) | Operand::WideA(ty) => (Position::A, ty),
        Operand::B(ty) => (Position::B, ty),
        Operand::C(ty) => (Position::C, ty),
        Operand::MaybeNotC => (Position::C, Type::Pred),
        Operand::E(ty) => (Position::E, ty),
        Operand::CarryIn => (Position::E, Type::Pred),
    }
}
