//! The approximate functions of f32 and f64 (PTX ISA 9.7.3.8, 9.7.3.13 to 9.7.3.22).
//!
//! Special cases are the ISA's; other results lie within its error bounds but need not be the
//! hardware's bits: see [`crate::lanes::scalar::approx`], which lists the bounds.

use crate::isa::need::need;
use crate::isa::row::{Opcode, lanes};
use crate::lanes::primitive::Approximate;

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "div",
        section: "9.7.3.8",
        operands: "d, a, b",
        summary: "Divides one value by another, approximately.",
        needs: &[],
        forms: &[
            lanes!(".approx{.ftz}.f32", Approximate::DivApproxF32),
            lanes!(".full{.ftz}.f32", Approximate::DivFullF32),
        ],
    },
    Opcode {
        name: "rcp",
        section: "9.7.3.13",
        operands: "d, a",
        summary: "The reciprocal, approximately.",
        needs: &[],
        forms: &[lanes!(".approx{.ftz}.f32", Approximate::RcpApproxF32)],
    },
    Opcode {
        name: "rcp",
        section: "9.7.3.14",
        operands: "d, a",
        summary: "The reciprocal of the upper word, approximately.",
        needs: &[],
        forms: &[lanes!(".approx.ftz.f64", Approximate::RcpApproxFtzF64)],
    },
    Opcode {
        name: "sqrt",
        section: "9.7.3.15",
        operands: "d, a",
        summary: "The square root, approximately.",
        needs: &[],
        forms: &[lanes!(".approx{.ftz}.f32", Approximate::SqrtApproxF32)],
    },
    Opcode {
        name: "rsqrt",
        section: "9.7.3.16",
        operands: "d, a",
        summary: "The reciprocal of the square root, approximately.",
        needs: &[],
        forms: &[
            lanes!(".approx{.ftz}.f32", Approximate::RsqrtApproxF32),
            lanes!(".approx.f64", Approximate::RsqrtApproxF64),
        ],
    },
    Opcode {
        name: "rsqrt",
        section: "9.7.3.17",
        operands: "d, a",
        summary: "The reciprocal of the square root of the upper word, approximately.",
        needs: &[],
        forms: &[lanes!(".approx.ftz.f64", Approximate::RsqrtApproxFtzF64)],
    },
    Opcode {
        name: "sin",
        section: "9.7.3.18",
        operands: "d, a",
        summary: "The sine, approximately.",
        needs: &[],
        forms: &[lanes!(".approx{.ftz}.f32", Approximate::SinApproxF32)],
    },
    Opcode {
        name: "cos",
        section: "9.7.3.19",
        operands: "d, a",
        summary: "The cosine, approximately.",
        needs: &[],
        forms: &[lanes!(".approx{.ftz}.f32", Approximate::CosApproxF32)],
    },
    Opcode {
        name: "lg2",
        section: "9.7.3.20",
        operands: "d, a",
        summary: "The logarithm to base 2, approximately.",
        needs: &[],
        forms: &[lanes!(".approx{.ftz}.f32", Approximate::Lg2ApproxF32)],
    },
    Opcode {
        name: "ex2",
        section: "9.7.3.21",
        operands: "d, a",
        summary: "2 to the power a, approximately.",
        needs: &[],
        forms: &[lanes!(".approx{.ftz}.f32", Approximate::Ex2ApproxF32)],
    },
    Opcode {
        name: "tanh",
        section: "9.7.3.22",
        operands: "d, a",
        summary: "The hyperbolic tangent, approximately.",
        needs: &[need("", (7, 0), 75)],
        forms: &[lanes!(".approx.f32", Approximate::TanhApproxF32)],
    },
];

#[cfg(test)]
mod tests {
    use crate::isa::conformance::harness::one;

    fn f(form: &str, x: f32) -> f64 {
        f32::from_bits(one(form, &[x.to_bits() as u64]) as u32) as f64
    }

    /// Numbers of all sizes between 2^-40 and 2^40.
    fn sizes() -> impl Iterator<Item = f32> {
        (-4000..4000).map(|i| (i as f32 / 100.0).exp2())
    }

    fn relative(found: f64, right: f64) -> f64 {
        (found / right - 1.0).abs()
    }

