//! Nodes by a structure that names their kind: `cuGraphAddNode`, `cudaGraphAddNode` and similar
//! functions (`CUgraphNodeParams`, `cudaGraphNodeParams`). Also the handles by which a node
//! decides.
//!
//! The two APIs differ in the structures of kernels and copies. Not supported: semaphores, batches
//! of memory operations.

use warpsim_driver_core::{Answer, ConditionKind, CudaError, GraphTask, Handle, NodeKind};

use super::memory::allocating;
use super::nodes::{add, host, set};
use super::own::{kernel, kernel_of_host};
use super::structures::{EdgeData, HostNode, KernelNode2, MemsetNode, RuntimeKernelNode};
use super::{handles, kept, whole};
use crate::pointers::{In, Out};
use crate::process::{unsupported, with};
use crate::runtime::{self, RuntimeCopy3D, RuntimeError};
use crate::structures::Copy3D;

/// The kind of a node, followed by its parameters.
type NodeParameters = [u64; 32];

/// Where the parameters of a kind begin.
const PART: usize = 16;

/// Where the copy begins in the parameters of a copy, in both APIs.
const COPY: usize = 16;

/// The API that a program calls: it decides the form of kernels and copies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Api {
    Driver,
    Runtime,
}

/// `CUDA_CONDITIONAL_NODE_PARAMS`, `cudaConditionalNodeParams`, without the context, which CUDA 12
/// does not have.
#[derive(Clone, Copy)]
#[repr(C)]
struct ConditionalNode {
    handle: u64,
    kind: u32,
    count: u32,
    bodies: *const Handle,
}

const _: () = assert!(size_of::<NodeParameters>() == 256 && size_of::<ConditionalNode>() == 24);

fn kind(of: Out<NodeParameters>) -> Answer<u32> {
    of.part::<u32>(0).get()
}

/// What a node does, where it neither allocates nor decides.
fn task(of: Out<NodeParameters>, api: Api) -> Result<GraphTask, RuntimeError> {
    let kind = kind(of)?;
    let is = |wanted: NodeKind| kind == wanted as u32;
    let part = of.part::<u8>(PART);
    Ok(if is(NodeKind::Kernel) {
        match api {
            Api::Driver => kernel(part.part::<KernelNode2>(0).get()?.kernel())?,
            Api::Runtime => kernel_of_host(part.part::<RuntimeKernelNode>(0).get()?)?,
        }
    } else if is(NodeKind::Memcpy) {
        GraphTask::Copy(match api {
            Api::Driver => part.part::<Copy3D>(COPY).get()?.block()?,
            Api::Runtime => part.part::<RuntimeCopy3D>(COPY).get()?.block()?,
        })
    } else if is(NodeKind::Memset) {
        set(part.part::<MemsetNode>(0).get()?)?
    } else if is(NodeKind::Host) {
        host(part.part::<HostNode>(0).get()?)
    } else if is(NodeKind::Graph) {
        GraphTask::Child(part.part::<Handle>(0).get()?)
    } else if is(NodeKind::Empty) {
        GraphTask::Empty
    } else if is(NodeKind::WaitEvent) {
        GraphTask::Wait(part.part::<Handle>(0).get()?)
    } else if is(NodeKind::EventRecord) {
        GraphTask::Record(part.part::<Handle>(0).get()?)
    } else if is(NodeKind::MemFree) {
        GraphTask::Free(part.part::<u64>(0).get()?)
    } else if kind > NodeKind::Conditional as u32 {
        return Err(CudaError::InvalidValue.into());
    } else {
        unsupported(&format!("nodes of graphs of the kind {kind}"))?;
        return Err(CudaError::NotSupported.into());
    })
}

/// Adds a node that decides.
fn deciding(
    to: Out<Handle>,
    graph: Handle,
    (behind, count): (In<Handle>, usize),
    of: Out<ConditionalNode>,
) -> Answer<()> {
    let asked = of.get()?;
    let kind = ConditionKind::of_number(asked.kind).ok_or(CudaError::InvalidValue)?;
    if to.is_null() {
        return Err(CudaError::InvalidValue);
    }
    let behind = handles(behind, count)?;
    let wanted = (asked.handle, kind, asked.count);
    let (node, bodies) = with(|call| call.add_conditional(graph, &behind, wanted))?;
    of.put(ConditionalNode { bodies: kept::bodies(node, &bodies), ..asked })?;
    to.put(node)
}

fn added(
    to: Out<Handle>,
    graph: Handle,
    behind: (In<Handle>, usize),
    of: Out<NodeParameters>,
    api: Api,
) -> Result<(), RuntimeError> {
    let kind = kind(of)?;
    if kind == NodeKind::MemAlloc as u32 {
        return Ok(allocating(to, graph, behind, of.part(PART))?);
    }
    if kind == NodeKind::Conditional as u32 {
        return Ok(deciding(to, graph, behind, of.part(PART))?);
    }
    Ok(add(to, graph, behind, task(of, api)?)?)
}

