//! "Stream Management", "Event Management".

use std::ffi::c_void;

use warpsim_driver_core::{CudaError, Handle};

use super::{ready, runtime, with};
use crate::callbacks::{self, Callback};
use crate::functions::{
    attached, elapsed, host_called, query_event, query_stream, record, refuse_captured,
    set_stream_attribute, stream_attribute,
};
use crate::pointers::{HostFunction, StreamCallback};
use crate::pointers::{In, Out};

runtime! {
    cudaStreamCreate |_default| (stream: Out<Handle>) {
        with(|call| {
            if stream.is_null() {
                return Err(CudaError::InvalidValue);
            }
            stream.put(call.create_stream(0, 0)?)
        })
    }
    cudaStreamCreateWithFlags |_default| (stream: Out<Handle>, flags: u32) {
        with(|call| {
            if stream.is_null() {
                return Err(CudaError::InvalidValue);
            }
            stream.put(call.create_stream(flags, 0)?)
        })
    }
    cudaStreamCreateWithPriority |_default| (stream: Out<Handle>, flags: u32, priority: i32) {
        with(|call| {
            if stream.is_null() {
                return Err(CudaError::InvalidValue);
            }
            stream.put(call.create_stream(flags, priority)?)
        })
    }
    cudaStreamDestroy |_default| (stream: Handle) {
        callbacks::settle();
        with(|call| call.destroy_stream(stream))
    }
    cudaStreamGetFlags / cudaStreamGetFlags_ptsz |_default| (stream: Handle, flags: Out<u32>) {
        with(|call| flags.put(call.stream_flags(stream)?))
    }
    cudaStreamGetPriority / cudaStreamGetPriority_ptsz |_default| (stream: Handle, priority: Out<i32>) {
        with(|call| priority.put(call.stream_priority(stream)?))
    }
    cudaStreamGetId / cudaStreamGetId_ptsz |default| (stream: Handle, id: Out<u64>) {
        with(|call| id.put(call.stream_number(stream, default)?))
    }
    cudaStreamQuery / cudaStreamQuery_ptsz |default| (stream: Handle) {
        ready()?;
        query_stream(stream, default)
    }
    cudaStreamSynchronize / cudaStreamSynchronize_ptsz |default| (stream: Handle) {
        callbacks::settle();
        with(|call| call.synchronise_stream(stream, default))
    }
    cudaStreamWaitEvent / cudaStreamWaitEvent_ptsz |default| (stream: Handle, event: Handle, flags: u32) {
        let _ = flags;
        callbacks::settle_event(event);
        with(|call| call.wait_for_event(stream, default, event))
    }
    cudaStreamAddCallback / cudaStreamAddCallback_ptsz |default| (
        stream: Handle, function: StreamCallback, data: *mut c_void, flags: u32
    ) {
        let _ = flags;
        with(|_| Ok(()))?;
        refuse_captured(stream, default)?;
        let function = function.ok_or(CudaError::InvalidValue)?;
        let number = with(|call| call.call_function(stream, default))?;
        callbacks::enqueue(number, Callback::Stream(function, stream, data.expose_provenance()))
    }
    cudaLaunchHostFunc / cudaLaunchHostFunc_ptsz |default| (stream: Handle, function: HostFunction, data: *mut c_void) {
        with(|_| Ok(()))?;
        host_called(stream, default, function, data)
    }
    cudaLaunchHostFunc_v2 / cudaLaunchHostFunc_v2_ptsz |default| (
        stream: Handle, function: HostFunction, data: *mut c_void, mode: u32
    ) {
        with(|_| Ok(()))?;
        // How the stream waits for the function: sleeping, or asking again and again.
        match mode {
            0 | 1 => host_called(stream, default, function, data),
            2.. => Err(CudaError::InvalidValue),
        }
    }
    cudaStreamAttachMemAsync / cudaStreamAttachMemAsync_ptsz |default| (
        stream: Handle, address: u64, bytes: usize, flags: u32
    ) {
        ready()?;
        attached((stream, default), address, bytes, flags)
    }
    // The runtime's numbers and values are the driver's.
    cudaStreamGetAttribute / cudaStreamGetAttribute_ptsz |default| (stream: Handle, number: u32, to: Out<u8>) {
        ready()?;
        stream_attribute((stream, default), number, to)
    }
    cudaStreamSetAttribute / cudaStreamSetAttribute_ptsz |default| (stream: Handle, number: u32, from: In<u8>) {
        ready()?;
        set_stream_attribute((stream, default), number, from)
    }
    cudaStreamCopyAttributes / cudaStreamCopyAttributes_ptsz |default| (to: Handle, from: Handle) {
        with(|call| call.copy_stream_attributes(to, from, default))
    }
    cudaStreamGetDevice / cudaStreamGetDevice_ptsz |_default| (stream: Handle, device: Out<i32>) {
        with(|call| {
            call.stream_context(stream)?;
            device.put(0)
        })
    }
    cudaEventCreate |_default| (event: Out<Handle>) {
        with(|call| {
            if event.is_null() {
                return Err(CudaError::InvalidValue);
            }
            event.put(call.create_event(0)?)
        })
    }
    cudaEventCreateWithFlags |_default| (event: Out<Handle>, flags: u32) {
        with(|call| {
            if event.is_null() {
                return Err(CudaError::InvalidValue);
            }
            event.put(call.create_event(flags)?)
        })
    }
    cudaEventDestroy |_default| (event: Handle) {
        with(|call| call.destroy_event(event))
    }
    cudaEventRecord / cudaEventRecord_ptsz |default| (event: Handle, stream: Handle) {
        ready()?;
        record(event, stream, default)
    }
    cudaEventRecordWithFlags / cudaEventRecordWithFlags_ptsz |default| (event: Handle, stream: Handle, flags: u32) {
        let _ = flags;
        ready()?;
        record(event, stream, default)
    }
    cudaEventQuery |_default| (event: Handle) {
        ready()?;
        query_event(event)
    }
    cudaEventSynchronize |_default| (event: Handle) {
        callbacks::settle_event(event);
        with(|call| call.synchronise_event(event))
    }
    cudaEventElapsedTime_v2 |_default| (milliseconds: Out<f32>, start: Handle, end: Handle) {
        ready()?;
        elapsed(milliseconds, start, end)
    }
    cudaEventElapsedTime |_default| (milliseconds: Out<f32>, start: Handle, end: Handle) {
        ready()?;
        elapsed(milliseconds, start, end)
    }
}
