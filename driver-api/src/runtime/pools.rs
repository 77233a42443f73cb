//! "Stream Ordered Memory Allocator": pools.

use std::ffi::c_void;

use warpsim_driver_core::{CudaError, Handle};

use super::{runtime, with};
use crate::functions::{pool_attribute, set_pool_attribute};
use crate::pointers::{In, Out};

runtime! {
    cudaMemPoolCreate |_default| (pool: Out<Handle>, properties: In<u64>) {
        properties.get()?;
        match pool.is_null() {
            true => Err(CudaError::InvalidValue),
            false => pool.put(with(|call| Ok(call.create_pool()))?),
        }
    }
    cudaMemPoolDestroy |_default| (pool: Handle) {
        with(|call| call.destroy_pool(pool))
    }
    cudaMemPoolTrimTo |_default| (pool: Handle, keep: usize) {
        let _ = keep;
        with(|call| call.trim_pool(pool))
    }
    cudaMemPoolGetAttribute |_default| (pool: Handle, attribute: u32, value: Out<c_void>) {
        with(|call| pool_attribute(call, pool, attribute, value))
    }
    cudaMemPoolSetAttribute |_default| (pool: Handle, attribute: u32, value: Out<c_void>) {
        with(|call| set_pool_attribute(call, pool, attribute, value))
    }
    cudaMemPoolSetAccess |_default| (pool: Handle, accesses: In<u64>, count: usize) {
        let _ = (accesses, count);
        with(|call| call.trim_pool(pool))
    }
    cudaMemPoolGetAccess |_default| (flags: Out<u32>, pool: Handle, location: In<u64>) {
        location.get()?;
        with(|call| call.trim_pool(pool))?;
        flags.put(3)
    }
}
