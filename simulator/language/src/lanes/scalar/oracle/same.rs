//! The register operations that run give the bits of their plainest form.

use half::{bf16, f16};

use super::case::{
    Case, DIRECTIONS, Plain, Random, combined, on_halves, on_random_words, on_words, value, warps,
    with, word,
};
use super::{approx, conversion, float, halves, integers, narrow};
use crate::lanes::Flags;
use crate::lanes::primitive::{
    Approximate, Convert, Float, Half, Integer, Logic, Mixed, Narrow, Number, Packed,
};
use crate::lanes::scalar::comparison::Comparable as _;
use crate::lanes::scalar::integers::three_input_logic;

macro_rules! plain {
    ($a:ty => $d:ty, $f:expr) => {
        Box::new(move |[a, _, _]: [u64; 3]| word::<$d>(($f)(value::<$a>(a)))) as Plain
    };
    ($a:ty, $b:ty => $d:ty, $f:expr) => {
        Box::new(move |[a, b, _]: [u64; 3]| word::<$d>(($f)(value::<$a>(a), value::<$b>(b))))
            as Plain
    };
    ($a:ty, $b:ty, $c:ty => $d:ty, $f:expr) => {
        Box::new(move |[a, b, c]: [u64; 3]| {
            word::<$d>(($f)(value::<$a>(a), value::<$b>(b), value::<$c>(c)))
        }) as Plain
    };
}

/// The cases of a table: a primitive, its operands and result, and the plain function of the flags
/// and the operands.
macro_rules! cases {
    ($flags:expr; $($primitive:expr, ($($arg:ty),+) -> $d:ty, $f:expr;)*) => {{
        let mut cases: Vec<Case> = Vec::new();
        $(cases.extend(with($flags, $primitive.into(), |flags| {
            cases!(@ flags, ($($arg),+) -> $d, $f)
        }));)*
        cases
    }};
    (@ $flags:ident, ($a:ty) -> $d:ty, $f:expr) => {
        plain!($a => $d, move |a| ($f)($flags, a))
    };
    (@ $flags:ident, ($a:ty, $b:ty) -> $d:ty, $f:expr) => {
        plain!($a, $b => $d, move |a, b| ($f)($flags, a, b))
    };
    (@ $flags:ident, ($a:ty, $b:ty, $c:ty) -> $d:ty, $f:expr) => {
        plain!($a, $b, $c => $d, move |a, b, c| ($f)($flags, a, b, c))
    };
}

#[test]
fn arithmetic_of_f32_is_the_same_in_each_direction() {
    let flags = combined(&[&DIRECTIONS, &[Flags::NONE, Flags::FTZ], &[Flags::NONE, Flags::SAT]]);
    let cases = cases! { &flags;
        Float::AddF32, (f32, f32) -> f32, float::add_f32;
        Float::SubF32, (f32, f32) -> f32, float::sub_f32;
        Float::MulF32, (f32, f32) -> f32, float::mul_f32;
        Float::FmaF32, (f32, f32, f32) -> f32, float::fma_f32;
        Float::DivF32, (f32, f32) -> f32, float::div_f32;
        Float::RcpF32, (f32) -> f32, float::rcp_f32;
        Float::SqrtF32, (f32) -> f32, float::sqrt_f32;
        Mixed::AddF32F16, (f16, f32) -> f32, |flags, a: f16, c| {
            float::add_f32(flags, halves::Half::value(a) as f32, c)
        };
        Mixed::SubF32Bf16, (bf16, f32) -> f32, |flags, a: bf16, c| {
            float::sub_f32(flags, halves::Half::value(a) as f32, c)
        };
        Mixed::FmaF32F16, (f16, f16, f32) -> f32, |flags, a: f16, b: f16, c| {
            let [a, b] = [a, b].map(|x| halves::Half::value(x) as f32);
            float::fma_f32(flags, a, b, c)
        };
        Mixed::AddF32x2, (u64, u64) -> u64, |flags, a, b| {
            of_pairs([a, b, 0], |[a, b, _]| float::add_f32(flags, a, b))
        };
        Mixed::MulF32x2, (u64, u64) -> u64, |flags, a, b| {
            of_pairs([a, b, 0], |[a, b, _]| float::mul_f32(flags, a, b))
        };
        Mixed::FmaF32x2, (u64, u64, u64) -> u64, |flags, a, b, c| {
            of_pairs([a, b, c], |[a, b, c]| float::fma_f32(flags, a, b, c))
        };
    };
    on_random_words(&cases, warps());
}

