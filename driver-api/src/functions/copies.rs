//! "Memory Management": copies and sets.

use warpsim_driver_core::{Answer, Block, DefaultStream, Handle, Spot};

use super::streamed;
use crate::callbacks;
use crate::pointers::In;
use crate::process::with;
use crate::structures::{Copy2D, Copy3D};

/// A copy in a stream; the host waits for it where the call is not an asynchronous one.
fn copied(
    to: Spot,
    from: Spot,
    bytes: usize,
    (stream, default): (Handle, DefaultStream),
    is_waited_for: bool,
) -> Answer<()> {
    issued(Block::of_bytes(to, from, bytes as u64), (stream, default), is_waited_for)
}

/// The same of rows and slices. An asynchronous copy takes bytes of pageable memory at once, also
/// where functions of the program come first.
pub(crate) fn issued(
    block: Block,
    (stream, default): (Handle, DefaultStream),
    is_waited_for: bool,
) -> Answer<()> {
    let staged = match is_waited_for || !callbacks::are_pending() {
        true => None,
        false => with(|call| {
            let stream = call.stream(stream, default)?;
            Ok(call.stage(&block, stream))
        })?,
    };
    callbacks::settle();
    let block = match &staged {
        Some(bytes) => block.staged_at(bytes.as_ptr().expose_provenance() as u64),
        None => block,
    };
    with(|call| {
        let stream = call.stream(stream, default)?;
        call.copy_block(&block, stream, is_waited_for)
    })
}

fn set(
    to: u64,
    value: &[u8],
    shape: [usize; 2],
    pitch: usize,
    (stream, default): (Handle, DefaultStream),
) -> Answer<()> {
    callbacks::settle();
    with(|call| {
        let stream = call.stream(stream, default)?;
        call.set(to, value, shape.map(|extent| extent as u64), pitch as u64, stream)
    })
}

fn rectangle(copy: In<Copy2D>, of: (Handle, DefaultStream), is_waited_for: bool) -> Answer<()> {
    issued(copy.get()?.block()?, of, is_waited_for)
}

fn cuboid(copy: In<Copy3D>, of: (Handle, DefaultStream), is_waited_for: bool) -> Answer<()> {
    issued(copy.get()?.block()?, of, is_waited_for)
}

/// There is one device, so its contexts are equivalent.
fn of_contexts(to: Handle, from: Handle) -> Answer<()> {
    with(|call| {
        call.context_number(to)?;
        call.context_number(from)?;
        Ok(())
    })
}

