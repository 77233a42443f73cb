//! Extended-precision arithmetic: the carry flag `CC.CF` (PTX ISA 9.7.2). Bit-exact.
//!
//! The flag is one hidden predicate of the function. `addc`, `subc` and `madc` read it, and
//! instructions with `.cc` write it. As on an H200, subtraction adds the complement: *no* borrow
//! sets the flag, and `subc` subtracts one more where it is clear. The ISA describes the opposite
//! flag. A chain of only `sub.cc` and `subc` has the same results with both. A chain that mixes
//! additions and subtractions gives here the results of hardware.

use crate::isa::row::{Opcode, lanes};
use crate::lanes::primitive::Extended;

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "add",
        section: "9.7.2.1",
        operands: "d, a, b",
        summary: "Adds two values and writes the carry.",
        needs: &[],
        forms: &[
            lanes!(".cc(.u32|.s32)", Extended::AddCcU32),
            lanes!(".cc(.u64|.s64)", Extended::AddCcU64),
        ],
    },
    Opcode {
        name: "addc",
        section: "9.7.2.2",
        operands: "d, a, b",
        summary: "Adds two values and the carry.",
        needs: &[],
        forms: &[
            lanes!("(.u32|.s32)", Extended::AddcU32),
            lanes!("(.u64|.s64)", Extended::AddcU64),
            lanes!(".cc(.u32|.s32)", Extended::AddcCcU32),
            lanes!(".cc(.u64|.s64)", Extended::AddcCcU64),
            lanes!(".sat.s32", Extended::AddcSatS32),
        ],
    },
    Opcode {
        name: "sub",
        section: "9.7.2.3",
        operands: "d, a, b",
        summary: "Subtracts one value from another and writes whether it did not borrow.",
        needs: &[],
        forms: &[
            lanes!(".cc(.u32|.s32)", Extended::SubCcU32),
            lanes!(".cc(.u64|.s64)", Extended::SubCcU64),
        ],
    },
    Opcode {
        name: "subc",
        section: "9.7.2.4",
        operands: "d, a, b",
        summary: "Subtracts one value from another, and one more where the flag is clear.",
        needs: &[],
        forms: &[
            lanes!("(.u32|.s32)", Extended::SubcU32),
            lanes!("(.u64|.s64)", Extended::SubcU64),
            lanes!(".cc(.u32|.s32)", Extended::SubcCcU32),
            lanes!(".cc(.u64|.s64)", Extended::SubcCcU64),
            lanes!(".sat.s32", Extended::SubcSatS32),
        ],
    },
    Opcode {
        name: "mad",
        section: "9.7.2.5",
        operands: "d, a, b, c",
        summary: "Multiplies, adds to half of the product and writes the carry.",
        needs: &[],
        forms: &[
            lanes!(".lo.cc(.u32|.s32)", Extended::MadLoCcU32),
            lanes!(".lo.cc(.u64|.s64)", Extended::MadLoCcU64),
            lanes!(".hi.cc.u32", Extended::MadHiCcU32),
            lanes!(".hi.cc.s32", Extended::MadHiCcS32),
            lanes!(".hi.cc.u64", Extended::MadHiCcU64),
            lanes!(".hi.cc.s64", Extended::MadHiCcS64),
        ],
    },
    Opcode {
        name: "madc",
        section: "9.7.2.6",
        operands: "d, a, b, c",
        summary: "Multiplies, and adds a value and the carry to half of the product.",
        needs: &[],
        forms: &[
            lanes!(".lo(.u32|.s32)", Extended::MadcLoU32),
            lanes!(".lo(.u64|.s64)", Extended::MadcLoU64),
            lanes!(".hi.u32", Extended::MadcHiU32),
            lanes!(".hi.s32", Extended::MadcHiS32),
            lanes!(".hi.u64", Extended::MadcHiU64),
            lanes!(".hi.s64", Extended::MadcHiS64),
            lanes!(".lo.cc(.u32|.s32)", Extended::MadcLoCcU32),
            lanes!(".lo.cc(.u64|.s64)", Extended::MadcLoCcU64),
            lanes!(".hi.cc.u32", Extended::MadcHiCcU32),
            lanes!(".hi.cc.s32", Extended::MadcHiCcS32),
            lanes!(".hi.cc.u64", Extended::MadcHiCcU64),
            lanes!(".hi.cc.s64", Extended::MadcHiCcS64),
            lanes!(".hi.sat.s32", Extended::MadcHiSatS32),
        ],
    },
];

