//! "Memory Management", "Unified Addressing", "Stream Ordered Memory Allocator".

use std::ffi::c_void;

use warpsim_driver_core::{Answer, Call, CudaError, Handle, PointerFacts, PointerKind};

use super::{functions, streamed};
use crate::callbacks;
use crate::pointers::{In, Out, out_at};
use crate::process::with;

/// Writes an attribute of an address. For an unknown address it writes zeros, where they are
/// wanted.
fn fact(data: Out<c_void>, attribute: u32, facts: Option<PointerFacts>) -> Answer<()> {
    let Some(facts) = facts else { return nothing(data, attribute) };
    let on_host = facts.kind == PointerKind::Host;
    match attribute {
        1 => data.of::<u64>().put(facts.context.unwrap_or(0)),
        2 => data.of::<u32>().put(if on_host { 1 } else { 2 }),
        3 => data.of::<u64>().put(facts.device),
        4 => data.of::<u64>().put(facts.host.ok_or(CudaError::InvalidValue)?),
        6 => data.of::<u32>().put(1),
        7 => data.of::<u64>().put(facts.number),
        8 => data.of::<u32>().put((facts.kind == PointerKind::Managed).into()),
        9 => data.of::<i32>().put(0),
        10 | 15 => data.of::<u32>().put(0),
        11 => data.of::<u64>().put(facts.start),
        12 => data.of::<usize>().put(facts.bytes as usize),
        13 => data.of::<u32>().put(1),
        14 => data.of::<u64>().put(0),
        16 => data.of::<u32>().put(3),
        17 => data.of::<u64>().put(facts.pool.unwrap_or(0)),
        0 | 5 | 18.. => Err(CudaError::InvalidValue),
    }
}

fn nothing(data: Out<c_void>, attribute: u32) -> Answer<()> {
    match attribute {
        1 | 3 | 4 | 7 | 11 | 14 | 17 => data.of::<u64>().put(0),
        12 => data.of::<usize>().put(0),
        2 | 6 | 8 | 10 | 13 | 15 | 16 => data.of::<u32>().put(0),
        // `CU_DEVICE_INVALID`.
        9 => data.of::<i32>().put(-2),
        0 | 5 | 18.. => Err(CudaError::InvalidValue),
    }
}

