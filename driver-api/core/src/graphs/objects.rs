//! Objects of the program that graphs keep (CUDA driver API, "cuUserObjectCreate"; CUDA programming
//! guide, "CUDA User Objects").
//!
//! An object is a function of the program that is called when there is no reference to it any more.
//! The program has some references, and each graph has some; its copies and instances have them,
//! too. The functions are given to the boundary, which calls them when no call is under way.

use std::collections::BTreeMap;

use super::HostCall;
use crate::state::{Call, Kind};
use crate::{Answer, CudaError, Handle};

/// An object: the function to call in the end, and the numbers of references.
#[derive(Debug)]
struct Object {
    destroy: HostCall,
    /// References of the program, which has to give them back.
    own: u64,
    /// References of graphs.
    of_graphs: u64,
}

/// All objects.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    all: BTreeMap<Handle, Object>,
    over: Vec<HostCall>,
}

impl Objects {
    fn known(&mut self, object: Handle) -> Answer<&mut Object> {
        self.all.get_mut(&object).ok_or(CudaError::InvalidValue)
    }

    /// A graph has some more references.
    pub(super) fn keep(&mut self, object: Handle, count: u64) -> Answer<()> {
        let known = self.known(object)?;
        known.of_graphs = known.of_graphs.checked_add(count).ok_or(CudaError::OutOfMemory)?;
        Ok(())
    }

    /// A graph has some less.
    pub(super) fn give_back(&mut self, object: Handle, count: u64) {
        if let Some(known) = self.all.get_mut(&object) {
            known.of_graphs = known.of_graphs.saturating_sub(count);
        }
        self.forget_unused(object);
    }

    fn forget_unused(&mut self, object: Handle) {
        let is_unused = |object: &Object| object.own == 0 && object.of_graphs == 0;
        if self.all.get(&object).is_some_and(is_unused)
            && let Some(object) = self.all.remove(&object)
        {
            self.over.push(object.destroy);
        }
    }

    /// How many there are.
    #[cfg(test)]
    pub(crate) fn live(&self) -> usize {
        self.all.len()
    }
}

impl Call<'_> {
    /// `cuUserObjectCreate`.
    ///
    /// # Errors
    /// No function, or no references.
    pub fn create_object(&mut self, destroy: HostCall, count: u32) -> Answer<Handle> {
        // As many as the type of the API's argument has.
        if destroy.function == 0 || count == 0 || i32::try_from(count).is_err() {
            return Err(CudaError::InvalidValue);
        }
        let handle = self.state.handle(Kind::Object);
        let object = Object { destroy, own: count.into(), of_graphs: 0 };
        self.state.graphs.objects.all.insert(handle, object);
        Ok(handle)
    }

    /// `cuUserObjectRetain`.
    ///
    /// # Errors
    /// There is no such object, or no references are asked for.
    pub fn retain_object(&mut self, object: Handle, count: u32) -> Answer<()> {
        let known = self.state.graphs.objects.known(object)?;
        if count == 0 || i32::try_from(count).is_err() {
            return Err(CudaError::InvalidValue);
        }
        known.own = known.own.checked_add(count.into()).ok_or(CudaError::OutOfMemory)?;
        Ok(())
    }

    /// `cuUserObjectRelease`.
    ///
    /// # Errors
    /// There is no such object, or the program does not have that many references.
    pub fn release_object(&mut self, object: Handle, count: u32) -> Answer<()> {
        let known = self.state.graphs.objects.known(object)?;
        let left = known.own.checked_sub(count.into()).filter(|_| count > 0);
        known.own = left.ok_or(CudaError::InvalidValue)?;
        self.state.graphs.objects.forget_unused(object);
        Ok(())
    }

    /// `cuGraphRetainUserObject`; `is_moved` if the program gives its own references.
    ///
    /// # Errors
    /// There is no such graph or object, or the program does not have that many references.
    pub fn keep_object(
        &mut self,
        graph: Handle,
        object: Handle,
        count: u32,
        is_moved: bool,
    ) -> Answer<()> {
        self.state.graphs.graph(graph)?;
        let known = self.state.graphs.objects.known(object)?;
        if count == 0 || i32::try_from(count).is_err() {
            return Err(CudaError::InvalidValue);
        }
        if is_moved {
            known.own = known.own.checked_sub(count.into()).ok_or(CudaError::InvalidValue)?;
        }
        self.state.graphs.objects.keep(object, count.into())?;
        *self.state.graphs.graph_mut(graph)?.objects.entry(object).or_default() += u64::from(count);
        Ok(())
    }

    /// `cuGraphReleaseUserObject`.
    ///
    /// # Errors
    /// There is no such graph, or it does not have that many references.
    pub fn give_back_object(&mut self, graph: Handle, object: Handle, count: u32) -> Answer<()> {
        let kept = self.state.graphs.graph_mut(graph)?.objects.get_mut(&object);
        let kept = kept.ok_or(CudaError::InvalidValue)?;
        let left = kept.checked_sub(count.into()).filter(|_| count > 0);
        *kept = left.ok_or(CudaError::InvalidValue)?;
        if *kept == 0 {
            self.state.graphs.graph_mut(graph)?.objects.remove(&object);
        }
        self.state.graphs.objects.give_back(object, count.into());
        Ok(())
    }

    /// The functions of objects without references, to be called once each.
    pub fn take_destroyed(&mut self) -> Vec<HostCall> {
        std::mem::take(&mut self.state.graphs.objects.over)
    }
}
