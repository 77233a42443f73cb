//! CUDA arrays, and the texture and surface objects that look at them (CUDA driver API, "Memory
//! Management", "Texture Object Management", "Surface Object Management").
//!
//! An array's layout is the driver's own: texels go in and out by copies from and to plain memory
//! of the device, level after level, layer after layer, row after row without gaps.

use std::ptr;

use cudarc::driver::sys as cu;
use warpsim::element::ElementType;
use warpsim::host::{AddressMode, Sampler, Texels, TexelsLevel};

use super::{RawStream, driver};
use crate::error::GpuError;

/// The widest array of two directions that can be gathered from (`tld4`), and the highest
/// (`CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_GATHER_WIDTH`).
const GATHERED: u32 = 32_768;

/// A texture or surface object with its array. Who drops it has waited for the launches that use
/// it.
#[derive(Debug)]
pub(crate) struct RawImage {
    object: u64,
    is_surface: bool,
    array: RawArray,
}

impl RawImage {
    /// A texture of an array whose texels are not written yet.
    pub(crate) fn texture(texels: &Texels, sampler: &Sampler) -> Result<RawImage, GpuError> {
        let array = RawArray::new(texels, gathers(texels))?;
        let description = described(texels, sampler);
        let mut object = 0;
        // SAFETY: writes to `object`, and reads the descriptions during the call.
        unsafe {
            driver::cuTexObjectCreate(
                &mut object,
                &raw const array.resource,
                &raw const description,
                ptr::null(),
            )
        }?;
        Ok(RawImage { object, is_surface: false, array })
    }

    /// A surface of an array whose texels are not written yet.
    pub(crate) fn surface(texels: &Texels) -> Result<RawImage, GpuError> {
        let array = RawArray::new(texels, cu::CUDA_ARRAY3D_SURFACE_LDST)?;
        let mut object = 0;
        // SAFETY: writes to `object`, and reads the description during the call.
        unsafe { driver::cuSurfObjectCreate(&mut object, &raw const array.resource) }?;
        Ok(RawImage { object, is_surface: true, array })
    }

    /// What a kernel takes.
    pub(crate) fn handle(&self) -> u64 {
        self.object
    }

    /// Puts the texels at an address of the device into the array, and waits for it.
    pub(crate) fn write(&self, from: u64) -> Result<(), GpuError> {
        self.copy(from, true)
    }

    /// Puts the array's texels to an address of the device, and waits for it.
    pub(crate) fn read(&self, to: u64) -> Result<(), GpuError> {
        self.copy(to, false)
    }

    fn copy(&self, memory: u64, is_write: bool) -> Result<(), GpuError> {
        use cu::CUmemorytype as M;
        for (array, level) in &self.array.levels {
            let [width, height, depth] = level.extent.map(|n| n as usize);
            let row = width * self.array.texel;
            let start = memory + level.offset;
            let (device, in_array) = (M::CU_MEMORYTYPE_DEVICE, M::CU_MEMORYTYPE_ARRAY);
            let (from, to) = if is_write { (device, in_array) } else { (in_array, device) };
            // On each side, only the place of its type of memory counts.
            let copy = cu::CUDA_MEMCPY3D {
                srcXInBytes: 0,
                srcY: 0,
                srcZ: 0,
                srcLOD: 0,
                srcMemoryType: from,
                srcHost: ptr::null(),
                srcDevice: start,
                srcArray: *array,
                reserved0: ptr::null_mut(),
                srcPitch: row,
                srcHeight: height,
                dstXInBytes: 0,
                dstY: 0,
                dstZ: 0,
                dstLOD: 0,
                dstMemoryType: to,
                dstHost: ptr::null_mut(),
                dstDevice: start,
                dstArray: *array,
                reserved1: ptr::null_mut(),
                dstPitch: row,
                dstHeight: height,
                WidthInBytes: row,
                Height: height,
                Depth: depth * level.layers as usize,
            };
            // SAFETY: the array has these texels, and the memory behind the address, which the
            // caller has looked up, their bytes.
            unsafe { driver::cuMemcpy3D_v2(&raw const copy) }?;
        }
        // A copy within the device may go on after the call (driver API, "API synchronization
        // behavior").
        RawStream::default_stream().synchronise()
    }
}

impl Drop for RawImage {
    fn drop(&mut self) {
        // SAFETY: the object is not used again. There is no caller to receive an error.
        let _ = match self.is_surface {
            true => unsafe { driver::cuSurfObjectDestroy(self.object) },
            false => unsafe { driver::cuTexObjectDestroy(self.object) },
        };
    }
}

/// A CUDA array, of one level or several.
struct RawArray {
    resource: cu::CUDA_RESOURCE_DESC,
    owned: Owned,
    /// An array for each level, which belong to `owned`.
    levels: Vec<(cu::CUarray, TexelsLevel)>,
    /// Bytes of a texel.
    texel: usize,
}

/// What has to be destroyed.
#[derive(Debug)]
enum Owned {
    Array(cu::CUarray),
    Mipmapped(cu::CUmipmappedArray),
}

impl std::fmt::Debug for RawArray {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RawArray").field("owned", &self.owned).finish_non_exhaustive()
    }
}

