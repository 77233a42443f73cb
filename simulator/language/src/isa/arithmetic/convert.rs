//! `cvt` and `cvt.pack` (PTX ISA 9.7.9.21, 9.7.9.22): every pair of integer and float types.
//!
//! Bit-exact; the rules are in [`crate::lanes::scalar::conversion`]. Integer operands may be
//! registers wider than their types, except in conversions of bf16. Conversions to and from 8-, 6-
//! and 4-bit floats are in [`crate::isa::arithmetic::convert_narrow`].

use crate::isa::need::need;
use crate::isa::row::{Opcode, joined, lanes, register_with};
use crate::lanes::primitive::{Convert, Number, Packed};
use crate::lanes::{Primitive, Role};
use crate::ptx::Type;

/// A conversion between two types: the pattern, and for each type the role of its operand.
macro_rules! convert {
    ($pattern:expr, $d:ident $to:ident, $a:ident $from:ident) => {
        register_with(
            $pattern,
            Primitive::Convert(Convert::new(Number::$to, Number::$from)),
            &[Role::$d(Type::$to), Role::$a(Type::$from)],
        )
    };
}

/// Integer to integer: plain conversions keep the low bits, or extend; `.sat` is for those that
/// lose something.
macro_rules! whole_from_wholes {
    ($sat:literal, $d:ident, $to:literal, $([$s:ident, $from:literal])*) => {
        &[$(convert!(concat!($sat, $to, $from), WideD $d, WideA $s)),*]
    };
}

/// Float to integer.
macro_rules! whole_from_real {
    ($role:ident, $d:ident, $to:literal, $s:ident, $modifiers:literal, $from:literal) => {
        convert!(concat!("(.rni|.rzi|.rmi|.rpi)", $modifiers, $to, $from), $role $d, A $s)
    };
}

/// Everything that converts to one integer type: from types that it contains, from others.
macro_rules! to_whole {
    ($d:ident, $to:literal, [$($contained:tt)*], [$($other:tt)*]) => {
        joined![
            whole_from_wholes!("", $d, $to, $($contained)*),
            whole_from_wholes!("{.sat}", $d, $to, $($other)*),
            &[
                whole_from_real!(WideD, $d, $to, F16, "{.sat}", ".f16"),
                whole_from_real!(WideD, $d, $to, F32, "{.ftz}{.sat}", ".f32"),
                whole_from_real!(WideD, $d, $to, F64, "{.sat}", ".f64"),
            ],
        ]
    };
}

/// Everything that converts from an integer to one float type.
macro_rules! to_real {
    ($d:ident, $modifiers:literal, $to:literal) => {
        to_real!(
            @ $d, $modifiers, $to; U8, ".u8"; S8, ".s8"; U16, ".u16"; S16, ".s16"; U32, ".u32";
            S32, ".s32"; U64, ".u64"; S64, ".s64";
        )
    };
    (@ $d:ident, $modifiers:literal, $to:literal; $($s:ident, $from:literal;)*) => {
        &[$(
            convert!(concat!("(.rn|.rz|.rm|.rp)", $modifiers, $to, $from), D $d, WideA $s)
        ),*]
    };
}

/// bf16 and an integer type, both ways.
macro_rules! bf16_and_whole {
    ($($ty:ident, $name:literal;)*) => {
        &[$(
            whole_from_real!(D, $ty, $name, Bf16, "", ".bf16"),
            convert!(concat!("(.rn|.rz|.rm|.rp).bf16", $name), D Bf16, A $ty),
        )*]
    };
}

const BF16: &[crate::isa::Form] = bf16_and_whole!(
    U8, ".u8"; S8, ".s8"; U16, ".u16"; S16, ".s16"; U32, ".u32"; S32, ".s32"; U64, ".u64";
    S64, ".s64";
);

/// Float to float, with the modifiers before the types spelled out.
macro_rules! real {
    ($modifiers:literal, $d:ident, $to:literal, $s:ident, $from:literal) => {
        convert!(concat!($modifiers, $to, $from), D $d, A $s)
    };
}

