//! Integer arithmetic (PTX ISA 9.7.1.1 to 9.7.1.13).
//!
//! Bit-exact. What the ISA leaves undefined: division by zero gives all ones, the remainder by
//! zero is the dividend, MIN / -1 wraps to MIN (see [`super::scalar::integers`]).

use super::need::need;
use super::row::{Opcode, lanes};
use super::scalar::integers::{Integer, by_halves_s16, by_halves_u16, product_s24, product_u24};

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "add",
        section: "9.7.1.1",
        operands: "d, a, b",
        summary: "Adds two values.",
        needs: &[need("(.u16x2|.s16x2)", (8, 0), 90)],
        forms: &[
            lanes!("(.u16|.s16)", binary(u16, u16) -> u16, u16::wrapping_add),
            lanes!("(.u32|.s32)", binary(u32, u32) -> u32, u32::wrapping_add),
            lanes!("(.u64|.s64)", binary(u64, u64) -> u64, u64::wrapping_add),
            lanes!(".sat.s32", binary(i32, i32) -> i32, i32::saturating_add),
            lanes!("(.u16x2|.s16x2)", binary(u32, u32) -> u32, |a, b| {
                by_halves_u16(a, b, u16::wrapping_add)
            }),
        ],
    },
    Opcode {
        name: "sub",
        section: "9.7.1.2",
        operands: "d, a, b",
        summary: "Subtracts one value from another.",
        needs: &[],
        forms: &[
            lanes!("(.u16|.s16)", binary(u16, u16) -> u16, u16::wrapping_sub),
            lanes!("(.u32|.s32)", binary(u32, u32) -> u32, u32::wrapping_sub),
            lanes!("(.u64|.s64)", binary(u64, u64) -> u64, u64::wrapping_sub),
            lanes!(".sat.s32", binary(i32, i32) -> i32, i32::saturating_sub),
        ],
    },
    Opcode {
        name: "mul",
        section: "9.7.1.3",
        operands: "d, a, b",
        summary: "Multiplies two values; keeps the low half, the high half or all of the product.",
        needs: &[],
        forms: &[
            lanes!(".lo(.u16|.s16)", binary(u16, u16) -> u16, u16::wrapping_mul),
            lanes!(".lo(.u32|.s32)", binary(u32, u32) -> u32, u32::wrapping_mul),
            lanes!(".lo(.u64|.s64)", binary(u64, u64) -> u64, u64::wrapping_mul),
            lanes!(".hi.u16", binary(u16, u16) -> u16, u16::high_product),
            lanes!(".hi.s16", binary(i16, i16) -> i16, i16::high_product),
            lanes!(".hi.u32", binary(u32, u32) -> u32, u32::high_product),
            lanes!(".hi.s32", binary(i32, i32) -> i32, i32::high_product),
            lanes!(".hi.u64", binary(u64, u64) -> u64, u64::high_product),
            lanes!(".hi.s64", binary(i64, i64) -> i64, i64::high_product),
            lanes!(".wide.u16", binary(u16, u16) -> u32, u16::wide_product),
            lanes!(".wide.s16", binary(i16, i16) -> i32, i16::wide_product),
            lanes!(".wide.u32", binary(u32, u32) -> u64, u32::wide_product),
            lanes!(".wide.s32", binary(i32, i32) -> i64, i32::wide_product),
        ],
    },
    Opcode {
        name: "mad",
        section: "9.7.1.4",
        operands: "d, a, b, c",
        summary: "Multiplies two values and adds a third to the low half, the high half or all of the product.",
        needs: &[],
        forms: &[
            lanes!(".lo(.u16|.s16)", ternary(u16, u16, u16) -> u16, |a: u16, b, c| {
                a.wrapping_mul(b).wrapping_add(c)
            }),
            lanes!(".lo(.u32|.s32)", ternary(u32, u32, u32) -> u32, |a: u32, b, c| {
                a.wrapping_mul(b).wrapping_add(c)
            }),
            lanes!(".lo(.u64|.s64)", ternary(u64, u64, u64) -> u64, |a: u64, b, c| {
                a.wrapping_mul(b).wrapping_add(c)
            }),
            lanes!(".hi.u16", ternary(u16, u16, u16) -> u16, |a: u16, b, c| {
                a.high_product(b).wrapping_add(c)
            }),
            lanes!(".hi.s16", ternary(i16, i16, i16) -> i16, |a: i16, b, c| {
                a.high_product(b).wrapping_add(c)
            }),
            lanes!(".hi.u32", ternary(u32, u32, u32) -> u32, |a: u32, b, c| {
                a.high_product(b).wrapping_add(c)
            }),
            lanes!(".hi.s32", ternary(i32, i32, i32) -> i32, |a: i32, b, c| {
                a.high_product(b).wrapping_add(c)
            }),
            lanes!(".hi.sat.s32", ternary(i32, i32, i32) -> i32, |a: i32, b, c| {
                a.high_product(b).saturating_add(c)
            }),
            lanes!(".hi.u64", ternary(u64, u64, u64) -> u64, |a: u64, b, c| {
                a.high_product(b).wrapping_add(c)
            }),
            lanes!(".hi.s64", ternary(i64, i64, i64) -> i64, |a: i64, b, c| {
                a.high_product(b).wrapping_add(c)
            }),
            lanes!(".wide.u16", ternary(u16, u16, u32) -> u32, |a: u16, b, c| {
                a.wide_product(b).wrapping_add(c)
            }),
            lanes!(".wide.s16", ternary(i16, i16, i32) -> i32, |a: i16, b, c| {
                a.wide_product(b).wrapping_add(c)
            }),
            lanes!(".wide.u32", ternary(u32, u32, u64) -> u64, |a: u32, b, c| {
                a.wide_product(b).wrapping_add(c)
            }),
            lanes!(".wide.s32", ternary(i32, i32, i64) -> i64, |a: i32, b, c| {
                a.wide_product(b).wrapping_add(c)
            }),
        ],
    },
    Opcode {
        name: "mul24",
        section: "9.7.1.5",
        operands: "d, a, b",
        summary: "Multiplies two 24-bit values; keeps bits 0 to 31 or 16 to 47 of the product.",
        needs: &[],
        forms: &[
            lanes!(".lo.u32", binary(u32, u32) -> u32, |a, b| product_u24(a, b) as u32),
            lanes!(".lo.s32", binary(i32, i32) -> i32, |a, b| product_s24(a, b) as i32),
            lanes!(".hi.u32", binary(u32, u32) -> u32, |a, b| (product_u24(a, b) >> 16) as u32),
            lanes!(".hi.s32", binary(i32, i32) -> i32, |a, b| (product_s24(a, b) >> 16) as i32),
        ],
    },
    Opcode {
        name: "mad24",
        section: "9.7.1.6",
        operands: "d, a, b, c",
        summary: "Multiplies two 24-bit values and adds a third to bits 0 to 31 or 16 to 47.",
        needs: &[],
        forms: &[
            lanes!(".lo.u32", ternary(u32, u32, u32) -> u32, |a, b, c| {
                (product_u24(a, b) as u32).wrapping_add(c)
            }),
            lanes!(".lo.s32", ternary(i32, i32, i32) -> i32, |a, b, c| {
                (product_s24(a, b) as i32).wrapping_add(c)
            }),
            lanes!(".hi.u32", ternary(u32, u32, u32) -> u32, |a, b, c| {
                ((product_u24(a, b) >> 16) as u32).wrapping_add(c)
            }),
            lanes!(".hi.s32", ternary(i32, i32, i32) -> i32, |a, b, c| {
                ((product_s24(a, b) >> 16) as i32).wrapping_add(c)
            }),
            lanes!(".hi.sat.s32", ternary(i32, i32, i32) -> i32, |a, b, c| {
                ((product_s24(a, b) >> 16) as i32).saturating_add(c)
            }),
        ],
    },
    Opcode {
        name: "sad",
        section: "9.7.1.7",
        operands: "d, a, b, c",
        summary: "Adds the absolute difference of two values to a third.",
        needs: &[],
        forms: &[
            lanes!(".u16", ternary(u16, u16, u16) -> u16, |a: u16, b, c| {
                a.distance(b).wrapping_add(c)
            }),
            lanes!(".s16", ternary(i16, i16, i16) -> i16, |a: i16, b, c| {
                a.distance(b).wrapping_add(c)
            }),
            lanes!(".u32", ternary(u32, u32, u32) -> u32, |a: u32, b, c| {
                a.distance(b).wrapping_add(c)
            }),
            lanes!(".s32", ternary(i32, i32, i32) -> i32, |a: i32, b, c| {
                a.distance(b).wrapping_add(c)
            }),
            lanes!(".u64", ternary(u64, u64, u64) -> u64, |a: u64, b, c| {
                a.distance(b).wrapping_add(c)
            }),
            lanes!(".s64", ternary(i64, i64, i64) -> i64, |a: i64, b, c| {
                a.distance(b).wrapping_add(c)
            }),
        ],
    },
    Opcode {
        name: "div",
        section: "9.7.1.8",
        operands: "d, a, b",
        summary: "Divides one value by another, rounding toward zero.",
        needs: &[],
        forms: &[
            lanes!(".u16", binary(u16, u16) -> u16, u16::quotient),
            lanes!(".s16", binary(i16, i16) -> i16, i16::quotient),
            lanes!(".u32", binary(u32, u32) -> u32, u32::quotient),
            lanes!(".s32", binary(i32, i32) -> i32, i32::quotient),
            lanes!(".u64", binary(u64, u64) -> u64, u64::quotient),
            lanes!(".s64", binary(i64, i64) -> i64, i64::quotient),
        ],
    },
    Opcode {
        name: "rem",
        section: "9.7.1.9",
        operands: "d, a, b",
        summary: "The remainder of a division, with the sign of the dividend.",
        needs: &[],
        forms: &[
            lanes!(".u16", binary(u16, u16) -> u16, u16::remainder),
            lanes!(".s16", binary(i16, i16) -> i16, i16::remainder),
            lanes!(".u32", binary(u32, u32) -> u32, u32::remainder),
            lanes!(".s32", binary(i32, i32) -> i32, i32::remainder),
            lanes!(".u64", binary(u64, u64) -> u64, u64::remainder),
            lanes!(".s64", binary(i64, i64) -> i64, i64::remainder),
        ],
    },
    Opcode {
        name: "abs",
        section: "9.7.1.10",
        operands: "d, a",
        summary: "The absolute value; that of the least value is itself.",
        needs: &[],
        forms: &[
            lanes!(".s16", unary(i16) -> i16, i16::wrapping_abs),
            lanes!(".s32", unary(i32) -> i32, i32::wrapping_abs),
            lanes!(".s64", unary(i64) -> i64, i64::wrapping_abs),
        ],
    },
    Opcode {
        name: "neg",
        section: "9.7.1.11",
        operands: "d, a",
        summary: "The negated value; that of the least value is itself.",
        needs: &[],
        forms: &[
            lanes!(".s16", unary(i16) -> i16, i16::wrapping_neg),
            lanes!(".s32", unary(i32) -> i32, i32::wrapping_neg),
            lanes!(".s64", unary(i64) -> i64, i64::wrapping_neg),
        ],
    },
    Opcode {
        name: "min",
        section: "9.7.1.12",
        operands: "d, a, b",
        summary: "The lesser of two values; with `.relu`, 0 when that is negative.",
        needs: &[need("(.relu|.u16x2|.s16x2)", (8, 0), 90)],
        forms: &[
            lanes!(".u16", binary(u16, u16) -> u16, u16::min),
            lanes!(".s16", binary(i16, i16) -> i16, i16::min),
            lanes!(".u32", binary(u32, u32) -> u32, u32::min),
            lanes!(".s32", binary(i32, i32) -> i32, i32::min),
            lanes!(".u64", binary(u64, u64) -> u64, u64::min),
            lanes!(".s64", binary(i64, i64) -> i64, i64::min),
            lanes!(".relu.s32", binary(i32, i32) -> i32, |a: i32, b| a.min(b).max(0)),
            lanes!(".u16x2", binary(u32, u32) -> u32, |a, b| by_halves_u16(a, b, u16::min)),
            lanes!(".s16x2", binary(u32, u32) -> u32, |a, b| by_halves_s16(a, b, i16::min)),
            lanes!(".relu.s16x2", binary(u32, u32) -> u32, |a, b| {
                by_halves_s16(a, b, |a, b| a.min(b).max(0))
            }),
        ],
    },
    Opcode {
        name: "max",
        section: "9.7.1.13",
        operands: "d, a, b",
        summary: "The greater of two values; with `.relu`, 0 when that is negative.",
        needs: &[need("(.relu|.u16x2|.s16x2)", (8, 0), 90)],
        forms: &[
            lanes!(".u16", binary(u16, u16) -> u16, u16::max),
            lanes!(".s16", binary(i16, i16) -> i16, i16::max),
            lanes!(".u32", binary(u32, u32) -> u32, u32::max),
            lanes!(".s32", binary(i32, i32) -> i32, i32::max),
            lanes!(".u64", binary(u64, u64) -> u64, u64::max),
            lanes!(".s64", binary(i64, i64) -> i64, i64::max),
            lanes!(".relu.s32", binary(i32, i32) -> i32, |a: i32, b| a.max(b).max(0)),
            lanes!(".u16x2", binary(u32, u32) -> u32, |a, b| by_halves_u16(a, b, u16::max)),
            lanes!(".s16x2", binary(u32, u32) -> u32, |a, b| by_halves_s16(a, b, i16::max)),
            lanes!(".relu.s16x2", binary(u32, u32) -> u32, |a, b| {
                by_halves_s16(a, b, |a, b| a.max(b).max(0))
            }),
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
