//! Graphs that can be launched (CUDA driver API, `cuGraphInstantiate` and the functions after it).
//!
//! An instance is a list of steps in an order that the edges allow, with child graphs unfolded
//! between two steps that do nothing. Each step has a *lane*. Steps of a lane happen one after the
//! other. A step takes the lane of a step that it follows, if that step is the lane's last. At most
//! [`MOST_LANES`] lanes are made. Steps that would need more share one lane and are ordered by it,
//! so a race between them is missed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::running::Lanes;
use super::{Graph, GraphTask, Graphs, NodeKind};
use crate::state::{Call, Kind};
use crate::{Answer, CudaError, Handle};

/// Lanes of an instance, at most.
const MOST_LANES: usize = 64;

/// A step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Step {
    pub(crate) task: GraphTask,
    pub(crate) is_enabled: bool,
    /// The steps right before it.
    pub(crate) after: Vec<usize>,
    pub(crate) lane: usize,
    /// Of a step that decides: the steps of what may follow.
    pub(crate) bodies: Vec<Arc<Vec<Step>>>,
}

/// A graph that can be launched.
#[derive(Debug)]
pub(crate) struct Instance {
    pub(crate) steps: Arc<Vec<Step>>,
    /// The step of each node, by the node of the graph that it was made from.
    of_node: BTreeMap<Handle, usize>,
    /// The nodes inside of each child graph's node, in the order in which they were made.
    inside: BTreeMap<Handle, Vec<usize>>,
    /// A copy of the graph that it looks like, for streams that are captured.
    pub(crate) original: Handle,
    /// Words that are set at the beginning of each launch.
    pub(crate) defaults: Vec<(u64, u32)>,
    /// The next launch frees memory that a launch allocated and that was not freed.
    pub(crate) frees_first: bool,
    pub(crate) lanes: Option<Lanes>,
    number: u64,
}

/// Why an instance cannot be updated to a graph (`CUgraphExecUpdateResult`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum UpdateResult {
    /// It can be.
    Success = 0,
    /// The nodes or their order differ.
    TopologyChanged = 2,
    /// A node is of another kind.
    NodeTypeChanged = 3,
}

/// An instance while it is built.
#[derive(Default)]
pub(super) struct Draft {
    steps: Vec<Step>,
    of_node: BTreeMap<Handle, usize>,
    inside: BTreeMap<Handle, Vec<usize>>,
    /// The last step of each lane.
    last: Vec<usize>,
}

impl Draft {
    fn add(&mut self, task: GraphTask, after: Vec<usize>) -> usize {
        let at = self.steps.len();
        let going_on = after.iter().map(|step| self.steps.get(*step).map(|s| (*step, s.lane)));
        let lane = going_on.flatten().find(|(step, lane)| self.last.get(*lane) == Some(step));
        let lane = match lane {
            Some((_, lane)) => lane,
            None if self.last.len() < MOST_LANES => {
                self.last.push(at);
                self.last.len() - 1
            }
            None => at % MOST_LANES,
        };
        if let Some(last) = self.last.get_mut(lane) {
            *last = at;
        }
        self.steps.push(Step { task, is_enabled: true, after, lane, bodies: Vec::new() });
        at
    }

    pub(super) fn into_steps(self) -> Vec<Step> {
        self.steps
    }

    /// Adds a graph behind a step; the steps behind which nothing of it follows.
    pub(super) fn unfold(
        &mut self,
        graphs: &Graphs,
        graph: &Graph,
        first: Option<usize>,
    ) -> Answer<Vec<usize>> {
        let mut ends = BTreeSet::new();
        for node in in_order(graph)? {
            let task = graph.nodes.get(&node).ok_or(CudaError::Unknown)?;
            let mut after: Vec<usize> =
                graph.before(node).filter_map(|n| self.of_node.get(&n).copied()).collect();
            if after.is_empty() {
                after.extend(first);
            }
            for step in &after {
                ends.remove(step);
            }
            let step = match task {
                GraphTask::Child(child) => {
                    let start = self.add(GraphTask::Empty, after);
                    let child = graphs.graph(*child)?;
                    let mut leaves = self.unfold(graphs, child, Some(start))?;
                    if leaves.is_empty() {
                        leaves.push(start);
                    }
                    let steps = child.nodes.keys().filter_map(|n| self.of_node.get(n).copied());
                    let steps = steps.collect();
                    self.inside.insert(node, steps);
                    self.add(GraphTask::Empty, leaves)
                }
                task => {
                    let step = self.add(task.clone(), after);
                    if let Some(added) = self.steps.get_mut(step) {
                        added.bodies = graphs.bodies(task)?;
                    }
                    step
                }
            };
            self.of_node.insert(node, step);
            ends.insert(step);
        }
        Ok(ends.into_iter().collect())
    }
}

