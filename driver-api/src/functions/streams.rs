//! "Stream Management", "Event Management".

use std::ffi::c_void;

use warpsim_driver_core::{
    Answer, CudaError, DefaultStream, Handle, HostCall, LaunchAttributeId, PointerKind,
};

use super::{functions, streamed};
use crate::callbacks::{self, Callback};
use crate::pointers::{HostFunction, StreamCallback};
use crate::pointers::{In, Out};
use crate::process::with;

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
        query_event(event)
    }
    cuEventSynchronize(event: Handle) {
        callbacks::settle_event(event);
        with(|call| call.synchronise_event(event))
    }
    cuEventElapsedTime(milliseconds: Out<f32>, start: Handle, end: Handle) = cuEventElapsedTime_v2 {
        elapsed(milliseconds, start, end)
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
        query_stream(stream, default)
    }
    cuStreamSynchronize / cuStreamSynchronize_ptsz |default| (stream: Handle) {
        callbacks::settle();
        with(|call| call.synchronise_stream(stream, default))
    }
    cuStreamWaitEvent / cuStreamWaitEvent_ptsz |default| (stream: Handle, event: Handle, flags: u32) {
        callbacks::settle_event(event);
        with(|call| match flags {
            0 | 1 => call.wait_for_event(stream, default, event),
            2.. => Err(CudaError::InvalidValue),
        })
    }
    cuStreamAttachMemAsync / cuStreamAttachMemAsync_ptsz |default| (stream: Handle, address: u64, bytes: usize, flags: u32) {
        attached((stream, default), address, bytes, flags)
    }
    cuStreamGetAttribute / cuStreamGetAttribute_ptsz |default| (stream: Handle, number: u32, to: Out<u8>) {
        stream_attribute((stream, default), number, to)
    }
    cuStreamSetAttribute / cuStreamSetAttribute_ptsz |default| (stream: Handle, number: u32, from: In<u8>) {
        set_stream_attribute((stream, default), number, from)
    }
    cuStreamCopyAttributes / cuStreamCopyAttributes_ptsz |default| (to: Handle, from: Handle) {
        with(|call| call.copy_stream_attributes(to, from, default))
    }
    cuStreamAddCallback / cuStreamAddCallback_ptsz |default| (stream: Handle, function: StreamCallback, data: *mut c_void, flags: u32) {
        refuse_captured(stream, default)?;
        let function = function.filter(|_| flags == 0).ok_or(CudaError::InvalidValue)?;
        refuse_inside()?;
        let number = with(|call| call.call_function(stream, default))?;
        callbacks::enqueue(number, Callback::Stream(function, stream, data.expose_provenance()))
    }
    cuLaunchHostFunc / cuLaunchHostFunc_ptsz |default| (stream: Handle, function: HostFunction, data: *mut c_void) {
        host_called(stream, default, function, data)
    }
    cuLaunchHostFunc_v2 / cuLaunchHostFunc_v2_ptsz |default| (
        stream: Handle, function: HostFunction, data: *mut c_void, mode: u32
    ) {
        // How the stream waits for the function: sleeping, or asking again and again.
        match mode {
            0 | 1 => host_called(stream, default, function, data),
            2.. => Err(CudaError::InvalidValue),
        }
    }
    cuEventRecord / cuEventRecord_ptsz |default| (event: Handle, stream: Handle) {
        record(event, stream, default)
    }
    cuEventRecordWithFlags / cuEventRecordWithFlags_ptsz |default| (event: Handle, stream: Handle, flags: u32) {
        match flags {
            0 | 1 => record(event, stream, default),
            2.. => Err(CudaError::InvalidValue),
        }
    }
}

