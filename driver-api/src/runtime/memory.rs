//! "Memory Management", "Unified Addressing", "Stream Ordered Memory Allocator".

use warpsim_driver_core::{Answer, Block, CudaError, DefaultStream, Handle, PointerKind, Spot};

use super::{RuntimeError, only_device, registered, runtime, with};
use crate::callbacks;
use crate::functions::issued;
use crate::pointers::Out;

/// `cudaMemcpyKind`: which ends are of the host.
pub(crate) fn spots(to: u64, from: u64, kind: u32) -> Result<(Spot, Spot), RuntimeError> {
    Ok(match kind {
        0 => (Spot::Host(to), Spot::Host(from)),
        1 => (Spot::Device(to), Spot::Host(from)),
        2 => (Spot::Host(to), Spot::Device(from)),
        3 => (Spot::Device(to), Spot::Device(from)),
        4 => (Spot::Unified(to), Spot::Unified(from)),
        5.. => return Err(RuntimeError::INVALID_DIRECTION),
    })
}

fn copied(
    to: u64,
    from: u64,
    bytes: usize,
    kind: u32,
    (stream, default): (Handle, DefaultStream),
    is_waited_for: bool,
) -> Result<(), RuntimeError> {
    let ends = spots(to, from, kind)?;
    let block = Block::of_bytes(ends.0, ends.1, bytes as u64);
    let copied = issued(block, (stream, default), is_waited_for);
    copied.inspect_err(|_| [to, from].into_iter().for_each(registered::because_of_a_symbol))?;
    Ok(())
}

/// A rectangle: bytes of a row, and rows.
struct Rows {
    to: (u64, usize),
    from: (u64, usize),
    extent: [usize; 2],
    kind: u32,
}

fn rows(
    rows: &Rows,
    (stream, default): (Handle, DefaultStream),
    is_waited_for: bool,
) -> Result<(), RuntimeError> {
    let (to, from) = spots(rows.to.0, rows.from.0, rows.kind)?;
    if rows.extent[0] > rows.to.1 || rows.extent[0] > rows.from.1 {
        return Err(RuntimeError::INVALID_PITCH);
    }
    let [width, height] = rows.extent.map(|extent| extent as u64);
    let block = Block {
        to: (to, rows.to.1 as u64, 0),
        from: (from, rows.from.1 as u64, 0),
        extent: [width, height, 1],
    };
    issued(block, (stream, default), is_waited_for)?;
    Ok(())
}

fn set(
    to: u64,
    value: i32,
    shape: [usize; 2],
    pitch: usize,
    (stream, default): (Handle, DefaultStream),
) -> Answer<()> {
    callbacks::settle();
    with(|call| {
        let stream = call.stream(stream, default)?;
        // The lowest byte, as `memset` takes it.
        let [byte, ..] = value.to_le_bytes();
        call.set(to, &[byte], shape.map(|extent| extent as u64), pitch as u64, stream)
    })
}

/// Where this many bytes of a variable are.
pub(crate) fn inside(symbol: u64, bytes: usize, offset: usize) -> Result<u64, RuntimeError> {
    let (start, size) = registered::variable(symbol)?;
    let end = (offset as u64).checked_add(bytes as u64);
    match end.is_some_and(|end| end <= size) {
        true => Ok(start + offset as u64),
        false => Err(CudaError::InvalidValue.into()),
    }
}

/// `cudaPointerAttributes`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct PointerAttributes {
    kind: u32,
    device: i32,
    on_device: u64,
    on_host: u64,
}

fn allocated(address: Out<u64>, bytes: usize, of: impl FnOnce(u64) -> Answer<u64>) -> Answer<()> {
    if address.is_null() {
        return Err(CudaError::InvalidValue);
    }
    // No bytes are no error here, and have no address.
    match bytes {
        0 => address.put(0),
        bytes => address.put(of(bytes as u64)?),
    }
}

