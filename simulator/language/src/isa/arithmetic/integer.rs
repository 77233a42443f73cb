//! Integer arithmetic (PTX ISA 9.7.1.1 to 9.7.1.13).
//!
//! Bit-exact. Where the ISA leaves the result undefined, division by zero gives all ones, the
//! remainder by zero is the dividend, MIN / -1 wraps to MIN (see
//! [`crate::lanes::scalar::integers`]).

use crate::isa::need::need;
use crate::isa::row::{Opcode, lanes};
use crate::lanes::primitive::Integer;

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "add",
        section: "9.7.1.1",
        operands: "d, a, b",
        summary: "Adds two values.",
        needs: &[need("(.u16x2|.s16x2)", (8, 0), 90)],
        forms: &[
            lanes!("(.u16|.s16)", Integer::AddU16),
            lanes!("(.u32|.s32)", Integer::AddU32),
            lanes!("(.u64|.s64)", Integer::AddU64),
            lanes!(".sat.s32", Integer::AddSatS32),
            lanes!("(.u16x2|.s16x2)", Integer::AddU16x2),
        ],
    },
    Opcode {
        name: "sub",
        section: "9.7.1.2",
        operands: "d, a, b",
        summary: "Subtracts one value from another.",
        needs: &[],
        forms: &[
            lanes!("(.u16|.s16)", Integer::SubU16),
            lanes!("(.u32|.s32)", Integer::SubU32),
            lanes!("(.u64|.s64)", Integer::SubU64),
            lanes!(".sat.s32", Integer::SubSatS32),
        ],
    },
    Opcode {
        name: "mul",
        section: "9.7.1.3",
        operands: "d, a, b",
        summary: "Multiplies two values; keeps the low half, the high half or all of the product.",
        needs: &[],
        forms: &[
            lanes!(".lo(.u16|.s16)", Integer::MulLoU16),
            lanes!(".lo(.u32|.s32)", Integer::MulLoU32),
            lanes!(".lo(.u64|.s64)", Integer::MulLoU64),
            lanes!(".hi.u16", Integer::MulHiU16),
            lanes!(".hi.s16", Integer::MulHiS16),
            lanes!(".hi.u32", Integer::MulHiU32),
            lanes!(".hi.s32", Integer::MulHiS32),
            lanes!(".hi.u64", Integer::MulHiU64),
            lanes!(".hi.s64", Integer::MulHiS64),
            lanes!(".wide.u16", Integer::MulWideU16),
            lanes!(".wide.s16", Integer::MulWideS16),
            lanes!(".wide.u32", Integer::MulWideU32),
            lanes!(".wide.s32", Integer::MulWideS32),
        ],
    },
    Opcode {
        name: "mad",
        section: "9.7.1.4",
        operands: "d, a, b, c",
        summary: "Multiplies two values and adds a third to the low half, the high half or all of the product.",
        needs: &[],
        forms: &[
            lanes!(".lo(.u16|.s16)", Integer::MadLoU16),
            lanes!(".lo(.u32|.s32)", Integer::MadLoU32),
            lanes!(".lo(.u64|.s64)", Integer::MadLoU64),
            lanes!(".hi.u16", Integer::MadHiU16),
            lanes!(".hi.s16", Integer::MadHiS16),
            lanes!(".hi.u32", Integer::MadHiU32),
            lanes!(".hi.s32", Integer::MadHiS32),
            lanes!(".hi.sat.s32", Integer::MadHiSatS32),
            lanes!(".hi.u64", Integer::MadHiU64),
            lanes!(".hi.s64", Integer::MadHiS64),
            lanes!(".wide.u16", Integer::MadWideU16),
            lanes!(".wide.s16", Integer::MadWideS16),
            lanes!(".wide.u32", Integer::MadWideU32),
            lanes!(".wide.s32", Integer::MadWideS32),
        ],
    },
    Opcode {
        name: "mul24",
        section: "9.7.1.5",
        operands: "d, a, b",
        summary: "Multiplies two 24-bit values; keeps bits 0 to 31 or 16 to 47 of the product.",
        needs: &[],
        forms: &[
            lanes!(".lo.u32", Integer::Mul24LoU32),
            lanes!(".lo.s32", Integer::Mul24LoS32),
            lanes!(".hi.u32", Integer::Mul24HiU32),
            lanes!(".hi.s32", Integer::Mul24HiS32),
        ],
    },
    Opcode {
        name: "mad24",
        section: "9.7.1.6",
        operands: "d, a, b, c",
        summary: "Multiplies two 24-bit values and adds a third to bits 0 to 31 or 16 to 47.",
        needs: &[],
        forms: &[
            lanes!(".lo.u32", Integer::Mad24LoU32),
            lanes!(".lo.s32", Integer::Mad24LoS32),
            lanes!(".hi.u32", Integer::Mad24HiU32),
            lanes!(".hi.s32", Integer::Mad24HiS32),
            lanes!(".hi.sat.s32", Integer::Mad24HiSatS32),
        ],
    },
    Opcode {
        name: "sad",
        section: "9.7.1.7",
        operands: "d, a, b, c",
        summary: "Adds the absolute difference of two values to a third.",
        needs: &[],
        forms: &[
            lanes!(".u16", Integer::SadU16),
            lanes!(".s16", Integer::SadS16),
            lanes!(".u32", Integer::SadU32),
            lanes!(".s32", Integer::SadS32),
            lanes!(".u64", Integer::SadU64),
            lanes!(".s64", Integer::SadS64),
        ],
    },
    Opcode {
        name: "div",
        section: "9.7.1.8",
        operands: "d, a, b",
        summary: "Divides one value by another, rounding toward zero.",
        needs: &[],
        forms: &[
            lanes!(".u16", Integer::DivU16),
            lanes!(".s16", Integer::DivS16),
            lanes!(".u32", Integer::DivU32),
            lanes!(".s32", Integer::DivS32),
            lanes!(".u64", Integer::DivU64),
            lanes!(".s64", Integer::DivS64),
        ],
    },
    Opcode {
        name: "rem",
        section: "9.7.1.9",
        operands: "d, a, b",
        summary: "The remainder of a division, with the sign of the dividend.",
        needs: &[],
        forms: &[
            lanes!(".u16", Integer::RemU16),
            lanes!(".s16", Integer::RemS16),
            lanes!(".u32", Integer::RemU32),
            lanes!(".s32", Integer::RemS32),
            lanes!(".u64", Integer::RemU64),
            lanes!(".s64", Integer::RemS64),
        ],
    },
    Opcode {
        name: "abs",
        section: "9.7.1.10",
        operands: "d, a",
        summary: "The absolute value; the least value stays itself.",
        needs: &[],
        forms: &[
            lanes!(".s16", Integer::AbsS16),
            lanes!(".s32", Integer::AbsS32),
            lanes!(".s64", Integer::AbsS64),
        ],
    },
    Opcode {
        name: "neg",
        section: "9.7.1.11",
        operands: "d, a",
        summary: "The negated value; the least value stays itself.",
        needs: &[],
        forms: &[
            lanes!(".s16", Integer::NegS16),
            lanes!(".s32", Integer::NegS32),
            lanes!(".s64", Integer::NegS64),
        ],
    },
    Opcode {
        name: "min",
        section: "9.7.1.12",
        operands: "d, a, b",
        summary: "The lesser of two values; with `.relu`, 0 when that is negative.",
        needs: &[need("(.relu|.u16x2|.s16x2)", (8, 0), 90)],
        forms: &[
            lanes!(".u16", Integer::MinU16),
            lanes!(".s16", Integer::MinS16),
            lanes!(".u32", Integer::MinU32),
            lanes!(".s32", Integer::MinS32),
            lanes!(".u64", Integer::MinU64),
            lanes!(".s64", Integer::MinS64),
            lanes!(".relu.s32", Integer::MinReluS32),
            lanes!(".u16x2", Integer::MinU16x2),
            lanes!(".s16x2", Integer::MinS16x2),
            lanes!(".relu.s16x2", Integer::MinReluS16x2),
        ],
    },
    Opcode {
        name: "max",
        section: "9.7.1.13",
        operands: "d, a, b",
        summary: "The greater of two values; with `.relu`, 0 when that is negative.",
        needs: &[need("(.relu|.u16x2|.s16x2)", (8, 0), 90)],
        forms: &[
            lanes!(".u16", Integer::MaxU16),
            lanes!(".s16", Integer::MaxS16),
            lanes!(".u32", Integer::MaxU32),
            lanes!(".s32", Integer::MaxS32),
            lanes!(".u64", Integer::MaxU64),
            lanes!(".s64", Integer::MaxS64),
            lanes!(".relu.s32", Integer::MaxReluS32),
            lanes!(".u16x2", Integer::MaxU16x2),
            lanes!(".s16x2", Integer::MaxS16x2),
            lanes!(".relu.s16x2", Integer::MaxReluS16x2),
        ],
    },
];

