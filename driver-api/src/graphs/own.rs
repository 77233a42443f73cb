//! Nodes that launch kernels and copy: each of the two APIs has its own form of them. How they are
//! added and changed is in [`super::tasks`].

use warpsim_driver_core::DefaultStream::{Legacy, PerThread};
use warpsim_driver_core::{Answer, Block, CudaError, GraphTask, Handle, LaunchRequest, Spot};

use super::captures::{Asked, facts, update};
use super::structures::{EdgeData, KernelNode, KernelNode2, RuntimeKernelNode};
use super::{kept, whole};
use crate::functions::parameters;
use crate::pointers::{In, Out, Parameters};
use crate::process::{Arguments, with};
use crate::runtime::{self, RuntimeCopy3D, RuntimeError, inside};
use crate::structures::Copy3D;

pub(super) fn kernel(node: KernelNode) -> Answer<GraphTask> {
    let KernelNode { function, grid, block, shared, each, extra } = node;
    let parameters = parameters(function, each, extra)?;
    let cooperative = false;
    Ok(GraphTask::Kernel(LaunchRequest { function, grid, block, shared, cooperative, parameters }))
}

/// The same of the runtime, whose kernel is an address of the host.
pub(super) fn kernel_of_host(node: RuntimeKernelNode) -> Result<GraphTask, RuntimeError> {
    let function = runtime::kernel(node.host)?;
    Ok(kernel(node.of_driver(function))?)
}

fn shown(node: Handle) -> Answer<KernelNode> {
    let GraphTask::Kernel(launch) = with(|call| call.node_task(node))? else {
        return Err(CudaError::InvalidValue);
    };
    let LaunchRequest { function, grid, block, shared, parameters, .. } = launch;
    let places = with(|call| call.parameters(function))?;
    let each = kept::parameters(node, &places, &parameters);
    Ok(KernelNode { function, grid, block, shared, each, extra: Parameters::NONE })
}

/// The copy of a node. Memory of an array is given by its address.
fn copy(node: Handle) -> Answer<Block> {
    let GraphTask::Copy(block) = with(|call| call.node_task(node))? else {
        return Err(CudaError::InvalidValue);
    };
    Ok(block)
}

/// A copy in one piece, as the runtime says it.
pub(super) fn plain(
    to: u64,
    from: u64,
    bytes: usize,
    kind: u32,
) -> Result<GraphTask, RuntimeError> {
    let (to, from) = runtime::spots(to, from, kind)?;
    let end = |spot: Spot| (spot, bytes as u64, bytes as u64);
    let extent = [bytes as u64, 1, 1];
    Ok(GraphTask::Copy(Block { to: end(to), from: end(from), extent }))
}

/// A copy to a variable from one of its bytes on. The host names the variable by its own
/// counterpart of it.
pub(super) fn to_symbol(
    symbol: u64,
    from: u64,
    bytes: usize,
    offset: usize,
    kind: u32,
) -> Result<GraphTask, RuntimeError> {
    plain(inside(symbol, bytes, offset)?, from, bytes, kind)
}

/// A copy from a variable, in the same way.
pub(super) fn from_symbol(
    to: u64,
    symbol: u64,
    bytes: usize,
    offset: usize,
    kind: u32,
) -> Result<GraphTask, RuntimeError> {
    plain(to, inside(symbol, bytes, offset)?, bytes, kind)
}

macro_rules! own {
    ({$($entered:path: $name:ident $arguments:tt $body:block)*} {$($symbol:ident $version:literal $of_version:ident $more:tt $does:block)*}) => {
        $($crate::functions::function!($entered, $name, _default = (), $arguments, $body);)*
        $($crate::functions::function!([export_name = concat!(stringify!($symbol), $version)]
            self::entered, $of_version, _default = (), $more, $does);)*

        /// The symbols of this file.
        pub(super) fn table() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($name), $name as *const () as usize),)*
                $((concat!(stringify!($symbol), $version), $of_version as *const () as usize),)*]
        }
    };
}

/// The runtime's, which needs a context.
fn entered(
    name: &'static str,
    arguments: Arguments<'_>,
    body: &mut dyn FnMut() -> Result<(), RuntimeError>,
) -> u32 {
    runtime::entered(name, arguments, &mut || {
        runtime::ready()?;
        body()
    })
}

own! { {
    crate::process::entered: cuGraphKernelNodeGetParams(node: Handle, to: Out<KernelNode>) {
        to.put(shown(node)?)
    }
    crate::process::entered: cuGraphKernelNodeGetParams_v2(node: Handle, to: Out<KernelNode2>) {
        let first = shown(node)?;
        to.put(KernelNode2 { first, kernel: first.function, context: 0 })
    }
    self::entered: cudaGraphKernelNodeGetParams(node: Handle, to: Out<RuntimeKernelNode>) {
        let KernelNode { function, grid, block, shared, each, extra } = shown(node)?;
        // The kernel itself, where no address of the host is known for it: both are taken.
        let host = runtime::host_of(function);
        let (grid, block) = (grid.into(), block.into());
        Ok(to.put(RuntimeKernelNode { host, grid, block, shared, each, extra })?)
    }
    crate::process::entered: cuGraphMemcpyNodeGetParams(node: Handle, to: Out<Copy3D>) {
        to.put(Copy3D::of(&copy(node)?))
    }
    self::entered: cudaGraphMemcpyNodeGetParams(node: Handle, to: Out<RuntimeCopy3D>) {
        Ok(to.put(RuntimeCopy3D::of(&copy(node)?))?)
    }
} {
    cudaStreamGetCaptureInfo "@libcudart.so.13" facts_13(
        stream: Handle, status: Out<u32>, number: Out<u64>, graph: Out<Handle>, last: Out<*const Handle>,
        edges: Out<*const EdgeData>, count: Out<usize>
    ) {
        Ok(facts(stream, Legacy, &Asked { status, number, graph, last, edges, count })?)
    }
    cudaStreamGetCaptureInfo_ptsz "@@libcudart.so.12" facts_12_of_thread(
        stream: Handle, status: Out<u32>, number: Out<u64>
    ) {
        Ok(facts(stream, PerThread, &Asked { status, number, ..Asked::NONE })?)
    }
    cudaStreamGetCaptureInfo_ptsz "@libcudart.so.13" facts_13_of_thread(
        stream: Handle, status: Out<u32>, number: Out<u64>, graph: Out<Handle>, last: Out<*const Handle>,
        edges: Out<*const EdgeData>, count: Out<usize>
    ) {
        Ok(facts(stream, PerThread, &Asked { status, number, graph, last, edges, count })?)
    }
cudaStreamUpdateCaptureDependencies_ptsz "@@libcudart.so.12" update_12_of_thread(
        stream: Handle, nodes: In<Handle>, count: usize, flags: u32
    ) {
        Ok(update(stream, PerThread, nodes, count, flags)?)
    }
    cudaStreamUpdateCaptureDependencies_ptsz "@libcudart.so.13" update_13_of_thread(
        stream: Handle, nodes: In<Handle>, edges: In<EdgeData>, count: usize, flags: u32
    ) {
        whole(edges, count)?;
        Ok(update(stream, PerThread, nodes, count, flags)?)
    }
    cudaStreamUpdateCaptureDependencies "@libcudart.so.13" update_13(
        stream: Handle, nodes: In<Handle>, edges: In<EdgeData>, count: usize, flags: u32
    ) {
        whole(edges, count)?;
        Ok(update(stream, Legacy, nodes, count, flags)?)
    }
} }
