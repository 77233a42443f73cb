//! Arrays, textures and surfaces (CUDA driver API, "Memory Management", "Texture Object
//! Management", "Surface Object Management").
//!
//! An array is device memory whose texels lie row after row without gaps. A texture or a surface is
//! a number that a kernel gets. By that number the simulator finds texels and how to look them up.
//!
//! [`crate::spaces::mipmaps`] has arrays of several levels.
//!
//! Deviations: some things are not supported, and reported. They are address modes that differ from
//! direction to direction, border colours other than zero, sRGB and views of other formats.

use std::collections::BTreeMap;

use warpsim::element::ElementType;
use warpsim::host::{Pointer, Sampler, Texels};

use crate::copies::Spot;
use crate::spaces::memory::{AllocationKind, Owner};
use crate::spaces::mipmaps::Mipmapped;
use crate::state::{Call, Kind, refusal};
use crate::{Answer, CudaError, Handle};

/// The shape of an array (`CUDA_ARRAY3D_DESCRIPTOR`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayShape {
    /// Texels along each direction; 0 where there is no such direction. The third is the number of
    /// layers, of faces, or the depth.
    pub extent: [u64; 3],
    /// The type of a channel.
    pub element: ElementType,
    /// Channels of a texel: 1, 2 or 4.
    pub channels: u32,
    /// As in `cuda.h`: layers, surfaces, cubes.
    pub flags: u32,
}

/// Flags of arrays: layers, surfaces, cubes, gathering.
const LAYERED: u32 = 1;
const CUBE: u32 = 4;
const FLAGS: u32 = 15;

impl ArrayShape {
    /// Bytes of a texel.
    pub fn texel(&self) -> u64 {
        self.element.size() as u64 * u64::from(self.channels)
    }

    /// Bytes of a row.
    fn pitch(&self) -> u64 {
        self.extent[0] * self.texel()
    }

    /// Rows, and slices.
    fn rows(&self) -> (u64, u64) {
        (self.extent[1].max(1), self.extent[2].max(1))
    }

    /// The third size is not a direction but a number of layers or faces.
    pub(crate) fn is_in_slices(&self) -> bool {
        self.flags & (LAYERED | CUBE) != 0
    }

    pub(crate) fn texels(&self) -> Answer<Texels> {
        let [width, height, depth] = self.extent;
        let (is_layered, is_cube) = (self.flags & LAYERED != 0, self.flags & CUBE != 0);
        let directions = match (height, depth, is_layered || is_cube) {
            (0, 0, _) => vec![width],
            (_, 0, _) => vec![width, height],
            (0, _, true) => vec![width],
            (_, _, true) => vec![width, height],
            (0, _, false) => return Err(CudaError::InvalidValue),
            (_, _, false) => vec![width, height, depth],
        };
        let small = |n: u64| u32::try_from(n).map_err(|_| CudaError::InvalidValue);
        let directions = directions.into_iter().map(small).collect::<Answer<Vec<u32>>>()?;
        let made = Texels::new(self.element, self.channels, &directions);
        let layers = small(depth)?;
        let made = match (is_cube, is_layered) {
            (false, false) => made,
            (false, true) => made.and_then(|texels| texels.layered(layers)),
            (true, false) if layers == 6 => made.and_then(Texels::cube),
            (true, true) if layers.is_multiple_of(6) => {
                made.and_then(Texels::cube).and_then(|texels| texels.layered(layers / 6))
            }
            (true, _) => return Err(CudaError::InvalidValue),
        };
        made.map_err(|_| CudaError::InvalidValue)
    }
}

/// The source of a texture or a surface (`CUDA_RESOURCE_DESC`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in `cuda.h`")]
pub enum Resource {
    /// An array.
    Array(Handle),
    /// The first levels of a mipmapped array, and how many.
    Mipmapped(Handle, u32),
    /// Memory with texel after texel.
    Linear { address: u64, element: ElementType, channels: u32, bytes: u64 },
    /// Memory in rows.
    Pitched {
        address: u64,
        element: ElementType,
        channels: u32,
        width: u64,
        height: u64,
        pitch: u64,
    },
}

/// An array.
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) shape: ArrayShape,
    pub(crate) texels: Texels,
    pub(crate) base: u64,
    pub(crate) context: Handle,
    /// It is a level of this mipmapped array.
    pub(crate) level_of: Option<Handle>,
}

/// All of them, and the context of each texture and surface.
#[derive(Debug, Default)]
pub(crate) struct Arrays {
    pub(crate) all: BTreeMap<Handle, Array>,
    pub(crate) mipmapped: BTreeMap<Handle, Mipmapped>,
    objects: BTreeMap<u64, (Handle, bool)>,
}

