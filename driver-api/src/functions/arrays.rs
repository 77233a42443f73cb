//! Arrays of "Memory Management"; "Texture Object Management", "Surface Object Management".

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use warpsim_driver_core::{
    AddressMode, Answer, ArrayShape, Block, CudaError, ElementType, Handle, Resource, Sampler, Spot,
};

use super::copies::issued;
use super::{functions, streamed};
use crate::callbacks;
use crate::pointers::{In, Out};
use crate::process::{unsupported, with};

/// `CUDA_ARRAY_DESCRIPTOR`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Descriptor {
    width: usize,
    height: usize,
    format: u32,
    channels: u32,
}

/// `CUDA_ARRAY3D_DESCRIPTOR`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Descriptor3D {
    pub(super) extent: [usize; 3],
    pub(super) format: u32,
    pub(super) channels: u32,
    pub(super) flags: u32,
}

/// `CUDA_RESOURCE_DESC`, whose words mean what its kind says.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct ResourceDescriptor {
    kind: u32,
    /// A handle or an address.
    first: u64,
    format: u32,
    channels: u32,
    /// Bytes; or width, height, and bytes from row to row.
    sizes: [usize; 3],
    more: [u64; 12],
}

/// `CUDA_TEXTURE_DESC`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct TextureDescriptor {
    address: [u32; 3],
    filter: u32,
    flags: u32,
    anisotropy: u32,
    between_levels: u32,
    levels: [f32; 3],
    border: [f32; 4],
    reserved: [i32; 12],
}

const _: () = assert!(size_of::<Descriptor>() == 24 && size_of::<Descriptor3D>() == 40);
const _: () =
    assert!(size_of::<ResourceDescriptor>() == 144 && size_of::<TextureDescriptor>() == 104);

/// What each texture and each surface was made of, to be asked for.
pub(crate) struct Made<R, T>(Mutex<BTreeMap<u64, (R, Option<T>)>>);

impl<R: Copy, T: Copy> Made<R, T> {
    pub(crate) const fn new() -> Made<R, T> {
        Made(Mutex::new(BTreeMap::new()))
    }

    fn all(&self) -> MutexGuard<'_, BTreeMap<u64, (R, Option<T>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn keep(&self, image: u64, of: R, how: Option<T>) {
        self.all().insert(image, (of, how));
    }

    /// What an image was made of, and how a texture is looked up.
    ///
    /// # Errors
    /// It was not made by this API.
    pub(crate) fn of(&self, image: u64) -> Answer<(R, Option<T>)> {
        self.all().get(&image).copied().ok_or(CudaError::InvalidValue)
    }

    pub(crate) fn forget(&self, image: u64) {
        self.all().remove(&image);
    }
}

static MADE_OF: Made<ResourceDescriptor, TextureDescriptor> = Made::new();

/// The type of a channel (`CUarray_format`).
pub(super) fn element(format: u32) -> Answer<ElementType> {
    Ok(match format {
        1 => ElementType::U8,
        2 => ElementType::U16,
        3 => ElementType::U32,
        8 => ElementType::I8,
        9 => ElementType::I16,
        10 => ElementType::I32,
        16 => ElementType::F16,
        32 => ElementType::F32,
        0 | 4..=7 | 11..=15 | 17..=31 | 33.. => return Err(CudaError::InvalidValue),
    })
}

/// Its number.
fn format(element: ElementType) -> Answer<u32> {
    Ok(match element {
        ElementType::U8 => 1,
        ElementType::U16 => 2,
        ElementType::U32 => 3,
        ElementType::I8 => 8,
        ElementType::I16 => 9,
        ElementType::I32 => 10,
        ElementType::F16 => 16,
        ElementType::F32 => 32,
        ElementType::U64 | ElementType::I64 | ElementType::Bf16 | ElementType::F64 => {
            return Err(CudaError::Unknown);
        }
    })
}

