//! Races between tasks: launches, copies and frees that streams and events leave unordered (PTX ISA
//! 8.9.4; CUDA driver API, "Stream synchronization behavior").
//!
//! Two tasks conflict where both touch a byte of global memory and one writes or frees it. They
//! race there unless one happens before the other ([`crate::observe::Order`]) or both accesses are
//! strong at device or system scope. Threads of one launch are judged by [`crate::races`].
//!
//! Memory that is allocated or freed in the order of streams must be used after its allocation and
//! before its free ([`lifetimes`]). The order in which the tasks were carried out does not count.
//!
//! Code that sees the host's own actions on memory reports them. Some code sees only its writes
//! ([`TaskRaces::host_reaches`]). Then the host may have learned without a call that something is
//! over. It may have read what a launch wrote there for others, or learned it from one of its
//! functions that a stream called. The host's later writes then count as having waited for that,
//! and as atomic.
//!
//! Which way it can be wrong: tasks run one after the other here. So release and acquire patterns
//! between two kernels that run at the same time are not looked for. Accesses that only such a
//! pattern orders are reported as a race. Strong accesses that are no synchronisation are not
//! reported as `unordered`. `ld.const` is not seen.
//!
//! It keeps what each task has touched, some 16 bytes for each access that touched new bytes. It
//! keeps this until [`TaskRaces::forget`] says that nothing later can be unordered with it. Tasks
//! that touch the same share that.

mod area;
mod by_page;
mod footprint;
mod kept;
mod lifetimes;
mod outline;
#[cfg(test)]
mod tests;
mod wording;

use std::collections::BTreeMap;

use footprint::{Conflict, Footprint, Strength, Use};
use kept::Kept;
use lifetimes::Lifetimes;

use crate::lanes::lanes_of;
use crate::lower::{Order as MemoryOrder, Scope, Semantics};
use crate::observe::{
    Access, AccessKind, Clock, Event, HostAccess, HostAccessKind, Interest, LaunchFacts, Observer,
    OperationId, Order,
};
use crate::ptx::Space;
use crate::report::Finding;

/// Finds races between tasks.
///
/// ```
/// use warpsim::host::{Device, Simulator, StreamKind};
/// use warpsim::observe::TaskRaces;
///
/// let mut gpu = Simulator::default();
/// let mut races = TaskRaces::default();
/// let mut device = gpu.watched(&mut races);
/// let buffer = device.allocate(4)?;
/// let (a, b) = (device.stream(StreamKind::Blocking)?, device.stream(StreamKind::Blocking)?);
/// device.upload_async(a, buffer, &[1, 2, 3, 4])?;
/// device.download_async(b, buffer, 4)?;
/// device.synchronise()?;
/// let findings = races.take_findings();
/// assert_eq!(findings.len(), 1);
/// assert_eq!(findings[0].code.name(), "race");
/// # Ok::<(), warpsim::host::DeviceError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TaskRaces {
    over: Kept,
    running: Option<Footprint>,
    /// What the host itself wrote last: it may be reported in pieces.
    writing: Option<Footprint>,
    /// Memory that the host reaches with only some of its accesses reported. Maps first bytes to
    /// ends.
    reached: BTreeMap<u64, u64>,
    /// The running launch has written there, by a strong access.
    signals: bool,
    /// What the host may have learned to be over.
    learned: Clock,
    found: Vec<TaskRace>,
    lifetimes: Lifetimes,
}

/// A race between two tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRace {
    /// The race.
    pub finding: Finding,
    /// The number of the launch that is its later task, by its device; `None` for a copy or another
    /// act of the host.
    pub later: Option<u64>,
    /// The same of its earlier task.
    pub earlier: Option<u64>,
    /// Both tasks, the later one first.
    pub operations: [OperationId; 2],
    /// It concerns the beginning or the end of the life of memory: one of the tasks allocates it or
    /// frees it.
    pub of_lifetime: bool,
}

