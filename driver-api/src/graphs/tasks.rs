//! How nodes are added and changed. Each task has three functions: one adds such a node, one
//! changes it, and one changes its step in an instance.

use warpsim_driver_core::{GraphTask, Handle};

use super::both;
use super::nodes::{add, host, set};
use super::own::{from_symbol, kernel, kernel_of_host, plain, to_symbol};
use super::structures::{HostNode, KernelNode, KernelNode2, MemsetNode, RuntimeKernelNode};
use crate::pointers::{In, Out};
use crate::process::with;
use crate::runtime::{self, RuntimeCopy3D};
use crate::structures::Copy3D;

/// `(ARGUMENT) = TASK`, and the names of the three functions in both APIs.
macro_rules! tasks {
    ($(($argument:ident: $ty:ty) = $task:expr; $add:tt $set:tt $step:tt)*) => {
        both! {
            $(
                $add (node: Out<Handle>, graph: Handle, behind: In<Handle>, count: usize, $argument: $ty) {
                    add(node, graph, (behind, count), $task)
                }
                $set (node: Handle, $argument: $ty) {
                    let task = $task;
                    with(|call| call.set_node_task(node, task))
                }
                $step (instance: Handle, node: Handle, $argument: $ty) {
                    let task = $task;
                    with(|call| call.set_step_task(instance, node, task))
                }
            )*
        }
    };
}

tasks! {
    (event: Handle) = GraphTask::Record(event);
    [cuGraphAddEventRecordNode, cudaGraphAddEventRecordNode]
    [cuGraphEventRecordNodeSetEvent, cudaGraphEventRecordNodeSetEvent]
    [cuGraphExecEventRecordNodeSetEvent, cudaGraphExecEventRecordNodeSetEvent]

    (event: Handle) = GraphTask::Wait(event);
    [cuGraphAddEventWaitNode, cudaGraphAddEventWaitNode]
    [cuGraphEventWaitNodeSetEvent, cudaGraphEventWaitNodeSetEvent]
    [cuGraphExecEventWaitNodeSetEvent, cudaGraphExecEventWaitNodeSetEvent]

    (called: In<HostNode>) = host(called.get()?);
    [cuGraphAddHostNode, cudaGraphAddHostNode]
    [cuGraphHostNodeSetParams, cudaGraphHostNodeSetParams]
    [cuGraphExecHostNodeSetParams, cudaGraphExecHostNodeSetParams]
}

/// The same for tasks that one API describes in its own form: which API, and how it is read.
/// A function may have a context, on which nothing depends, behind the task's arguments.
macro_rules! own_tasks {
    ($($entered:path | $ready:expr => ($($argument:ident: $ty:ty),+) = $task:expr;
        $add:ident $($a:ident)?, $set:ident $($s:ident)?, $step:ident $($i:ident)?;)*) => {
        $(
            $crate::functions::function!($entered, $add, _default = $ready, (
                node: Out<Handle>, graph: Handle, behind: In<Handle>, count: usize
                $(, $argument: $ty)+ $(, $a: Handle)?
            ), {
                $(let _ = $a;)?
                let task = $task;
                add(node, graph, (behind, count), task)?;
                Ok(())
            });
            $crate::functions::function!($entered, $set, _default = $ready, (
                node: Handle $(, $argument: $ty)+ $(, $s: Handle)?
            ), {
                $(let _ = $s;)?
                let task = $task;
                with(|call| call.set_node_task(node, task))?;
                Ok(())
            });
            $crate::functions::function!($entered, $step, _default = $ready, (
                instance: Handle, node: Handle $(, $argument: $ty)+ $(, $i: Handle)?
            ), {
                $(let _ = $i;)?
                let task = $task;
                with(|call| call.set_step_task(instance, node, task))?;
                Ok(())
            });
        )*

        /// The symbols of this file that the APIs have each for itself.
        pub(super) fn own() -> Vec<(&'static str, usize)> {
            vec![$((stringify!($add), $add as *const () as usize),
                (stringify!($set), $set as *const () as usize),
                (stringify!($step), $step as *const () as usize),)*]
        }
    };
}

own_tasks! {
    crate::process::entered | () => (wanted: In<KernelNode>) = kernel(wanted.get()?)?;
    cuGraphAddKernelNode, cuGraphKernelNodeSetParams, cuGraphExecKernelNodeSetParams;

    crate::process::entered | () => (wanted: In<KernelNode2>) = kernel(wanted.get()?.kernel())?;
    cuGraphAddKernelNode_v2, cuGraphKernelNodeSetParams_v2, cuGraphExecKernelNodeSetParams_v2;

    crate::runtime::entered | runtime::ready()? =>
    (wanted: In<RuntimeKernelNode>) = kernel_of_host(wanted.get()?)?;
    cudaGraphAddKernelNode, cudaGraphKernelNodeSetParams, cudaGraphExecKernelNodeSetParams;

    crate::process::entered | () => (copy: In<Copy3D>) = GraphTask::Copy(copy.get()?.block()?);
    cuGraphAddMemcpyNode context,
    cuGraphMemcpyNodeSetParams,
    cuGraphExecMemcpyNodeSetParams context;

    crate::runtime::entered | runtime::ready()? =>
    (copy: In<RuntimeCopy3D>) = GraphTask::Copy(copy.get()?.block()?);
    cudaGraphAddMemcpyNode, cudaGraphMemcpyNodeSetParams, cudaGraphExecMemcpyNodeSetParams;

    crate::runtime::entered | runtime::ready()? =>
    (to: u64, from: u64, bytes: usize, kind: u32) = plain(to, from, bytes, kind)?;
    cudaGraphAddMemcpyNode1D, cudaGraphMemcpyNodeSetParams1D, cudaGraphExecMemcpyNodeSetParams1D;

    crate::runtime::entered | runtime::ready()? =>
    (symbol: u64, from: u64, bytes: usize, offset: usize, kind: u32) =
        to_symbol(symbol, from, bytes, offset, kind)?;
    cudaGraphAddMemcpyNodeToSymbol,
    cudaGraphMemcpyNodeSetParamsToSymbol,
    cudaGraphExecMemcpyNodeSetParamsToSymbol;

    crate::runtime::entered | runtime::ready()? =>
    (to: u64, symbol: u64, bytes: usize, offset: usize, kind: u32) =
        from_symbol(to, symbol, bytes, offset, kind)?;
    cudaGraphAddMemcpyNodeFromSymbol,
    cudaGraphMemcpyNodeSetParamsFromSymbol,
    cudaGraphExecMemcpyNodeSetParamsFromSymbol;

    crate::process::entered | () => (wanted: In<MemsetNode>) = set(wanted.get()?)?;
    cuGraphAddMemsetNode context,
    cuGraphMemsetNodeSetParams,
    cuGraphExecMemsetNodeSetParams context;

    crate::runtime::entered | runtime::ready()? => (wanted: In<MemsetNode>) = set(wanted.get()?)?;
    cudaGraphAddMemsetNode, cudaGraphMemsetNodeSetParams, cudaGraphExecMemsetNodeSetParams;
}
