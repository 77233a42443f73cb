//! The texels that a texture lookup reads, over levels, layers and faces, with their weights (PTX
//! ISA 9.7.10.3, 9.7.10.4), as on an H200.
//!
//! - A layer is an unsigned number. A number beyond the last layer means the last one. With integer
//!   coordinates there are no texels beyond the last layer. With integer coordinates and the number
//!   of a level, layer and coordinates are clamped, whatever the mode.
//! - Each component of a direction is multiplied by the approximate reciprocal of the greatest one,
//!   with one rounding each, as the driver's machine code does. It meets the face of a cube along
//!   its greatest component, z before y before x; the other two give the point on the face. Each
//!   face is filtered separately, as without `CU_TRSF_SEAMLESS_CUBEMAP`. The reciprocal is rounded
//!   to nearest here. Of 2^23 reciprocals, 13 % differ from an H200's by one unit of the last
//!   place. That can move a lookup by a texel, or a weight by a 256th, close to the middle.
//! - The nearest level is used, with halves rounded up. Between levels the two are weighted by
//!   256ths, cut off.
//! - The level of gradients is the logarithm of the longer one in texels. It agrees with an H200's
//!   within 0.006 for gradients along one direction. It is up to half a level off where both have
//!   two: an approximation.

use super::sample::{Along, Cell, along, has_weight, weights};
use super::{AddressMode, Image, Sampler, Shape};
use crate::element::ElementType;

/// The corners of a cell; a lookup reads at most two levels of them.
const CELL: usize = 8;

/// The texels of a lookup: at most the corners of a cell on two levels.
pub(in crate::machine) const CORNERS: usize = 2 * CELL;

/// The requested level of a lane.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) enum Level {
    /// A level of detail, which may lie between two.
    Detail(f32),
    /// For lookups at integers, the number of a level: their `lod` is an integer, too. Beyond the
    /// last nothing is there.
    Number(u32),
}

/// The request of a lane.
#[derive(Clone, Copy, Debug)]
pub(in crate::machine) struct Asked {
    /// Coordinates, as their bits; 0 in directions that the instruction does not have.
    pub at: [u32; 3],
    /// The number of the layer; 0 without layers.
    pub layer: u32,
    /// Added to the texels' numbers.
    pub offsets: [i32; 3],
    /// The level.
    pub level: Level,
    /// Coordinates are integers.
    pub whole: bool,
    /// Four texels are read, whatever the filter.
    pub gathers: bool,
}

/// The texels that a lane reads, with their weights.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::machine) struct Taken {
    /// The addresses of texels; `None` at the border.
    pub texels: [Option<u64>; CORNERS],
    /// Their weights, in 256ths, which may be rounded to 0. A point filter has weight 0 beyond the
    /// first.
    pub weights: [u32; CORNERS],
}

/// Whether the result is a float, which can be filtered.
pub(in crate::machine) fn is_real(image: &Image, sampler: &Sampler) -> bool {
    match image.element {
        ElementType::F16 | ElementType::F32 => true,
        ElementType::U8 | ElementType::I8 | ElementType::U16 | ElementType::I16 => sampler.as_float,
        ElementType::U32
        | ElementType::I32
        | ElementType::U64
        | ElementType::I64
        | ElementType::Bf16
        | ElementType::F64 => false,
    }
}

/// The texels that a lookup reads, and their weights.
pub(in crate::machine) fn take(image: &Image, sampler: &Sampler, asked: &Asked) -> Taken {
    let mut taken = Taken::default();
    let (slice, at) = match image.shape {
        Shape::Plain => (0, asked.at.map(f32::from_bits)),
        Shape::Layered => (asked.layer.min(image.slices - 1), asked.at.map(f32::from_bits)),
        Shape::Cube | Shape::CubeLayered => {
            let (face, [s, t]) = on_face(asked.at.map(f32::from_bits));
            (asked.layer.min(image.slices / 6 - 1) * 6 + face, [s, t, 0.0])
        }
    };
    // Integers are texel numbers.
    let at = if asked.whole { asked.at.map(|at| at as i32 as f32) } else { at };
    let outside = match asked.level {
        Level::Detail(_) => AddressMode::Border,
        Level::Number(_) => AddressMode::Clamp,
    };
    let sampler = sampler_of(image, sampler, asked.whole.then_some(outside));
    let cell = match asked.gathers {
        true => Cell::Gathered,
        false if sampler.linear && is_real(image, &sampler) && !asked.whole => Cell::Weighted,
        false => Cell::One,
    };
    let levels = match asked.level {
        Level::Detail(_) if asked.whole && asked.layer >= image.slices => return taken,
        Level::Detail(detail) => levels(image, &sampler, detail),
        Level::Number(level) if level < image.levels => [(level, 256), (0, 0)],
        Level::Number(_) => return taken,
    };
    for (half, (level, whole)) in levels.into_iter().enumerate() {
        if whole == 0 {
            continue;
        }
        let extent = image.level_extent(level);
        let directions: [Along; 3] = std::array::from_fn(|i| {
            if i as u32 >= image.dimensions {
                return beside(image, &sampler, (i, cell), asked.offsets[0]);
            }
            along(&sampler, cell, at[i], (i, extent[i]), asked.offsets[i])
        });
        let along = directions.map(|along| along.weight);
        for (corner, weight) in weights(along, whole).into_iter().enumerate() {
            let is_taken = has_weight(along, corner) || asked.gathers && corner < 4;
            if !is_taken {
                continue;
            }
            let place = corner_of(&directions, corner);
            let place = place.map(|texel| image.address(level, slice, texel));
            taken.texels[half * CELL + corner] = place;
            taken.weights[half * CELL + corner] = weight;
        }
    }
    taken
}

