//! Operations that were issued and have not been carried out, and operations that were carried out
//! but that the host has not waited for.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::handles::{Download, Ended, LaunchHandle, StreamOrder};
use super::outstanding::Outstanding;
use super::pending::Pending;
use super::timelines::Timelines;
use crate::admitted::Admitted;
use crate::argument::ArgumentPlace;
use crate::arguments::addresses;
use crate::observe::{Advance, Clock, OperationId, Order};
use crate::report::Report;
use crate::{Argument, DeviceError, Pointer};

/// An operation of a stream.
#[derive(Clone, Debug)]
pub(crate) enum Task {
    Launch(Admitted),
    Upload { to: Pointer, bytes: Arc<[u8]> },
    Download { from: Pointer, bytes: usize },
    Copy { to: Pointer, from: Pointer, bytes: u64 },
}

/// A task and what happens before it.
#[derive(Clone, Debug)]
pub(crate) struct Queued {
    pub(crate) order: Order,
    pub(crate) task: Task,
}

/// What an operation is called, and the memory that it may use for all that the host knows.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    /// What it is, for people.
    what: String,
    /// First bytes and sizes.
    ranges: Vec<(u64, u64)>,
    /// The host will fetch what it copies.
    is_download: bool,
}

impl Use {
    /// For a launch these are the allocations that its arguments point into: memory that it reaches
    /// through pointers in memory is not known before it runs.
    fn launch(kernel: &str, pointers: &[(ArgumentPlace, u64)]) -> Use {
        let ranges = pointers.iter().map(|(_, address)| (*address, 1)).collect();
        Use { what: format!("a launch of `{kernel}`"), ranges, is_download: false }
    }

    /// The use of a launch with these arguments.
    pub(crate) fn launch_with(kernel: &str, arguments: &[Argument]) -> Use {
        Use::launch(kernel, &addresses(arguments).collect::<Vec<_>>())
    }

    /// The use of a copy to the device.
    pub(crate) fn upload(to: Pointer, bytes: usize) -> Use {
        let what = "a copy to the device".to_owned();
        Use { what, ranges: vec![(to.0, bytes as u64)], is_download: false }
    }

    /// The use of a copy between any two places.
    pub(crate) fn copy(to: Pointer, from: Pointer, bytes: u64) -> Use {
        let ranges = vec![(to.0, bytes), (from.0, bytes)];
        Use { what: "a copy".to_owned(), ranges, is_download: false }
    }

    /// The use of a copy from the device.
    pub(crate) fn download(from: Pointer, bytes: usize) -> Use {
        let what = "a copy from the device".to_owned();
        Use { what, ranges: vec![(from.0, bytes as u64)], is_download: true }
    }
}

impl Task {
    fn uses(&self) -> Use {
        match self {
            Task::Launch(admitted) => Use::launch(&admitted.kernel, &admitted.pointers),
            Task::Upload { to, bytes } => Use::upload(*to, bytes.len()),
            Task::Download { from, bytes } => Use::download(*from, *bytes),
            Task::Copy { to, from, bytes } => Use::copy(*to, *from, *bytes),
        }
    }
}

/// The bytes of a copy to the host that is done.
type Downloaded = Arc<Vec<u8>>;

/// The operations of a device, and the clocks that order them. Copies share the bytes that are on
/// their way. Forks of a device share the records of operations.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queue {
    pub(crate) timelines: Timelines,
    pending: Pending,
    in_flight: Arc<Outstanding<(OperationId, Use)>>,
    ended: Arc<Outstanding<Ended>>,
    downloads: BTreeMap<u64, (OperationId, Option<Downloaded>)>,
    spent: Arc<Spent>,
}

/// The warp instructions of the launches of each timeline since there are events to measure
/// between: the numbers of the launches, each with what it and those before it took.
type Spent = BTreeMap<u32, Vec<(u64, u64)>>;

impl Queue {
    /// Enters an operation of a stream, without a task for it.
    pub(crate) fn enter(&mut self, stream: usize, uses: Use) -> Order {
        let order = self.timelines.issue(stream);
        let operation = order.operation();
        if uses.is_download {
            self.downloads.insert(operation.number, (operation, None));
        }
        Arc::make_mut(&mut self.in_flight).insert(operation, (operation, uses));
        order
    }

    /// Issues a task to a stream.
    pub(crate) fn issue(&mut self, stream: usize, task: Task) -> OperationId {
        let order = self.enter(stream, task.uses());
        let operation = order.operation();
        self.pending.push(Queued { order, task });
        operation
    }

    /// Takes the next task that has to be carried out: now, or, when reversed, because the host
    /// waited for something that has not been. `None` when nothing has to.
    pub(crate) fn next(&mut self, order: StreamOrder) -> Option<Queued> {
        self.pending.next(order, self.timelines.host())
    }

    /// A launch ended.
    pub(crate) fn ended(&mut self, operation: OperationId, ended: Ended) {
        Arc::make_mut(&mut self.ended).insert(operation, ended);
    }

    /// A launch took this many warp instructions.
    pub(crate) fn spent(&mut self, operation: OperationId, warp_instructions: u64) {
        if self.timelines.events() > 0 {
            let spent = Arc::make_mut(&mut self.spent).entry(operation.timeline).or_default();
            let before = spent.last().map_or(0, |(_, sum)| *sum);
            spent.push((operation.number, before + warp_instructions));
        }
    }

    /// The warp instructions of the launches that one event covers and another does not.
    pub(crate) fn spent_between(&self, start: usize, end: usize) -> Result<u64, DeviceError> {
        let (start, end) = (self.timelines.reached(start)?, self.timelines.reached(end)?);
        let on_timeline = |Advance { timeline, from, to }| {
            let spent = self.spent.get(&timeline).map_or(&[][..], Vec::as_slice);
            let up_to = |last: u64| {
                let count = spent.partition_point(|(number, _)| *number <= last);
                spent[..count].last().map_or(0, |(_, sum)| *sum)
            };
            up_to(to) - up_to(from)
        };
        Ok(end.advances_since(start).into_iter().map(on_timeline).sum())
    }

    /// A copy to the host is done.
    pub(crate) fn downloaded(&mut self, operation: OperationId, bytes: Vec<u8>) {
        self.downloads.insert(operation.number, (operation, Some(Arc::new(bytes))));
    }

    /// The launches whose end the host knows and whose reports it has not received, in order of
    /// issue.
    pub(crate) fn take_ended(&mut self) -> Vec<Ended> {
        Arc::make_mut(&mut self.ended).take_waited_for(self.timelines.host())
    }

    /// Forgets the memory that operations use, once the host has waited for them.
    pub(crate) fn forget_what_is_over(&mut self) {
        Arc::make_mut(&mut self.in_flight).take_waited_for(self.timelines.host());
    }

    /// The report of a launch that was carried out, if the host has not received it yet.
    pub(crate) fn report(&self, launch: LaunchHandle) -> Option<&Report> {
        self.ended.get(launch.0).map(|ended| &ended.report)
    }

    /// Takes the report of one launch.
    pub(crate) fn take_report(&mut self, launch: LaunchHandle) -> Option<Ended> {
        Arc::make_mut(&mut self.ended).remove(launch.0)
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
        let is_using = |(operation, uses): &&(OperationId, Use)| {
            !host.has(*operation) && uses.ranges.iter().any(overlaps)
        };
        let mut in_flight = self.in_flight.iter().map(|(_, used)| used);
        let (operation, uses) = in_flight.find(is_using)?;
        Some((uses.what.clone(), (operation.timeline as usize).saturating_sub(1)))
    }
}
