//! Graphs that can be launched.

use std::ffi::c_char;

use warpsim_driver_core::{
    Answer, CudaError, DefaultStream, GraphTask, Handle, HostCall, UpdateResult,
};

use super::structures::{InstantiateParameters, UpdateInfo};
use super::{both, both_streamed};
use crate::callbacks::{self, Callback};
use crate::pointers::{Out, host_function};
use crate::process::{unsupported, with};

/// How an instance is made (`CUgraphInstantiate_flags`): it frees memory at launch, it is uploaded,
/// the device launches it, or nodes keep their priorities. The second and the last flag have no
/// effect here.
const FREES_FIRST: u64 = 1;
const BY_DEVICE: u64 = 4;
const FLAGS: u64 = 15;

pub(crate) fn instantiated(to: Out<Handle>, graph: Handle, flags: u64) -> Answer<()> {
    // What the device launches frees nothing first.
    let is_both = flags & FREES_FIRST != 0 && flags & BY_DEVICE != 0;
    if to.is_null() || flags & !FLAGS != 0 || is_both {
        return Err(CudaError::InvalidValue);
    }
    if flags & BY_DEVICE != 0 {
        return unsupported("graphs that the device launches");
    }
    to.put(with(|call| call.instantiate(graph, flags & FREES_FIRST != 0))?)
}

/// Issues all steps; functions of the program are called between them.
fn launched(instance: Handle, stream: Handle, default: DefaultStream) -> Answer<()> {
    callbacks::settle();
    let number = with(|call| call.stream_number(stream, default))?;
    let mut run = with(|call| call.launch_graph(instance, stream, default))?;
    while let Some(HostCall { function, data }) = with(|call| call.go_on(&mut run))? {
        let function = host_function(function).ok_or(CudaError::InvalidValue)?;
        callbacks::enqueue(number, Callback::Host(function, data as usize))?;
        callbacks::settle();
    }
    Ok(())
}

fn updated(instance: Handle, graph: Handle) -> Answer<UpdateResult> {
    with(|call| call.update_instance(instance, graph))
}

/// `cuGraphExecUpdate` in its first form.
pub(crate) fn changed(
    instance: Handle,
    graph: Handle,
    node: Out<Handle>,
    result: Out<u32>,
) -> Answer<()> {
    node.put_if_wanted(0);
    let came_to = updated(instance, graph)?;
    result.put_if_wanted(came_to as u32);
    match came_to {
        UpdateResult::Success => Ok(()),
        UpdateResult::TopologyChanged | UpdateResult::NodeTypeChanged => {
            Err(CudaError::GraphExecUpdateFailure)
        }
    }
}

both! {
    [cuGraphInstantiate_v2] (
        instance: Out<Handle>, graph: Handle, node: Out<Handle>, log: Out<c_char>, room: usize
    ) {
        if room > 0 {
            log.put_if_wanted(0);
        }
        node.put_if_wanted(0);
        instantiated(instance, graph, 0)
    }
    // The first form. The second one behaves the same.
    [cuGraphInstantiate] (
        instance: Out<Handle>, graph: Handle, node: Out<Handle>, log: Out<c_char>, room: usize
    ) {
        if room > 0 {
            log.put_if_wanted(0);
        }
        node.put_if_wanted(0);
        instantiated(instance, graph, 0)
    }
    [cuGraphInstantiateWithFlags, cudaGraphInstantiate, cudaGraphInstantiateWithFlags] (
        instance: Out<Handle>, graph: Handle, flags: u64
    ) {
        instantiated(instance, graph, flags)
    }
    [cuGraphExecDestroy, cudaGraphExecDestroy] (instance: Handle) {
        with(|call| call.destroy_instance(instance))
    }
    [cuGraphExecGetFlags, cudaGraphExecGetFlags] (instance: Handle, flags: Out<u64>) {
        flags.put(with(|call| call.frees_first(instance))?.into())
    }
    [cuGraphExecUpdate] (instance: Handle, graph: Handle, node: Out<Handle>, result: Out<u32>) {
        changed(instance, graph, node, result)
    }
    [cuGraphExecUpdate_v2, cudaGraphExecUpdate] (instance: Handle, graph: Handle, info: Out<UpdateInfo>) {
        let came_to = updated(instance, graph)?;
        info.put_if_wanted(UpdateInfo { result: came_to as u32, node: 0, from: 0 });
        match came_to {
            UpdateResult::Success => Ok(()),
            UpdateResult::TopologyChanged | UpdateResult::NodeTypeChanged => {
                Err(CudaError::GraphExecUpdateFailure)
            }
        }
    }
    [cuGraphExecChildGraphNodeSetParams, cudaGraphExecChildGraphNodeSetParams] (
        instance: Handle, node: Handle, graph: Handle
    ) {
        with(|call| call.set_step_task(instance, node, GraphTask::Child(graph)))
    }
    [cuGraphNodeSetEnabled, cudaGraphNodeSetEnabled] (instance: Handle, node: Handle, is_enabled: u32) {
        with(|call| call.enable_step(instance, node, is_enabled != 0))
    }
    [cuGraphNodeGetEnabled, cudaGraphNodeGetEnabled] (instance: Handle, node: Handle, is_enabled: Out<u32>) {
        is_enabled.put(with(|call| call.is_step_enabled(instance, node))?.into())
    }
}

both_streamed! {
    cuGraphInstantiateWithParams / cuGraphInstantiateWithParams_ptsz,
    cudaGraphInstantiateWithParams / cudaGraphInstantiateWithParams_ptsz |_default| (
        instance: Out<Handle>, graph: Handle, wanted: Out<InstantiateParameters>
    ) {
        let asked = wanted.get()?;
        // `CUDA_GRAPH_INSTANTIATE_ERROR`, and success.
        wanted.put(InstantiateParameters { node: 0, result: 1, ..asked })?;
        instantiated(instance, graph, asked.flags)?;
        wanted.put(InstantiateParameters { node: 0, result: 0, ..asked })
    }
    cuGraphUpload / cuGraphUpload_ptsz, cudaGraphUpload / cudaGraphUpload_ptsz |default| (instance: Handle, stream: Handle) {
        with(|call| {
            call.stream(stream, default)?;
            call.instance_number(instance).map(|_| ())
        })
    }
    cuGraphLaunch / cuGraphLaunch_ptsz, cudaGraphLaunch / cudaGraphLaunch_ptsz |default| (instance: Handle, stream: Handle) {
        launched(instance, stream, default)
    }
}