/// An operation on both f32 of words.
fn of_pairs(words: [u64; 3], f: impl Fn([f32; 3]) -> f32) -> u64 {
    let lower = f(words.map(|word| f32::from_bits(word as u32)));
    let upper = f(words.map(|word| f32::from_bits((word >> 32) as u32)));
    u64::from(lower.to_bits()) | u64::from(upper.to_bits()) << 32
}

#[test]
fn extrema_of_floats_are_the_same() {
    let flags = combined(&[
        &[Flags::NONE, Flags::FTZ],
        &[Flags::NONE, Flags::NAN],
        &[Flags::NONE, Flags::XORSIGN, Flags::ABS],
    ]);
    let cases = cases! { &flags;
        Float::MinF32, (f32, f32) -> f32, |f, a, b| float::extremum_f32(f, false, a, b);
        Float::MaxF32, (f32, f32) -> f32, |f, a, b| float::extremum_f32(f, true, a, b);
        Float::MinOfThreeF32, (f32, f32, f32) -> f32, |f, a, b, c| {
            float::extremum_of_three(f, false, a, b, c)
        };
        Float::MaxOfThreeF32, (f32, f32, f32) -> f32, |f, a, b, c| {
            float::extremum_of_three(f, true, a, b, c)
        };
        Float::MinF64, (f64, f64) -> f64, |_, a, b| float::extremum_f64(false, a, b);
        Float::MaxF64, (f64, f64) -> f64, |_, a, b| float::extremum_f64(true, a, b);
    };
    on_random_words(&cases, warps());
}

#[test]
fn arithmetic_of_f64_is_the_same_in_each_direction() {
    let cases = cases! { &DIRECTIONS;
        Float::AddF64, (f64, f64) -> f64, float::add_f64;
        Float::SubF64, (f64, f64) -> f64, float::sub_f64;
        Float::MulF64, (f64, f64) -> f64, float::mul_f64;
        Float::FmaF64, (f64, f64, f64) -> f64, float::fma_f64;
        Float::DivF64, (f64, f64) -> f64, float::div_f64;
        Float::RcpF64, (f64) -> f64, float::rcp_f64;
        Float::SqrtF64, (f64) -> f64, float::sqrt_f64;
    };
    on_random_words(&cases, warps() * 4);
}

const OF_HALVES: [&[Flags]; 3] = [
    &[Flags::NONE, Flags::RN],
    &[Flags::NONE, Flags::FTZ],
    &[Flags::NONE, Flags::SAT, Flags::RELU, Flags::OOB, Flags::OOB.with(Flags::RELU)],
];

/// `.ftz` is of f16 alone.
const OF_BF16: [&[Flags]; 2] = [OF_HALVES[0], OF_HALVES[2]];

const OF_EXTREMA: [&[Flags]; 3] = [
    &[Flags::NONE, Flags::FTZ],
    &[Flags::NONE, Flags::NAN],
    &[Flags::NONE, Flags::XORSIGN.with(Flags::ABS)],
];

/// The cases of arithmetic on halves of one type, alone and in pairs.
macro_rules! of_halves {
    ($half:ty, $flags:expr; $($one:ident $two:ident ($($arg:ident),+) $f:expr;)*) => {
        cases! { $flags;
            $(
                Half::$one, ($(of_halves!(@ $arg $half)),+) -> $half, $f;
                Half::$two, ($(of_halves!(@ $arg u32)),+) -> u32, |flags, $($arg: u32),+| {
                    let half = |shift: u32| {
                        let one: $half = ($f)(flags, $(<$half>::from_bits(($arg >> shift) as u16)),+);
                        u32::from(one.to_bits()) << shift
                    };
                    half(0) | half(16)
                };
            )*
        }
    };
    (@ $arg:ident $ty:ty) => { $ty };
}

