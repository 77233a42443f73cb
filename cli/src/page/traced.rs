//! A launch, traced and checked in one run, for its page.

use warpsim::host::{Checking, DeviceError, Schedules, Simulator};
use warpsim::observe::{Observer, Several, Statistics, Step, TraceStream};
use warpsim::report::{Finding, Outcome};
use warpsim_formats::shared::Variable;
use warpsim_formats::traced::{KeptSteps, SHOWN_CELLS, Steps, TextFile};

use super::shown::Shown;
use crate::args::{self, LaunchOptions};
use crate::failure::Failure;
use crate::launch::device::LaunchDevice as _;
use crate::launch::state::BufferState;
use crate::launch::{Prepared, TRACE_STEPS, refused};
use crate::output::Output;
use crate::statistics::MachineRow;

/// A launch that was traced.
pub(crate) struct Traced {
    steps: Vec<Step>,
    shown: Shown,
    findings: Vec<Finding>,
}

impl Traced {
    /// Runs the launches that the options ask for, on a new device, and traces the last one; under
    /// this schedule, or the one of the options.
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
                let ended = (report.outcome, report.findings);
                return Traced::of(prepared, options, KeptSteps::default(), ended, None);
            }
        }
        prepared.device.settings_mut().checking =
            Some(Checking::default().with_schedules(Schedules::AsSet));
        let index = prepared.enter(options, options.launches)?;
        let mut kept = Steps::default();
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
        let kept = kept.finish().map_err(Failure::Write)?;
        Traced::of(prepared, options, kept, ended, Some(machine))
    }

    fn of(
        mut prepared: Prepared<Simulator>,
        options: &LaunchOptions,
        kept: KeptSteps,
        (outcome, findings): (Outcome, Vec<Finding>),
        machine: Option<MachineRow>,
    ) -> Result<Traced, Failure> {
        let ran = prepared.device.ran(options);
        let current = prepared.current().map(|variant| variant.handle);
        let current = current.ok_or_else(|| warpsim::internal!("no launch was begun"))?;
        let program = prepared.device.program(current, &prepared.kernel)?;
        let dynamic = prepared.launch.shared;
        let shared = program.shared.iter();
        let shared = shared.map(|symbol| Variable::of(symbol, dynamic, &kept.steps)).collect();
        let mut buffers = Vec::new();
        for buffer in &prepared.buffers {
            let cells = Some(args::Shown::First(SHOWN_CELLS));
            match BufferState::read(&mut prepared.device, buffer, cells) {
                Ok(state) => buffers.push(state),
                Err(DeviceError::Lost) => {}
                Err(error) => return Err(error.into()),
            }
        }
        let shown = Shown {
            kernel: prepared.kernel.clone(),
            launch: prepared.launch,
            ran,
            ptx: TextFile::of_module(&prepared.program.source),
            file: crate::cuda::ptx_path(&options.file),
            sources: kept.sources(),
            shared,
            rows: kept.rows,
            left_out: kept.left_out,
            outcome,
            machine,
            buffers,
        };
        Ok(Traced { steps: kept.steps, shown, findings })
    }

    /// What a page shows of it.
    pub(crate) fn shown(&self) -> &Shown {
        &self.shown
    }

    /// The steps, as far as they are kept.
    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// What was found in this run.
    pub(crate) fn findings(&self) -> &[Finding] {
        &self.findings
    }
}