const BETWEEN_REALS: &[crate::isa::Form] = &[
    real!("{.rni|.rzi|.rmi|.rpi}{.sat}", F16, ".f16", F16, ".f16"),
    real!("{.rni|.rzi|.rmi|.rpi}", Bf16, ".bf16", Bf16, ".bf16"),
    real!("{.rni|.rzi|.rmi|.rpi}{.ftz}{.sat}", F32, ".f32", F32, ".f32"),
    real!("{.rni|.rzi|.rmi|.rpi}{.sat}", F64, ".f64", F64, ".f64"),
    real!("{.ftz}{.sat}", F32, ".f32", F16, ".f16"),
    real!("{.ftz}", F32, ".f32", Bf16, ".bf16"),
    real!("{.sat}", F64, ".f64", F16, ".f16"),
    real!("", F64, ".f64", Bf16, ".bf16"),
    real!("{.ftz}{.sat}", F64, ".f64", F32, ".f32"),
    real!("(.rn|.rz|.rm|.rp){.ftz}{.sat}", F32, ".f32", F64, ".f64"),
    real!("(.rn|.rz|.rm|.rp){.ftz}{.sat}", F16, ".f16", F32, ".f32"),
    real!("(.rn|.rz){.relu}{.satfinite}", F16, ".f16", F32, ".f32"),
    real!("(.rn|.rz|.rm|.rp){.sat}", F16, ".f16", F64, ".f64"),
    real!("(.rn|.rz|.rm|.rp)", F16, ".f16", Bf16, ".bf16"),
    real!("(.rn|.rz|.rm|.rp){.ftz}", Bf16, ".bf16", F32, ".f32"),
    real!("(.rn|.rz){.relu}{.satfinite}", Bf16, ".bf16", F32, ".f32"),
    real!("(.rn|.rz|.rm|.rp)", Bf16, ".bf16", F64, ".f64"),
    real!("(.rn|.rz|.rm|.rp)", Bf16, ".bf16", F16, ".f16"),
    lanes!("(.rn|.rz){.relu}{.satfinite}.f16x2.f32", Packed::CvtF16x2F32),
    lanes!("(.rn|.rz){.relu}{.satfinite}.bf16x2.f32", Packed::CvtBf16x2F32),
    lanes!(".rna{.satfinite}.tf32.f32", Packed::CvtTf32F32),
    lanes!("(.rn|.rz){.satfinite}{.relu}.tf32.f32", Packed::CvtTf32F32),
    // Exact, and yet the assembler takes a rounding modifier, and leaves one out where it is
    // needed.
    real!("(.rn|.rz|.rm|.rp){.ftz}", F32, ".f32", Bf16, ".bf16"),
    real!("(.rn|.rz|.rm|.rp)", F64, ".f64", Bf16, ".bf16"),
    real!("", F16, ".f16", Bf16, ".bf16"),
    real!("", Bf16, ".bf16", F16, ".f16"),
];

