//! The lives of memory that is allocated or freed in the order of streams (CUDA programming guide,
//! "Stream-Ordered Memory Allocator", "Graph Memory Nodes"; CUDA driver API, `cuMemAllocAsync`,
//! `cuMemFreeAsync`).
//!
//! An access must happen after the operation that allocates the memory. The operation that frees it
//! must happen after the access and after the allocation. Both operations are tasks of a stream. A
//! free may also be a task of the host, which waits for nothing (`cuMemFree` of such memory).
//! [`crate::observe::Order`] alone counts: the memory may still be there when something uses it too
//! late, and that is reported as well.
//!
//! The address of memory that was freed may later belong to other memory. The life that began last
//! counts. An access that is older than that and not ordered with it was already compared with the
//! free before it.
//!
//! Which way it can be wrong: accesses that are not watched (of launches that are not checked) are
//! not judged. A use of memory that is gone ([`Lifetimes::forget`]) does not arrive here; it is
//! stopped where it is carried out.

use std::collections::BTreeMap;

use super::footprint::{Footprint, Task};
use crate::observe::HostAccessKind;

/// The lives that have begun or ended, by the first addresses of the memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Lifetimes {
    by_base: BTreeMap<u64, Lifetime>,
}

#[derive(Clone, Debug)]
struct Lifetime {
    bytes: u64,
    /// `None` where the memory was there before: it was not allocated in the order of a stream.
    allocated: Option<Footprint>,
    freed: Option<Footprint>,
}

impl Lifetime {
    /// Where a task must be ordered with the beginning and the end of this life, but is not. A task
    /// that allocates begins another life. A task that frees must only happen after the allocation:
    /// nothing frees twice.
    fn broken_by(&self, task: &Footprint) -> impl Iterator<Item = &Footprint> {
        let operation = task.order.operation();
        let (needs_allocation, needs_no_free) = match edge(task) {
            Some(Edge::Allocation) => (false, false),
            Some(Edge::Free) => (true, false),
            None => (true, true),
        };
        let allocated = self
            .allocated
            .iter()
            .filter(move |begin| needs_allocation && !task.order.is_after(begin.order.operation()));
        let freed =
            self.freed.iter().filter(move |end| needs_no_free && !end.order.is_after(operation));
        allocated.chain(freed)
    }
}

impl Lifetimes {
    /// The allocations and frees of the memory that a task touches, between which the task does not
    /// lie.
    pub(super) fn broken_by(&self, task: &Footprint) -> Vec<&Footprint> {
        let mut broken = Vec::new();
        let mut from = 0;
        while let Some(touched) = task.touches_from(from) {
            let below = self.by_base.range(..=touched).next_back();
            let end = |(base, life): (&u64, &Lifetime)| base.saturating_add(life.bytes);
            match below.filter(|life| touched < end(*life)) {
                Some((base, lifetime)) => {
                    broken.extend(lifetime.broken_by(task));
                    from = end((base, lifetime));
                }
                None => match self.by_base.range(touched..).next() {
                    Some((next, _)) => from = *next,
                    None => break,
                },
            }
        }
        broken
    }

    /// A life begins or ends with this task; any other task is given back.
    pub(super) fn enter(&mut self, task: Footprint) -> Option<Footprint> {
        let Task::Host(access) = &task.task else { return Some(task) };
        let (base, bytes) = (access.address, access.bytes);
        match edge(&task) {
            Some(Edge::Allocation) => {
                let lifetime = Lifetime { bytes, allocated: Some(task), freed: None };
                self.by_base.insert(base, lifetime);
                None
            }
            Some(Edge::Free) => {
                let lifetime = Lifetime { bytes, allocated: None, freed: None };
                self.by_base.entry(base).or_insert(lifetime).freed = Some(task);
                None
            }
            None => Some(task),
        }
    }

    /// Memory is gone.
    pub(super) fn forget(&mut self, base: u64) {
        self.by_base.remove(&base);
    }
}

/// What a task may be to the life of memory.
enum Edge {
    Allocation,
    Free,
}

fn edge(task: &Footprint) -> Option<Edge> {
    let Task::Host(access) = &task.task else { return None };
    match access.kind {
        HostAccessKind::Allocate => Some(Edge::Allocation),
        HostAccessKind::Release => Some(Edge::Free),
        // Memory that is gone at once is not found any more.
        HostAccessKind::Free
        | HostAccessKind::Read
        | HostAccessKind::Write
        | HostAccessKind::Load
        | HostAccessKind::Store
        | HostAccessKind::CopyRead
        | HostAccessKind::CopyWrite => None,
    }
}
