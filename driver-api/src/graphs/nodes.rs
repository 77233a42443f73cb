//! Graphs and their nodes.

use warpsim_driver_core::{Answer, CudaError, GraphTask, Handle, HostCall, SetRequest};

use super::structures::{EdgeData, HostNode, MemsetNode};
use super::{both, handles, kept, list, list_data, list_edges, pairs, whole};
use crate::pointers::{In, Out, host_function};
use crate::process::with;

/// What a function ends in that has nothing more to do.
const DONE: Answer<()> = Ok(());

/// Adds a node.
pub(super) fn add(
    to: Out<Handle>,
    graph: Handle,
    (behind, count): (In<Handle>, usize),
    task: GraphTask,
) -> Answer<()> {
    if to.is_null() {
        return Err(CudaError::InvalidValue);
    }
    let behind = handles(behind, count)?;
    to.put(with(|call| call.add_node(graph, &behind, task))?)
}

pub(super) fn set(node: MemsetNode) -> Answer<GraphTask> {
    let bytes = node.value.to_le_bytes();
    let value = match node.element {
        1 => bytes[..1].to_vec(),
        2 => bytes[..2].to_vec(),
        4 => bytes.to_vec(),
        0 | 3 | 5.. => return Err(CudaError::InvalidValue),
    };
    let shape = [node.width as u64, node.height as u64];
    Ok(GraphTask::Set(SetRequest { to: node.to, value, shape, pitch: node.pitch as u64 }))
}

pub(super) fn host(node: HostNode) -> GraphTask {
    let function = node.function.map_or(0, |function| function as usize as u64);
    GraphTask::Host(HostCall { function, data: node.data.expose_provenance() as u64 })
}

/// The event that a node records, or waits for.
fn event(node: Handle, is_record: bool) -> Answer<Handle> {
    match (with(|call| call.node_task(node))?, is_record) {
        (GraphTask::Record(event), true) | (GraphTask::Wait(event), false) => Ok(event),
        (_, _) => Err(CudaError::InvalidValue),
    }
}

/// The graph that a node has inside.
fn child(node: Handle) -> Answer<Handle> {
    let GraphTask::Child(child) = with(|call| call.node_task(node))? else {
        return Err(CudaError::InvalidValue);
    };
    Ok(child)
}

/// What a node calls.
fn called_by(node: Handle) -> Answer<HostNode> {
    let GraphTask::Host(HostCall { function, data }) = with(|call| call.node_task(node))? else {
        return Err(CudaError::InvalidValue);
    };
    let data = std::ptr::with_exposed_provenance_mut(data as usize);
    Ok(HostNode { function: host_function(function), data })
}

/// What a node sets.
fn set_by(node: Handle) -> Answer<MemsetNode> {
    let GraphTask::Set(set) = with(|call| call.node_task(node))? else {
        return Err(CudaError::InvalidValue);
    };
    let mut value = [0; 4];
    for (byte, of_set) in value.iter_mut().zip(&set.value) {
        *byte = *of_set;
    }
    Ok(MemsetNode {
        to: set.to,
        pitch: set.pitch as usize,
        value: u32::from_le_bytes(value),
        element: set.value.len() as u32,
        width: set.shape[0] as usize,
        height: set.shape[1] as usize,
    })
}

fn kind(node: Handle) -> Answer<u32> {
    Ok(with(|call| call.node_task(node))?.kind() as u32)
}

