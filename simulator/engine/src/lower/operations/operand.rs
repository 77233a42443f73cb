//! The words that operations are described with: program counters, registers, and operands. An
//! operand is a register with its bytes that count, and the purpose of a read or the origin of a
//! written value.
//!
//! [`super::roles`] lists the operands of each operation.

use crate::lanes::{Mask, Registers, Slot, Width};

/// An index into [`crate::lower::Program::operations`].
pub type Pc = u32;

/// The program counter for the exit of the function: paths that meet nowhere else meet there.
pub const EXIT: Pc = Pc::MAX;

/// The banks of registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bank {
    /// Registers of up to 32 bits.
    W32,
    /// 64-bit registers.
    W64,
    /// Predicates.
    Predicate,
}

/// A register of an activation, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    /// Its bank.
    pub bank: Bank,
    /// Its place there.
    pub slot: Slot,
}

impl Register {
    /// A 32- or 64-bit register.
    pub fn data(slot: Slot, wide: bool) -> Register {
        Register { bank: if wide { Bank::W64 } else { Bank::W32 }, slot }
    }

    /// A predicate.
    pub fn predicate(slot: Slot) -> Register {
        Register { bank: Bank::Predicate, slot }
    }

    /// The register of an operand of this width.
    pub fn of_width(slot: Slot, width: Width) -> Register {
        match width {
            Width::Predicate => Register::predicate(slot),
            Width::Bytes(bytes) => Register::data(slot, bytes == 8),
        }
    }

    /// Bytes of the register; 1 for a predicate.
    pub fn bytes(self) -> u32 {
        match self.bank {
            Bank::W32 => 4,
            Bank::W64 => 8,
            Bank::Predicate => 1,
        }
    }
}

/// The place of a parameter or return value in an activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// In the activation's `.param` bytes.
    Param {
        /// Offset in bytes.
        offset: u32,
        /// Size in bytes.
        size: u32,
    },
    /// In a 32-bit register or constant; `bytes` of it.
    W32(Slot, u32),
    /// In a 64-bit register or constant.
    W64(Slot),
    /// In a predicate.
    Predicate(Slot),
}

/// `@p` or `@!p`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate.
    pub predicate: Slot,
    /// `!`.
    pub negated: bool,
}

impl Guard {
    /// The lanes for which it holds.
    pub fn lanes(self, registers: &Registers) -> Mask {
        let mask = registers.predicate(self.predicate);
        if self.negated { !mask } else { mask }
    }
}

/// A register that an operation reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The register.
    pub register: Register,
    /// How many of its lowest bytes count; 1 for a predicate. A written value fills the register.
    pub bytes: u32,
    /// Its purpose.
    pub role: Role,
}

/// The purpose of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// It is read.
    Reads(Purpose),
    /// It is written.
    Writes(Origin),
}

/// The purpose of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A value to compute with, to move or to store: the result is as good as it is.
    Value,
    /// An address: of memory, or of a function.
    Address,
    /// A guard, or an index that selects: it decides the thread's next step.
    Decision,
    /// A predicate that lanes or threads ask each other about.
    Asked,
    /// A member mask, a lane, the number or the count of a barrier: it decides who takes part.
    Members,
    /// A value that an atomic combines with the value in memory.
    Combined,
    /// A value that is compared or combined with values of other lanes.
    Compared,
}

/// The origin of a written value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The operands that are read as values, asked about or compared, of this lane or others.
    Values,
    /// The addresses that are read.
    Address,
    /// The participants.
    Members,
    /// Memory.
    Memory,
    /// The launch, or the place of the block: the same in all threads of a block under every
    /// schedule.
    Launch,
    /// The identity of the thread: the same under every schedule.
    Thread,
    /// The schedule: the time, or which lanes are present.
    Schedule,
    /// The called function, when it returns.
    Callee,
}

/// The operands of an operation under construction.
#[derive(Default)]
pub(in crate::lower) struct List(pub(super) Vec<Operand>);

pub(super) const ADDRESS: Role = Role::Reads(Purpose::Address);
pub(super) const COMBINED: Role = Role::Reads(Purpose::Combined);
pub(super) const DECISION: Role = Role::Reads(Purpose::Decision);
pub(in crate::lower) const ASKED: Role = Role::Reads(Purpose::Asked);
pub(in crate::lower) const MEMBERS: Role = Role::Reads(Purpose::Members);
pub(in crate::lower) const COMPARED: Role = Role::Reads(Purpose::Compared);
pub(in crate::lower) const VALUE: Role = Role::Reads(Purpose::Value);

impl List {
    pub(super) fn push(&mut self, register: Register, bytes: u32, role: Role) {
        self.0.push(Operand { register, bytes, role });
    }

    /// A whole register.
    pub(in crate::lower) fn whole(&mut self, register: Register, role: Role) {
        self.push(register, register.bytes(), role);
    }

    /// A 32-bit register.
    pub(in crate::lower) fn w32(&mut self, slot: Slot, role: Role) {
        self.whole(Register::data(slot, false), role);
    }

    pub(super) fn w64(&mut self, slot: Slot, role: Role) {
        self.whole(Register::data(slot, true), role);
    }

    /// A predicate.
    pub(in crate::lower) fn predicate(&mut self, slot: Slot, role: Role) {
        self.whole(Register::predicate(slot), role);
    }

    /// Whether it reads a value.
    pub(in crate::lower) fn has_value(&self) -> bool {
        self.0.iter().any(|operand| operand.role == VALUE)
    }
}
