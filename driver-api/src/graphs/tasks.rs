//! Node tasks that C passes as one argument. Each has three functions: one adds such a node, one
//! changes it, and one changes its step in an instance.

use warpsim_driver_core::{GraphTask, Handle};

use super::both;
use super::nodes::{add, host};
use super::structures::HostNode;
use crate::pointers::{In, Out};
use crate::process::with;

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
