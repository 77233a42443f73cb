//! What each operation of a program needs from its operands, computed once for each program.
//!
//! An operation *needs* a register when an undefined one makes a difference right there: an
//! address, a guard, an operand of an atomic. A register that it only computes with or hands on
//! passes to the registers it writes (`flow`, `warp`). Both follow from the roles of its operands.

use std::sync::Arc;

use super::use_kind::Use;
use super::written::all;
use crate::lanes::{Operands, Position};
use crate::lower::{Operation, Origin, Program, Purpose, Register, Role};

/// A register that an operation needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Need {
    pub register: Register,
    /// The bytes that it looks at.
    pub bytes: u8,
    /// What for.
    pub what: Use,
}

/// What an operation asks of its operands.
#[derive(Clone, Debug, Default)]
pub(super) struct Rule {
    /// The predicate of its guard.
    pub guard: Option<Register>,
    pub needs: Vec<Need>,
    /// Registers that it fills with something defined.
    pub defines: Vec<Register>,
    /// It computes or moves values.
    pub passes_on: bool,
    /// It enters or leaves an activation.
    pub is_transfer: bool,
}

/// The rules of a program, by program counter.
pub(super) fn rules(program: &Program) -> Arc<[Rule]> {
    program.operations.iter().map(rule).collect()
}

fn rule(operation: &Operation) -> Rule {
    let operands = operation.kind.operands();
    let mut rule = Rule {
        guard: operation.guard.map(|guard| Register::predicate(guard.predicate)),
        passes_on: operands.iter().any(|o| o.role == Role::Reads(Purpose::Value)),
        is_transfer: operation.kind.effect().transfer().is_some(),
        ..Rule::default()
    };
    for operand in operands {
        let register = operand.register;
        match operand.role {
            Role::Reads(purpose) => {
                let bytes = all(operand.bytes);
                rule.needs.extend(needed_for(purpose).map(|what| Need { register, bytes, what }));
            }
            Role::Writes(origin) => {
                let is_defined = match origin {
                    // A computed or moved value is as defined as its sources.
                    Origin::Values => !rule.passes_on,
                    // It is reported when the function returns.
                    Origin::Callee => false,
                    // The state of memory is reported with the access.
                    Origin::Memory
                    | Origin::Address
                    | Origin::Members
                    | Origin::Launch
                    | Origin::Thread
                    | Origin::Schedule => true,
                };
                rule.defines.extend(is_defined.then_some(register));
            }
        }
    }
    rule
}

/// What a value is used for that is read for a purpose, when that makes a difference right there.
fn needed_for(purpose: Purpose) -> Option<Use> {
    match purpose {
        Purpose::Value => None,
        Purpose::Address => Some(Use::Address),
        Purpose::Decision | Purpose::Asked => Some(Use::Predicate),
        Purpose::Members => Some(Use::Synchronisation),
        Purpose::Combined => Some(Use::Atomic),
        Purpose::Compared => Some(Use::Exchange),
    }
}

/// The registers that a register operation reads, with the bytes it looks at. Constants are left
/// out.
pub(super) fn sources(operands: &Operands) -> impl Iterator<Item = (Register, u8)> + Clone {
    let Operands { a, b, c, e, flow, .. } = *operands;
    let places = [(Position::A, a), (Position::B, b), (Position::C, c), (Position::E, e)];
    places.into_iter().filter(|(_, slot)| !slot.is_constant()).filter_map(move |(at, slot)| {
        let width = flow.width(at)?;
        Some((Register::of_width(slot, width), all(width.bytes())))
    })
}

/// The registers that a register operation writes.
pub(super) fn destinations(operands: &Operands) -> impl Iterator<Item = (Position, Register)> {
    let Operands { d, d2, flow, .. } = *operands;
    [(Position::D, d), (Position::D2, d2)]
        .into_iter()
        .filter_map(move |(at, slot)| Some((at, Register::of_width(slot, flow.width(at)?))))
}
