//! Textures and surfaces, as host code makes them.
//!
//! An object has its own array of texels, like one made with `cudaMallocArray`. Its handle is a
//! kernel's argument of 64 bits.

use super::device::Pointer;
use super::error::DeviceError;
use crate::element::ElementType;
use crate::machine::Shape;
pub use crate::machine::{AddressMode, Sampler};

/// Texels on their way to another process, and judged again where they arrive.
#[cfg(feature = "serde")]
mod sent {
    use super::Texels;
    use crate::element::ElementType;
    use crate::error::DeviceError;

    #[derive(serde::Serialize, serde::Deserialize)]
    pub(super) struct Sent {
        element: ElementType,
        channels: u32,
        extent: Vec<u32>,
        layers: Option<u32>,
        is_cube: bool,
        levels: u32,
    }

    impl From<Texels> for Sent {
        fn from(texels: Texels) -> Sent {
            let Texels { element, channels, extent, layers, is_cube, levels } = texels;
            Sent { element, channels, extent, layers, is_cube, levels }
        }
    }

    impl TryFrom<Sent> for Texels {
        type Error = DeviceError;

        fn try_from(sent: Sent) -> Result<Texels, DeviceError> {
            let mut texels = Texels::new(sent.element, sent.channels, &sent.extent)?;
            if sent.is_cube {
                texels = texels.cube()?;
            }
            if let Some(layers) = sent.layers {
                texels = texels.layered(layers)?;
            }
            texels.mipmapped(sent.levels)
        }
    }
}

/// An array of texels: their type, channels and number.
///
/// ```
/// use warpsim::element::ElementType;
/// use warpsim::host::Texels;
///
/// let texels = Texels::new(ElementType::U8, 4, &[640, 480])?;
/// assert_eq!(texels.bytes(), 640 * 480 * 4);
/// assert!(Texels::new(ElementType::F64, 1, &[8]).is_err());
/// # Ok::<(), warpsim::host::DeviceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(try_from = "sent::Sent", into = "sent::Sent")
)]
pub struct Texels {
    element: ElementType,
    channels: u32,
    extent: Vec<u32>,
    layers: Option<u32>,
    is_cube: bool,
    levels: u32,
}

/// The texels of one level among all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TexelsLevel {
    /// The byte at which they begin.
    pub offset: u64,
    /// Texels along each direction; 1 where there is no such direction.
    pub extent: [u32; 3],
    /// Layers, and faces of cubes; 1 where there are none.
    pub layers: u32,
}

impl Texels {
    /// Texels of this many channels of a type, of this many along each direction, the width first.
    ///
    /// # Errors
    /// [`DeviceError::BadTexels`] when there is no such array: types are integers of up to 32 bits,
    /// `f16` and `f32`, channels 1, 2 or 4, and directions one to three, none of them empty.
    pub fn new(element: ElementType, channels: u32, extent: &[u32]) -> Result<Texels, DeviceError> {
        let is_format = match element {
            ElementType::U8
            | ElementType::I8
            | ElementType::U16
            | ElementType::I16
            | ElementType::U32
            | ElementType::I32
            | ElementType::F16
            | ElementType::F32 => true,
            ElementType::U64 | ElementType::I64 | ElementType::Bf16 | ElementType::F64 => false,
        };
        let most = [131_072, 65_536, 16_384];
        let fits = (1..=3).contains(&extent.len())
            && extent.iter().zip(most).all(|(size, most)| (1..=most).contains(size));
        let why = if !is_format {
            format!(
                "there are no texels of {element}; take an integer of up to 32 bits, f16 or f32"
            )
        } else if !matches!(channels, 1 | 2 | 4) {
            format!("{channels} channels; there are 1, 2 or 4")
        } else if !fits {
            "one to three sizes, each at least 1, and at most 131072, 65536 and 16384".to_owned()
        } else {
            let extent = extent.to_vec();
            return Ok(Texels {
                element,
                channels,
                extent,
                layers: None,
                is_cube: false,
                levels: 1,
            });
        };
        Err(DeviceError::BadTexels { why })
    }

    /// Texels of one direction that lie in their own memory (`cudaResourceTypeLinear`). Their
    /// number may be larger.
    ///
    /// # Errors
    /// As of [`Texels::new`]; none, or more than 2^28.
    pub fn linear(element: ElementType, channels: u32, count: u32) -> Result<Texels, DeviceError> {
        let one = Texels::new(element, channels, &[1])?;
        match (1..=1 << 28).contains(&count) {
            true => Ok(Texels { extent: vec![count], ..one }),
            false => {
                Err(DeviceError::BadTexels { why: "there are 1 to 2^28 in a line".to_owned() })
            }
        }
    }

