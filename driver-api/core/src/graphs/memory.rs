//! Nodes that allocate memory and free it (CUDA programming guide, "Graph Memory Nodes").
//!
//! A node has its address from the beginning, and nothing else is ever there. When a launch reaches
//! the node, memory that was never written is put there. A node that frees it, the program, or the
//! next launch of an instance made to do so takes it away.
//!
//! Deviations: two nodes of one graph never have the same memory. If launches are checked, memory
//! is taken away when the host has waited for the work that uses it. A use behind the node that
//! frees it, or beside that node, is still reported. A graph with such nodes may have several
//! instances. An instance that would have its memory twice at a time is refused.

use std::collections::BTreeSet;

use warpsim::host::{Backing, DeviceError, Pointer, Stream};

use super::instances::Step;
use super::{GraphTask, Graphs};
use crate::spaces::memory::{Allocation, AllocationKind, Owner};
use crate::state::{Call, Kind, refusal};
use crate::{Answer, CudaError, Handle};

/// What addresses of such memory are multiples of.
const ALIGNMENT: u64 = 512;

/// Memory that a node allocates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphMemory {
    pub(crate) address: u64,
    pub(crate) bytes: u64,
}

impl GraphMemory {
    /// Its address while it exists.
    pub fn address(self) -> u64 {
        self.address
    }

    /// How many bytes it has.
    pub fn bytes(self) -> u64 {
        self.bytes
    }
}

impl Graphs {
    /// The addresses of the memory that a list of tasks allocates.
    fn allocated<'a>(tasks: impl Iterator<Item = &'a GraphTask>) -> BTreeSet<u64> {
        let address = |task: &GraphTask| match task {
            GraphTask::Allocate(memory) => Some(memory.address),
            GraphTask::Free(_)
            | GraphTask::Kernel(_)
            | GraphTask::Copy(_)
            | GraphTask::Set(_)
            | GraphTask::Host(_)
            | GraphTask::Child(_)
            | GraphTask::Empty
            | GraphTask::Wait(_)
            | GraphTask::Record(_)
            | GraphTask::Conditional(_)
            | GraphTask::Library(_) => None,
        };
        tasks.filter_map(address).collect()
    }
}

