//! Half-precision arithmetic: f16, bf16 and pairs of them (PTX ISA 9.7.4).
//!
//! Bit-exact except for `tanh` and `ex2`, which are within the ISA's bounds; the rules are in
//! [`crate::lanes::scalar::halves`].

use crate::isa::need::need;
use crate::isa::row::{Opcode, lanes, unsupported};
use crate::lanes::primitive::Half;

const DIRECTED: &str = "the ISA rounds bf16 to nearest only; the assembler takes more, and an H200 then gives something else";

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "add",
        section: "9.7.4.1",
        operands: "d, a, b",
        summary: "Adds two half-precision values.",
        needs: &[need("", (6, 0), 53), need("(.bf16|.bf16x2)", (7, 8), 90)],
        forms: &[
            lanes!("{.rn}{.ftz}{.sat}.f16", Half::AddF16),
            lanes!("{.rn}{.ftz}{.sat}.f16x2", Half::AddF16x2),
            lanes!("{.rn}.bf16", Half::AddBf16),
            lanes!("{.rn}.bf16x2", Half::AddBf16x2),
        ],
    },
    Opcode {
        name: "sub",
        section: "9.7.4.2",
        operands: "d, a, b",
        summary: "Subtracts one half-precision value from another.",
        needs: &[need("", (6, 0), 53), need("(.bf16|.bf16x2)", (7, 8), 90)],
        forms: &[
            lanes!("{.rn}{.ftz}{.sat}.f16", Half::SubF16),
            lanes!("{.rn}{.ftz}{.sat}.f16x2", Half::SubF16x2),
            lanes!("{.rn}.bf16", Half::SubBf16),
            lanes!("{.rn}.bf16x2", Half::SubBf16x2),
        ],
    },
    Opcode {
        name: "mul",
        section: "9.7.4.3",
        operands: "d, a, b",
        summary: "Multiplies two half-precision values.",
        needs: &[need("", (6, 0), 53), need("(.bf16|.bf16x2)", (7, 8), 90)],
        forms: &[
            lanes!("{.rn}{.ftz}{.sat}.f16", Half::MulF16),
            lanes!("{.rn}{.ftz}{.sat}.f16x2", Half::MulF16x2),
            lanes!("{.rn}.bf16", Half::MulBf16),
            lanes!("{.rn}.bf16x2", Half::MulBf16x2),
        ],
    },
    Opcode {
        name: "fma",
        section: "9.7.4.4",
        operands: "d, a, b, c",
        summary: "Multiplies two half-precision values and adds a third, rounding once.",
        needs: &[
            need("", (6, 0), 53),
            need("(.bf16|.bf16x2|.relu)", (7, 0), 80),
            need(".oob", (8, 1), 90),
        ],
        forms: &[
            lanes!(".rn{.ftz}{.sat|.relu}.f16", Half::FmaF16),
            lanes!(".rn{.ftz}{.sat|.relu}.f16x2", Half::FmaF16x2),
            lanes!(".rn{.relu}.bf16", Half::FmaBf16),
            lanes!(".rn{.relu}.bf16x2", Half::FmaBf16x2),
            lanes!(".rn.oob{.relu}.f16", Half::FmaF16),
            lanes!(".rn.oob{.relu}.f16x2", Half::FmaF16x2),
            lanes!(".rn.oob{.relu}.bf16", Half::FmaBf16),
            lanes!(".rn.oob{.relu}.bf16x2", Half::FmaBf16x2),
            unsupported!("(.rz|.rm|.rp){.oob}{.relu}(.bf16|.bf16x2)", DIRECTED),
            // The assembler has these, the ISA does not.
            lanes!(".rn.oob.sat.f16", Half::FmaF16),
            lanes!(".rn.oob.sat.f16x2", Half::FmaF16x2),
        ],
    },
    Opcode {
        name: "neg",
        section: "9.7.4.5",
        operands: "d, a",
        summary: "The negated half-precision value.",
        needs: &[need("", (6, 0), 53), need("(.bf16|.bf16x2)", (7, 0), 80)],
        forms: &[
            lanes!("{.ftz}.f16", Half::NegF16),
            lanes!("{.ftz}.f16x2", Half::NegF16x2),
            lanes!(".bf16", Half::NegBf16),
            lanes!(".bf16x2", Half::NegBf16x2),
        ],
    },
    Opcode {
        name: "abs",
        section: "9.7.4.6",
        operands: "d, a",
        summary: "The absolute half-precision value.",
        needs: &[need("", (6, 5), 53), need("(.bf16|.bf16x2)", (7, 0), 80)],
        forms: &[
            lanes!("{.ftz}.f16", Half::AbsF16),
            lanes!("{.ftz}.f16x2", Half::AbsF16x2),
            lanes!(".bf16", Half::AbsBf16),
            lanes!(".bf16x2", Half::AbsBf16x2),
        ],
    },
    Opcode {
        name: "min",
        section: "9.7.4.7",
        operands: "d, a, b",
        summary: "The lesser of two half-precision values; a NaN loses, except with `.NaN`.",
        needs: &[need("", (7, 0), 80), need(".xorsign.abs", (7, 2), 86)],
        forms: &[
            lanes!("{.ftz}{.NaN}{.xorsign.abs}.f16", Half::MinF16),
            lanes!("{.ftz}{.NaN}{.xorsign.abs}.f16x2", Half::MinF16x2),
            lanes!("{.NaN}{.xorsign.abs}.bf16", Half::MinBf16),
            lanes!("{.NaN}{.xorsign.abs}.bf16x2", Half::MinBf16x2),
        ],
    },
    Opcode {
        name: "max",
        section: "9.7.4.8",
        operands: "d, a, b",
        summary: "The greater of two half-precision values; a NaN loses, except with `.NaN`.",
        needs: &[need("", (7, 0), 80), need(".xorsign.abs", (7, 2), 86)],
        forms: &[
            lanes!("{.ftz}{.NaN}{.xorsign.abs}.f16", Half::MaxF16),
            lanes!("{.ftz}{.NaN}{.xorsign.abs}.f16x2", Half::MaxF16x2),
            lanes!("{.NaN}{.xorsign.abs}.bf16", Half::MaxBf16),
            lanes!("{.NaN}{.xorsign.abs}.bf16x2", Half::MaxBf16x2),
        ],
    },
    Opcode {
        name: "tanh",
        section: "9.7.4.9",
        operands: "d, a",
        summary: "The hyperbolic tangent in half precision, approximately.",
        needs: &[need("", (7, 0), 75), need("(.bf16|.bf16x2)", (7, 8), 90)],
        forms: &[
            lanes!(".approx.f16", Half::TanhApproxF16),
            lanes!(".approx.f16x2", Half::TanhApproxF16x2),
            lanes!(".approx.bf16", Half::TanhApproxBf16),
            lanes!(".approx.bf16x2", Half::TanhApproxBf16x2),
        ],
    },
    Opcode {
        name: "ex2",
        section: "9.7.4.10",
        operands: "d, a",
        summary: "2 to the power a in half precision, approximately.",
        needs: &[need("", (7, 0), 75), need("(.bf16|.bf16x2)", (7, 8), 90)],
        forms: &[
            lanes!(".approx.f16", Half::Ex2ApproxF16),
            lanes!(".approx.f16x2", Half::Ex2ApproxF16x2),
            lanes!(".approx.ftz.bf16", Half::Ex2ApproxBf16),
            lanes!(".approx.ftz.bf16x2", Half::Ex2ApproxBf16x2),
        ],
    },
];

