//! `cvt` and `cvt.pack` (PTX ISA 9.7.9.21, 9.7.9.22), and `mov` of words. Bit-exact; the rules are
//! in [`crate::lanes::scalar::conversion`].

use std::fmt;

use ::half::{bf16, f16};

use super::define::{Definition, body, lanes, primitives, scalar};
use super::role::Role;
use crate::lanes::scalar::conversion::{
    IsSmall, Real, Small, between_reals, bf16_to_f32, narrowed, pack, to_integral, to_pair,
    to_real, to_small, to_tf32, to_whole, widened,
};
use crate::lanes::scalar::halves::Pair;
use crate::lanes::simd::shared;
use crate::lanes::{Flags, Tiered, Value, binary, unary};

/// A conversion of one value from one type to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Convert {
    to: Number,
    from: Number,
}

/// What kind of type a [`Number`] is.
enum Kind {
    /// An integer of 8 or 16 bits.
    Small,
    /// Another integer.
    Whole,
    /// A float of 16 bits.
    Half,
    /// Another float.
    Float,
}

/// A type that `cvt` converts to and from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(missing_docs, reason = "named like PTX's types")]
pub enum Number {
    U8,
    S8,
    U16,
    S16,
    U32,
    S32,
    U64,
    S64,
    F16,
    Bf16,
    F32,
    F64,
}

impl Number {
    /// All types, integers first.
    pub const ALL: &'static [Number] = &[
        Number::U8,
        Number::S8,
        Number::U16,
        Number::S16,
        Number::U32,
        Number::S32,
        Number::U64,
        Number::S64,
        Number::F16,
        Number::Bf16,
        Number::F32,
        Number::F64,
    ];

    /// The bits of an integer type, and whether it is signed.
    const fn integer(self) -> Option<(u32, bool)> {
        match self {
            Number::U8 => Some((8, false)),
            Number::S8 => Some((8, true)),
            Number::U16 => Some((16, false)),
            Number::S16 => Some((16, true)),
            Number::U32 => Some((32, false)),
            Number::S32 => Some((32, true)),
            Number::U64 => Some((64, false)),
            Number::S64 => Some((64, true)),
            Number::F16 | Number::Bf16 | Number::F32 | Number::F64 => None,
        }
    }

    const fn kind(self) -> Kind {
        match self {
            Number::U8 | Number::S8 | Number::U16 | Number::S16 => Kind::Small,
            Number::U32 | Number::S32 | Number::U64 | Number::S64 => Kind::Whole,
            Number::F16 | Number::Bf16 => Kind::Half,
            Number::F32 | Number::F64 => Kind::Float,
        }
    }

    const fn unsigned(self) -> Number {
        match self {
            Number::S8 => Number::U8,
            Number::S16 => Number::U16,
            Number::S32 => Number::U32,
            Number::S64 => Number::U64,
            other => other,
        }
    }
}

/// Integer to integer: keeps the low bits, or extends; `.sat` is for conversions that lose
/// something.
macro_rules! between_wholes {
    ($s:ty, $d:ty) => {
        body!([D(<$d>), A(<$s>)], |r, o| {
            const BELOW: bool = (<$s>::MIN as i128) < (<$d>::MIN as i128);
            const ABOVE: bool = (<$s>::MAX as i128) > (<$d>::MAX as i128);
            // The values that both types have, as values of the source.
            const LEAST: $s = if BELOW { <$d>::MIN as $s } else { <$s>::MIN };
            const GREATEST: $s = if ABOVE { <$d>::MAX as $s } else { <$s>::MAX };
            if (BELOW || ABOVE) && o.flags.has(Flags::SAT) {
                unary::<$s, $d, _>(r, o, |a| a.clamp(LEAST, GREATEST) as $d)
            } else {
                unary::<$s, $d, _>(r, o, |a| a as $d)
            }
        })
        .moving()
    };
}