#[test]
fn arithmetic_of_halves_is_the_same() {
    let mut cases = of_halves! { f16, &combined(&OF_HALVES);
        AddF16 AddF16x2 (a, b) halves::add;
        SubF16 SubF16x2 (a, b) halves::sub;
        MulF16 MulF16x2 (a, b) halves::mul;
        FmaF16 FmaF16x2 (a, b, c) halves::fma;
    };
    cases.extend(of_halves! { bf16, &combined(&OF_BF16);
        AddBf16 AddBf16x2 (a, b) halves::add;
        SubBf16 SubBf16x2 (a, b) halves::sub;
        MulBf16 MulBf16x2 (a, b) halves::mul;
        FmaBf16 FmaBf16x2 (a, b, c) halves::fma;
    });
    cases.extend(of_halves! { f16, &combined(&OF_EXTREMA);
        MinF16 MinF16x2 (a, b) halves::min;
        MaxF16 MaxF16x2 (a, b) halves::max;
    });
    cases.extend(of_halves! { bf16, &combined(&OF_EXTREMA);
        MinBf16 MinBf16x2 (a, b) halves::min;
        MaxBf16 MaxBf16x2 (a, b) halves::max;
    });
    on_random_words(&cases, warps());
}

#[test]
fn functions_of_a_half_are_the_same_for_each() {
    let flags = [Flags::NONE, Flags::FTZ];
    let mut cases = of_halves! { f16, &flags;
        NegF16 NegF16x2 (a) halves::neg;
        AbsF16 AbsF16x2 (a) halves::abs;
        Ex2ApproxF16 Ex2ApproxF16x2 (a) halves::ex2;
        TanhApproxF16 TanhApproxF16x2 (a) halves::tanh;
    };
    cases.extend(of_halves! { bf16, &flags;
        NegBf16 NegBf16x2 (a) halves::neg;
        AbsBf16 AbsBf16x2 (a) halves::abs;
        Ex2ApproxBf16 Ex2ApproxBf16x2 (a) halves::ex2;
        TanhApproxBf16 TanhApproxBf16x2 (a) halves::tanh;
    });
    on_halves(&cases);
}

/// The modifiers of conversions to floats that say what becomes of the result.
const OF_RESULTS: [Flags; 6] = [
    Flags::NONE,
    Flags::FTZ,
    Flags::SAT,
    Flags::FTZ.with(Flags::SAT),
    Flags::RELU,
    Flags::RELU.with(Flags::SATFINITE),
];

/// The cases of conversions between a list of types and another.
macro_rules! conversions {
    ($flags:expr, $plain:path; ($($from:ident $s:ty),*) -> $to:tt) => {{
        let mut cases: Vec<Case> = Vec::new();
        $(cases.extend(conversions!(@ $flags, $plain; $from $s; $to));)*
        cases
    }};
    (@ $flags:expr, $plain:path; $from:ident $s:ty; ($($to:ident $d:ty),*)) => {
        cases! { $flags;
            $(Convert::new(Number::$to, Number::$from), ($s) -> $d, $plain;)*
        }
    };
}

#[test]
fn conversions_between_floats_are_the_same() {
    let integral = [Flags::NONE, Flags::TO_INTEGER];
    let flags = combined(&[&DIRECTIONS, &integral, &OF_RESULTS]);
    let mut cases = conversions!(&flags, conversion::between_reals;
        (F16 f16, Bf16 bf16, F64 f64) -> (F16 f16, Bf16 bf16));
    cases.extend(conversions!(&flags, conversion::between_reals;
        (F16 f16, F64 f64) -> (F32 f32)));
    cases.extend(conversions!(&flags, conversion::between_reals;
        (F16 f16, Bf16 bf16, F32 f32) -> (F64 f64)));
    cases.extend(conversions!(&flags, conversion::between_reals; (F32 f32) -> (Bf16 bf16)));
    cases.extend(conversions!(&flags, conversion::to_f16; (F32 f32) -> (F16 f16)));
    cases.extend(conversions!(&flags, conversion::same; (F32 f32) -> (F32 f32)));
    cases.extend(conversions!(&flags, conversion::same; (F64 f64) -> (F64 f64)));
    cases.extend(conversions!(&flags, conversion::bf16_to_f32; (Bf16 bf16) -> (F32 f32)));
    on_random_words(&cases, warps());
}

