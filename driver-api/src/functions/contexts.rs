//! "Primary Context Management", "Context Management", "Peer Context Memory Access".

use std::ffi::c_void;

use warpsim_driver_core::{CudaError, Handle};

use super::functions;
use crate::callbacks;
use crate::pointers::{In, Out};
use crate::process::{unsupported, with};

/// `CUctxCreateParams`: null and zero where nothing special is asked for.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct CreateParameters {
    affinity: *const c_void,
    count: i32,
    graphics: *const c_void,
}

const _: () = assert!(size_of::<CreateParameters>() == 24);

functions! {
    cuDevicePrimaryCtxRetain(context: Out<Handle>, device: i32) {
        with(|call| {
            call.device(device)?;
            context.put(call.retain_primary())
        })
    }
    cuDevicePrimaryCtxRelease_v2(device: i32) = cuDevicePrimaryCtxRelease {
        callbacks::settle();
        with(|call| {
            call.device(device)?;
            call.release_primary()
        })
    }
    cuDevicePrimaryCtxReset_v2(device: i32) = cuDevicePrimaryCtxReset {
        callbacks::settle();
        with(|call| {
            call.device(device)?;
            call.reset_primary();
            Ok(())
        })
    }
    cuDevicePrimaryCtxSetFlags_v2(device: i32, flags: u32) = cuDevicePrimaryCtxSetFlags {
        with(|call| {
            call.device(device)?;
            call.set_primary_flags(flags)
        })
    }
    cuDevicePrimaryCtxGetState(device: i32, flags: Out<u32>, is_active: Out<i32>) {
        with(|call| {
            call.device(device)?;
            let state = call.primary_state();
            flags.put(state.flags)?;
            is_active.put(state.is_active.into())
        })
    }
    cuCtxCreate_v2(context: Out<Handle>, flags: u32, device: i32) = cuCtxCreate {
        with(|call| {
            call.device(device)?;
            if context.is_null() {
                return Err(CudaError::InvalidValue);
            }
            context.put(call.create_context(flags)?)
        })
    }
    cuCtxCreate_v3(context: Out<Handle>, affinity: *const c_void, count: i32, flags: u32, device: i32) {
        if !affinity.is_null() || count != 0 {
            return unsupported("contexts with an execution affinity");
        }
        with(|call| {
            call.device(device)?;
            if context.is_null() {
                return Err(CudaError::InvalidValue);
            }
            context.put(call.create_context(flags)?)
        })
    }
    cuCtxCreate_v4(context: Out<Handle>, parameters: In<CreateParameters>, flags: u32, device: i32) {
        if !parameters.is_null() {
            let CreateParameters { affinity, count, graphics } = parameters.get()?;
            if !affinity.is_null() || count != 0 {
                return unsupported("contexts with an execution affinity");
            }
            if !graphics.is_null() {
                return unsupported("contexts that share the device with a graphics API (CUctxCigParam)");
            }
        }
        with(|call| {
            call.device(device)?;
            if context.is_null() {
                return Err(CudaError::InvalidValue);
            }
            context.put(call.create_context(flags)?)
        })
    }
    cuCtxDestroy_v2(context: Handle) = cuCtxDestroy {
        callbacks::settle();
        with(|call| call.destroy_context(context))
    }
    cuCtxGetCurrent(context: Out<Handle>) {
        with(|call| context.put(call.current_context().unwrap_or(0)))
    }
    cuCtxSetCurrent(context: Handle) {
        with(|call| call.set_current_context((context != 0).then_some(context)))
    }
    cuCtxPushCurrent_v2(context: Handle) = cuCtxPushCurrent {
        with(|call| call.push_context(context))
    }
    cuCtxPopCurrent_v2(context: Out<Handle>) = cuCtxPopCurrent {
        with(|call| {
            let popped = call.pop_context()?;
            context.put_if_wanted(popped);
            Ok(())
        })
    }
    cuCtxGetDevice(device: Out<i32>) {
        with(|call| {
            call.context()?;
            device.put(0)
        })
    }
    cuCtxGetDevice_v2(device: Out<i32>, context: Handle) {
        with(|call| {
            call.context_number(context)?;
            device.put(0)
        })
    }
    cuCtxGetFlags(flags: Out<u32>) {
        with(|call| flags.put(call.context_flags()?))
    }
    cuCtxGetId(context: Handle, id: Out<u64>) {
        with(|call| id.put(call.context_number(context)?))
    }
    cuCtxGetApiVersion(context: Handle, version: Out<u32>) {
        with(|call| version.put(call.api_version(context)?))
    }
    cuCtxAttach(context: Out<Handle>, flags: u32) {
        with(|call| match flags {
            0 => context.put(call.attach_context()?),
            1.. => Err(CudaError::InvalidValue),
        })
    }
    cuCtxDetach(context: Handle) {
        callbacks::settle();
        with(|call| call.detach_context(context))
    }
    cuCtxSetFlags(flags: u32) {
        with(|call| call.set_context_flags(flags))
    }
    cuCtxGetExecAffinity(affinity: Out<[u32; 2]>, kind: u32) {
        // By multiprocessors, all of them.
        with(|call| {
            call.context()?;
            match kind {
                0 => affinity.put([0, call.device_attribute(16)?.unsigned_abs()]),
                1.. => Err(CudaError::UnsupportedExecAffinity),
            }
        })
    }
    cuDeviceGetExecAffinitySupport(is_supported: Out<i32>, kind: u32, device: i32) {
        with(|call| {
            call.device(device)?;
            match kind {
                0 => is_supported.put(0),
                1.. => Err(CudaError::InvalidValue),
            }
        })
    }
    cuCtxSynchronize_v2(context: Handle) {
        callbacks::settle();
        with(|call| call.synchronise_this(context))
    }
    cuCtxSynchronize() {
        callbacks::settle();
        with(|call| call.synchronise_context())
    }
    cuCtxGetLimit(value: Out<usize>, limit: u32) {
        with(|call| value.put(call.limit(limit)? as usize))
    }
    cuCtxSetLimit(limit: u32, value: usize) {
        with(|call| call.set_limit(limit, value as u64))
    }
    cuCtxGetCacheConfig(config: Out<u32>) {
        with(|call| config.put(call.cache_config()?))
    }
    cuCtxSetCacheConfig(config: u32) {
        with(|call| call.set_cache_config(config))
    }
    cuCtxGetSharedMemConfig(config: Out<u32>) {
        // Banks of 4 bytes, as all devices of today have.
        with(|call| {
            call.context()?;
            config.put(1)
        })
    }
    cuCtxSetSharedMemConfig(config: u32) {
        with(|call| match config {
            0..=2 => call.context().map(|_| ()),
            3.. => Err(CudaError::InvalidValue),
        })
    }
    cuCtxGetStreamPriorityRange(least: Out<i32>, greatest: Out<i32>) {
        with(|call| {
            let (low, high) = call.priorities()?;
            least.put_if_wanted(low);
            greatest.put_if_wanted(high);
            Ok(())
        })
    }
    cuCtxResetPersistingL2Cache() {
        with(|call| call.context().map(|_| ()))
    }
    cuCtxEnablePeerAccess(peer: Handle, flags: u32) {
        let _ = (peer, flags);
        Err(CudaError::PeerAccessUnsupported)
    }
    cuCtxDisablePeerAccess(peer: Handle) {
        let _ = peer;
        Err(CudaError::PeerAccessNotEnabled)
    }
}
