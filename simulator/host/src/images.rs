//! Textures and surfaces, as host code makes them.
//!
//! An object has an array of texels of its own, as one made with `cudaMallocArray`; its handle is a
//! kernel's argument of 64 bits.

use super::device::Pointer;
use super::error::DeviceError;
use crate::element::ElementType;
pub use crate::machine::{AddressMode, Sampler};

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
pub struct Texels {
    element: ElementType,
    channels: u32,
    extent: Vec<u32>,
}

impl Texels {
    /// Texels of so many channels of a type, of so many along each direction, the width first.
    ///
    /// # Errors
    /// [`DeviceError::BadTexels`] when there is no such array: types are integers of up to 32 bits, `f16`
    /// and `f32`, channels 1, 2 or 4, and directions one to three, none of them empty.
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
            return Ok(Texels { element, channels, extent: extent.to_vec() });
        };
        Err(DeviceError::BadTexels { why })
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

    /// Bytes of all of them.
    pub fn bytes(&self) -> u64 {
        let count: u64 = self.extent.iter().map(|n| u64::from(*n)).product();
        count * u64::from(self.channels) * self.element.size() as u64
    }

    /// The texels at an address, for the machine.
    pub(super) fn at(&self, base: Pointer) -> crate::machine::Image {
        let mut extent = [1; 3];
        extent.iter_mut().zip(&self.extent).for_each(|(size, given)| *size = *given);
        crate::machine::Image {
            base: base.0,
            element: self.element,
            channels: self.channels,
            dimensions: self.extent.len() as u32,
            extent,
        }
    }
}

/// A texture or a surface on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageHandle {
    /// What a kernel takes.
    pub handle: u64,
    /// Where its texels lie, row after row without gaps.
    pub texels: Pointer,
}
