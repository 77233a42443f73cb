//! The types of a kernel's numbers, and how their values are drawn and made simpler.
//!
//! Values are passed as bits, so that every type is passed in the same way. A simple value is
//! simple for a person: zero, or the number nearest to it in the requested range.

use std::fmt::Debug;
use std::ops::RangeInclusive;

pub use half::{bf16, f16};
use rand_chacha::rand_core::Rng;
pub use warpsim_language::element::ElementType;

/// A number type that buffers and scalars can have: Rust's own, and the two 16-bit floats of the
/// crate `half`.
pub trait Element: Copy + Debug + PartialEq + PartialOrd + Send + Sync + 'static + Sealed {
    /// Which it is.
    const TYPE: ElementType;

    /// Its bits, in the low ones of 64.
    fn to_bits(self) -> u64;

    /// The number with these bits; higher bits are left out.
    fn from_bits(bits: u64) -> Self;
}

/// Keeps [`Element`] to the types that PTX knows.
pub trait Sealed {}

/// A number as Rust prints it.
pub(crate) fn shown(ty: ElementType, bits: u64) -> String {
    if ty.float(bits).is_nan() { "NaN".to_owned() } else { ty.text(bits) }
}

/// A number as Rust reads it, with its bits where no decimal says them.
pub(crate) fn literal(ty: ElementType, bits: u64) -> String {
    let is_decimal = !ty.is_float() || (!is_foreign(ty) && ty.float(bits).is_finite());
    if is_decimal { ty.text(bits) } else { format!("{}::from_bits({bits:#x})", path(ty)) }
}

/// The type as Rust names it from anywhere.
pub(crate) fn path(ty: ElementType) -> String {
    let place = if is_foreign(ty) { "warpsim::property::" } else { "" };
    format!("{place}{}", ty.rust_name())
}

/// Whether the type is none of Rust's own.
pub(crate) fn is_foreign(ty: ElementType) -> bool {
    matches!(ty, ElementType::F16 | ElementType::Bf16)
}

macro_rules! element {
    ($($ty:ident $variant:ident $to:expr, $from:expr;)*) => {
        $(
            impl Sealed for $ty {}
            impl Element for $ty {
                const TYPE: ElementType = ElementType::$variant;

                fn to_bits(self) -> u64 {
                    $to(self)
                }

                fn from_bits(bits: u64) -> $ty {
                    $from(bits)
                }
            }
        )*
    };
}

element! {
    u8 U8 u64::from, |bits| bits as u8;
    i8 I8 |value| u64::from(value as u8), |bits| bits as i8;
    u16 U16 u64::from, |bits| bits as u16;
    i16 I16 |value| u64::from(value as u16), |bits| bits as i16;
    u32 U32 u64::from, |bits| bits as u32;
    i32 I32 |value| u64::from(value as u32), |bits| bits as i32;
    u64 U64 |value| value, |bits| bits;
    i64 I64 |value| value as u64, |bits| bits as i64;
    f16 F16 |value| u64::from(f16::to_bits(value)), |bits| f16::from_bits(bits as u16);
    bf16 Bf16 |value| u64::from(bf16::to_bits(value)), |bits| bf16::from_bits(bits as u16);
    f32 F32 |value| u64::from(f32::to_bits(value)), |bits| f32::from_bits(bits as u32);
    f64 F64 f64::to_bits, f64::from_bits;
}

/// Which values a number may have.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Range {
    /// Any of the type; of floats any bits at all, with infinities and NaNs among them.
    Any,
    /// From the first to the second, by their bits, both included.
    Between(u64, u64),
}

impl Range {
    pub(crate) fn of<T: Element>(range: &RangeInclusive<T>) -> Range {
        Range::Between(range.start().to_bits(), range.end().to_bits())
    }

    /// Whether there is a value in it.
    pub(crate) fn is_empty(&self, ty: ElementType) -> bool {
        let Range::Between(low, high) = *self else { return false };
        match (ty.integer(low), ty.integer(high)) {
            (Some(low), Some(high)) => low > high,
            _ => {
                let (low, high) = (ty.float(low), ty.float(high));
                !(low <= high && low.is_finite() && high.is_finite())
            }
        }
    }