impl Call<'_> {
    /// Whether a graph allocates or frees.
    pub(super) fn has_memory(&self, graph: Handle) -> Answer<bool> {
        let mut tasks = self.state.graphs.graph(graph)?.nodes.values();
        Ok(tasks.any(|task| matches!(task, GraphTask::Allocate(_) | GraphTask::Free(_))))
    }

    /// `cuGraphAddMemAllocNode`: gives the node, and the future address of the memory.
    ///
    /// # Errors
    /// The same as for [`Call::add_node`]; no bytes, or more than the device has.
    pub fn add_allocation(
        &mut self,
        graph: Handle,
        behind: &[Handle],
        bytes: u64,
    ) -> Answer<(Handle, u64)> {
        let memory = self.reserve_for_graph(bytes)?;
        let node = self.add_node(graph, behind, GraphTask::Allocate(memory))?;
        Ok((node, memory.address))
    }

    fn reserve_for_graph(&mut self, bytes: u64) -> Answer<GraphMemory> {
        if bytes == 0 {
            return Err(CudaError::InvalidValue);
        }
        if bytes > self.state.device.profile().global_memory {
            return Err(CudaError::OutOfMemory);
        }
        let address = self.reserve_some(bytes, ALIGNMENT)?;
        Ok(GraphMemory { address, bytes })
    }

    /// Refuses to free what no node allocates, or what another node of the graph frees.
    pub(super) fn check_free(&self, graph: Handle, address: u64) -> Answer<()> {
        let of_graph = self.state.graphs.graph(graph)?.nodes.values();
        let is_freed = of_graph.clone().any(|task| *task == GraphTask::Free(address));
        let all = self.state.graphs.graphs.values().flat_map(|graph| graph.nodes.values());
        let is_known = Graphs::allocated(all).contains(&address) || self.is_of_graph(address);
        if is_known && !is_freed { Ok(()) } else { Err(CudaError::InvalidValue) }
    }

    /// Whether memory of a graph is at an address now.
    fn is_of_graph(&self, address: u64) -> bool {
        let there = self.state.allocations.get(&address);
        there.is_some_and(|allocation| allocation.kind == AllocationKind::OfGraph)
    }

    /// `cuMemAllocAsync` in a stream that is captured: the future address of the memory; `None` if
    /// the stream is not captured.
    fn capture_allocation(&mut self, bytes: u64, stream: Stream) -> Answer<Option<u64>> {
        if !self.is_captured(stream)? {
            return Ok(None);
        }
        let memory = self.reserve_for_graph(bytes)?;
        self.capture(stream, || GraphTask::Allocate(memory))?;
        Ok(Some(memory.address))
    }

    /// `cuMemAllocAsync` and `cuMemAllocFromPoolAsync`, in a stream.
    ///
    /// # Errors
    /// The same as for [`Call::allocate_from_pool`]; or the stream's capture is invalid.
    pub fn allocate_in_stream(
        &mut self,
        pool: Option<Handle>,
        bytes: u64,
        stream: Stream,
    ) -> Answer<u64> {
        match self.capture_allocation(bytes, stream)? {
            Some(address) => Ok(address),
            None => {
                let address = self.allocate_from_pool(pool, bytes)?;
                self.allocated_on(stream, address)?;
                Ok(address)
            }
        }
    }

    /// `cuMemFreeAsync`, in a stream. A captured stream frees memory that a node allocates.
    ///
    /// # Errors
    /// No memory that can be freed this way begins there; the stream's capture is invalid, or the
    /// memory is not a graph's.
    pub fn free_in_stream(&mut self, address: u64, stream: Stream) -> Answer<()> {
        match self.capture(stream, || GraphTask::Free(address))? {
            true => Ok(()),
            false => self.free_later(address, Some(stream)),
        }
    }

    /// An instance is about to be launched: its memory must not be there.
    pub(super) fn clear_graph_memory(
        &mut self,
        steps: &[Step],
        is_freed: bool,
        stream: Stream,
    ) -> Answer<()> {
        let own = Graphs::allocated(steps.iter().map(|step| &step.task));
        let there: Vec<u64> =
            own.into_iter().filter(|address| self.is_of_graph(*address)).collect();
        match is_freed || there.is_empty() {
            true => there.into_iter().try_for_each(|base| self.free_later(base, Some(stream))),
            false => Err(CudaError::InvalidValue),
        }
    }

    /// A node allocates.
    pub(super) fn allocate_in_graph(&mut self, memory: GraphMemory, stream: Stream) -> Answer<()> {
        let context = self.context()?;
        let GraphMemory { address, bytes } = memory;
        if self.state.allocations.contains_key(&address) {
            return Err(CudaError::InvalidValue);
        }
        self.free_what_is_over();
        let before = self.state.to_unmap.len();
        self.state.to_unmap.retain(|waiting| waiting.address != address);
        // The memory of the previous launch is still there if the host has not waited for that
        // launch.
        if self.state.to_unmap.len() == before {
            if bytes > self.unused_memory() {
                return Err(CudaError::OutOfMemory);
            }
            let mapped = self.state.device.map(Pointer(address), Backing::new(bytes));
            mapped.map_err(|error| refusal(self, &error))?;
        }
        let (number, kind) = (self.state.handle(Kind::Pool), AllocationKind::OfGraph);
        let owner = Owner::Context(context);
        let allocation = Allocation { bytes, kind, owner, host: None, number };
        self.state.allocations.insert(address, allocation);
        self.is_allocated(address, bytes);
        self.allocated_on(stream, address)
    }

    /// A node frees.
    pub(super) fn free_in_graph(&mut self, address: u64, stream: Stream) -> Answer<()> {
        match self.is_of_graph(address) {
            true => self.free_later(address, Some(stream)),
            false => Err(CudaError::InvalidValue),
        }
    }

    /// Takes memory of a graph from the device that is no allocation any more. Whether that could
    /// be done: the host may not have waited for its uses.
    pub(crate) fn unmap_of_graph(&mut self, address: u64) -> bool {
        match self.state.device.unmap(Pointer(address)) {
            Ok(_) => {
                self.forget_lifetime(address);
                true
            }
            Err(DeviceError::StillInUse { .. }) => false,
            Err(error) => {
                let _ = refusal(self, &error);
                true
            }
        }
    }

    /// `cuDeviceGetGraphMemAttribute`: bytes that graphs have now, and the most they had; reserved
    /// bytes are the used bytes.
    ///
    /// # Errors
    /// There is no such attribute.
    pub fn graph_memory(&self, attribute: u32) -> Answer<u64> {
        let all = self.state.allocations.values();
        let of_graphs = all.filter(|allocation| allocation.kind == AllocationKind::OfGraph);
        match attribute {
            0..=3 => Ok(of_graphs.map(|allocation| allocation.bytes).sum()),
            4.. => Err(CudaError::InvalidValue),
        }
    }
}
