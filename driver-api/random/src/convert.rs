//! Numbers as floats in (0, 1], and normal ones (cuRAND guide, "Distributions").
//!
//! The last bits of normal numbers may differ from cuRAND's, because its functions are of another
//! library.

use std::f64::consts::TAU;

/// x * 2^-32 + 2^-33, rounded once.
pub(crate) fn uniform(x: u32) -> f32 {
    (x as f32).mul_add(2f32.powi(-32), 2f32.powi(-33))
}

/// The same of one number as a double, in (0, 1].
pub(crate) fn uniform_double(x: u32) -> f64 {
    f64::from(x).mul_add(2f64.powi(-32), 2f64.powi(-32))
}

/// The upper 53 of 64 bits.
pub(crate) fn uniform_of_long(x: u64) -> f64 {
    ((x >> 11) as f64).mul_add(2f64.powi(-53), 2f64.powi(-54))
}

/// 53 bits of two numbers.
pub(crate) fn uniform_of_two(x: u32, y: u32) -> f64 {
    ((u64::from(x) ^ (u64::from(y) << 21)) as f64).mul_add(2f64.powi(-53), 2f64.powi(-54))
}

/// The method of Box and Muller, sine first, of two uniform numbers (Annals of Mathematical
/// Statistics 29, 1958).
pub(crate) fn pair_of(u: f64, v: f64) -> [f64; 2] {
    let radius = (-2.0 * u.ln()).sqrt();
    // The angle from the nearest quarter of a turn, which is exact.
    let quarters = (4.0 * v).round();
    let (sine, cosine) = (TAU * (v - 0.25 * quarters)).sin_cos();
    let (sine, cosine) = match quarters as u8 % 4 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    };
    [radius * sine, radius * cosine]
}

/// The same in single precision, of an angle.
pub(crate) fn pair_of_floats(u: f32, angle: f32) -> [f32; 2] {
    let radius = (-2.0 * u.ln()).sqrt();
    let (sine, cosine) = angle.sin_cos();
    [radius * sine, radius * cosine]
}

/// The inverse of the normal distribution function, of a number and of the larger half mirrored.
pub(crate) fn normal(x: u32) -> f32 {
    let is_mirrored = x > 1 << 31;
    let p = f64::from(uniform(if is_mirrored { !x } else { x }));
    let normal = inverse_normal(p) as f32;
    if is_mirrored { -normal } else { normal }
}

pub(crate) fn normal_double(x: u32) -> f64 {
    let is_mirrored = x > 1 << 31;
    let p = f64::from(if is_mirrored { !x } else { x }).mul_add(2f64.powi(-32), 2f64.powi(-33));
    let normal = inverse_normal(p);
    if is_mirrored { -normal } else { normal }
}

pub(crate) fn normal_of_long(x: u64) -> f64 {
    let is_mirrored = x >> 11 > 1 << 52;
    let normal = inverse_normal(uniform_of_long(if is_mirrored { !x } else { x }));
    if is_mirrored { -normal } else { normal }
}

/// A quotient of polynomials, highest power first.
fn quotient(x: f64, above: [f64; 8], below: [f64; 8]) -> f64 {
    let value = |of: [f64; 8]| of.into_iter().fold(0.0, |sum, c| sum * x + c);
    value(above) / value(below)
}

