//! One schedule, run from the beginning.

use std::sync::Arc;

use super::LaunchRequest;
use super::compare::Digest;
use crate::check::{Checking, Schedules};
use crate::lower::Program;
use crate::machine::{GlobalMemory, SharedInit};
use crate::observe::Observer;
use crate::report::{Code, Finding, Outcome, Report};
use crate::schedule::{Counted, InOrder, Places, Recorder, Replay, Schedule};
use crate::taped::Taped;
use crate::{Device, DeviceError, Simulator};

/// The properties that two runs with the same result share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
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
    /// What schedules are checked for, each by itself.
    checking: Option<Checking>,
    /// How the run in order ended.
    pub(super) first: Ending,
}

impl<'a> Runner<'a> {
    /// Runs the launch in order, for comparison. `base` becomes the memory that all runs start
    /// from.
    pub(super) fn new(
        mut base: Simulator,
        request: &'a LaunchRequest,
    ) -> Result<Runner<'a>, DeviceError> {
        let program = base.program(request.module, &request.kernel)?;
        // Runs are compared as they are; checking one is another run.
        let checking = base.settings_mut().checking.take();
        let checking = checking.map(|checking| checking.with_schedules(Schedules::AsSet));
        let (first, _) = run(base.fork(), request, &InOrder::new(), None)?;
        let steps = first.report.counts.warp_instructions;
        let most = steps.saturating_mul(LONGEST).saturating_add(AT_LEAST);
        let settings = base.settings_mut();
        settings.max_steps = settings.max_steps.min(most);
        Ok(Runner { base, request, program, checking, first })
    }

    /// The launch.
    pub(super) fn request(&self) -> &'a LaunchRequest {
        self.request
    }

    /// A device for one run that is checked, when the settings ask for it.
    pub(super) fn fork_checking(&mut self) -> Simulator {
        let mut gpu = self.base.fork();
        gpu.settings_mut().checking = self.checking.clone();
        gpu
    }

    /// The contents of memory before each run.
    pub(super) fn memory(&self) -> Digest {
        Digest::of(self.base.global())
    }

    /// What a schedule is found to be wrong with, when the settings ask for it.
    pub(super) fn check(
        &mut self,
        schedule: &dyn Schedule,
    ) -> Result<Option<Vec<Finding>>, DeviceError> {
        if self.checking.is_none() {
            return Ok(None);
        }
        let (ending, _) = run(self.fork_checking(), self.request, schedule, None)?;
        Ok(Some(ending.report.findings))
    }

    /// The kernel.
    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    /// A device for one run.
    pub(super) fn fork(&mut self) -> Simulator {
        self.base.fork()
    }

    /// Whether the exploration was ended from outside.
    pub(super) fn is_interrupted(&self) -> bool {
        self.base.settings().meter.as_ref().is_some_and(|meter| meter.is_interrupted())
    }

    /// Later runs go to their end: they are few, and show the results of the others.
    pub(super) fn conclude(&mut self) {
        self.base.settings_mut().meter = None;
    }

    /// Whether warps move as wholes anyway.
    pub(super) fn is_lockstep(&self) -> bool {
        self.base.settings().model == crate::Model::Lockstep
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

    /// What shared memory holds at first.
    pub(super) fn shared_init(&self) -> SharedInit {
        self.base.settings().shared_init
    }

    /// How long the run in order is, for schedules that choose at these places; `None` for
    /// everywhere.
    pub(super) fn length(&mut self, places: Option<Places>) -> Result<Counted, DeviceError> {
        let counted = Counted::new(&InOrder::new()).at(places);
        self.run(&counted, None)?;
        Ok(counted)
    }

    /// Runs a schedule and returns where it departs from the default one.
    pub(super) fn record(
        &mut self,
        schedule: &dyn Schedule,
    ) -> Result<(Ending, Replay), DeviceError> {
        let tape = Taped::new(Recorder::new(schedule.boxed()));
        let (ending, _) = self.run(&tape, None)?;
        Ok((ending, tape.replay()))
    }
}

/// Runs a launch on a separate device.
pub(super) fn run(
    mut gpu: Simulator,
    request: &LaunchRequest,
    schedule: &dyn Schedule,
    observer: Option<&mut dyn Observer>,
) -> Result<(Ending, Simulator), DeviceError> {
    gpu.settings_mut().schedule = schedule.boxed();
    let LaunchRequest { module, kernel, launch, arguments, .. } = request;
    let report = match observer {
        Some(observer) => gpu.launch_observed(*module, kernel, launch, arguments, observer)?,
        None => gpu.launch(*module, kernel, launch, arguments)?,
    };
    let completed = report.outcome == Outcome::Completed;
    let key = Key {
        outcome: report.outcome,
        code: stopped_by(&report),
        digest: completed.then(|| Digest::of(gpu.global())),
    };
    Ok((Ending { key, report }, gpu))
}

/// What stopped a run; other findings stop none.
fn stopped_by(report: &Report) -> Option<Code> {
    let stops = |code: &Code| match report.outcome {
        Outcome::Completed => false,
        Outcome::Finding => {
            matches!(code, Code::OutOfBounds | Code::Misaligned | Code::UseAfterFree)
        }
        Outcome::Deadlock => *code == Code::Deadlock,
        Outcome::Livelock => *code == Code::Livelock,
        Outcome::Limit => *code == Code::Limit,
        Outcome::Fault => matches!(code, Code::Fault | Code::SyncMask | Code::BarrierDivergence),
        Outcome::Trap => matches!(code, Code::Trap | Code::Assert),
        Outcome::Hung => *code == Code::Hung,
    };
    report.findings.iter().map(|finding| finding.code).find(stops)
}
