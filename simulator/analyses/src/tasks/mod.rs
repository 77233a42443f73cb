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
//! It keeps what each task has touched, some 16 bytes for each access that touched new bytes.

mod footprint;
mod wording;

use footprint::{Footprint, Strength, Task, Use};

use crate::lanes::lanes_of;
use crate::lower::{Order as MemoryOrder, Scope, Semantics};
use crate::observe::{Access, AccessKind, Event, HostAccess, Interest, LaunchFacts, Observer};
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
    over: Vec<Footprint>,
    running: Option<Footprint>,
    findings: Vec<Finding>,
}

impl TaskRaces {
    /// What was found, and forgets it: one finding for each pair of instructions or copies of two
    /// tasks.
    pub fn take_findings(&mut self) -> Vec<Finding> {
        std::mem::take(&mut self.findings)
    }

    /// A task is over: compares it with those before.
    fn judge(&mut self, task: Footprint) {
        for earlier in &self.over {
            if !task.is_ordered_with(earlier) {
                let conflicts = earlier.conflicts(&task);
                self.findings.extend(conflicts.iter().map(|c| wording::finding(c, earlier, &task)));
            }
        }
        self.over.push(task);
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
        let strength = strength(access.semantics);
        for lane in lanes_of(access.mask) {
            let thread = (event.block, event.warp, lane as u32);
            let bytes = u64::from(access.bytes);
            running.touch(event.pc, (what, strength), thread, access.addresses[lane], bytes);
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

/// Whether an access is strong, with a scope that includes other launches.
fn strength(semantics: Semantics) -> Strength {
    let is_weak = semantics.order == MemoryOrder::Weak;
    let is_wide = matches!(semantics.scope, Scope::Gpu | Scope::System)
        || semantics.order == MemoryOrder::Volatile;
    if is_wide && !is_weak { Strength::Strong } else { Strength::Weak }
}
