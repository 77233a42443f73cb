//! Attributes of streams and of kernels' nodes (CUDA driver API, `CUlaunchAttributeID`,
//! `cuStreamSetAttribute`, `cuGraphKernelNodeSetAttribute`).
//!
//! They say how fast something should be, and are kept to be asked for. Two of them have a meaning
//! here: `cuStreamGetPriority` gives the priority of a stream, and a node may be cooperative.
//!
//! Deviation: windows of the L2 cache are taken whatever their size; hardware without such a cache
//! refuses them.

use std::collections::BTreeMap;

use warpsim::host::Stream;

use crate::graphs::GraphTask;
use crate::state::Call;
use crate::{Answer, CudaError, DefaultStream, Handle};

/// An attribute that streams or kernels' nodes have, with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "named as in `cuda.h`")]
#[repr(u32)]
pub enum LaunchAttributeId {
    AccessPolicyWindow = 1,
    Cooperative = 2,
    SynchronizationPolicy = 3,
    Priority = 8,
    MemSyncDomainMap = 9,
    MemSyncDomain = 10,
    PreferredSharedMemoryCarveout = 14,
}

use LaunchAttributeId as Id;

/// What was set, as it lies in memory.
pub(crate) type Values = BTreeMap<LaunchAttributeId, Vec<u8>>;

impl LaunchAttributeId {
    /// The attribute with this number.
    pub fn of_number(number: u32) -> Option<LaunchAttributeId> {
        Some(match number {
            1 => Id::AccessPolicyWindow,
            2 => Id::Cooperative,
            3 => Id::SynchronizationPolicy,
            8 => Id::Priority,
            9 => Id::MemSyncDomainMap,
            10 => Id::MemSyncDomain,
            14 => Id::PreferredSharedMemoryCarveout,
            _ => return None,
        })
    }

    /// The bytes of its value.
    pub fn bytes(self) -> usize {
        match self {
            // An address, a size, the ratio of hits, and two properties.
            Id::AccessPolicyWindow => 32,
            Id::MemSyncDomainMap => 2,
            Id::Cooperative
            | Id::SynchronizationPolicy
            | Id::Priority
            | Id::MemSyncDomain
            | Id::PreferredSharedMemoryCarveout => 4,
        }
    }

    /// The value of one that was not set.
    fn first(self) -> Vec<u8> {
        match self {
            // The default domain is the first, the remote one the second.
            Id::MemSyncDomainMap => vec![0, 1],
            // `CU_SYNC_POLICY_AUTO`.
            Id::SynchronizationPolicy => vec![1, 0, 0, 0],
            Id::AccessPolicyWindow
            | Id::Cooperative
            | Id::Priority
            | Id::MemSyncDomain
            | Id::PreferredSharedMemoryCarveout => vec![0; self.bytes()],
        }
    }

    /// Refuses a value that there is not.
    fn check(self, value: &[u8]) -> Answer<()> {
        let number = |at: usize| {
            let bytes = value.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            bytes.map(u32::from_le_bytes).ok_or(CudaError::InvalidValue)
        };
        let is_one = match self {
            Id::AccessPolicyWindow => {
                let ratio = f32::from_bits(number(16)?);
                // Properties are normal, streaming and persisting; a miss is not persisting.
                (0.0..=1.0).contains(&ratio) && number(20)? <= 2 && number(24)? <= 1
            }
            Id::SynchronizationPolicy => (1..=4).contains(&number(0)?),
            Id::MemSyncDomain => number(0)? <= 1,
            Id::Cooperative
            | Id::Priority
            | Id::MemSyncDomainMap
            | Id::PreferredSharedMemoryCarveout => true,
        };
        if is_one && value.len() == self.bytes() { Ok(()) } else { Err(CudaError::InvalidValue) }
    }

    fn is_of_streams(self) -> bool {
        match self {
            Id::AccessPolicyWindow
            | Id::SynchronizationPolicy
            | Id::Priority
            | Id::MemSyncDomainMap
            | Id::MemSyncDomain => true,
            Id::Cooperative | Id::PreferredSharedMemoryCarveout => false,
        }
    }

    fn is_of_nodes(self) -> bool {
        self != Id::SynchronizationPolicy
    }
}