/// The sampler in effect for an image, given the mode outside the texels that integers name. The
/// coordinates of cubes cover the whole face.
fn sampler_of(image: &Image, sampler: &Sampler, outside: Option<AddressMode>) -> Sampler {
    if let Some(address) = outside {
        return Sampler { normalized: false, address, ..*sampler };
    }
    match image.shape {
        Shape::Plain | Shape::Layered => *sampler,
        Shape::Cube | Shape::CubeLayered => Sampler { normalized: true, ..*sampler },
    }
}

/// A direction that an image does not have. A texture of one direction is a row at 0. Half of the
/// row lies outside. All of it does with a negative offset, whose bits go into the next
/// direction's.
fn beside(image: &Image, sampler: &Sampler, (i, cell): (usize, Cell), offset: i32) -> Along {
    let is_row = i == 1 && image.dimensions == 1 && image.shape == Shape::Plain;
    match is_row && sampler.address == AddressMode::Border {
        true if offset < 0 => Along { texels: [None, None], weight: 0 },
        true if cell != Cell::One => Along { texels: [None, Some(0)], weight: 128 },
        _ => Along::ONE,
    }
}

/// The texel of a corner of a cell.
fn corner_of(directions: &[Along; 3], corner: usize) -> Option<[u32; 3]> {
    let mut texel = [0; 3];
    for (i, along) in directions.iter().enumerate() {
        texel[i] = along.texels[corner >> i & 1]?;
    }
    Some(texel)
}

/// The levels of a lookup, with their weights in 256ths.
fn levels(image: &Image, sampler: &Sampler, detail: f32) -> [(u32, u32); 2] {
    let last = (image.levels - 1) as f32;
    let detail = if detail.is_nan() { 0.0 } else { detail.clamp(0.0, last) };
    if !(sampler.between_levels && is_real(image, sampler)) {
        return [((detail + 0.5).floor() as u32, 256), (0, 0)];
    }
    let fixed = (detail * 256.0).floor() as u32;
    let (level, weight) = (fixed / 256, fixed % 256);
    [(level, 256 - weight), (level + 1, weight)]
}

/// The level of detail of gradients: how the coordinates grow along two axes.
pub(in crate::machine) fn detail_of(image: &Image, growth: [[f32; 3]; 2]) -> f32 {
    let length = |growth: [f32; 3]| {
        let squares = growth.iter().zip(image.extent).map(|(x, n)| (x * n as f32).powi(2));
        squares.sum::<f32>().sqrt()
    };
    let [x, y] = growth.map(length);
    x.max(y).log2()
}

/// The face that a direction meets, and the point on it: 0 to 1 from left to right, and from top to
/// bottom.
fn on_face(direction: [f32; 3]) -> (u32, [f32; 2]) {
    let longest = direction.into_iter().map(f32::abs).fold(f32::NAN, f32::max);
    let scale = reciprocal(longest);
    let [x, y, z] = direction.map(|part| flushed(part * scale));
    // A NaN is shorter than all numbers.
    let length = |part: f32| if part.is_nan() { -1.0 } else { part.abs() };
    let [ax, ay, az] = [x, y, z].map(length);
    let (face, s, t) = if az >= ax && az >= ay {
        if z < 0.0 { (5, -x, -y) } else { (4, x, -y) }
    } else if ay >= ax {
        if y < 0.0 { (3, x, -z) } else { (2, x, z) }
    } else if x < 0.0 {
        (1, z, -y)
    } else {
        (0, -z, -y)
    };
    (face, [s, t].map(part_of_face))
}

/// A subnormal is zero.
fn flushed(value: f32) -> f32 {
    if value.is_subnormal() { 0.0f32.copysign(value) } else { value }
}

/// The reciprocal of the unit for special functions, which has no subnormals.
fn reciprocal(value: f32) -> f32 {
    flushed(1.0 / flushed(value))
}

/// Converts a number from -1 to 1 to one from 0 to 1, cut off after 24 bits; a coordinate has
/// fewer.
fn part_of_face(s: f32) -> f32 {
    const HALF: f64 = 8_388_608.0;
    if s.is_nan() {
        return 0.5;
    }
    (((f64::from(s) * HALF).floor() + HALF) / (2.0 * HALF)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_faces_of_a_cube_are_those_of_the_programming_guide() {
        // CUDA C++ Programming Guide, "Cubemap Textures": face, s and t by the major axis.
        for (direction, face, place) in [
            ([2.0, 1.0, -1.0], 0, [0.75, 0.25]),
            ([-2.0, 1.0, -1.0], 1, [0.25, 0.25]),
            ([1.0, 2.0, -1.0], 2, [0.75, 0.25]),
            ([1.0, -2.0, -1.0], 3, [0.75, 0.75]),
            ([1.0, 1.0, 2.0], 4, [0.75, 0.25]),
            ([1.0, 1.0, -2.0], 5, [0.25, 0.25]),
            // Measured on an H200: the last of equal components counts.
            ([1.0, 1.0, 1.0], 4, [1.0, 0.0]),
            ([1.0, -1.0, 0.5], 3, [1.0, 0.25]),
            // Beyond 2^126 the reciprocal is zero; a NaN is the shortest.
            ([0.0, 3e38, -1.0], 4, [0.5, 0.5]),
            ([f32::NAN, 1.0, -1.0], 5, [0.5, 0.0]),
            ([f32::INFINITY, -1.0, f32::INFINITY], 2, [0.5, 0.5]),
            ([-1.0, f32::INFINITY, f32::NAN], 0, [0.5, 0.5]),
        ] {
            assert_eq!(on_face(direction), (face, place), "{direction:?}");
        }
    }
}
