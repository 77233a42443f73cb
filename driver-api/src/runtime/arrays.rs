//! Arrays of "Memory Management" and copies in three dimensions; "Texture Object Management",
//! "Surface Object Management".

use warpsim_driver_core::{
    Answer, ArrayShape, Block, CudaError, DefaultStream, ElementType, Handle, Resource, Spot,
};

use super::cuboids::{Pitched, RuntimeCopy3D};
use super::launches::ChannelDescription;
use super::{RuntimeError, only_device, runtime, spots, with};
use crate::callbacks;
use crate::functions::{Lookup, Made, issued, textured};
use crate::pointers::{In, Out};
use crate::process::unsupported;

/// `cudaExtent`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Size {
    pub(super) all: [usize; 3],
}

impl crate::pointers::Shown for Size {
    fn shown(&self) -> String {
        format!("{:?}", self.all)
    }
}

impl crate::pointers::Shown for Pitched {
    fn shown(&self) -> String {
        format!("{:#x}", self.address)
    }
}

/// `cudaResourceDesc`, whose words mean what its kind says.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct ResourceDescription {
    kind: u32,
    first: u64,
    channels: ChannelDescription,
    sizes: [usize; 3],
}

/// `cudaTextureDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct TextureDescription {
    address: [u32; 3],
    filter: u32,
    /// 1: integers become floats.
    mode: u32,
    is_srgb: i32,
    border: [f32; 4],
    is_normalized: i32,
    anisotropy: u32,
    between_levels: u32,
    /// The number that is added to a level, and the two limits of a level.
    levels: [f32; 3],
    /// Filters are not made cheaper; edges of cubes are filtered over.
    more: [i32; 2],
}

const _: () =
    assert!(size_of::<ResourceDescription>() == 64 && size_of::<TextureDescription>() == 72);

/// What textures and surfaces were made of, to be asked for.
static MADE_OF: Made<ResourceDescription, TextureDescription> = Made::new();

/// The type of a channel, and how many there are.
pub(super) fn element(description: ChannelDescription) -> Result<(ElementType, u32), RuntimeError> {
    /// `cudaErrorInvalidChannelDescriptor`.
    const WRONG: RuntimeError = RuntimeError::Own(20);
    let ChannelDescription { bits, kind } = description;
    let channels = bits.iter().take_while(|bits| **bits != 0).count();
    let is_even =
        bits.iter().enumerate().all(|(at, n)| *n == if at < channels { bits[0] } else { 0 });
    let element = match (kind, bits[0]) {
        (0, 8) => ElementType::I8,
        (0, 16) => ElementType::I16,
        (0, 32) => ElementType::I32,
        (1, 8) => ElementType::U8,
        (1, 16) => ElementType::U16,
        (1, 32) => ElementType::U32,
        (2, 16) => ElementType::F16,
        (2, 32) => ElementType::F32,
        (_, _) => return Err(WRONG),
    };
    if is_even { Ok((element, channels as u32)) } else { Err(WRONG) }
}

fn description(shape: &ArrayShape) -> ChannelDescription {
    let kind = match shape.element {
        ElementType::I8 | ElementType::I16 | ElementType::I32 | ElementType::I64 => 0,
        ElementType::U8 | ElementType::U16 | ElementType::U32 | ElementType::U64 => 1,
        ElementType::F16 | ElementType::Bf16 | ElementType::F32 | ElementType::F64 => 2,
    };
    let mut bits = [0; 4];
    let of_channel = 8 * shape.element.size() as i32;
    bits.iter_mut().take(shape.channels as usize).for_each(|bits| *bits = of_channel);
    ChannelDescription { bits, kind }
}

fn created(
    array: Out<Handle>,
    wanted: In<ChannelDescription>,
    extent: [usize; 3],
    flags: u32,
) -> Result<(), RuntimeError> {
    if array.is_null() {
        return Err(CudaError::InvalidValue.into());
    }
    let (element, channels) = element(wanted.get()?)?;
    let shape = ArrayShape { extent: extent.map(|size| size as u64), element, channels, flags };
    Ok(array.put(with(|call| call.create_array(shape))?)?)
}

