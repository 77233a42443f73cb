//! Extended-precision arithmetic: the carry flag `CC.CF` (PTX ISA 9.7.2). Bit-exact.
//!
//! The flag is one hidden predicate of the function, read by `addc`, `subc` and `madc`, written
//! where the text says `.cc`. As on an H200, subtraction adds the complement: *no* borrow sets the
//! flag, and `subc` subtracts one more where it is clear. The ISA words it the other way round;
//! chains of `sub.cc` and `subc` cannot tell, and programs that mix additions and subtractions in
//! one chain do here what they do on hardware.

use super::row::{Opcode, lane_form};
use super::scalar::integers::Integer;
use crate::lanes::carrying;

/// a + b + carry, and whether that overflowed.
macro_rules! sum {
    ($a:expr, $b:expr, $carry:expr) => {{
        let (sum, first) = $a.overflowing_add($b);
        let (sum, second) = sum.overflowing_add($carry as _);
        (sum, first | second)
    }};
}

/// A form of `add` and `sub`: it may write the flag, read it, or both; one that does not read it
/// starts from `$first`.
macro_rules! carry2 {
    ($pattern:expr, $ty:ty, writes, $first:expr, $f:expr) => {
        lane_form!($pattern, [D(<$ty>), A(<$ty>), B(<$ty>), CarryOut], |r, o, m| {
            carrying::<$ty>(r, o, m, false, true, |a, b, _, _| $f(a, b, $first))
        })
    };
    ($pattern:expr, $ty:ty, reads, $f:expr) => {
        lane_form!($pattern, [D(<$ty>), A(<$ty>), B(<$ty>), CarryIn], |r, o, m| {
            carrying::<$ty>(r, o, m, true, false, |a, b, _, carry| $f(a, b, carry))
        })
    };
    ($pattern:expr, $ty:ty, both, $f:expr) => {
        lane_form!($pattern, [D(<$ty>), A(<$ty>), B(<$ty>), CarryIn, CarryOut], |r, o, m| {
            carrying::<$ty>(r, o, m, true, true, |a, b, _, carry| $f(a, b, carry))
        })
    };
}

/// A form of `mad`: the flag as in `carry2`; `$product` is the half that c is added to.
macro_rules! carry3 {
    ($pattern:expr, $ty:ty, writes, $product:expr) => {
        lane_form!($pattern, [D(<$ty>), A(<$ty>), B(<$ty>), C(<$ty>), CarryOut], |r, o, m| {
            // The carry out is that of the unsigned sum, also for signed types.
            carrying::<$ty>(r, o, m, false, true, |a, b, c, _| sum!($product(a, b), c, false))
        })
    };
    ($pattern:expr, $ty:ty, reads, $product:expr) => {
        lane_form!($pattern, [D(<$ty>), A(<$ty>), B(<$ty>), C(<$ty>), CarryIn], |r, o, m| {
            carrying::<$ty>(r, o, m, true, false, |a, b, c, k| sum!($product(a, b), c, k))
        })
    };
    ($pattern:expr, $ty:ty, both, $product:expr) => {
        lane_form!(
            $pattern, [D(<$ty>), A(<$ty>), B(<$ty>), C(<$ty>), CarryIn, CarryOut], |r, o, m| {
                carrying::<$ty>(r, o, m, true, true, |a, b, c, k| sum!($product(a, b), c, k))
            })
    };
}

fn add_32(a: u32, b: u32, carry: bool) -> (u32, bool) {
    sum!(a, b, carry)
}

fn add_64(a: u64, b: u64, carry: bool) -> (u64, bool) {
    sum!(a, b, carry)
}

fn sub_32(a: u32, b: u32, carry: bool) -> (u32, bool) {
    sum!(a, !b, carry)
}

fn sub_64(a: u64, b: u64, carry: bool) -> (u64, bool) {
    sum!(a, !b, carry)
}