#[cfg(test)]
mod tests {
    use crate::isa::conformance::harness::one;

    const EDGES: [i128; 9] = [
        0,
        1,
        -1,
        7,
        0x1234_5678_9abc_def0,
        i64::MAX as i128,
        i64::MIN as i128,
        0x8000_0000,
        0x7fff_8000_0001,
    ];

    /// A type by its PTX name: width and signedness.
    const TYPES: [(&str, u32, bool); 6] = [
        ("u16", 16, false),
        ("s16", 16, true),
        ("u32", 32, false),
        ("s32", 32, true),
        ("u64", 64, false),
        ("s64", 64, true),
    ];

    /// The value of the low `width` bits.
    fn value(x: i128, width: u32, signed: bool) -> i128 {
        let up = 128 - width;
        if signed { x << up >> up } else { ((x as u128) << up >> up) as i128 }
    }

    fn bits(x: i128, width: u32) -> u64 {
        value(x, width, false) as u64
    }

    #[test]
    fn products_and_sums_are_those_of_exact_arithmetic() {
        for (name, width, signed) in TYPES {
            for (a, b, c) in EDGES.iter().flat_map(|a| EDGES.iter().map(move |b| (*a, *b, a ^ b))) {
                let [a, b, c] = [a, b, c].map(|x| value(x, width, signed));
                let sources = [a as u64, b as u64, c as u64];
                let product = (a as u128).wrapping_mul(b as u128) as i128;
                // Of the 128-bit product of unsigned 64-bit values the shift must not see a sign.
                let high =
                    if signed { product >> width } else { ((product as u128) >> width) as i128 };
                let run =
                    |form: &str, count: usize| one(&format!("{form}.{name}"), &sources[..count]);
                assert_eq!(run("add", 2), bits(a + b, width));
                assert_eq!(run("sub", 2), bits(a - b, width));
                assert_eq!(run("mul.lo", 2), bits(product, width));
                assert_eq!(run("mul.hi", 2), bits(high, width), "{name} {a} {b}");
                assert_eq!(run("mad.lo", 3), bits(product.wrapping_add(c), width));
                assert_eq!(run("mad.hi", 3), bits(high.wrapping_add(c), width));
                assert_eq!(run("sad", 3), bits((a - b).abs() + c, width));
                if width < 64 {
                    assert_eq!(run("mul.wide", 2), bits(product, 2 * width));
                    let sources = [a as u64, b as u64, c as u64];
                    let wide = value(c, 2 * width, false);
                    assert_eq!(
                        one(&format!("mad.wide.{name}"), &sources),
                        bits(product + wide, 2 * width)
                    );
                }
            }
        }
    }

