//! One schedule, run from the beginning.

use std::sync::{Arc, Mutex, PoisonError};

use super::LaunchRequest;
use super::compare::Digest;
use crate::host::{Device, DeviceError, Simulator};
use crate::lower::Program;
use crate::machine::GlobalMemory;
use crate::observe::Observer;
use crate::report::{Code, Outcome, Report};
use crate::schedule::{InOrder, Move, Recorder, Replay, Schedule, View};

/// What two runs must share to have the same result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) outcome: Outcome,
    pub(super) code: Option<Code>,
    pub(super) digest: Option<Digest>,
}

/// How a run ended.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    pub(super) key: Key,
    pub(super) report: Report,
}

/// A run that takes this many times the instructions of the first one, and [`AT_LEAST`] more, is
/// cut off: a schedule that splits every warp takes 32 times as many, and who spins some more.
const LONGEST: u64 = 256;

/// See [`LONGEST`].
const AT_LEAST: u64 = 200_000;

/// Runs the same launch again and again, always from the same memory.
#[derive(Debug)]
pub(super) struct Runner<'a> {
    base: Simulator,
    request: &'a LaunchRequest,
    program: Arc<Program>,
    /// How the run in order ended.
    pub(super) first: Ending,
}

impl<'a> Runner<'a> {
    /// Runs the launch in order, for comparison. `base` becomes the memory that all runs start from.
    pub(super) fn new(
        mut base: Simulator,
        request: &'a LaunchRequest,
    ) -> Result<Runner<'a>, DeviceError> {
        let program = base.program(request.module, &request.kernel)?;
        let (first, _) = run(base.fork(), request, &InOrder::new(), None)?;
        let steps = first.report.counts.warp_instructions;
        let most = steps.saturating_mul(LONGEST).saturating_add(AT_LEAST);
        let settings = base.settings_mut();
        settings.max_steps = settings.max_steps.min(most);
        Ok(Runner { base, request, program, first })
    }

    /// The launch.
    pub(super) fn request(&self) -> &'a LaunchRequest {
        self.request
    }

    /// The kernel.
    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    /// A device for one run.
    pub(super) fn fork(&mut self) -> Simulator {
        self.base.fork()
    }

    /// Whether warps move as wholes anyway.
    pub(super) fn is_lockstep(&self) -> bool {
        self.base.settings().model == crate::host::Model::Lockstep
    }

    /// Runs a schedule. Gives the memory that it left, too.
    pub(super) fn run(
        &mut self,
        schedule: &dyn Schedule,
        observer: Option<&mut dyn Observer>,
    ) -> Result<(Ending, GlobalMemory), DeviceError> {
        let gpu = self.fork();
        let (ending, mut gpu) = run(gpu, self.request, schedule, observer)?;
        Ok((ending, gpu.take_memory()))
    }

    /// Runs a schedule and tells where it departs from the default one.
    pub(super) fn record(
        &mut self,
        schedule: &dyn Schedule,
    ) -> Result<(Ending, Replay), DeviceError> {
        let tape = Arc::new(Mutex::new(Recorder::new(schedule.copy())));
        let (ending, _) = self.run(&Taped(Arc::clone(&tape)), None)?;
        let replay = tape.lock().unwrap_or_else(PoisonError::into_inner).replay();
        Ok((ending, replay))
    }
}

/// Runs a launch on a device of its own.
pub(super) fn run(
    mut gpu: Simulator,
    request: &LaunchRequest,
    schedule: &dyn Schedule,
    observer: Option<&mut dyn Observer>,
) -> Result<(Ending, Simulator), DeviceError> {
    gpu.settings_mut().schedule = schedule.copy();
    let LaunchRequest { module, kernel, launch, arguments, .. } = request;
    let report = match observer {
        Some(observer) => gpu.launch_observed(*module, kernel, launch, arguments, observer)?,
        None => gpu.launch(*module, kernel, launch, arguments)?,
    };
    let completed = report.outcome == Outcome::Completed;
    let key = Key {
        outcome: report.outcome,
        code: report.findings.first().map(|f| f.code),
        digest: completed.then(|| Digest::of(gpu.global())),
    };
    Ok((Ending { key, report }, gpu))
}

/// A recorder that can be read after the run: launches run a copy of their schedule.
#[derive(Debug)]
struct Taped(Arc<Mutex<Recorder>>);

impl Schedule for Taped {
    fn next(&mut self, view: &dyn View) -> Option<Move> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).next(view)
    }

    fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    fn copy(&self) -> Box<dyn Schedule> {
        Box::new(Taped(Arc::clone(&self.0)))
    }

    fn recurrence(&self, resident: usize) -> Option<u64> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).recurrence(resident)
    }
}