impl TaskRaces {
    /// The findings, which are then forgotten: one for each pair of tasks, with the lowest byte of
    /// their race as the example.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        self.take().into_iter().map(|race| race.finding).collect()
    }

    /// The same, which keeps about this many bytes at most. If tasks touch more and the host waits
    /// for none, it keeps only the last of equal tasks in one stream, and then forgets the oldest.
    /// Races with forgotten tasks are missed.
    #[must_use]
    pub fn with_limit(mut self, bytes: usize) -> TaskRaces {
        self.over.set_limit(bytes);
        self
    }

    /// How many tasks were forgotten to stay within the limit: races with these are missed.
    pub fn forgotten(&self) -> u64 {
        self.over.forgotten()
    }

    /// As [`TaskRaces::take_findings`], with the launches of each.
    pub fn take(&mut self) -> Vec<TaskRace> {
        self.end_writing();
        std::mem::take(&mut self.found)
    }

    /// The host reaches this memory, and only some of its accesses there are reported.
    pub fn host_reaches(&mut self, start: u64, bytes: u64) {
        self.reached.insert(start, start.saturating_add(bytes));
    }

    /// The host no longer reaches it so.
    pub fn host_leaves(&mut self, start: u64) {
        self.reached.remove(&start);
    }

    /// From now on the host may know that this operation, and everything before it, is over.
    pub fn host_learns(&mut self, order: &Order) {
        self.end_writing();
        self.learn(order);
    }

    fn learn(&mut self, order: &Order) {
        self.learned.join(order.before());
        if !self.learned.has(order.operation()) {
            self.learned.set(order.operation());
        }
    }

    /// Forgets the tasks that happen before every later operation: the tasks that the host has
    /// waited for.
    pub fn forget(&mut self, waited_for: &Clock) {
        self.end_writing();
        self.over.forget(waited_for);
    }

    /// Memory that was allocated or freed in the order of a stream is gone. No later access finds
    /// it. Other memory may get its address later.
    pub fn forget_memory(&mut self, base: u64) {
        self.lifetimes.forget(base);
    }

    /// The numbers of the launches that it has not forgotten.
    pub fn launches(&self) -> impl Iterator<Item = u64> {
        self.over.tasks().filter_map(Footprint::launch)
    }

    /// The operations that it has not forgotten, by their numbers.
    pub fn operations(&self) -> impl Iterator<Item = u64> {
        self.over.tasks().map(|task| task.order.operation().number)
    }

    /// How many operations it has not forgotten.
    pub fn kept(&self) -> usize {
        self.over.count()
    }

    /// Whether the host may have known, before it did this, that an operation was over.
    fn may_know(&self, task: &Footprint, earlier: &Footprint) -> bool {
        task.access_by_host().is_some() && self.learned.has(earlier.order.operation())
    }

    /// The report of what the host wrote is complete.
    fn end_writing(&mut self) {
        if let Some(task) = self.writing.take() {
            self.judge(task);
        }
    }

    /// Whether the host may reach the memory from an address on without being seen.
    fn is_reached(&self, address: u64) -> bool {
        let below = self.reached.range(..=address).next_back();
        below.is_some_and(|(_, end)| address < *end)
    }

    /// A task is over: compares it with those before, and with the lives of the memory that it
    /// touched.
    fn judge(&mut self, task: Footprint) {
        for earlier in self.over.unordered_with(&task) {
            if !self.may_know(&task, earlier) {
                let conflicts = earlier.conflicts(&task);
                self.found.extend(race(&conflicts, earlier, &task));
            }
        }
        for edge in self.lifetimes.broken_by(&task) {
            let conflicts = edge.conflicts(&task);
            self.found.extend(race(&conflicts, edge, &task));
        }
        if let Some(task) = self.lifetimes.enter(task) {
            self.over.keep(task);
        }
    }
}

