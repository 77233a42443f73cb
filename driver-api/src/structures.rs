//! Structures of `cuda.h`, as they lie in memory. An enumeration of the header is a number here,
//! because a program may pass any.

use std::ffi::c_char;

use warpsim_driver_core::{Answer, Block, CudaError, Spot};

use crate::pointers::Out;
use crate::process::with;

/// `CUDA_MEMCPY2D`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Copy2D {
    from_x: usize,
    from_y: usize,
    from_type: u32,
    from_host: u64,
    from_device: u64,
    from_array: u64,
    from_pitch: usize,
    to_x: usize,
    to_y: usize,
    to_type: u32,
    to_host: u64,
    to_device: u64,
    to_array: u64,
    to_pitch: usize,
    width: usize,
    height: usize,
}

/// `CUDA_MEMCPY3D`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Copy3D {
    from_x: usize,
    from_y: usize,
    from_z: usize,
    from_level: usize,
    from_type: u32,
    from_host: u64,
    from_device: u64,
    from_array: u64,
    reserved_0: u64,
    from_pitch: usize,
    from_height: usize,
    to_x: usize,
    to_y: usize,
    to_z: usize,
    to_level: usize,
    to_type: u32,
    to_host: u64,
    to_device: u64,
    to_array: u64,
    reserved_1: u64,
    to_pitch: usize,
    to_height: usize,
    width: usize,
    height: usize,
    depth: usize,
}

/// `CUlaunchConfig`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct LaunchConfig {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) stream: u64,
    pub(crate) attributes: *const LaunchAttribute,
    pub(crate) count: u32,
}

/// `CUlaunchAttribute`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct LaunchAttribute {
    pub(crate) id: u32,
    _padding: u32,
    pub(crate) value: [u32; 16],
}

/// `CUuuid`.
pub(crate) type Uuid = [u8; 16];

/// The identifier of the device of this name.
pub(crate) fn uuid_of(name: &str) -> Uuid {
    let mut bytes = *b"warpsim         ";
    for (byte, of_name) in bytes.iter_mut().skip(8).zip(name.bytes().skip(8)) {
        *byte = of_name;
    }
    bytes
}

/// `CUdevprop`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Properties {
    pub(crate) threads_per_block: i32,
    pub(crate) block: [i32; 3],
    pub(crate) grid: [i32; 3],
    pub(crate) shared_per_block: i32,
    pub(crate) constants: i32,
    pub(crate) warp: i32,
    pub(crate) pitch: i32,
    pub(crate) registers: i32,
    pub(crate) clock: i32,
    pub(crate) texture_alignment: i32,
}

/// Where the device is said to be.
pub(crate) const BUS: &str = "0000:01:00.0";

/// A text with its zero, cut where there is no room for it.
pub(crate) fn text(to: Out<c_char>, room: i32, text: &str) -> Answer<()> {
    let room = usize::try_from(room).ok().and_then(|room| room.checked_sub(1));
    let room = room.ok_or(CudaError::InvalidValue)?;
    let shown = text.bytes().take(room).chain([0]);
    to.put_all(shown.map(|byte| byte as c_char))
}

/// What an end of a copy is said to be: memory of the host, of the device, or what its address
/// says.
fn spot(kind: u32, host: u64, device: u64) -> Answer<Spot> {
    match kind {
        1 => Ok(Spot::Host(host)),
        2 => Ok(Spot::Device(device)),
        4 => Ok(Spot::Unified(device)),
        // An array has no address.
        0 | 3 | 5.. => Err(CudaError::InvalidValue),
    }
}

/// `CU_MEMORYTYPE_ARRAY`.
const ARRAY: u32 = 3;

/// An end of a copy in an array, from which bytes of a row, row and slice on.
fn in_array(array: u64, at: [usize; 3], extent: [u64; 3]) -> Answer<(Spot, u64, u64)> {
    with(|call| call.array_end(array, at.map(|n| n as u64), extent))
}

pub(crate) fn moved(spot: Spot, offset: Option<u64>) -> Answer<Spot> {
    let offset = offset.ok_or(CudaError::InvalidValue)?;
    let add = |address: u64| address.checked_add(offset).ok_or(CudaError::InvalidValue);
    Ok(match spot {
        Spot::Host(address) => Spot::Host(add(address)?),
        Spot::Device(address) => Spot::Device(add(address)?),
        Spot::Unified(address) => Spot::Unified(add(address)?),
    })
}

