//! Arithmetic of f32 pairs (PTX ISA 9.7.3.3 to 9.7.3.6) and of f32 with half-precision operands
//! (9.7.5).
//!
//! Bit-exact by the rules of [`super::scalar::float`]: each half of a pair is a f32 operation, and
//! a half-precision operand is a f32. An H200 has none of these (they need sm_100), so they are not
//! held to a recording.

use half::{bf16, f16};

use super::need::need;
use super::row::{Opcode, joined, lanes};
use super::scalar::float;
use crate::lanes::Flags;

/// The lower and the upper value of a pair.
fn unpack(pair: u64) -> [f32; 2] {
    [f32::from_bits(pair as u32), f32::from_bits((pair >> 32) as u32)]
}

/// The pair of two values.
fn pack(lower: f32, upper: f32) -> u64 {
    lower.to_bits() as u64 | (upper.to_bits() as u64) << 32
}

/// A f32 operation on both halves of two pairs.
fn pairs2(f: fn(Flags, f32, f32) -> f32, flags: Flags, a: u64, b: u64) -> u64 {
    let ([a0, a1], [b0, b1]) = (unpack(a), unpack(b));
    pack(f(flags, a0, b0), f(flags, a1, b1))
}

/// `fma` on both halves of three pairs.
fn fma_pairs(flags: Flags, a: u64, b: u64, c: u64) -> u64 {
    let ([a0, a1], [b0, b1], [c0, c1]) = (unpack(a), unpack(b), unpack(c));
    pack(float::fma_f32(flags, a0, b0, c0), float::fma_f32(flags, a1, b1, c1))
}

/// A form on pairs of f32.
macro_rules! pairs2 {
    ($f:path) => {
        &[lanes!("{.rn|.rz|.rm|.rp}{.ftz}.f32x2", binary(u64, u64) -> u64, with_flags |f, a, b| {
            pairs2($f, f, a, b)
        })]
    };
}

/// The forms whose first operand is a half.
macro_rules! with_half {
    ($f:path) => {
        &[
            lanes!("{.rn|.rz|.rm|.rp}{.sat}.f32.f16", binary(f16, f32) -> f32, with_flags |f, a: f16, c| {
                $f(f, a.to_f32(), c)
            }),
            lanes!("{.rn|.rz|.rm|.rp}{.sat}.f32.bf16", binary(bf16, f32) -> f32, with_flags |f, a: bf16, c| {
                $f(f, a.to_f32(), c)
            }),
        ]
    };
}

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "add",
        section: "9.7.3.3",
        operands: "d, a, b",
        summary: "Adds two pairs of f32.",
        needs: &[need("", (8, 6), 100)],
        forms: pairs2!(float::add_f32),
    },
    Opcode {
        name: "sub",
        section: "9.7.3.4",
        operands: "d, a, b",
        summary: "Subtracts a pair of f32 from another.",
        needs: &[need("", (8, 6), 100)],
        forms: pairs2!(float::sub_f32),
    },
    Opcode {
        name: "mul",
        section: "9.7.3.5",
        operands: "d, a, b",
        summary: "Multiplies two pairs of f32.",
        needs: &[need("", (8, 6), 100)],
        forms: pairs2!(float::mul_f32),
    },
    Opcode {
        name: "fma",
        section: "9.7.3.6",
        operands: "d, a, b, c",
        summary: "Multiplies two pairs of f32 and adds a third.",
        needs: &[need("", (8, 6), 100)],
        forms: &[lanes!(
            "(.rn|.rz|.rm|.rp){.ftz}.f32x2",
            ternary(u64, u64, u64) -> u64,
            with_flags fma_pairs
        )],
    },
    Opcode {
        name: "add",
        section: "9.7.5.1",
        operands: "d, a, c",
        summary: "Adds a half-precision value and a f32.",
        needs: &[need("", (8, 6), 100)],
        forms: joined![with_half!(float::add_f32)],
    },
    Opcode {
        name: "sub",
        section: "9.7.5.2",
        operands: "d, a, c",
        summary: "Subtracts a f32 from a half-precision value.",
        needs: &[need("", (8, 6), 100)],
        forms: joined![with_half!(float::sub_f32)],
    },
    Opcode {
        name: "fma",
        section: "9.7.5.3",
        operands: "d, a, b, c",
        summary: "Multiplies two half-precision values and adds a f32, rounding once.",
        needs: &[need("", (8, 6), 100)],
        forms: &[
            lanes!("(.rn|.rz|.rm|.rp){.sat}.f32.f16", ternary(f16, f16, f32) -> f32, with_flags
                |f, a: f16, b: f16, c| float::fma_f32(f, a.to_f32(), b.to_f32(), c)),
            lanes!("(.rn|.rz|.rm|.rp){.sat}.f32.bf16", ternary(bf16, bf16, f32) -> f32, with_flags
                |f, a: bf16, b: bf16, c| float::fma_f32(f, a.to_f32(), b.to_f32(), c)),
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