both! {
    [cuGraphCreate, cudaGraphCreate] (graph: Out<Handle>, flags: u32) {
        match flags == 0 && !graph.is_null() {
            true => graph.put(with(|call| Ok(call.create_graph()))?),
            false => Err(CudaError::InvalidValue),
        }
    }
    [cuGraphDestroy, cudaGraphDestroy] (graph: Handle) {
        let nodes = with(|call| call.graph_nodes(graph))?;
        with(|call| call.destroy_graph(graph))?;
        nodes.into_iter().for_each(kept::forget);
        DONE
    }
    [cuGraphClone, cudaGraphClone] (clone: Out<Handle>, original: Handle) {
        match clone.is_null() {
            true => Err(CudaError::InvalidValue),
            false => clone.put(with(|call| call.clone_graph(original))?),
        }
    }
    [cuGraphNodeFindInClone, cudaGraphNodeFindInClone] (found: Out<Handle>, original: Handle, clone: Handle) {
        found.put(with(|call| call.find_in_clone(original, clone))?)
    }
    [cuGraphDestroyNode, cudaGraphDestroyNode] (node: Handle) {
        with(|call| call.destroy_node(node))?;
        kept::forget(node);
        DONE
    }
    [cuGraphAddEmptyNode, cudaGraphAddEmptyNode] (node: Out<Handle>, graph: Handle, behind: In<Handle>, count: usize) {
        add(node, graph, (behind, count), GraphTask::Empty)
    }
    [cuGraphAddChildGraphNode, cudaGraphAddChildGraphNode] (
        node: Out<Handle>, graph: Handle, behind: In<Handle>, count: usize, child: Handle
    ) {
        add(node, graph, (behind, count), GraphTask::Child(child))
    }
    [cuGraphChildGraphNodeGetGraph, cudaGraphChildGraphNodeGetGraph] (node: Handle, graph: Out<Handle>) {
        graph.put(child(node)?)
    }
    [cuGraphEventRecordNodeGetEvent, cudaGraphEventRecordNodeGetEvent] (node: Handle, to: Out<Handle>) {
        to.put(event(node, true)?)
    }
    [cuGraphEventWaitNodeGetEvent, cudaGraphEventWaitNodeGetEvent] (node: Handle, to: Out<Handle>) {
        to.put(event(node, false)?)
    }
    [cuGraphHostNodeGetParams, cudaGraphHostNodeGetParams] (node: Handle, called: Out<HostNode>) {
        called.put(called_by(node)?)
    }
    [cuGraphMemsetNodeGetParams, cudaGraphMemsetNodeGetParams] (node: Handle, to: Out<MemsetNode>) {
        to.put(set_by(node)?)
    }
    [cuGraphAddDependencies ; cudaGraphAddDependencies "@@libcudart.so.12" add_edges_12] (
        graph: Handle, from: In<Handle>, to: In<Handle>, count: usize
    ) {
        let edges = pairs(from, to, count)?;
        with(|call| call.add_edges(graph, &edges))
    }
    [cuGraphAddDependencies_v2, cudaGraphAddDependencies_v2 ; cudaGraphAddDependencies "@libcudart.so.13" add_edges_13] (
        graph: Handle, from: In<Handle>, to: In<Handle>, data: In<EdgeData>, count: usize
    ) {
        whole(data, count)?;
        let edges = pairs(from, to, count)?;
        with(|call| call.add_edges(graph, &edges))
    }
    [cuGraphRemoveDependencies ; cudaGraphRemoveDependencies "@@libcudart.so.12" remove_edges_12] (
        graph: Handle, from: In<Handle>, to: In<Handle>, count: usize
    ) {
        let edges = pairs(from, to, count)?;
        with(|call| call.remove_edges(graph, &edges))
    }
    [cuGraphRemoveDependencies_v2, cudaGraphRemoveDependencies_v2 ; cudaGraphRemoveDependencies "@libcudart.so.13" remove_edges_13] (
        graph: Handle, from: In<Handle>, to: In<Handle>, data: In<EdgeData>, count: usize
    ) {
        whole(data, count)?;
        let edges = pairs(from, to, count)?;
        with(|call| call.remove_edges(graph, &edges))
    }
    [cuGraphGetNodes, cudaGraphGetNodes] (graph: Handle, nodes: Out<Handle>, count: Out<usize>) {
        list(nodes, count, &with(|call| call.graph_nodes(graph))?)
    }
    [cuGraphGetRootNodes, cudaGraphGetRootNodes] (graph: Handle, nodes: Out<Handle>, count: Out<usize>) {
        list(nodes, count, &with(|call| call.graph_roots(graph))?)
    }
    [cuGraphGetEdges ; cudaGraphGetEdges "@@libcudart.so.12" edges_12] (
        graph: Handle, from: Out<Handle>, to: Out<Handle>, count: Out<usize>
    ) {
        list_edges(from, to, Out::NONE, count, &with(|call| call.graph_edges(graph))?)
    }
    [cuGraphGetEdges_v2, cudaGraphGetEdges_v2 ; cudaGraphGetEdges "@libcudart.so.13" edges_13] (
        graph: Handle, from: Out<Handle>, to: Out<Handle>, data: Out<EdgeData>, count: Out<usize>
    ) {
        list_edges(from, to, data, count, &with(|call| call.graph_edges(graph))?)
    }
    [cuGraphNodeGetDependencies ; cudaGraphNodeGetDependencies "@@libcudart.so.12" before_12] (
        node: Handle, nodes: Out<Handle>, count: Out<usize>
    ) {
        list(nodes, count, &with(|call| call.nodes_before(node))?)
    }
    [cuGraphNodeGetDependencies_v2, cudaGraphNodeGetDependencies_v2 ; cudaGraphNodeGetDependencies "@libcudart.so.13" before_13] (
        node: Handle, nodes: Out<Handle>, data: Out<EdgeData>, count: Out<usize>
    ) {
        list(nodes, count, &with(|call| call.nodes_before(node))?)?;
        if nodes.is_null() { Ok(()) } else { list_data(data, count) }
    }
    [cuGraphNodeGetDependentNodes ; cudaGraphNodeGetDependentNodes "@@libcudart.so.12" behind_12] (
        node: Handle, nodes: Out<Handle>, count: Out<usize>
    ) {
        list(nodes, count, &with(|call| call.nodes_behind(node))?)
    }
    [cuGraphNodeGetDependentNodes_v2, cudaGraphNodeGetDependentNodes_v2 ; cudaGraphNodeGetDependentNodes "@libcudart.so.13" behind_13] (
        node: Handle, nodes: Out<Handle>, data: Out<EdgeData>, count: Out<usize>
    ) {
        list(nodes, count, &with(|call| call.nodes_behind(node))?)?;
        if nodes.is_null() { Ok(()) } else { list_data(data, count) }
    }
    [cuGraphNodeGetType, cudaGraphNodeGetType] (node: Handle, to: Out<u32>) {
        to.put(kind(node)?)
    }
    [cuGraphNodeGetContainingGraph, cudaGraphNodeGetContainingGraph] (node: Handle, graph: Out<Handle>) {
        graph.put(with(|call| call.graph_of_node(node))?)
    }
}
