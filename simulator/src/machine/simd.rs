//! The one module with unsafe code: `fma` loops compiled for processors that have the instruction.
//!
//! Plain x86-64 has no fused multiply-add, so `f64::mul_add` calls the C library for each lane.
//! Where the processor has AVX2 and FMA, found once at run time, the loops here use them; elsewhere
//! the portable loops run. Both give the same bits.
#![allow(unsafe_code, reason = "calls of functions compiled for detected processor features")]

use super::registers::LANES;

/// A lane loop over three operands.
type Loop3<W> = fn(&[W; LANES], &[W; LANES], &[W; LANES]) -> [W; LANES];

/// The fused loops, chosen once for this processor.
struct Fused {
    f32: Loop3<u32>,
    f64: Loop3<u64>,
}

const PORTABLE: Fused = Fused { f32: portable_f32, f64: portable_f64 };

/// `a * b + c` rounded once, of f32 bits; NaN results are of any kind.
pub(super) fn fused_f32(a: &[u32; LANES], b: &[u32; LANES], c: &[u32; LANES]) -> [u32; LANES] {
    (fused().f32)(a, b, c)
}

/// `a * b + c` rounded once, of f64 bits; NaN results are of any kind.
pub(super) fn fused_f64(a: &[u64; LANES], b: &[u64; LANES], c: &[u64; LANES]) -> [u64; LANES] {
    (fused().f64)(a, b, c)
}

fn fused() -> &'static Fused {
    static FUSED: std::sync::OnceLock<Fused> = std::sync::OnceLock::new();
    FUSED.get_or_init(detect)
}

#[cfg(target_arch = "x86_64")]
fn detect() -> Fused {
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        Fused {
            // SAFETY: the function's only requirement is a processor with AVX2 and FMA, checked
            // above.
            f32: |a, b, c| unsafe { x86_f32(a, b, c) },
            // SAFETY: as above.
            f64: |a, b, c| unsafe { x86_f64(a, b, c) },
        }
    } else {
        PORTABLE
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn detect() -> Fused {
    PORTABLE
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn x86_f32(a: &[u32; LANES], b: &[u32; LANES], c: &[u32; LANES]) -> [u32; LANES] {
    std::array::from_fn(|i| {
        f32::from_bits(a[i]).mul_add(f32::from_bits(b[i]), f32::from_bits(c[i])).to_bits()
    })
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn x86_f64(a: &[u64; LANES], b: &[u64; LANES], c: &[u64; LANES]) -> [u64; LANES] {
    std::array::from_fn(|i| {
        f64::from_bits(a[i]).mul_add(f64::from_bits(b[i]), f64::from_bits(c[i])).to_bits()
    })
}

/// f32 by way of f64: the product is exact there, and the sum is rounded to odd first.
fn portable_f32(a: &[u32; LANES], b: &[u32; LANES], c: &[u32; LANES]) -> [u32; LANES] {
    std::array::from_fn(|i| {
        let product = f32::from_bits(a[i]) as f64 * f32::from_bits(b[i]) as f64;
        let sum = crate::isa::scalar::rounding::odd_sum(product, f32::from_bits(c[i]) as f64);
        (sum as f32).to_bits()
    })
}

fn portable_f64(a: &[u64; LANES], b: &[u64; LANES], c: &[u64; LANES]) -> [u64; LANES] {
    std::array::from_fn(|i| {
        f64::from_bits(a[i]).mul_add(f64::from_bits(b[i]), f64::from_bits(c[i])).to_bits()
    })
}
