//! Graphs: operations and what orders them (CUDA driver API, "Graph Management").
//!
//! A graph holds nodes by their handles, in the order in which they were made, and edges between
//! them. A child graph is a copy of another, owned by its node. [`instances`] makes graphs that can
//! be launched, and [`running`] launches them. [`capturing`] makes a graph of the work that is
//! issued to a stream.
//!
//! [`memory`] has the nodes that allocate, [`conditions`] the nodes that decide what follows, and
//! [`objects`] the objects that a graph keeps for the program.
//!
//! Deviations: an edge orders two whole nodes (no ports, no programmatic launches). Nodes that
//! signal semaphores are not supported. An error in a copy is reported at the launch; hardware
//! reports it when the node is added.

pub(crate) mod capturing;
pub(crate) mod conditions;
mod edges;
pub(crate) mod instances;
pub(crate) mod memory;
pub(crate) mod objects;
pub(crate) mod running;

use std::collections::{BTreeMap, BTreeSet};

use edges::Edges;

use crate::copies::Block;
use crate::launch_attributes::Values;
use crate::launches::LaunchRequest;
use crate::library::LibraryTask;
use crate::state::{Call, Kind};
use crate::{Answer, CudaError, Handle};

/// The most nodes of all graphs, so that a graph that is added to itself again and again ends in an
/// error.
const MOST_NODES: usize = 1 << 20;

/// The task of a node.
#[derive(Clone, Debug, PartialEq)]
pub enum GraphTask {
    /// It launches a kernel.
    Kernel(LaunchRequest),
    /// It copies.
    Copy(Block),
    /// It sets memory.
    Set(SetRequest),
    /// It calls a function of the program.
    Host(HostCall),
    /// It does what another graph does: the copy of it that the node owns.
    Child(Handle),
    /// It does nothing.
    Empty,
    /// It waits for an event.
    Wait(Handle),
    /// It records an event.
    Record(Handle),
    /// It allocates memory.
    Allocate(memory::GraphMemory),
    /// It frees what such a node allocated, by its address.
    Free(u64),
    /// It decides which of its graphs follows.
    Conditional(conditions::Conditional),
    /// It does what a library does.
    Library(LibraryTask),
}

/// A set: values of 1, 2 or 4 bytes, in rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetRequest {
    /// The first byte.
    pub to: u64,
    /// The value, little-endian.
    pub value: Vec<u8>,
    /// Values of a row, and rows.
    pub shape: [u64; 2],
    /// Bytes from row to row.
    pub pitch: u64,
}

/// A function of the program and its argument, as addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCall {
    /// The function.
    pub function: u64,
    /// Its argument.
    pub data: u64,
}

/// The kinds of nodes (`CUgraphNodeType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "named as in `cuda.h`")]
#[repr(u32)]
pub enum NodeKind {
    Kernel = 0,
    Memcpy = 1,
    Memset = 2,
    Host = 3,
    Graph = 4,
    Empty = 5,
    WaitEvent = 6,
    EventRecord = 7,
    MemAlloc = 10,
    MemFree = 11,
    Conditional = 13,
}

impl GraphTask {
    /// The kind of node that it makes.
    pub fn kind(&self) -> NodeKind {
        match self {
            GraphTask::Kernel(_) | GraphTask::Library(_) => NodeKind::Kernel,
            GraphTask::Copy(_) => NodeKind::Memcpy,
            GraphTask::Set(_) => NodeKind::Memset,
            GraphTask::Host(_) => NodeKind::Host,
            GraphTask::Child(_) => NodeKind::Graph,
            GraphTask::Empty => NodeKind::Empty,
            GraphTask::Wait(_) => NodeKind::WaitEvent,
            GraphTask::Record(_) => NodeKind::EventRecord,
            GraphTask::Allocate(_) => NodeKind::MemAlloc,
            GraphTask::Free(_) => NodeKind::MemFree,
            GraphTask::Conditional(_) => NodeKind::Conditional,
        }
    }

    /// The graphs that belong to the node.
    pub fn inside(&self) -> Vec<Handle> {
        match self {
            GraphTask::Child(child) => vec![*child],
            GraphTask::Conditional(of) => of.bodies.clone(),
            GraphTask::Kernel(_)
            | GraphTask::Copy(_)
            | GraphTask::Set(_)
            | GraphTask::Host(_)
            | GraphTask::Empty
            | GraphTask::Wait(_)
            | GraphTask::Record(_)
            | GraphTask::Allocate(_)
            | GraphTask::Free(_)
            | GraphTask::Library(_) => Vec::new(),
        }
    }
}

/// A graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) nodes: BTreeMap<Handle, GraphTask>,
    pub(crate) edges: Edges,
    /// Of a copy: the nodes that its own were made from.
    origins: BTreeMap<Handle, Handle>,
    /// It is a node's child graph.
    is_owned: bool,
    /// Objects of the program that it keeps, and how often.
    objects: BTreeMap<Handle, u64>,
}

