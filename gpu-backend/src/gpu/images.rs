//! Textures and surfaces: arrays of the driver, and the plain memory that represents each.

use warpsim::host::{Device as _, DeviceError, ImageHandle, Pointer, Texels};

use super::Gpu;
use crate::error::GpuError;
use crate::ffi::RawImage;

impl Gpu {
    /// Makes a texture or a surface of these texels.
    pub(super) fn image(
        &mut self,
        texels: &Texels,
        bytes: &[u8],
        make: impl FnOnce() -> Result<RawImage, GpuError>,
    ) -> Result<ImageHandle, DeviceError> {
        texels.check(bytes)?;
        let place = self.allocate(texels.bytes())?;
        let made = make().map_err(|e| self.refused(&e)).and_then(|image| {
            let handle = image.handle();
            self.images.insert(place.0, image);
            self.upload(place, bytes)?;
            Ok(ImageHandle { handle, texels: place })
        });
        made.inspect_err(|_| {
            // The reported error is why it was not made.
            let _ = self.free(place);
        })
    }

    /// The image that has its texels at an address, and where they begin.
    fn image_at(&self, pointer: Pointer) -> Option<(u64, &RawImage)> {
        // Not the first byte behind, where a variable of a module may begin.
        self.allocations.find(pointer, 1).ok()?;
        let start = self.allocations.start_of(pointer)?;
        self.images.get(&start).map(|image| (start, image))
    }

    /// Brings an image up to date after the memory of its texels was written.
    pub(super) fn write_image(&mut self, pointer: Pointer) -> Result<(), DeviceError> {
        match self.image_at(pointer).map(|(start, image)| image.write(start)) {
            Some(Err(error)) => Err(self.refused(&error)),
            Some(Ok(())) | None => Ok(()),
        }
    }

    /// Brings the memory of an image's texels up to date.
    pub(super) fn read_image(&mut self, pointer: Pointer) -> Result<(), DeviceError> {
        match self.image_at(pointer).map(|(start, image)| image.read(start)) {
            Some(Err(error)) => Err(self.refused(&error)),
            Some(Ok(())) | None => Ok(()),
        }
    }

    /// Refuses the memory of an image's texels.
    pub(super) fn check_plain(&self, pointer: Pointer) -> Result<(), DeviceError> {
        match self.image_at(pointer) {
            Some(_) => Err(DeviceError::NotSupported {
                what: "copies in streams of the texels of a texture or surface".into(),
            }),
            None => Ok(()),
        }
    }
}
