//! What a lookup of a texture takes: texels of levels, layers and faces, with their weights (PTX
//! ISA 9.7.10.3, 9.7.10.4), as an H200 does it.
//!
//! - A layer is a number without a sign; beyond the last it is the last, and where coordinates are
//!   integers there is nothing. With a level beside integers both are clamped, whatever the mode.
//! - A direction is multiplied by the approximate reciprocal of its greatest component, which the
//!   driver's machine code does, with one rounding each. It meets the face of a cube along its
//!   greatest component, z before y before x, and there the point that the other two give; each
//!   face is filtered by itself, as without `CU_TRSF_SEAMLESS_CUBEMAP`. The reciprocal is rounded
//!   to nearest here; of 2^23 of them an H200's are one unit of the last place off for 13 %, which
//!   can move a lookup by a texel, or a weight by a 256th, where it is next to the middle.
//! - A level is the nearest, half of one up; between levels the two are weighted by 256ths, cut
//!   off.
//! - The level of gradients is the logarithm of the longer one in texels. An H200's is the same
//!   within 0.006 for gradients along one direction, and up to half a level off where both have
//!   two: an approximation.

use super::sample::{Along, Cell, along, has_weight, weights};
use super::{AddressMode, Image, Sampler, Shape};
use crate::element::ElementType;

/// The corners of a cell; a lookup takes those of two levels at most.
const CELL: usize = 8;

/// The texels of a lookup: at most the corners of a cell on two levels.
pub(super) const CORNERS: usize = 2 * CELL;

/// The level that a lane asks for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Level {
    /// A level of detail, which may lie between two.
    Detail(f32),
    /// Of lookups at integers a level's number, as their `lod` is an integer too. Beyond the last
    /// there is nothing.
    Number(u32),
}

/// What a lane asks for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// Coordinates, as their bits; 0 in directions that the instruction does not have.
    pub at: [u32; 3],
    /// The number of the layer; 0 where there are none.
    pub layer: u32,
    /// What is added to the texels' numbers.
    pub offsets: [i32; 3],
    /// The level.
    pub level: Level,
    /// Coordinates are integers.
    pub whole: bool,
    /// Four texels are taken, whatever the filter.
    pub gathers: bool,
}

/// What a lane takes: texels with their weights.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Taken {
    /// The addresses of texels, `None` where there is the border.
    pub texels: [Option<u64>; CORNERS],
    /// Their weights, in 256ths, which may be rounded to 0; all of them 0 beyond the first of a
    /// point filter.
    pub weights: [u32; CORNERS],
}

/// Whether what is read is a float: then it can be filtered.
pub(super) fn is_real(image: &Image, sampler: &Sampler) -> bool {
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

/// The texels that a lookup takes, and their weights.
pub(super) fn take(image: &Image, sampler: &Sampler, asked: &Asked) -> Taken {
    let mut taken = Taken::default();
    let (slice, at) = match image.shape {
        Shape::Plain => (0, asked.at.map(f32::from_bits)),
        Shape::Layered => (asked.layer.min(image.slices - 1), asked.at.map(f32::from_bits)),
        Shape::Cube | Shape::CubeLayered => {
            let (face, [s, t]) = on_face(asked.at.map(f32::from_bits));
            (asked.layer.min(image.slices / 6 - 1) * 6 + face, [s, t, 0.0])
        }
    };
    // Integers name texels.
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

/// The sampler as it counts for an image, given what lies outside of the texels that integers name;
/// the coordinates of cubes go over the whole face.
fn sampler_of(image: &Image, sampler: &Sampler, outside: Option<AddressMode>) -> Sampler {
    if let Some(address) = outside {
        return Sampler { normalized: false, address, ..*sampler };
    }
    match image.shape {
        Shape::Plain | Shape::Layered => *sampler,
        Shape::Cube | Shape::CubeLayered => Sampler { normalized: true, ..*sampler },
    }
}

/// A direction that an image does not have. A texture of one direction is a row at 0: half of it
/// lies outside, and all of it when the offset is negative, whose bits go into the next
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

/// The levels that a lookup takes, with their weights in 256ths.
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
pub(super) fn detail_of(image: &Image, growth: [[f32; 3]; 2]) -> f32 {
    let length = |growth: [f32; 3]| {
        let squares = growth.iter().zip(image.extent).map(|(x, n)| (x * n as f32).powi(2));
        squares.sum::<f32>().sqrt()
    };
    let [x, y] = growth.map(length);
    x.max(y).log2()
}

/// The face that a direction meets, and where on it: 0 to 1 from left to right, and from top to
/// bottom.
fn on_face(direction: [f32; 3]) -> (u32, [f32; 2]) {
    let longest = direction.into_iter().map(f32::abs).fold(f32::NAN, f32::max);
    let scale = reciprocal(longest);
    let [x, y, z] = direction.map(|part| flushed(part * scale));
    // What is no number is shorter than all that are.
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

/// The reciprocal as the unit for special functions takes it, which knows no subnormals.
fn reciprocal(value: f32) -> f32 {
    flushed(1.0 / flushed(value))
}

/// A number from -1 to 1 as one from 0 to 1, cut off after 24 bits, of which a coordinate has
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
            // Measured on an H200: of equal components the last.
            ([1.0, 1.0, 1.0], 4, [1.0, 0.0]),
            ([1.0, -1.0, 0.5], 3, [1.0, 0.25]),
            // Beyond 2^126 the reciprocal is zero; what is no number is the shortest.
            ([0.0, 3e38, -1.0], 4, [0.5, 0.5]),
            ([f32::NAN, 1.0, -1.0], 5, [0.5, 0.0]),
            ([f32::INFINITY, -1.0, f32::INFINITY], 2, [0.5, 0.5]),
            ([-1.0, f32::INFINITY, f32::NAN], 0, [0.5, 0.5]),
        ] {
            assert_eq!(on_face(direction), (face, place), "{direction:?}");
        }
    }
}
