//! A primitive with its operands: a program is made of these, and the machine executes them.

use super::Primitive;
use crate::lanes::simd::Chosen;
use crate::lanes::{Dataflow, Gang, Mask, Member, Operands, Registers, Tier};

/// A register operation of a program.
///
/// The lane loop of the primitive is found once, when the operation is made.
#[derive(Clone, Copy, Debug)]
pub struct RegisterOperation {
    primitive: Primitive,
    run: Chosen,
    /// The slots that it reads and writes, and its flags.
    operands: Operands,
}

impl RegisterOperation {
    /// A primitive on these operands. Fills in their `flow`.
    pub fn new(primitive: Primitive, operands: Operands) -> RegisterOperation {
        RegisterOperation::with_tier(primitive, operands, Tier::in_use())
    }

    /// The same, executed with the instructions of a tier, or of the best that the processor has.
    pub fn with_tier(primitive: Primitive, operands: Operands, tier: Tier) -> RegisterOperation {
        let operands = Operands { flow: primitive.dataflow(), ..operands };
        RegisterOperation { primitive, run: primitive.run().of(tier), operands }
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
    pub fn execute(&self, registers: &mut Registers, mask: Mask) {
        self.drive(&mut Gang::of_one(&mut Member::new(registers, mask)));
    }

    /// Executes it for the active lanes of each warp of a gang.
    #[inline(always)]
    pub fn drive(&self, gang: &mut Gang<'_, '_>) {
        self.run.run(gang, &self.operands);
    }

    /// The same on other operands.
    #[must_use]
    pub fn on(&self, operands: Operands) -> RegisterOperation {
        RegisterOperation { operands: Operands { flow: self.operands.flow, ..operands }, ..*self }
    }
}
