//! Operations that were issued and have not been carried out, and those that were and that the host
//! has not waited for.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::handles::{Download, Ended, LaunchHandle, StreamOrder};
use super::timelines::{Clock, Timelines};
use crate::observe::{OperationId, Order};
use crate::{Argument, DeviceError, Launch, ModuleHandle, Pointer};

/// What a stream is to do.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    Launch { module: ModuleHandle, kernel: String, launch: Launch, arguments: Vec<Argument> },
    Upload { to: Pointer, bytes: Arc<[u8]> },
    Download { from: Pointer, bytes: usize },
}

/// A task and what happens before it.
#[derive(Clone, Debug)]
pub(crate) struct Queued {
    pub(crate) order: Order,
    pub(crate) task: Task,
}

/// Memory that an operation, carried out or not, may use for all that the host knows.
#[derive(Clone, Debug)]
struct InFlight {
    operation: OperationId,
    /// What it is, for people.
    what: String,
    /// First bytes and sizes.
    uses: Vec<(u64, u64)>,
}

/// The bytes of a copy to the host that is done.
type Downloaded = Arc<Vec<u8>>;

/// The operations of a device, and the clocks that order them. Copies share the bytes that are on
/// their way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    pub(crate) timelines: Timelines,
    pending: Vec<Queued>,
    in_flight: Vec<InFlight>,
    ended: Vec<(OperationId, Ended)>,
    downloads: BTreeMap<u64, (OperationId, Option<Downloaded>)>,
}

impl Queue {
    /// Issues a task to a stream.
    pub(crate) fn issue(&mut self, stream: usize, task: Task) -> OperationId {
        let order = self.timelines.issue(stream);
        let operation = order.operation();
        let (what, uses) = in_words(&task);
        self.in_flight.push(InFlight { operation, what, uses });
        if let Task::Download { .. } = task {
            self.downloads.insert(operation.number, (operation, None));
        }
        self.pending.push(Queued { order, task });
        operation
    }

    /// Takes the next task that has to be carried out: now, or, when reversed, because the host
    /// waited for something that has not been. `None` when nothing has to.
    pub(crate) fn next(&mut self, order: StreamOrder) -> Option<Queued> {
        match order {
            StreamOrder::AsIssued => (!self.pending.is_empty()).then(|| self.pending.remove(0)),
            StreamOrder::Reversed => {
                let host = self.timelines.host();
                if !self.pending.iter().any(|p| host.has(p.order.operation())) {
                    return None;
                }
                let last = self.pending.iter().rposition(|p| self.is_ready(p))?;
                Some(self.pending.remove(last))
            }
        }
    }

    /// Nothing that is pending happens before it.
    fn is_ready(&self, queued: &Queued) -> bool {
        !self.pending.iter().any(|other| queued.order.is_after(other.order.operation()))
    }

    /// A launch ended.
    pub(crate) fn ended(&mut self, operation: OperationId, ended: Ended) {
        self.ended.push((operation, ended));
    }

    /// A copy to the host is done.
    pub(crate) fn downloaded(&mut self, operation: OperationId, bytes: Vec<u8>) {
        self.downloads.insert(operation.number, (operation, Some(Arc::new(bytes))));
    }

    /// The launches that the host knows to have ended and was not told of yet, in order of issue.
    pub(crate) fn take_ended(&mut self) -> Vec<Ended> {
        let host = self.timelines.host();
        let known = self.ended.extract_if(.., |(operation, _)| host.has(*operation));
        let mut known: Vec<_> = known.collect();
        known.sort_by_key(|(operation, _)| *operation);
        known.into_iter().map(|(_, ended)| ended).collect()
    }

    /// Forgets what memory operations use that the host has waited for.
    pub(crate) fn forget_what_is_over(&mut self) {
        let host = self.timelines.host();
        self.in_flight.retain(|f| !host.has(f.operation));
    }

    /// Takes the report of one launch.
    pub(crate) fn take_report(&mut self, launch: LaunchHandle) -> Option<Ended> {
        let at = self.ended.iter().position(|(_, ended)| ended.launch == launch)?;
        Some(self.ended.remove(at).1)
    }

    /// Takes the bytes of a copy to the host.
    pub(crate) fn fetch(&mut self, download: Download) -> Result<Vec<u8>, DeviceError> {
        let Some((operation, _)) = self.downloads.get(&download.0) else {
            return Err(DeviceError::UnknownHandle { what: "copy".into() });
        };
        if !self.timelines.host().has(*operation) {
            let stream = (operation.timeline as usize).saturating_sub(1);
            return Err(DeviceError::NotSynchronised { stream });
        }
        let taken = self.downloads.remove(&download.0).and_then(|(_, bytes)| bytes);
        let taken = taken.map(Arc::unwrap_or_clone);
        taken.ok_or(DeviceError::UnknownHandle { what: "copy".into() })
    }

    /// What may still use some of the bytes from `address`, as far as the host knows.
    pub(crate) fn user_of(&self, address: u64, bytes: u64) -> Option<(String, usize)> {
        let host: &Clock = self.timelines.host();
        let overlaps = |(first, size): &(u64, u64)| {
            *first < address.saturating_add(bytes) && address < first.saturating_add(*size)
        };
        let user = self
            .in_flight
            .iter()
            .find(|f| !host.has(f.operation) && f.uses.iter().any(overlaps))?;
        Some((user.what.clone(), (user.operation.timeline as usize).saturating_sub(1)))
    }
}

/// What a task is called, and the memory that it uses. Of a launch these are the allocations that
/// its arguments point into: what it reaches through pointers in memory is not known before it runs.
fn in_words(task: &Task) -> (String, Vec<(u64, u64)>) {
    match task {
        Task::Launch { kernel, arguments, .. } => {
            let uses = crate::arguments::addresses(arguments).map(|(_, a)| (a, 1)).collect();
            (format!("a launch of `{kernel}`"), uses)
        }
        Task::Upload { to, bytes } => {
            ("a copy to the device".to_owned(), vec![(to.0, bytes.len() as u64)])
        }
        Task::Download { from, bytes } => {
            ("a copy from the device".to_owned(), vec![(from.0, *bytes as u64)])
        }
    }
}
