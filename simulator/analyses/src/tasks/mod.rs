//! Races between tasks: launches, copies and frees that streams and events leave unordered (PTX ISA
//! 8.9.4; CUDA driver API, "Stream synchronization behavior").
//!
//! Two tasks conflict where both touch a byte of global memory and one writes or frees it. They race
//! there unless one happens before the other ([`crate::observe::Order`]) or both accesses are strong
//! at device or system scope. Threads of one launch are judged by [`crate::races`].
//!
//! Which way it can be wrong: tasks run one after the other here, so that release and acquire
//! patterns between two kernels that run at the same time are not looked for: what only such a
//! pattern orders is called a race. Strong accesses that are no synchronisation are not called
//! `unordered`. `ld.const` is not seen.
//!
//! It keeps what each task has touched, some 16 bytes for each access that touched new bytes, until it is told that
//! nothing later can be unordered with it ([`TaskRaces::forget`]).

mod footprint;
mod wording;

use std::collections::VecDeque;

use footprint::{Footprint, Strength, Task, Use};

use crate::lanes::lanes_of;
use crate::lower::{Order as MemoryOrder, Scope, Semantics};
use crate::observe::{
    Access, AccessKind, Event, HostAccess, Interest, LaunchFacts, Observer, OperationId,
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
    over: VecDeque<Footprint>,
    running: Option<Footprint>,
    found: Vec<TaskRace>,
    /// How many bytes of footprints to keep, if there is a limit, and how many are kept.
    most: Option<usize>,
    kept: usize,
}

/// A race between two tasks.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskRace {
    /// The race.
    pub finding: Finding,
    /// The number of the launch that is its later task, by its device; `None` for a copy or another act of the host.
    pub later: Option<u64>,
    /// The same of its earlier task.
    pub earlier: Option<u64>,
}

impl TaskRaces {
    /// What was found, and forgets it: one finding for each pair of instructions or copies of two
    /// tasks.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        self.take().into_iter().map(|race| race.finding).collect()
    }

    /// The same, which keeps about so many bytes at most: where tasks touched more and nothing was forgotten, the oldest
    /// are, and races with them are missed.
    #[must_use]
    pub fn with_limit(mut self, bytes: usize) -> TaskRaces {
        self.most = Some(bytes);
        self
    }

    /// As [`TaskRaces::take_findings`], with the launches of each.
    pub fn take(&mut self) -> Vec<TaskRace> {
        std::mem::take(&mut self.found)
    }

    /// Forgets the tasks that happen before all that will ever be issued: those that the host has waited for.
    pub fn forget(&mut self, is_waited_for: impl Fn(OperationId) -> bool) {
        let kept = &mut self.kept;
        self.over.retain(|task| {
            let is_over = is_waited_for(task.order.operation());
            if is_over {
                *kept -= task.bytes();
            }
            !is_over
        });
    }

    /// The numbers of the launches that it has not forgotten.
    pub fn launches(&self) -> impl Iterator<Item = u64> {
        self.over.iter().filter_map(Footprint::launch)
    }

    /// A task is over: compares it with those before.
    fn judge(&mut self, task: Footprint) {
        for earlier in &self.over {
            if !task.is_ordered_with(earlier) {
                let race = |conflict| TaskRace {
                    finding: wording::finding(conflict, earlier, &task),
                    later: task.launch(),
                    earlier: earlier.launch(),
                };
                self.found.extend(earlier.conflicts(&task).iter().map(race));
            }
        }
        self.kept += task.bytes();
        self.over.push_back(task);
        while self.most.is_some_and(|most| self.kept > most)
            && let Some(oldest) = self.over.pop_front()
        {
            self.kept -= oldest.bytes();
        }
    }
}

impl Observer for TaskRaces {
    fn interest(&self) -> Interest {
        Interest::none().with_accesses(true)
    }

    fn launch_begin(&mut self, launch: &LaunchFacts) {
        let task = Task::Launch(launch.clone());
        self.running = Some(Footprint::new(task, launch.order.clone()));
    }

    fn access(&mut self, event: &Event<'_>, access: &Access<'_>) {
        let Some(running) = self.running.as_mut().filter(|_| access.space == Space::Global) else {
            return;
        };
        let what = match access.kind {
            AccessKind::Read => Use::Read,
            AccessKind::Write => Use::Write,
            AccessKind::Atomic => Use::Both,
        };
        let how = (what, strength(access.semantics));
        for run in runs(access) {
            let thread = (event.block, event.warp, run.lane);
            running.touch(event.pc, how, thread, (run.address, run.bytes), access.bytes);
        }
    }

    fn launch_end(&mut self) {
        if let Some(task) = self.running.take() {
            self.judge(task);
        }
    }

    fn host_access(&mut self, access: &HostAccess) {
        self.judge(Footprint::new(Task::Host(access.clone()), access.order.clone()));
    }
}

/// Lanes that follow each other and touch bytes that follow each other.
struct Run {
    /// The first lane.
    lane: u32,
    address: u64,
    bytes: u64,
}

/// The lanes of an access as runs. Of lanes that touch the same bytes one after the other, the first counts.
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

/// Whether an access is strong, with a scope that includes other launches.
fn strength(semantics: Semantics) -> Strength {
    let is_weak = semantics.order == MemoryOrder::Weak;
    let is_wide = matches!(semantics.scope, Scope::Gpu | Scope::System)
        || semantics.order == MemoryOrder::Volatile;
    if is_wide && !is_weak { Strength::Strong } else { Strength::Weak }
}