#[cfg(test)]
mod tests {
    use rustc_apfloat::Float;
    use rustc_apfloat::ieee::{BFloat, Half};

    use crate::isa::conformance::harness::{Words, one, run};

    /// Bits that look random, every third with exponents near each other.
    fn word(i: u64) -> u64 {
        let x = i.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ i.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 23;
        if i.is_multiple_of(3) { 0x3c00 ^ (x >> 40 & 0x8fff) } else { x >> 40 & 0xffff }
    }

    fn expect<F: Float>(value: F) -> u64 {
        if value.is_nan() { 0x7fff } else { value.to_bits() as u64 }
    }

    /// The four operations of a format against a software implementation of it.
    fn agree_with<F: Float>(suffix: &str) {
        let soft = |bits: u64| F::from_bits(bits as u128);
        for group in 0..400 {
            let [a, b, c]: [Words; 3] = [0, 1, 2]
                .map(|j| std::array::from_fn(|lane| word(group * 96 + j * 32 + lane as u64)));
            let results = ["add", "sub", "mul"].map(|op| run(&format!("{op}.{suffix}"), &[a, b]).d);
            let fused = run(&format!("fma.rn.{suffix}"), &[a, b, c]).d;
            for lane in 0..32 {
                let (x, y, z) = (soft(a[lane]), soft(b[lane]), soft(c[lane]));
                assert_eq!(results[0][lane], expect((x + y).value), "{:x} {:x}", a[lane], b[lane]);
                assert_eq!(results[1][lane], expect((x - y).value), "{:x} {:x}", a[lane], b[lane]);
                assert_eq!(results[2][lane], expect((x * y).value), "{:x} {:x}", a[lane], b[lane]);
                let right = expect(x.mul_add(y, z).value);
                assert_eq!(fused[lane], right, "{:x} {:x} {:x}", a[lane], b[lane], c[lane]);
            }
        }
    }