/// Where a row begins: bytes, rows and slices from the beginning.
pub(crate) fn offset([x, y, z]: [usize; 3], pitch: u64, slice: u64) -> Option<u64> {
    let rows = (y as u64).checked_mul(pitch)?;
    let slices = (z as u64).checked_mul(slice)?;
    (x as u64).checked_add(rows)?.checked_add(slices)
}

/// Bytes from row to row: the given number, or the bytes of a row if that is 0.
fn pitch(said: usize, x: usize, width: usize) -> u64 {
    if said == 0 { (x as u64).saturating_add(width as u64) } else { said as u64 }
}

impl Copy2D {
    /// The same in the core's words.
    pub(crate) fn block(&self) -> Answer<Block> {
        let from_pitch = pitch(self.from_pitch, self.from_x, self.width);
        let to_pitch = pitch(self.to_pitch, self.to_x, self.width);
        let extent = [self.width as u64, self.height as u64, 1];
        let (from_at, to_at) = ([self.from_x, self.from_y, 0], [self.to_x, self.to_y, 0]);
        let from = match self.from_type {
            ARRAY => in_array(self.from_array, from_at, extent)?,
            kind => {
                let spot = spot(kind, self.from_host, self.from_device)?;
                (moved(spot, offset(from_at, from_pitch, 0))?, from_pitch, 0)
            }
        };
        let to = match self.to_type {
            ARRAY => in_array(self.to_array, to_at, extent)?,
            kind => {
                let spot = spot(kind, self.to_host, self.to_device)?;
                (moved(spot, offset(to_at, to_pitch, 0))?, to_pitch, 0)
            }
        };
        Ok(Block { to, from, extent })
    }
}

impl Copy3D {
    /// The contexts of a copy between two (`CUDA_MEMCPY3D_PEER`): first the destination's, then the
    /// other.
    pub(crate) fn contexts(&self) -> (u64, u64) {
        (self.reserved_1, self.reserved_0)
    }

    /// The same copy by addresses.
    pub(crate) fn of(block: &Block) -> Copy3D {
        let [width, height, depth] = block.extent.map(|size| size as usize);
        let place = |spot| match spot {
            Spot::Host(address) => (1, address, 0),
            Spot::Device(address) => (2, 0, address),
            Spot::Unified(address) => (4, 0, address),
        };
        let rows = |pitch: u64, slice: u64| slice.checked_div(pitch).unwrap_or(0) as usize;
        let (from_type, from_host, from_device) = place(block.from.0);
        let (to_type, to_host, to_device) = place(block.to.0);
        Copy3D {
            from_x: 0,
            from_y: 0,
            from_z: 0,
            from_level: 0,
            from_type,
            from_host,
            from_device,
            from_array: 0,
            reserved_0: 0,
            from_pitch: block.from.1 as usize,
            from_height: rows(block.from.1, block.from.2),
            to_x: 0,
            to_y: 0,
            to_z: 0,
            to_level: 0,
            to_type,
            to_host,
            to_device,
            to_array: 0,
            reserved_1: 0,
            to_pitch: block.to.1 as usize,
            to_height: rows(block.to.1, block.to.2),
            width,
            height,
            depth,
        }
    }

    /// The same in the core's words.
    pub(crate) fn block(&self) -> Answer<Block> {
        let from_pitch = pitch(self.from_pitch, self.from_x, self.width);
        let to_pitch = pitch(self.to_pitch, self.to_x, self.width);
        let slice = |rows: usize, y: usize, pitch: u64| {
            let rows = if rows == 0 { y.saturating_add(self.height) } else { rows };
            (rows as u64).checked_mul(pitch).ok_or(CudaError::InvalidValue)
        };
        let from_slice = slice(self.from_height, self.from_y, from_pitch)?;
        let to_slice = slice(self.to_height, self.to_y, to_pitch)?;
        let extent = [self.width as u64, self.height as u64, self.depth as u64];
        let from_at = [self.from_x, self.from_y, self.from_z];
        let to_at = [self.to_x, self.to_y, self.to_z];
        let from = match self.from_type {
            ARRAY => in_array(self.from_array, from_at, extent)?,
            kind => {
                let spot = spot(kind, self.from_host, self.from_device)?;
                (moved(spot, offset(from_at, from_pitch, from_slice))?, from_pitch, from_slice)
            }
        };
        let to = match self.to_type {
            ARRAY => in_array(self.to_array, to_at, extent)?,
            kind => {
                let spot = spot(kind, self.to_host, self.to_device)?;
                (moved(spot, offset(to_at, to_pitch, to_slice))?, to_pitch, to_slice)
            }
        };
        Ok(Block { to, from, extent })
    }
}
