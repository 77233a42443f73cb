//! Which texels a coordinate asks for, and with what weights (CUDA C++ Programming Guide, "Texture
//! Fetching"), as an H200 does it.
//!
//! With N texels along a direction, texel i covers the coordinates from i to i + 1; a normalised
//! coordinate is multiplied by N first. A point filter takes the texel in which a coordinate lies. A linear
//! one takes the two around x - 0.5, by the fraction: x - 0.5 is rounded to 256ths, half of one up. What lies
//! outside is moved inside texel by texel, after that.
//!
//! The weights of two directions are products, rounded to 256ths such that all four add up to one: bit for bit
//! as measured. Of three directions the same is done for each pair and for all; there hardware's weights
//! differ by one or two 256ths in one of four lookups. A NaN is zero.

use super::{AddressMode, Sampler};

/// The texels along one direction and their weight. `None` is outside, at the border.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Along {
    /// The texel at or before the coordinate, and the next.
    pub texels: [Option<u32>; 2],
    /// The weight of the second, in 256ths.
    pub weight: u32,
}

impl Along {
    /// A direction with one texel, which counts alone.
    pub const ONE: Along = Along { texels: [Some(0); 2], weight: 0 };
}

/// The texels along a direction with `size` of them.
pub fn along(sampler: &Sampler, linear: bool, coordinate: f32, size: u32) -> Along {
    let x = if coordinate.is_nan() { 0.0 } else { f64::from(coordinate) };
    let x = if sampler.normalized { x * f64::from(size) } else { x };
    let texel = |index: f64| texel(sampler, index, size);
    if !linear {
        return Along { texels: [texel(x.floor()); 2], weight: 0 };
    }
    let fixed = ((x - 0.5) * 256.0 + 0.5).floor();
    let index = (fixed / 256.0).floor();
    let weight = if fixed.is_finite() { (fixed - index * 256.0) as u32 } else { 0 };
    Along { texels: [texel(index), texel(index + 1.0)], weight }
}

/// The texel that an index means; `None` at the border.
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
    // Of an infinite index nothing is left; it is the first.
    Some(if index.is_nan() { 0 } else { index as u32 })
}

/// The weights of the eight corners of a cell, in 256ths: bit i of a corner's number says whether it is the second
/// along direction i. Where a direction has no weight, its second corners have none.
pub fn weights([a, b, c]: [u32; 3]) -> [u32; 8] {
    let product = |x: u32, y: u32| (x * y + 128) / 256;
    let (ab, ac, bc) = (product(a, b), product(a, c), product(b, c));
    let abc = product(ab, c);
    // By inclusion and exclusion: the sums of the seconds along each direction are its weight.
    let signed = [
        256 + ab as i32 + ac as i32 + bc as i32 - a as i32 - b as i32 - c as i32 - abc as i32,
        a as i32 - ab as i32 - ac as i32 + abc as i32,
        b as i32 - ab as i32 - bc as i32 + abc as i32,
        ab as i32 - abc as i32,
        c as i32 - ac as i32 - bc as i32 + abc as i32,
        ac as i32 - abc as i32,
        bc as i32 - abc as i32,
        abc as i32,
    ];
    // Three roundings may take one from nothing.
    signed.map(|weight| weight.max(0) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_of_two_directions_add_up_to_one_and_to_those_of_each() {
        for a in 0..=255 {
            for b in 0..=255 {
                let w = weights([a, b, 0]);
                assert_eq!(w.iter().sum::<u32>(), 256);
                assert_eq!((w[1] + w[3], w[2] + w[3]), (a, b));
            }
        }
    }

    #[test]
    fn a_fraction_has_eight_bits_rounded_up_from_the_middle() {
        // Measured on an H200, at the texels 3 and 4.
        let sampler = Sampler { linear: true, ..Sampler::default() };
        let weight = |x: f32| along(&sampler, true, x, 16).weight;
        assert_eq!([3.5, 3.501_464_8, 3.501_953_1, 3.505_859_4].map(weight), [0, 0, 1, 2]);
    }

    #[test]
    fn what_lies_outside_is_clamped_repeated_turned_around_or_nothing() {
        let at = |address, normalized, x| {
            let sampler = Sampler { address, normalized, ..Sampler::default() };
            along(&sampler, false, x, 4).texels[0]
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
