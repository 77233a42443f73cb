//! Stepping through a kernel, forwards and backwards.
//!
//! A [`Stepper`] executes one warp instruction at a time and reports its effect. Between steps it
//! shows the registers of lanes, and memory. Going back restores a snapshot, which shares all
//! memory pages with the present, and repeats the steps from there: a run is a pure function of its
//! inputs.

mod activations;
mod inspection;
mod threads;

use std::sync::Arc;

use super::device::ModuleHandle;
use super::simulator::Simulator;
use crate::argument::ArgumentPlace;
use crate::findings::explain::explain;
use crate::internal::InternalError;
use crate::lanes::{LANES, Registers};
use crate::lower::{Program, RegisterName};
use crate::machine::{Machine, Stop};
use crate::observe::{Mark, Step, Trace, Values};
use crate::passes::Remark;
use crate::ptx::Type;
use crate::report::{Finding, Outcome};
use crate::schedule::Schedule;
pub use activations::LocalVariable;
pub use inspection::{Activation, Variable};
pub use threads::Arrival;

/// Steps between snapshots, at first; doubled when there are too many.
const INTERVAL: usize = 32;

/// Snapshots kept.
const SNAPSHOTS: usize = 256;

/// A launch that is stepped through.
///
/// ```
/// # use warpsim::host::{Device, Launch, Simulator};
/// # let text = ".version 7.0 .target sm_70 .address_size 64
/// #   .entry k() { .reg .u32 %a; mov.u32 %a, %laneid; add.u32 %a, %a, 1; ret; }";
/// # let mut gpu = Simulator::default();
/// # let module = gpu.load(&warpsim::ptx::parse("k.ptx", text)?)?;
/// let mut stepper = gpu.stepper(module, "k", &Launch::new(1, 32), &[])?;
/// while let Some(step) = stepper.step() {
///     if &*step.name == "add.u32" {
///         break;
///     }
/// }
/// assert_eq!(stepper.register(0, 0, 5, "%a").map(|r| r.bits), Some(6));
/// stepper.back();
/// assert_eq!(stepper.register(0, 0, 5, "%a").map(|r| r.bits), Some(5));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Stepper<'a> {
    simulator: &'a mut Simulator,
    module: ModuleHandle,
    machine: Option<Machine>,
    schedule: Box<dyn Schedule>,
    trace: Trace,
    stop: Option<Stop>,
    pointers: Arc<[(ArgumentPlace, u64)]>,
    interval: usize,
    snapshots: Vec<Snapshot>,
    /// The moment at which [`Stepper::run_to`] stopped last.
    arrived: Option<usize>,
}

/// The state before a step.
#[derive(Debug)]
struct Snapshot {
    steps: usize,
    machine: Machine,
    schedule: Box<dyn Schedule>,
    mark: Mark,
    /// Another schedule begins here, so that no earlier snapshot leads to later moments.
    is_kept: bool,
}

/// The value of one lane's register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RegisterValue {
    /// The register's type.
    pub ty: Type,
    /// The bits, zero-extended; a predicate is 0 or 1.
    pub bits: u64,
}

impl RegisterValue {
    fn read(registers: &Registers, register: &RegisterName, lane: usize) -> RegisterValue {
        let values = Values::read(registers, register);
        RegisterValue { ty: values.ty, bits: values.bits[lane % LANES] }
    }
}

