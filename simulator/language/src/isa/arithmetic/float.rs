//! Floating-point arithmetic of f32 and f64 (PTX ISA 9.7.3.1 to 9.7.3.15).
//!
//! Bit-exact in every rounding direction, with `.ftz` and `.sat`; the rules are in
//! [`crate::lanes::scalar::float`]. `add`, `sub` and `mul` without a direction round to nearest and
//! are never contracted here: that is a compiler's choice. `.approx` and `.full` forms are in
//! [`crate::isa::arithmetic::float_approx`].

use crate::isa::need::need;
use crate::isa::row::{Opcode, lanes};
use crate::lanes::primitive::Float;

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "testp",
        section: "9.7.3.1",
        operands: "p, a",
        summary: "Tests a property of a floating-point number.",
        needs: &[],
        forms: &[
            lanes!(".finite.f32", Float::TestpFiniteF32),
            lanes!(".finite.f64", Float::TestpFiniteF64),
            lanes!(".infinite.f32", Float::TestpInfiniteF32),
            lanes!(".infinite.f64", Float::TestpInfiniteF64),
            lanes!(".number.f32", Float::TestpNumberF32),
            lanes!(".number.f64", Float::TestpNumberF64),
            lanes!(".notanumber.f32", Float::TestpNotanumberF32),
            lanes!(".notanumber.f64", Float::TestpNotanumberF64),
            lanes!(".normal.f32", Float::TestpNormalF32),
            lanes!(".normal.f64", Float::TestpNormalF64),
            lanes!(".subnormal.f32", Float::TestpSubnormalF32),
            lanes!(".subnormal.f64", Float::TestpSubnormalF64),
        ],
    },
    Opcode {
        name: "copysign",
        section: "9.7.3.2",
        operands: "d, a, b",
        summary: "The value of b with the sign of a.",
        needs: &[],
        forms: &[lanes!(".f32", Float::CopysignF32), lanes!(".f64", Float::CopysignF64)],
    },
    Opcode {
        name: "add",
        section: "9.7.3.3",
        operands: "d, a, b",
        summary: "Adds two values.",
        needs: &[],
        forms: &[
            lanes!("{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32", Float::AddF32),
            lanes!("{.rn|.rz|.rm|.rp}.f64", Float::AddF64),
        ],
    },
    Opcode {
        name: "sub",
        section: "9.7.3.4",
        operands: "d, a, b",
        summary: "Subtracts one value from another.",
        needs: &[],
        forms: &[
            lanes!("{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32", Float::SubF32),
            lanes!("{.rn|.rz|.rm|.rp}.f64", Float::SubF64),
        ],
    },
    Opcode {
        name: "mul",
        section: "9.7.3.5",
        operands: "d, a, b",
        summary: "Multiplies two values.",
        needs: &[],
        forms: &[
            lanes!("{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32", Float::MulF32),
            lanes!("{.rn|.rz|.rm|.rp}.f64", Float::MulF64),
        ],
    },
    Opcode {
        name: "fma",
        section: "9.7.3.6",
        operands: "d, a, b, c",
        summary: "Multiplies two values and adds a third, rounding once.",
        needs: &[],
        forms: &[
            lanes!("(.rn|.rz|.rm|.rp){.ftz}{.sat}.f32", Float::FmaF32),
            lanes!("(.rn|.rz|.rm|.rp).f64", Float::FmaF64),
        ],
    },
    Opcode {
        name: "mad",
        section: "9.7.3.7",
        operands: "d, a, b, c",
        summary: "The same as fma.",
        needs: &[],
        forms: &[
            lanes!("(.rn|.rz|.rm|.rp){.ftz}{.sat}.f32", Float::FmaF32),
            lanes!("(.rn|.rz|.rm|.rp).f64", Float::FmaF64),
        ],
    },
    Opcode {
        name: "div",
        section: "9.7.3.8",
        operands: "d, a, b",
        summary: "Divides one value by another.",
        needs: &[],
        forms: &[
            lanes!("(.rn|.rz|.rm|.rp){.ftz}.f32", Float::DivF32),
            lanes!("(.rn|.rz|.rm|.rp).f64", Float::DivF64),
        ],
    },
    Opcode {
        name: "abs",
        section: "9.7.3.9",
        operands: "d, a",
        summary: "The absolute value.",
        needs: &[],
        forms: &[lanes!("{.ftz}.f32", Float::AbsF32), lanes!(".f64", Float::AbsF64)],
    },
    Opcode {
        name: "neg",
        section: "9.7.3.10",
        operands: "d, a",
        summary: "The negated value.",
        needs: &[],
        forms: &[lanes!("{.ftz}.f32", Float::NegF32), lanes!(".f64", Float::NegF64)],
    },
    Opcode {
        name: "min",
        section: "9.7.3.11",
        operands: "d, a, b",
        summary: "The lesser of two values; a NaN loses, except with `.NaN`.",
        needs: &[need(".NaN", (7, 0), 80), need(".xorsign.abs", (7, 2), 86)],
        forms: &[
            lanes!("{.ftz}{.NaN}{.xorsign.abs}.f32", Float::MinF32),
            lanes!(".f64", Float::MinF64),
        ],
    },
    Opcode {
        name: "min",
        section: "9.7.3.11",
        operands: "d, a, b, c",
        summary: "The least of three values; a NaN loses, except with `.NaN`.",
        needs: &[need("", (8, 8), 100)],
        forms: &[lanes!("{.ftz}{.NaN}{.abs}.f32", Float::MinOfThreeF32)],
    },
    Opcode {
        name: "max",
        section: "9.7.3.12",
        operands: "d, a, b",
        summary: "The greater of two values; a NaN loses, except with `.NaN`.",
        needs: &[need(".NaN", (7, 0), 80), need(".xorsign.abs", (7, 2), 86)],
        forms: &[
            lanes!("{.ftz}{.NaN}{.xorsign.abs}.f32", Float::MaxF32),
            lanes!(".f64", Float::MaxF64),
        ],
    },
    Opcode {
        name: "max",
        section: "9.7.3.12",
        operands: "d, a, b, c",
        summary: "The greatest of three values; a NaN loses, except with `.NaN`.",
        needs: &[need("", (8, 8), 100)],
        forms: &[lanes!("{.ftz}{.NaN}{.abs}.f32", Float::MaxOfThreeF32)],
    },
    Opcode {
        name: "rcp",
        section: "9.7.3.13",
        operands: "d, a",
        summary: "The reciprocal.",
        needs: &[],
        forms: &[
            lanes!("(.rn|.rz|.rm|.rp){.ftz}.f32", Float::RcpF32),
            lanes!("(.rn|.rz|.rm|.rp).f64", Float::RcpF64),
            // The assembler has it, and nothing is flushed.
            lanes!("(.rn|.rz|.rm|.rp).ftz.f64", Float::RcpF64),
        ],
    },
    Opcode {
        name: "sqrt",
        section: "9.7.3.15",
        operands: "d, a",
        summary: "The square root.",
        needs: &[],
        forms: &[
            lanes!("(.rn|.rz|.rm|.rp){.ftz}.f32", Float::SqrtF32),
            lanes!("(.rn|.rz|.rm|.rp).f64", Float::SqrtF64),
        ],
    },
];

