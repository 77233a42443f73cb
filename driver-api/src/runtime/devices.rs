//! "Device Management", "Version Management", "Profiler Control".

use std::ffi::c_char;

use warpsim_driver_core::{Answer, CudaError, Handle};

use super::arrays::element;
use super::launches::ChannelDescription;
use super::properties::{self, Properties};
use super::{DONE, only_device, runtime, with};
use crate::callbacks;
use crate::pointers::{In, Out, Text};
use crate::structures::{BUS, text};

/// `CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE1D_LINEAR_WIDTH`.
const LINEAR_WIDTH: u32 = 69;

fn limit(number: u32) -> Answer<u32> {
    // The runtime's numbers are the driver's.
    if number <= 6 { Ok(number) } else { Err(CudaError::UnsupportedLimit) }
}

runtime! {
    cudaGetDeviceCount |_default| (count: Out<i32>) {
        with(|_| count.put(1))
    }
    cudaGetDevice |_default| (device: Out<i32>) {
        with(|_| device.put(0))
    }
    cudaSetDevice |_default| (device: i32) {
        only_device(device)?;
        with(|_| Ok(()))
    }
    cudaInitDevice |_default| (device: i32, flags: u32, more: u32) {
        let _ = (flags, more);
        only_device(device)?;
        with(|_| Ok(()))
    }
    cudaChooseDevice |_default| (device: Out<i32>, wanted: u64) {
        let _ = wanted;
        device.put(0)
    }
    cudaSetValidDevices |_default| (devices: u64, count: i32) {
        let _ = (devices, count);
        DONE
    }
    cudaGetDeviceFlags |_default| (flags: Out<u32>) {
        with(|call| flags.put(call.context_flags()?))
    }
    cudaSetDeviceFlags |_default| (flags: u32) {
        with(|call| call.set_primary_flags(flags))
    }
    cudaDeviceGetAttribute |_default| (value: Out<i32>, attribute: u32, device: i32) {
        only_device(device)?;
        with(|call| value.put(call.device_attribute(attribute)?))
    }
    cudaGetDeviceProperties_v2 |_default| (properties: Out<Properties>, device: i32) {
        only_device(device)?;
        with(|call| properties.put(properties::of(call)?))
    }
    cudaDeviceGetPCIBusId |_default| (id: Out<c_char>, room: i32, device: i32) {
        only_device(device)?;
        text(id, room, BUS)
    }
    cudaDeviceGetByPCIBusId |_default| (device: Out<i32>, id: Text) {
        match BUS.ends_with(&id.needed()?) {
            true => device.put(0),
            false => Err(CudaError::InvalidDevice),
        }
    }
    cudaDeviceCanAccessPeer |_default| (can: Out<i32>, device: i32, peer: i32) {
        only_device(device)?;
        only_device(peer)?;
        can.put(0)
    }
    cudaDeviceSynchronize |_default| () {
        callbacks::settle();
        with(|call| call.synchronise_context())
    }
    cudaThreadSynchronize |_default| () {
        callbacks::settle();
        with(|call| call.synchronise_context())
    }
    cudaDeviceReset |_default| () {
        callbacks::settle();
        with(|call| {
            call.reset_primary();
            Ok(())
        })
    }
    cudaDeviceGetLimit |_default| (value: Out<usize>, number: u32) {
        with(|call| value.put(call.limit(limit(number)?)? as usize))
    }
    cudaDeviceSetLimit |_default| (number: u32, value: usize) {
        with(|call| call.set_limit(limit(number)?, value as u64))
    }
    cudaDeviceGetCacheConfig |_default| (config: Out<u32>) {
        with(|call| config.put(call.cache_config()?))
    }
    cudaDeviceSetCacheConfig |_default| (config: u32) {
        with(|call| call.set_cache_config(config))
    }
    cudaDeviceGetSharedMemConfig |_default| (config: Out<u32>) {
        config.put(1)
    }
    cudaDeviceSetSharedMemConfig |_default| (config: u32) {
        let _ = config;
        DONE
    }
    cudaDeviceGetStreamPriorityRange |_default| (least: Out<i32>, greatest: Out<i32>) {
        with(|call| {
            let (low, high) = call.priorities()?;
            least.put_if_wanted(low);
            greatest.put_if_wanted(high);
            Ok(())
        })
    }
    cudaDeviceGetDefaultMemPool |_default| (pool: Out<Handle>, device: i32) {
        only_device(device)?;
        with(|call| pool.put(call.default_pool()))
    }
    cudaDeviceGetMemPool |_default| (pool: Out<Handle>, device: i32) {
        only_device(device)?;
        with(|call| pool.put(call.current_pool()))
    }
    cudaCtxResetPersistingL2Cache |_default| () {
        with(|_| Ok(()))
    }
    // There is no other device, so all writes of one are there.
    cudaDeviceFlushGPUDirectRDMAWrites |_default| (target: u32, scope: u32) {
        match (target, scope) {
            (0, 100 | 200) => with(|_| Ok(())),
            (_, _) => Err(CudaError::InvalidValue),
        }
    }
    cudaDeviceGetTexture1DLinearMaxWidth |_default| (width: Out<usize>, channels: In<ChannelDescription>, device: i32) {
        only_device(device)?;
        element(channels.get()?)?;
        width.put(with(|call| call.device_attribute(LINEAR_WIDTH))?.unsigned_abs() as usize)
    }
    // What CUDA 4 called them. They are in `libcudart.so.12` alone.
    cudaThreadExit |_default| () {
        callbacks::settle();
        with(|call| {
            call.reset_primary();
            Ok(())
        })
    }
    cudaThreadGetLimit |_default| (value: Out<usize>, number: u32) {
        with(|call| value.put(call.limit(limit(number)?)? as usize))
    }
    cudaThreadSetLimit |_default| (number: u32, value: usize) {
        with(|call| call.set_limit(limit(number)?, value as u64))
    }
    cudaThreadGetCacheConfig |_default| (config: Out<u32>) {
        with(|call| config.put(call.cache_config()?))
    }
    cudaThreadSetCacheConfig |_default| (config: u32) {
        with(|call| call.set_cache_config(config))
    }
    // Devices without numbers of 64 bits needed them; there are none any more.
    cudaSetDoubleForDevice |_default| (number: Out<f64>) {
        match number.is_null() {
            true => Err(CudaError::InvalidValue),
            false => DONE,
        }
    }
    cudaSetDoubleForHost |_default| (number: Out<f64>) {
        match number.is_null() {
            true => Err(CudaError::InvalidValue),
            false => DONE,
        }
    }
    // From CUDA 11. Profilers have their own settings for where to write.
    cudaProfilerInitialize |_default| (configuration: Text, output: Text, mode: u32) {
        let _ = (configuration, output);
        match mode {
            0 | 1 => DONE,
            2.. => Err(CudaError::InvalidValue),
        }
    }
    cudaProfilerStart |_default| () {
        DONE
    }
    cudaProfilerStop |_default| () {
        DONE
    }
}
