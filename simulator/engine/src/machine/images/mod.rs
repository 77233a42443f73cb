//! Textures and surfaces: the objects behind their handles (PTX ISA 5.3, 9.7.10, 9.7.11).
//!
//! The texels of an object are an array in global memory, row after row without gaps. A texture is
//! read through the path of `ld.global.nc`. So a surface's writes may stay invisible through a
//! texture of the same launch. Surfaces are read and written like global memory.
//!
//! | file | what it is for |
//! |---|---|
//! | `sample` | the texels of a coordinate along a direction, and the weights of a cell |
//! | `lookup` | levels, layers and faces: everything that a lookup reads |
//! | `filter` | the weighted sum of the texels |
//! | `surface` | the addresses of surface accesses, and the values of a formatted store |

pub(super) mod filter;
pub(super) mod lookup;
mod sample;
pub(super) mod surface;

use crate::element::ElementType;
pub use crate::lower::Shape;

/// An array of texels, as a CUDA array: one to three dimensions, one, two or four channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// The address of its texels in global memory.
    pub base: u64,
    /// The type of a channel: an integer of up to 32 bits, `f16` or `f32`.
    pub element: ElementType,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: u32,
    /// Dimensions: 1, 2 or 3.
    pub dimensions: u32,
    /// Width, height and depth in texels; 1 where it has no such dimension.
    pub extent: [u32; 3],
    /// Whether there are several images side by side.
    pub shape: Shape,
    /// Layers and faces; 1 without any.
    pub slices: u32,
    /// Levels, each half of the one before along each direction.
    pub levels: u32,
    /// Bytes from row to row, where there are gaps between the rows of a plain image of two
    /// dimensions and one level.
    pub pitch: Option<u64>,
}

impl Image {
    /// Bytes of a texel.
    pub fn texel_bytes(&self) -> u64 {
        self.element.size() as u64 * u64::from(self.channels)
    }

    /// Bytes of all texels, without the gaps between rows.
    pub fn bytes(&self) -> u64 {
        self.level_offset(self.levels)
    }

    /// The size of a level.
    pub fn level_extent(&self, level: u32) -> [u32; 3] {
        self.extent.map(|size| size.checked_shr(level).map_or(1, |size| size.max(1)))
    }

    /// Bytes before a level.
    pub fn level_offset(&self, level: u32) -> u64 {
        let texels =
            |level| self.level_extent(level).iter().map(|n| u64::from(*n)).product::<u64>();
        (0..level).map(texels).sum::<u64>() * u64::from(self.slices) * self.texel_bytes()
    }

    /// The address of a texel in a layer or face of a level.
    fn address(&self, level: u32, slice: u32, texel: [u32; 3]) -> u64 {
        let [width, height, depth] = self.level_extent(level).map(u64::from);
        let [x, y, z] = texel.map(u64::from);
        if let Some(pitch) = self.pitch {
            return self.base + y * pitch + x * self.texel_bytes();
        }
        let number = ((u64::from(slice) * depth + z) * height + y) * width + x;
        self.base + self.level_offset(level) + number * self.texel_bytes()
    }
}

/// The meaning of a coordinate outside the texture (`cudaTextureAddressMode`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AddressMode {
    /// The texture repeats; the same as `Clamp` for coordinates that are not normalised.
    Wrap,
    /// The nearest texel.
    #[default]
    Clamp,
    /// The texture repeats, mirrored every second time; the same as `Clamp` for coordinates that
    /// are not normalised.
    Mirror,
    /// Zeros.
    Border,
}

/// How a texture is looked up (`cudaTextureDesc`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sampler {
    /// Texels are weighted by their distance; otherwise the texel at the coordinate is used.
    pub linear: bool,
    /// The meaning of coordinates outside.
    pub address: AddressMode,
    /// Coordinates go from 0 to 1 over the whole texture.
    pub normalized: bool,
    /// Two levels are weighted by the distance to each; otherwise the nearest level is used.
    pub between_levels: bool,
    /// Integers of 8 and 16 bits are read as floats, 1 being the greatest
    /// (`cudaReadModeNormalizedFloat`).
    pub as_float: bool,
}

/// The object of a handle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageObject {
    /// A texture object.
    Texture(Image, Sampler),
    /// A surface object.
    Surface(Image),
}

impl ImageObject {
    /// Its texels.
    pub fn image(&self) -> &Image {
        match self {
            ImageObject::Texture(image, _) | ImageObject::Surface(image) => image,
        }
    }
}

/// The textures and surfaces of a device, by handle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Images {
    /// `None` for a removed object, so that no handle is given twice.
    objects: Vec<Option<ImageObject>>,
}

impl Images {
    /// Handles are numbers above this: no address, and no small number.
    const FIRST: u64 = 0x7e78_0000_0000_0001;

    /// Adds an object and returns its handle.
    pub fn add(&mut self, object: ImageObject) -> u64 {
        self.objects.push(Some(object));
        Images::FIRST + (self.objects.len() as u64 - 1)
    }

    /// The object with a handle.
    pub fn get(&self, handle: u64) -> Option<&ImageObject> {
        self.objects.get(Images::index(handle)?)?.as_ref()
    }

    /// Removes the object with a handle. Returns whether there was one.
    pub fn remove(&mut self, handle: u64) -> bool {
        let object = Images::index(handle).and_then(|index| self.objects.get_mut(index));
        object.and_then(Option::take).is_some()
    }

    fn index(handle: u64) -> Option<usize> {
        usize::try_from(handle.checked_sub(Images::FIRST)?).ok()
    }
}
