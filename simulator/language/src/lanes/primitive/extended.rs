//! Extended-precision arithmetic: the carry flag `CC.CF` (PTX ISA 9.7.2). Bit-exact.
//!
//! The flag is one hidden predicate of the function. `addc`, `subc` and `madc` read it, and
//! instructions with `.cc` write it. As on an H200, subtraction adds the complement: *no* borrow
//! sets the flag, and `subc` subtracts one more where it is clear. The ISA describes the opposite
//! flag. A chain of only `sub.cc` and `subc` has the same results with both. A chain that mixes
//! additions and subtractions gives here the results of hardware.

use super::define::{Definition, body, primitives};
use crate::lanes::carrying;
use crate::lanes::scalar::integers::Integer;

/// a + b + carry, and whether that overflowed.
macro_rules! sum {
    ($a:expr, $b:expr, $carry:expr) => {{
        let (sum, first) = $a.overflowing_add($b);
        let (sum, second) = sum.overflowing_add($carry as _);
        (sum, first | second)
    }};
}

/// `add` and `sub`: they may write the flag, read it, or both; one that does not read it starts
/// from `$first`.
macro_rules! carry2 {
    ($ty:ty, writes, $first:expr, $f:expr) => {
        body!([D(<$ty>), A(<$ty>), B(<$ty>), CarryOut], |r, o| {
            carrying::<$ty, _>(r, o, false, true, |a, b, _, _| $f(a, b, $first))
        })
    };
    ($ty:ty, reads, $f:expr) => {
        body!([D(<$ty>), A(<$ty>), B(<$ty>), CarryIn], |r, o| {
            carrying::<$ty, _>(r, o, true, false, |a, b, _, carry| $f(a, b, carry))
        })
    };
    ($ty:ty, both, $f:expr) => {
        body!([D(<$ty>), A(<$ty>), B(<$ty>), CarryIn, CarryOut], |r, o| {
            carrying::<$ty, _>(r, o, true, true, |a, b, _, carry| $f(a, b, carry))
        })
    };
}

/// `mad`: the flag as in `carry2`; `$product` is the half that c is added to. The carry out comes
/// from the unsigned sum, also for signed types.
macro_rules! carry3 {
    ($ty:ty, writes, $product:expr) => {
        body!([D(<$ty>), A(<$ty>), B(<$ty>), C(<$ty>), CarryOut], |r, o| {
            carrying::<$ty, _>(r, o, false, true, |a, b, c, _| sum!($product(a, b), c, false))
        })
    };
    ($ty:ty, reads, $product:expr) => {
        body!([D(<$ty>), A(<$ty>), B(<$ty>), C(<$ty>), CarryIn], |r, o| {
            carrying::<$ty, _>(r, o, true, false, |a, b, c, k| sum!($product(a, b), c, k))
        })
    };
    ($ty:ty, both, $product:expr) => {
        body!([D(<$ty>), A(<$ty>), B(<$ty>), C(<$ty>), CarryIn, CarryOut], |r, o| {
            carrying::<$ty, _>(r, o, true, true, |a, b, c, k| sum!($product(a, b), c, k))
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

/// `.sat`: a sum of signed numbers and the carry, within their range.
fn saturated(terms: [i32; 2], carry: bool) -> i32 {
    let sum = terms.map(i64::from).iter().sum::<i64>() + i64::from(carry);
    sum.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

primitives! {
    /// Arithmetic with the carry flag: `Cc` writes it, `Addc`, `Subc` and `Madc` read it.
    pub enum Extended {
        AddCcU32 = carry2!(u32, writes, false, add_32);
        AddCcU64 = carry2!(u64, writes, false, add_64);
        AddcU32 = carry2!(u32, reads, add_32);
        AddcU64 = carry2!(u64, reads, add_64);
        AddcCcU32 = carry2!(u32, both, add_32);
        AddcCcU64 = carry2!(u64, both, add_64);
        SubCcU32 = carry2!(u32, writes, true, sub_32);
        SubCcU64 = carry2!(u64, writes, true, sub_64);
        SubcU32 = carry2!(u32, reads, sub_32);
        SubcU64 = carry2!(u64, reads, sub_64);
        SubcCcU32 = carry2!(u32, both, sub_32);
        SubcCcU64 = carry2!(u64, both, sub_64);
        MadLoCcU32 = carry3!(u32, writes, u32::wrapping_mul);
        MadLoCcU64 = carry3!(u64, writes, u64::wrapping_mul);
        MadHiCcU32 = carry3!(u32, writes, u32::high_product);
        MadHiCcS32 = carry3!(u32, writes, high_signed_32);
        MadHiCcU64 = carry3!(u64, writes, u64::high_product);
        MadHiCcS64 = carry3!(u64, writes, high_signed_64);
        MadcLoU32 = carry3!(u32, reads, u32::wrapping_mul);
        MadcLoU64 = carry3!(u64, reads, u64::wrapping_mul);
        MadcHiU32 = carry3!(u32, reads, u32::high_product);
        MadcHiS32 = carry3!(u32, reads, high_signed_32);
        MadcHiU64 = carry3!(u64, reads, u64::high_product);
        MadcHiS64 = carry3!(u64, reads, high_signed_64);
        MadcLoCcU32 = carry3!(u32, both, u32::wrapping_mul);
        MadcLoCcU64 = carry3!(u64, both, u64::wrapping_mul);
        MadcHiCcU32 = carry3!(u32, both, u32::high_product);
        MadcHiCcS32 = carry3!(u32, both, high_signed_32);
        MadcHiCcU64 = carry3!(u64, both, u64::high_product);
        MadcHiCcS64 = carry3!(u64, both, high_signed_64);
        AddcSatS32 = carry2!(i32, reads, |a, b, carry| (saturated([a, b], carry), false));
        SubcSatS32 = carry2!(i32, reads, |a, b: i32, carry| (saturated([a, !b], carry), false));
        MadcHiSatS32 = body!([D(<i32>), A(<i32>), B(<i32>), C(<i32>), CarryIn], |r, o| {
            carrying::<i32, _>(r, o, true, false, |a, b, c, carry| {
                (saturated([a.high_product(b), c], carry), false)
            })
        });
    }
}
