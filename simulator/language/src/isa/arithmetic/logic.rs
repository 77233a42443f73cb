//! Logic, shifts and byte permutation (PTX ISA 9.7.8, 9.7.9.7). Bit-exact.
//!
//! Shift amounts are 32-bit whatever the type, and clamp: a shift by the width or more gives 0,
//! or the sign for signed values.

use crate::isa::need::need;
use crate::isa::row::{Opcode, lanes, structural};
use crate::lanes::primitive::Logic;

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "and",
        section: "9.7.8.1",
        operands: "d, a, b",
        summary: "Bitwise and.",
        needs: &[],
        forms: &[
            lanes!(".pred", Logic::AndPred),
            lanes!(".b16", Logic::AndB16),
            lanes!(".b32", Logic::AndB32),
            lanes!(".b64", Logic::AndB64),
        ],
    },
    Opcode {
        name: "or",
        section: "9.7.8.2",
        operands: "d, a, b",
        summary: "Bitwise or.",
        needs: &[],
        forms: &[
            lanes!(".pred", Logic::OrPred),
            lanes!(".b16", Logic::OrB16),
            lanes!(".b32", Logic::OrB32),
            lanes!(".b64", Logic::OrB64),
        ],
    },
    Opcode {
        name: "xor",
        section: "9.7.8.3",
        operands: "d, a, b",
        summary: "Bitwise exclusive or.",
        needs: &[],
        forms: &[
            lanes!(".pred", Logic::XorPred),
            lanes!(".b16", Logic::XorB16),
            lanes!(".b32", Logic::XorB32),
            lanes!(".b64", Logic::XorB64),
        ],
    },
    Opcode {
        name: "not",
        section: "9.7.8.4",
        operands: "d, a",
        summary: "Bitwise complement.",
        needs: &[],
        forms: &[
            lanes!(".pred", Logic::NotPred),
            lanes!(".b16", Logic::NotB16),
            lanes!(".b32", Logic::NotB32),
            lanes!(".b64", Logic::NotB64),
        ],
    },
    Opcode {
        name: "cnot",
        section: "9.7.8.5",
        operands: "d, a",
        summary: "1 for 0, 0 for anything else.",
        needs: &[],
        forms: &[
            lanes!(".b16", Logic::CnotB16),
            lanes!(".b32", Logic::CnotB32),
            lanes!(".b64", Logic::CnotB64),
        ],
    },
    Opcode {
        name: "lop3",
        section: "9.7.8.6",
        operands: "d[|p], a, b, c, immLut [, {!}q]",
        summary: "Any bitwise function of three values, given as a table of 8 bits; p is whether it is not zero, and or or q.",
        needs: &[need("(.and|.or)", (8, 2), 70)],
        forms: &[lanes!(".b32", Logic::Lop3B32), structural!("(.and|.or).b32", Lop3)],
    },
    Opcode {
        name: "shf",
        section: "9.7.8.7",
        operands: "d, a, b, c",
        summary: "Shifts the 64 bits of b and a, and keeps the upper half (left) or the lower half (right).",
        needs: &[],
        forms: &[
            lanes!(".l.wrap.b32", Logic::ShfLWrapB32),
            lanes!(".r.wrap.b32", Logic::ShfRWrapB32),
            lanes!(".l.clamp.b32", Logic::ShfLClampB32),
            lanes!(".r.clamp.b32", Logic::ShfRClampB32),
        ],
    },
    Opcode {
        name: "shl",
        section: "9.7.8.8",
        operands: "d, a, b",
        summary: "Shifts left.",
        needs: &[],
        forms: &[
            lanes!(".b16", Logic::ShlB16),
            lanes!(".b32", Logic::ShlB32),
            lanes!(".b64", Logic::ShlB64),
        ],
    },
    Opcode {
        name: "shr",
        section: "9.7.8.9",
        operands: "d, a, b",
        summary: "Shifts right; signed values fill with their sign.",
        needs: &[],
        forms: &[
            lanes!("(.b16|.u16)", Logic::ShrU16),
            lanes!("(.b32|.u32)", Logic::ShrU32),
            lanes!("(.b64|.u64)", Logic::ShrU64),
            lanes!(".s16", Logic::ShrS16),
            lanes!(".s32", Logic::ShrS32),
            lanes!(".s64", Logic::ShrS64),
        ],
    },
    Opcode {
        name: "prmt",
        section: "9.7.9.7",
        operands: "d, a, b, c",
        summary: "Picks four of the eight bytes of b and a.",
        needs: &[],
        forms: &[
            lanes!(".b32", Logic::PrmtB32),
            lanes!(".b32.f4e", Logic::PrmtB32F4e),
            lanes!(".b32.b4e", Logic::PrmtB32B4e),
            lanes!(".b32.rc8", Logic::PrmtB32Rc8),
            lanes!(".b32.ecl", Logic::PrmtB32Ecl),
            lanes!(".b32.ecr", Logic::PrmtB32Ecr),
            lanes!(".b32.rc16", Logic::PrmtB32Rc16),
        ],
    },
];

#[cfg(test)]
mod tests {
    use crate::isa::conformance::harness::{one, run};

