//! Bit counting, searching and bit fields (PTX ISA 9.7.1.14 to 9.7.1.22).
//!
//! Bit-exact. The 32-bit forms take the position and length of a field modulo 256, as the ISA says.
//! The 64-bit forms take all bits of both, as an H200 does. The ISA says otherwise. `fns` is
//! undefined in the ISA for a base above 31; here it finds nothing.

use crate::isa::need::need;
use crate::isa::row::{Opcode, lanes};
use crate::lanes::primitive::Bits;

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "popc",
        section: "9.7.1.14",
        operands: "d, a",
        summary: "Counts the one bits.",
        needs: &[],
        forms: &[lanes!(".b32", Bits::PopcB32), lanes!(".b64", Bits::PopcB64)],
    },
    Opcode {
        name: "clz",
        section: "9.7.1.15",
        operands: "d, a",
        summary: "Counts the zero bits from the top.",
        needs: &[],
        forms: &[lanes!(".b32", Bits::ClzB32), lanes!(".b64", Bits::ClzB64)],
    },
    Opcode {
        name: "bfind",
        section: "9.7.1.16",
        operands: "d, a",
        summary: "The position of the highest bit that is not a copy of the sign; all ones when there is none.",
        needs: &[],
        forms: &[
            lanes!(".u32", Bits::BfindU32),
            lanes!(".s32", Bits::BfindS32),
            lanes!(".u64", Bits::BfindU64),
            lanes!(".s64", Bits::BfindS64),
            lanes!(".shiftamt.u32", Bits::BfindShiftamtU32),
            lanes!(".shiftamt.s32", Bits::BfindShiftamtS32),
            lanes!(".shiftamt.u64", Bits::BfindShiftamtU64),
            lanes!(".shiftamt.s64", Bits::BfindShiftamtS64),
        ],
    },
    Opcode {
        name: "fns",
        section: "9.7.1.17",
        operands: "d, mask, base, offset",
        summary: "Finds the n-th set bit of a mask, counted from a base.",
        needs: &[],
        forms: &[lanes!(".b32", Bits::FnsB32)],
    },
    Opcode {
        name: "brev",
        section: "9.7.1.18",
        operands: "d, a",
        summary: "Reverses the bits.",
        needs: &[],
        forms: &[lanes!(".b32", Bits::BrevB32), lanes!(".b64", Bits::BrevB64)],
    },
    Opcode {
        name: "bfe",
        section: "9.7.1.19",
        operands: "d, a, b, c",
        summary: "Extracts a field: c bits from bit b on, zero- or sign-extended.",
        needs: &[],
        forms: &[
            lanes!(".u32", Bits::BfeU32),
            lanes!(".s32", Bits::BfeS32),
            lanes!(".u64", Bits::BfeU64),
            lanes!(".s64", Bits::BfeS64),
        ],
    },
    Opcode {
        name: "bfi",
        section: "9.7.1.20",
        operands: "f, a, b, c, d",
        summary: "Puts the low d bits of a into b, from bit c on.",
        needs: &[],
        forms: &[lanes!(".b32", Bits::BfiB32), lanes!(".b64", Bits::BfiB64)],
    },
    Opcode {
        name: "szext",
        section: "9.7.1.21",
        operands: "d, a, b",
        summary: "Zero- or sign-extends the low b bits.",
        needs: &[need("", (7, 6), 70)],
        forms: &[
            lanes!(".clamp.u32", Bits::SzextClampU32),
            lanes!(".clamp.s32", Bits::SzextClampS32),
            lanes!(".wrap.u32", Bits::SzextWrapU32),
            lanes!(".wrap.s32", Bits::SzextWrapS32),
        ],
    },
    Opcode {
        name: "bmsk",
        section: "9.7.1.22",
        operands: "d, a, b",
        summary: "A mask of b ones from bit a on.",
        needs: &[need("", (7, 6), 70)],
        forms: &[lanes!(".clamp.b32", Bits::BmskClampB32), lanes!(".wrap.b32", Bits::BmskWrapB32)],
    },
];

#[cfg(test)]
mod tests {
    use crate::isa::conformance::harness::one;

    const WORDS: [u64; 8] = [
        0,
        1,
        u64::MAX,
        0x8000_0000_8000_0000,
        0x7fff_ffff_7fff_ffff,
        0x0123_4567_89ab_cdef,
        0x0000_0100_0000_0100,
        0xfffe_0000_fffe_0000,
    ];
    const POSITIONS: [u64; 9] = [0, 1, 8, 31, 32, 33, 63, 64, 255];

    /// The pseudo-code of `bfe`, bit by bit.
    fn bfe(a: u64, width: u64, position: u64, length: u64, signed: bool) -> u64 {
        let bit = |i: u64| if i < 64 { a >> i & 1 } else { 0 };
        let top = width - 1;
        let sign = if !signed || length == 0 { 0 } else { bit((position + length - 1).min(top)) };
        (0..width).fold(0, |d, i| {
            let taken = i < length && position + i <= top;
            d | (if taken { bit(position + i) } else { sign }) << i
        })
    }