impl ResourceDescriptor {
    fn resource(&self) -> Answer<Resource> {
        let (address, channels) = (self.first, self.channels);
        let [width, height, pitch] = self.sizes.map(|size| size as u64);
        Ok(match self.kind {
            0 => Resource::Array(address),
            1 => Resource::Mipmapped(address, u32::MAX),
            2 => {
                let element = element(self.format)?;
                Resource::Linear { address, element, channels, bytes: width }
            }
            3 => {
                let element = element(self.format)?;
                Resource::Pitched { address, element, channels, width, height, pitch }
            }
            4.. => return Err(CudaError::InvalidValue),
        })
    }
}

/// What a coordinate outside means, as both APIs number it.
fn address_mode(number: u32) -> Answer<AddressMode> {
    Ok(match number {
        0 => AddressMode::Wrap,
        1 => AddressMode::Clamp,
        2 => AddressMode::Mirror,
        3 => AddressMode::Border,
        4.. => return Err(CudaError::InvalidValue),
    })
}

/// How a texture is looked up, in terms that both APIs have. There are address modes, whether
/// texels are weighted, and whether coordinates go from 0 to 1. Then whether integers become
/// floats, whether they are sRGB, and the border's colour. For several levels: whether two are
/// weighted, the bias of a level, and the range of levels.
pub(crate) struct Lookup {
    pub(crate) address: [u32; 3],
    pub(crate) filter: u32,
    pub(crate) normalized: bool,
    pub(crate) as_float: bool,
    pub(crate) is_srgb: bool,
    pub(crate) border: [f32; 4],
    pub(crate) between_levels: u32,
    pub(crate) levels: [f32; 3],
}

impl Lookup {
    /// The same resource with those levels alone that are looked up.
    fn of_levels(&self, resource: Resource) -> Answer<Resource> {
        let Resource::Mipmapped(handle, _) = resource else { return Ok(resource) };
        let all = with(|call| call.levels(handle))?;
        let [bias, least, most] = self.levels;
        let is_all = most >= (all - 1) as f32;
        if bias != 0.0 || least > 0.0 || (!is_all && most.fract() != 0.0) {
            unsupported("mipmapped textures with a bias or with a part of a level as a limit")?;
        }
        let levels = if is_all { all } else { most.max(0.0) as u32 + 1 };
        Ok(Resource::Mipmapped(handle, levels))
    }

    /// The same for a resource of this many directions.
    pub(crate) fn sampler(&self, resource: Resource) -> Answer<Sampler> {
        let directions = match resource {
            Resource::Linear { .. } => 1,
            Resource::Pitched { .. } => 2,
            Resource::Array(handle) => directions(with(|call| call.array(handle))?),
            Resource::Mipmapped(handle, _) => {
                directions(with(|call| call.mipmapped_shape(handle))?)
            }
        };
        let modes = self.address.iter().take(directions).map(|mode| address_mode(*mode));
        let modes = modes.collect::<Answer<Vec<_>>>()?;
        let address = modes.first().copied().ok_or(CudaError::Unknown)?;
        if modes.iter().any(|mode| *mode != address) {
            unsupported("textures with an address mode for each direction")?;
        }
        if self.is_srgb {
            unsupported("textures of sRGB")?;
        }
        if address == AddressMode::Border && self.border != [0.0; 4] {
            unsupported("textures with a border that is not zero")?;
        }
        let linear = match self.filter {
            0 => false,
            1 => true,
            2.. => return Err(CudaError::InvalidValue),
        };
        let between_levels = match (resource, self.between_levels) {
            (Resource::Mipmapped(..), 0) => false,
            (Resource::Mipmapped(..), 1) => true,
            (Resource::Mipmapped(..), 2..) => return Err(CudaError::InvalidValue),
            (Resource::Array(_) | Resource::Linear { .. } | Resource::Pitched { .. }, _) => false,
        };
        let (normalized, as_float) = (self.normalized, self.as_float);
        Ok(Sampler { linear, address, normalized, between_levels, as_float })
    }
}