/// Two tasks that conflict make one finding. They lack one wait, however many instructions touch
/// the same bytes.
fn race(conflicts: &[Conflict], earlier: &Footprint, later: &Footprint) -> Option<TaskRace> {
    let is_edge = |what: Use| matches!(what, Use::Allocate | Use::Free);
    let conflict = conflicts.iter().min_by_key(|conflict| conflict.address)?;
    Some(TaskRace {
        finding: wording::finding(conflict, conflicts.len() - 1, earlier, later),
        later: later.launch(),
        earlier: earlier.launch(),
        operations: [later.order.operation(), earlier.order.operation()],
        of_lifetime: is_edge(conflict.earlier.what) || is_edge(conflict.later.what),
    })
}

impl Observer for TaskRaces {
    fn interest(&self) -> Interest {
        Interest::none().with_accesses(true)
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        self.end_writing();
        self.signals = false;
        self.running = Some(Footprint::of_launch(launch.clone()));
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        if access.space != Space::Global {
            return;
        }
        let what = match access.kind {
            AccessKind::Read => Use::Read,
            AccessKind::Write => Use::Write,
            AccessKind::Atomic => Use::Both,
        };
        let how = (what, strength(access.semantics));
        // A host that polls what only other launches may poll is wrong, but it still learns.
        if what != Use::Read && how.1 != Strength::Weak && !self.signals {
            self.signals = runs(access).any(|run| self.is_reached(run.address));
        }
        let Some(running) = &mut self.running else { return };
        for run in runs(access) {
            let thread = (event.block, event.warp, run.lane);
            running.touch(event.pc, how, thread, (run.address, run.bytes), access.bytes);
        }
    }

    fn launch_end(&mut self) {
        if let Some(task) = self.running.take() {
            if std::mem::take(&mut self.signals) {
                self.learn(&task.order);
            }
            self.judge(task);
        }
    }

    fn host_access(&mut self, access: &HostAccess) {
        if let Some(writing) = &mut self.writing
            && writing.order.operation() == access.order.operation()
            && writing.access_by_host() == Some(access.kind)
        {
            writing.extend(access);
            return;
        }
        self.end_writing();
        let by_host = match self.is_reached(access.address) {
            true => Strength::System,
            false => Strength::Weak,
        };
        let task = Footprint::of_host(access, by_host);
        match access.kind {
            HostAccessKind::Store => self.writing = Some(task),
            HostAccessKind::Read
            | HostAccessKind::Write
            | HostAccessKind::Free
            | HostAccessKind::Allocate
            | HostAccessKind::Release
            | HostAccessKind::Load
            | HostAccessKind::CopyRead
            | HostAccessKind::CopyWrite => self.judge(task),
        }
    }
}

/// Lanes that follow each other and touch bytes that follow each other.
struct Run {
    /// The first lane.
    lane: u32,
    address: u64,
    bytes: u64,
}

/// The lanes of an access as runs. Of lanes that touch the same bytes one after the other, the
/// first counts.
fn runs<'a>(access: &'a Access<'_>) -> impl Iterator<Item = Run> + 'a {
    let each = u64::from(access.bytes);
    let mut lanes = lanes_of(access.mask).peekable();
    std::iter::from_fn(move || {
        let first = lanes.next()?;
        let address = access.addresses[first];
        let mut bytes = each;
        while let Some(lane) = lanes.peek().copied() {
            let at = access.addresses[lane];
            let is_same = bytes == each && at == address;
            if lane as u64 == first as u64 + bytes / each && at == address.wrapping_add(bytes) {
                bytes += each;
            } else if !is_same {
                break;
            }
            lanes.next();
        }
        Some(Run { lane: first as u32, address, bytes })
    })
}

/// Whether an access is strong, and whether its scope includes other launches and the host.
fn strength(semantics: Semantics) -> Strength {
    match (semantics.order, semantics.scope) {
        (MemoryOrder::Weak, _) => Strength::Weak,
        (MemoryOrder::Volatile, _) | (_, Scope::System) => Strength::System,
        (_, Scope::Gpu) => Strength::Device,
        (_, Scope::Block | Scope::Cluster) => Strength::Weak,
    }
}