impl Call<'_> {
    fn attributed(
        &mut self,
        stream: Handle,
        default: DefaultStream,
        id: LaunchAttributeId,
    ) -> Answer<Stream> {
        let stream = self.stream(stream, default)?;
        if id.is_of_streams() { Ok(stream) } else { Err(CudaError::InvalidValue) }
    }

    /// `cuStreamGetAttribute`: its value as it lies in memory.
    ///
    /// # Errors
    /// There is no such stream, or streams have no such attribute.
    pub fn stream_attribute(
        &mut self,
        stream: Handle,
        default: DefaultStream,
        id: LaunchAttributeId,
    ) -> Answer<Vec<u8>> {
        let number = self.attributed(stream, default, id)?.number();
        if id == Id::Priority {
            return Ok(self.stream_priority(stream)?.to_le_bytes().to_vec());
        }
        let set = self.state.stream_attributes.get(&number).and_then(|all| all.get(&id));
        Ok(set.cloned().unwrap_or_else(|| id.first()))
    }

    /// `cuStreamSetAttribute`.
    ///
    /// # Errors
    /// There is no such stream, or streams have no such attribute or no such value of it.
    pub fn set_stream_attribute(
        &mut self,
        stream: Handle,
        default: DefaultStream,
        id: LaunchAttributeId,
        value: &[u8],
    ) -> Answer<()> {
        let number = self.attributed(stream, default, id)?.number();
        id.check(value)?;
        if let (Id::Priority, Ok(priority)) = (id, value.try_into()) {
            return self.set_stream_priority(stream, i32::from_le_bytes(priority));
        }
        self.state.stream_attributes.entry(number).or_default().insert(id, value.to_vec());
        Ok(())
    }

    /// `cuStreamCopyAttributes`.
    ///
    /// # Errors
    /// There is no such stream.
    pub fn copy_stream_attributes(
        &mut self,
        to: Handle,
        from: Handle,
        default: DefaultStream,
    ) -> Answer<()> {
        let (to, from) = (self.stream(to, default)?, self.stream(from, default)?);
        let all = self.state.stream_attributes.get(&from.number()).cloned().unwrap_or_default();
        self.state.stream_attributes.insert(to.number(), all);
        Ok(())
    }

    /// The launch of a kernel's node.
    fn is_cooperative_node(&self, node: Handle) -> Answer<bool> {
        match self.state.graphs.task(node)? {
            GraphTask::Kernel(request) => Ok(request.cooperative),
            GraphTask::Copy(_)
            | GraphTask::Set(_)
            | GraphTask::Host(_)
            | GraphTask::Child(_)
            | GraphTask::Empty
            | GraphTask::Wait(_)
            | GraphTask::Record(_)
            | GraphTask::Allocate(_)
            | GraphTask::Free(_)
            | GraphTask::Library(_)
            | GraphTask::Conditional(_) => Err(CudaError::InvalidValue),
        }
    }

    /// `cuGraphKernelNodeGetAttribute`: its value as it lies in memory.
    ///
    /// # Errors
    /// There is no such node, it launches nothing, or nodes have no such attribute.
    pub fn node_attribute(&self, node: Handle, id: LaunchAttributeId) -> Answer<Vec<u8>> {
        let cooperative = self.is_cooperative_node(node)?;
        if !id.is_of_nodes() {
            return Err(CudaError::InvalidValue);
        }
        if id == Id::Cooperative {
            return Ok(u32::from(cooperative).to_le_bytes().to_vec());
        }
        let set = self.state.graphs.attributes.get(&node).and_then(|all| all.get(&id));
        Ok(set.cloned().unwrap_or_else(|| id.first()))
    }

    /// `cuGraphKernelNodeSetAttribute`.
    ///
    /// # Errors
    /// The same as for [`Call::node_attribute`], or the attribute has no such value.
    pub fn set_node_attribute(
        &mut self,
        node: Handle,
        id: LaunchAttributeId,
        value: &[u8],
    ) -> Answer<()> {
        self.node_attribute(node, id)?;
        id.check(value)?;
        if id == Id::Cooperative {
            return self.make_cooperative(node, value.iter().any(|byte| *byte != 0));
        }
        self.state.graphs.attributes.entry(node).or_default().insert(id, value.to_vec());
        Ok(())
    }

    /// `cuGraphKernelNodeCopyAttributes`.
    ///
    /// # Errors
    /// There is no such node, or one launches nothing.
    pub fn copy_node_attributes(&mut self, to: Handle, from: Handle) -> Answer<()> {
        self.is_cooperative_node(to)?;
        let cooperative = self.is_cooperative_node(from)?;
        let all = self.state.graphs.attributes.get(&from).cloned().unwrap_or_default();
        self.state.graphs.attributes.insert(to, all);
        self.make_cooperative(to, cooperative)
    }

    fn make_cooperative(&mut self, node: Handle, cooperative: bool) -> Answer<()> {
        let mut task = self.node_task(node)?;
        if let GraphTask::Kernel(request) = &mut task {
            request.cooperative = cooperative;
        }
        self.set_node_task(node, task)
    }
}