/// Directions of an array, layers among them.
fn directions(shape: ArrayShape) -> usize {
    let [_, height, depth] = shape.extent;
    1 + usize::from(height > 0) + usize::from(depth > 0)
}

impl TextureDescriptor {
    const AS_INTEGER: u32 = 1;
    const NORMALIZED: u32 = 2;
    const SRGB: u32 = 16;

    fn lookup(&self) -> Lookup {
        Lookup {
            address: self.address,
            filter: self.filter,
            normalized: self.flags & TextureDescriptor::NORMALIZED != 0,
            as_float: self.flags & TextureDescriptor::AS_INTEGER == 0,
            is_srgb: self.flags & TextureDescriptor::SRGB != 0,
            border: self.border,
            between_levels: self.between_levels,
            levels: self.levels,
        }
    }
}

/// Refuses a view of another format.
fn own_format(view: In<u32>) -> Answer<()> {
    match view.is_null() || view.get()? == 0 {
        true => Ok(()),
        false => unsupported("textures with a view of another format"),
    }
}

/// Makes a texture.
pub(crate) fn textured(to: Out<u64>, resource: Resource, lookup: &Lookup) -> Answer<()> {
    if to.is_null() {
        return Err(CudaError::InvalidValue);
    }
    let resource = lookup.of_levels(resource)?;
    let sampler = lookup.sampler(resource)?;
    to.put(with(|call| call.create_texture(resource, sampler))?)
}

fn created(array: Out<Handle>, shape: ArrayShape) -> Answer<()> {
    match array.is_null() {
        true => Err(CudaError::InvalidValue),
        false => array.put(with(|call| call.create_array(shape))?),
    }
}

/// An end of a copy of one row: an array from which byte on, or an address.
#[derive(Clone, Copy)]
enum End {
    Array(Handle, usize),
    Spot(Spot),
}

fn copied(
    (to, from): (End, End),
    bytes: usize,
    of: (Handle, warpsim_driver_core::DefaultStream),
    is_waited_for: bool,
) -> Answer<()> {
    let extent = [bytes as u64, 1, 1];
    let block = with(|call| {
        let end = |end| match end {
            End::Array(array, at) => call.array_end(array, [at as u64, 0, 0], extent),
            End::Spot(spot) => Ok((spot, extent[0], extent[0])),
        };
        Ok(Block { to: end(to)?, from: end(from)?, extent })
    })?;
    issued(block, of, is_waited_for)
}

