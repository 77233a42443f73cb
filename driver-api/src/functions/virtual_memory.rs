//! "Virtual Memory Management".

use warpsim_driver_core::{Access, Answer, CudaError, GRANULARITY, Handle};

use super::functions;
use crate::callbacks;
use crate::pointers::{In, Out};
use crate::process::{unsupported, with};

/// `CUmemLocation`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Location {
    kind: u32,
    number: i32,
}

/// `CUmemAllocationProp`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Properties {
    kind: u32,
    shareable: u32,
    location: Location,
    of_windows: u64,
    /// Compression, access by other devices on the bus, what for.
    more: [u8; 8],
}

/// `CUmemAccessDesc`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Allowed {
    location: Location,
    access: u32,
}

const _: () = assert!(size_of::<Properties>() == 32 && size_of::<Allowed>() == 12);

/// `CU_MEM_LOCATION_TYPE_DEVICE`.
const OF_DEVICE: u32 = 1;

/// `CU_MEM_ALLOCATION_TYPE_PINNED`.
const PINNED: u32 = 1;

impl Location {
    const DEVICE: Location = Location { kind: OF_DEVICE, number: 0 };

    /// Refuses any but the device.
    fn check(self) -> Answer<()> {
        match (self.kind, self.number) {
            (OF_DEVICE, 0) => Ok(()),
            (OF_DEVICE, _) => Err(CudaError::InvalidDevice),
            // The host, and its nodes, as attributes of the device say.
            (2..=4, _) => unsupported("memory of the host by cuMemCreate"),
            (0 | 5.., _) => Err(CudaError::InvalidValue),
        }
    }
}

impl Properties {
    /// Refuses anything but memory of the device.
    fn check(self) -> Answer<()> {
        /// A file descriptor of POSIX, two handles of Windows, and one of a fabric.
        const SHAREABLE: u32 = 15;
        if self.kind != PINNED || self.shareable & !SHAREABLE != 0 {
            return Err(CudaError::InvalidValue);
        }
        // There are no handles of Windows or a fabric. A descriptor is promised, and refused when
        // it is asked for.
        if self.shareable & !1 != 0 {
            return Err(CudaError::NotSupported);
        }
        self.location.check()
    }
}

functions! {
    cuMemAddressReserve(start: Out<u64>, bytes: usize, alignment: usize, at: u64, flags: u64) {
        with(|call| {
            if start.is_null() || flags != 0 {
                return Err(CudaError::InvalidValue);
            }
            start.put(call.reserve_addresses(bytes as u64, alignment as u64, at)?)
        })
    }
    cuMemAddressFree(start: u64, bytes: usize) {
        with(|call| call.free_addresses(start, bytes as u64))
    }
    cuMemCreate(memory: Out<Handle>, bytes: usize, wanted: In<Properties>, flags: u64) {
        let wanted = wanted.get()?;
        wanted.check()?;
        with(|call| {
            if memory.is_null() || flags != 0 {
                return Err(CudaError::InvalidValue);
            }
            memory.put(call.create_memory(bytes as u64, wanted.shareable)?)
        })
    }
    cuMemRelease(memory: Handle) {
        with(|call| call.release_memory(memory))
    }
    cuMemRetainAllocationHandle(memory: Out<Handle>, address: u64) {
        with(|call| {
            if memory.is_null() {
                return Err(CudaError::InvalidValue);
            }
            memory.put(call.retain_memory(address)?)
        })
    }
    cuMemGetAllocationPropertiesFromHandle(to: Out<Properties>, memory: Handle) {
        with(|call| {
            let shareable = call.shareable(memory)?;
            let location = Location::DEVICE;
            to.put(Properties { kind: PINNED, shareable, location, of_windows: 0, more: [0; 8] })
        })
    }
    cuMemGetAllocationGranularity(bytes: Out<usize>, wanted: In<Properties>, option: u32) {
        wanted.get()?.check()?;
        // The least, and the one that is recommended, are the same.
        with(|_| match option {
            0 | 1 => bytes.put(GRANULARITY as usize),
            2.. => Err(CudaError::InvalidValue),
        })
    }
    cuMemMap(start: u64, bytes: usize, offset: usize, memory: Handle, flags: u64) {
        with(|call| match flags {
            0 => call.map_memory(start, bytes as u64, offset as u64, memory),
            1.. => Err(CudaError::InvalidValue),
        })
    }
    cuMemUnmap(start: u64, bytes: usize) {
        callbacks::settle();
        with(|call| call.unmap_memory(start, bytes as u64))
    }
    cuMemSetAccess(start: u64, bytes: usize, allowed: In<Allowed>, count: usize) {
        callbacks::settle();
        for index in 0..count {
            let Allowed { location, access } = allowed.at(index)?;
            location.check()?;
            let access = Access::of_number(access.into()).ok_or(CudaError::InvalidValue)?;
            with(|call| call.set_access(start, bytes as u64, access))?;
        }
        if count == 0 { Err(CudaError::InvalidValue) } else { Ok(()) }
    }
    cuMemGetAccess(flags: Out<u64>, location: In<Location>, address: u64) {
        location.get()?.check()?;
        with(|call| flags.put(call.access(address)?.number()))
    }
}
