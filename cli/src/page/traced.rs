//! A launch, traced and checked in one run, for its page.

use std::path::PathBuf;

use serde_json::Value;
use warpsim::host::{Checking, DeviceError, Launch, Schedules, Simulator};
use warpsim::observe::{Observer, Several, Statistics, Step, TraceStream};
use warpsim::ptx::Source;
use warpsim::report::{Finding, Outcome};
use warpsim_formats::compact::compact;
use warpsim_formats::shared::Variable;

use crate::args::{LaunchOptions, Shown};
use crate::failure::Failure;
use crate::json;
use crate::launch::device::{LaunchDevice as _, Ran};
use crate::launch::state::BufferState;
use crate::launch::{Prepared, TRACE_STEPS, refused};
use crate::output::Output;
use crate::statistics::MachineRow;
use crate::steps::row;

/// Bytes of steps, as JSON, that a page holds: it stays quick to load and below 5 MB.
const MOST_BYTES: usize = 4 << 20;

/// Cells of a buffer that a page shows.
const CELLS: u64 = 1024;

/// A launch that was traced.
pub(crate) struct Traced {
    steps: Vec<Step>,
    /// The steps, as `trace --format json` writes them, with equal lanes written once.
    pub(super) rows: Vec<Value>,
    /// Steps behind those.
    pub(super) left_out: u64,
    pub(super) outcome: Outcome,
    /// How the launch used the machine; `None` where it did not begin.
    pub(super) machine: Option<MachineRow>,
    pub(super) buffers: Vec<BufferState>,
    pub(super) shared: Vec<Variable>,
    pub(super) kernel: String,
    pub(super) launch: Launch,
    pub(super) ran: Ran,
    pub(super) ptx: Source,
    pub(super) file: PathBuf,
    findings: Vec<Finding>,
}

/// Steps, up to so many bytes.
#[derive(Default)]
struct Kept {
    steps: Vec<Step>,
    rows: Vec<Value>,
    bytes: usize,
    left_out: u64,
    failed: Option<std::io::Error>,
}

impl Kept {
    fn add(&mut self, step: Step) {
        if self.bytes > MOST_BYTES {
            self.left_out += 1;
            return;
        }
        let text = json::to_string(&row(&step)).and_then(|text| {
            let mut value: Value = serde_json::from_str(&text)?;
            compact(&mut value, step.active);
            self.bytes += json::to_string(&value)?.len();
            Ok(value)
        });
        match text {
            Ok(row) => {
                self.steps.push(step);
                self.rows.push(row);
            }
            Err(error) => self.failed = Some(error),
        }
    }
}

impl Traced {
    /// Runs the launches that the options ask for, on a device of its own, and traces the last one;
    /// under this schedule, or the one of the options.
    ///
    /// # Errors
    /// A launch cannot start, or the schedule is none.
    pub(crate) fn run(
        mut prepared: Prepared<Simulator>,
        options: &LaunchOptions,
        schedule: Option<&str>,
        output: &Output,
    ) -> Result<Traced, Failure> {
        let settings = prepared.device.settings_mut();
        settings.max_steps = options.max_steps.unwrap_or(TRACE_STEPS);
        if let Some(schedule) = schedule {
            settings.schedule = schedule
                .parse()
                .map_err(|error| warpsim::internal!("{schedule} is no schedule: {error}"))?;
        }
        for number in 1..options.launches {
            let report = prepared.launch(options, number, output)?.report;
            if report.outcome != Outcome::Completed {
                let kept = Kept::default();
                let ended = (report.outcome, report.findings);
                return Traced::of(prepared, options, kept, ended, None);
            }
        }
        prepared.device.settings_mut().checking =
            Some(Checking::default().with_schedules(Schedules::AsSet));
        let index = prepared.enter(options, options.launches)?;
        let mut kept = Kept::default();
        let mut statistics = Statistics::default();
        let report = {
            let Prepared { device, variants, kernel, launch, arguments, .. } = &mut prepared;
            let variant = &variants[index];
            let mut trace = TraceStream::new(&variant.remarks, |step| kept.add(step));
            let both: [&mut dyn Observer; 2] = [&mut trace, &mut statistics];
            let mut both = Several::new(both);
            let report =
                device.launch_observed(variant.handle, kernel, launch, arguments, &mut both);
            drop(both);
            drop(trace);
            report.map_err(|error| refused(error, &variant.module, output))?
        };
        let machine = MachineRow::of(&statistics.totals(), &options.device);
        let ended = (report.outcome, report.findings);
        Traced::of(prepared, options, kept, ended, Some(machine))
    }

    fn of(
        mut prepared: Prepared<Simulator>,
        options: &LaunchOptions,
        kept: Kept,
        (outcome, findings): (Outcome, Vec<Finding>),
        machine: Option<MachineRow>,
    ) -> Result<Traced, Failure> {
        if let Some(error) = kept.failed {
            return Err(Failure::Write(error));
        }
        let ran = prepared.device.ran(options);
        let current = prepared.current().map(|variant| variant.handle);
        let current = current.ok_or_else(|| warpsim::internal!("no launch was begun"))?;
        let program = prepared.device.program(current, &prepared.kernel)?;
        let dynamic = prepared.launch.shared;
        let shared = program.shared.iter();
        let shared = shared.map(|symbol| Variable::of(symbol, dynamic, &kept.steps)).collect();
        let mut buffers = Vec::new();
        for buffer in &prepared.buffers {
            let read = BufferState::read(&mut prepared.device, buffer, Some(Shown::First(CELLS)));
            match read {
                Ok(state) => buffers.push(state),
                Err(DeviceError::Lost) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Traced {
            steps: kept.steps,
            rows: kept.rows,
            left_out: kept.left_out,
            outcome,
            machine,
            buffers,
            shared,
            kernel: prepared.kernel.clone(),
            launch: prepared.launch,
            ran,
            ptx: prepared.program.source.clone(),
            file: crate::cuda::ptx_path(&options.file),
            findings,
        })
    }

    /// The steps, as far as they are kept.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// How many steps are not.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The kernel.
    pub(crate) fn kernel(&self) -> &str {
        &self.kernel
    }

    /// How it ended.
    pub(crate) fn outcome(&self) -> Outcome {
        self.outcome
    }

    /// What was found in this run.
    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }

    /// The schedule that it ran under.
    pub(super) fn schedule(&self) -> &str {
        match &self.ran {
            Ran::Simulated { schedule, .. } => schedule,
            Ran::OnGpu { name, .. } => name,
        }
    }
}