/// Float to an integer of 8 or 16 bits.
macro_rules! real_to_small {
    ($s:ty, $d:ty) => {
        Definition::new(
            &[Role::D(<$d as Value>::TYPE), Role::A(<$s as Value>::TYPE)],
            to_smalls::<$s, $d>(),
        )
    };
}

const fn to_smalls<S: Real, D: IsSmall>() -> Tiered {
    shared!([S: Real] [S] of [D: IsSmall] [D] small: Small = D::VALUES;
    |r, o| {
        let flags = o.flags;
        if flags == TRUNCATED {
            unary::<S, i32, _>(r, o, |a| to_small(TRUNCATED, a, small))
        } else {
            unary::<S, i32, _>(r, o, |a| to_small(flags, a, small))
        }
    })
}

/// `.rzi` without other modifiers.
const TRUNCATED: Flags = Flags::RZ.with(Flags::TO_INTEGER);

/// Float to integer. Most programs ask for rounding toward zero, without other modifiers.
macro_rules! real_to_whole {
    ($s:ty, $d:ty) => {
        body!([D(<$d>), A(<$s>)], |r, o| {
            let flags = o.flags;
            if flags == TRUNCATED {
                unary::<$s, $d, _>(r, o, |a| to_whole(TRUNCATED, a))
            } else {
                unary::<$s, $d, _>(r, o, |a| to_whole(flags, a))
            }
        })
    };
}

/// Integer to f32 and f64. The host rounds to nearest.
macro_rules! whole_to_real {
    ($s:ty, $d:ty) => {
        body!([D(<$d>), A(<$s>)], |r, o| {
            if o.flags.is_plain() {
                unary::<$s, $d, _>(r, o, |a| a as $d)
            } else {
                let flags = o.flags;
                unary::<$s, $d, _>(r, o, |a| to_real(flags, a))
            }
        })
    };
}

/// Integer to f16 and bf16.
macro_rules! whole_to_half {
    ($s:ty, $d:ty) => {
        lanes!(unary($s) -> $d, with_flags to_real)
    };
}

/// To one type from each integer type, by one macro, and from each float type, by a definition.
macro_rules! from {
    (
        $from:expr, $d:ty, $wholes:ident, f16: $f16:expr, bf16: $bf16:expr, f32: $f32:expr,
        f64: $f64:expr
    ) => {
        match $from {
            Number::U8 => $wholes!(u8, $d),
            Number::S8 => $wholes!(i8, $d),
            Number::U16 => $wholes!(u16, $d),
            Number::S16 => $wholes!(i16, $d),
            Number::U32 => $wholes!(u32, $d),
            Number::S32 => $wholes!(i32, $d),
            Number::U64 => $wholes!(u64, $d),
            Number::S64 => $wholes!(i64, $d),
            Number::F16 => $f16,
            Number::Bf16 => $bf16,
            Number::F32 => $f32,
            Number::F64 => $f64,
        }
    };
}

/// To one integer type.
macro_rules! to_one_whole {
    ($from:expr, $d:ty, $reals:ident) => {
        from!(
            $from, $d, between_wholes,
            f16: $reals!(f16, $d),
            bf16: $reals!(bf16, $d),
            f32: $reals!(f32, $d),
            f64: $reals!(f64, $d)
        )
    };
}

/// Float to float; `with` the modifiers that count there, as a function of all.
macro_rules! reals {
    ($s:ty, $d:ty) => {
        reals!($s, $d, with |flags: Flags| flags)
    };
    ($s:ty, $d:ty, with $counts:expr) => {
        reals!($s, $d, $counts, |a| between_reals::<$s, $d>(Flags::RN, a))
    };
    ($s:ty, $d:ty, plain $plain:expr) => {
        reals!($s, $d, |flags: Flags| flags, $plain)
    };
    ($s:ty, $d:ty, $counts:expr, $plain:expr) => {
        body!([D(<$d>), A(<$s>)], |r, o| {
            let flags = ($counts)(o.flags);
            if flags.is_plain() {
                unary::<$s, $d, _>(r, o, $plain)
            } else if flags.has(Flags::TO_INTEGER) {
                unary::<$s, $d, _>(r, o, |a| to_integral(flags, a))
            } else {
                unary::<$s, $d, _>(r, o, |a| between_reals(flags, a))
            }
        })
    };
}

