//! Queries of graphs and of their nodes: numbers, attributes of kernels, and a picture of all of
//! it.

use std::fmt::Write as _;

use warpsim_driver_core::{Answer, CudaError, Handle, NodeKind};

use super::both;
use crate::functions::{attribute_value, launch_attribute};
use crate::pointers::{In, Out, Text};
use crate::process::{cannot_run, with};

/// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
const CLUSTER: u32 = 4;

/// A number of 32 bits for a handle: no two handles of a program have the same below these.
fn small(handle: Handle) -> u32 {
    (handle >> 4) as u32
}

/// How a node is shown.
fn shown(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::Kernel => "KERNEL",
        NodeKind::Memcpy => "MEMCPY",
        NodeKind::Memset => "MEMSET",
        NodeKind::Host => "HOST",
        NodeKind::Graph => "GRAPH",
        NodeKind::Empty => "EMPTY",
        NodeKind::WaitEvent => "WAIT_EVENT",
        NodeKind::EventRecord => "EVENT_RECORD",
        NodeKind::MemAlloc => "MEM_ALLOC",
        NodeKind::MemFree => "MEM_FREE",
        NodeKind::Conditional => "CONDITIONAL",
    }
}

/// The graph in the language of Graphviz, its child graphs and bodies behind it.
fn dot(graph: Handle) -> Answer<String> {
    let mut text = String::from("digraph dot {\n");
    let mut waiting = vec![graph];
    // Nothing fails that writes to a text.
    let mut line = |line: std::fmt::Arguments<'_>| {
        let _ = text.write_fmt(line);
    };
    while let Some(graph) = waiting.pop() {
        let number = small(graph);
        line(format_args!("subgraph cluster_{number} {{\nlabel=\"graph_{number}\";\n"));
        for node in with(|call| call.graph_nodes(graph))? {
            let task = with(|call| call.node_task(node))?;
            let (node, kind) = (small(node), shown(task.kind()));
            line(format_args!("node_{node} [shape=\"box\" label=\"{node}\\n{kind}"));
            if let warpsim_driver_core::GraphTask::Kernel(launch) = &task {
                let name = with(|call| call.function_name(launch.function))?;
                let ([x, y, z], [a, b, c]) = (launch.grid, launch.block);
                line(format_args!(
                    "\\n{name}\\n<<<({x}, {y}, {z}), ({a}, {b}, {c}), {}>>>",
                    launch.shared
                ));
            }
            line(format_args!("\"];\n"));
            waiting.extend(task.inside());
        }
        for (from, to) in with(|call| call.graph_edges(graph))? {
            line(format_args!("node_{} -> node_{};\n", small(from), small(to)));
        }
        line(format_args!("}}\n"));
    }
    text.push_str("}\n");
    Ok(text)
}

both! {
    [cuGraphGetId, cudaGraphGetId] (graph: Handle, id: Out<u32>) {
        with(|call| call.graph_nodes(graph))?;
        id.put(small(graph))
    }
    [cuGraphExecGetId, cudaGraphExecGetId] (instance: Handle, id: Out<u32>) {
        id.put(small(with(|call| call.instance_number(instance))?))
    }
    [cuGraphNodeGetLocalId, cudaGraphNodeGetLocalId] (node: Handle, id: Out<u32>) {
        with(|call| call.graph_of_node(node))?;
        id.put(small(node))
    }
    [cuGraphNodeGetToolsId, cudaGraphNodeGetToolsId] (node: Handle, id: Out<u64>) {
        with(|call| call.graph_of_node(node))?;
        id.put(node >> 4)
    }
    [cuGraphKernelNodeGetAttribute, cudaGraphKernelNodeGetAttribute] (node: Handle, number: u32, to: Out<u8>) {
        let id = launch_attribute(number)?;
        to.put_all(with(|call| call.node_attribute(node, id))?)
    }
    [cuGraphKernelNodeSetAttribute, cudaGraphKernelNodeSetAttribute] (node: Handle, number: u32, from: In<u8>) {
        if number == CLUSTER {
            cannot_run("nodes of graphs with clusters")?;
        }
        let id = launch_attribute(number)?;
        let value = attribute_value(id, from)?;
        with(|call| call.set_node_attribute(node, id, &value))
    }
    [cuGraphKernelNodeCopyAttributes, cudaGraphKernelNodeCopyAttributes] (to: Handle, from: Handle) {
        with(|call| call.copy_node_attributes(to, from))
    }
    [cuGraphDebugDotPrint, cudaGraphDebugDotPrint] (graph: Handle, path: Text, flags: u32) {
        // All is written that flags may ask for and that is known here.
        let _ = flags;
        let path = path.needed()?;
        std::fs::write(path, dot(graph)?).map_err(|_| CudaError::OperatingSystem)
    }
}
