//! Kernels as handles: their attributes and their occupancy (CUDA driver API, "Execution Control",
//! "Occupancy").
//!
//! There are no machine registers here. Each kernel is said to use [`REGISTERS`] per thread.
//! Occupancy follows from the device profile by threads, blocks and shared memory alone.

use std::sync::Arc;

use warpsim::host::Device;
use warpsim::lower::Program;

use crate::attributes::{SHARED_WITHOUT_ASKING, capability};
use crate::state::{Call, Kind, bug};
use crate::{Answer, CudaError, Handle};

/// What every kernel is said to use: what lets a block have all threads that it can have.
const REGISTERS: i32 = 32;

/// A kernel.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) module: Handle,
    pub(crate) name: String,
    pub(crate) program: Arc<Program>,
    /// The most dynamic shared memory of a launch.
    pub(crate) dynamic_shared: u32,
    carveout: i32,
}

/// An attribute of a kernel (`CUfunction_attribute`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in `cuda.h`")]
pub enum FunctionAttribute {
    MaxThreadsPerBlock,
    SharedSizeBytes,
    ConstSizeBytes,
    LocalSizeBytes,
    NumRegs,
    PtxVersion,
    BinaryVersion,
    CacheModeCa,
    MaxDynamicSharedSizeBytes,
    PreferredSharedMemoryCarveout,
    /// An attribute of clusters, which mean nothing here.
    Cluster,
}

impl FunctionAttribute {
    /// The attribute with this number.
    pub fn of_number(number: u32) -> Option<FunctionAttribute> {
        use FunctionAttribute as F;
        Some(match number {
            0 => F::MaxThreadsPerBlock,
            1 => F::SharedSizeBytes,
            2 => F::ConstSizeBytes,
            3 => F::LocalSizeBytes,
            4 => F::NumRegs,
            5 => F::PtxVersion,
            6 => F::BinaryVersion,
            7 => F::CacheModeCa,
            8 => F::MaxDynamicSharedSizeBytes,
            9 => F::PreferredSharedMemoryCarveout,
            10..=15 => F::Cluster,
            16.. => return None,
        })
    }
}

