//! Structures of graphs' nodes, as they lie in memory (`cuda.h`, `driver_types.h`).

use std::ffi::c_void;

use warpsim_driver_core::{Answer, Block, CudaError, Handle, Spot};

use crate::callbacks::HostFunction;
use crate::pointers::Parameters;
use crate::process::with;
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

/// `CUDA_MEM_ALLOC_NODE_PARAMS`, `cudaMemAllocNodeParams`: properties of a pool, who may access the memory, and how much.
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

    /// Refuses what is something else.
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

/// `cudaMemcpy3DParms`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct RuntimeCopy3D {
    from_array: u64,
    from_at: [usize; 3],
    from: Pitched,
    to_array: u64,
    to_at: [usize; 3],
    to: Pitched,
    extent: [usize; 3],
    kind: u32,
}

/// `cudaPitchedPtr`.
#[derive(Clone, Copy)]
#[repr(C)]
pub(crate) struct Pitched {
    pub(crate) address: u64,
    pub(crate) pitch: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

impl RuntimeCopy3D {
    /// An end in an array, whose texels the copy is said in; the other is in bytes, but for its width.
    fn block_of_arrays(&self) -> Answer<Block> {
        let texel = |array| with(|call| call.array(array)).map(|shape| shape.texel());
        let bytes = match (self.from_array, self.to_array) {
            (0, to) => texel(to)?,
            (from, _) => texel(from)?,
        };
        let [width, height, depth] = self.extent.map(|size| size as u64);
        let width = width.checked_mul(bytes).ok_or(CudaError::InvalidValue)?;
        let extent = [width, height, depth];
        let end = |array: u64, spot, all: &Pitched, at: [usize; 3]| {
            if array == 0 {
                return pitched(spot, all, at, height);
            }
            let [x, y, z] = at.map(|n| n as u64);
            let x = x.checked_mul(bytes).ok_or(CudaError::InvalidValue)?;
            with(|call| call.array_end(array, [x, y, z], extent))
        };
        let (to, from) = self.spots()?;
        let to = end(self.to_array, to, &self.to, self.to_at)?;
        let from = end(self.from_array, from, &self.from, self.from_at)?;
        Ok(Block { to, from, extent })
    }

    fn spots(&self) -> Answer<(Spot, Spot)> {
        Ok(match self.kind {
            0 => (Spot::Host(self.to.address), Spot::Host(self.from.address)),
            1 => (Spot::Device(self.to.address), Spot::Host(self.from.address)),
            2 => (Spot::Host(self.to.address), Spot::Device(self.from.address)),
            3 => (Spot::Device(self.to.address), Spot::Device(self.from.address)),
            4 => (Spot::Unified(self.to.address), Spot::Unified(self.from.address)),
            5.. => return Err(CudaError::InvalidValue),
        })
    }

    /// The same in the core's words.
    pub(crate) fn block(&self) -> Answer<Block> {
        if self.from_array != 0 || self.to_array != 0 {
            return self.block_of_arrays();
        }
        let (to, from) = self.spots()?;
        let extent = self.extent.map(|size| size as u64);
        let to = pitched(to, &self.to, self.to_at, extent[1])?;
        let from = pitched(from, &self.from, self.from_at, extent[1])?;
        Ok(Block { to, from, extent })
    }
}

/// An end in rows, of so many in a slice where nothing is said.
fn pitched(spot: Spot, all: &Pitched, at: [usize; 3], height: u64) -> Answer<(Spot, u64, u64)> {
    let pitch = all.pitch as u64;
    let rows = if all.height == 0 { height } else { all.height as u64 };
    let slice = pitch.checked_mul(rows).ok_or(CudaError::InvalidValue)?;
    let start = crate::structures::moved(spot, crate::structures::offset(at, pitch, slice))?;
    Ok((start, pitch, slice))
}

const _: () = assert!(size_of::<AllocationNode>() == 120);
const _: () = assert!(size_of::<KernelNode>() == 56 && size_of::<KernelNode2>() == 72);
const _: () = assert!(size_of::<RuntimeKernelNode>() == 56 && size_of::<MemsetNode>() == 40);
const _: () = assert!(size_of::<HostNode>() == 16 && size_of::<RuntimeCopy3D>() == 160);
const _: () = assert!(size_of::<UpdateInfo>() == 24 && size_of::<InstantiateParameters>() == 32);
