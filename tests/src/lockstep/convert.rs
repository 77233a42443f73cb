//! Conversions of the naive interpreter: of integers, and to and from floats of 8 and 16 bits by a
//! search through all numbers of the format (PTX ISA 9.7.9.21).

use super::numbers::{F16, Format, nearest, value};

/// Eight bits: of e4m3 only all ones is a NaN.
const E4M3: Format = Format { exponent: 4, fraction: 3, infinite: false };
const E5M2: Format = Format { exponent: 5, fraction: 2, infinite: true };

pub(super) fn converted(name: &str, values: &[u128]) -> u128 {
    let modifiers: Vec<&str> = name.split('.').skip(1).collect();
    let [.., to, from] = modifiers.as_slice() else { panic!("{name}") };
    let relu = modifiers.contains(&"relu");
    match (*to, *from) {
        ("u16", "u32") => values[0] & 0xffff,
        ("u64", "u32") => values[0] & 0xffff_ffff,
        ("e4m3x2" | "e5m2x2", "f32") => {
            let half = |bits: u128| narrow(to, f64::from(f32::from_bits(bits as u32)), relu);
            half(values[1]) | half(values[0]) << 8
        }
        ("e4m3x2" | "e5m2x2", "f16x2") => {
            let half = |shift: u32| {
                let bits = (values[0] >> shift) as u32 & 0xffff;
                narrow(to, value(F16, bits).unwrap_or(f64::NAN), relu)
            };
            half(0) | half(16) << 8
        }
        ("f16x2", "e4m3x2" | "e5m2x2") => {
            let half = |shift: u32| wide(from, (values[0] >> shift) as u32 & 0xff, relu);
            half(0) | half(8) << 16
        }
        _ => panic!("the reference does not know {name}"),
    }
}

fn format(ty: &str) -> Format {
    if ty.starts_with("e4m3") { E4M3 } else { E5M2 }
}

/// The number that eight bits encode.
fn small(ty: &str, bits: u32) -> Option<f64> {
    if ty.starts_with("e4m3") && bits & 0x7f == 0x7f { None } else { value(format(ty), bits) }
}

/// The finite number of the format nearest to a number, with the even fraction of two; a NaN stays
/// one.
fn narrow(ty: &str, number: f64, relu: bool) -> u128 {
    if number.is_nan() {
        return 0x7f;
    }
    if relu && number.is_sign_negative() {
        return 0;
    }
    let sign = if number.is_sign_negative() { 0x80 } else { 0 };
    let most = small(ty, largest(ty)).expect("a number");
    let size = number.abs().min(most);
    let distance = |bits: &u32| {
        let near = small(ty, *bits).filter(|x| x.is_finite());
        near.map(|x| ((x - size).abs(), bits & 1))
    };
    let all = (0..0x80u32).filter_map(|bits| Some((distance(&bits)?, bits)));
    let best = all.min_by(|(a, _), (b, _)| a.partial_cmp(b).expect("numbers"));
    let (_, bits) = best.expect("there are numbers");
    u128::from(sign | bits)
}

/// The bits of the largest finite number.
fn largest(ty: &str) -> u32 {
    if ty.starts_with("e4m3") { 0x7e } else { 0x7b }
}

fn wide(ty: &str, bits: u32, relu: bool) -> u128 {
    match small(ty, bits) {
        None => 0x7fff,
        Some(number) if relu && number.is_sign_negative() => 0,
        Some(number) => nearest(F16, number).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_eight_bits_are_those_of_the_isa() {
        assert_eq!(small("e4m3", 0x7e), Some(448.0));
        assert_eq!(small("e5m2", 0x7b), Some(57344.0));
        assert_eq!(
            (small("e4m3", 1), small("e5m2", 1)),
            (Some(2f64.powi(-9)), Some(2f64.powi(-16)))
        );
        assert_eq!((narrow("e4m3x2", 1000.0, false), narrow("e5m2x2", -1e9, false)), (0x7e, 0xfb));
        assert_eq!(
            (narrow("e4m3x2", 1.0625, false), narrow("e4m3x2", 1.1875, false)),
            (0x38, 0x3a)
        );
    }
}
