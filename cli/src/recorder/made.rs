//! Making runs: launches on a GPU, and their results.

use std::time::Duration;

use warpsim::report::{Outcome, Report};
use warpsim_gpu::recording::{Compiled, Ended, Left, Made, Run, Simulated, Work};
use warpsim_gpu::{GpuError, Isolated, IsolatedSettings, JitLevel};

use super::submission::{parse, submission};
use crate::args::LaunchOptions;
use crate::args::parse::shared_init;
use crate::failure::Failure;
use crate::launch::state::for_each_chunk;
use crate::launch::{Chosen, Prepared};
use crate::output::Output;

/// A GPU that records the launches it is given, one after the other.
pub struct Recorder {
    settings: IsolatedSettings,
    made: Made,
    /// The GPU, except the time of a run.
    gpu: Option<Isolated>,
}

impl Recorder {
    /// Opens a GPU. Each run has its own compiler level and time limit.
    ///
    /// # Errors
    /// There is no driver, or no such GPU.
    pub fn start(settings: IsolatedSettings) -> Result<Recorder, GpuError> {
        let gpu = Isolated::start(settings.clone())?;
        let made = Made::now(gpu.facts());
        Ok(Recorder { settings, made, gpu: Some(gpu) })
    }

    /// The GPU that it records on.
    pub fn made(&self) -> &Made {
        &self.made
    }

    /// Runs the launch that `arguments` describe (FILE and options of `warpsim run`), compiled at
    /// this level, and gives it up after a time. `--shared-init` says what the simulator does to do
    /// the same. The results of a launch that hangs or faults are lost; that is no error.
    ///
    /// # Errors
    /// The options are wrong, or the driver refuses the module or the launch: the driver's words.
    pub fn run(
        &mut self,
        arguments: &[String],
        level: Option<u8>,
        timeout: Duration,
    ) -> Result<Run, String> {
        let options = parse(arguments)?;
        let (mut output, ..) = Output::to_memory(Vec::new());
        let chosen = Chosen::read(&options, &mut output).map_err(|e| e.to_string())?;
        self.record(&options, &chosen, arguments, level, timeout, &output)
            .map_err(|e| e.to_string())
    }

    /// The same for options that were read already; `arguments` are their words, each option and
    /// its value in two.
    pub(crate) fn record(
        &mut self,
        options: &LaunchOptions,
        chosen: &Chosen,
        arguments: &[String],
        level: Option<u8>,
        timeout: Duration,
        output: &Output,
    ) -> Result<Run, Failure> {
        let mut gpu = match self.gpu.take() {
            Some(gpu) => gpu,
            None => {
                Isolated::start(self.settings.clone()).map_err(|e| Failure::usage(e.to_string()))?
            }
        };
        let settings = gpu.settings_mut();
        (settings.jit, settings.timeout) = (JitLevel::from(level), timeout);
        let mut prepared = Prepared::on(gpu, chosen, options, output)?;
        let (report, buffers) = launched(&mut prepared, options, output)?;
        let mut gpu = prepared.device;
        if gpu.clear().is_ok() {
            self.gpu = Some(gpu);
        }
        Ok(Run {
            work: Work::Launch(submission(options, &chosen.kernel, arguments)),
            compiled: Compiled::At(vec![level]),
            racy: false,
            simulated: simulated(arguments),
            outcome: ended(&report),
            words: report.findings.first().map(|finding| finding.explanation.clone()),
            buffers,
            made: None,
        })
    }

    /// The GPU itself, for programs with their own host code. Everything that is on it afterwards
    /// is freed.
    ///
    /// # Errors
    /// It cannot be opened again after a launch that hung or faulted.
    pub fn with_gpu<T>(&mut self, use_it: impl FnOnce(&mut Isolated) -> T) -> Result<T, GpuError> {
        let mut gpu = match self.gpu.take() {
            Some(gpu) => gpu,
            None => Isolated::start(self.settings.clone())?,
        };
        let result = use_it(&mut gpu);
        if gpu.clear().is_ok() {
            self.gpu = Some(gpu);
        }
        Ok(result)
    }
}

/// All launches, up to the first that does not complete, and what the last one left.
fn launched(
    prepared: &mut Prepared<Isolated>,
    options: &LaunchOptions,
    output: &Output,
) -> Result<(Report, Vec<Left>), Failure> {
    let mut number = 1;
    let report = loop {
        let launched = prepared.launch(options, number, output)?;
        if launched.report.outcome != Outcome::Completed || number == options.launches {
            break launched.report;
        }
        number += 1;
    };
    if report.outcome != Outcome::Completed {
        return Ok((report, Vec::new()));
    }
    let mut left = Vec::new();
    for buffer in &prepared.buffers {
        let mut bytes = Vec::new();
        let keep = |chunk: &[u8]| {
            bytes.extend_from_slice(chunk);
            Ok::<(), Failure>(())
        };
        for_each_chunk(&mut prepared.device, buffer.range(), keep)?;
        left.push(Left::of(buffer.parameter, buffer.element, &bytes));
    }
    Ok((report, left))
}

fn ended(report: &Report) -> Ended {
    match report.outcome {
        Outcome::Completed => Ended::Completed,
        Outcome::Hung => Ended::Hung,
        _ => Ended::Fault,
    }
}

/// What the options say of the simulator alone.
fn simulated(arguments: &[String]) -> Option<Simulated> {
    let at = arguments.iter().position(|word| word == "--shared-init")?;
    let text = arguments.get(at + 1)?;
    shared_init(text).ok()?;
    Some(Simulated { passes: Vec::new(), shared_init: text.clone() })
}