#[cfg(test)]
mod tests {
    use rustc_apfloat::Float as _;
    use rustc_apfloat::Round;
    use rustc_apfloat::ieee::Single;

    use crate::isa::conformance::harness::{PLAIN, Words, form_with, one, run, run_form};
    use crate::isa::conformance::operands::{SETS, operands};
    use crate::lanes::LANES;
    use crate::ptx::Type;

    /// For three values: sorts those that are not left out, in the order of the f32 numbers.
    fn of_three(greatest: bool, flags: [bool; 3], values: [u32; 3]) -> u32 {
        let [ftz, nan, absolute] = flags;
        let is_nan = |bits: u32| bits & 0x7fff_ffff > 0x7f80_0000;
        let seen = values.map(|bits| {
            let is_subnormal = bits & 0x7f80_0000 == 0;
            let bits = if ftz && is_subnormal { bits & 0x8000_0000 } else { bits };
            if absolute { bits & 0x7fff_ffff } else { bits }
        });
        let mut numbers: Vec<u32> = seen.into_iter().filter(|bits| !is_nan(*bits)).collect();
        if numbers.is_empty() || nan && numbers.len() < 3 {
            return 0x7fff_ffff;
        }
        // Negative numbers have the greater bits the lesser they are, and -0 is below +0.
        numbers.sort_by_key(|bits| match bits >> 31 {
            1 => -1 - i64::from(bits & 0x7fff_ffff),
            _ => i64::from(*bits),
        });
        if greatest { numbers[numbers.len() - 1] } else { numbers[0] }
    }

    /// The operands of all forms, also in new combinations, so that NaNs get to every place.
    fn triples() -> Vec<[u32; 3]> {
        let words = operands(&[Type::F32, Type::F32, Type::F32]);
        let turned = |turn: usize, set: usize| {
            [0, 1, 2].map(|i| words[(i + turn) % 3][(set + turn * i) % SETS] as u32)
        };
        (0..3)
            .flat_map(|turn| (0..SETS).map(move |set| (turn, set)))
            .map(|(t, s)| turned(t, s))
            .collect()
    }

