//! Nodes that allocate and free, and objects of the program that graphs keep.

use std::ffi::c_void;

use warpsim_driver_core::{Answer, CudaError, GraphTask, Handle, HostCall};

use super::nodes::add;
use super::structures::AllocationNode;
use super::{both, handles};
use crate::pointers::HostFunction;
use crate::pointers::{In, Out};
use crate::process::with;

/// An attribute of the memory of graphs (`CUgraphMem_attribute`). The high-water marks can be set
/// to 0.
fn memory(device: i32, attribute: u32) -> Answer<u64> {
    with(|call| {
        call.device(device)?;
        call.graph_memory(attribute)
    })
}

/// Adds a node that allocates.
pub(super) fn allocating(
    node: Out<Handle>,
    graph: Handle,
    (behind, count): (In<Handle>, usize),
    wanted: Out<AllocationNode>,
) -> Answer<()> {
    if node.is_null() {
        return Err(CudaError::InvalidValue);
    }
    let asked = wanted.get()?;
    asked.check()?;
    let behind = handles(behind, count)?;
    let (added, address) = with(|call| call.add_allocation(graph, &behind, asked.bytes as u64))?;
    wanted.put(asked.at(address))?;
    node.put(added)
}

/// What a node allocates.
fn allocated_by(node: Handle) -> Answer<AllocationNode> {
    let GraphTask::Allocate(memory) = with(|call| call.node_task(node))? else {
        return Err(CudaError::InvalidValue);
    };
    Ok(AllocationNode::of(memory.address(), memory.bytes() as usize))
}

/// The address that a node frees.
fn freed_by(node: Handle) -> Answer<u64> {
    let GraphTask::Free(address) = with(|call| call.node_task(node))? else {
        return Err(CudaError::InvalidValue);
    };
    Ok(address)
}

both! {
    [cuGraphAddMemAllocNode, cudaGraphAddMemAllocNode] (
        node: Out<Handle>, graph: Handle, behind: In<Handle>, count: usize, wanted: Out<AllocationNode>
    ) {
        allocating(node, graph, (behind, count), wanted)
    }
    [cuGraphMemAllocNodeGetParams, cudaGraphMemAllocNodeGetParams] (node: Handle, to: Out<AllocationNode>) {
        to.put(allocated_by(node)?)
    }
    [cuGraphAddMemFreeNode, cudaGraphAddMemFreeNode] (
        node: Out<Handle>, graph: Handle, behind: In<Handle>, count: usize, address: u64
    ) {
        add(node, graph, (behind, count), GraphTask::Free(address))
    }
    [cuGraphMemFreeNodeGetParams, cudaGraphMemFreeNodeGetParams] (node: Handle, to: Out<u64>) {
        to.put(freed_by(node)?)
    }
    [cuDeviceGetGraphMemAttribute, cudaDeviceGetGraphMemAttribute] (device: i32, attribute: u32, value: Out<u64>) {
        value.put(memory(device, attribute)?)
    }
    [cuDeviceSetGraphMemAttribute, cudaDeviceSetGraphMemAttribute] (device: i32, attribute: u32, value: In<u64>) {
        memory(device, attribute)?;
        match (attribute, value.get()?) {
            (1 | 3, 0) => Ok(()),
            (_, _) => Err(CudaError::InvalidValue),
        }
    }
    [cuDeviceGraphMemTrim, cudaDeviceGraphMemTrim] (device: i32) {
        memory(device, 0).map(|_| ())
    }
    [cuUserObjectCreate, cudaUserObjectCreate] (
        object: Out<Handle>, data: *mut c_void, destroy: HostFunction, count: u32, flags: u32
    ) {
        /// `CU_USER_OBJECT_NO_DESTRUCTOR_SYNC`, which has to be said.
        const NO_WAITING: u32 = 1;
        let function = destroy.map_or(0, |function| function as usize as u64);
        let destroy = HostCall { function, data: data.expose_provenance() as u64 };
        match object.is_null() || flags != NO_WAITING {
            true => Err(CudaError::InvalidValue),
            false => object.put(with(|call| call.create_object(destroy, count))?),
        }
    }
    [cuUserObjectRetain, cudaUserObjectRetain] (object: Handle, count: u32) {
        with(|call| call.retain_object(object, count))
    }
    [cuUserObjectRelease, cudaUserObjectRelease] (object: Handle, count: u32) {
        with(|call| call.release_object(object, count))
    }
    [cuGraphRetainUserObject, cudaGraphRetainUserObject] (graph: Handle, object: Handle, count: u32, flags: u32) {
        match flags {
            0 | 1 => with(|call| call.keep_object(graph, object, count, flags == 1)),
            2.. => Err(CudaError::InvalidValue),
        }
    }
    [cuGraphReleaseUserObject, cudaGraphReleaseUserObject] (graph: Handle, object: Handle, count: u32) {
        with(|call| call.give_back_object(graph, object, count))
    }
}