impl Arrays {
    fn known(&self, handle: Handle) -> Answer<&Array> {
        self.all.get(&handle).ok_or(CudaError::InvalidHandle)
    }

    /// How many arrays and objects there are.
    #[cfg(test)]
    pub(crate) fn live(&self) -> [usize; 2] {
        [self.all.len() + self.mipmapped.len(), self.objects.len()]
    }
}

impl Call<'_> {
    /// `cuArrayCreate`, `cuArray3DCreate`.
    ///
    /// # Errors
    /// An array cannot have this shape, or there is not that much memory.
    pub fn create_array(&mut self, shape: ArrayShape) -> Answer<Handle> {
        let array = self.new_array(shape, shape.texels()?)?;
        let handle = self.state.handle(Kind::Array);
        self.state.arrays.all.insert(handle, array);
        Ok(handle)
    }

    /// Allocates an array of these texels.
    pub(crate) fn new_array(&mut self, shape: ArrayShape, texels: Texels) -> Answer<Array> {
        let context = self.context()?;
        self.refuse_unsafe()?;
        if shape.flags & !FLAGS != 0 {
            return Err(CudaError::InvalidValue);
        }
        let base = self.allocate_for(texels.bytes(), Owner::Context(context))?;
        if let Some(allocation) = self.state.allocations.get_mut(&base) {
            allocation.kind = AllocationKind::Array;
        }
        Ok(Array { shape, texels, base, context, level_of: None })
    }

    /// `cuArrayDestroy`.
    ///
    /// # Errors
    /// There is no such array.
    pub fn destroy_array(&mut self, handle: Handle) -> Answer<()> {
        if let Ok(array) = self.state.arrays.known(handle)
            && array.level_of.is_none()
        {
            let base = array.base;
            self.gives_back(base);
        }
        self.context()?;
        let array = self.state.arrays.known(handle)?;
        let base = array.base;
        // A level goes with all of them.
        if array.level_of.is_some() {
            return Err(CudaError::InvalidValue);
        }
        self.state.arrays.all.remove(&handle);
        self.remove_allocation(base)
    }

    /// `cuArray3DGetDescriptor`.
    ///
    /// # Errors
    /// There is no such array.
    pub fn array(&self, handle: Handle) -> Answer<ArrayShape> {
        self.context()?;
        Ok(self.state.arrays.known(handle)?.shape)
    }

    /// An end of a copy in an array: its beginning (byte of a row, row, slice), and the bytes from
    /// row to row and from slice to slice.
    ///
    /// # Errors
    /// There is no such array, or the copy goes beyond it.
    pub fn array_end(
        &self,
        handle: Handle,
        at: [u64; 3],
        extent: [u64; 3],
    ) -> Answer<(Spot, u64, u64)> {
        let Array { shape, base, .. } = self.state.arrays.known(handle)?;
        let (rows, slices) = shape.rows();
        let pitch = shape.pitch();
        let fits = |at: u64, size: u64, room| at.checked_add(size).is_some_and(|end| end <= room);
        let is_inside = fits(at[0], extent[0], pitch)
            && fits(at[1], extent[1], rows)
            && fits(at[2], extent[2], slices);
        match is_inside {
            true => {
                let start = base + at[0] + pitch * (at[1] + rows * at[2]);
                Ok((Spot::Device(start), pitch, pitch * rows))
            }
            false => Err(CudaError::InvalidValue),
        }
    }

    /// An end of a copy that takes this many bytes of an array. They begin at a byte of a row and
    /// go on row after row of the first slice.
    ///
    /// # Errors
    /// There is no such array, or the copy goes beyond the slice.
    pub fn array_span(&self, handle: Handle, [x, row]: [u64; 2], bytes: u64) -> Answer<Spot> {
        let Array { shape, base, .. } = self.state.arrays.known(handle)?;
        let (rows, _) = shape.rows();
        let pitch = shape.pitch();
        let start = row.checked_mul(pitch).and_then(|start| start.checked_add(x));
        let start = start.filter(|_| x < pitch && row < rows).ok_or(CudaError::InvalidValue)?;
        match start.checked_add(bytes).is_some_and(|end| end <= pitch * rows) {
            true => Ok(Spot::Device(base + start)),
            false => Err(CudaError::InvalidValue),
        }
    }

    /// The texels of something, where they are, and the bytes from row to row where these are said.
    fn texels_of(&self, resource: Resource) -> Answer<(Texels, Pointer, Option<u64>)> {
        let wrong = |_| CudaError::InvalidValue;
        let small = |n: u64| u32::try_from(n).map_err(|_| CudaError::InvalidValue);
        match resource {
            Resource::Array(handle) => {
                let array = self.state.arrays.known(handle)?;
                Ok((array.texels.clone(), Pointer(array.base), None))
            }
            Resource::Mipmapped(handle, levels) => {
                let (texels, base) = self.mipmapped_texels(handle, levels)?;
                Ok((texels, Pointer(base), None))
            }
            Resource::Linear { address, element, channels, bytes } => {
                let texel = element.size() as u64 * u64::from(channels);
                // An H200 takes more bytes than the program has allocated. Texels that are not
                // wholly in the allocation are outside of the texture here, and read as zero.
                let bytes = match self.around(address) {
                    Some((base, a)) if address.wrapping_sub(base) < a.bytes => {
                        bytes.min(self.reach(address, base, a))
                    }
                    Some(_) | None => bytes,
                };
                let count = small(bytes.checked_div(texel).ok_or(CudaError::InvalidValue)?)?;
                let texels = Texels::linear(element, channels, count).map_err(wrong)?;
                Ok((texels, self.device_place(address, bytes)?, None))
            }
            Resource::Pitched { address, element, channels, width, height, pitch } => {
                let texels = Texels::new(element, channels, &[small(width)?, small(height)?]);
                let texels = texels.map_err(wrong)?;
                let row = width * element.size() as u64 * u64::from(channels);
                if pitch < row {
                    return Err(CudaError::InvalidValue);
                }
                let bytes =
                    (height - 1).checked_mul(pitch).and_then(|bytes| bytes.checked_add(row));
                let place = self.device_place(address, bytes.ok_or(CudaError::InvalidValue)?)?;
                Ok((texels, place, Some(pitch)))
            }
        }
    }

    /// `cuTexObjectCreate`: gives the number for a kernel.
    ///
    /// # Errors
    /// The resource is not there, or cannot be looked up this way.
    pub fn create_texture(&mut self, resource: Resource, sampler: Sampler) -> Answer<u64> {
        let context = self.context()?;
        let (texels, at, pitch) = self.texels_of(resource)?;
        let is_float = matches!(texels.element(), ElementType::F16 | ElementType::F32);
        let sampler = match resource {
            // Its texels are looked up by their numbers alone: an H200 takes any filter, address
            // mode and normalisation.
            Resource::Linear { .. } => {
                Sampler { linear: false, normalized: false, between_levels: false, ..sampler }
            }
            Resource::Array(_) | Resource::Mipmapped(..) | Resource::Pitched { .. } => sampler,
        };
        // What filters gives floats.
        if sampler.linear && !is_float && !sampler.as_float {
            return Err(CudaError::InvalidValue);
        }
        let device = &mut self.state.device;
        let made = match pitch {
            Some(pitch) => device.texture_in_rows(&texels, at, pitch, sampler),
            None => device.texture_at(&texels, at, sampler),
        };
        let handle = made.map_err(|error| refusal(self, &error))?;
        self.state.arrays.objects.insert(handle, (context, true));
        Ok(handle)
    }

    /// `cuSurfObjectCreate`.
    ///
    /// # Errors
    /// There is no such array.
    pub fn create_surface(&mut self, resource: Resource) -> Answer<u64> {
        let context = self.context()?;
        let Resource::Array(_) = resource else { return Err(CudaError::InvalidValue) };
        let (texels, at, _) = self.texels_of(resource)?;
        let made = self.state.device.surface_at(&texels, at);
        let handle = made.map_err(|error| refusal(self, &error))?;
        self.state.arrays.objects.insert(handle, (context, false));
        Ok(handle)
    }

    /// `cuTexObjectDestroy`, `cuSurfObjectDestroy`.
    ///
    /// # Errors
    /// There is no such texture, or no such surface.
    pub fn destroy_image(&mut self, handle: u64, is_texture: bool) -> Answer<()> {
        self.context()?;
        match self.state.arrays.objects.get(&handle) {
            Some((_, is)) if *is == is_texture => {}
            Some(_) | None => return Err(CudaError::InvalidValue),
        }
        self.state.arrays.objects.remove(&handle);
        self.state.device.forget_image(handle);
        Ok(())
    }

    /// A context is emptied; the texels go with its other memory.
    pub(crate) fn forget_arrays_in(&mut self, context: Handle) {
        self.state.arrays.all.retain(|_, array| array.context != context);
        self.state.arrays.mipmapped.retain(|_, all| all.array.context != context);
        let objects = self.state.arrays.objects.iter();
        let gone = objects.filter(|(_, (of, _))| *of == context).map(|(handle, _)| *handle);
        for handle in gone.collect::<Vec<_>>() {
            self.state.arrays.objects.remove(&handle);
            self.state.device.forget_image(handle);
        }
    }
}
