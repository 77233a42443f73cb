//! The texels of a coordinate, and their weights (CUDA C++ Programming Guide, "Texture Fetching"),
//! as on an H200, bit for bit.
//!
//! With N texels along a direction, texel i covers the coordinates from i to i + 1. A normalised
//! coordinate is cut off after 21 bits of fraction and multiplied by N. It keeps 22 bits where N is
//! above 8192, 23 above 65536; a depth keeps 22 above 2048. A point filter uses the texel at the
//! coordinate. A linear filter uses the two around x - 0.5, weighted by the fraction: x - 0.5 is
//! rounded to 256ths, half up. Offsets are added after that; 4 bits of them count. Outside texels
//! are moved inside one by one. Clamping moves the coordinate, except for `tld4`. A NaN and a
//! subnormal are zero.
//!
//! The weights of a cell are split along z, then x, then y, each time with one rounding to a 256th.

use super::{AddressMode, Sampler};

/// The texels around a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cell {
    /// The texel that contains it.
    One,
    /// The two texels around it, with their weights: clamping moves the coordinate.
    Weighted,
    /// The two texels as they are, for `tld4`: clamping moves each texel.
    Gathered,
}

/// The texels along one direction and their weight. `None` is outside, at the border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Along {
    /// The texel at or before the coordinate, and the next.
    pub texels: [Option<u32>; 2],
    /// The weight of the second, in 256ths.
    pub weight: u32,
}

impl Along {
    /// A direction with one texel, which alone counts.
    pub(super) const ONE: Along = Along { texels: [Some(0); 2], weight: 0 };
}

/// The bits of fraction of a normalised coordinate along the direction i of this size. Measured
/// around each power of two for width and height; of depths, 6 has 21 and 3000 has 22.
fn fraction_bits(i: usize, size: u32) -> i32 {
    match (i, size) {
        (2, 2049..) => 22,
        (_, ..=8192) => 21,
        (_, 8193..=65_536) => 22,
        (_, 65_537..) => 23,
    }
}

/// Whether texels repeat. Otherwise modes that ask for repetition clamp.
fn repeats(sampler: &Sampler) -> bool {
    sampler.normalized && matches!(sampler.address, AddressMode::Wrap | AddressMode::Mirror)
}

/// A coordinate in texels.
fn in_texels(sampler: &Sampler, coordinate: f32, (i, size): (usize, u32)) -> f64 {
    let x = match coordinate.is_nan() || coordinate.is_subnormal() {
        true => 0.0,
        false => f64::from(coordinate),
    };
    if !sampler.normalized {
        return x;
    }
    // From here on there are no fractions, and a texture repeats after 1 or 2.
    const WHOLE: f64 = 16_777_216.0;
    let x = match repeats(sampler) && x.abs() >= WHOLE {
        true if x.is_infinite() => 0.0,
        true => x.rem_euclid(2.0),
        false => x,
    };
    let cells = 2f64.powi(fraction_bits(i, size));
    (x * cells).floor() / cells * f64::from(size)
}

/// The texels along the direction i with `size` of them, moved by an offset.
pub(super) fn along(
    sampler: &Sampler,
    cell: Cell,
    coordinate: f32,
    (i, size): (usize, u32),
    offset: i32,
) -> Along {
    let x = in_texels(sampler, coordinate, (i, size));
    let offset = f64::from(offset << 28 >> 28);
    let texel = |index: f64| texel(sampler, index, size);
    if cell == Cell::One {
        return Along { texels: [texel(x.floor() + offset); 2], weight: 0 };
    }
    let mut fixed = ((x - 0.5) * 256.0 + 0.5).floor() + offset * 256.0;
    let clamps = sampler.address != AddressMode::Border && !repeats(sampler);
    if clamps && cell == Cell::Weighted {
        fixed = fixed.clamp(0.0, f64::from(size - 1) * 256.0);
    }
    let index = (fixed / 256.0).floor();
    let weight = if fixed.is_finite() { (fixed - index * 256.0) as u32 } else { 0 };
    Along { texels: [texel(index), texel(index + 1.0)], weight }
}

/// The texel of an index; `None` at the border.
fn texel(sampler: &Sampler, index: f64, size: u32) -> Option<u32> {
    let count = f64::from(size);
    let last = count - 1.0;
    let index = match (sampler.address, sampler.normalized) {
        (AddressMode::Border, _) if !(0.0..=last).contains(&index) => return None,
        (AddressMode::Wrap, true) => index.rem_euclid(count),
        (AddressMode::Mirror, true) => {
            let place = index.rem_euclid(2.0 * count);
            if place < count { place } else { 2.0 * count - 1.0 - place }
        }
        (AddressMode::Wrap | AddressMode::Mirror, false)
        | (AddressMode::Clamp | AddressMode::Border, _) => index.clamp(0.0, last),
    };
    Some(index as u32)
}

