//! f16 and bf16 arithmetic (PTX ISA 9.7.4), alone and in pairs.
//!
//! Each operation is computed in f32, or for `fma` of bf16 in f64, and rounded once more, to
//! nearest even. The significand of f32 has at least twice the bits of f16 and bf16, plus two. So
//! the first rounding does not change sums and products (S. A. Figueroa, 1995). For `fma` the first
//! rounding is to odd. Subnormals are kept; `.ftz` (f16 only) flushes them. A NaN result is 0x7fff.

use half::{bf16, f16};

use super::exact::{double, odd_single, single};
use super::rounding::{Direction, Format};
use crate::lanes::{Flags, Value};
use crate::ptx::Type;

/// The bits of a f32 without its sign.
const MAGNITUDE: u32 = 0x7fff_ffff;

/// The bits of infinity of f32.
const INFINITY: u32 = 0x7f80_0000;

/// A 16-bit floating-point type.
pub(crate) trait Half: Copy + PartialOrd {
    /// The NaN of its results.
    const NAN: Self;
    /// Its format, for rounding.
    const FORMAT: Format;
    /// The bits of infinity.
    const INFINITE: u16;
    /// The bits of the least normal number.
    const NORMAL: u16;
    /// The bits.
    fn bits(self) -> u16;
    /// From bits.
    fn of_bits(bits: u16) -> Self;
    /// The value, exactly.
    fn single(self) -> f32;
    /// The nearest value of a f32 in a direction; every NaN gives the one NaN.
    fn of_single(value: f32, direction: Direction) -> Self;
    /// The nearest value of a f64 in a direction; every NaN gives the one NaN.
    #[inline(always)]
    fn rounded(value: f64, direction: Direction) -> Self {
        Self::of_single(odd_single(value, 0.0), direction)
    }
    /// `a * b + c`, exact or rounded to odd, as a f32 that rounds to nearest as it would.
    fn fused(a: Self, b: Self, c: Self) -> f32;

    /// The value, exactly.
    #[inline(always)]
    fn value(self) -> f64 {
        self.single() as f64
    }
    /// Whether it is NaN.
    #[inline(always)]
    fn is_nan(self) -> bool {
        self.bits() & 0x7fff > Self::INFINITE
    }
    /// `.ftz`, when asked for.
    #[inline(always)]
    fn flushed(self, flags: Flags) -> Self {
        let zero = flags.has(Flags::FTZ) & (self.bits() & 0x7fff < Self::NORMAL);
        Self::of_bits(if zero { self.bits() & 0x8000 } else { self.bits() })
    }
}

/// The sign bit of a f32 as the sign bit of a half.
#[inline(always)]
fn sign_of(x: f32) -> u32 {
    x.to_bits() >> 16 & 0x8000
}

impl Half for f16 {
    const NAN: f16 = f16::from_bits(0x7fff);
    const FORMAT: Format = Format::F16;
    const INFINITE: u16 = 0x7c00;
    const NORMAL: u16 = 0x0400;
    #[inline(always)]
    fn bits(self) -> u16 {
        self.to_bits()
    }
    #[inline(always)]
    fn of_bits(bits: u16) -> f16 {
        f16::from_bits(bits)
    }
    #[inline(always)]
    fn single(self) -> f32 {
        // The fields of a f16 in the fields of a f32, with the exponent moved by the difference of
        // the biases. Subnormals come out right too, and NaN keep their payload.
        const BIAS: f32 = f32::from_bits((127 + 127 - 15) << 23);
        const BEYOND: f32 = 65536.0;
        let fields = ((self.to_bits() as u32) << 16) as i32 >> 3;
        let value = f32::from_bits(fields as u32 & 0x8fff_e000) * BIAS;
        let other = if value.abs() >= BEYOND { INFINITY } else { 0 };
        f32::from_bits(value.to_bits() | other)
    }
    #[inline(always)]
    fn of_single(value: f32, direction: Direction) -> f16 {
        // Adding this number to a magnitude leaves no bits below the last one of a f16. The number
        // is 2^13 times the power of two in the magnitude, or in the least normal number.
        const ROUNDER: u32 = 13 << 23;
        const LEAST: u32 = (127 - 14) << 23;
        const BEYOND: f32 = 65536.0;
        const UNBIAS: f32 = f32::from_bits(15 << 23);
        let negative = value.is_sign_negative();
        let size = value.to_bits() & MAGNITUDE;
        let limited = f32::from_bits(size);
        let limited = if limited < BEYOND { limited } else { BEYOND };
        let power = limited.to_bits() & INFINITY;
        let power = if power > LEAST { power } else { LEAST };
        let rounder = f32::from_bits(power + ROUNDER);
        let near = (limited + rounder) - rounder;
        // The quantum is 2^-10 of the power.
        let quantum = f32::from_bits(power - (10 << 23));
        let less = if direction.cuts(negative) & (near > limited) { quantum } else { 0.0 };
        let more = if direction.raises(negative) & (near < limited) { quantum } else { 0.0 };
        let rounded = (near - less) + more;
        let finite = (rounded * UNBIAS).to_bits() >> 13;
        let stays = direction.cuts(negative) & (finite > 0x7bff) & (size < INFINITY);
        let finite = if stays { 0x7bff } else { finite };
        let bits = if size > INFINITY { 0x7fff } else { finite | sign_of(value) };
        f16::from_bits(bits as u16)
    }
    #[inline(always)]
    fn fused(a: f16, b: f16, c: f16) -> f32 {
        // The product is exact in f32.
        single::odd_sum(a.single() * b.single(), c.single())
    }
}

