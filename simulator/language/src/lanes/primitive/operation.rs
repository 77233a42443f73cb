//! A primitive with its operands: what a program is made of, and the machine executes.

use super::Primitive;
use crate::lanes::{Dataflow, LaneOperation, Mask, Operands, Registers};

/// A register operation of a program.
///
/// The lane loop of the primitive is found once, when the operation is made.
#[derive(Clone, Copy, Debug)]
pub struct RegisterOperation {
    primitive: Primitive,
    run: LaneOperation,
    /// The slots that it reads and writes, and its flags.
    operands: Operands,
}

impl RegisterOperation {
    /// A primitive on these operands, of which `flow` is filled in.
    pub fn new(primitive: Primitive, operands: Operands) -> RegisterOperation {
        let operands = Operands { flow: primitive.dataflow(), ..operands };
        RegisterOperation { primitive, run: primitive.run(), operands }
    }

    /// What it computes.
    pub fn primitive(&self) -> Primitive {
        self.primitive
    }

    /// The slots that it reads and writes, and its flags.
    pub fn operands(&self) -> &Operands {
        &self.operands
    }

    /// What it reads and writes, and whether it only moves bits.
    pub fn flow(&self) -> Dataflow {
        self.operands.flow
    }

    /// Executes it for the lanes of a mask.
    #[inline(always)]
    pub fn execute(&self, registers: &mut Registers, mask: Mask) {
        (self.run)(registers, &self.operands, mask);
    }

    /// The same on other operands.
    #[must_use]
    pub fn on(&self, operands: Operands) -> RegisterOperation {
        RegisterOperation { operands: Operands { flow: self.operands.flow, ..operands }, ..*self }
    }
}