#[test]
fn conversions_of_floats_to_integers_are_the_same() {
    let flags =
        combined(&[&DIRECTIONS, &[Flags::TO_INTEGER], &[Flags::NONE, Flags::FTZ, Flags::SAT]]);
    let cases = conversions!(&flags, conversion::to_whole;
        (F16 f16, Bf16 bf16, F32 f32, F64 f64) ->
        (U8 u8, S8 i8, U16 u16, S16 i16, U32 u32, S32 i32, U64 u64, S64 i64));
    on_random_words(&cases, warps());
}

#[test]
fn conversions_of_integers_to_floats_are_the_same() {
    let flags = combined(&[&DIRECTIONS, &OF_RESULTS]);
    let cases = conversions!(&flags, conversion::to_real;
        (U8 u8, S8 i8, U16 u16, S16 i16, U32 u32, S32 i32, U64 u64, S64 i64) ->
        (F16 f16, Bf16 bf16, F32 f32, F64 f64));
    on_random_words(&cases, warps());
}

#[test]
fn conversions_of_pairs_and_to_tf32_are_the_same() {
    let flags = combined(&[&DIRECTIONS, &OF_RESULTS]);
    let cases = cases! { &flags;
        Packed::CvtF16x2F32, (f32, f32) -> u32, |flags, a, b| {
            conversion::to_pair::<f16>(flags, a, b).bits()
        };
        Packed::CvtBf16x2F32, (f32, f32) -> u32, |flags, a, b| {
            conversion::to_pair::<bf16>(flags, a, b).bits()
        };
    };
    on_random_words(&cases, warps());
    let flags = combined(&[&[Flags::RN, Flags::RZ, Flags::RNA], &OF_RESULTS]);
    let cases = cases! { &flags; Packed::CvtTf32F32, (f32) -> f32, conversion::to_tf32; };
    on_random_words(&cases, warps());
}

/// The cases of the conversions to and from one format of at most 8 bits.
macro_rules! of_small {
    (
        $small:ident, $of_floats:ident, $of_halves:ident, $of_bf16:ident, $to:ident, $rs:ident,
        $d:ty
    ) => {{
        const SMALL: narrow::Small = narrow::Small::$small;
        let flags = [Flags::NONE, Flags::RELU, Flags::VARIANT, Flags::VARIANT.with(Flags::RELU)];
        cases! { &flags;
            Narrow::$of_floats, (f32, f32) -> $d, |flags: Flags, a, b| {
                SMALL.of_floats(flags.without(Flags::VARIANT), a, b) as $d
            };
            Narrow::$of_halves, (u32) -> $d, |flags: Flags, a| {
                SMALL.of_halves::<f16>(flags, halves::Pair::of_bits(a)) as $d
            };
            Narrow::$of_bf16, (u32) -> $d, |flags: Flags, a| {
                SMALL.of_halves::<bf16>(flags, halves::Pair::of_bits(a)) as $d
            };
            Narrow::$to, ($d) -> u32, |flags: Flags, a: $d| {
                SMALL.to_halves(flags, a.into()).bits()
            };
            Narrow::$rs, (f32, f32, u32) -> $d, |flags: Flags, a, b, random| {
                SMALL.of_floats_at_random(flags, a, b, random) as $d
            };
        }
    }};
}

