//! f16 and bf16 arithmetic (PTX ISA 9.7.4), by the rules in [`crate::lanes::scalar::halves`].
//!
//! Each operation is computed in f64, rounded to odd if it is not exact, and rounded once to
//! nearest even.

use half::{bf16, f16};

use super::rounding::{Direction, Format, odd_sum};
use crate::lanes::Flags;

/// A 16-bit floating-point type.
pub(super) trait Half: Copy + PartialOrd {
    /// The NaN of its results.
    const NAN: Self;
    /// Its format, for rounding.
    const FORMAT: Format;
    /// The bits.
    fn bits(self) -> u16;
    /// From bits.
    fn of_bits(bits: u16) -> Self;
    /// The value, exactly.
    fn value(self) -> f64;
    /// From a value that is representable.
    fn exactly(value: f64) -> Self;
    /// Whether the bits represent a subnormal number.
    fn is_subnormal(self) -> bool;

    /// The nearest value in a direction; every NaN gives the one NaN.
    fn rounded(value: f64, direction: Direction) -> Self {
        if value.is_nan() { Self::NAN } else { Self::exactly(Self::FORMAT.round(value, direction)) }
    }
    /// Whether it is NaN.
    fn is_nan(self) -> bool {
        self.value().is_nan()
    }
    /// `.ftz`, when asked for.
    fn flushed(self, flags: Flags) -> Self {
        let zero = flags.has(Flags::FTZ) && self.is_subnormal();
        if zero { Self::of_bits(self.bits() & 0x8000) } else { self }
    }
}

/// Two to the difference of the exponent biases of f64 and f16, and its reciprocal.
const BIAS_UP: f64 = f64::from_bits((1008 + 1023) << 52);
const BIAS_DOWN: f64 = f64::from_bits((1023 - 1008) << 52);

impl Half for f16 {
    const NAN: f16 = f16::from_bits(0x7fff);
    const FORMAT: Format = Format::F16;
    fn bits(self) -> u16 {
        self.to_bits()
    }
    fn of_bits(bits: u16) -> f16 {
        f16::from_bits(bits)
    }
    fn value(self) -> f64 {
        // The fields of a f16 in the fields of a f64, with the exponent moved by the difference of
        // the biases. Subnormals come out right too.
        let bits = self.to_bits() as u64;
        let finite = f64::from_bits((bits & 0x7fff) << 42) * BIAS_UP;
        let magnitude = match bits & 0x7fff {
            0x7c00 => f64::INFINITY,
            // Quiet, with its payload.
            0x7c01.. => f64::from_bits(0x7ff8 << 48 | (bits & 0x3ff) << 42),
            _ => finite,
        };
        if bits & 0x8000 != 0 { -magnitude } else { magnitude }
    }
    fn exactly(value: f64) -> f16 {
        let magnitude = ((value.abs() * BIAS_DOWN).to_bits() >> 42) as u16;
        let magnitude = if value.is_infinite() { 0x7c00 } else { magnitude };
        f16::from_bits(magnitude | (value.is_sign_negative() as u16) << 15)
    }
    fn is_subnormal(self) -> bool {
        self.to_bits() & 0x7c00 == 0 && self.to_bits() & 0x3ff != 0
    }
}

impl Half for bf16 {
    const NAN: bf16 = bf16::from_bits(0x7fff);
    const FORMAT: Format = Format::BF16;
    fn bits(self) -> u16 {
        self.to_bits()
    }
    fn of_bits(bits: u16) -> bf16 {
        bf16::from_bits(bits)
    }
    fn value(self) -> f64 {
        f32::from_bits((self.to_bits() as u32) << 16) as f64
    }
    fn exactly(value: f64) -> bf16 {
        bf16::from_bits(((value as f32).to_bits() >> 16) as u16)
    }
    fn is_subnormal(self) -> bool {
        self.to_bits() & 0x7f80 == 0 && self.to_bits() & 0x7f != 0
    }
}

/// Rounds a result and applies `.ftz`, `.sat` and `.relu`.
fn finish<H: Half>(flags: Flags, value: f64) -> H {
    let tiny = flags.has(Flags::FTZ) && H::FORMAT.is_tiny(value, Direction::NearestEven);
    let value = if tiny { 0f64.copysign(value) } else { value };
    let result = H::rounded(value, Direction::NearestEven);
    if flags.has(Flags::SAT) {
        let value = result.value();
        H::exactly(if value > 0.0 { value.min(1.0) } else { 0.0 })
    } else if flags.has(Flags::RELU) && result.value() <= 0.0 {
        H::exactly(0.0)
    } else {
        result
    }
}