impl<'a> Stepper<'a> {
    pub(super) fn new(
        simulator: &'a mut Simulator,
        module: ModuleHandle,
        machine: Machine,
        schedule: Box<dyn Schedule>,
        pointers: Arc<[(ArgumentPlace, u64)]>,
    ) -> Stepper<'a> {
        Stepper {
            simulator,
            module,
            machine: Some(machine),
            schedule,
            trace: Trace::new(),
            stop: None,
            pointers,
            interval: INTERVAL,
            snapshots: Vec::new(),
            arrived: None,
        }
    }

    /// Follows which stores a pass has left in registers, from here on.
    #[must_use]
    pub fn with_remarks(mut self, remarks: &[Remark]) -> Stepper<'a> {
        self.trace = Trace::with_remarks(remarks);
        self
    }

    /// Executes one warp instruction and says what it did. `None` when the launch has ended or was
    /// stopped; see [`Stepper::outcome`].
    pub fn step(&mut self) -> Option<&Step> {
        let before = self.trace.steps().len();
        if before.is_multiple_of(self.interval)
            && self.snapshots.last().is_none_or(|s| s.steps < before)
        {
            self.keep();
        }
        while self.trace.steps().len() == before && self.stop.is_none() {
            let machine = self.machine.as_mut()?;
            match machine.step(self.schedule.as_mut(), Some(&mut self.trace)) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(stop) => self.stop = Some(stop),
            }
        }
        self.trace.steps().get(before)
    }

    /// Takes back the last step. `false` when there is none.
    pub fn back(&mut self) -> bool {
        let Some(target) = self.trace.steps().len().checked_sub(1) else { return false };
        self.go_to(target);
        true
    }

    /// Goes to the moment after `steps` steps: back, or forward as far as the launch goes.
    pub fn go_to(&mut self, steps: usize) {
        if steps < self.trace.steps().len() {
            self.snapshots.retain(|s| s.steps <= steps);
            let Some(snapshot) = self.snapshots.last_mut() else { return };
            self.machine = Some(snapshot.machine.snapshot());
            self.schedule = snapshot.schedule.clone();
            self.trace.rewind(&snapshot.mark);
            self.stop = None;
        }
        while self.trace.steps().len() < steps && self.step().is_some() {}
    }

    /// Runs to the end.
    pub fn finish(&mut self) {
        while self.step().is_some() {}
    }

    fn keep(&mut self) {
        if self.snapshots.len() >= SNAPSHOTS {
            self.interval *= 2;
            let interval = self.interval;
            self.snapshots.retain(|s| s.is_kept || s.steps.is_multiple_of(interval));
            if !self.trace.steps().len().is_multiple_of(interval) {
                return;
            }
        }
        self.push_snapshot(false);
    }

    fn push_snapshot(&mut self, is_kept: bool) {
        let Some(machine) = self.machine.as_mut() else { return };
        self.snapshots.push(Snapshot {
            steps: self.trace.steps().len(),
            machine: machine.snapshot(),
            schedule: self.schedule.clone(),
            mark: self.trace.mark(),
            is_kept,
        });
    }

    /// Goes on from here under another schedule. Moments before this one stay as they were; going
    /// back to one of them and forward again comes here under the schedule of that time.
    ///
    /// ```
    /// # use warpsim::host::{Device, Launch, Simulator};
    /// # let text = ".version 7.0 .target sm_70 .address_size 64
    /// #   .entry k() { .reg .u32 %a; mov.u32 %a, %laneid; add.u32 %a, %a, 1; ret; }";
    /// # let mut gpu = Simulator::default();
    /// # let module = gpu.load(&warpsim::ptx::parse("k.ptx", text)?)?;
    /// let mut stepper = gpu.stepper(module, "k", &Launch::new(1, 64), &[])?;
    /// stepper.set_schedule("reverse".parse()?);
    /// assert_eq!(stepper.step().map(|step| step.warp), Some(1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_schedule(&mut self, schedule: Box<dyn Schedule>) {
        self.schedule = schedule;
        let now = self.trace.steps().len();
        self.snapshots.retain(|s| s.steps < now);
        self.push_snapshot(true);
    }

    /// What has happened so far.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// The program that runs.
    pub fn program(&self) -> Option<&Arc<Program>> {
        self.machine.as_ref().map(|m| &m.environment().program)
    }

    /// How the launch ended; `None` while it has not, or when a bug of warpsim stopped it; see
    /// [`Stepper::bug`]. The finding says why, when it was stopped.
    pub fn outcome(&self) -> Option<(Outcome, Option<Finding>)> {
        let machine = self.machine.as_ref()?;
        match &self.stop {
            Some(stop) => {
                let environment = machine.environment();
                let launcher = self.simulator.settings().launcher;
                let (outcome, mut finding) =
                    explain(stop, environment, &self.pointers, launcher).ok()?;
                let words = self.simulator.asserted(self.module, &environment.program, stop);
                finding.explanation = words.unwrap_or(finding.explanation);
                Some((outcome, Some(finding)))
            }
            None => machine.has_ended().then_some((Outcome::Completed, None)),
        }
    }

    /// The bug of warpsim that stopped the launch, if one did.
    pub fn bug(&self) -> Option<&InternalError> {
        match &self.stop {
            Some(Stop::Internal(error)) => Some(error),
            Some(
                Stop::Memory { .. }
                | Stop::Trap(_)
                | Stop::Fault { .. }
                | Stop::Deadlock(_)
                | Stop::Livelock { .. }
                | Stop::Limit(_)
                | Stop::Interrupted(_),
            )
            | None => None,
        }
    }
}

impl Drop for Stepper<'_> {
    fn drop(&mut self) {
        if let Some(machine) = self.machine.take() {
            self.simulator.take_back(machine, |_| ());
        }
    }
}
