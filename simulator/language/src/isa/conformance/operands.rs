//! The operands that forms are run on: edge cases of each type in many combinations, and random
//! values. A pure function of the form's operand types.

use super::harness::bits;
use crate::ptx::Type;

/// How many sets of operands there are.
pub(crate) const SETS: usize = 1024;

/// Sources for which there are words: three operands, and one more that also holds the carry.
pub(crate) const SOURCES: usize = 4;

const F32: &[u32] = &[
    0x0000_0000,
    0x0000_0001,
    0x0000_0002,
    0x007f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x3f80_0000,
    0x3f7f_ffff,
    0x3f80_0001,
    0x4000_0000,
    0x3f00_0000,
    0x3eff_ffff,
    0x3f00_0001,
    0x4049_0fdb,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7f80_0001,
    0x7fc0_0000,
    0x7fff_ffff,
    0x7fa1_2345,
    0x4f00_0000,
    0x4eff_ffff,
    0x4f80_0000,
    0x5f00_0000,
    0x5f80_0000,
    0x3fc0_0000,
    0x4020_0000,
    0x42c8_0000,
    0x0040_0000,
    0x3380_0000,
    0x3400_0000,
    0x7e80_0000,
    0x1f80_0000,
    0x2000_0000,
    0x5eff_ffff,
    0x4300_0000,
    0x42ff_0000,
    0x477f_e000,
    0x477f_efff,
    0x477f_f000,
    0x387f_ffff,
    0x3300_0000,
];

const F64: &[u64] = &[
    0x0000_0000_0000_0000,
    0x0000_0000_0000_0001,
    0x000f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x0010_0000_0000_0001,
    0x3ff0_0000_0000_0000,
    0x3fef_ffff_ffff_ffff,
    0x3ff0_0000_0000_0001,
    0x4000_0000_0000_0000,
    0x3fe0_0000_0000_0000,
    0x3fdf_ffff_ffff_ffff,
    0x4009_21fb_5444_2d18,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0x7ff0_0000_0000_0001,
    0x7ff8_0000_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x7ff4_1234_5678_9abc,
    0x7ff8_1234_5678_9abc,
    0x41e0_0000_0000_0000,
    0x41df_ffff_ffc0_0000,
    0x41df_ffff_ffe0_0000,
    0x41f0_0000_0000_0000,
    0x43e0_0000_0000_0000,
    0x43f0_0000_0000_0000,
    0x3ff8_0000_0000_0000,
    0x4004_0000_0000_0000,
    0x47ef_ffff_e000_0000,
    0x47ef_ffff_efff_ffff,
    0x47ef_ffff_f000_0000,
    0x380f_ffff_ffff_ffff,
    0x380f_ffff_e000_0000,
    0x3810_0000_0000_0000,
    0x36a0_0000_0000_0000,
    0x3690_0000_0000_0000,
    0x3690_0000_0000_0001,
    0x5fe0_0000_0000_0000,
    0x2000_0000_0000_0000,
    0x40ef_fc00_0000_0000,
    0x40ef_fdff_ffff_ffff,
    0x40ef_fe00_0000_0000,
    0x3ff0_0100_0000_0000,
    0x3ff0_0100_0000_0001,
    0x3f0f_ffff_ffff_ffff,
];

const F16: &[u16] = &[
    0x0000, 0x0001, 0x0002, 0x03ff, 0x0400, 0x0401, 0x3c00, 0x3bff, 0x3c01, 0x4000, 0x3800, 0x37ff,
    0x7bff, 0x7c00, 0x7c01, 0x7e00, 0x7fff, 0x7ff7, 0x3e00, 0x4100, 0x0200, 0x7800, 0x5800, 0x4248,
];

const BF16: &[u16] = &[
    0x0000, 0x0001, 0x0002, 0x007f, 0x0080, 0x0081, 0x3f80, 0x3f7f, 0x3f81, 0x4000, 0x3f00, 0x3eff,
    0x7f7f, 0x7f80, 0x7f81, 0x7fc0, 0x7fff, 0x7ff7, 0x3fc0, 0x4020, 0x0040, 0x7f00, 0x4f00, 0x4049,
    0x5f00,
];