fn resource(of: In<ResourceDescription>) -> Result<Resource, RuntimeError> {
    let ResourceDescription { kind, first: address, channels, sizes } = of.get()?;
    let [width, height, pitch] = sizes.map(|size| size as u64);
    Ok(match kind {
        0 => Resource::Array(address),
        1 => Resource::Mipmapped(address, u32::MAX),
        2 => {
            let (element, channels) = element(channels)?;
            Resource::Linear { address, element, channels, bytes: width }
        }
        3 => {
            let (element, channels) = element(channels)?;
            Resource::Pitched { address, element, channels, width, height, pitch }
        }
        4.. => return Err(CudaError::InvalidValue.into()),
    })
}

/// What the runtime refuses of memory in a line, and the driver takes (seen on an H200).
fn refuse_line(resource: &Resource, filter: u32, as_float: bool) -> Result<(), RuntimeError> {
    let element = match resource {
        Resource::Linear { element, .. } => element,
        Resource::Array(_) | Resource::Mipmapped(..) | Resource::Pitched { .. } => return Ok(()),
    };
    let is_float = matches!(element, ElementType::F16 | ElementType::F32);
    let is_wide = element.size() == 4;
    if filter == 1 && !is_float && (is_wide || !as_float) {
        return Err(RuntimeError::INVALID_FILTER);
    }
    if as_float && is_wide {
        return Err(RuntimeError::INVALID_NORMALISATION);
    }
    Ok(())
}

/// `cudaCreateTextureObject`.
fn created_texture(
    texture: Out<u64>,
    of: In<ResourceDescription>,
    how: In<TextureDescription>,
    view: In<u32>,
) -> Result<(), RuntimeError> {
    if !view.is_null() && view.get()? != 0 {
        unsupported("textures with a view of another format")?;
    }
    let asked = how.get()?;
    let TextureDescription { address, filter, mode, is_srgb, border, is_normalized, .. } = asked;
    let TextureDescription { between_levels, levels, .. } = asked;
    let (normalized, as_float, is_srgb) = (is_normalized != 0, mode == 1, is_srgb != 0);
    let resource = resource(of)?;
    refuse_line(&resource, filter, as_float)?;
    super::ready()?;
    let lookup =
        Lookup { address, filter, normalized, as_float, is_srgb, border, between_levels, levels };
    textured(texture, resource, &lookup)?;
    MADE_OF.keep(texture.get()?, of.get()?, Some(asked));
    Ok(())
}

/// Where a stream's work goes, and whether the host waits for it.
type How = (Handle, DefaultStream, bool);

fn copy(block: &Block, (stream, default, is_waited_for): How) -> Result<(), RuntimeError> {
    Ok(issued(*block, (stream, default), is_waited_for)?)
}

fn cuboid(wanted: In<RuntimeCopy3D>, how: How) -> Result<(), RuntimeError> {
    copy(&wanted.get()?.block()?, how)
}

/// Rows of an array, and rows at an address: bytes of a row, and rows.
struct Rows {
    array: Handle,
    at: [usize; 2],
    address: u64,
    pitch: usize,
    extent: [usize; 2],
    kind: u32,
    is_to_array: bool,
}

fn rows(all: &Rows, how: How) -> Result<(), RuntimeError> {
    let Rows { array, at: [x, y], address, pitch, extent: [width, height], kind, .. } = *all;
    if width > pitch && height > 1 {
        return Err(RuntimeError::INVALID_PITCH);
    }
    let extent = [width as u64, height as u64, 1];
    let end = with(|call| call.array_end(array, [x as u64, y as u64, 0], extent))?;
    let (to, from) = spots(address, address, kind)?;
    let other = |spot: Spot| (spot, pitch as u64, 0);
    let block = match all.is_to_array {
        true => Block { to: end, from: other(from), extent },
        false => Block { to: other(to), from: end, extent },
    };
    copy(&block, how)
}

fn set(all: Pitched, value: i32, size: Size, how: (Handle, DefaultStream)) -> Answer<()> {
    callbacks::settle();
    let [width, height, depth] = size.all.map(|size| size as u64);
    let [byte, ..] = value.to_le_bytes();
    if width == 0 || height == 0 || depth == 0 {
        return Ok(());
    }
    let slice = (all.pitch as u64).checked_mul(all.height as u64).ok_or(CudaError::InvalidValue)?;
    // So each slice begins behind the one before, and the last of too many is where nothing is.
    if depth > 1 && (all.height as u64) < height {
        return Err(CudaError::InvalidValue);
    }
    with(|call| {
        let stream = call.stream(how.0, how.1)?;
        for z in 0..depth {
            let start = z.checked_mul(slice).and_then(|bytes| all.address.checked_add(bytes));
            let start = start.ok_or(CudaError::InvalidValue)?;
            call.set(start, &[byte], [width, height], all.pitch as u64, stream)?;
        }
        Ok(())
    })
}