/// `cuStreamAttachMemAsync`: managed memory is for all streams, for none, or for one that the
/// program made. It changes nothing: access rights are not checked.
pub(crate) fn attached(
    (stream, default): (Handle, DefaultStream),
    address: u64,
    bytes: usize,
    flags: u32,
) -> Answer<()> {
    const GLOBAL: u32 = 1;
    const HOST: u32 = 2;
    const SINGLE: u32 = 4;
    with(|call| {
        let of = call.stream(stream, default)?;
        call.refuse_captured(of)?;
        let facts = call.pointer(address)?;
        let is_whole = facts.device == facts.start && (bytes == 0 || bytes as u64 == facts.bytes);
        let is_one = match flags {
            GLOBAL | HOST => true,
            SINGLE => !matches!(stream, 0..=2),
            _ => false,
        };
        match facts.kind == PointerKind::Managed && is_whole && is_one {
            true => Ok(()),
            false => Err(CudaError::InvalidValue),
        }
    })
}

/// The attribute with a number.
pub(crate) fn launch_attribute(number: u32) -> Answer<LaunchAttributeId> {
    LaunchAttributeId::of_number(number).ok_or(CudaError::InvalidValue)
}

/// The value of an attribute, as C gives it.
pub(crate) fn attribute_value(id: LaunchAttributeId, from: In<u8>) -> Answer<Vec<u8>> {
    (0..id.bytes()).map(|at| from.at(at)).collect()
}

/// `cuStreamGetAttribute`.
pub(crate) fn stream_attribute(
    (stream, default): (Handle, DefaultStream),
    number: u32,
    to: Out<u8>,
) -> Answer<()> {
    let id = launch_attribute(number)?;
    to.put_all(with(|call| call.stream_attribute(stream, default, id))?)
}

/// `cuStreamSetAttribute`.
pub(crate) fn set_stream_attribute(
    (stream, default): (Handle, DefaultStream),
    number: u32,
    from: In<u8>,
) -> Answer<()> {
    let id = launch_attribute(number)?;
    let value = attribute_value(id, from)?;
    with(|call| call.set_stream_attribute(stream, default, id, &value))
}

/// `cuEventQuery`.
pub(crate) fn query_event(event: Handle) -> Answer<()> {
    match callbacks::is_behind(event) {
        true => Err(CudaError::NotReady),
        false => with(|call| call.synchronise_event(event)),
    }
}

/// `cuStreamQuery`.
pub(crate) fn query_stream(stream: Handle, default: DefaultStream) -> Answer<()> {
    match callbacks::is_busy(with(|call| call.stream_number(stream, default))?) {
        true => Err(CudaError::NotReady),
        false => with(|call| call.synchronise_stream(stream, default)),
    }
}

/// `cuEventRecord`. Everything issued before has happened, except functions of the program.
pub(crate) fn record(event: Handle, stream: Handle, default: DefaultStream) -> Answer<()> {
    let number = with(|call| {
        call.record_event(event, stream, default)?;
        call.stream_number(stream, default)
    })?;
    callbacks::recorded(number, event);
    Ok(())
}

/// `cuEventElapsedTime`.
pub(crate) fn elapsed(milliseconds: Out<f32>, start: Handle, end: Handle) -> Answer<()> {
    match callbacks::is_behind(start) || callbacks::is_behind(end) {
        true => Err(CudaError::NotReady),
        false => with(|call| milliseconds.put(call.elapsed(start, end)?)),
    }
}

/// Refuses what cannot be captured.
pub(crate) fn refuse_captured(stream: Handle, default: DefaultStream) -> Answer<()> {
    with(|call| {
        let stream = call.stream(stream, default)?;
        call.refuse_captured(stream)
    })
}

/// `cuLaunchHostFunc`.
pub(crate) fn host_called(
    stream: Handle,
    default: DefaultStream,
    function: HostFunction,
    data: *mut c_void,
) -> Answer<()> {
    let function = function.ok_or(CudaError::InvalidValue)?;
    let called =
        HostCall { function: function as usize as u64, data: data.expose_provenance() as u64 };
    if with(|call| call.capture_host(stream, default, called))? {
        return Ok(());
    }
    refuse_inside()?;
    let number = with(|call| call.call_function(stream, default))?;
    callbacks::enqueue(number, Callback::Host(function, data.expose_provenance()))
}

/// A function that a stream calls may not call the API.
fn refuse_inside() -> Result<(), CudaError> {
    if callbacks::is_inside() { Err(CudaError::NotPermitted) } else { Ok(()) }
}