    #[test]
    fn the_extremes_of_three_are_those_of_a_sort() {
        let triples = triples();
        let choices = [false, true];
        let flags = choices.map(|a| choices.map(|b| choices.map(|c| [a, b, c])));
        for (name, greatest) in [("min", false), ("max", true)] {
            for flags in flags.iter().flatten().flatten() {
                let spelled = [".ftz", ".NaN", ".abs"].iter().zip(flags);
                let modifiers: String = spelled.filter(|(_, on)| **on).map(|(m, _)| *m).collect();
                let form = form_with(&format!("{name}{modifiers}.f32"), 4);
                for chunk in triples.chunks_exact(LANES) {
                    let lanes =
                        |i: usize| -> Words { std::array::from_fn(|lane| chunk[lane][i].into()) };
                    let results = run_form(form, &[lanes(0), lanes(1), lanes(2)], PLAIN);
                    for (values, d) in chunk.iter().zip(results.d) {
                        let expected = of_three(greatest, *flags, *values);
                        assert_eq!(d, expected.into(), "{name}{modifiers} {values:x?}");
                    }
                }
            }
        }
    }

    const DIRECTIONS: [(&str, Round); 4] = [
        ("rn", Round::NearestTiesToEven),
        ("rz", Round::TowardZero),
        ("rm", Round::TowardNegative),
        ("rp", Round::TowardPositive),
    ];

    /// Runs a form on all sets of operands and hands each with its result to `check`.
    fn on_all_operands(form: &str, ty: Type, count: usize, check: impl Fn(&[u64], u64)) {
        let words = operands(&[ty, ty, ty][..count]);
        for first in (0..SETS).step_by(LANES) {
            let lanes = |s: usize| -> Words { std::array::from_fn(|l| words[s][first + l]) };
            let sources: Vec<Words> = (0..count).map(lanes).collect();
            let results = run(form, &sources);
            for lane in 0..LANES {
                let sources: Vec<u64> = sources.iter().map(|s| s[lane]).collect();
                check(&sources, results.d[lane]);
            }
        }
    }

    fn single(bits: u64) -> Single {
        Single::from_bits(bits as u32 as u128)
    }

    #[test]
    fn f32_arithmetic_is_correctly_rounded_in_every_direction() {
        type Oracle = fn(&[u64], Round) -> Single;
        let operations: [(&str, usize, Oracle); 5] = [
            ("add", 2, |s, r| single(s[0]).add_r(single(s[1]), r).value),
            ("sub", 2, |s, r| single(s[0]).sub_r(single(s[1]), r).value),
            ("mul", 2, |s, r| single(s[0]).mul_r(single(s[1]), r).value),
            ("div", 2, |s, r| single(s[0]).div_r(single(s[1]), r).value),
            ("fma", 3, |s, r| single(s[0]).mul_add_r(single(s[1]), single(s[2]), r).value),
        ];
        for (name, count, oracle) in operations {
            for (direction, round) in DIRECTIONS {
                let form = format!("{name}.{direction}.f32");
                on_all_operands(&form, Type::F32, count, |sources, d| {
                    let right = oracle(sources, round);
                    let right = if right.is_nan() { 0x7fff_ffff } else { right.to_bits() as u64 };
                    assert_eq!(d, right, "{form} {sources:x?}");
                });
            }
        }
    }

    #[test]
    fn directed_f64_results_bracket_the_exact_one() {
        on_all_operands("mul.rm.f64", Type::F64, 2, |sources, down| {
            let [a, b] = [0, 1].map(|i| f64::from_bits(sources[i]));
            let down = f64::from_bits(down);
            let up = f64::from_bits(one("mul.rp.f64", sources));
            let nearest = f64::from_bits(one("mul.rn.f64", sources));
            if down.is_normal() && up.is_normal() && down.abs() > 1e-290 {
                assert!(up == down || up == down.next_up());
                assert!(nearest == up || nearest == down);
                // The sign of an exact residual shows on which side of the product each lies.
                assert!(a.mul_add(b, -down) >= 0.0 && a.mul_add(b, -up) <= 0.0, "{a:e} {b:e}");
            }
        });
        on_all_operands("sqrt.rm.f64", Type::F64, 1, |sources, down| {
            let (a, down) = (f64::from_bits(sources[0]), f64::from_bits(down));
            let up = f64::from_bits(one("sqrt.rp.f64", sources));
            if a > 1e-200 && a.is_finite() {
                assert!(up == down || up == down.next_up());
                assert!(down.mul_add(-down, a) >= 0.0 && up.mul_add(-up, a) <= 0.0, "{a:e}");
            }
        });
    }

