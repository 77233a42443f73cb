//! "Memory Management": a program's advice about managed memory, and its queries.

use std::ffi::c_void;

use warpsim_driver_core::Handle;

use super::{ready, runtime};
use crate::functions::{advised_at, fetched_at, range_attribute, range_attributes};
use crate::pointers::{In, Out};

runtime! {
    cudaMemPrefetchAsync_v2 / cudaMemPrefetchAsync_v2_ptsz |default| (
        address: u64, bytes: usize, location: u64, flags: u32, stream: Handle
    ) {
        ready()?;
        fetched_at((address, bytes), (location, flags), (stream, default))
    }
    cudaMemAdvise_v2 |_default| (address: u64, bytes: usize, advice: u32, location: u64) {
        ready()?;
        advised_at(address, bytes, advice, location)
    }
    // The runtime's numbers are the driver's.
    cudaMemRangeGetAttribute |_default| (to: Out<c_void>, room: usize, number: u32, address: u64, bytes: usize) {
        ready()?;
        range_attribute(to, room, number, (address, bytes))
    }
    cudaMemRangeGetAttributes |_default| (
        to: In<*mut c_void>, rooms: In<usize>, numbers: In<u32>, count: usize, address: u64, bytes: usize
    ) {
        ready()?;
        range_attributes(to, rooms, numbers, count, (address, bytes))
    }
}