/// bf16 to f32, where only `.ftz` counts.
const fn bf16_to_f32_definition() -> Definition {
    body!([D(<f32>), A(<bf16>)], |r, o| {
        let flags = o.flags;
        if !flags.has(Flags::FTZ) {
            unary::<bf16, f32, _>(r, o, bf16_to_f32)
        } else if flags.has(Flags::TO_INTEGER) {
            unary::<bf16, f32, _>(r, o, |a| to_integral(flags, a))
        } else {
            unary::<bf16, f32, _>(r, o, |a| between_reals(flags, a))
        }
    })
}

/// A pair of two f32.
macro_rules! pair {
    ($half:ty) => {
        body!([D(<Pair<$half>>), A(<f32>), B(<f32>)], |r, o| {
            let flags = o.flags;
            if flags.is_plain() {
                binary::<f32, f32, Pair<$half>, _>(r, o, |a, b| to_pair(Flags::RN, a, b))
            } else {
                binary::<f32, f32, Pair<$half>, _>(r, o, |a, b| to_pair(flags, a, b))
            }
        })
    };
}

impl Convert {
    /// The conversion between two types.
    ///
    /// Extending an unsigned integer, or copying one that fills its slot, leaves the same bits for
    /// a signed and for an unsigned result: that is one conversion, of unsigned types. A copy of
    /// fewer bits is not: it extends them over the slot, by zeros or by the sign.
    pub const fn new(to: Number, from: Number) -> Convert {
        match (to.integer(), from.integer()) {
            (Some((wide, _)), Some((narrow, false))) if narrow < wide => {
                Convert { to: to.unsigned(), from }
            }
            (Some((bits, true)), Some((_, true))) if to as u8 == from as u8 && bits >= 32 => {
                Convert { to: to.unsigned(), from: from.unsigned() }
            }
            _ => Convert { to, from },
        }
    }

    /// To which type.
    pub const fn to(self) -> Number {
        self.to
    }

    /// From which.
    pub const fn from(self) -> Number {
        self.from
    }

    /// All conversions.
    pub fn all() -> impl Iterator<Item = Convert> {
        let pairs = Number::ALL.iter().flat_map(|to| Number::ALL.iter().map(|from| (*to, *from)));
        let all = pairs.map(|(to, from)| Convert { to, from });
        all.filter(|convert| *convert == Convert::new(convert.to, convert.from))
    }

    /// Whether programs hardly ever use this conversion: between a float and an integer of 8 or 16
    /// bits, or between halves and any type except f32.
    const fn is_rare(self) -> bool {
        match (self.to.kind(), self.from.kind()) {
            (Kind::Small, Kind::Small | Kind::Whole) | (Kind::Whole, Kind::Small | Kind::Whole) => {
                false
            }
            (Kind::Half, Kind::Half) => self.to as u8 != self.from as u8,
            (Kind::Small | Kind::Half, _) | (_, Kind::Small | Kind::Half) => {
                !matches!(self.to, Number::F32) && !matches!(self.from, Number::F32)
                    || matches!(self.to.kind(), Kind::Small)
                    || matches!(self.from.kind(), Kind::Small)
            }
            (Kind::Whole | Kind::Float, Kind::Whole | Kind::Float) => false,
        }
    }

    pub(super) const fn definition(self) -> Definition {
        DEFINITIONS[self.to as usize][self.from as usize]
    }