runtime! {
    cudaMalloc |_default| (address: Out<u64>, bytes: usize) {
        allocated(address, bytes, |bytes| with(|call| call.allocate(bytes)))
    }
    cudaMallocManaged |_default| (address: Out<u64>, bytes: usize, flags: u32) {
        allocated(address, bytes, |bytes| with(|call| call.allocate_managed(bytes, flags)))
    }
    cudaMallocHost |_default| (address: Out<u64>, bytes: usize) {
        allocated(address, bytes, |bytes| with(|call| call.allocate_locked(bytes, 0)))
    }
    cudaHostAlloc |_default| (address: Out<u64>, bytes: usize, flags: u32) {
        allocated(address, bytes, |bytes| with(|call| call.allocate_locked(bytes, flags)))
    }
    cudaMallocPitch |_default| (address: Out<u64>, pitch: Out<usize>, width: usize, height: usize) {
        with(|call| {
            if address.is_null() || pitch.is_null() {
                return Err(CudaError::InvalidValue);
            }
            let (start, row) = call.allocate_pitch(width as u64, height as u64, 16)?;
            pitch.put(row as usize)?;
            address.put(start)
        })
    }
    cudaFree |_default| (address: u64) {
        callbacks::settle();
        with(|call| call.free(address))
    }
    cudaFreeHost |_default| (address: u64) {
        callbacks::settle();
        match address {
            0 => Ok(()),
            address => with(|call| call.free_locked(address)),
        }
    }
    cudaHostRegister |_default| (host: u64, bytes: usize, flags: u32) {
        with(|call| call.register(host, bytes as u64, flags))
    }
    cudaHostUnregister |_default| (host: u64) {
        callbacks::settle();
        with(|call| call.unregister(host))
    }
    cudaHostGetDevicePointer |_default| (device: Out<u64>, host: u64, flags: u32) {
        let _ = flags;
        with(|call| {
            let facts = call.pointer(host)?;
            facts.host.ok_or(CudaError::InvalidValue)?;
            device.put(facts.device)
        })
    }
    cudaHostGetFlags |_default| (flags: Out<u32>, host: u64) {
        with(|call| flags.put(call.locked_flags(host)?))
    }
    cudaMemGetInfo |_default| (free: Out<usize>, all: Out<usize>) {
        with(|call| {
            let (unused, total) = call.memory_info()?;
            free.put_if_wanted(unused as usize);
            all.put_if_wanted(total as usize);
            Ok(())
        })
    }
    cudaPointerGetAttributes |_default| (attributes: Out<PointerAttributes>, address: u64) {
        with(|call| {
            attributes.put(match call.pointer(address) {
                Ok(facts) => PointerAttributes {
                    kind: match facts.kind {
                        PointerKind::Host => 1,
                        PointerKind::Device => 2,
                        PointerKind::Managed => 3,
                    },
                    device: 0,
                    on_device: facts.device,
                    on_host: facts.host.unwrap_or(0),
                },
                // The program's own memory, which was never registered.
                Err(_) => PointerAttributes { kind: 0, device: -2, on_device: 0, on_host: address },
            })
        })
    }
    cudaMemcpy / cudaMemcpy_ptds |default| (to: u64, from: u64, bytes: usize, kind: u32) {
        copied(to, from, bytes, kind, (0, default), true)
    }
    cudaMemcpyAsync / cudaMemcpyAsync_ptsz |default| (to: u64, from: u64, bytes: usize, kind: u32, stream: Handle) {
        copied(to, from, bytes, kind, (stream, default), false)
    }
    cudaMemcpy2D / cudaMemcpy2D_ptds |default| (
        to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: u32
    ) {
        let all = Rows { to: (to, to_pitch), from: (from, from_pitch), extent: [width, height], kind };
        rows(&all, (0, default), true)
    }
    cudaMemcpy2DAsync / cudaMemcpy2DAsync_ptsz |default| (
        to: u64, to_pitch: usize, from: u64, from_pitch: usize, width: usize, height: usize, kind: u32, stream: Handle
    ) {
        let all = Rows { to: (to, to_pitch), from: (from, from_pitch), extent: [width, height], kind };
        rows(&all, (stream, default), false)
    }
    cudaMemcpyToSymbol / cudaMemcpyToSymbol_ptds |default| (symbol: u64, from: u64, bytes: usize, offset: usize, kind: u32) {
        copied(inside(symbol, bytes, offset)?, from, bytes, kind, (0, default), true)
    }
    cudaMemcpyToSymbolAsync / cudaMemcpyToSymbolAsync_ptsz |default| (
        symbol: u64, from: u64, bytes: usize, offset: usize, kind: u32, stream: Handle
    ) {
        copied(inside(symbol, bytes, offset)?, from, bytes, kind, (stream, default), false)
    }
    cudaMemcpyFromSymbol / cudaMemcpyFromSymbol_ptds |default| (to: u64, symbol: u64, bytes: usize, offset: usize, kind: u32) {
        copied(to, inside(symbol, bytes, offset)?, bytes, kind, (0, default), true)
    }
    cudaMemcpyFromSymbolAsync / cudaMemcpyFromSymbolAsync_ptsz |default| (
        to: u64, symbol: u64, bytes: usize, offset: usize, kind: u32, stream: Handle
    ) {
        copied(to, inside(symbol, bytes, offset)?, bytes, kind, (stream, default), false)
    }
    cudaGetSymbolAddress |_default| (address: Out<u64>, symbol: u64) {
        address.put(registered::variable(symbol)?.0)
    }
    cudaGetSymbolSize |_default| (bytes: Out<usize>, symbol: u64) {
        bytes.put(registered::variable(symbol)?.1 as usize)
    }
    cudaMemset / cudaMemset_ptds |default| (to: u64, value: i32, bytes: usize) {
        set(to, value, [bytes, 1], 0, (0, default))
    }
    cudaMemsetAsync / cudaMemsetAsync_ptsz |default| (to: u64, value: i32, bytes: usize, stream: Handle) {
        set(to, value, [bytes, 1], 0, (stream, default))
    }
    cudaMemset2D / cudaMemset2D_ptds |default| (to: u64, pitch: usize, value: i32, width: usize, height: usize) {
        set(to, value, [width, height], pitch, (0, default))
    }
    cudaMemset2DAsync / cudaMemset2DAsync_ptsz |default| (
        to: u64, pitch: usize, value: i32, width: usize, height: usize, stream: Handle
    ) {
        set(to, value, [width, height], pitch, (stream, default))
    }
    cudaMallocAsync / cudaMallocAsync_ptsz |default| (address: Out<u64>, bytes: usize, stream: Handle) {
        allocated(address, bytes, |bytes| {
            with(|call| {
                let stream = call.stream(stream, default)?;
                call.allocate_in_stream(None, bytes, stream)
            })
        })
    }
    cudaMallocFromPoolAsync / cudaMallocFromPoolAsync_ptsz |default| (
        address: Out<u64>, bytes: usize, pool: Handle, stream: Handle
    ) {
        allocated(address, bytes, |bytes| {
            with(|call| {
                let stream = call.stream(stream, default)?;
                call.allocate_in_stream(Some(pool), bytes, stream)
            })
        })
    }
    cudaFreeAsync / cudaFreeAsync_ptsz |default| (address: u64, stream: Handle) {
        callbacks::settle();
        with(|call| {
            call.gives_back(address);
            let stream = call.stream(stream, default)?;
            call.free_in_stream(address, stream)
        })
    }
    cudaDeviceSetMemPool |_default| (device: i32, pool: Handle) {
        only_device(device)?;
        with(|call| call.set_current_pool(pool))
    }
}
