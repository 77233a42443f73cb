//! Bit counting, searching and bit fields (PTX ISA 9.7.1.14 to 9.7.1.22).
//!
//! Bit-exact. The position and length of a field are taken modulo 256 by the 32-bit forms, as the ISA says; the 64-bit
//! forms take all of them, as an H200 does and the ISA does not. `fns` is undefined in the ISA for a base above 31; here it finds nothing.

use super::row::{Opcode, lanes};
use super::scalar::integers::{
    bit_mask_clamp, extract_field, field_sign, find_high_bit, find_nth_set, insert_field, keep_low,
    keep_low_signed, magnitude_bits_32, magnitude_bits_64,
};

/// `.shiftamt`: how far to shift left to bring the bit at `position` to the top of `width` bits.
fn shift_amount(position: u32, width: u32) -> u32 {
    if position == u32::MAX { position } else { width - 1 - position }
}

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "popc",
        section: "9.7.1.14",
        operands: "d, a",
        summary: "Counts the one bits.",
        forms: &[
            lanes!(".b32", unary(u32) -> u32, u32::count_ones),
            lanes!(".b64", unary(u64) -> u32, u64::count_ones),
        ],
    },
    Opcode {
        name: "clz",
        section: "9.7.1.15",
        operands: "d, a",
        summary: "Counts the zero bits from the top.",
        forms: &[
            lanes!(".b32", unary(u32) -> u32, u32::leading_zeros),
            lanes!(".b64", unary(u64) -> u32, u64::leading_zeros),
        ],
    },
    Opcode {
        name: "bfind",
        section: "9.7.1.16",
        operands: "d, a",
        summary: "The position of the highest bit that is not a copy of the sign; all ones when there is none.",
        forms: &[
            lanes!(".u32", unary(u32) -> u32, |a: u32| find_high_bit(a as u64)),
            lanes!(".s32", unary(i32) -> u32, |a| find_high_bit(magnitude_bits_32(a))),
            lanes!(".u64", unary(u64) -> u32, find_high_bit),
            lanes!(".s64", unary(i64) -> u32, |a| find_high_bit(magnitude_bits_64(a))),
            lanes!(".shiftamt.u32", unary(u32) -> u32, |a: u32| {
                shift_amount(find_high_bit(a as u64), 32)
            }),
            lanes!(".shiftamt.s32", unary(i32) -> u32, |a| {
                shift_amount(find_high_bit(magnitude_bits_32(a)), 32)
            }),
            lanes!(".shiftamt.u64", unary(u64) -> u32, |a| shift_amount(find_high_bit(a), 64)),
            lanes!(".shiftamt.s64", unary(i64) -> u32, |a| {
                shift_amount(find_high_bit(magnitude_bits_64(a)), 64)
            }),
        ],
    },
    Opcode {
        name: "fns",
        section: "9.7.1.17",
        operands: "d, mask, base, offset",
        summary: "Finds the n-th set bit of a mask, counted from a base.",
        forms: &[lanes!(".b32", ternary(u32, u32, i32) -> u32, find_nth_set)],
    },
    Opcode {
        name: "brev",
        section: "9.7.1.18",
        operands: "d, a",
        summary: "Reverses the bits.",
        forms: &[
            lanes!(".b32", unary(u32) -> u32, u32::reverse_bits),
            lanes!(".b64", unary(u64) -> u64, u64::reverse_bits),
        ],
    },
    Opcode {
        name: "bfe",
        section: "9.7.1.19",
        operands: "d, a, b, c",
        summary: "Extracts a field: c bits from bit b on, zero- or sign-extended.",
        forms: &[
            lanes!(".u32", ternary(u32, u32, u32) -> u32, |a: u32, b, c| {
                extract_field(a as u64, 32, b & 0xff, c & 0xff, false) as u32
            }),
            lanes!(".s32", ternary(u32, u32, u32) -> u32, |a: u32, b, c| {
                let (a, b, c) = (a as u64, b & 0xff, c & 0xff);
                extract_field(a, 32, b, c, field_sign(a, 32, b, c)) as u32
            }),
            lanes!(".u64", ternary(u64, u32, u32) -> u64, |a, b, c| {
                extract_field(a, 64, b, c, false)
            }),
            lanes!(".s64", ternary(u64, u32, u32) -> u64, |a, b, c| {
                extract_field(a, 64, b, c, field_sign(a, 64, b, c))
            }),
        ],
    },
    Opcode {
        name: "bfi",
        section: "9.7.1.20",
        operands: "f, a, b, c, d",
        summary: "Puts the low d bits of a into b, from bit c on.",
        forms: &[
            lanes!(".b32", quaternary(u32, u32, u32, u32) -> u32, |a: u32, b: u32, c, d| {
                insert_field(a as u64, b as u64, c & 0xff, d & 0xff) as u32
            }),
            lanes!(".b64", quaternary(u64, u64, u32, u32) -> u64, insert_field),
        ],
    },
    Opcode {
        name: "szext",
        section: "9.7.1.21",
        operands: "d, a, b",
        summary: "Zero- or sign-extends the low b bits.",
        forms: &[
            lanes!(".clamp.u32", binary(u32, u32) -> u32, keep_low),
            lanes!(".clamp.s32", binary(i32, u32) -> i32, keep_low_signed),
            lanes!(".wrap.u32", binary(u32, u32) -> u32, |a, b| keep_low(a, b & 31)),
            lanes!(".wrap.s32", binary(i32, u32) -> i32, |a, b| keep_low_signed(a, b & 31)),
        ],
    },
    Opcode {
        name: "bmsk",
        section: "9.7.1.22",
        operands: "d, a, b",
        summary: "A mask of b ones from bit a on.",
        forms: &[
            lanes!(".clamp.b32", binary(u32, u32) -> u32, bit_mask_clamp),
            lanes!(".wrap.b32", binary(u32, u32) -> u32, |a, b| bit_mask_clamp(a & 31, b & 31)),
        ],
    },
];