    #[test]
    fn quotients_round_toward_zero_and_remainders_have_the_sign_of_the_dividend() {
        for (name, width, signed) in TYPES {
            for (a, b) in EDGES.iter().flat_map(|a| EDGES.iter().map(move |b| (*a, *b))) {
                let (a, b) = (value(a, width, signed), value(b, width, signed));
                // Undefined in the ISA: all ones, as recorded on hardware.
                let (quotient, remainder) = if b == 0 { (-1, -1) } else { (a / b, a % b) };
                let sources = [a as u64, b as u64];
                assert_eq!(one(&format!("div.{name}"), &sources), bits(quotient, width));
                assert_eq!(one(&format!("rem.{name}"), &sources), bits(remainder, width));
                assert_eq!(one(&format!("min.{name}"), &sources), bits(a.min(b), width));
                assert_eq!(one(&format!("max.{name}"), &sources), bits(a.max(b), width));
                if signed {
                    assert_eq!(one(&format!("abs.{name}"), &sources[..1]), bits(a.abs(), width));
                    assert_eq!(one(&format!("neg.{name}"), &sources[..1]), bits(-a, width));
                }
            }
        }
    }

    #[test]
    fn saturating_forms_stop_at_the_ends_of_the_range() {
        assert_eq!(one("add.sat.s32", &[0x7fff_ffff, 1]), 0x7fff_ffff);
        assert_eq!(one("sub.sat.s32", &[0x8000_0000, 1]), 0x8000_0000);
        // The high half of 2^30 * 4 is 1.
        assert_eq!(one("mad.hi.sat.s32", &[1 << 30, 4, 0x7fff_ffff]), 0x7fff_ffff);
        assert_eq!(one("mad.hi.s32", &[1 << 30, 4, 0x7fff_ffff]), 0x8000_0000);
    }

    #[test]
    fn relu_forms_and_packed_halves_treat_each_value_by_itself() {
        assert_eq!(one("max.relu.s32", &[-5i32 as u32 as u64, -7i32 as u32 as u64]), 0);
        assert_eq!(one("min.s16x2", &[0xffff_0002, 0x0001_8000]), 0xffff_8000);
        assert_eq!(one("min.u16x2", &[0xffff_0002, 0x0001_8000]), 0x0001_0002);
        assert_eq!(one("max.relu.s16x2", &[0xffff_0002, 0xfffe_8000]), 0x0000_0002);
        assert_eq!(one("add.u16x2", &[0xffff_ffff, 0x0001_0001]), 0);
    }

    #[test]
    fn mul24_looks_at_24_bits_and_keeps_32_of_48() {
        assert_eq!(one("mul24.lo.u32", &[0xff00_0003, 5]), 15);
        assert_eq!(one("mul24.hi.u32", &[0xff_ffff, 0xff_ffff]), 0xffff_fe00);
        assert_eq!(one("mul24.lo.s32", &[0xff_ffff, 2]), 0xffff_fffe);
        assert_eq!(one("mul24.hi.s32", &[0x80_0000, 0x80_0000]), 0x4000_0000);
        assert_eq!(one("mad24.hi.sat.s32", &[0x80_0000, 0x80_0000, 0x7fff_ffff]), 0x7fff_ffff);
    }
}
