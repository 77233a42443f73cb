//! Packed dot products (PTX ISA 9.7.1.23, 9.7.1.24). Bit-exact.

use crate::isa::need::need;
use crate::isa::row::{Opcode, lanes};
use crate::lanes::primitive::Bits;

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "dp4a",
        section: "9.7.1.23",
        operands: "d, a, b, c",
        summary: "Adds the dot product of four bytes with four bytes to a third value.",
        needs: &[need("", (6, 0), 61)],
        forms: &[
            lanes!(".u32.u32", Bits::Dp4aU32U32),
            lanes!(".u32.s32", Bits::Dp4aU32S32),
            lanes!(".s32.u32", Bits::Dp4aS32U32),
            lanes!(".s32.s32", Bits::Dp4aS32S32),
        ],
    },
    Opcode {
        name: "dp2a",
        section: "9.7.1.24",
        operands: "d, a, b, c",
        summary: "Adds the dot product of two halves with two bytes to a third value.",
        needs: &[need("", (6, 0), 61)],
        forms: &[
            lanes!(".lo.u32.u32", Bits::Dp2aLoU32U32),
            lanes!(".lo.u32.s32", Bits::Dp2aLoU32S32),
            lanes!(".lo.s32.u32", Bits::Dp2aLoS32U32),
            lanes!(".lo.s32.s32", Bits::Dp2aLoS32S32),
            lanes!(".hi.u32.u32", Bits::Dp2aHiU32U32),
            lanes!(".hi.u32.s32", Bits::Dp2aHiU32S32),
            lanes!(".hi.s32.u32", Bits::Dp2aHiS32U32),
            lanes!(".hi.s32.s32", Bits::Dp2aHiS32S32),
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
