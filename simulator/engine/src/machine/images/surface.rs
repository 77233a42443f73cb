//! The addresses of surface accesses, and the values of a formatted store (PTX ISA 9.7.11), as on
//! an H200.
//!
//! A formatted store converts 32-bit values to channels. Integers that do not fit become the
//! nearest that does. A float becomes an f16, rounded towards zero. Missing channels become zero,
//! which the ISA leaves open.

use super::{Image, Shape};
use crate::element::ElementType;
use crate::lower::Outside;

/// The address of a surface access of this many bytes; `None` outside the surface. The first
/// coordinate counts units of bytes. A layer is an unsigned number.
pub(in crate::machine) fn address(
    image: &Image,
    (at, layer): ([i32; 3], u32),
    (unit, bytes): (u64, u32),
    outside: Outside,
) -> Option<u64> {
    let row = i64::from(image.extent[0]) * image.texel_bytes() as i64;
    let last = |size: u32| i64::from(size) - 1;
    let layers = match image.shape {
        Shape::Plain => 0,
        Shape::Layered | Shape::Cube | Shape::CubeLayered => last(image.slices),
    };
    let [x, y, z] = at.map(i64::from);
    let wanted = [x * unit as i64, y, z, i64::from(layer)];
    let most = [row - i64::from(bytes), last(image.extent[1]), last(image.extent[2]), layers];
    let mut place = [0; 4];
    for i in 0..4 {
        if !(0..=most[i]).contains(&wanted[i]) && outside != Outside::Clamp {
            return None;
        }
        place[i] = wanted[i].clamp(0, most[i].max(0)) as u64;
    }
    let slices = place[3] * u64::from(image.extent[2]) + place[2];
    let rows = slices * u64::from(image.extent[1]) + place[1];
    Some(image.base + rows * row as u64 + place[0])
}

/// Whether the channels of a surface are signed integers.
pub(in crate::machine) fn is_signed(image: &Image) -> bool {
    matches!(image.element, ElementType::I8 | ElementType::I16 | ElementType::I32)
}

/// A texel as words, from channels as 32-bit values.
pub(in crate::machine) fn packed(image: &Image, channels: [u32; 4]) -> [u32; 4] {
    let bits = 8 * image.element.size() as u32;
    let mut texel = 0u128;
    for (i, channel) in (0..image.channels).zip(channels) {
        texel |= u128::from(converted(image.element, bits, channel)) << (i * bits);
    }
    std::array::from_fn(|i| (texel >> (32 * i)) as u32)
}

/// A value as a channel of this many bits.
fn converted(element: ElementType, bits: u32, value: u32) -> u32 {
    let mask = u32::MAX >> (32 - bits);
    match element {
        ElementType::U8 | ElementType::U16 => value.min(mask),
        ElementType::I8 | ElementType::I16 => {
            let most = (mask >> 1) as i32;
            (value as i32).clamp(-most - 1, most) as u32 & mask
        }
        ElementType::F16 => towards_zero(f32::from_bits(value)),
        ElementType::U32
        | ElementType::I32
        | ElementType::F32
        | ElementType::U64
        | ElementType::I64
        | ElementType::Bf16
        | ElementType::F64 => value,
    }
}

/// The bits of the f16 next to a float on the side of zero. A NaN keeps the bits that fit, so a
/// signaling one stays signaling; where those are all 0, the last is set.
fn towards_zero(value: f32) -> u32 {
    if value.is_nan() {
        let bits = value.to_bits();
        return bits >> 16 & 0x8000 | 0x7c00 | (bits >> 13 & 0x3ff).max(1);
    }
    let nearest = ElementType::F16.of_float(value.into()) as u32;
    let is_beyond = ElementType::F16.float(u64::from(nearest)).abs() > f64::from(value).abs();
    // One less is the next towards zero; next to infinity it is the greatest.
    if is_beyond { nearest - 1 } else { nearest }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_become_channels_as_on_an_h200() {
        for (element, value, bits) in [
            (ElementType::F16, 0xbf6a_57d9, 0xbb52),
            (ElementType::F16, 0x4696_5d17, 0x74b2),
            // Beyond the greatest.
            (ElementType::F16, 0xc787_d016, 0xfbff),
            (ElementType::F16, 0x7f80_0000, 0x7c00),
            // NaNs; the first two are signaling.
            (ElementType::F16, 0x7fad_927f, 0x7d6c),
            (ElementType::F16, 0xff95_9e74, 0xfcac),
            (ElementType::F16, 0xffff_ff80, 0xffff),
            (ElementType::F16, 0xff80_0001, 0xfc01),
            (ElementType::U8, 300, 255),
            (ElementType::I8, -300i32 as u32, 0x80),
            (ElementType::I16, 40_000, 0x7fff),
        ] {
            let width = 8 * element.size() as u32;
            assert_eq!(converted(element, width, value), bits, "{element} {value:#x}");
        }
    }
}
