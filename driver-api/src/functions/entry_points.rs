//! "Driver Entry Point Access": the functions that look other functions up.

use std::ffi::c_void;

use warpsim_driver_core::CudaError;

use super::functions;
use crate::lookup;
use crate::pointers::{Out, Text};

functions! {
    cuGetProcAddress(name: Text, address: Out<*const c_void>, version: i32, flags: u64) {
        let found = lookup::find(&name.needed()?, version, flags)?;
        address.put(found.unwrap_or(std::ptr::null()))?;
        found.map(|_| ()).ok_or(CudaError::NotFound)
    }
    cuGetProcAddress_v2(name: Text, address: Out<*const c_void>, version: i32, flags: u64, status: Out<u32>) {
        /// `CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND`, and
        /// `CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT`.
        const NOT_FOUND: u32 = 1;
        const TOO_OLD: u32 = 2;
        let name = name.needed()?;
        let found = lookup::find(&name, version, flags)?;
        address.put(found.unwrap_or(std::ptr::null()))?;
        let is_known = || Ok(lookup::find(&name, i32::MAX, flags)?.is_some());
        status.put_if_wanted(match found.is_some() {
            true => 0,
            false if is_known()? => TOO_OLD,
            false => NOT_FOUND,
        });
        Ok(())
    }
}