    /// This many layers of them (`CUDA_ARRAY3D_LAYERED`), one after the other; of cubes, this many
    /// cubes.
    ///
    /// ```
    /// use warpsim::element::ElementType;
    /// use warpsim::host::Texels;
    ///
    /// let layers = Texels::new(ElementType::F32, 1, &[8, 5])?.layered(3)?;
    /// assert_eq!(layers.bytes(), 3 * 8 * 5 * 4);
    /// let cubes = Texels::new(ElementType::F32, 1, &[4, 4])?.cube()?.layered(2)?;
    /// assert_eq!(cubes.bytes(), 2 * 6 * 4 * 4 * 4);
    /// # Ok::<(), warpsim::host::DeviceError>(())
    /// ```
    ///
    /// # Errors
    /// [`DeviceError::BadTexels`] when there are three directions, or not 1 to 2048 layers and
    /// faces.
    pub fn layered(mut self, layers: u32) -> Result<Texels, DeviceError> {
        self.layers = Some(layers);
        let fits = (1..=2048).contains(&self.slices());
        match self.extent.len() < 3 && fits {
            true => Ok(self),
            false => Err(DeviceError::BadTexels {
                why: "layers are 1 to 2048, of one or two directions".to_owned(),
            }),
        }
    }

    /// Six faces of them, a cube (`CUDA_ARRAY3D_CUBEMAP`): those at +x, -x, +y, -y, +z, -z.
    ///
    /// # Errors
    /// [`DeviceError::BadTexels`] when they are no squares.
    pub fn cube(mut self) -> Result<Texels, DeviceError> {
        self.is_cube = true;
        match self.extent.as_slice() {
            [width, height] if width == height => Ok(self),
            _ => Err(DeviceError::BadTexels { why: "the faces of a cube are squares".to_owned() }),
        }
    }

    /// This many levels (`cuMipmappedArrayCreate`), one after the other: each has half of the
    /// texels of the one before along each direction, rounded down, and at least one.
    ///
    /// ```
    /// use warpsim::element::ElementType;
    /// use warpsim::host::Texels;
    ///
    /// let texels = Texels::new(ElementType::U8, 1, &[13, 4])?.mipmapped(3)?;
    /// assert_eq!(texels.bytes(), 13 * 4 + 6 * 2 + 3 * 1);
    /// assert_eq!(texels.levels()[2].extent, [3, 1, 1]);
    /// # Ok::<(), warpsim::host::DeviceError>(())
    /// ```
    ///
    /// # Errors
    /// [`DeviceError::BadTexels`] when there are none, or more than there is something to halve.
    pub fn mipmapped(mut self, levels: u32) -> Result<Texels, DeviceError> {
        // No size is 0: `new` and `linear` refuse that.
        let most = self.extent.iter().fold(1, |most, size| most.max(size.ilog2() + 1));
        self.levels = levels;
        match (1..=most).contains(&levels) {
            true => Ok(self),
            false => Err(DeviceError::BadTexels { why: format!("there are 1 to {most} levels") }),
        }
    }

    /// The type of a channel.
    pub fn element(&self) -> ElementType {
        self.element
    }

    /// Channels of a texel.
    pub fn channels(&self) -> u32 {
        self.channels
    }

    /// Texels along each direction, the width first.
    pub fn extent(&self) -> &[u32] {
        &self.extent
    }

    /// The number of layers, if there are layers: one layer differs from none.
    pub fn layers(&self) -> Option<u32> {
        self.layers
    }

    /// Whether they are the faces of cubes.
    pub fn is_cube(&self) -> bool {
        self.is_cube
    }

    /// Layers and faces; 1 where there are none.
    pub fn slices(&self) -> u32 {
        self.layers.unwrap_or(1).saturating_mul(if self.is_cube { 6 } else { 1 })
    }

    /// Where each level lies, and its size.
    pub fn levels(&self) -> Vec<TexelsLevel> {
        let image = self.at(Pointer::NULL);
        (0..self.levels)
            .map(|level| TexelsLevel {
                offset: image.level_offset(level),
                extent: image.level_extent(level),
                layers: image.slices,
            })
            .collect()
    }

    /// Bytes of all of them.
    pub fn bytes(&self) -> u64 {
        self.at(Pointer::NULL).bytes()
    }

    /// Refuses bytes whose size does not match all texels.
    ///
    /// # Errors
    /// [`DeviceError::BadTexels`] with both sizes.
    pub fn check(&self, bytes: &[u8]) -> Result<(), DeviceError> {
        if bytes.len() as u64 == self.bytes() {
            return Ok(());
        }
        let why = format!("they are {} bytes, and {} are given", self.bytes(), bytes.len());
        Err(DeviceError::BadTexels { why })
    }

    /// The texels at an address, for the machine.
    pub(super) fn at(&self, base: Pointer) -> crate::machine::Image {
        let mut extent = [1; 3];
        extent.iter_mut().zip(&self.extent).for_each(|(size, given)| *size = *given);
        let shape = match (self.is_cube, self.layers) {
            (false, None) => Shape::Plain,
            (false, Some(_)) => Shape::Layered,
            (true, None) => Shape::Cube,
            (true, Some(_)) => Shape::CubeLayered,
        };
        crate::machine::Image {
            base: base.0,
            element: self.element,
            channels: self.channels,
            dimensions: self.extent.len() as u32,
            extent,
            shape,
            slices: self.slices(),
            levels: self.levels,
            pitch: None,
        }
    }
}

/// A texture or a surface on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ImageHandle {
    /// What a kernel takes.
    pub handle: u64,
    /// Where its texels lie, row after row without gaps.
    pub texels: Pointer,
}