#[test]
fn conversions_of_narrow_floats_are_the_same() {
    let mut cases = of_small!(
        E4m3,
        CvtE4m3x2F32,
        CvtE4m3x2F16x2,
        CvtE4m3x2Bf16x2,
        CvtF16x2E4m3x2,
        CvtRsE4m3x2F32,
        u16
    );
    cases.extend(of_small!(
        E5m2,
        CvtE5m2x2F32,
        CvtE5m2x2F16x2,
        CvtE5m2x2Bf16x2,
        CvtF16x2E5m2x2,
        CvtRsE5m2x2F32,
        u16
    ));
    cases.extend(of_small!(
        E2m3,
        CvtE2m3x2F32,
        CvtE2m3x2F16x2,
        CvtE2m3x2Bf16x2,
        CvtF16x2E2m3x2,
        CvtRsE2m3x2F32,
        u16
    ));
    cases.extend(of_small!(
        E3m2,
        CvtE3m2x2F32,
        CvtE3m2x2F16x2,
        CvtE3m2x2Bf16x2,
        CvtF16x2E3m2x2,
        CvtRsE3m2x2F32,
        u16
    ));
    cases.extend(of_small!(
        E2m1,
        CvtE2m1x2F32,
        CvtE2m1x2F16x2,
        CvtE2m1x2Bf16x2,
        CvtF16x2E2m1x2,
        CvtRsE2m1x2F32,
        u8
    ));
    let flags = combined(&[&[Flags::RZ, Flags::RP], &[Flags::NONE, Flags::SATFINITE]]);
    cases.extend(cases! { &flags;
        Narrow::CvtUe8m0x2F32, (f32, f32) -> u16, narrow::exponents_of_floats;
        Narrow::CvtUe8m0x2Bf16x2, (u32) -> u16, |flags, a| {
            narrow::exponents_of_halves(flags, halves::Pair::of_bits(a))
        };
        Narrow::CvtBf16x2Ue8m0x2, (u16) -> u32, |_, a| narrow::exponents_to_halves(a).bits();
    });
    let flags = [Flags::NONE, Flags::RELU, Flags::SATFINITE, Flags::RELU.with(Flags::SATFINITE)];
    cases.extend(cases! { &flags;
        Narrow::CvtRsF16x2F32, (f32, f32, u32) -> u32, |flags, a, b, random| {
            narrow::halves_at_random::<f16>(flags, a, b, random).bits()
        };
        Narrow::CvtRsBf16x2F32, (f32, f32, u32) -> u32, |flags, a, b, random| {
            narrow::halves_at_random::<bf16>(flags, a, b, random).bits()
        };
    });
    on_random_words(&cases, warps());
}

/// The approximate functions of f32.
fn approximate() -> Vec<Case> {
    let mut cases = cases! { &[Flags::NONE, Flags::FTZ];
        Approximate::RcpApproxF32, (f32) -> f32, approx::rcp;
        Approximate::SqrtApproxF32, (f32) -> f32, approx::sqrt;
        Approximate::RsqrtApproxF32, (f32) -> f32, approx::rsqrt;
        Approximate::SinApproxF32, (f32) -> f32, approx::sin;
        Approximate::CosApproxF32, (f32) -> f32, approx::cos;
        Approximate::Lg2ApproxF32, (f32) -> f32, approx::lg2;
        Approximate::Ex2ApproxF32, (f32) -> f32, approx::ex2;
    };
    cases.extend(cases! { &[Flags::NONE];
        Approximate::TanhApproxF32, (f32) -> f32, |_, a| approx::tanh_f32(a);
    });
    cases
}

#[test]
fn approximate_functions_are_the_same() {
    let mut cases = approximate();
    cases.extend(cases! { &[Flags::NONE, Flags::FTZ];
        Approximate::DivApproxF32, (f32, f32) -> f32, approx::div_approx;
        Approximate::DivFullF32, (f32, f32) -> f32, approx::div_full;
    });
    cases.extend(cases! { &[Flags::NONE];
        Approximate::RcpApproxFtzF64, (f64) -> f64, |_, a| approx::rcp_ftz_f64(a);
        Approximate::RsqrtApproxF64, (f64) -> f64, |_, a| approx::rsqrt_f64(a);
        Approximate::RsqrtApproxFtzF64, (f64) -> f64, |_, a| approx::rsqrt_ftz_f64(a);
    });
    on_random_words(&cases, warps() * 4);
}

/// Functions of one operand with other polynomials than in their plain form; in a full run for
/// every f32.
#[test]
fn approximate_functions_are_the_same_for_each_number() {
    let cases = cases! { &[Flags::NONE];
        Approximate::SinApproxF32, (f32) -> f32, approx::sin;
        Approximate::CosApproxF32, (f32) -> f32, approx::cos;
        Approximate::Ex2ApproxF32, (f32) -> f32, approx::ex2;
        Approximate::TanhApproxF32, (f32) -> f32, |_, a| approx::tanh_f32(a);
    };
    on_words(&cases, warpsim_effort::cases(1 << 19, 1 << 32));
}

