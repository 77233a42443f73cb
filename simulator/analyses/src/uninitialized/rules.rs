//! What each operation of a program asks of its operands, worked out once.
//!
//! An operation *needs* a register when an undefined one makes a difference right there: an
//! address, a guard, an operand of an atomic. Register operations need nothing: they hand on what
//! is not known (`flow`). Loads, stores and shuffles are told of as they happen.

use std::sync::Arc;

use super::registers::Register;
use super::use_kind::Use;
use super::written::all;
use crate::lanes::{Operands, Position, Slot, Width};
use crate::lower::{
    Atomic, BarrierAction, Base, Callee, Kind, Operation, Program, Target, VoteMode, WarpAction,
    WarpOperation,
};

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
    /// It enters or leaves an activation.
    pub is_transfer: bool,
}

/// The rules of a program, by program counter.
pub(super) fn rules(program: &Program) -> Arc<[Rule]> {
    program.operations.iter().map(rule).collect()
}

fn rule(operation: &Operation) -> Rule {
    let mut rule = Rule {
        guard: operation.guard.map(|guard| Register::predicate(guard.predicate)),
        ..Rule::default()
    };
    match &operation.kind {
        Kind::Special32(d, _) | Kind::LocalAddress32(d, _) | Kind::ActiveMask(d) => {
            rule.define(*d, Width::Bytes(4));
        }
        Kind::Special64(d, _) | Kind::LocalAddress64(d, _) => rule.define(*d, Width::Bytes(8)),
        Kind::IsSpace { d, a, .. } => {
            rule.need(*a, Width::Bytes(8), Use::Address);
            rule.define(*d, Width::Predicate);
        }
        Kind::Load(load) => {
            rule.address(&load.target);
            for d in load.destinations.iter().flatten() {
                rule.defines.push(Register::data(*d, load.wide));
            }
        }
        Kind::Store(store) => rule.address(&store.target),
        Kind::Atomic(atomic) => rule.atomic(atomic),
        Kind::BranchIndexed { index, .. } => rule.need(*index, Width::Bytes(4), Use::Predicate),
        Kind::Call(call) => {
            rule.is_transfer = true;
            if let Callee::Indirect(slot) = call.callee {
                rule.need(slot, Width::Bytes(8), Use::Address);
            }
        }
        Kind::Return => rule.is_transfer = true,
        Kind::Barrier(barrier) => {
            rule.need(barrier.id, Width::Bytes(4), Use::Synchronisation);
            if let Some(count) = barrier.count {
                rule.need(count, Width::Bytes(4), Use::Synchronisation);
            }
            rule.barrier(barrier.action);
        }
        Kind::Warp(operation) => rule.warp(operation),
        _ => {}
    }
    rule
}

impl Rule {
    fn need(&mut self, slot: Slot, width: Width, what: Use) {
        let (register, bytes) = Register::seen(slot, width);
        self.needs.push(Need { register, bytes, what });
    }

    fn define(&mut self, slot: Slot, width: Width) {
        self.defines.push(Register::seen(slot, width).0);
    }

    fn address(&mut self, target: &Target) {
        match target.base {
            Base::W32(slot) => self.need(slot, Width::Bytes(4), Use::Address),
            Base::W64(slot) => self.need(slot, Width::Bytes(8), Use::Address),
            Base::Absolute | Base::Frame | Base::FrameParam => {}
        }
    }

    fn atomic(&mut self, atomic: &Atomic) {
        self.address(&atomic.target);
        let bytes = all(atomic.target.width);
        for slot in [Some(atomic.b), atomic.c].into_iter().flatten() {
            let register = Register::data(slot, atomic.wide);
            self.needs.push(Need { register, bytes, what: Use::Atomic });
        }
        self.defines.extend(atomic.destination.map(|d| Register::data(d, atomic.wide)));
    }

    fn barrier(&mut self, action: BarrierAction) {
        match action {
            BarrierAction::Sync | BarrierAction::Arrive => {}
            BarrierAction::Popc { d, p } => {
                self.need(p.predicate, Width::Predicate, Use::Predicate);
                self.define(d, Width::Bytes(4));
            }
            BarrierAction::And { d, p } | BarrierAction::Or { d, p } => {
                self.need(p.predicate, Width::Predicate, Use::Predicate);
                self.define(d, Width::Predicate);
            }
        }
    }

    fn warp(&mut self, operation: &WarpOperation) {
        if let Some(mask) = operation.mask {
            self.need(mask, Width::Bytes(4), Use::Synchronisation);
        }
        match &operation.action {
            WarpAction::Sync => {}
            // Its value is handed on when the lanes meet.
            WarpAction::Shuffle { p, b, c, .. } => {
                self.need(*b, Width::Bytes(4), Use::Synchronisation);
                self.need(*c, Width::Bytes(4), Use::Synchronisation);
                self.defines.extend(p.map(Register::predicate));
            }
            WarpAction::Vote { mode, d, p } => {
                self.need(p.predicate, Width::Predicate, Use::Predicate);
                let is_ballot = *mode == VoteMode::Ballot;
                self.define(*d, if is_ballot { Width::Bytes(4) } else { Width::Predicate });
            }
            WarpAction::Match { wide, d, p, a, .. } => {
                self.need(*a, Width::Bytes(if *wide { 8 } else { 4 }), Use::Exchange);
                self.define(*d, Width::Bytes(4));
                self.defines.extend(p.map(Register::predicate));
            }
            WarpAction::Redux { d, a, .. } => {
                self.need(*a, Width::Bytes(4), Use::Exchange);
                self.define(*d, Width::Bytes(4));
            }
            WarpAction::Elect { d, p } => {
                self.defines.extend(d.map(|d| Register::data(d, false)));
                self.define(*p, Width::Predicate);
            }
        }
    }
}

/// The registers that a register operation reads, with the bytes it looks at. Constants are left
/// out.
pub(super) fn sources(operands: &Operands) -> impl Iterator<Item = (Register, u8)> + Clone {
    let Operands { a, b, c, e, flow, .. } = *operands;
    let places = [(Position::A, a), (Position::B, b), (Position::C, c), (Position::E, e)];
    places
        .into_iter()
        .filter(|(_, slot)| !slot.is_constant())
        .filter_map(move |(at, slot)| Some(Register::seen(slot, flow.width(at)?)))
}

/// The registers that a register operation writes.
pub(super) fn destinations(operands: &Operands) -> impl Iterator<Item = (Position, Register)> {
    let Operands { d, d2, flow, .. } = *operands;
    [(Position::D, d), (Position::D2, d2)]
        .into_iter()
        .filter_map(move |(at, slot)| Some((at, Register::seen(slot, flow.width(at)?).0)))
}
