//! Floats of the naive interpreter, by their definition: a table of all numbers of a small format,
//! and the nearest of them.

/// Bits of exponent and of fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Format {
    pub(super) exponent: u32,
    pub(super) fraction: u32,
    /// Whether the largest exponent is for infinities and NaNs.
    pub(super) infinite: bool,
}

pub(super) const F16: Format = Format { exponent: 5, fraction: 10, infinite: true };
pub(super) const BF16: Format = Format { exponent: 8, fraction: 7, infinite: true };

/// The value of the bits of a format; `None` for a NaN of one with infinities.
pub(super) fn value(format: Format, bits: u32) -> Option<f64> {
    let Format { exponent, fraction, infinite } = format;
    let (top, bias) = ((1u32 << exponent) - 1, (1i32 << (exponent - 1)) - 1);
    let field = bits >> fraction & top;
    let rest = f64::from(bits & ((1 << fraction) - 1));
    let one = 2f64.powi(fraction as i32);
    let magnitude = match field {
        f if f == top && infinite && rest != 0.0 => return None,
        f if f == top && infinite => f64::INFINITY,
        0 => rest / one * 2f64.powi(1 - bias),
        f => (one + rest) / one * 2f64.powi(f as i32 - bias),
    };
    Some(if bits >> (exponent + fraction) & 1 == 1 { -magnitude } else { magnitude })
}

/// The bits of the nearest number of a format, or the even one of two. A number beyond the largest
/// by half a step or more is `2 ^ exponent` of the next, which the caller looks at.
pub(super) fn nearest(format: Format, number: f64) -> u32 {
    let Format { exponent, fraction, .. } = format;
    let sign = u32::from(number.is_sign_negative()) << (exponent + fraction);
    let bias = (1i32 << (exponent - 1)) - 1;
    let magnitude = number.abs();
    if magnitude.is_infinite() {
        return sign | ((1 << exponent) - 1) << fraction;
    }
    let mut scale = 1 - bias;
    while scale < bias + 1 && magnitude >= 2f64.powi(scale + 1) {
        scale += 1;
    }
    // A step of the fraction may be too small for a f64's power: in two parts.
    let steps = (magnitude * 2f64.powi(-scale)) * 2f64.powi(fraction as i32);
    let steps = steps.round_ties_even() as u64;
    let bits = (((scale + bias - 1) as u64) << fraction) + steps;
    sign | bits.min(u64::from(u32::MAX >> 1)) as u32
}

/// The sum, the lesser or the greater of two halves.
pub(super) fn half(operation: &str, ty: &str, a: u16, b: u16) -> u16 {
    let format = if ty == "bf16" { BF16 } else { F16 };
    let (x, y) = (value(format, a.into()), value(format, b.into()));
    match (operation, x, y) {
        // A sum of two halves has so few bits that rounding it twice is rounding it once.
        ("add", Some(x), Some(y)) if !(x + y).is_nan() => {
            let infinity = ((1u32 << format.exponent) - 1) << format.fraction;
            let bits = nearest(format, x + y);
            (bits & 0x8000 | (bits & 0x7fff).min(infinity)) as u16
        }
        ("add", ..) => 0x7fff,
        (_, Some(_), None) => a,
        (_, None, Some(_)) => b,
        (_, None, None) => 0x7fff,
        (_, Some(x), Some(y)) => {
            let b_is_above = y > x || y == x && a >> 15 > b >> 15;
            if b_is_above == (operation == "max") { b } else { a }
        }
    }
}

/// The sum of two f32 that are finite.
pub(super) fn sum(a: u32, b: u32, flushes: bool) -> u32 {
    let flushed = |bits: u32| match flushes && bits & 0x7f80_0000 == 0 {
        true => bits & 0x8000_0000,
        false => bits,
    };
    flushed((f32::from_bits(flushed(a)) + f32::from_bits(flushed(b))).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_are_those_of_the_standard() {
        assert_eq!(
            [0x3c00, 0xc000, 0x0001].map(|b| value(F16, b)),
            [1.0, -2.0, 2f64.powi(-24)].map(Some)
        );
        assert_eq!([0x3f80, 0x0001].map(|b| value(BF16, b)), [1.0, 2f64.powi(-133)].map(Some));
        for format in [F16, BF16] {
            let infinity = ((1 << format.exponent) - 1) << format.fraction;
            for bits in (0..=infinity).chain(0x8000..=0x8000 + infinity) {
                assert_eq!(nearest(format, value(format, bits).unwrap()), bits);
            }
        }
        assert_eq!(half("add", "f16", 0x3c00, 0x1000), 0x3c00);
        assert_eq!(half("add", "f16", 0x7bff, 0x7bff), 0x7c00);
        assert_eq!(half("add", "bf16", 0x3f80, 0x3b80), 0x3f80);
        assert_eq!((half("max", "f16", 0, 0x8000), half("min", "f16", 0, 0x8000)), (0, 0x8000));
    }
}
