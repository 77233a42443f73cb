//! `a * b + c` of all lanes, rounded once.
//!
//! Plain x86-64 has no fused multiply-add, so `f64::mul_add` calls the C library for each lane, and
//! f32 goes by way of f64. Code compiled for a tier that has the instruction uses it (`FUSED`).
//! Both give the same bits, except for which NaN it is.

use crate::lanes::LANES;

/// `a * b + c` rounded once, of f32 bits; NaN results are of any kind.
#[inline(always)]
pub(in crate::lanes) fn fused_f32<const FUSED: bool>(
    a: &[u32; LANES],
    b: &[u32; LANES],
    c: &[u32; LANES],
) -> [u32; LANES] {
    if !FUSED {
        return portable_f32(a, b, c);
    }
    let mut out = [0; LANES];
    for i in 0..LANES {
        let [a, b, c] = [a[i], b[i], c[i]].map(f32::from_bits);
        out[i] = a.mul_add(b, c).to_bits();
    }
    out
}

/// `a * b + c` rounded once, of f64 bits; NaN results are of any kind.
#[inline(always)]
pub(in crate::lanes) fn fused_f64<const FUSED: bool>(
    a: &[u64; LANES],
    b: &[u64; LANES],
    c: &[u64; LANES],
) -> [u64; LANES] {
    if !FUSED {
        return portable_f64(a, b, c);
    }
    let mut out = [0; LANES];
    for i in 0..LANES {
        let [a, b, c] = [a[i], b[i], c[i]].map(f64::from_bits);
        out[i] = a.mul_add(b, c).to_bits();
    }
    out
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
            for (fast, slow) in fused_f32::<true>(&a, &b, &c).iter().zip(portable_f32(&a, &b, &c)) {
                let both_nan = f32::from_bits(*fast).is_nan() && f32::from_bits(slow).is_nan();
                assert!(*fast == slow || both_nan, "{fast:x} {slow:x}");
            }
            let [a, b, c]: [[u64; LANES]; 3] =
                [(); 3].map(|()| [(); LANES].map(|()| bits(&mut state, &F64)));
            for (fast, slow) in fused_f64::<true>(&a, &b, &c).iter().zip(portable_f64(&a, &b, &c)) {
                let both_nan = f64::from_bits(*fast).is_nan() && f64::from_bits(slow).is_nan();
                assert!(*fast == slow || both_nan, "{fast:x} {slow:x}");
            }
        }
    }

    #[test]
    fn a_product_is_not_rounded_before_the_sum() {
        // (1 + 2^-23)^2 - (1 + 2^-22) is 2^-46; a rounded product would give 0.
        let [a, c] = [0x3f80_0001, 0xbf80_0002].map(|bits| [bits; LANES]);
        for result in [fused_f32::<true>(&a, &a, &c), portable_f32(&a, &a, &c)] {
            assert_eq!(result, [0x2880_0000; LANES]);
        }
    }
}
