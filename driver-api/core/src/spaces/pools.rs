//! Memory pools (CUDA driver API, "Stream Ordered Memory Allocator").
//!
//! A pool keeps nothing back: freed memory is free, and no address is used twice. So its policies
//! for using memory again (`CU_MEMPOOL_ATTR_REUSE_*`) make no difference here. An access is wrong
//! under one of them if its stream does not order it before the free. Such an access is found
//! whatever becomes of the memory. A pool's attributes are kept to be asked for.

use std::collections::BTreeMap;

use crate::spaces::memory::Owner;
use crate::state::{Call, Kind};
use crate::{Answer, CudaError, Handle};

/// A pool.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    attributes: BTreeMap<u32, u64>,
}

/// Three flags (0 or 1) for using memory again, the threshold, and the bytes reserved and used, now
/// and at most.
const ATTRIBUTES: std::ops::RangeInclusive<u32> = 1..=8;

impl Call<'_> {
    /// `cuMemPoolCreate`.
    pub fn create_pool(&mut self) -> Handle {
        let handle = self.state.handle(Kind::Pool);
        self.state.pools.insert(handle, Pool::default());
        handle
    }

    /// `cuMemPoolDestroy`: memory that is from it stays.
    ///
    /// # Errors
    /// There is no such pool, or it is the device's own.
    pub fn destroy_pool(&mut self, handle: Handle) -> Answer<()> {
        if Some(handle) == self.state.default_pool {
            return Err(CudaError::InvalidValue);
        }
        if Some(handle) == self.state.current_pool {
            self.state.current_pool = None;
        }
        self.state.pools.remove(&handle).map(|_| ()).ok_or(CudaError::InvalidValue)
    }

    /// `cuDeviceGetDefaultMemPool`.
    pub fn default_pool(&mut self) -> Handle {
        match self.state.default_pool {
            Some(pool) => pool,
            None => {
                let pool = self.create_pool();
                self.state.default_pool = Some(pool);
                pool
            }
        }
    }

    /// `cuDeviceGetMemPool`.
    pub fn current_pool(&mut self) -> Handle {
        match self.state.current_pool {
            Some(pool) => pool,
            None => self.default_pool(),
        }
    }

    /// `cuDeviceSetMemPool`.
    ///
    /// # Errors
    /// There is no such pool.
    pub fn set_current_pool(&mut self, handle: Handle) -> Answer<()> {
        self.known_pool(handle)?;
        self.state.current_pool = Some(handle);
        Ok(())
    }

    fn known_pool(&self, handle: Handle) -> Answer<&Pool> {
        self.state.pools.get(&handle).ok_or(CudaError::InvalidValue)
    }

    /// `cuMemPoolTrimTo`: there is nothing to trim.
    ///
    /// # Errors
    /// There is no such pool.
    pub fn trim_pool(&self, handle: Handle) -> Answer<()> {
        self.known_pool(handle).map(|_| ())
    }

    /// `cuMemAllocAsync` from the current pool, `cuMemAllocFromPoolAsync` from another.
    ///
    /// # Errors
    /// There is no such pool, no bytes, or too many.
    pub fn allocate_from_pool(&mut self, handle: Option<Handle>, bytes: u64) -> Answer<u64> {
        self.context()?;
        let pool = match handle {
            Some(handle) => self.known_pool(handle).map(|_| handle)?,
            None => self.current_pool(),
        };
        self.allocate_for(bytes, Owner::Pool(pool))
    }

    /// `cuMemPoolGetAttribute`. Attributes with numbers up to 3 have 32 bits there.
    ///
    /// # Errors
    /// There is no such pool or attribute.
    pub fn pool_attribute(&self, handle: Handle, attribute: u32) -> Answer<u64> {
        let pool = self.known_pool(handle)?;
        let of_pool = self.state.allocations.values().filter(|a| a.owner == Owner::Pool(handle));
        if !ATTRIBUTES.contains(&attribute) {
            return Err(CudaError::InvalidValue);
        }
        if matches!(attribute, 5 | 7) {
            return Ok(of_pool.map(|allocation| allocation.bytes).sum());
        }
        // What was not set: the first three are switches, which are on.
        Ok(match pool.attributes.get(&attribute) {
            Some(set) => *set,
            None => u64::from(attribute <= 3),
        })
    }

    /// `cuMemPoolSetAttribute`.
    ///
    /// # Errors
    /// There is no such pool or attribute.
    pub fn set_pool_attribute(&mut self, handle: Handle, number: u32, value: u64) -> Answer<()> {
        let is_one = ATTRIBUTES.contains(&number);
        match self.state.pools.get_mut(&handle).filter(|_| is_one) {
            Some(pool) => {
                pool.attributes.insert(number, value);
                Ok(())
            }
            None => Err(CudaError::InvalidValue),
        }
    }
}
