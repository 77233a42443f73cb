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
        let sum = crate::lanes::scalar::rounding::odd_sum(product, f32::from_bits(c[i]) as f64);
        (sum as f32).to_bits()
    })
}

fn portable_f64(a: &[u64; LANES], b: &[u64; LANES], c: &[u64; LANES]) -> [u64; LANES] {
    std::array::from_fn(|i| {
        f64::from_bits(a[i]).mul_add(f64::from_bits(b[i]), f64::from_bits(c[i])).to_bits()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A generator of bits that look random, for edge cases in one value of three.
    fn bits(state: &mut u64, edges: &[u64]) -> u64 {
        *state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        let word = *state ^ *state >> 29;
        if word >> 40 & 3 == 0 { edges[(word >> 50) as usize % edges.len()] } else { word }
    }

    #[test]
    fn the_fused_loops_give_the_bits_of_the_portable_ones() {
        const F32: [u64; 10] = [
            0,
            1 << 31,
            1,
            0x7f_ffff,
            0x80_0000,
            0x3f80_0000,
            0x3f80_0001,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7fc0_0000,
        ];
        const F64: [u64; 9] = [
            0,
            1 << 63,
            1,
            0xf_ffff_ffff_ffff,
            0x10_0000_0000_0000,
            0x3ff0_0000_0000_0001,
            0x7fef_ffff_ffff_ffff,
            0x7ff0_0000_0000_0000,
            0x7ff8_0000_0000_0000,
        ];
        let mut state = 1;
        for _ in 0..20_000 {
            let [a, b, c]: [[u32; LANES]; 3] =
                [(); 3].map(|()| [(); LANES].map(|()| bits(&mut state, &F32) as u32));
            for (fast, slow) in fused_f32(&a, &b, &c).iter().zip(portable_f32(&a, &b, &c)) {
                let both_nan = f32::from_bits(*fast).is_nan() && f32::from_bits(slow).is_nan();
                assert!(*fast == slow || both_nan, "{fast:x} {slow:x}");
            }
            let [a, b, c]: [[u64; LANES]; 3] =
                [(); 3].map(|()| [(); LANES].map(|()| bits(&mut state, &F64)));
            for (fast, slow) in fused_f64(&a, &b, &c).iter().zip(portable_f64(&a, &b, &c)) {
                let both_nan = f64::from_bits(*fast).is_nan() && f64::from_bits(slow).is_nan();
                assert!(*fast == slow || both_nan, "{fast:x} {slow:x}");
            }
        }
    }

    #[test]
    fn a_product_is_not_rounded_before_the_sum() {
        // (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46; a rounded product would give 0.
        let [a, c] = [0x3f80_0001, 0xbf80_0002].map(|bits| [bits; LANES]);
        for result in [fused_f32(&a, &a, &c), portable_f32(&a, &a, &c)] {
            assert_eq!(result, [0x2880_0000; LANES]);
        }
    }
}