/// Everything about graphs.
#[derive(Debug, Default)]
pub(crate) struct Graphs {
    graphs: BTreeMap<Handle, Graph>,
    /// The graph of each node.
    of_node: BTreeMap<Handle, Handle>,
    pub(crate) instances: BTreeMap<Handle, instances::Instance>,
    pub(crate) captures: capturing::Captures,
    pub(crate) objects: objects::Objects,
    /// Words that nodes decide by, by their addresses.
    pub(crate) conditions: BTreeMap<u64, conditions::Condition>,
    /// Attributes of kernels' nodes that were set.
    pub(crate) attributes: BTreeMap<Handle, Values>,
}

#[cfg(test)]
impl Graphs {
    /// How many graphs, nodes, instances, captures, and events that represent nodes there are.
    pub(crate) fn live(&self) -> [usize; 6] {
        let (captures, events) = self.captures.live();
        let (graphs, nodes, instances) =
            (self.graphs.len(), self.of_node.len(), self.instances.len());
        [graphs, nodes, instances, captures, events, self.objects.live()]
    }
}

impl Graph {
    /// The nodes right before one.
    pub(crate) fn before(&self, node: Handle) -> impl Iterator<Item = Handle> {
        self.edges.before(node)
    }

    /// The nodes right behind one.
    pub(crate) fn behind(&self, node: Handle) -> impl Iterator<Item = Handle> {
        self.edges.behind(node)
    }
}

impl Graphs {
    pub(crate) fn graph(&self, handle: Handle) -> Answer<&Graph> {
        self.graphs.get(&handle).ok_or(CudaError::InvalidValue)
    }

    fn graph_mut(&mut self, handle: Handle) -> Answer<&mut Graph> {
        self.graphs.get_mut(&handle).ok_or(CudaError::InvalidValue)
    }

    fn graph_of(&self, node: Handle) -> Answer<Handle> {
        self.of_node.get(&node).copied().ok_or(CudaError::InvalidValue)
    }

    /// What a node does.
    pub(crate) fn task(&self, node: Handle) -> Answer<&GraphTask> {
        let graph = self.graph(self.graph_of(node)?)?;
        graph.nodes.get(&node).ok_or(CudaError::InvalidValue)
    }

    /// Takes a graph away, with the child graphs of its nodes.
    fn forget(&mut self, handle: Handle) {
        let Some(graph) = self.graphs.remove(&handle) else { return };
        for (node, task) in graph.nodes {
            self.of_node.remove(&node);
            self.attributes.remove(&node);
            task.inside().into_iter().for_each(|graph| self.forget(graph));
        }
        for (object, count) in graph.objects {
            self.objects.give_back(object, count);
        }
    }
}