#[cfg(test)]
mod tests {
    use crate::isa::conformance::harness::{PLAIN, Results, Setting, form, run_form};
    use crate::lanes::{FULL, LANES, Mask};

    const VALUES: [u128; 7] = [
        0,
        1,
        u128::MAX,
        1 << 127,
        0xffff_ffff_ffff_ffff,
        0x0123_4567_89ab_cdef_fedc_ba98_7654_3210,
        0xffff_0000_ffff_0000_0000_ffff_0000_ffff,
    ];

    fn step(text: &str, sources: &[u64], carry: Mask) -> Results {
        let sources: Vec<_> = sources.iter().map(|s| [*s; LANES]).collect();
        run_form(form(text), &sources, Setting { carry, ..PLAIN })
    }

    /// Four 32-bit words, from the lowest.
    fn words(x: u128) -> [u64; 4] {
        std::array::from_fn(|i| (x >> (32 * i)) as u32 as u64)
    }

    /// A 128-bit result from a chain of four 32-bit instructions.
    fn chain(forms: [&str; 4], a: u128, b: u128) -> u128 {
        let (mut carry, mut result) = (0, 0);
        for (i, form) in forms.iter().enumerate() {
            let part = step(form, &[words(a)[i], words(b)[i]], carry);
            carry = part.d2;
            result |= (part.d[0] as u128) << (32 * i);
        }
        result
    }

    #[test]
    fn chains_of_words_add_and_subtract_128_bits() {
        for (a, b) in VALUES.iter().flat_map(|a| VALUES.iter().map(move |b| (*a, *b))) {
            let sum = chain(["add.cc.u32", "addc.cc.u32", "addc.cc.u32", "addc.u32"], a, b);
            assert_eq!(sum, a.wrapping_add(b));
            let forms = ["sub.cc.u32", "subc.cc.u32", "subc.cc.u32", "subc.u32"];
            assert_eq!(chain(forms, a, b), a.wrapping_sub(b));
        }
    }

    #[test]
    fn mad_chains_multiply_64_bit_words_into_128_bits() {
        for (a, b) in VALUES.iter().flat_map(|a| VALUES.iter().map(move |b| (*a, *b))) {
            let (a, b) = (a as u64, b as u64);
            let (c_low, c_high) = (a.rotate_left(17), b.rotate_left(29));
            let low = step("mad.lo.cc.u64", &[a, b, c_low], 0);
            let high = step("madc.hi.u64", &[a, b, c_high], low.d2);
            let expected =
                (a as u128 * b as u128).wrapping_add((c_high as u128) << 64 | c_low as u128);
            assert_eq!((high.d[0] as u128) << 64 | low.d[0] as u128, expected);
        }
    }

    #[test]
    fn signed_high_products_are_signed() {
        let high = step("madc.hi.s32", &[0xffff_ffff, 2, 0], 0);
        assert_eq!(high.d[0], 0xffff_ffff);
        assert_eq!(step("madc.hi.cc.s64", &[u64::MAX, 2, 1], FULL).d[0], 1);
    }

    #[test]
    fn a_subtraction_that_does_not_borrow_sets_the_flag() {
        assert_eq!(step("sub.cc.u32", &[5, 5], 0).d2, FULL);
        assert_eq!(step("sub.cc.u32", &[5, 6], 0).d2, 0);
        assert_eq!(step("subc.u32", &[5, 1], 0).d[0], 3);
        assert_eq!(step("subc.u32", &[5, 1], FULL).d[0], 4);
    }
}
