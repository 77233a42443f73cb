//! Packed dot products (PTX ISA 9.7.1.23, 9.7.1.24). Bit-exact.

use super::need::need;
use super::row::{Opcode, lanes};

/// Byte i of a word, sign-extended when `signed`.
fn byte(word: u32, i: u32, signed: bool) -> i32 {
    let byte = (word >> (8 * i)) as u8;
    if signed { byte as i8 as i32 } else { byte as i32 }
}

/// Half i of a word, sign-extended when `signed`.
fn half(word: u32, i: u32, signed: bool) -> i32 {
    let half = (word >> (16 * i)) as u16;
    if signed { half as i16 as i32 } else { half as i32 }
}

/// `dp4a`: c plus the products of the four bytes, wrapped to 32 bits.
fn dot4(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    (0..4).fold(c, |sum, i| sum.wrapping_add((byte(a, i, a_signed) * byte(b, i, b_signed)) as u32))
}

/// `dp2a`: c plus the products of a's halves with two bytes of b, from byte `first` on.
fn dot2(a: u32, b: u32, c: u32, first: u32, a_signed: bool, b_signed: bool) -> u32 {
    (0..2).fold(c, |sum, i| {
        sum.wrapping_add((half(a, i, a_signed) * byte(b, first + i, b_signed)) as u32)
    })
}

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "dp4a",
        section: "9.7.1.23",
        operands: "d, a, b, c",
        summary: "Adds the dot product of four bytes with four bytes to a third value.",
        needs: &[need("", (6, 0), 61)],
        forms: &[
            lanes!(".u32.u32", ternary(u32, u32, u32) -> u32, |a, b, c| dot4(a, b, c, false, false)),
            lanes!(".u32.s32", ternary(u32, u32, u32) -> u32, |a, b, c| dot4(a, b, c, false, true)),
            lanes!(".s32.u32", ternary(u32, u32, u32) -> u32, |a, b, c| dot4(a, b, c, true, false)),
            lanes!(".s32.s32", ternary(u32, u32, u32) -> u32, |a, b, c| dot4(a, b, c, true, true)),
        ],
    },
    Opcode {
        name: "dp2a",
        section: "9.7.1.24",
        operands: "d, a, b, c",
        summary: "Adds the dot product of two halves with two bytes to a third value.",
        needs: &[need("", (6, 0), 61)],
        forms: &[
            lanes!(".lo.u32.u32", ternary(u32, u32, u32) -> u32, |a, b, c| {
                dot2(a, b, c, 0, false, false)
            }),
            lanes!(".lo.u32.s32", ternary(u32, u32, u32) -> u32, |a, b, c| {
                dot2(a, b, c, 0, false, true)
            }),
            lanes!(".lo.s32.u32", ternary(u32, u32, u32) -> u32, |a, b, c| {
                dot2(a, b, c, 0, true, false)
            }),
            lanes!(".lo.s32.s32", ternary(u32, u32, u32) -> u32, |a, b, c| {
                dot2(a, b, c, 0, true, true)
            }),
            lanes!(".hi.u32.u32", ternary(u32, u32, u32) -> u32, |a, b, c| {
                dot2(a, b, c, 2, false, false)
            }),
            lanes!(".hi.u32.s32", ternary(u32, u32, u32) -> u32, |a, b, c| {
                dot2(a, b, c, 2, false, true)
            }),
            lanes!(".hi.s32.u32", ternary(u32, u32, u32) -> u32, |a, b, c| {
                dot2(a, b, c, 2, true, false)
            }),
            lanes!(".hi.s32.s32", ternary(u32, u32, u32) -> u32, |a, b, c| {
                dot2(a, b, c, 2, true, true)
            }),
        ],
    },
];

#[cfg(test)]
mod tests {
    use crate::isa::conformance::harness::one;

    #[test]
    fn dot_products_extend_each_factor_by_its_own_type() {
        let a = u32::from_le_bytes([0xff, 2, 0x80, 4]) as u64;
        let b = u32::from_le_bytes([3, 0xfe, 0x7f, 1]) as u64;
        let sum = |terms: [i32; 4]| terms.iter().sum::<i32>().wrapping_add(100) as u32 as u64;
        let expect = [
            ("dp4a.u32.u32", sum([255 * 3, 2 * 254, 128 * 127, 4])),
            ("dp4a.u32.s32", sum([255 * 3, -4, 128 * 127, 4])),
            ("dp4a.s32.u32", sum([-3, 2 * 254, -128 * 127, 4])),
            ("dp4a.s32.s32", sum([-3, -4, -128 * 127, 4])),
        ];
        for (form, d) in expect {
            assert_eq!(one(form, &[a, b, 100]), d, "{form}");
        }
        // a is two halves, 0xfffe and 0x0003; b's bytes are 1 to 4.
        let (a, b) = (0x0003_fffe, 0x0403_0201);
        assert_eq!(one("dp2a.lo.s32.u32", &[a, b, 10]), 10 - 2 + 6);
        assert_eq!(one("dp2a.hi.s32.u32", &[a, b, 10]), 10 - 6 + 12);
        assert_eq!(one("dp2a.lo.u32.u32", &[a, b, 0]), 0xfffe + 6);
    }

    #[test]
    fn sums_wrap_at_32_bits() {
        assert_eq!(one("dp4a.u32.u32", &[1, 1, 0xffff_ffff]), 0);
    }
}