impl Call<'_> {
    /// `cuGraphCreate`.
    pub fn create_graph(&mut self) -> Handle {
        self.new_graph(Graph::default())
    }

    fn new_graph(&mut self, graph: Graph) -> Handle {
        let handle = self.state.handle(Kind::Graph);
        self.state.graphs.of_node.extend(graph.nodes.keys().map(|node| (*node, handle)));
        self.state.graphs.graphs.insert(handle, graph);
        handle
    }

    /// `cuGraphDestroy`.
    ///
    /// # Errors
    /// There is no such graph, or it is a node's.
    pub fn destroy_graph(&mut self, handle: Handle) -> Answer<()> {
        if self.state.graphs.graph(handle)?.is_owned {
            return Err(CudaError::InvalidValue);
        }
        self.state.graphs.forget(handle);
        Ok(())
    }

    /// `cuGraphAddKernelNode` and the others: adds a node behind some nodes of the same graph.
    ///
    /// # Errors
    /// There is no such graph or node, a node is named twice, or the task uses something that is
    /// not there.
    pub fn add_node(
        &mut self,
        graph: Handle,
        behind: &[Handle],
        task: GraphTask,
    ) -> Answer<Handle> {
        let known = &self.state.graphs.graph(graph)?.nodes;
        let distinct: BTreeSet<Handle> = behind.iter().copied().collect();
        if distinct.len() != behind.len() || behind.iter().any(|node| !known.contains_key(node)) {
            return Err(CudaError::InvalidValue);
        }
        if let GraphTask::Free(address) = task {
            self.check_free(graph, address)?;
        }
        let task = self.own(task)?;
        let node = self.state.handle(Kind::Node);
        let into = self.state.graphs.graph_mut(graph)?;
        into.nodes.insert(node, task);
        for from in behind {
            into.edges.insert(*from, node);
        }
        self.state.graphs.of_node.insert(node, graph);
        Ok(node)
    }

    /// The task as a node holds it: looked at, and with its own child graph.
    fn own(&mut self, task: GraphTask) -> Answer<GraphTask> {
        if self.state.graphs.of_node.len() >= MOST_NODES {
            return Err(CudaError::OutOfMemory);
        }
        match &task {
            GraphTask::Kernel(request) => {
                self.known_function(request.function)?;
            }
            GraphTask::Set(set) if !matches!(set.value.len(), 1 | 2 | 4) => {
                return Err(CudaError::InvalidValue);
            }
            GraphTask::Wait(event) | GraphTask::Record(event) => {
                if !self.state.events.contains_key(event) {
                    return Err(CudaError::InvalidValue);
                }
            }
            GraphTask::Host(call) if call.function == 0 => return Err(CudaError::InvalidValue),
            // The memory belongs to one graph.
            GraphTask::Child(graph) if self.has_memory(*graph)? => {
                return Err(CudaError::NotSupported);
            }
            GraphTask::Child(graph) => {
                let copy = self.copy_of(*graph)?;
                self.state.graphs.graph_mut(copy)?.is_owned = true;
                return Ok(GraphTask::Child(copy));
            }
            GraphTask::Set(_)
            | GraphTask::Host(_)
            | GraphTask::Copy(_)
            | GraphTask::Empty
            | GraphTask::Allocate(_)
            | GraphTask::Free(_)
            | GraphTask::Conditional(_)
            | GraphTask::Library(_) => {}
        }
        Ok(task)
    }

    /// A copy of a graph, with copies of its child graphs.
    fn copy_of(&mut self, handle: Handle) -> Answer<Handle> {
        let original = self.state.graphs.graph(handle)?.clone();
        if self.state.graphs.of_node.len() + original.nodes.len() > MOST_NODES {
            return Err(CudaError::OutOfMemory);
        }
        let mut copy = Graph::default();
        for (node, task) in original.nodes {
            let task = match task {
                GraphTask::Child(child) => {
                    let child = self.copy_of(child)?;
                    self.state.graphs.graph_mut(child)?.is_owned = true;
                    GraphTask::Child(child)
                }
                GraphTask::Conditional(of) => {
                    let mut bodies = Vec::new();
                    for body in of.bodies {
                        let body = self.copy_of(body)?;
                        self.state.graphs.graph_mut(body)?.is_owned = true;
                        bodies.push(body);
                    }
                    GraphTask::Conditional(conditions::Conditional { bodies, ..of })
                }
                other => other,
            };
            let own = self.state.handle(Kind::Node);
            copy.nodes.insert(own, task);
            if let Some(set) = self.state.graphs.attributes.get(&node).cloned() {
                self.state.graphs.attributes.insert(own, set);
            }
            copy.origins.insert(node, own);
        }
        for (object, count) in &original.objects {
            self.state.graphs.objects.keep(*object, *count)?;
            copy.objects.insert(*object, *count);
        }
        let own = |node: &Handle| copy.origins.get(node).copied();
        copy.edges =
            original.edges.iter().filter_map(|(from, to)| Some((own(&from)?, own(&to)?))).collect();
        Ok(self.new_graph(copy))
    }

    /// `cuGraphClone`.
    ///
    /// # Errors
    /// There is no such graph, it allocates or decides, or there are too many nodes.
    pub fn clone_graph(&mut self, graph: Handle) -> Answer<Handle> {
        let mut tasks = self.state.graphs.graph(graph)?.nodes.values();
        let decides = tasks.any(|task| task.kind() == NodeKind::Conditional);
        if self.has_memory(graph)? || decides {
            return Err(CudaError::NotSupported);
        }
        self.copy_of(graph)
    }

    /// `cuGraphNodeFindInClone`.
    ///
    /// # Errors
    /// The graph is not a copy of the node's graph.
    pub fn find_in_clone(&self, node: Handle, clone: Handle) -> Answer<Handle> {
        let found = self.state.graphs.graph(clone)?.origins.get(&node).copied();
        let known = self.state.graphs.graph(clone)?;
        found.filter(|own| known.nodes.contains_key(own)).ok_or(CudaError::InvalidValue)
    }

    /// `cuGraphDestroyNode`: its edges go with it.
    ///
    /// # Errors
    /// There is no such node, or its graph allocates.
    pub fn destroy_node(&mut self, node: Handle) -> Answer<()> {
        let handle = self.state.graphs.graph_of(node)?;
        if self.has_memory(handle)? {
            return Err(CudaError::NotSupported);
        }
        let graphs = &mut self.state.graphs;
        let graph = graphs.graph_mut(handle)?;
        let task = graph.nodes.remove(&node);
        graph.edges.forget(node);
        graphs.of_node.remove(&node);
        graphs.attributes.remove(&node);
        let inside = task.map(|task| task.inside()).unwrap_or_default();
        inside.into_iter().for_each(|graph| graphs.forget(graph));
        Ok(())
    }

    /// `cuGraphAddDependencies`: an edge goes from the first node to the second.
    ///
    /// # Errors
    /// A node is not of the graph, or the edge exists already.
    pub fn add_edges(&mut self, graph: Handle, edges: &[(Handle, Handle)]) -> Answer<()> {
        let graph = self.state.graphs.graph_mut(graph)?;
        let mut wanted = BTreeSet::new();
        for (from, to) in edges {
            let is_of_graph = graph.nodes.contains_key(from) && graph.nodes.contains_key(to);
            let is_known = graph.edges.contains(*from, *to);
            if from == to || !is_of_graph || is_known || !wanted.insert((*from, *to)) {
                return Err(CudaError::InvalidValue);
            }
        }
        for (from, to) in wanted {
            graph.edges.insert(from, to);
        }
        Ok(())
    }

    /// `cuGraphRemoveDependencies`.
    ///
    /// # Errors
    /// There is no such edge, or the graph allocates.
    pub fn remove_edges(&mut self, graph: Handle, edges: &[(Handle, Handle)]) -> Answer<()> {
        if self.has_memory(graph)? {
            return Err(CudaError::NotSupported);
        }
        let graph = self.state.graphs.graph_mut(graph)?;
        let mut gone = BTreeSet::new();
        let is_there = |(from, to): &(Handle, Handle)| graph.edges.contains(*from, *to);
        if !edges.iter().all(|edge| is_there(edge) && gone.insert(*edge)) {
            return Err(CudaError::InvalidValue);
        }
        for (from, to) in gone {
            graph.edges.remove(from, to);
        }
        Ok(())
    }

    /// `cuGraphGetNodes`, in the order in which they were made.
    ///
    /// # Errors
    /// There is no such graph.
    pub fn graph_nodes(&self, graph: Handle) -> Answer<Vec<Handle>> {
        Ok(self.state.graphs.graph(graph)?.nodes.keys().copied().collect())
    }

    /// `cuGraphGetRootNodes`: the nodes with nothing before them.
    ///
    /// # Errors
    /// There is no such graph.
    pub fn graph_roots(&self, graph: Handle) -> Answer<Vec<Handle>> {
        let graph = self.state.graphs.graph(graph)?;
        let is_root = |node: &Handle| graph.before(*node).next().is_none();
        Ok(graph.nodes.keys().copied().filter(is_root).collect())
    }

    /// `cuGraphGetEdges`: an edge goes from the first node to the second.
    ///
    /// # Errors
    /// There is no such graph.
    pub fn graph_edges(&self, graph: Handle) -> Answer<Vec<(Handle, Handle)>> {
        Ok(self.state.graphs.graph(graph)?.edges.iter().collect())
    }

    /// `cuGraphNodeGetDependencies`.
    ///
    /// # Errors
    /// There is no such node.
    pub fn nodes_before(&self, node: Handle) -> Answer<Vec<Handle>> {
        let graph = self.state.graphs.graph(self.state.graphs.graph_of(node)?)?;
        Ok(graph.before(node).collect())
    }

    /// `cuGraphNodeGetDependentNodes`.
    ///
    /// # Errors
    /// There is no such node.
    pub fn nodes_behind(&self, node: Handle) -> Answer<Vec<Handle>> {
        let graph = self.state.graphs.graph(self.state.graphs.graph_of(node)?)?;
        Ok(graph.behind(node).collect())
    }

    /// `cuGraphNodeGetContainingGraph`.
    ///
    /// # Errors
    /// There is no such node.
    pub fn graph_of_node(&self, node: Handle) -> Answer<Handle> {
        self.state.graphs.graph_of(node)
    }

    /// The task of a node.
    ///
    /// # Errors
    /// There is no such node.
    pub fn node_task(&self, node: Handle) -> Answer<GraphTask> {
        self.state.graphs.task(node).cloned()
    }

    /// `cuGraphKernelNodeSetParams` and the others.
    ///
    /// # Errors
    /// There is no such node, it is of another kind, or the task uses something that is not there.
    pub fn set_node_task(&mut self, node: Handle, task: GraphTask) -> Answer<()> {
        if self.state.graphs.task(node)?.kind() != task.kind()
            || task.kind() == NodeKind::Conditional
        {
            return Err(CudaError::InvalidValue);
        }
        let task = self.own(task)?;
        let graphs = &mut self.state.graphs;
        let handle = graphs.graph_of(node)?;
        let old = graphs.graph_mut(handle)?.nodes.insert(node, task);
        if let Some(GraphTask::Child(child)) = old {
            graphs.forget(child);
        }
        Ok(())
    }
}