#[test]
fn quotients_and_remainders_of_integers_are_the_same() {
    let cases = cases! { &[Flags::NONE];
        Integer::DivU16, (u16, u16) -> u16, |_, a, b| integers::div_u16(a, b);
        Integer::RemU16, (u16, u16) -> u16, |_, a, b| integers::rem_u16(a, b);
        Integer::DivS16, (i16, i16) -> i16, |_, a, b| integers::div_s16(a, b);
        Integer::RemS16, (i16, i16) -> i16, |_, a, b| integers::rem_s16(a, b);
        Integer::DivU32, (u32, u32) -> u32, |_, a, b| integers::div_u32(a, b);
        Integer::RemU32, (u32, u32) -> u32, |_, a, b| integers::rem_u32(a, b);
        Integer::DivS32, (i32, i32) -> i32, |_, a, b| integers::div_s32(a, b);
        Integer::RemS32, (i32, i32) -> i32, |_, a, b| integers::rem_s32(a, b);
        Integer::DivU64, (u64, u64) -> u64, |_, a, b| integers::div_u64(a, b);
        Integer::RemU64, (u64, u64) -> u64, |_, a, b| integers::rem_u64(a, b);
        Integer::DivS64, (i64, i64) -> i64, |_, a, b| integers::div_s64(a, b);
        Integer::RemS64, (i64, i64) -> i64, |_, a, b| integers::rem_s64(a, b);
    };
    on_random_words(&cases, warps() * 10);
}

#[test]
fn permutations_of_bytes_are_the_same() {
    // PTX ISA 9.7.9.7: the selectors of the modes for the two low bits of c.
    let by = |c: u32, selectors: [u32; 4]| selectors[(c & 3) as usize];
    let cases = cases! { &[Flags::NONE];
        Logic::PrmtB32, (u32, u32, u32) -> u32, |_, a, b, c| integers::permute_bytes(a, b, c);
        Logic::PrmtB32F4e, (u32, u32, u32) -> u32, |_, a, b, c| {
            integers::permute_bytes(a, b, by(c, [0x3210, 0x4321, 0x5432, 0x6543]))
        };
        Logic::PrmtB32B4e, (u32, u32, u32) -> u32, |_, a, b, c| {
            integers::permute_bytes(a, b, by(c, [0x5670, 0x6701, 0x7012, 0x0123]))
        };
        Logic::PrmtB32Rc16, (u32, u32, u32) -> u32, |_, a, b, c| {
            integers::permute_bytes(a, b, by(c, [0x1010, 0x3232, 0x1010, 0x3232]))
        };
    };
    on_random_words(&cases, warps());
}

#[test]
fn a_table_of_three_inputs_is_read_at_the_bits_of_its_inputs() {
    for table in 0..256 {
        // Bits that count to 7 in a, b, c read each row of the table once.
        let logic = |x: u32| three_input_logic(x, 0xcccc_cccc, 0xaaaa_aaaa, table);
        assert_eq!(logic(0xf0f0_f0f0), table * 0x0101_0101);
    }
}

#[test]
fn halves_are_compared_as_their_values_are() {
    let mut random = Random(3);
    for _ in 0..warpsim_effort::cases(1 << 18, 1 << 26) {
        let (a, b) = (random.word(0), random.word(1));
        let [a, b] = [a, if a & 7 == 0 { a ^ b & 0x8001 } else { b }].map(|word| word as u16);
        let (x, y) = (f16::from_bits(a), f16::from_bits(b));
        assert_eq!(x.key().partial_cmp(&y.key()), x.partial_cmp(&y), "{a:x} {b:x}");
        let (x, y) = (bf16::from_bits(a), bf16::from_bits(b));
        assert_eq!(x.key().partial_cmp(&y.key()), x.partial_cmp(&y), "{a:x} {b:x}");
    }
}