impl Half for bf16 {
    const NAN: bf16 = bf16::from_bits(0x7fff);
    const FORMAT: Format = Format::BF16;
    const INFINITE: u16 = 0x7f80;
    const NORMAL: u16 = 0x0080;
    #[inline(always)]
    fn bits(self) -> u16 {
        self.to_bits()
    }
    #[inline(always)]
    fn of_bits(bits: u16) -> bf16 {
        bf16::from_bits(bits)
    }
    #[inline(always)]
    fn single(self) -> f32 {
        f32::from_bits((self.to_bits() as u32) << 16)
    }
    #[inline(always)]
    fn of_single(value: f32, direction: Direction) -> bf16 {
        // A f32 with fewer bits, subnormals included.
        let size = value.to_bits() & MAGNITUDE;
        let bias = direction.bias(size, 16, value.is_sign_negative());
        let rounded = size.wrapping_add(bias) >> 16;
        let bits = if size > INFINITY { 0x7fff } else { rounded | sign_of(value) };
        bf16::from_bits(bits as u16)
    }
    #[inline(always)]
    fn fused(a: bf16, b: bf16, c: bf16) -> f32 {
        // The product may be too large or too small for f32.
        let (sum, rest) = double::two_sum(a.value() * b.value(), c.value());
        odd_single(sum, rest)
    }
}

/// Rounds a result and applies `.ftz`, `.sat` and `.relu`.
///
/// The last two do not mind whether they see it before or after it is rounded. `.ftz` flushes what
/// would be below the normal numbers if exponents had no bound; up to half a step below the least
/// one it would be that.
#[inline(always)]
fn finish<H: Half>(flags: Flags, value: f32) -> H {
    let tiny =
        const { (H::FORMAT.least() * (1.0 - 1.0 / (2u32 << H::FORMAT.precision()) as f64)) as f32 };
    let flushed = flags.has(Flags::FTZ) & (value.abs() < tiny);
    let value = if flushed { 0f32.copysign(value) } else { value };
    let positive = if value > 0.0 { value } else { 0.0 };
    let clamped = if positive < 1.0 { positive } else { 1.0 };
    let cut = if value.is_nan() { value } else { positive };
    let limited = if flags.has(Flags::RELU) { cut } else { value };
    let limited = if flags.has(Flags::SAT) { clamped } else { limited };
    H::of_single(limited, Direction::NearestEven)
}

/// `add`.
#[inline(always)]
pub(crate) fn add<H: Half>(flags: Flags, a: H, b: H) -> H {
    finish(flags, a.flushed(flags).single() + b.flushed(flags).single())
}

/// `sub`.
#[inline(always)]
pub(crate) fn sub<H: Half>(flags: Flags, a: H, b: H) -> H {
    finish(flags, a.flushed(flags).single() - b.flushed(flags).single())
}

/// `mul`: exact in f32, except below half of the least subnormal bf16.
#[inline(always)]
pub(crate) fn mul<H: Half>(flags: Flags, a: H, b: H) -> H {
    finish(flags, a.flushed(flags).single() * b.flushed(flags).single())
}