/// `add`.
pub(super) fn add<H: Half>(flags: Flags, a: H, b: H) -> H {
    finish(flags, odd_sum(a.flushed(flags).value(), b.flushed(flags).value()))
}

/// `sub`.
pub(super) fn sub<H: Half>(flags: Flags, a: H, b: H) -> H {
    finish(flags, odd_sum(a.flushed(flags).value(), -b.flushed(flags).value()))
}

/// `mul`.
pub(super) fn mul<H: Half>(flags: Flags, a: H, b: H) -> H {
    finish(flags, a.flushed(flags).value() * b.flushed(flags).value())
}

/// `fma`, with `.relu` and `.oob`: an out-of-bounds NaN as a or b makes the result 0. The ISA does
/// not say which NaN that is; on an H200 it is 0x7ff7, of either sign.
pub(super) fn fma<H: Half>(flags: Flags, a: H, b: H, c: H) -> H {
    let out_of_bounds = |x: H| x.bits() & 0x7fff == 0x7ff7;
    if flags.has(Flags::OOB) && (out_of_bounds(a) || out_of_bounds(b)) {
        return H::exactly(0.0);
    }
    let product = a.flushed(flags).value() * b.flushed(flags).value();
    finish(flags, odd_sum(product, c.flushed(flags).value()))
}

/// `neg`.
pub(super) fn neg<H: Half>(flags: Flags, a: H) -> H {
    if a.is_nan() { H::NAN } else { H::of_bits(a.flushed(flags).bits() ^ 0x8000) }
}

/// `abs`.
pub(super) fn abs<H: Half>(flags: Flags, a: H) -> H {
    if a.is_nan() { H::NAN } else { H::of_bits(a.flushed(flags).bits() & 0x7fff) }
}

/// `min`.
pub(super) fn min<H: Half>(flags: Flags, a: H, b: H) -> H {
    extremum(flags, false, a, b)
}

/// `max`.
pub(super) fn max<H: Half>(flags: Flags, a: H, b: H) -> H {
    extremum(flags, true, a, b)
}

/// `min` and `max`: as for f32, -0 is below +0, and a NaN loses except with `.NaN`.
fn extremum<H: Half>(flags: Flags, greatest: bool, a: H, b: H) -> H {
    let (a, b) = (a.flushed(flags), b.flushed(flags));
    let sign = (a.bits() ^ b.bits()) & 0x8000;
    let signed = flags.has(Flags::XORSIGN);
    let bare = |x: H| if signed { H::of_bits(x.bits() & 0x7fff) } else { x };
    let (a, b) = (bare(a), bare(b));
    let first = match a.partial_cmp(&b) {
        None if flags.has(Flags::NAN) || (a.is_nan() && b.is_nan()) => return H::NAN,
        None => b.is_nan(),
        Some(std::cmp::Ordering::Equal) => (a.bits() & 0x8000 == 0) == greatest,
        Some(order) => order.is_gt() == greatest,
    };
    let chosen = if first { a } else { b };
    if signed { H::of_bits(chosen.bits() | sign) } else { chosen }
}

/// `ex2.approx`.
pub(super) fn ex2<H: Half>(flags: Flags, a: H) -> H {
    H::rounded(super::approx::exp2(a.flushed(flags).value()), Direction::NearestEven).flushed(flags)
}

/// `tanh.approx`.
pub(super) fn tanh<H: Half>(flags: Flags, a: H) -> H {
    H::rounded(super::approx::tanh(a.flushed(flags).value()), Direction::NearestEven)
}

/// Two values in a 32-bit register, the first in its lower half.
#[derive(Clone, Copy)]
pub(super) struct Pair<H>(pub(super) H, pub(super) H);

impl<H: Half> Pair<H> {
    /// Out of a register.
    pub(super) fn of_bits(bits: u32) -> Pair<H> {
        Pair(H::of_bits(bits as u16), H::of_bits((bits >> 16) as u16))
    }

    /// The register.
    pub(super) fn bits(self) -> u32 {
        self.0.bits() as u32 | (self.1.bits() as u32) << 16
    }
}