/// The inverse of the normal distribution function (Wichura: "Algorithm AS 241: The Percentage
/// Points of the Normal Distribution", Applied Statistics 37, 1988, PPND16).
#[expect(clippy::excessive_precision, reason = "the digits are those of the paper")]
pub(crate) fn inverse_normal(p: f64) -> f64 {
    const MIDDLE: [[f64; 8]; 2] = [
        [
            2.509_080_928_730_122_672_7e3,
            3.343_057_558_358_812_810_5e4,
            6.726_577_092_700_870_085_3e4,
            4.592_195_393_154_987_145_7e4,
            1.373_169_376_550_946_112_5e4,
            1.971_590_950_306_551_442_7e3,
            1.331_416_678_917_843_774_5e2,
            3.387_132_872_796_366_608,
        ],
        [
            5.226_495_278_852_854_561e3,
            2.872_908_573_572_194_267_4e4,
            3.930_789_580_009_271_061e4,
            2.121_379_430_158_659_586_7e4,
            5.394_196_021_424_751_107_7e3,
            6.871_870_074_920_579_083e2,
            4.231_333_070_160_091_125_2e1,
            1.0,
        ],
    ];
    const TAIL: [[f64; 8]; 2] = [
        [
            7.745_450_142_783_414_076_4e-4,
            2.272_384_498_926_918_458_33e-2,
            2.417_807_251_774_506_117_7e-1,
            1.270_458_252_452_368_382_58,
            3.647_848_324_763_204_605_04,
            5.769_497_221_460_691_405_5,
            4.630_337_846_156_545_295_9,
            1.423_437_110_749_683_577_34,
        ],
        [
            1.050_750_071_644_416_843_24e-9,
            5.475_938_084_995_344_946e-4,
            1.519_866_656_361_645_719_66e-2,
            1.481_039_764_274_800_745_9e-1,
            6.897_673_349_851_000_045_5e-1,
            1.676_384_830_183_803_849_4,
            2.053_191_626_637_758_821_87,
            1.0,
        ],
    ];
    const FAR: [[f64; 8]; 2] = [
        [
            2.010_334_399_292_288_132_65e-7,
            2.711_555_568_743_487_578_15e-5,
            1.242_660_947_388_078_438_6e-3,
            2.653_218_952_657_612_309_3e-2,
            2.965_605_718_285_048_912_3e-1,
            1.784_826_539_917_291_335_8,
            5.463_784_911_164_114_369_9,
            6.657_904_643_501_103_777_2,
        ],
        [
            2.044_263_103_389_939_785_64e-15,
            1.421_511_758_316_445_888_7e-7,
            1.846_318_317_510_054_681_8e-5,
            7.868_691_311_456_132_591e-4,
            1.487_536_129_085_061_485_25e-2,
            1.369_298_809_227_358_053_1e-1,
            5.998_322_065_558_879_376_9e-1,
            1.0,
        ],
    ];
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * quotient(0.180_625 - q * q, MIDDLE[0], MIDDLE[1]);
    }
    let root = (-(if q < 0.0 { p } else { 1.0 - p }).ln()).sqrt();
    let size = match root <= 5.0 {
        true => quotient(root - 1.6, TAIL[0], TAIL[1]),
        false => quotient(root - 5.0, FAR[0], FAR[1]),
    };
    size.copysign(q)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A table of the normal distribution, and the values that the paper gives for its test.
    #[test]
    fn the_inverse_of_the_normal_distribution_is_that_of_the_paper() {
        for (p, z) in [
            (0.25, -0.674_489_750_196_081_7),
            (0.001, -3.090_232_306_167_813_5),
            (1e-20, -9.262_340_089_798_409),
            (0.975, 1.959_963_984_540_054_2),
            (0.5, 0.0),
        ] {
            assert!((inverse_normal(p) - z).abs() < 1e-14 * z.abs().max(1.0), "{p}");
        }
    }

    #[test]
    fn uniform_numbers_are_above_zero_and_at_most_one() {
        assert_eq!((uniform(0), uniform(u32::MAX)), (2f32.powi(-33), 1.0));
        assert_eq!((uniform_double(0), uniform_double(u32::MAX)), (2f64.powi(-32), 1.0));
        assert_eq!(uniform_of_long(0), 2f64.powi(-54));
        assert!(uniform_of_long(u64::MAX) <= 1.0 && uniform_of_two(u32::MAX, u32::MAX) <= 1.0);
    }

    #[test]
    fn the_halves_of_the_normal_distribution_mirror_each_other() {
        for x in [0, 1, 77, 1 << 30, (1 << 31) - 1] {
            assert_eq!(normal(x), -normal(!x));
            assert_eq!(normal_double(x), -normal_double(!x));
        }
        assert_eq!(normal(1 << 31), 0.0);
    }
}