/// The nodes in an order that the edges allow: of those that may come next, the one that was made
/// first.
fn in_order(graph: &Graph) -> Answer<Vec<Handle>> {
    let mut missing: BTreeMap<Handle, usize> = graph.nodes.keys().map(|node| (*node, 0)).collect();
    for (_, to) in graph.edges.iter() {
        *missing.get_mut(&to).ok_or(CudaError::Unknown)? += 1;
    }
    let mut ready: BTreeSet<Handle> =
        missing.iter().filter(|(_, count)| **count == 0).map(|(node, _)| *node).collect();
    let mut order = Vec::new();
    while let Some(node) = ready.pop_first() {
        order.push(node);
        for next in graph.behind(node) {
            let count = missing.get_mut(&next).ok_or(CudaError::Unknown)?;
            *count -= 1;
            if *count == 0 {
                ready.insert(next);
            }
        }
    }
    // The nodes that are left form a cycle.
    if order.len() == graph.nodes.len() { Ok(order) } else { Err(CudaError::InvalidValue) }
}

impl Call<'_> {
    fn draft(&self, graph: Handle) -> Answer<Draft> {
        let graphs = &self.state.graphs;
        let mut draft = Draft::default();
        draft.unfold(graphs, graphs.graph(graph)?, None)?;
        Ok(draft)
    }

    /// `cuGraphInstantiate`. With `frees_first`, a launch first frees the memory that the last
    /// launch left.
    ///
    /// # Errors
    /// There is no such graph, or its edges go in a circle.
    pub fn instantiate(&mut self, graph: Handle, frees_first: bool) -> Answer<Handle> {
        self.context()?;
        let Draft { steps, of_node, inside, .. } = self.draft(graph)?;
        let defaults = self.state.graphs.defaults(graph);
        let original = self.copy_of(graph)?;
        let handle = self.state.handle(Kind::Instance);
        let instance = Instance {
            steps: Arc::new(steps),
            of_node,
            inside,
            original,
            defaults,
            frees_first,
            lanes: None,
            number: handle,
        };
        self.state.graphs.instances.insert(handle, instance);
        Ok(handle)
    }

    /// `cuGraphExecDestroy`.
    ///
    /// # Errors
    /// There is no such instance.
    pub fn destroy_instance(&mut self, handle: Handle) -> Answer<()> {
        let instance = self.state.graphs.instances.remove(&handle);
        let original = instance.ok_or(CudaError::InvalidValue)?.original;
        self.state.graphs.forget(original);
        Ok(())
    }

    pub(super) fn instance(&self, handle: Handle) -> Answer<&Instance> {
        self.state.graphs.instances.get(&handle).ok_or(CudaError::InvalidValue)
    }

    /// Whether an instance frees the memory that its last launch left.
    ///
    /// # Errors
    /// There is no such instance.
    pub fn frees_first(&self, handle: Handle) -> Answer<bool> {
        Ok(self.instance(handle)?.frees_first)
    }

    /// `cuGraphExecGetId`.
    ///
    /// # Errors
    /// There is no such instance.
    pub fn instance_number(&self, handle: Handle) -> Answer<u64> {
        Ok(self.instance(handle)?.number)
    }

    fn step_mut(&mut self, instance: Handle, node: Handle) -> Answer<&mut Step> {
        let instance = self.state.graphs.instances.get_mut(&instance);
        let instance = instance.ok_or(CudaError::InvalidValue)?;
        let step = *instance.of_node.get(&node).ok_or(CudaError::InvalidValue)?;
        Arc::make_mut(&mut instance.steps).get_mut(step).ok_or(CudaError::Unknown)
    }

    /// `cuGraphExecKernelNodeSetParams` and the others: the instance now carries out this task in
    /// place of the node.
    ///
    /// # Errors
    /// There is no such instance or node, the node is of another kind, or the task uses something
    /// that is not there.
    pub fn set_step_task(&mut self, instance: Handle, node: Handle, task: GraphTask) -> Answer<()> {
        if let GraphTask::Child(graph) = task {
            return self.set_steps_inside(instance, node, graph);
        }
        if self.step_mut(instance, node)?.task.kind() != task.kind()
            || task.kind() == NodeKind::Conditional
        {
            return Err(CudaError::InvalidValue);
        }
        let task = self.own(task)?;
        self.step_mut(instance, node)?.task = task;
        Ok(())
    }

    /// `cuGraphExecChildGraphNodeSetParams`: the other graph must look like the child graph.
    fn set_steps_inside(&mut self, instance: Handle, node: Handle, graph: Handle) -> Answer<()> {
        let draft = self.draft(graph)?;
        let nodes = self.state.graphs.graph(graph)?.nodes.keys();
        let mut tasks = Vec::new();
        for node in nodes {
            let step = draft.of_node.get(node).and_then(|step| draft.steps.get(*step));
            tasks.push(step.ok_or(CudaError::Unknown)?.task.clone());
        }
        let instance = self.state.graphs.instances.get_mut(&instance);
        let instance = instance.ok_or(CudaError::InvalidValue)?;
        let inside = instance.inside.get(&node).ok_or(CudaError::InvalidValue)?;
        let steps = Arc::make_mut(&mut instance.steps);
        let is_same = |(step, task): (&usize, &GraphTask)| {
            steps.get(*step).is_some_and(|s| s.task.kind() == task.kind())
        };
        if inside.len() != tasks.len() || !inside.iter().zip(&tasks).all(is_same) {
            return Err(CudaError::GraphExecUpdateFailure);
        }
        for (step, task) in inside.iter().zip(tasks) {
            steps.get_mut(*step).ok_or(CudaError::Unknown)?.task = task;
        }
        Ok(())
    }

    /// `cuGraphExecUpdate`: updates an instance to a graph, which must have the same nodes and
    /// edges.
    ///
    /// # Errors
    /// There is no such instance or graph, or the graph goes in a circle.
    pub fn update_instance(&mut self, instance: Handle, graph: Handle) -> Answer<UpdateResult> {
        let draft = self.draft(graph)?;
        let known = self.instance(instance)?;
        let pairs = || known.steps.iter().zip(&draft.steps);
        if known.steps.len() != draft.steps.len() || pairs().any(|(a, b)| a.after != b.after) {
            return Ok(UpdateResult::TopologyChanged);
        }
        if pairs().any(|(a, b)| a.task.kind() != b.task.kind()) {
            return Ok(UpdateResult::NodeTypeChanged);
        }
        let enabled: Vec<bool> = known.steps.iter().map(|step| step.is_enabled).collect();
        let mut steps = draft.steps;
        for (step, is_enabled) in steps.iter_mut().zip(enabled) {
            step.is_enabled = is_enabled;
        }
        let defaults = self.state.graphs.defaults(graph);
        let original = self.copy_of(graph)?;
        if let Some(known) = self.state.graphs.instances.get_mut(&instance) {
            known.steps = Arc::new(steps);
            known.defaults = defaults;
            let old = std::mem::replace(&mut known.original, original);
            self.state.graphs.forget(old);
        }
        Ok(UpdateResult::Success)
    }

    /// `cuGraphNodeSetEnabled`: for kernels, copies and sets.
    ///
    /// # Errors
    /// There is no such instance or node, or the node is of another kind.
    pub fn enable_step(&mut self, instance: Handle, node: Handle, is_enabled: bool) -> Answer<()> {
        let step = self.step_mut(instance, node)?;
        match step.task.kind() {
            NodeKind::Kernel | NodeKind::Memcpy | NodeKind::Memset => {
                step.is_enabled = is_enabled;
                Ok(())
            }
            NodeKind::Host
            | NodeKind::Graph
            | NodeKind::Empty
            | NodeKind::WaitEvent
            | NodeKind::EventRecord
            | NodeKind::MemAlloc
            | NodeKind::MemFree
            | NodeKind::Conditional => Err(CudaError::InvalidValue),
        }
    }

    /// `cuGraphNodeGetEnabled`.
    ///
    /// # Errors
    /// There is no such instance or node.
    pub fn is_step_enabled(&mut self, instance: Handle, node: Handle) -> Answer<bool> {
        Ok(self.step_mut(instance, node)?.is_enabled)
    }
}
