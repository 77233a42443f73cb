//! Arithmetic of f32 pairs (PTX ISA 9.7.3.3 to 9.7.3.6) and of f32 with half-precision operands
//! (9.7.5).
//!
//! Bit-exact by the rules of [`crate::lanes::scalar::float`]: each half of a pair is a f32
//! operation, and a half-precision operand is a f32.

use half::{bf16, f16};

use super::define::{Definition, body, primitives};
use crate::lanes::scalar::float;
use crate::lanes::scalar::halves::Half as _;
use crate::lanes::{Flags, binary, ternary};

/// The lower and the upper value of a pair.
#[inline(always)]
fn unpack(pair: u64) -> [f32; 2] {
    [f32::from_bits(pair as u32), f32::from_bits((pair >> 32) as u32)]
}

/// The pair of two values.
#[inline(always)]
fn pack(lower: f32, upper: f32) -> u64 {
    lower.to_bits() as u64 | (upper.to_bits() as u64) << 32
}

/// A f32 operation on both halves of two pairs.
#[inline(always)]
fn pairs2(f: impl Fn(Flags, f32, f32) -> f32, flags: Flags, a: u64, b: u64) -> u64 {
    let ([a0, a1], [b0, b1]) = (unpack(a), unpack(b));
    pack(f(flags, a0, b0), f(flags, a1, b1))
}

/// `fma` on both halves of three pairs.
#[inline(always)]
fn fma_pairs(flags: Flags, a: u64, b: u64, c: u64) -> u64 {
    let ([a0, a1], [b0, b1], [c0, c1]) = (unpack(a), unpack(b), unpack(c));
    pack(float::fma_f32(flags, a0, b0, c0), float::fma_f32(flags, a1, b1, c1))
}

/// A loop without modifiers, and one with any: in the first nothing asks for them.
macro_rules! plain_or {
    ($given:expr, |$flags:ident| $loop:expr) => {
        if $given.is_plain() {
            let $flags = Flags::NONE;
            $loop
        } else {
            let $flags = $given;
            $loop
        }
    };
}

/// An operation on pairs of f32.
macro_rules! pairs2 {
    ($f:path) => {
        body!([D(<u64>), A(<u64>), B(<u64>)], |r, o| {
            plain_or!(o.flags, |flags| binary::<u64, u64, u64, _>(r, o, |a, b| {
                pairs2($f, flags, a, b)
            }))
        })
    };
}

/// A f32 operation whose first operand is a half.
macro_rules! with_half {
    ($half:ty, $f:path) => {
        body!([D(<f32>), A(<$half>), B(<f32>)], |r, o| {
            plain_or!(o.flags, |flags| binary::<$half, f32, f32, _>(r, o, |a: $half, c| {
                $f(flags, a.single(), c)
            }))
        })
    };
}

/// `fma` of f32 whose factors are halves.
macro_rules! fma_of_halves {
    ($half:ty) => {
        body!([D(<f32>), A(<$half>), B(<$half>), C(<f32>)], |r, o| {
            plain_or!(o.flags, |flags| {
                ternary::<$half, $half, f32, f32, _>(r, o, |a: $half, b: $half, c| {
                    float::fma_f32(flags, a.single(), b.single(), c)
                })
            })
        })
    };
}

primitives! {
    /// Arithmetic of f32 pairs, and of f32 with halves.
    pub enum Mixed {
        AddF32x2 = pairs2!(float::add_f32);
        SubF32x2 = pairs2!(float::sub_f32);
        MulF32x2 = pairs2!(float::mul_f32);
        FmaF32x2 = body!([D(<u64>), A(<u64>), B(<u64>), C(<u64>)], |r, o| {
            plain_or!(o.flags, |flags| ternary::<u64, u64, u64, u64, _>(r, o, |a, b, c| {
                fma_pairs(flags, a, b, c)
            }))
        });
        AddF32F16 = with_half!(f16, float::add_f32);
        AddF32Bf16 = with_half!(bf16, float::add_f32);
        SubF32F16 = with_half!(f16, float::sub_f32);
        SubF32Bf16 = with_half!(bf16, float::sub_f32);
        FmaF32F16 = fma_of_halves!(f16);
        FmaF32Bf16 = fma_of_halves!(bf16);
    }
}