fn peers(to: i32, from: i32) -> Answer<()> {
    only_device(to)?;
    only_device(from)
}

runtime! {
    cudaMallocArray |_default| (
        array: Out<Handle>, wanted: In<ChannelDescription>, width: usize, height: usize, flags: u32
    ) {
        created(array, wanted, [width, height, 0], flags)
    }
    cudaMalloc3DArray |_default| (array: Out<Handle>, wanted: In<ChannelDescription>, size: Size, flags: u32) {
        created(array, wanted, size.all, flags)
    }
    cudaFreeArray |_default| (array: Handle) {
        callbacks::settle();
        match array {
            0 => Ok(()),
            array => with(|call| call.destroy_array(array)),
        }
    }
    cudaArrayGetInfo |_default| (to: Out<ChannelDescription>, size: Out<Size>, flags: Out<u32>, array: Handle) {
        let shape = with(|call| call.array(array))?;
        to.put_if_wanted(description(&shape));
        size.put_if_wanted(Size { all: shape.extent.map(|size| size as usize) });
        flags.put_if_wanted(shape.flags);
        super::DONE
    }
    cudaGetChannelDesc |_default| (to: Out<ChannelDescription>, array: Handle) {
        to.put(description(&with(|call| call.array(array))?))
    }
    cudaCreateTextureObject |_default| (
        texture: Out<u64>, of: In<ResourceDescription>, how: In<TextureDescription>, view: In<u32>
    ) {
        created_texture(texture, of, how, view)
    }
    // What CUDA 11.8 called it, with the structure of today.
    cudaCreateTextureObject_v2 |_default| (
        texture: Out<u64>, of: In<ResourceDescription>, how: In<TextureDescription>, view: In<u32>
    ) {
        created_texture(texture, of, how, view)
    }
    cudaGetTextureObjectTextureDesc_v2 |_default| (to: Out<TextureDescription>, texture: u64) {
        to.put(MADE_OF.of(texture)?.1.ok_or(CudaError::InvalidValue)?)
    }
    cudaGetTextureObjectResourceDesc |_default| (to: Out<ResourceDescription>, texture: u64) {
        to.put(MADE_OF.of(texture)?.0)
    }
    cudaGetTextureObjectTextureDesc |_default| (to: Out<TextureDescription>, texture: u64) {
        to.put(MADE_OF.of(texture)?.1.ok_or(CudaError::InvalidValue)?)
    }
    cudaGetTextureObjectResourceViewDesc |_default| (to: Out<u32>, texture: u64) {
        // A texture with a view is refused when it is made.
        let _ = to;
        MADE_OF.of(texture)?;
        Err::<(), _>(CudaError::InvalidValue)
    }
    cudaGetSurfaceObjectResourceDesc |_default| (to: Out<ResourceDescription>, surface: u64) {
        to.put(MADE_OF.of(surface)?.0)
    }
    cudaDestroyTextureObject |_default| (texture: u64) {
        callbacks::settle();
        match texture {
            0 => Ok(()),
            texture => {
                MADE_OF.forget(texture);
                with(|call| call.destroy_image(texture, true))
            }
        }
    }
    cudaCreateSurfaceObject |_default| (surface: Out<u64>, of: In<ResourceDescription>) {
        let resource = resource(of)?;
        if surface.is_null() {
            return Err(CudaError::InvalidValue.into());
        }
        let made = with(|call| call.create_surface(resource))?;
        MADE_OF.keep(made, of.get()?, None);
        surface.put(made)
    }
    cudaDestroySurfaceObject |_default| (surface: u64) {
        callbacks::settle();
        match surface {
            0 => Ok(()),
            surface => {
                MADE_OF.forget(surface);
                with(|call| call.destroy_image(surface, false))
            }
        }
    }
    cudaMemcpy2DToArray / cudaMemcpy2DToArray_ptds |default| (
        array: Handle, x: usize, y: usize, from: u64, pitch: usize, width: usize, height: usize, kind: u32
    ) {
        let (at, extent) = ([x, y], [width, height]);
        rows(&Rows { array, at, address: from, pitch, extent, kind, is_to_array: true }, (0, default, true))
    }
    cudaMemcpy2DToArrayAsync / cudaMemcpy2DToArrayAsync_ptsz |default| (
        array: Handle, x: usize, y: usize, from: u64, pitch: usize, width: usize, height: usize, kind: u32, stream: Handle
    ) {
        let (at, extent) = ([x, y], [width, height]);
        rows(&Rows { array, at, address: from, pitch, extent, kind, is_to_array: true }, (stream, default, false))
    }
    cudaMemcpy2DFromArray / cudaMemcpy2DFromArray_ptds |default| (
        to: u64, pitch: usize, array: Handle, x: usize, y: usize, width: usize, height: usize, kind: u32
    ) {
        let (at, extent) = ([x, y], [width, height]);
        rows(&Rows { array, at, address: to, pitch, extent, kind, is_to_array: false }, (0, default, true))
    }
    cudaMemcpy2DFromArrayAsync / cudaMemcpy2DFromArrayAsync_ptsz |default| (
        to: u64, pitch: usize, array: Handle, x: usize, y: usize, width: usize, height: usize, kind: u32, stream: Handle
    ) {
        let (at, extent) = ([x, y], [width, height]);
        rows(&Rows { array, at, address: to, pitch, extent, kind, is_to_array: false }, (stream, default, false))
    }
    cudaMemcpy2DArrayToArray / cudaMemcpy2DArrayToArray_ptds |default| (
        to: Handle, to_x: usize, to_y: usize, from: Handle, x: usize, y: usize, width: usize, height: usize, kind: u32
    ) {
        let _ = kind;
        let extent = [width as u64, height as u64, 1];
        let end = |array, x: usize, y: usize| {
            with(|call| call.array_end(array, [x as u64, y as u64, 0], extent))
        };
        copy(&Block { to: end(to, to_x, to_y)?, from: end(from, x, y)?, extent }, (0, default, true))
    }
    cudaMemcpy3D / cudaMemcpy3D_ptds |default| (wanted: In<RuntimeCopy3D>) {
        cuboid(wanted, (0, default, true))
    }
    cudaMemcpy3DAsync / cudaMemcpy3DAsync_ptsz |default| (wanted: In<RuntimeCopy3D>, stream: Handle) {
        cuboid(wanted, (stream, default, false))
    }
    cudaMalloc3D |_default| (to: Out<Pitched>, size: Size) {
        let [width, height, depth] = size.all;
        let rows = height.checked_mul(depth).ok_or(CudaError::InvalidValue)?;
        if to.is_null() {
            return Err(CudaError::InvalidValue.into());
        }
        let (address, pitch) = with(|call| call.allocate_pitch(width as u64, rows as u64, 16))?;
        to.put(Pitched { address, pitch: pitch as usize, width, height })
    }
    cudaMemset3D / cudaMemset3D_ptds |default| (all: Pitched, value: i32, size: Size) {
        set(all, value, size, (0, default))
    }
    cudaMemset3DAsync / cudaMemset3DAsync_ptsz |default| (all: Pitched, value: i32, size: Size, stream: Handle) {
        set(all, value, size, (stream, default))
    }
    cudaMemcpyPeer |default| (to: u64, to_device: i32, from: u64, from_device: i32, bytes: usize) {
        peers(to_device, from_device)?;
        let end = |address| (Spot::Device(address), bytes as u64, bytes as u64);
        copy(&Block { to: end(to), from: end(from), extent: [bytes as u64, 1, 1] }, (0, default, true))
    }
    cudaMemcpyPeerAsync |default| (to: u64, to_device: i32, from: u64, from_device: i32, bytes: usize, stream: Handle) {
        peers(to_device, from_device)?;
        let end = |address| (Spot::Device(address), bytes as u64, bytes as u64);
        copy(&Block { to: end(to), from: end(from), extent: [bytes as u64, 1, 1] }, (stream, default, false))
    }
    // A device is no peer of itself, and there is no other.
    cudaDeviceEnablePeerAccess |_default| (peer: i32, flags: u32) {
        let _ = flags;
        only_device(peer)?;
        Err::<(), _>(CudaError::InvalidDevice)
    }
    cudaDeviceDisablePeerAccess |_default| (peer: i32) {
        only_device(peer)?;
        Err::<(), _>(CudaError::PeerAccessNotEnabled)
    }
    cudaDeviceGetP2PAttribute |_default| (value: Out<i32>, attribute: u32, from: i32, to: i32) {
        let _ = (value, attribute);
        peers(from, to)?;
        Err::<(), _>(CudaError::InvalidDevice)
    }
}