/// The family's rows.
pub(in crate::isa) const OPCODES: &[Opcode] = &[
    Opcode {
        name: "cvt",
        section: "9.7.9.21",
        operands: "d, a",
        summary: "Converts a value from one type to another.",
        needs: &[
            need(".bf16", (7, 0), 80),
            need(".f32.bf16", (7, 1), 80),
            need(".ftz.f32.bf16", (7, 8), 90),
            need("(.u8|.s8|.u16|.s16|.u32|.s32|.u64|.s64|.f16|.f64).bf16", (7, 8), 90),
            need(".bf16(.u8|.s8|.u16|.s16|.u32|.s32|.u64|.s64|.bf16|.f16|.f64)", (7, 8), 90),
            need("(.f16x2|.bf16x2|.relu|.tf32)", (7, 0), 80),
            need("(.rn|.rz).tf32", (7, 8), 90),
            need(".satfinite", (8, 1), 70),
            need("(.e4m3x2|.e5m2x2)", (8, 1), 89),
            need("(.e2m3x2|.e3m2x2|.e2m1x2|.ue8m0x2)", (8, 6), 100),
            need("(.e2m3x2|.e3m2x2|.e2m1x2).f16x2", (9, 1), 100),
            need("(.e4m3x2|.e5m2x2|.e2m3x2|.e3m2x2|.e2m1x2).bf16x2", (9, 1), 100),
            need(".rs", (8, 7), 100),
            need("(.rn|.rz).satfinite.tf32", (8, 6), 100),
        ],
        forms: joined![
            to_whole!(
                U8, ".u8", [[U8, ".u8"]],
                [[S8, ".s8"] [U16, ".u16"] [S16, ".s16"] [U32, ".u32"] [S32, ".s32"] [U64, ".u64"] [S64, ".s64"]]
            ),
            to_whole!(
                S8, ".s8", [[S8, ".s8"]],
                [[U8, ".u8"] [U16, ".u16"] [S16, ".s16"] [U32, ".u32"] [S32, ".s32"] [U64, ".u64"] [S64, ".s64"]]
            ),
            to_whole!(
                U16, ".u16", [[U8, ".u8"] [U16, ".u16"]],
                [[S8, ".s8"] [S16, ".s16"] [U32, ".u32"] [S32, ".s32"] [U64, ".u64"] [S64, ".s64"]]
            ),
            to_whole!(
                S16, ".s16", [[U8, ".u8"] [S8, ".s8"] [S16, ".s16"]],
                [[U16, ".u16"] [U32, ".u32"] [S32, ".s32"] [U64, ".u64"] [S64, ".s64"]]
            ),
            to_whole!(
                U32, ".u32", [[U8, ".u8"] [U16, ".u16"] [U32, ".u32"]],
                [[S8, ".s8"] [S16, ".s16"] [S32, ".s32"] [U64, ".u64"] [S64, ".s64"]]
            ),
            to_whole!(
                S32, ".s32", [[U8, ".u8"] [S8, ".s8"] [U16, ".u16"] [S16, ".s16"] [S32, ".s32"]],
                [[U32, ".u32"] [U64, ".u64"] [S64, ".s64"]]
            ),
            to_whole!(
                U64, ".u64", [[U8, ".u8"] [U16, ".u16"] [U32, ".u32"] [U64, ".u64"]],
                [[S8, ".s8"] [S16, ".s16"] [S32, ".s32"] [S64, ".s64"]]
            ),
            to_whole!(
                S64, ".s64", [[U8, ".u8"] [S8, ".s8"] [U16, ".u16"] [S16, ".s16"] [U32, ".u32"] [S32, ".s32"] [S64, ".s64"]],
                [[U64, ".u64"]]
            ),
            to_real!(F32, "{.ftz}{.sat}", ".f32"),
            to_real!(F64, "{.sat}", ".f64"),
            to_real!(F16, "{.sat}", ".f16"),
            BF16,
            BETWEEN_REALS,
            crate::isa::arithmetic::convert_narrow::FORMS,
        ],
    },
    Opcode {
        name: "cvt",
        section: "9.7.9.22",
        operands: "d, a, b [, c]",
        summary: "Converts two integers to a narrower type and packs them.",
        needs: &[need("", (6, 5), 72), need("(.u4|.s4|.u2|.s2)", (6, 5), 75)],
        forms: &[
            lanes!(".pack.sat.u16.s32", Packed::CvtPackSatU16S32),
            lanes!(".pack.sat.s16.s32", Packed::CvtPackSatS16S32),
            lanes!(".pack.sat.u8.s32.b32", Packed::CvtPackSatU8S32),
            lanes!(".pack.sat.s8.s32.b32", Packed::CvtPackSatS8S32),
            lanes!(".pack.sat.u4.s32.b32", Packed::CvtPackSatU4S32),
            lanes!(".pack.sat.s4.s32.b32", Packed::CvtPackSatS4S32),
            lanes!(".pack.sat.u2.s32.b32", Packed::CvtPackSatU2S32),
            lanes!(".pack.sat.s2.s32.b32", Packed::CvtPackSatS2S32),
        ],
    },
];