impl RawArray {
    fn new(texels: &Texels, flags: u32) -> Result<RawArray, GpuError> {
        // A direction that there is not is 0.
        let size = |i: usize| texels.extent().get(i).map_or(0, |n| *n as usize);
        let layered = if texels.layers().is_some() { cu::CUDA_ARRAY3D_LAYERED } else { 0 };
        let cube = if texels.is_cube() { cu::CUDA_ARRAY3D_CUBEMAP } else { 0 };
        let description = cu::CUDA_ARRAY3D_DESCRIPTOR {
            Width: size(0),
            Height: size(1),
            Depth: if layered | cube != 0 { texels.slices() as usize } else { size(2) },
            Format: format(texels.element())?,
            NumChannels: texels.channels(),
            Flags: flags | layered | cube,
        };
        // SAFETY: of zeros it is an array of nothing; the fields are set below.
        let mut resource: cu::CUDA_RESOURCE_DESC = unsafe { std::mem::zeroed() };
        let owned = if texels.levels().len() > 1 {
            let (mut array, count) = (ptr::null_mut(), texels.levels().len() as u32);
            // SAFETY: writes to `array`, and reads the description during the call.
            unsafe { driver::cuMipmappedArrayCreate(&mut array, &raw const description, count) }?;
            resource.resType = cu::CUresourcetype::CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
            resource.res.mipmap.hMipmappedArray = array;
            Owned::Mipmapped(array)
        } else {
            let mut array = ptr::null_mut();
            // SAFETY: writes to `array`, and reads the description during the call.
            unsafe { driver::cuArray3DCreate_v2(&mut array, &raw const description) }?;
            resource.resType = cu::CUresourcetype::CU_RESOURCE_TYPE_ARRAY;
            resource.res.array.hArray = array;
            Owned::Array(array)
        };
        let texel = texels.element().size() * texels.channels() as usize;
        let mut made = RawArray { resource, owned, levels: Vec::new(), texel };
        for (number, level) in (0..).zip(texels.levels()) {
            let array = made.level(number)?;
            made.levels.push((array, level));
        }
        Ok(made)
    }

    fn level(&self, number: u32) -> Result<cu::CUarray, GpuError> {
        match self.owned {
            Owned::Array(array) => Ok(array),
            Owned::Mipmapped(whole) => {
                let mut array = ptr::null_mut();
                // SAFETY: writes to `array`; a number that is too large is an error.
                unsafe { driver::cuMipmappedArrayGetLevel(&mut array, whole, number) }?;
                Ok(array)
            }
        }
    }
}

impl Drop for RawArray {
    fn drop(&mut self) {
        // SAFETY: the object that looked at it is gone, and it is not used again. There is no
        // caller to receive an error.
        let _ = match self.owned {
            Owned::Array(array) => unsafe { driver::cuArrayDestroy(array) },
            Owned::Mipmapped(array) => unsafe { driver::cuMipmappedArrayDestroy(array) },
        };
    }
}

/// What allows `tld4`, where an array can have it.
fn gathers(texels: &Texels) -> u32 {
    let is_plain = texels.layers().is_none() && !texels.is_cube() && texels.levels().len() == 1;
    let is_flat = is_plain && texels.extent().len() == 2;
    match is_flat && texels.extent().iter().all(|size| *size <= GATHERED) {
        true => cu::CUDA_ARRAY3D_TEXTURE_GATHER,
        false => 0,
    }
}

/// How a texture is looked up, in the driver's words.
fn described(texels: &Texels, sampler: &Sampler) -> cu::CUDA_TEXTURE_DESC {
    use cu::CUaddress_mode as A;
    // SAFETY: of zeros all numbers are zero, and the border is black.
    let mut description: cu::CUDA_TEXTURE_DESC = unsafe { std::mem::zeroed() };
    let mode = match sampler.address {
        AddressMode::Wrap => A::CU_TR_ADDRESS_MODE_WRAP,
        AddressMode::Clamp => A::CU_TR_ADDRESS_MODE_CLAMP,
        AddressMode::Mirror => A::CU_TR_ADDRESS_MODE_MIRROR,
        AddressMode::Border => A::CU_TR_ADDRESS_MODE_BORDER,
    };
    let filter = |linear| match linear {
        true => cu::CUfilter_mode::CU_TR_FILTER_MODE_LINEAR,
        false => cu::CUfilter_mode::CU_TR_FILTER_MODE_POINT,
    };
    description.addressMode = [mode; 3];
    description.filterMode = filter(sampler.linear);
    description.mipmapFilterMode = filter(sampler.between_levels);
    description.maxMipmapLevelClamp = (texels.levels().len() - 1) as f32;
    if sampler.normalized {
        description.flags |= cu::CU_TRSF_NORMALIZED_COORDINATES;
    }
    if !sampler.as_float {
        // Of floats it says nothing.
        description.flags |= cu::CU_TRSF_READ_AS_INTEGER;
    }
    description
}

/// The driver's name of a channel's type, which [`Texels`] has judged.
fn format(element: ElementType) -> Result<cu::CUarray_format, GpuError> {
    use ElementType as E;
    use cu::CUarray_format as F;
    Ok(match element {
        E::U8 => F::CU_AD_FORMAT_UNSIGNED_INT8,
        E::I8 => F::CU_AD_FORMAT_SIGNED_INT8,
        E::U16 => F::CU_AD_FORMAT_UNSIGNED_INT16,
        E::I16 => F::CU_AD_FORMAT_SIGNED_INT16,
        E::U32 => F::CU_AD_FORMAT_UNSIGNED_INT32,
        E::I32 => F::CU_AD_FORMAT_SIGNED_INT32,
        E::F16 => F::CU_AD_FORMAT_HALF,
        E::F32 => F::CU_AD_FORMAT_FLOAT,
        E::U64 | E::I64 | E::Bf16 | E::F64 => {
            let what =
                format!("was asked for texels of {element}, which are none: a bug of warpsim");
            return Err(GpuError::Worker { what });
        }
    })
}