    #[test]
    fn functions_are_within_the_error_that_the_isa_states() {
        for x in sizes() {
            let exact = x as f64;
            assert!(relative(f("rcp.approx.f32", x), 1.0 / exact) <= 2f64.powi(-23), "{x}");
            assert!(relative(f("sqrt.approx.f32", x), exact.sqrt()) <= 2f64.powi(-23), "{x}");
            let rsqrt = 1.0 / exact.sqrt();
            assert!(relative(f("rsqrt.approx.f32", x), rsqrt) <= 2f64.powf(-22.9), "{x}");
            let lg2 = f("lg2.approx.f32", x) - exact.log2();
            assert!(lg2.abs() <= 2f64.powi(-22) * exact.log2().abs().max(1.0), "{x}");
            let tanh = f("tanh.approx.f32", x);
            assert!(relative(tanh, exact.tanh()) <= 2f64.powi(-11), "{x}");
        }
        for x in (-12_000..12_000).map(|i| i as f32 / 100.0) {
            let ex2 = f("ex2.approx.f32", x);
            assert!(relative(ex2, (x as f64).exp2()) <= 2f64.powi(-22), "{x}");
        }
        for x in (-628..=628).map(|i| i as f32 / 100.0) {
            let bound = 2f64.powf(-20.5);
            assert!((f("sin.approx.f32", x) - (x as f64).sin()).abs() <= bound, "{x}");
            assert!((f("cos.approx.f32", x) - (x as f64).cos()).abs() <= bound, "{x}");
        }
    }

    #[test]
    fn special_cases_are_those_of_the_isa() {
        let (inf, minus_inf, nan) = (0x7f80_0000, 0xff80_0000, 0x7fff_ffff);
        let (zero, minus_zero, minus_one) = (0, 0x8000_0000, 0xbf80_0000);
        for (form, a, d) in [
            ("rcp.approx.f32", minus_zero, minus_inf),
            ("rcp.approx.f32", inf, zero),
            ("sqrt.approx.f32", minus_zero, minus_zero),
            ("sqrt.approx.f32", minus_one, nan),
            ("rsqrt.approx.f32", minus_zero, minus_inf),
            ("rsqrt.approx.f32", minus_one, nan),
            ("sin.approx.f32", minus_zero, minus_zero),
            ("sin.approx.f32", inf, nan),
            ("cos.approx.f32", zero, 0x3f80_0000),
            ("lg2.approx.f32", zero, minus_inf),
            ("lg2.approx.f32", minus_one, nan),
            ("lg2.approx.ftz.f32", 1, minus_inf),
            ("ex2.approx.f32", minus_inf, zero),
            ("ex2.approx.f32", inf, inf),
            ("tanh.approx.f32", minus_inf, minus_one),
            ("rcp.approx.ftz.f32", 1, inf),
        ] {
            assert_eq!(one(form, &[a]), d, "{form} {a:x}");
        }
        // A divisor above 2^126 gives 0, or NaN for an infinite dividend.
        assert_eq!(one("div.approx.f32", &[0x3f80_0000, 0x7f00_0000]), zero);
        assert_eq!(one("div.approx.f32", &[inf, 0x7f00_0000]), nan);
        assert_eq!(one("div.full.f32", &[0x7f00_0000, 0x7f00_0000]), 0x3f80_0000);
    }

    #[test]
    fn the_f64_reciprocals_see_and_give_upper_words() {
        let found = f64::from_bits(one("rcp.approx.ftz.f64", &[3f64.to_bits()]));
        assert!(relative(found, 1.0 / 3.0) < 2f64.powi(-19));
        assert_eq!(found.to_bits() & 0xffff_ffff, 0);
        assert_eq!(one("rcp.approx.ftz.f64", &[1]), f64::INFINITY.to_bits());
        let found = f64::from_bits(one("rsqrt.approx.ftz.f64", &[2f64.to_bits()]));
        assert!(relative(found, 0.5f64.sqrt()) < 2f64.powi(-19));
        let found = f64::from_bits(one("rsqrt.approx.f64", &[2f64.to_bits()]));
        assert!(relative(found, 0.5f64.sqrt()) < 2f64.powi(-51));
    }
}
