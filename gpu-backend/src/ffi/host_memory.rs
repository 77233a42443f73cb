//! Page-locked memory that the host reads and writes while the device may do the same (CUDA driver
//! API, `cuMemAllocHost`, "Unified Addressing").

use std::ffi::c_void;
use std::ptr;

use super::{RawStream, driver};
use crate::error::GpuError;

/// Page-locked bytes, which the device reaches at the same address. Before it is dropped, the
/// copies that use it have been waited for.
#[derive(Debug)]
pub(crate) struct HostMemory {
    start: *mut c_void,
    bytes: usize,
}

impl HostMemory {
    /// This many bytes of zeros.
    pub(crate) fn new(bytes: usize) -> Result<HostMemory, GpuError> {
        let mut start = ptr::null_mut();
        // SAFETY: writes to `start`. No length is zero.
        unsafe { driver::cuMemAllocHost_v2(&mut start, bytes.max(1)) }?;
        // SAFETY: that many bytes begin there; zeroed, they are initialised.
        unsafe { ptr::write_bytes(start.cast::<u8>(), 0, bytes) };
        Ok(HostMemory { start, bytes })
    }

    /// Where it begins.
    pub(crate) fn address(&self) -> u64 {
        self.start.addr() as u64
    }

    /// Writes bytes at an offset; nothing is written past the end. A copy may be writing it at the
    /// same time, so each byte is written separately.
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) {
        for (at, byte) in (offset..self.bytes).zip(bytes) {
            // SAFETY: `at` is below the length.
            unsafe { ptr::write_volatile(self.start.cast::<u8>().add(at), *byte) };
        }
    }

    /// Reads bytes at an offset, in the same way.
    pub(crate) fn read(&self, offset: usize, into: &mut [u8]) {
        for (at, byte) in (offset..self.bytes).zip(into) {
            // SAFETY: `at` is below the length.
            *byte = unsafe { ptr::read_volatile(self.start.cast::<u8>().add(at)) };
        }
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        // SAFETY: nothing uses it any more. There is no caller to receive an error.
        let _ = unsafe { driver::cuMemFreeHost(self.start) };
    }
}

/// Issues a copy between two places that the device reaches.
pub(crate) fn copy(stream: &RawStream, to: u64, from: u64, bytes: usize) -> Result<(), GpuError> {
    // SAFETY: the caller has looked that both lie in allocations, which are not freed before the
    // host has waited for the copy.
    unsafe { driver::cuMemcpyAsync(to, from, bytes, stream.0) }
}