#[cfg(test)]
mod tests {
    use rustc_apfloat::ieee::{Double, Half, Single};
    use rustc_apfloat::{Float, FloatConvert, Round};

    use crate::isa::conformance::harness::one;

    const DIRECTIONS: [(&str, Round); 4] = [
        ("n", Round::NearestTiesToEven),
        ("z", Round::TowardZero),
        ("m", Round::TowardNegative),
        ("p", Round::TowardPositive),
    ];

    fn doubles() -> Vec<f64> {
        let mut all = vec![
            0.0,
            0.5,
            1.5,
            2.5,
            0.49999999999999994,
            127.5,
            128.5,
            255.5,
            32767.5,
            65535.5,
            65519.9,
            65520.0,
            2147483647.5,
            4294967295.5,
            9.2e18,
            1.85e19,
            1e300,
            f64::INFINITY,
            1e-40,
            5e-324,
            3.0000001,
            1.0 + 2f64.powi(-24),
            1.0 + 3.0 * 2f64.powi(-24),
            2049.0,
            2051.0,
            1e-7,
            3e-8,
            6.1e-5,
        ];
        all.extend(all.clone().iter().map(|x| -x));
        all.extend((0..400).map(|i| (i as f64 - 200.0) * 12345.678901f64.powi(i % 9 - 4)));
        all
    }

    #[test]
    fn floats_round_to_integers_in_four_directions_and_clamp() {
        for x in doubles() {
            for (direction, _) in DIRECTIONS {
                let rounded = match direction {
                    "n" => x.round_ties_even(),
                    "z" => x.trunc(),
                    "m" => x.floor(),
                    _ => x.ceil(),
                };
                for (ty, least, greatest) in [
                    ("s32", i32::MIN as f64, i32::MAX as f64),
                    ("u32", 0.0, u32::MAX as f64),
                    ("s64", i64::MIN as f64, i64::MAX as f64),
                    ("u64", 0.0, u64::MAX as f64),
                ] {
                    let d = one(&format!("cvt.r{direction}i.{ty}.f64"), &[x.to_bits()]);
                    let right = match (rounded <= least, rounded >= greatest, ty) {
                        (true, _, "s32") => i32::MIN as u32 as u64,
                        (true, _, "s64") => i64::MIN as u64,
                        (true, ..) => 0,
                        (_, true, "s32") => i32::MAX as u64,
                        (_, true, "s64") => i64::MAX as u64,
                        (_, true, "u32") => u32::MAX as u64,
                        (_, true, _) => u64::MAX,
                        (.., "s32") => rounded as i64 as i32 as u32 as u64,
                        (.., "s64") => rounded as i128 as i64 as u64,
                        _ => rounded as u128 as u64,
                    };
                    assert_eq!(d, right, "cvt.r{direction}i.{ty}.f64 {x}");
                }
            }
        }
    }

    #[test]
    fn nan_becomes_zero_or_the_top_bit_by_the_widths() {
        let (f32_nan, f64_nan) = (0x7fc0_0000, 0x7ff8 << 48);
        for (form, nan, d) in [
            ("cvt.rzi.s32.f32", f32_nan, 0),
            ("cvt.rzi.u32.f32", f32_nan, 0),
            ("cvt.rzi.s64.f32", f32_nan, 1 << 63),
            ("cvt.rzi.u64.f32", f32_nan, 1 << 63),
            ("cvt.rzi.s32.f64", f64_nan, 1 << 31),
            ("cvt.rni.u32.f64", f64_nan, 1 << 31),
            ("cvt.rzi.u64.f64", f64_nan, 1 << 63),
            ("cvt.rzi.s16.f16", 0x7e00, 0),
            ("cvt.sat.f32.f32", f32_nan, 0),
        ] {
            assert_eq!(one(form, &[nan]), d, "{form}");
        }
    }