    /// The pseudo-code of `bfi`, bit by bit.
    fn bfi(a: u64, b: u64, width: u64, position: u64, length: u64) -> u64 {
        (0..length)
            .filter(|i| position + i < width && *i < 64)
            .fold(b, |f, i| f & !(1 << (position + i)) | (a >> i & 1) << (position + i))
    }

    #[test]
    fn fields_are_extracted_and_inserted_as_the_pseudo_code_says() {
        for (a, p, l) in WORDS.iter().flat_map(|a| {
            POSITIONS.iter().flat_map(move |p| POSITIONS.iter().map(move |l| (*a, *p, *l)))
        }) {
            let low = a & 0xffff_ffff;
            assert_eq!(one("bfe.u32", &[low, p, l]), bfe(low, 32, p, l, false), "{low:x} {p} {l}");
            assert_eq!(one("bfe.s32", &[low, p, l]), bfe(low, 32, p, l, true), "{low:x} {p} {l}");
            assert_eq!(one("bfe.u64", &[a, p, l]), bfe(a, 64, p, l, false), "{a:x} {p} {l}");
            assert_eq!(one("bfe.s64", &[a, p, l]), bfe(a, 64, p, l, true), "{a:x} {p} {l}");
            let b = !a ^ 0x0f0f_0f0f_3333_5555;
            let low_b = b & 0xffff_ffff;
            assert_eq!(one("bfi.b32", &[low, low_b, p, l]), bfi(low, low_b, 32, p, l));
            assert_eq!(one("bfi.b64", &[a, b, p, l]), bfi(a, b, 64, p, l), "{a:x} {p} {l}");
        }
        // The 32-bit forms see the low eight bits of position and length.
        assert_eq!(one("bfe.u32", &[0xabcd_ef01, 0x108, 0x204]), 0xf);
    }

    #[test]
    fn bfind_finds_the_highest_bit_that_is_not_a_copy_of_the_sign() {
        for (form, a, position) in [
            ("u32", 0, u32::MAX),
            ("u32", 1, 0),
            ("u32", 0x8000_0000, 31),
            ("s32", 0xffff_ffff, u32::MAX),
            ("s32", 0xffff_fffe, 0),
            ("s32", 0x7fff_ffff, 30),
            ("u64", 1 << 63, 63),
            ("s64", 1 << 63, 62),
            ("s64", u64::MAX, u32::MAX),
        ] {
            assert_eq!(one(&format!("bfind.{form}"), &[a]), position as u64, "{form} {a:x}");
            let top = if form.ends_with("32") { 31 } else { 63 };
            let shift = if position == u32::MAX { position } else { top - position };
            assert_eq!(one(&format!("bfind.shiftamt.{form}"), &[a]), shift as u64);
        }
    }

    #[test]
    fn fns_counts_set_bits_from_the_base_in_the_direction_of_the_offset() {
        let mask = 0b1011_0010;
        for (base, offset, position) in [
            (0, 1, 1),
            (0, 2, 4),
            (4, 1, 4),
            (5, -1, 5),
            (5, -2, 4),
            (7, -4, 1),
            (4, 0, 4),
            (3, 0, -1),
            (0, 5, -1),
            (0, -1, -1),
        ] {
            let found = one("fns.b32", &[mask, base, offset as u32 as u64]);
            assert_eq!(found, position as u32 as u64, "base {base}, offset {offset}");
        }
    }

    #[test]
    fn masks_and_extensions_clamp_or_wrap_their_amounts() {
        assert_eq!(one("bmsk.clamp.b32", &[4, 8]), 0xff0);
        assert_eq!(one("bmsk.clamp.b32", &[4, 40]), 0xffff_fff0);
        assert_eq!(one("bmsk.clamp.b32", &[32, 1]), 0);
        assert_eq!(one("bmsk.wrap.b32", &[36, 33]), 0x10);
        assert_eq!(one("szext.clamp.s32", &[0x1f, 5]), 0xffff_ffff);
        assert_eq!(one("szext.clamp.u32", &[0xffff_ffff, 32]), 0xffff_ffff);
        assert_eq!(one("szext.clamp.s32", &[0xffff_ffff, 0]), 0);
        assert_eq!(one("szext.wrap.u32", &[0xffff_ffff, 36]), 0xf);
    }

    #[test]
    fn counting_and_reversing_see_every_bit() {
        assert_eq!(one("popc.b64", &[u64::MAX]), 64);
        assert_eq!(one("popc.b32", &[0x8000_0001]), 2);
        assert_eq!(one("clz.b64", &[0]), 64);
        assert_eq!(one("clz.b32", &[1]), 31);
        assert_eq!(one("brev.b32", &[0x8000_0003]), 0xc000_0001);
        assert_eq!(one("brev.b64", &[1]), 1 << 63);
    }
}