    /// The value nearest to zero.
    pub(crate) fn simplest(&self, ty: ElementType) -> u64 {
        let Range::Between(low, high) = *self else { return 0 };
        match (ty.integer(low), ty.integer(high)) {
            (Some(first), Some(last)) if first > 0 || last < 0 => {
                if first > 0 {
                    low
                } else {
                    high
                }
            }
            (None, None) if ty.float(low) > 0.0 => low,
            (None, None) if ty.float(high) < 0.0 => high,
            _ => 0,
        }
    }

    /// A value: one in four of the awkward ones, one in four small, else uniform.
    pub(crate) fn draw(&self, ty: ElementType, random: &mut impl Rng) -> u64 {
        let (low, high) = match (self, ty.integer_range()) {
            (Range::Any, None) => return any_float(ty, random),
            (Range::Any, Some(limits)) => limits,
            (Range::Between(low, high), _) => match (ty.integer(*low), ty.integer(*high)) {
                (Some(low), Some(high)) => (low, high),
                _ => return float_between(ty, ty.float(*low), ty.float(*high), random),
            },
        };
        let uniform = |first: i128, last: i128, random: &mut dyn FnMut() -> u64| {
            let wide = (i128::from(random()) << 32) ^ i128::from(random());
            first + wide.rem_euclid((last - first).max(0) + 1)
        };
        let awkward = [0, 1, -1, low, high, low + 1, high - 1, (low + high) / 2];
        let kind = random.next_u32() % 4;
        let mut next = || random.next_u64();
        let value = match kind {
            0 => awkward[(next() % 8) as usize],
            1 => uniform(-16, 16, &mut next),
            _ => uniform(low, high, &mut next),
        };
        ty.of_integer(value.clamp(low, high.max(low)))
    }
}

/// A float between two, which are of the type.
fn float_between(ty: ElementType, low: f64, high: f64, random: &mut impl Rng) -> u64 {
    let part = (random.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    ty.of_float((low * (1.0 - part) + high * part).clamp(low, high))
}

/// Any float: half of them small integers and awkward values, half any bits.
fn any_float(ty: ElementType, random: &mut impl Rng) -> u64 {
    const AWKWARD: [f64; 8] =
        [0.0, -0.0, 1.0, -1.0, 0.5, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    let bits = random.next_u64();
    match random.next_u32() % 4 {
        0 => ty.of_float(AWKWARD[(bits % 8) as usize]),
        1 => ty.of_integer(i128::from(bits % 2001) - 1000),
        _ => bits & ty.mask(),
    }
}

/// The steps by which an integer is made smaller when no halving does it.
const SMALL_STEPS: u32 = 8;

/// The attempt of this number at a value nearer to `to`: by the whole way from `from`, by half of
/// it and so on down to 1, then by 2 to [`SMALL_STEPS`]; `None` when there is no such attempt.
pub(crate) fn nearer(ty: ElementType, from: u64, to: u64, attempt: u32) -> Option<u64> {
    let candidate = match (ty.integer(from), ty.integer(to)) {
        (Some(from), Some(to)) => {
            let way = (from - to).unsigned_abs();
            let halvings = u128::BITS - way.leading_zeros();
            let step = match attempt.checked_sub(halvings) {
                None => way >> attempt,
                Some(more) if more + 2 <= SMALL_STEPS => u128::from(more + 2),
                Some(_) => return None,
            };
            (step <= way).then(|| ty.of_integer(from - (from - to).signum() * step as i128))
        }
        _ => nearer_float(ty, ty.float(from), ty.float(to), attempt),
    };
    candidate.filter(|candidate| *candidate != from)
}

/// Floats become their integer part, or half as far away.
fn nearer_float(ty: ElementType, from: f64, to: f64, attempt: u32) -> Option<u64> {
    match attempt {
        0 => Some(ty.of_float(to)),
        1 if !from.is_finite() => Some(ty.of_float(to + 1.0)),
        1 if from.trunc() != from && (from.trunc() - to).abs() < (from - to).abs() => {
            Some(ty.of_float(from.trunc()))
        }
        2 if (from - to).abs() >= 2.0 => Some(ty.of_float(((from + to) / 2.0).trunc())),
        _ => None,
    }
}