    #[test]
    fn shift_amounts_clamp_whatever_the_type() {
        for (form, a, amount, d) in [
            ("shl.b32", 1, 31, 0x8000_0000),
            ("shl.b32", 0xffff_ffff, 32, 0),
            ("shl.b32", 1, 0xffff_ffff, 0),
            ("shl.b16", 0xffff, 15, 0x8000),
            ("shl.b16", 0xffff, 16, 0),
            ("shl.b64", 1, 63, 1 << 63),
            ("shl.b64", 1, 64, 0),
            ("shr.u32", 0x8000_0000, 31, 1),
            ("shr.u32", 0x8000_0000, 32, 0),
            ("shr.s32", 0x8000_0000, 40, 0xffff_ffff),
            ("shr.s32", 0x7fff_ffff, 40, 0),
            ("shr.s16", 0x8000, 300, 0xffff),
            ("shr.b16", 0x8000, 16, 0),
            ("shr.s64", 1 << 63, 64, u64::MAX),
            ("shr.u64", 1 << 63, 63, 1),
        ] {
            assert_eq!(one(form, &[a, amount]), d, "{form} {a:x} {amount}");
        }
    }

    #[test]
    fn lop3_computes_any_table_bit_by_bit() {
        // The ISA's recipe: apply the function to these three constants.
        let (ta, tb, tc) = (0xf0u64, 0xcc, 0xaa);
        type Function = fn(u64, u64, u64) -> u64;
        let tables: [(u64, Function); 4] = [
            (ta & tb & tc, |a, b, c| a & b & c),
            (ta | tb | tc, |a, b, c| a | b | c),
            ((ta & tb & !tc) & 0xff, |a, b, c| a & b & !c),
            ((ta & tb | tc) ^ ta, |a, b, c| (a & b | c) ^ a),
        ];
        let (a, b, c) = (0x0123_4567, 0x89ab_cdef, 0xdead_beef);
        for (table, f) in tables {
            assert_eq!(one("lop3.b32", &[a, b, c, table]), f(a, b, c) & 0xffff_ffff, "{table:x}");
        }
        for table in 0..256 {
            let d = one("lop3.b32", &[ta, tb, tc, table]);
            assert_eq!(d & 0xff, table);
        }
    }

    #[test]
    fn funnel_shifts_clamp_or_wrap() {
        let (a, b) = (0x89ab_cdefu64, 0x0123_4567u64);
        let both = b << 32 | a;
        for amount in [0u64, 1, 16, 31, 32, 33, 64, 0xffff_ffff] {
            for (mode, n) in [("clamp", amount.min(32)), ("wrap", amount & 31)] {
                let left = ((both as u128) << n >> 32) as u32 as u64;
                let right = (both >> n) as u32 as u64;
                assert_eq!(one(&format!("shf.l.{mode}.b32"), &[a, b, amount]), left, "{amount}");
                assert_eq!(one(&format!("shf.r.{mode}.b32"), &[a, b, amount]), right, "{amount}");
            }
        }
    }

    #[test]
    fn prmt_picks_bytes_and_repeats_signs() {
        let (a, b) = (0x8322_1100, 0x7766_5544);
        for (form, c, d) in [
            ("prmt.b32", 0x3210, 0x8322_1100),
            ("prmt.b32", 0x7654, 0x7766_5544),
            ("prmt.b32", 0x4307, 0x4483_0077),
            ("prmt.b32", 0xb8f1, 0xff00_0011),
            ("prmt.b32.f4e", 1, 0x4483_2211),
            ("prmt.b32.f4e", 3, 0x6655_4483),
            ("prmt.b32.b4e", 1, 0x6677_0011),
            ("prmt.b32.b4e", 3, 0x0011_2283),
            ("prmt.b32.rc8", 2, 0x2222_2222),
            ("prmt.b32.ecl", 1, 0x8322_1111),
            ("prmt.b32.ecl", 3, 0x8383_8383),
            ("prmt.b32.ecr", 1, 0x1111_1100),
            ("prmt.b32.ecr", 3, 0x8322_1100),
            ("prmt.b32.rc16", 2, 0x1100_1100),
            ("prmt.b32.rc16", 3, 0x8322_8322),
        ] {
            assert_eq!(one(form, &[a, b, c]), d, "{form} {c:x}");
        }
    }

    #[test]
    fn predicates_are_combined_lane_by_lane() {
        let [a, b] = [0b1100u64, 0b1010].map(|m| std::array::from_fn(|lane| m >> lane & 1));
        for (form, truth) in [("and", 0b1000u64), ("or", 0b1110), ("xor", 0b0110)] {
            let d = run(&format!("{form}.pred"), &[a, b]).d;
            assert_eq!(d[..4], [0, 1, 2, 3].map(|lane| truth >> lane & 1), "{form}");
        }
        assert_eq!(run("not.pred", &[a]).d[..4], [1, 1, 0, 0]);
        assert_eq!(one("cnot.b16", &[0]), 1);
        assert_eq!(one("cnot.b64", &[1 << 40]), 0);
        assert_eq!(one("not.b16", &[0x00ff]), 0xff00);
    }
}
