//! The operands of a register operation: what each is for, and its type.

use super::super::{Dataflow, Position};
use crate::ptx::Type;

/// The role and the type of one operand, in the order of an instruction's text. Together the roles
/// say how [`crate::lanes::Operands`] is filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Destination `d`. A predicate destination may be `_`.
    D(Type),
    /// `p|q`: two predicate destinations `d` and `d2`, the second optional in the text. When it is
    /// absent, `d2` is a scratch slot.
    DPair,
    /// `p`: as `DPair`, of an instruction whose text cannot name the second.
    DFirst,
    /// `d|p`: a register destination `d` with an optional predicate destination `d2`.
    DWith(Type),
    /// Source `a`.
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
    /// The word for true, a 32-bit constant as source `e`: not in the text.
    True(u32),
    /// The predicate source `c`, which the text may negate (`!p`): then lowering sets
    /// [`crate::lanes::Flags::NOT_C`].
    MaybeNotC,
    /// Destination `d` of an integer type, whose register may be wider: the result is
    /// zero- or sign-extended to it (PTX ISA 9.4.1, the relaxed rules for `cvt`).
    WideD(Type),
    /// Source `a`, whose register may be wider: its low bits are taken (PTX ISA 9.4.1).
    WideA(Type),
}

impl Role {
    /// Whether the text of an instruction has this operand.
    pub const fn is_written(self) -> bool {
        !matches!(self, Role::CarryIn | Role::CarryOut | Role::True(_))
    }

    /// The type of a source that the text has; none for destinations and hidden operands.
    pub const fn source(self) -> Option<Type> {
        match self {
            Role::A(ty) | Role::B(ty) | Role::C(ty) | Role::E(ty) | Role::WideA(ty) => Some(ty),
            Role::MaybeNotC => Some(Type::Pred),
            Role::D(_)
            | Role::DPair
            | Role::DFirst
            | Role::DWith(_)
            | Role::CarryIn
            | Role::CarryOut
            | Role::True(_)
            | Role::WideD(_) => None,
        }
    }

    /// The type of destination `d`; none for anything else.
    pub const fn destination(self) -> Option<Type> {
        match self {
            Role::D(ty) | Role::WideD(ty) | Role::DWith(ty) => Some(ty),
            Role::DPair | Role::DFirst => Some(Type::Pred),
            Role::A(_)
            | Role::B(_)
            | Role::C(_)
            | Role::E(_)
            | Role::WideA(_)
            | Role::MaybeNotC
            | Role::CarryIn
            | Role::CarryOut
            | Role::True(_) => None,
        }
    }

    /// The places of [`crate::lanes::Operands`] that it fills, and the bytes of each; none of a
    /// predicate.
    fn places(self) -> (Place, Option<Place>) {
        const PREDICATE: Option<u32> = None;
        match self {
            Role::D(ty) | Role::WideD(ty) => ((Position::D, ty.bytes()), None),
            Role::DPair | Role::DFirst => {
                ((Position::D, PREDICATE), Some((Position::D2, PREDICATE)))
            }
            Role::DWith(ty) => ((Position::D, ty.bytes()), Some((Position::D2, PREDICATE))),
            Role::A(ty) | Role::WideA(ty) => ((Position::A, ty.bytes()), None),
            Role::B(ty) => ((Position::B, ty.bytes()), None),
            Role::C(ty) => ((Position::C, ty.bytes()), None),
            Role::E(ty) => ((Position::E, ty.bytes()), None),
            Role::CarryIn => ((Position::E, PREDICATE), None),
            Role::CarryOut => ((Position::D2, PREDICATE), None),
            Role::True(_) => ((Position::E, Some(4)), None),
            Role::MaybeNotC => ((Position::C, PREDICATE), None),
        }
    }
}

type Place = (Position, Option<u32>);

/// What an operation whose operands have these roles reads and writes.
pub(super) fn dataflow(roles: &[Role], moves: bool) -> Dataflow {
    let flow = roles.iter().fold(Dataflow::NONE, |flow, role| {
        let (first, second) = role.places();
        let flow = flow.with(first.0, first.1);
        second.map_or(flow, |(position, bytes)| flow.with(position, bytes))
    });
    if moves { flow.moving() } else { flow }
}