/// The weights of the eight corners of a cell, in 256ths; their sum is `whole`. Bit i of a corner's
/// number tells whether it is the second along direction i. In a direction without weight, the
/// second corners have none.
pub(super) fn weights([a, b, c]: [u32; 3], whole: u32) -> [u32; 8] {
    let product = |x: u32, y: u32| (x * y + 128) / 256;
    let low = product(256 - c, whole);
    let planes = [low, whole - low].map(|plane| {
        let second = product(a, plane);
        let first = plane - second;
        // The other one gets the rest, so that nothing is lost.
        let (near, far) = (product(256 - b, first), product(b, second));
        [near, second - far, first - near, far]
    });
    std::array::from_fn(|corner| planes[corner >> 2][corner & 3])
}

/// Whether a corner of a cell has a weight along each direction. Their product may still be rounded
/// to 0.
pub(super) fn has_weight(along: [u32; 3], corner: usize) -> bool {
    let is_second = |i: usize| corner >> i & 1 != 0;
    along
        .into_iter()
        .enumerate()
        .all(|(i, weight)| if is_second(i) { weight != 0 } else { weight != 256 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_corner_without_a_weight_along_a_direction_has_none_at_all() {
        let mut rounded = 0;
        for along in (0..=255_u32).flat_map(|a| [0, 1, 128, 255].map(|b| [a, b, a ^ b])) {
            for whole in [1, 2, 100, 256] {
                for (corner, weight) in weights(along, whole).into_iter().enumerate() {
                    let has = has_weight(along, corner);
                    assert!(has || weight == 0, "{along:?}, {corner} of {whole}: {weight}");
                    rounded += usize::from(has && weight == 0);
                }
            }
        }
        assert!(rounded > 1000, "{rounded}");
    }

    #[test]
    fn the_weights_of_two_directions_add_up_to_one_and_to_those_of_each() {
        for a in 0..=255 {
            for b in 0..=255 {
                let w = weights([a, b, 0], 256);
                assert_eq!(w.iter().sum::<u32>(), 256);
                assert_eq!((w[1] + w[3], w[2] + w[3]), (a, b));
            }
        }
    }

    #[test]
    fn the_weights_of_three_directions_are_those_of_an_h200() {
        // Measured at the fractions a, b, c, with one corner at 1 and the others at 0.
        let w = weights([48, 71, 76], 256);
        assert_eq!(w[..4], [106, 25, 40, 9]);
        assert_eq!(weights([123, 91, 77], 256)[..4], [60, 55, 33, 31]);
        assert_eq!(weights([85, 1, 64], 256)[..4], [128, 64, 0, 0]);
        assert_eq!(weights([29, 24, 8], 256)[..4], [199, 25, 21, 3]);
    }

    #[test]
    fn a_normalised_coordinate_is_cut_off_after_21_bits() {
        let sampler = Sampler { normalized: true, ..Sampler::default() };
        let texel = |x: f32, size| along(&sampler, Cell::One, x, (0, size), 0).texels[0];
        // Each times the size lies a little above an integer; measured on an H200.
        assert_eq!(texel(0.384_615_4, 13), Some(4));
        assert_eq!(texel(0.18, 1000), Some(179));
        assert_eq!(texel(0.008_475, 40_000), Some(338));
        assert_eq!(texel(0.5, 13), Some(6));
    }

    #[test]
    fn a_fraction_has_eight_bits_rounded_up_from_the_middle() {
        // Measured on an H200, at the texels 3 and 4.
        let sampler = Sampler { linear: true, ..Sampler::default() };
        let weight = |x: f32| along(&sampler, Cell::Weighted, x, (0, 16), 0).weight;
        assert_eq!([3.5, 3.501_464_8, 3.501_953_1, 3.505_859_4].map(weight), [0, 0, 1, 2]);
    }

    #[test]
    fn what_lies_outside_is_clamped_repeated_turned_around_or_nothing() {
        let at = |address, normalized, x| {
            let sampler = Sampler { address, normalized, ..Sampler::default() };
            along(&sampler, Cell::One, x, (0, 4), 0).texels[0]
        };
        use AddressMode::{Border, Clamp, Mirror, Wrap};
        for (address, normalized, x, texel) in [
            (Clamp, false, -1.5, Some(0)),
            (Clamp, true, 1.5, Some(3)),
            (Wrap, true, 1.3, Some(1)),
            (Wrap, true, -0.1, Some(3)),
            (Mirror, true, 1.3, Some(2)),
            (Mirror, true, -0.1, Some(0)),
            // At the turn, hardware takes the texel before.
            (Mirror, true, 1.5, Some(1)),
            // Coordinates that are not normalised do not repeat.
            (Wrap, false, 5.0, Some(3)),
            (Mirror, false, 5.0, Some(3)),
            (Border, false, 4.0, None),
            (Border, false, 3.9, Some(3)),
            (Clamp, false, f32::NAN, Some(0)),
            (Clamp, false, f32::INFINITY, Some(3)),
            (Wrap, true, f32::INFINITY, Some(0)),
            (Border, true, f32::NEG_INFINITY, None),
        ] {
            assert_eq!(at(address, normalized, x), texel, "{address:?} {normalized} {x}");
        }
    }
}