streamed! {
    cuMemcpy / cuMemcpy_ptds |default| (to: u64, from: u64, bytes: usize) {
        copied(Spot::Unified(to), Spot::Unified(from), bytes, (0, default), true)
    }
    cuMemcpyAsync / cuMemcpyAsync_ptsz |default| (to: u64, from: u64, bytes: usize, stream: Handle) {
        copied(Spot::Unified(to), Spot::Unified(from), bytes, (stream, default), false)
    }
    cuMemcpyHtoD_v2 / cuMemcpyHtoD_v2_ptds |default| (to: u64, from: u64, bytes: usize) {
        copied(Spot::Device(to), Spot::Host(from), bytes, (0, default), true)
    }
    cuMemcpyHtoDAsync_v2 / cuMemcpyHtoDAsync_v2_ptsz |default| (to: u64, from: u64, bytes: usize, stream: Handle) {
        copied(Spot::Device(to), Spot::Host(from), bytes, (stream, default), false)
    }
    cuMemcpyDtoH_v2 / cuMemcpyDtoH_v2_ptds |default| (to: u64, from: u64, bytes: usize) {
        copied(Spot::Host(to), Spot::Device(from), bytes, (0, default), true)
    }
    cuMemcpyDtoHAsync_v2 / cuMemcpyDtoHAsync_v2_ptsz |default| (to: u64, from: u64, bytes: usize, stream: Handle) {
        copied(Spot::Host(to), Spot::Device(from), bytes, (stream, default), false)
    }
    cuMemcpyDtoD_v2 / cuMemcpyDtoD_v2_ptds |default| (to: u64, from: u64, bytes: usize) {
        copied(Spot::Device(to), Spot::Device(from), bytes, (0, default), true)
    }
    cuMemcpyDtoDAsync_v2 / cuMemcpyDtoDAsync_v2_ptsz |default| (to: u64, from: u64, bytes: usize, stream: Handle) {
        copied(Spot::Device(to), Spot::Device(from), bytes, (stream, default), false)
    }
    cuMemcpyPeer / cuMemcpyPeer_ptds |default| (to: u64, to_context: Handle, from: u64, from_context: Handle, bytes: usize) {
        of_contexts(to_context, from_context)?;
        copied(Spot::Device(to), Spot::Device(from), bytes, (0, default), true)
    }
    cuMemcpyPeerAsync / cuMemcpyPeerAsync_ptsz |default| (to: u64, to_context: Handle, from: u64, from_context: Handle, bytes: usize, stream: Handle) {
        of_contexts(to_context, from_context)?;
        copied(Spot::Device(to), Spot::Device(from), bytes, (stream, default), false)
    }
    cuMemcpy2D_v2 / cuMemcpy2D_v2_ptds |default| (copy: In<Copy2D>) {
        rectangle(copy, (0, default), true)
    }
    cuMemcpy2DUnaligned_v2 / cuMemcpy2DUnaligned_v2_ptds |default| (copy: In<Copy2D>) {
        rectangle(copy, (0, default), true)
    }
    cuMemcpy2DAsync_v2 / cuMemcpy2DAsync_v2_ptsz |default| (copy: In<Copy2D>, stream: Handle) {
        rectangle(copy, (stream, default), false)
    }
    cuMemcpy3D_v2 / cuMemcpy3D_v2_ptds |default| (copy: In<Copy3D>) {
        cuboid(copy, (0, default), true)
    }
    // The structure has the contexts where a copy within one context has nothing. There is one
    // device.
    cuMemcpy3DPeer / cuMemcpy3DPeer_ptds |default| (copy: In<Copy3D>) {
        let (to, from) = copy.get()?.contexts();
        of_contexts(to, from)?;
        cuboid(copy, (0, default), true)
    }
    cuMemcpy3DPeerAsync / cuMemcpy3DPeerAsync_ptsz |default| (copy: In<Copy3D>, stream: Handle) {
        let (to, from) = copy.get()?.contexts();
        of_contexts(to, from)?;
        cuboid(copy, (stream, default), false)
    }
    cuMemcpy3DAsync_v2 / cuMemcpy3DAsync_v2_ptsz |default| (copy: In<Copy3D>, stream: Handle) {
        cuboid(copy, (stream, default), false)
    }
    cuMemsetD8_v2 / cuMemsetD8_v2_ptds |default| (to: u64, value: u8, count: usize) {
        set(to, &value.to_le_bytes(), [count, 1], 0, (0, default))
    }
    cuMemsetD16_v2 / cuMemsetD16_v2_ptds |default| (to: u64, value: u16, count: usize) {
        set(to, &value.to_le_bytes(), [count, 1], 0, (0, default))
    }
    cuMemsetD32_v2 / cuMemsetD32_v2_ptds |default| (to: u64, value: u32, count: usize) {
        set(to, &value.to_le_bytes(), [count, 1], 0, (0, default))
    }
    cuMemsetD8Async / cuMemsetD8Async_ptsz |default| (to: u64, value: u8, count: usize, stream: Handle) {
        set(to, &value.to_le_bytes(), [count, 1], 0, (stream, default))
    }
    cuMemsetD16Async / cuMemsetD16Async_ptsz |default| (to: u64, value: u16, count: usize, stream: Handle) {
        set(to, &value.to_le_bytes(), [count, 1], 0, (stream, default))
    }
    cuMemsetD32Async / cuMemsetD32Async_ptsz |default| (to: u64, value: u32, count: usize, stream: Handle) {
        set(to, &value.to_le_bytes(), [count, 1], 0, (stream, default))
    }
    cuMemsetD2D8_v2 / cuMemsetD2D8_v2_ptds |default| (to: u64, pitch: usize, value: u8, width: usize, height: usize) {
        set(to, &value.to_le_bytes(), [width, height], pitch, (0, default))
    }
    cuMemsetD2D16_v2 / cuMemsetD2D16_v2_ptds |default| (to: u64, pitch: usize, value: u16, width: usize, height: usize) {
        set(to, &value.to_le_bytes(), [width, height], pitch, (0, default))
    }
    cuMemsetD2D32_v2 / cuMemsetD2D32_v2_ptds |default| (to: u64, pitch: usize, value: u32, width: usize, height: usize) {
        set(to, &value.to_le_bytes(), [width, height], pitch, (0, default))
    }
    cuMemsetD2D8Async / cuMemsetD2D8Async_ptsz |default| (to: u64, pitch: usize, value: u8, width: usize, height: usize, stream: Handle) {
        set(to, &value.to_le_bytes(), [width, height], pitch, (stream, default))
    }
    cuMemsetD2D16Async / cuMemsetD2D16Async_ptsz |default| (to: u64, pitch: usize, value: u16, width: usize, height: usize, stream: Handle) {
        set(to, &value.to_le_bytes(), [width, height], pitch, (stream, default))
    }
    cuMemsetD2D32Async / cuMemsetD2D32Async_ptsz |default| (to: u64, pitch: usize, value: u32, width: usize, height: usize, stream: Handle) {
        set(to, &value.to_le_bytes(), [width, height], pitch, (stream, default))
    }
}