    #[test]
    fn floats_narrow_with_one_rounding_in_every_direction() {
        for x in doubles().into_iter().filter(|x| !x.is_nan()) {
            let soft = Double::from_bits(x.to_bits() as u128);
            for (direction, round) in DIRECTIONS {
                let mut lossy = false;
                let single: Single = soft.convert_r(round, &mut lossy).value;
                let half: Half = soft.convert_r(round, &mut lossy).value;
                let d = |form: &str| one(&format!("cvt.r{direction}.{form}"), &[x.to_bits()]);
                assert_eq!(d("f32.f64"), single.to_bits() as u64, "r{direction} {x:e}");
                assert_eq!(d("f16.f64"), half.to_bits() as u64, "r{direction} {x:e}");
            }
        }
    }

    #[test]
    fn integers_convert_with_one_rounding_in_every_direction() {
        let integers =
            [0, 1, 0xff_ffff, 0x100_0001, 0x1ff_ffff, 0x7fff_ffff, (1 << 53) + 1, i64::MAX];
        for x in integers.into_iter().flat_map(|i| [i, -i, i.wrapping_sub(77) ^ 0x5555]) {
            for (direction, round) in DIRECTIONS {
                let d = |ty: &str| one(&format!("cvt.r{direction}.{ty}.s64"), &[x as u64]);
                let single = Single::from_i128_r(x as i128, round).value.to_bits() as u64;
                let double = Double::from_i128_r(x as i128, round).value.to_bits() as u64;
                let half = Half::from_i128_r(x as i128, round).value.to_bits() as u64;
                assert_eq!(d("f32"), single, "r{direction} {x}");
                assert_eq!(d("f64"), double, "r{direction} {x}");
                assert_eq!(d("f16"), half, "r{direction} {x}");
            }
        }
    }

    #[test]
    fn integers_are_cut_or_clamped_and_extended_by_their_own_sign() {
        for (form, a, d) in [
            ("cvt.u16.u32", 0x1234_5678, 0x5678),
            ("cvt.s32.s8", 0x80, 0xffff_ff80),
            ("cvt.u32.s8", 0x80, 0xffff_ff80),
            ("cvt.s64.s32", 0xffff_ffff, u64::MAX),
            ("cvt.u64.u32", 0xffff_ffff, 0xffff_ffff),
            ("cvt.sat.u8.s32", 300, 255),
            ("cvt.sat.u8.s32", 0xffff_ffff, 0),
            ("cvt.sat.s8.u32", 200, 127),
            ("cvt.sat.s32.s64", i64::MIN as u64, 0x8000_0000),
            ("cvt.sat.u64.s32", 0x8000_0000, 0),
        ] {
            assert_eq!(one(form, &[a]), d, "{form} {a:x}");
        }
    }

    #[test]
    fn pairs_and_packed_integers_have_a_above_b() {
        let (one_bits, two) = (0x3f80_0000, 0x4000_0000);
        assert_eq!(one("cvt.rn.f16x2.f32", &[one_bits, two]), 0x3c00_4000);
        assert_eq!(one("cvt.rn.bf16x2.f32", &[one_bits, two]), 0x3f80_4000);
        assert_eq!(one("cvt.rn.relu.f16.f32", &[0xbf80_0000]), 0);
        assert_eq!(one("cvt.rn.satfinite.f16.f32", &[0x7f80_0000]), 0x7bff);
        assert_eq!(one("cvt.pack.sat.u8.s32.b32", &[300, 0xffff_fff0, 0x1234_5678]), 0x5678_ff00);
        assert_eq!(one("cvt.pack.sat.s16.s32", &[0x8000, 0xffff_0000]), 0x7fff_8000);
    }

    #[test]
    fn modifiers_flush_and_saturate() {
        assert_eq!(one("cvt.ftz.f64.f32", &[0x8000_0001]), 1 << 63);
        assert_eq!(one("cvt.rpi.s32.f32", &[1]), 1);
        assert_eq!(one("cvt.rpi.ftz.s32.f32", &[1]), 0);
        assert_eq!(one("cvt.rn.sat.f32.f64", &[2f64.to_bits()]), 0x3f80_0000);
        assert_eq!(one("cvt.rmi.f32.f32", &[(-0.5f32).to_bits() as u64]), (-1f32).to_bits() as u64);
    }
}