fn changed(node: Handle, of: Out<NodeParameters>, api: Api) -> Result<(), RuntimeError> {
    let task = task(of, api)?;
    Ok(with(|call| call.set_node_task(node, task))?)
}

fn step_changed(
    instance: Handle,
    node: Handle,
    of: Out<NodeParameters>,
    api: Api,
) -> Result<(), RuntimeError> {
    let task = task(of, api)?;
    Ok(with(|call| call.set_step_task(instance, node, task))?)
}

/// The same to the driver API, whose errors the runtime has, too.
fn driver(result: Result<(), RuntimeError>) -> Answer<()> {
    match result {
        Ok(()) => Ok(()),
        Err(RuntimeError::Driver(error)) => Err(error),
        Err(RuntimeError::Own(_)) => Err(CudaError::InvalidValue),
    }
}

/// A word that a node decides by.
fn condition(to: Out<u64>, graph: Handle, default: u32, flags: u32) -> Answer<()> {
    /// `CU_GRAPH_COND_ASSIGN_DEFAULT`.
    const ASSIGN: u32 = 1;
    match flags {
        0 | ASSIGN if !to.is_null() => {
            let default = (flags == ASSIGN).then_some(default);
            to.put(with(|call| call.create_condition(graph, default))?)
        }
        0.. => Err(CudaError::InvalidValue),
    }
}

macro_rules! generic {
    ({$($entered:path | $ready:expr => $name:ident $arguments:tt $body:block)*}
     {$($symbol:ident $version:literal $of_version:ident $more:tt $does:block)*}) => {
        $($crate::functions::function!($entered, $name, _default = $ready, $arguments, $body);)*
        $($crate::functions::function!([export_name = concat!(stringify!($symbol), $version)]
            $crate::runtime::entered, $of_version, _default = runtime::ready()?, $more, $does);)*

        /// The symbols of this file that the APIs have each for itself.
        pub(super) fn own() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize),)*
                $((concat!(stringify!($symbol), $version), $of_version as *const () as usize),)*]
        }
    };
}

generic! { {
    crate::process::entered | () => cuGraphAddNode(
        node: Out<Handle>, graph: Handle, behind: In<Handle>, count: usize, of: Out<NodeParameters>
    ) {
        driver(added(node, graph, (behind, count), of, Api::Driver))
    }
    crate::process::entered | () => cuGraphAddNode_v2(
        node: Out<Handle>, graph: Handle, behind: In<Handle>, edges: In<EdgeData>, count: usize, of: Out<NodeParameters>
    ) {
        whole(edges, count)?;
        driver(added(node, graph, (behind, count), of, Api::Driver))
    }
    crate::process::entered | () => cuGraphNodeSetParams(node: Handle, of: Out<NodeParameters>) {
        driver(changed(node, of, Api::Driver))
    }
    crate::process::entered | () => cuGraphExecNodeSetParams(instance: Handle, node: Handle, of: Out<NodeParameters>) {
        driver(step_changed(instance, node, of, Api::Driver))
    }
    crate::process::entered | () => cuGraphConditionalHandleCreate(
        to: Out<u64>, graph: Handle, context: Handle, default: u32, flags: u32
    ) {
        let _ = context;
        condition(to, graph, default, flags)
    }
    crate::runtime::entered | runtime::ready()? => cudaGraphAddNode_v2(
        node: Out<Handle>, graph: Handle, behind: In<Handle>, edges: In<EdgeData>, count: usize, of: Out<NodeParameters>
    ) {
        whole(edges, count)?;
        added(node, graph, (behind, count), of, Api::Runtime)
    }
    crate::runtime::entered | runtime::ready()? => cudaGraphNodeSetParams(node: Handle, of: Out<NodeParameters>) {
        changed(node, of, Api::Runtime)
    }
    crate::runtime::entered | runtime::ready()? => cudaGraphExecNodeSetParams(
        instance: Handle, node: Handle, of: Out<NodeParameters>
    ) {
        step_changed(instance, node, of, Api::Runtime)
    }
    crate::runtime::entered | runtime::ready()? => cudaGraphConditionalHandleCreate(
        to: Out<u64>, graph: Handle, default: u32, flags: u32
    ) {
        Ok(condition(to, graph, default, flags)?)
    }
    crate::runtime::entered | runtime::ready()? => cudaGraphConditionalHandleCreate_v2(
        to: Out<u64>, graph: Handle, context: Handle, default: u32, flags: u32
    ) {
        let _ = context;
        Ok(condition(to, graph, default, flags)?)
    }
} {
    cudaGraphAddNode "@@libcudart.so.12" add_12(
        node: Out<Handle>, graph: Handle, behind: In<Handle>, count: usize, of: Out<NodeParameters>
    ) {
        added(node, graph, (behind, count), of, Api::Runtime)
    }
    cudaGraphAddNode "@libcudart.so.13" add_13(
        node: Out<Handle>, graph: Handle, behind: In<Handle>, edges: In<EdgeData>, count: usize, of: Out<NodeParameters>
    ) {
        whole(edges, count)?;
        added(node, graph, (behind, count), of, Api::Runtime)
    }
} }