/// `fma`, with `.relu` and `.oob`: an out-of-bounds NaN as a or b makes the result 0. The ISA does
/// not say which NaN that is; on an H200 it is 0x7ff7, of either sign.
#[inline(always)]
pub(crate) fn fma<H: Half>(flags: Flags, a: H, b: H, c: H) -> H {
    let out_of_bounds = |x: H| x.bits() & 0x7fff == 0x7ff7;
    let zero = flags.has(Flags::OOB) & (out_of_bounds(a) | out_of_bounds(b));
    let exact = H::fused(a.flushed(flags), b.flushed(flags), c.flushed(flags));
    let result: H = finish(flags, exact);
    H::of_bits(if zero { 0 } else { result.bits() })
}

/// `neg`.
#[inline(always)]
pub(crate) fn neg<H: Half>(flags: Flags, a: H) -> H {
    let result = a.flushed(flags).bits() ^ 0x8000;
    H::of_bits(if a.is_nan() { H::NAN.bits() } else { result })
}

/// `abs`.
#[inline(always)]
pub(crate) fn abs<H: Half>(flags: Flags, a: H) -> H {
    let result = a.flushed(flags).bits() & 0x7fff;
    H::of_bits(if a.is_nan() { H::NAN.bits() } else { result })
}

/// `min`.
#[inline(always)]
pub(crate) fn min<H: Half>(flags: Flags, a: H, b: H) -> H {
    extremum(flags, false, a, b)
}

/// `max`.
#[inline(always)]
pub(crate) fn max<H: Half>(flags: Flags, a: H, b: H) -> H {
    extremum(flags, true, a, b)
}

/// `min` and `max`: as for f32, -0 is below +0, and a NaN loses except with `.NaN`.
#[inline(always)]
fn extremum<H: Half>(flags: Flags, greatest: bool, a: H, b: H) -> H {
    let (a, b) = (a.flushed(flags).bits(), b.flushed(flags).bits());
    let signed = flags.has(Flags::XORSIGN);
    let sign = if signed { (a ^ b) & 0x8000 } else { 0 };
    let bare = if signed { 0x7fff } else { 0xffff };
    let (a, b) = (a & bare, b & bare);
    let (a_lost, b_lost) = (a & 0x7fff > H::INFINITE, b & 0x7fff > H::INFINITE);
    let lost = if flags.has(Flags::NAN) { a_lost | b_lost } else { a_lost & b_lost };
    // The bits as integers in the order of the numbers.
    let order = |bits: u16| bits as i16 ^ (bits as i16 >> 15 & 0x7fff);
    let first = if greatest { order(a) >= order(b) } else { order(a) <= order(b) };
    let chosen = if (first | b_lost) & !a_lost { a } else { b };
    H::of_bits(if lost { H::NAN.bits() } else { chosen | sign })
}

/// `ex2.approx`.
#[inline(always)]
pub(crate) fn ex2<H: Half>(flags: Flags, a: H) -> H {
    let power = super::approx::exp2_short(a.flushed(flags).value());
    H::rounded(power, Direction::NearestEven).flushed(flags)
}

/// `tanh.approx`.
#[inline(always)]
pub(crate) fn tanh<H: Half>(flags: Flags, a: H) -> H {
    H::rounded(super::approx::tanh_short(a.flushed(flags).value()), Direction::NearestEven)
}

macro_rules! pairs {
    ($($half:ty => $ptx:ident;)*) => {
        $(impl Value for Pair<$half> {
            type Word = u32;
            const TYPE: Type = Type::$ptx;
            #[inline(always)]
            fn of(word: u32) -> Self {
                Pair::of_bits(word)
            }
            #[inline(always)]
            fn word(self) -> u32 {
                self.bits()
            }
        })*
    };
}

pairs! {
    f16 => F16x2;
    bf16 => Bf16x2;
}

/// Two values in a 32-bit register, the first in its lower half.
#[derive(Clone, Copy)]
pub(crate) struct Pair<H>(pub(crate) H, pub(crate) H);

impl<H: Half> Pair<H> {
    /// Out of a register.
    #[inline(always)]
    pub(crate) fn of_bits(bits: u32) -> Pair<H> {
        Pair(H::of_bits(bits as u16), H::of_bits((bits >> 16) as u16))
    }

    /// The register.
    #[inline(always)]
    pub(crate) fn bits(self) -> u32 {
        self.0.bits() as u32 | (self.1.bits() as u32) << 16
    }
}

/// An operation on both halves of two pairs.
#[inline(always)]
pub(crate) fn each_2<H: Half>(f: impl Fn(H, H) -> H, a: Pair<H>, b: Pair<H>) -> Pair<H> {
    Pair(f(a.0, b.0), f(a.1, b.1))
}
