//! Structures of graphs' nodes, as they lie in memory (`cuda.h`, `driver_types.h`).

use std::ffi::c_void;

use warpsim_driver_core::{Answer, CudaError, Handle};

use crate::pointers::HostFunction;
use crate::pointers::Parameters;
use crate::runtime::Extent;

/// `CUDA_KERNEL_NODE_PARAMS_v1`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct KernelNode {
    pub(crate) function: Handle,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
    pub(crate) each: Parameters,
    pub(crate) extra: Parameters,
}

/// `CUDA_KERNEL_NODE_PARAMS_v2`: the function, or a kernel of a library, or both.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct KernelNode2 {
    pub(crate) first: KernelNode,
    pub(crate) kernel: Handle,
    pub(crate) context: Handle,
}

impl KernelNode2 {
    /// The same with the kernel in the function's place where there is no function.
    pub(crate) fn kernel(self) -> KernelNode {
        let function = if self.first.function == 0 { self.kernel } else { self.first.function };
        KernelNode { function, ..self.first }
    }
}

/// `cudaKernelNodeParams`: the kernel is an address of the host.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct RuntimeKernelNode {
    pub(crate) host: u64,
    pub(crate) grid: Extent,
    pub(crate) block: Extent,
    pub(crate) shared: u32,
    pub(crate) each: Parameters,
    pub(crate) extra: Parameters,
}

impl RuntimeKernelNode {
    /// The same of the driver, with this kernel.
    pub(crate) fn of_driver(self, function: Handle) -> KernelNode {
        let (grid, block) = (self.grid.all(), self.block.all());
        let RuntimeKernelNode { shared, each, extra, .. } = self;
        KernelNode { function, grid, block, shared, each, extra }
    }
}

/// `CUDA_MEMSET_NODE_PARAMS`, `cudaMemsetParams`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct MemsetNode {
    pub(crate) to: u64,
    pub(crate) pitch: usize,
    pub(crate) value: u32,
    pub(crate) element: u32,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// `CUDA_HOST_NODE_PARAMS`, `cudaHostNodeParams`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct HostNode {
    pub(crate) function: HostFunction,
    pub(crate) data: *mut c_void,
}

/// `CUDA_MEM_ALLOC_NODE_PARAMS`, `cudaMemAllocNodeParams`: properties of a pool, who may access the
/// memory, and how much.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct AllocationNode {
    kind: u32,
    shareable: u32,
    /// What kind of place, and which.
    location: [u32; 2],
    more: [u64; 9],
    allowed: *const c_void,
    count: usize,
    pub(crate) bytes: usize,
    pub(crate) address: u64,
}

impl AllocationNode {
    /// Memory of the device that no other process gets.
    pub(crate) fn of(address: u64, bytes: usize) -> AllocationNode {
        let allowed = std::ptr::null();
        let (kind, shareable, location, more) = (1, 0, [1, 0], [0; 9]);
        AllocationNode { kind, shareable, location, more, allowed, count: 0, bytes, address }
    }

    /// The same at this address.
    pub(crate) fn at(self, address: u64) -> AllocationNode {
        AllocationNode { address, ..self }
    }

    /// Refuses any other memory.
    pub(crate) fn check(&self) -> Answer<()> {
        match (self.kind, self.shareable, self.location) {
            (1, 0, [1, 0]) => Ok(()),
            (1, 0, [1, _]) => Err(CudaError::InvalidDevice),
            (_, _, _) => Err(CudaError::InvalidValue),
        }
    }
}

/// `CUgraphEdgeData`, `cudaGraphEdgeData`: ports and a type, which are 0 for a whole edge.
pub(crate) type EdgeData = [u8; 8];

/// `CUgraphExecUpdateResultInfo`, `cudaGraphExecUpdateResultInfo`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct UpdateInfo {
    pub(crate) result: u32,
    pub(crate) node: Handle,
    pub(crate) from: Handle,
}

/// `CUDA_GRAPH_INSTANTIATE_PARAMS`, `cudaGraphInstantiateParams`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct InstantiateParameters {
    pub(crate) flags: u64,
    pub(crate) stream: Handle,
    pub(crate) node: Handle,
    pub(crate) result: u32,
}

const _: () = assert!(size_of::<AllocationNode>() == 120);
const _: () = assert!(size_of::<KernelNode>() == 56 && size_of::<KernelNode2>() == 72);
const _: () = assert!(size_of::<RuntimeKernelNode>() == 56 && size_of::<MemsetNode>() == 40);
const _: () = assert!(size_of::<HostNode>() == 16);
const _: () = assert!(size_of::<UpdateInfo>() == 24 && size_of::<InstantiateParameters>() == 32);