    const fn made(self) -> Definition {
        match self.to {
            Number::U8 => to_one_whole!(self.from, u8, real_to_small),
            Number::S8 => to_one_whole!(self.from, i8, real_to_small),
            Number::U16 => to_one_whole!(self.from, u16, real_to_small),
            Number::S16 => to_one_whole!(self.from, i16, real_to_small),
            Number::U32 => to_one_whole!(self.from, u32, real_to_whole),
            Number::S32 => to_one_whole!(self.from, i32, real_to_whole),
            Number::U64 => to_one_whole!(self.from, u64, real_to_whole),
            Number::S64 => to_one_whole!(self.from, i64, real_to_whole),
            Number::F16 => from!(
                self.from, f16, whole_to_half,
                f16: reals!(f16, f16),
                bf16: reals!(bf16, f16),
                f32: reals!(f32, f16, with |flags: Flags| flags.without(Flags::FTZ)),
                f64: reals!(f64, f16)
            ),
            Number::Bf16 => from!(
                self.from, bf16, whole_to_half,
                f16: reals!(f16, bf16),
                bf16: reals!(bf16, bf16),
                f32: reals!(f32, bf16),
                f64: reals!(f64, bf16)
            ),
            Number::F32 => from!(
                self.from, f32, whole_to_real,
                f16: reals!(f16, f32),
                bf16: bf16_to_f32_definition(),
                f32: reals!(f32, f32, plain |a| a),
                f64: reals!(f64, f32, plain narrowed)
            ),
            Number::F64 => from!(
                self.from, f64, whole_to_real,
                f16: reals!(f16, f64),
                bf16: reals!(bf16, f64),
                f32: reals!(f32, f64, plain widened),
                f64: reals!(f64, f64, plain |a| a)
            ),
        }
    }
}

/// The conversions to each type from each. A constant, so that no loop is compiled that is in no
/// place of it.
const DEFINITIONS: &[[Definition; 12]; 12] = &{
    let mut definitions = [[Convert::new(Number::U8, Number::U8).made(); 12]; 12];
    let mut index = 0;
    while index < 12 * 12 {
        let (to, from) = (Number::ALL[index / 12], Number::ALL[index % 12]);
        let convert = Convert::new(to, from);
        let definition = convert.made();
        definitions[index / 12][index % 12] =
            if convert.is_rare() { definition } else { definition.wide() }.settled();
        index += 1;
    }
    definitions
};

/// `cvt.f32.s32`; `mov.b32` of a copy of 32 bits.
impl fmt::Display for Convert {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.to, self.from) {
            (Number::U32, Number::U32) => f.write_str("mov.b32"),
            (Number::U64, Number::U64) => f.write_str("mov.b64"),
            (to, from) => write!(f, "cvt.{}", format!("{to:?}.{from:?}").to_lowercase()),
        }
    }
}

/// `cvt.pack` with a third operand.
macro_rules! pack3 {
    ($bits:literal, $min:literal, $max:literal) => {
        lanes!(ternary(i32, i32, u32) -> u32, |a, b, c| pack(a, b, c, $bits, $min, $max))
    };
}

primitives! {
    /// Conversions of two values into the parts of one register, and to tf32.
    pub enum Packed {
        CvtF16x2F32 = pair!(f16);
        CvtBf16x2F32 = pair!(bf16);
        CvtTf32F32 = lanes!(unary(f32) -> f32, with_flags to_tf32);
        CvtPackSatU16S32 = lanes!(binary(i32, i32) -> u32, |a, b| pack(a, b, 0, 16, 0, 0xffff));
        CvtPackSatS16S32 = lanes!(binary(i32, i32) -> u32, |a, b| {
            pack(a, b, 0, 16, i16::MIN as i32, i16::MAX as i32)
        });
        CvtPackSatU8S32 = pack3!(8, 0, 255);
        CvtPackSatS8S32 = pack3!(8, -128, 127);
        CvtPackSatU4S32 = pack3!(4, 0, 15);
        CvtPackSatS4S32 = pack3!(4, -8, 7);
        CvtPackSatU2S32 = pack3!(2, 0, 3);
        CvtPackSatS2S32 = pack3!(2, -2, 1);
    }
}