impl Call<'_> {
    /// The compute capability of the device as one number: 90.
    pub(crate) fn architecture(&self) -> u32 {
        let (major, minor) = capability(self.state.device.profile());
        major * 10 + minor
    }

    pub(crate) fn add_function(
        &mut self,
        module: Handle,
        name: &str,
        program: Arc<Program>,
    ) -> Handle {
        let most = self.state.device.profile().shared_per_block.min(SHARED_WITHOUT_ASKING);
        let dynamic_shared = most.saturating_sub(program.own_static_shared_bytes());
        let name = name.to_owned();
        let function = Function { module, name, program, dynamic_shared, carveout: -1 };
        let handle = self.state.handle(Kind::Function);
        self.state.functions.insert(handle, function);
        handle
    }

    pub(crate) fn known_function(&self, handle: Handle) -> Answer<&Function> {
        self.state.functions.get(&handle).ok_or(CudaError::InvalidHandle)
    }

    /// `cuFuncGetName`, `cuKernelGetName`.
    ///
    /// # Errors
    /// There is no such kernel.
    pub fn function_name(&self, handle: Handle) -> Answer<String> {
        Ok(self.known_function(handle)?.name.clone())
    }

    /// `cuFuncGetModule`, `cuKernelGetLibrary`.
    ///
    /// # Errors
    /// There is no such kernel.
    pub fn function_module(&self, handle: Handle) -> Answer<Handle> {
        Ok(self.known_function(handle)?.module)
    }

    /// `cuFuncGetAttribute`.
    ///
    /// # Errors
    /// There is no such kernel.
    pub fn function_attribute(&self, handle: Handle, attribute: FunctionAttribute) -> Answer<i32> {
        use FunctionAttribute as F;
        let function = self.known_function(handle)?;
        let program = &function.program;
        let profile = self.state.device.profile();
        let signed = |value: u32| i32::try_from(value).unwrap_or(i32::MAX);
        let local = program.functions.iter().map(|function| function.local_bytes).sum();
        Ok(match attribute {
            F::MaxThreadsPerBlock => {
                signed(program.max_threads.unwrap_or(profile.threads_per_block))
            }
            F::SharedSizeBytes => signed(program.own_static_shared_bytes()),
            F::ConstSizeBytes => {
                let module = self.state.modules.get(&function.module);
                let module = module.ok_or(CudaError::InvalidHandle)?;
                let mut bytes = 0;
                for name in &module.constants {
                    let found = self.state.device.variable(module.device, name);
                    bytes += found.map_err(|error| bug(self, &error.to_string()))?.1;
                }
                i32::try_from(bytes).unwrap_or(i32::MAX)
            }
            F::CacheModeCa | F::Cluster => 0,
            F::LocalSizeBytes => signed(local),
            F::NumRegs => REGISTERS,
            // Programs choose by it how large the grids of the kernel are that they compiled for
            // several.
            F::PtxVersion => {
                let module = self.state.modules.get(&function.module);
                let of_module = module.ok_or(CudaError::InvalidHandle)?.architecture;
                signed(of_module.unwrap_or(self.architecture()))
            }
            F::BinaryVersion => signed(self.architecture()),
            F::MaxDynamicSharedSizeBytes => signed(function.dynamic_shared),
            F::PreferredSharedMemoryCarveout => function.carveout,
        })
    }

    /// `cuFuncSetAttribute`.
    ///
    /// # Errors
    /// There is no such kernel, or the attribute cannot be set, or not to this value.
    pub fn set_function_attribute(
        &mut self,
        handle: Handle,
        attribute: FunctionAttribute,
        value: i32,
    ) -> Answer<()> {
        use FunctionAttribute as F;
        let most = self.state.device.profile().shared_per_block;
        let function = self.state.functions.get_mut(&handle).ok_or(CudaError::InvalidHandle)?;
        match attribute {
            F::MaxDynamicSharedSizeBytes => {
                let room = most.saturating_sub(function.program.own_static_shared_bytes());
                let asked = u32::try_from(value).map_err(|_| CudaError::InvalidValue)?;
                if asked > room {
                    return Err(CudaError::InvalidValue);
                }
                function.dynamic_shared = asked;
                Ok(())
            }
            F::PreferredSharedMemoryCarveout if (-1..=100).contains(&value) => {
                function.carveout = value;
                Ok(())
            }
            F::Cluster => Err(CudaError::NotSupported),
            F::PreferredSharedMemoryCarveout
            | F::MaxThreadsPerBlock
            | F::SharedSizeBytes
            | F::ConstSizeBytes
            | F::LocalSizeBytes
            | F::NumRegs
            | F::PtxVersion
            | F::BinaryVersion
            | F::CacheModeCa => Err(CudaError::InvalidValue),
        }
    }

    /// `cuOccupancyMaxActiveBlocksPerMultiprocessor`.
    ///
    /// # Errors
    /// There is no such kernel, or a block cannot have so few threads.
    pub fn occupancy(&self, handle: Handle, threads: i32, dynamic: u64) -> Answer<u32> {
        let function = self.known_function(handle)?;
        let profile = self.state.device.profile();
        let threads = u32::try_from(threads).map_err(|_| CudaError::InvalidValue)?;
        let most = function.program.max_threads.unwrap_or(profile.threads_per_block);
        if threads == 0 {
            return Err(CudaError::InvalidValue);
        }
        let shared = u64::from(function.program.own_static_shared_bytes()).saturating_add(dynamic);
        let shared = u32::try_from(shared).unwrap_or(u32::MAX);
        if threads > most || shared > profile.shared_per_block {
            return Ok(0);
        }
        Ok(profile.resident_on_one(threads, shared))
    }

    /// `cuOccupancyMaxPotentialBlockSize`: the fewest blocks, and their threads, that fill the
    /// device as far as possible. `dynamic` gives the dynamic shared memory of a block for its
    /// number of threads. A limit of 0 means none.
    ///
    /// # Errors
    /// There is no such kernel.
    pub fn best_block(
        &self,
        handle: Handle,
        limit: i32,
        dynamic: &mut dyn FnMut(i32) -> u64,
    ) -> Answer<(i32, i32)> {
        let function = self.known_function(handle)?;
        let profile = self.state.device.profile();
        let most = function.program.max_threads.unwrap_or(profile.threads_per_block);
        let most = match u32::try_from(limit) {
            Ok(limit) if limit > 0 => limit.min(most),
            Ok(_) | Err(_) => most,
        };
        let (mut best, mut filled) = ((0, 0), 0);
        for threads in (1..=most.div_ceil(32)).rev().map(|warps| (warps * 32).min(most)) {
            let threads_as_asked = i32::try_from(threads).map_err(|_| CudaError::InvalidValue)?;
            let each = self.occupancy(handle, threads_as_asked, dynamic(threads_as_asked))?;
            if each * threads > filled {
                filled = each * threads;
                let blocks = i32::try_from(each.saturating_mul(profile.multiprocessors));
                best = (blocks.unwrap_or(i32::MAX), threads_as_asked);
            }
        }
        Ok(best)
    }

    /// `cuOccupancyAvailableDynamicSMemPerBlock`: the dynamic shared memory that each block can
    /// have if `blocks` share a multiprocessor.
    ///
    /// # Errors
    /// There is no such kernel, or no such number of blocks.
    pub fn available_shared(&self, handle: Handle, blocks: i32) -> Answer<u64> {
        let function = self.known_function(handle)?;
        let profile = self.state.device.profile();
        let blocks = u32::try_from(blocks).ok().filter(|blocks| *blocks > 0);
        let each = profile.shared_per_multiprocessor / blocks.ok_or(CudaError::InvalidValue)?;
        let each = each.min(profile.shared_per_block);
        Ok(each.saturating_sub(function.program.own_static_shared_bytes()).into())
    }
}
