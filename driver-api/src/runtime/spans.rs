//! "Memory Management": copies that count the bytes of an array row after row (`cudaMemcpyToArray`
//! and similar functions), and three-dimensional copies between devices. There is only one device.

use warpsim_driver_core::{Block, CudaError, DefaultStream, Handle, Spot};

use super::cuboids::{Pitched, RuntimeCopy3D};
use super::{RuntimeError, only_device, runtime, spots, with};
use crate::functions::issued;
use crate::pointers::In;

/// Where a stream's work goes, and whether the host waits for it.
type How = (Handle, DefaultStream, bool);

/// From a byte of a row of an array on: which array, the byte and the row.
type Place = (Handle, [usize; 2]);

fn span((array, at): Place, bytes: usize) -> Result<Spot, CudaError> {
    with(|call| call.array_span(array, at.map(|n| n as u64), bytes as u64))
}

fn copied(to: Spot, from: Spot, bytes: usize, how: How) -> Result<(), RuntimeError> {
    Ok(issued(Block::of_bytes(to, from, bytes as u64), (how.0, how.1), how.2)?)
}

fn into(to: Place, from: u64, bytes: usize, kind: u32, how: How) -> Result<(), RuntimeError> {
    let (_, from) = spots(from, from, kind)?;
    copied(span(to, bytes)?, from, bytes, how)
}

fn out_of(to: u64, from: Place, bytes: usize, kind: u32, how: How) -> Result<(), RuntimeError> {
    let (to, _) = spots(to, to, kind)?;
    copied(to, span(from, bytes)?, bytes, how)
}

/// `cudaMemcpy3DPeerParms`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct PeerCopy3D {
    from_array: u64,
    from_at: [usize; 3],
    from: Pitched,
    from_device: i32,
    to_array: u64,
    to_at: [usize; 3],
    to: Pitched,
    to_device: i32,
    extent: [usize; 3],
}

const _: () = assert!(size_of::<PeerCopy3D>() == 168);

fn between(wanted: In<PeerCopy3D>, how: How) -> Result<(), RuntimeError> {
    let all = wanted.get()?;
    only_device(all.from_device)?;
    only_device(all.to_device)?;
    let ends = RuntimeCopy3D::between(
        (all.to_array, all.to_at, all.to),
        (all.from_array, all.from_at, all.from),
        all.extent,
    );
    Ok(issued(ends.block()?, (how.0, how.1), how.2)?)
}

runtime! {
    cudaMemcpyToArray / cudaMemcpyToArray_ptds |default| (
        array: Handle, x: usize, y: usize, from: u64, bytes: usize, kind: u32
    ) {
        into((array, [x, y]), from, bytes, kind, (0, default, true))
    }
    cudaMemcpyToArrayAsync / cudaMemcpyToArrayAsync_ptsz |default| (
        array: Handle, x: usize, y: usize, from: u64, bytes: usize, kind: u32, stream: Handle
    ) {
        into((array, [x, y]), from, bytes, kind, (stream, default, false))
    }
    cudaMemcpyFromArray / cudaMemcpyFromArray_ptds |default| (
        to: u64, array: Handle, x: usize, y: usize, bytes: usize, kind: u32
    ) {
        out_of(to, (array, [x, y]), bytes, kind, (0, default, true))
    }
    cudaMemcpyFromArrayAsync / cudaMemcpyFromArrayAsync_ptsz |default| (
        to: u64, array: Handle, x: usize, y: usize, bytes: usize, kind: u32, stream: Handle
    ) {
        out_of(to, (array, [x, y]), bytes, kind, (stream, default, false))
    }
    cudaMemcpyArrayToArray / cudaMemcpyArrayToArray_ptds |default| (
        to: Handle, to_x: usize, to_y: usize, from: Handle, x: usize, y: usize, bytes: usize, kind: u32
    ) {
        // Both ends are of the device, whatever is said.
        spots(0, 0, kind)?;
        copied(span((to, [to_x, to_y]), bytes)?, span((from, [x, y]), bytes)?, bytes, (0, default, true))
    }
    cudaMemcpy3DPeer / cudaMemcpy3DPeer_ptds |default| (wanted: In<PeerCopy3D>) {
        between(wanted, (0, default, true))
    }
    cudaMemcpy3DPeerAsync / cudaMemcpy3DPeerAsync_ptsz |default| (wanted: In<PeerCopy3D>, stream: Handle) {
        between(wanted, (stream, default, false))
    }
}
