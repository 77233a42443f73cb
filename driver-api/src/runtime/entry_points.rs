//! "Driver Entry Point Access": functions of the driver API, by their names.

use warpsim_driver_core::{CudaError, DefaultStream};

use super::runtime;
use crate::lookup;
use crate::pointers::{Out, Text};

/// `cudaGetDriverEntryPoint`: the name, and the version of CUDA that the program is of.
fn entry_point(
    (name, version): (Text, i32),
    address: Out<*const std::ffi::c_void>,
    (flags, default): (u64, DefaultStream),
    status: Out<u32>,
) -> Result<(), CudaError> {
    // Nothing is said, or which stream 0 is.
    let flags = match (flags, default) {
        (0, DefaultStream::PerThread) => 2,
        (flags, _) => flags,
    };
    let name = name.needed()?;
    let found = lookup::find(&name, version, flags)?;
    let is_known = lookup::find(&name, i32::MAX, flags)?.is_some();
    status.put_if_wanted(match (found, is_known) {
        (Some(_), _) => 0,
        (None, false) => 1,
        (None, true) => 2,
    });
    address.put(found.unwrap_or(std::ptr::null()))
}

runtime! {
    cudaGetDriverEntryPoint / cudaGetDriverEntryPoint_ptsz |default| (
        name: Text, address: Out<*const std::ffi::c_void>, flags: u64, status: Out<u32>
    ) {
        entry_point((name, 12_090), address, (flags, default), status)
    }
    cudaGetDriverEntryPointByVersion / cudaGetDriverEntryPointByVersion_ptsz |default| (
        name: Text, address: Out<*const std::ffi::c_void>, version: u32, flags: u64, status: Out<u32>
    ) {
        let version = i32::try_from(version).map_err(|_| CudaError::InvalidValue)?;
        entry_point((name, version), address, (flags, default), status)
    }
}
