//! Nodes that decide what follows (CUDA driver API, `cuGraphConditionalHandleCreate`; CUDA
//! programming guide, "Conditional Graph Nodes").
//!
//! A handle is the address of a word of device memory. A kernel sets it by a call that is a store
//! there (`cudaGraphSetConditional`, which `ptx::link` brings). The word is read when the node's
//! turn comes: all nodes before it have been carried out then. A body is a graph that belongs to
//! the node; the program fills it.
//!
//! Deviations: the nodes of a body are issued in one order, so a race between two of them is
//! missed. Nodes of a body cannot be changed in an instance. A handle exists until its context is
//! emptied.

use std::sync::Arc;

use warpsim::host::{Device, Pointer};

use super::instances::{Draft, Step};
use super::{Graph, GraphTask, Graphs};
use crate::spaces::memory::{AllocationKind, Owner};
use crate::state::{Call, refusal};
use crate::{Answer, CudaError, Handle};

/// What a node does with its bodies (`CUgraphConditionalNodeType`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConditionKind {
    /// The first body if the word is not 0, else the second, if there is one.
    If,
    /// The first body again and again until the word is 0.
    While,
    /// The body with the word's number, or none.
    Switch,
}

/// The condition of a node, and its bodies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conditional {
    /// The address of the word.
    pub handle: u64,
    /// The kind of decision.
    pub kind: ConditionKind,
    /// The graphs of the node.
    pub bodies: Vec<Handle>,
}

/// A word that a node decides by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condition {
    graph: Handle,
    /// What it is at the beginning of each launch.
    default: Option<u32>,
    /// A node has it.
    is_used: bool,
}

impl ConditionKind {
    /// The kind with this number.
    pub fn of_number(number: u32) -> Option<ConditionKind> {
        Some(match number {
            0 => ConditionKind::If,
            1 => ConditionKind::While,
            2 => ConditionKind::Switch,
            3.. => return None,
        })
    }

    fn has(self, bodies: u32) -> bool {
        match self {
            ConditionKind::If => matches!(bodies, 1 | 2),
            ConditionKind::While => bodies == 1,
            ConditionKind::Switch => bodies > 0,
        }
    }

    /// Which body a word means.
    fn body(self, word: u32) -> usize {
        match (self, word) {
            (ConditionKind::If, 0) => 1,
            (ConditionKind::While, 0) => usize::MAX,
            (ConditionKind::If | ConditionKind::While, 1..) => 0,
            (ConditionKind::Switch, word) => word as usize,
        }
    }
}

impl Graphs {
    /// The words that are set at the beginning of each launch, for a graph and the graphs inside
    /// it.
    pub(super) fn defaults(&self, graph: Handle) -> Vec<(u64, u32)> {
        let (mut words, mut waiting) = (Vec::new(), vec![graph]);
        while let Some(graph) = waiting.pop() {
            let of_graph = self.conditions.iter().filter(|(_, known)| known.graph == graph);
            words.extend(of_graph.filter_map(|(word, known)| Some((*word, known.default?))));
            let nodes = self.graphs.get(&graph).into_iter().flat_map(|known| known.nodes.values());
            waiting.extend(nodes.flat_map(GraphTask::inside));
        }
        words
    }

    /// The steps of the bodies of a node.
    pub(super) fn bodies(&self, task: &GraphTask) -> Answer<Vec<Arc<Vec<Step>>>> {
        let GraphTask::Conditional(of) = task else { return Ok(Vec::new()) };
        let body = |body: &Handle| {
            let mut draft = Draft::default();
            draft.unfold(self, self.graph(*body)?, None)?;
            Ok(Arc::new(draft.into_steps()))
        };
        of.bodies.iter().map(body).collect()
    }
}

impl Call<'_> {
    /// `cuGraphConditionalHandleCreate`.
    ///
    /// # Errors
    /// There is no such graph, or no memory.
    pub fn create_condition(&mut self, graph: Handle, default: Option<u32>) -> Answer<u64> {
        self.state.graphs.graph(graph)?;
        let context = self.context()?;
        let word = self.allocate_for(4, Owner::Context(context))?;
        if let Some(allocation) = self.state.allocations.get_mut(&word) {
            allocation.kind = AllocationKind::Condition;
        }
        let first = default.unwrap_or(0).to_le_bytes();
        let written = self.state.device.upload(Pointer(word), &first);
        written.map_err(|error| refusal(self, &error))?;
        self.state.graphs.conditions.insert(word, Condition { graph, default, is_used: false });
        Ok(word)
    }

    /// `cuGraphAddNode` of a node that decides: gives the node, and the graphs that the program
    /// fills.
    ///
    /// # Errors
    /// There is no such graph, node or handle, or another node has the handle.
    pub fn add_conditional(
        &mut self,
        graph: Handle,
        behind: &[Handle],
        (handle, kind, count): (u64, ConditionKind, u32),
    ) -> Answer<(Handle, Vec<Handle>)> {
        const MOST_BODIES: u32 = 1 << 16;
        let known = self.state.graphs.conditions.get(&handle).copied();
        let known = known.ok_or(CudaError::InvalidValue)?;
        if known.is_used || !kind.has(count) || count > MOST_BODIES {
            return Err(CudaError::InvalidValue);
        }
        let bodies: Vec<Handle> = (0..count)
            .map(|_| self.new_graph(Graph { is_owned: true, ..Graph::default() }))
            .collect();
        let task = GraphTask::Conditional(Conditional { handle, kind, bodies: bodies.clone() });
        let added = self.add_node(graph, behind, task);
        if added.is_err() {
            bodies.iter().for_each(|body| self.state.graphs.forget(*body));
        }
        self.state.graphs.conditions.insert(handle, Condition { is_used: added.is_ok(), ..known });
        Ok((added?, bodies))
    }

    /// The body whose turn it is, or none. After a fault nothing is carried out, and no word
    /// changes any more.
    pub(super) fn chosen(&self, of: &Conditional) -> Answer<Option<usize>> {
        if self.is_over(self.context()?) {
            return Ok(None);
        }
        let memory = self.state.device.global().find_ref(of.handle, 4);
        let memory = memory.map_err(|_| CudaError::InvalidValue)?;
        let mut word = [0; 4];
        memory.pages.read_bytes(of.handle - memory.base, &mut word);
        let body = of.kind.body(u32::from_le_bytes(word));
        Ok((body < of.bodies.len()).then_some(body))
    }
}