functions! {
    cuMemGetInfo_v2(free: Out<usize>, all: Out<usize>) {
        with(|call| {
            let (unused, total) = call.memory_info()?;
            free.put_if_wanted(unused as usize);
            all.put_if_wanted(total as usize);
            Ok(())
        })
    }
    cuMemAlloc_v2(address: Out<u64>, bytes: usize) {
        with(|call| {
            if address.is_null() {
                return Err(CudaError::InvalidValue);
            }
            address.put(call.allocate(bytes as u64)?)
        })
    }
    cuMemAllocPitch_v2(address: Out<u64>, pitch: Out<usize>, width: usize, height: usize, element: u32) {
        with(|call| {
            if address.is_null() || pitch.is_null() {
                return Err(CudaError::InvalidValue);
            }
            let (start, row) = call.allocate_pitch(width as u64, height as u64, element)?;
            pitch.put(row as usize)?;
            address.put(start)
        })
    }
    cuMemAllocManaged(address: Out<u64>, bytes: usize, flags: u32) {
        with(|call| {
            if address.is_null() {
                return Err(CudaError::InvalidValue);
            }
            address.put(call.allocate_managed(bytes as u64, flags)?)
        })
    }
    cuMemFree_v2(address: u64) {
        callbacks::settle();
        with(|call| call.free(address))
    }
    cuMemGetAddressRange_v2(start: Out<u64>, bytes: Out<usize>, address: u64) {
        with(|call| {
            call.context()?;
            let facts = call.pointer(address).map_err(|_| CudaError::NotFound)?;
            start.put_if_wanted(facts.start);
            bytes.put_if_wanted(facts.bytes as usize);
            Ok(())
        })
    }
    cuMemAllocHost_v2(address: Out<u64>, bytes: usize) {
        with(|call| {
            if address.is_null() {
                return Err(CudaError::InvalidValue);
            }
            address.put(call.allocate_locked(bytes as u64, 0)?)
        })
    }
    cuMemHostAlloc(address: Out<u64>, bytes: usize, flags: u32) {
        with(|call| {
            if address.is_null() {
                return Err(CudaError::InvalidValue);
            }
            address.put(call.allocate_locked(bytes as u64, flags)?)
        })
    }
    cuMemFreeHost(address: u64) {
        callbacks::settle();
        with(|call| call.free_locked(address))
    }
    cuMemHostGetDevicePointer_v2(device: Out<u64>, host: u64, flags: u32) {
        with(|call| {
            call.context()?;
            let facts = call.pointer(host)?;
            match facts.host {
                Some(_) if flags == 0 => device.put(facts.device),
                Some(_) | None => Err(CudaError::InvalidValue),
            }
        })
    }
    cuMemHostGetFlags(flags: Out<u32>, host: u64) {
        with(|call| flags.put(call.locked_flags(host)?))
    }
    cuMemHostRegister_v2(host: u64, bytes: usize, flags: u32) = cuMemHostRegister {
        with(|call| call.register(host, bytes as u64, flags))
    }
    cuMemHostUnregister(host: u64) {
        callbacks::settle();
        with(|call| call.unregister(host))
    }
    cuPointerGetAttribute(data: Out<c_void>, attribute: u32, address: u64) {
        with(|call| {
            call.context()?;
            if data.is_null() {
                return Err(CudaError::InvalidValue);
            }
            fact(data, attribute, Some(call.pointer(address)?))
        })
    }
    cuPointerGetAttributes(count: u32, attributes: In<u32>, data: In<*mut c_void>, address: u64) {
        with(|call| {
            call.context()?;
            let facts = call.pointer(address).ok();
            for index in 0..count as usize {
                let (attribute, to) = (attributes.at(index)?, out_at::<c_void>(data.at(index)?));
                // What an address does not have is nothing here, and no error.
                fact(to, attribute, facts).or_else(|_| nothing(to, attribute))?;
            }
            Ok(())
        })
    }
    cuPointerSetAttribute(value: In<u32>, attribute: u32, address: u64) {
        /// `CU_POINTER_ATTRIBUTE_SYNC_MEMOPS`, the only one that can be set.
        const SYNC: u32 = 6;
        with(|call| {
            value.get()?;
            call.pointer(address)?;
            if attribute == SYNC { Ok(()) } else { Err(CudaError::InvalidValue) }
        })
    }
    cuDeviceGetDefaultMemPool(pool: Out<Handle>, device: i32) {
        with(|call| {
            call.device(device)?;
            pool.put(call.default_pool())
        })
    }
    cuDeviceGetMemPool(pool: Out<Handle>, device: i32) {
        with(|call| {
            call.device(device)?;
            pool.put(call.current_pool())
        })
    }
    cuDeviceSetMemPool(device: i32, pool: Handle) {
        with(|call| {
            call.device(device)?;
            call.set_current_pool(pool)
        })
    }
    cuMemPoolCreate(pool: Out<Handle>, properties: In<u64>) {
        with(|call| {
            properties.get()?;
            if pool.is_null() {
                return Err(CudaError::InvalidValue);
            }
            pool.put(call.create_pool())
        })
    }
    cuMemPoolDestroy(pool: Handle) {
        with(|call| call.destroy_pool(pool))
    }
    cuMemPoolTrimTo(pool: Handle, keep: usize) {
        let _ = keep;
        with(|call| call.trim_pool(pool))
    }
    cuMemPoolGetAttribute(pool: Handle, attribute: u32, value: Out<c_void>) {
        with(|call| pool_attribute(call, pool, attribute, value))
    }
    cuMemPoolSetAttribute(pool: Handle, attribute: u32, value: Out<c_void>) {
        with(|call| set_pool_attribute(call, pool, attribute, value))
    }
    cuMemPoolSetAccess(pool: Handle, accesses: In<u64>, count: usize) {
        let _ = (accesses, count);
        with(|call| call.trim_pool(pool))
    }
    cuMemPoolGetAccess(flags: Out<u32>, pool: Handle, location: In<u64>) {
        with(|call| {
            location.get()?;
            call.trim_pool(pool)?;
            flags.put(3)
        })
    }
}

/// Writes an attribute of a pool: the first three are numbers of 32 bits.
pub(crate) fn pool_attribute(
    call: &mut Call<'_>,
    pool: Handle,
    attribute: u32,
    value: Out<c_void>,
) -> Answer<()> {
    let found = call.pool_attribute(pool, attribute)?;
    match attribute {
        1..=3 => value.of::<i32>().put(i32::from(found != 0)),
        0 | 4.. => value.of::<u64>().put(found),
    }
}

/// Sets one.
pub(crate) fn set_pool_attribute(
    call: &mut Call<'_>,
    pool: Handle,
    attribute: u32,
    value: Out<c_void>,
) -> Answer<()> {
    let wanted = match attribute {
        1..=3 => u64::from(value.of::<u32>().get()?),
        0 | 4.. => value.of::<u64>().get()?,
    };
    call.set_pool_attribute(pool, attribute, wanted)
}

streamed! {
    cuMemAllocAsync / cuMemAllocAsync_ptsz |default| (address: Out<u64>, bytes: usize, stream: Handle) {
        with(|call| {
            let stream = call.stream(stream, default)?;
            if address.is_null() {
                return Err(CudaError::InvalidValue);
            }
            address.put(call.allocate_in_stream(None, bytes as u64, stream)?)
        })
    }
    cuMemAllocFromPoolAsync / cuMemAllocFromPoolAsync_ptsz |default| (address: Out<u64>, bytes: usize, pool: Handle, stream: Handle) {
        with(|call| {
            let stream = call.stream(stream, default)?;
            if address.is_null() {
                return Err(CudaError::InvalidValue);
            }
            address.put(call.allocate_in_stream(Some(pool), bytes as u64, stream)?)
        })
    }
    cuMemFreeAsync / cuMemFreeAsync_ptsz |default| (address: u64, stream: Handle) {
        callbacks::settle();
        with(|call| {
            call.gives_back(address);
            let stream = call.stream(stream, default)?;
            call.free_in_stream(address, stream)
        })
    }
}
