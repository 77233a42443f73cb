//! "Stream Management", "Event Management".

use std::cell::Cell;
use std::ffi::c_void;

use warpsim_driver_core::{CudaError, Handle};

use super::{functions, streamed};
use crate::callbacks::{self, Callback, HostFunction, StreamCallback};
use crate::pointers::Out;
use crate::process::with;

thread_local! {
    /// How the thread wants captures to go; nothing is ever captured.
    static CAPTURE_MODE: Cell<u32> = const { Cell::new(0) };
}

functions! {
    cuStreamCreate(stream: Out<Handle>, flags: u32) {
        with(|call| {
            if stream.is_null() {
                return Err(CudaError::InvalidValue);
            }
            stream.put(call.create_stream(flags, 0)?)
        })
    }
    cuStreamCreateWithPriority(stream: Out<Handle>, flags: u32, priority: i32) {
        with(|call| {
            if stream.is_null() {
                return Err(CudaError::InvalidValue);
            }
            stream.put(call.create_stream(flags, priority)?)
        })
    }
    cuStreamDestroy_v2(stream: Handle) = cuStreamDestroy {
        callbacks::settle();
        with(|call| call.destroy_stream(stream))
    }
    cuThreadExchangeStreamCaptureMode(mode: Out<u32>) {
        let wanted = mode.get()?;
        if wanted > 2 {
            return Err(CudaError::InvalidValue);
        }
        mode.put(CAPTURE_MODE.replace(wanted))
    }
    cuEventCreate(event: Out<Handle>, flags: u32) {
        with(|call| {
            if event.is_null() {
                return Err(CudaError::InvalidValue);
            }
            event.put(call.create_event(flags)?)
        })
    }
    cuEventDestroy_v2(event: Handle) = cuEventDestroy {
        with(|call| call.destroy_event(event))
    }
    cuEventQuery(event: Handle) {
        callbacks::settle();
        with(|call| call.synchronise_event(event))
    }
    cuEventSynchronize(event: Handle) {
        callbacks::settle();
        with(|call| call.synchronise_event(event))
    }
    cuEventElapsedTime(milliseconds: Out<f32>, start: Handle, end: Handle) = cuEventElapsedTime_v2 {
        with(|call| milliseconds.put(call.elapsed(start, end)?))
    }
}

streamed! {
    cuStreamGetFlags / cuStreamGetFlags_ptsz |_default| (stream: Handle, flags: Out<u32>) {
        with(|call| flags.put(call.stream_flags(stream)?))
    }
    cuStreamGetPriority / cuStreamGetPriority_ptsz |_default| (stream: Handle, priority: Out<i32>) {
        with(|call| priority.put(call.stream_priority(stream)?))
    }
    cuStreamGetId / cuStreamGetId_ptsz |default| (stream: Handle, id: Out<u64>) {
        with(|call| id.put(call.stream_number(stream, default)?))
    }
    cuStreamGetCtx / cuStreamGetCtx_ptsz |_default| (stream: Handle, context: Out<Handle>) {
        with(|call| context.put(call.stream_context(stream)?))
    }
    cuStreamGetCtx_v2 / cuStreamGetCtx_v2_ptsz |_default| (stream: Handle, context: Out<Handle>, green: Out<Handle>) {
        with(|call| {
            green.put(0)?;
            context.put(call.stream_context(stream)?)
        })
    }
    cuStreamGetDevice / cuStreamGetDevice_ptsz |_default| (stream: Handle, device: Out<i32>) {
        with(|call| {
            call.stream_context(stream)?;
            device.put(0)
        })
    }
    cuStreamQuery / cuStreamQuery_ptsz |default| (stream: Handle) {
        callbacks::settle();
        with(|call| call.synchronise_stream(stream, default))
    }
    cuStreamSynchronize / cuStreamSynchronize_ptsz |default| (stream: Handle) {
        callbacks::settle();
        with(|call| call.synchronise_stream(stream, default))
    }
    cuStreamWaitEvent / cuStreamWaitEvent_ptsz |default| (stream: Handle, event: Handle, flags: u32) {
        with(|call| match flags {
            0 | 1 => call.wait_for_event(stream, default, event),
            2.. => Err(CudaError::InvalidValue),
        })
    }
    cuStreamAttachMemAsync / cuStreamAttachMemAsync_ptsz |default| (stream: Handle, address: u64, bytes: usize, flags: u32) {
        let _ = (bytes, flags);
        with(|call| {
            call.stream(stream, default)?;
            call.pointer(address).map(|_| ())
        })
    }
    cuStreamIsCapturing / cuStreamIsCapturing_ptsz |default| (stream: Handle, status: Out<u32>) {
        with(|call| {
            call.stream(stream, default)?;
            status.put(0)
        })
    }
    cuStreamGetCaptureInfo_v2 / cuStreamGetCaptureInfo_v2_ptsz |default| (stream: Handle, status: Out<u32>, id: Out<u64>, graph: Out<Handle>, dependencies: Out<*const c_void>, count: Out<usize>) {
        let _ = (id, graph, dependencies, count);
        with(|call| {
            call.stream(stream, default)?;
            status.put(0)
        })
    }
    cuStreamGetCaptureInfo_v3 / cuStreamGetCaptureInfo_v3_ptsz |default| (stream: Handle, status: Out<u32>, id: Out<u64>, graph: Out<Handle>, dependencies: Out<*const c_void>, edges: Out<*const c_void>, count: Out<usize>) {
        let _ = (id, graph, dependencies, edges, count);
        with(|call| {
            call.stream(stream, default)?;
            status.put(0)
        })
    }
    cuStreamAddCallback / cuStreamAddCallback_ptsz |default| (stream: Handle, function: StreamCallback, data: *mut c_void, flags: u32) {
        with(|call| call.stream(stream, default).map(|_| ()))?;
        let function = function.filter(|_| flags == 0).ok_or(CudaError::InvalidValue)?;
        refuse_inside()?;
        callbacks::enqueue(Callback::Stream(function, stream, data.expose_provenance()))
    }
    cuLaunchHostFunc / cuLaunchHostFunc_ptsz |default| (stream: Handle, function: HostFunction, data: *mut c_void) {
        with(|call| call.stream(stream, default).map(|_| ()))?;
        let function = function.ok_or(CudaError::InvalidValue)?;
        refuse_inside()?;
        callbacks::enqueue(Callback::Host(function, data.expose_provenance()))
    }
    cuEventRecord / cuEventRecord_ptsz |default| (event: Handle, stream: Handle) {
        callbacks::settle();
        with(|call| call.record_event(event, stream, default))
    }
    cuEventRecordWithFlags / cuEventRecordWithFlags_ptsz |default| (event: Handle, stream: Handle, flags: u32) {
        callbacks::settle();
        with(|call| match flags {
            0 | 1 => call.record_event(event, stream, default),
            2.. => Err(CudaError::InvalidValue),
        })
    }
}

/// A function that a stream calls may not call the API.
fn refuse_inside() -> Result<(), CudaError> {
    if callbacks::is_inside() { Err(CudaError::NotPermitted) } else { Ok(()) }
}