const INTEGERS: &[u64] = &[
    0,
    1,
    2,
    3,
    5,
    7,
    8,
    15,
    16,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0xff_ffff,
    0x80_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0xffff_8000,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xdead_beef_cafe_babe,
    0x0123_4567_89ab_cdef,
];

/// The edge cases of a type, each also negated.
fn edges(ty: Type) -> Vec<u64> {
    let halves = |list: &[u16]| -> Vec<u64> {
        list.iter().flat_map(|b| [*b as u64, (*b ^ 0x8000) as u64]).collect()
    };
    let pairs = |list: Vec<u64>| -> Vec<u64> {
        let upper = |i: usize| list[(i * 7 + 3) % list.len()];
        list.iter().enumerate().map(|(i, lower)| lower | upper(i) << 16).collect()
    };
    match ty {
        Type::F32 => F32.iter().flat_map(|b| [*b as u64, (*b ^ 1 << 31) as u64]).collect(),
        Type::F64 => F64.iter().flat_map(|b| [*b, *b ^ 1 << 63]).collect(),
        Type::F16 => halves(F16),
        Type::Bf16 => halves(BF16),
        Type::F16x2 => pairs(halves(F16)),
        Type::Bf16x2 => pairs(halves(BF16)),
        Type::Pred => vec![0, 1],
        _ => INTEGERS.iter().flat_map(|i| [*i, i.wrapping_neg()]).collect(),
    }
}

/// A number that looks random.
fn scramble(x: usize) -> u64 {
    let z = (x as u64).wrapping_add(0x9e37_79b9_7f4a_7c15).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A random value: floats mostly of moderate size, integers of any length.
fn random(ty: Type, r: u64, moderate: bool) -> u64 {
    match ty {
        Type::F32 if moderate => r & 0x807f_ffff | (100 + (r >> 32) % 56) << 23,
        Type::F64 if moderate => r & 0x800f_ffff_ffff_ffff | (990 + (r >> 52) % 66) << 52,
        Type::U64 | Type::S64 => r >> (r % 64),
        Type::U32 | Type::S32 => (r >> 32) >> (r % 32),
        _ => r,
    }
}

/// The words of all sources of a form: edge cases in five sets of eight, combined in steps that
/// visit all pairs, and random values in the others, every eighth with c near -a*b.
pub(crate) fn operands(types: &[Type]) -> [Vec<u64>; SOURCES] {
    let edges: Vec<_> = types.iter().map(|ty| edges(*ty)).collect();
    let mut words: [Vec<u64>; SOURCES] = Default::default();
    for set in 0..SETS {
        let step = (set / 8 * 5 + set % 8) * 7919;
        for (source, words) in words.iter_mut().enumerate() {
            let r = scramble(set * SOURCES + source);
            let word = match types.get(source) {
                None => r,
                Some(_) if types.len() == 1 && set < edges[0].len() => edges[0][set],
                Some(ty) if set % 8 >= 5 => random(*ty, r, set % 8 > 5),
                Some(_) => {
                    let choices = &edges[source];
                    let choice = match source {
                        0 => step,
                        1 => step / edges[0].len(),
                        _ => (r >> 32) as usize,
                    };
                    choices[choice % choices.len()]
                }
            };
            words.push(word);
        }
        if set % 8 == 7 {
            cancel(types, &mut words, set);
        }
    }
    words
}

/// Makes c of a set the negated product of a and b, so that a fused operation nearly cancels.
fn cancel(types: &[Type], words: &mut [Vec<u64>; SOURCES], set: usize) {
    let (a, b) = (words[0][set], words[1][set]);
    match types {
        [Type::F32, Type::F32, Type::F32] => {
            let product = f32::from_bits(a as u32) * f32::from_bits(b as u32);
            words[2][set] = (-product).to_bits() as u64;
        }
        [Type::F64, Type::F64, Type::F64] => {
            words[2][set] = (-(f64::from_bits(a) * f64::from_bits(b))).to_bits();
        }
        _ => {}
    }
}

/// The size of the register that holds a type: of integers that may be wider, 32 bits at least.
pub(super) fn register_bits(ty: Type, wide: bool) -> u32 {
    match bits(ty) {
        1 => 1,
        64 => 64,
        8 | 16 if !wide => 16,
        _ => 32,
    }
}