    #[test]
    fn square_roots_are_correctly_rounded() {
        for (direction, round) in DIRECTIONS {
            on_all_operands(&format!("sqrt.{direction}.f32"), Type::F32, 1, |sources, d| {
                let a = f32::from_bits(sources[0] as u32);
                if !(a > 0.0 && a.is_finite()) {
                    return;
                }
                // Squares of f32 and of their neighbours' midpoints are exact in f64.
                let (d, a) = (f32::from_bits(d as u32), a as f64);
                let square = |x: f64| x * x;
                let (below, above) = (d.next_down() as f64, d.next_up() as f64);
                let right = match round {
                    Round::TowardPositive => square(below) < a && a <= square(d as f64),
                    Round::NearestTiesToEven => {
                        square((below + d as f64) / 2.0) <= a
                            && a <= square((above + d as f64) / 2.0)
                    }
                    _ => square(d as f64) <= a && a < square(above),
                };
                assert!(right, "sqrt.{direction} {a:e} = {d:e}");
            });
        }
    }

    #[test]
    fn saturation_clamps_to_one_and_makes_nan_zero() {
        let f = |x: f32| x.to_bits() as u64;
        assert_eq!(one("add.sat.f32", &[f(0.75), f(0.75)]), f(1.0));
        assert_eq!(one("add.sat.f32", &[f(-3.0), f(1.0)]), 0);
        assert_eq!(one("mul.sat.f32", &[f(-0.0), f(1.0)]), 0);
        assert_eq!(one("fma.rn.sat.f32", &[f(f32::INFINITY), 0, f(1.0)]), 0);
        assert_eq!(one("add.sat.f32", &[f(0.25), f(0.25)]), f(0.5));
    }

    #[test]
    fn ftz_flushes_operands_and_results_to_zero_of_their_sign() {
        let (tiny, least) = (0x007f_ffff, 0x0080_0000);
        assert_eq!(one("add.f32", &[tiny, tiny]), 0x00ff_fffe);
        assert_eq!(one("add.ftz.f32", &[tiny, tiny]), 0);
        assert_eq!(one("mul.ftz.f32", &[0x8000_0000 | least, 0x3f00_0000]), 0x8000_0000);
        assert_eq!(one("neg.ftz.f32", &[tiny]), 0x8000_0000);
        assert_eq!(one("abs.ftz.f32", &[0x8000_0001]), 0);
        assert_eq!(one("sqrt.rn.ftz.f32", &[tiny]), 0);
    }

    #[test]
    fn min_and_max_order_zeros_and_drop_nan_unless_asked_to_keep_it() {
        let (zero, minus_zero, nan, one_bits) = (0, 0x8000_0000, 0x7fc0_0000, 0x3f80_0000);
        assert_eq!(one("min.f32", &[zero, minus_zero]), minus_zero);
        assert_eq!(one("max.f32", &[minus_zero, zero]), zero);
        assert_eq!(one("min.f32", &[nan, one_bits]), one_bits);
        assert_eq!(one("max.f32", &[one_bits, nan]), one_bits);
        assert_eq!(one("max.f32", &[nan, nan]), 0x7fff_ffff);
        assert_eq!(one("min.NaN.f32", &[one_bits, nan]), 0x7fff_ffff);
        // |-2| > |1|, and the signs differ.
        assert_eq!(one("max.xorsign.abs.f32", &[0xc000_0000, one_bits]), 0xc000_0000);
        assert_eq!(one("min.f64", &[0, 1 << 63]), 1 << 63);
        assert_eq!(one("max.f64", &[0x7ff8_0000_0000_0000, 1]), 1);
    }

    #[test]
    fn properties_of_numbers_are_told_apart() {
        // Zero, a subnormal, one, infinity, NaN.
        let numbers = [0, 1, 0x3f80_0000, 0xff80_0000, 0x7fc0_0000];
        for (property, holds) in [
            ("finite", [1, 1, 1, 0, 0]),
            ("infinite", [0, 0, 0, 1, 0]),
            ("number", [1, 1, 1, 1, 0]),
            ("notanumber", [0, 0, 0, 0, 1]),
            ("normal", [1, 0, 1, 0, 0]),
            ("subnormal", [0, 1, 0, 0, 0]),
        ] {
            let found = numbers.map(|number| one(&format!("testp.{property}.f32"), &[number]));
            assert_eq!(found, holds, "{property}");
        }
    }

    #[test]
    fn copysign_takes_the_sign_of_a_and_the_value_of_b() {
        assert_eq!(one("copysign.f32", &[0x8000_0000, 0x3f80_0000]), 0xbf80_0000);
        assert_eq!(one("copysign.f64", &[0, 0xfff8_0000_0000_0001]), 0x7ff8_0000_0000_0001);
    }
}