/// The upper half of the signed product, as bits.
fn high_signed_32(a: u32, b: u32) -> u32 {
    (a as i32).high_product(b as i32) as u32
}

/// The upper half of the signed product, as bits.
fn high_signed_64(a: u64, b: u64) -> u64 {
    (a as i64).high_product(b as i64) as u64
}

/// The family's rows.
pub(super) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "add",
        section: "9.7.2.1",
        operands: "d, a, b",
        summary: "Adds two values and writes the carry.",
        needs: &[],
        forms: &[
            carry2!(".cc(.u32|.s32)", u32, writes, false, add_32),
            carry2!(".cc(.u64|.s64)", u64, writes, false, add_64),
        ],
    },
    Opcode {
        name: "addc",
        section: "9.7.2.2",
        operands: "d, a, b",
        summary: "Adds two values and the carry.",
        needs: &[],
        forms: &[
            carry2!("(.u32|.s32)", u32, reads, add_32),
            carry2!("(.u64|.s64)", u64, reads, add_64),
            carry2!(".cc(.u32|.s32)", u32, both, add_32),
            carry2!(".cc(.u64|.s64)", u64, both, add_64),
        ],
    },
    Opcode {
        name: "sub",
        section: "9.7.2.3",
        operands: "d, a, b",
        summary: "Subtracts one value from another and writes whether it did not borrow.",
        needs: &[],
        forms: &[
            carry2!(".cc(.u32|.s32)", u32, writes, true, sub_32),
            carry2!(".cc(.u64|.s64)", u64, writes, true, sub_64),
        ],
    },
    Opcode {
        name: "subc",
        section: "9.7.2.4",
        operands: "d, a, b",
        summary: "Subtracts one value from another, and one more where the flag is clear.",
        needs: &[],
        forms: &[
            carry2!("(.u32|.s32)", u32, reads, sub_32),
            carry2!("(.u64|.s64)", u64, reads, sub_64),
            carry2!(".cc(.u32|.s32)", u32, both, sub_32),
            carry2!(".cc(.u64|.s64)", u64, both, sub_64),
        ],
    },
    Opcode {
        name: "mad",
        section: "9.7.2.5",
        operands: "d, a, b, c",
        summary: "Multiplies, adds to half of the product and writes the carry.",
        needs: &[],
        forms: &[
            carry3!(".lo.cc(.u32|.s32)", u32, writes, u32::wrapping_mul),
            carry3!(".lo.cc(.u64|.s64)", u64, writes, u64::wrapping_mul),
            carry3!(".hi.cc.u32", u32, writes, u32::high_product),
            carry3!(".hi.cc.s32", u32, writes, high_signed_32),
            carry3!(".hi.cc.u64", u64, writes, u64::high_product),
            carry3!(".hi.cc.s64", u64, writes, high_signed_64),
        ],
    },
    Opcode {
        name: "madc",
        section: "9.7.2.6",
        operands: "d, a, b, c",
        summary: "Multiplies, and adds a value and the carry to half of the product.",
        needs: &[],
        forms: &[
            carry3!(".lo(.u32|.s32)", u32, reads, u32::wrapping_mul),
            carry3!(".lo(.u64|.s64)", u64, reads, u64::wrapping_mul),
            carry3!(".hi.u32", u32, reads, u32::high_product),
            carry3!(".hi.s32", u32, reads, high_signed_32),
            carry3!(".hi.u64", u64, reads, u64::high_product),
            carry3!(".hi.s64", u64, reads, high_signed_64),
            carry3!(".lo.cc(.u32|.s32)", u32, both, u32::wrapping_mul),
            carry3!(".lo.cc(.u64|.s64)", u64, both, u64::wrapping_mul),
            carry3!(".hi.cc.u32", u32, both, u32::high_product),
            carry3!(".hi.cc.s32", u32, both, high_signed_32),
            carry3!(".hi.cc.u64", u64, both, u64::high_product),
            carry3!(".hi.cc.s64", u64, both, high_signed_64),
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