functions! {
    cuArrayCreate_v2(array: Out<Handle>, wanted: In<Descriptor>) {
        let Descriptor { width, height, format, channels } = wanted.get()?;
        let extent = [width as u64, height as u64, 0];
        created(array, ArrayShape { extent, element: element(format)?, channels, flags: 0 })
    }
    cuArray3DCreate_v2(array: Out<Handle>, wanted: In<Descriptor3D>) {
        let Descriptor3D { extent, format, channels, flags } = wanted.get()?;
        let extent = extent.map(|size| size as u64);
        created(array, ArrayShape { extent, element: element(format)?, channels, flags })
    }
    cuArrayGetDescriptor_v2(to: Out<Descriptor>, array: Handle) {
        let ArrayShape { extent, element, channels, .. } = with(|call| call.array(array))?;
        let [width, height, _] = extent.map(|size| size as usize);
        to.put(Descriptor { width, height, format: format(element)?, channels })
    }
    cuArray3DGetDescriptor_v2(to: Out<Descriptor3D>, array: Handle) {
        let ArrayShape { extent, element, channels, flags } = with(|call| call.array(array))?;
        let extent = extent.map(|size| size as usize);
        to.put(Descriptor3D { extent, format: format(element)?, channels, flags })
    }
    cuArrayDestroy(array: Handle) {
        callbacks::settle();
        with(|call| call.destroy_array(array))
    }
    cuTexObjectCreate(texture: Out<u64>, of: In<ResourceDescriptor>, how: In<TextureDescriptor>, view: In<u32>) {
        own_format(view)?;
        textured(texture, of.get()?.resource()?, &how.get()?.lookup())?;
        MADE_OF.keep(texture.get()?, of.get()?, Some(how.get()?));
        Ok(())
    }
    cuTexObjectDestroy(texture: u64) {
        callbacks::settle();
        with(|call| call.destroy_image(texture, true))?;
        MADE_OF.forget(texture);
        Ok(())
    }
    cuTexObjectGetResourceDesc(to: Out<ResourceDescriptor>, texture: u64) = cuSurfObjectGetResourceDesc {
        to.put(MADE_OF.of(texture)?.0)
    }
    cuTexObjectGetTextureDesc(to: Out<TextureDescriptor>, texture: u64) {
        to.put(MADE_OF.of(texture)?.1.ok_or(CudaError::InvalidValue)?)
    }
    cuTexObjectGetResourceViewDesc(to: Out<u32>, texture: u64) {
        // A texture with a view is refused when it is made.
        let _ = to;
        MADE_OF.of(texture)?;
        Err(CudaError::InvalidValue)
    }
    cuSurfObjectCreate(surface: Out<u64>, of: In<ResourceDescriptor>) {
        let resource = of.get()?.resource()?;
        if surface.is_null() {
            return Err(CudaError::InvalidValue);
        }
        let made = with(|call| call.create_surface(resource))?;
        MADE_OF.keep(made, of.get()?, None);
        surface.put(made)
    }
    cuSurfObjectDestroy(surface: u64) {
        callbacks::settle();
        with(|call| call.destroy_image(surface, false))?;
        MADE_OF.forget(surface);
        Ok(())
    }
}

streamed! {
    cuMemcpyHtoA_v2 / cuMemcpyHtoA_v2_ptds |default| (to: Handle, at: usize, from: u64, bytes: usize) {
        copied((End::Array(to, at), End::Spot(Spot::Host(from))), bytes, (0, default), true)
    }
    cuMemcpyHtoAAsync_v2 / cuMemcpyHtoAAsync_v2_ptsz |default| (
        to: Handle, at: usize, from: u64, bytes: usize, stream: Handle
    ) {
        copied((End::Array(to, at), End::Spot(Spot::Host(from))), bytes, (stream, default), false)
    }
    cuMemcpyAtoH_v2 / cuMemcpyAtoH_v2_ptds |default| (to: u64, from: Handle, at: usize, bytes: usize) {
        copied((End::Spot(Spot::Host(to)), End::Array(from, at)), bytes, (0, default), true)
    }
    cuMemcpyAtoHAsync_v2 / cuMemcpyAtoHAsync_v2_ptsz |default| (
        to: u64, from: Handle, at: usize, bytes: usize, stream: Handle
    ) {
        copied((End::Spot(Spot::Host(to)), End::Array(from, at)), bytes, (stream, default), false)
    }
    cuMemcpyDtoA_v2 / cuMemcpyDtoA_v2_ptds |default| (to: Handle, at: usize, from: u64, bytes: usize) {
        copied((End::Array(to, at), End::Spot(Spot::Device(from))), bytes, (0, default), true)
    }
    cuMemcpyAtoD_v2 / cuMemcpyAtoD_v2_ptds |default| (to: u64, from: Handle, at: usize, bytes: usize) {
        copied((End::Spot(Spot::Device(to)), End::Array(from, at)), bytes, (0, default), true)
    }
    cuMemcpyAtoA_v2 / cuMemcpyAtoA_v2_ptds |default| (
        to: Handle, to_at: usize, from: Handle, from_at: usize, bytes: usize
    ) {
        copied((End::Array(to, to_at), End::Array(from, from_at)), bytes, (0, default), true)
    }
}