    #[test]
    fn f16_arithmetic_rounds_once() {
        agree_with::<Half>("f16");
    }

    #[test]
    fn bf16_arithmetic_rounds_once() {
        agree_with::<BFloat>("bf16");
        // 1.0078125 * 0.75 is a tie, which a c too small for a f64 beside it breaks downward.
        assert_eq!(one("fma.rn.bf16", &[0x3f81, 0x3f40, 0x8001]), 0x3f41);
    }

    #[test]
    fn both_halves_of_a_pair_are_computed() {
        // 1 + 1 and 2 + -3.
        assert_eq!(one("add.f16x2", &[0x4000_3c00, 0xc200_3c00]), 0xbc00_4000);
        assert_eq!(one("neg.bf16x2", &[0x3f80_bf80]), 0xbf80_3f80);
        assert_eq!(one("max.NaN.f16x2", &[0x7e00_0000, 0x3c00_8000]), 0x7fff_0000);
    }

    #[test]
    fn modifiers_saturate_clip_and_flush() {
        assert_eq!(one("add.sat.f16", &[0x3c00, 0x3c00]), 0x3c00);
        assert_eq!(one("fma.rn.relu.f16", &[0x3c00, 0xbc00, 0]), 0);
        assert_eq!(one("add.ftz.f16", &[0x03ff, 0x8000]), 0);
        assert_eq!(one("add.f16", &[0x03ff, 0x8000]), 0x03ff);
        assert_eq!(one("fma.rn.oob.f16", &[0x7ff7, 0x3c00, 0x3c00]), 0);
    }

    #[test]
    fn functions_are_within_the_error_that_the_isa_states() {
        for bits in 0..0x7c00 {
            let x = half::f16::from_bits(bits).to_f64();
            let tanh = half::f16::from_bits(one("tanh.approx.f16", &[bits as u64]) as u16);
            assert!((tanh.to_f64() - x.tanh()).abs() <= 2f64.powf(-10.987), "{x}");
            if x < 15.0 {
                let ex2 = half::f16::from_bits(one("ex2.approx.f16", &[bits as u64]) as u16);
                assert!((ex2.to_f64() / x.exp2() - 1.0).abs() <= 2f64.powf(-9.9), "{x}");
            }
        }
    }
}
