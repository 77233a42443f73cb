//! Arithmetic of f32 pairs (PTX ISA 9.7.3.3 to 9.7.3.6) and of f32 with half-precision operands
//! (9.7.5).
//!
//! Bit-exact by the rules of [`crate::lanes::scalar::float`]: each half of a pair is a f32
//! operation, and a half-precision operand is a f32. An H200 has none of these (they need sm_100),
//! so no recording checks them.

use crate::isa::need::need;
use crate::isa::row::{Opcode, lanes};
use crate::lanes::primitive::Mixed;

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "add",
        section: "9.7.3.3",
        operands: "d, a, b",
        summary: "Adds two pairs of f32.",
        needs: &[need("", (8, 6), 100)],
        forms: &[lanes!("{.rn|.rz|.rm|.rp}{.ftz}.f32x2", Mixed::AddF32x2)],
    },
    Opcode {
        name: "sub",
        section: "9.7.3.4",
        operands: "d, a, b",
        summary: "Subtracts a pair of f32 from another.",
        needs: &[need("", (8, 6), 100)],
        forms: &[lanes!("{.rn|.rz|.rm|.rp}{.ftz}.f32x2", Mixed::SubF32x2)],
    },
    Opcode {
        name: "mul",
        section: "9.7.3.5",
        operands: "d, a, b",
        summary: "Multiplies two pairs of f32.",
        needs: &[need("", (8, 6), 100)],
        forms: &[lanes!("{.rn|.rz|.rm|.rp}{.ftz}.f32x2", Mixed::MulF32x2)],
    },
    Opcode {
        name: "fma",
        section: "9.7.3.6",
        operands: "d, a, b, c",
        summary: "Multiplies two pairs of f32 and adds a third.",
        needs: &[need("", (8, 6), 100)],
        forms: &[lanes!("(.rn|.rz|.rm|.rp){.ftz}.f32x2", Mixed::FmaF32x2)],
    },
    Opcode {
        name: "add",
        section: "9.7.5.1",
        operands: "d, a, c",
        summary: "Adds a half-precision value and a f32.",
        needs: &[need("", (8, 6), 100)],
        forms: &[
            lanes!("{.rn|.rz|.rm|.rp}{.sat}.f32.f16", Mixed::AddF32F16),
            lanes!("{.rn|.rz|.rm|.rp}{.sat}.f32.bf16", Mixed::AddF32Bf16),
        ],
    },
    Opcode {
        name: "sub",
        section: "9.7.5.2",
        operands: "d, a, c",
        summary: "Subtracts a f32 from a half-precision value.",
        needs: &[need("", (8, 6), 100)],
        forms: &[
            lanes!("{.rn|.rz|.rm|.rp}{.sat}.f32.f16", Mixed::SubF32F16),
            lanes!("{.rn|.rz|.rm|.rp}{.sat}.f32.bf16", Mixed::SubF32Bf16),
        ],
    },
    Opcode {
        name: "fma",
        section: "9.7.5.3",
        operands: "d, a, b, c",
        summary: "Multiplies two half-precision values and adds a f32, rounding once.",
        needs: &[need("", (8, 6), 100)],
        forms: &[
            lanes!("(.rn|.rz|.rm|.rp){.sat}.f32.f16", Mixed::FmaF32F16),
            lanes!("(.rn|.rz|.rm|.rp){.sat}.f32.bf16", Mixed::FmaF32Bf16),
        ],
    },
];

#[cfg(test)]
mod tests {
    use crate::isa::conformance::harness::one;

    const ONE: u64 = 0x3f80_0000;
    const TWO: u64 = 0x4000_0000;

    #[test]
    fn both_halves_of_a_pair_are_computed_by_themselves() {
        let (a, b) = (ONE << 32 | TWO, TWO << 32 | TWO);
        assert_eq!(one("add.f32x2", &[a, b]), 0x4040_0000 << 32 | 0x4080_0000);
        assert_eq!(one("sub.f32x2", &[a, a]), 0);
        assert_eq!(one("mul.rn.f32x2", &[a, b]), TWO << 32 | 0x4080_0000);
        assert_eq!(one("fma.rn.f32x2", &[a, b, a]), 0x4040_0000 << 32 | 0x40c0_0000);
        assert_eq!(one("add.ftz.f32x2", &[1 << 32 | ONE, 0]), ONE);
    }

    #[test]
    fn half_precision_operands_are_widened_before_the_one_rounding() {
        // 1.0 in f16 and in bf16.
        assert_eq!(one("add.f32.f16", &[0x3c00, ONE]), TWO);
        assert_eq!(one("sub.rn.f32.bf16", &[0x3f80, ONE]), 0);
        assert_eq!(one("add.sat.f32.bf16", &[0x3f80, ONE]), ONE);
        // (1 + 2^-10)^2 - 1 keeps its last bit, 2^-20.
        let right = 2f32.powi(-9) + 2f32.powi(-20);
        let minus_one = (-1f32).to_bits() as u64;
        assert_eq!(one("fma.rn.f32.f16", &[0x3c01, 0x3c01, minus_one]), right.to_bits() as u64);
    }
}
