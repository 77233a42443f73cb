//! `warpsim compare`: the same launches on the simulator and on a GPU, compared bit by bit; or the
//! simulator and a recording of a GPU.

mod document;
mod recorded;
mod words;

use warpsim_gpu::{GpuError, Isolated, JitLevel};

use crate::args::launch::Target;
use crate::args::{CompareArgs, Format};
use crate::commands::launches::write_unsupported;
use crate::compare::{Compared, How, OnGpu, Tolerances, Verdict, compare};
use crate::failure::{Exit, Failure};
use crate::launch::device::{gpu, simulator};
use crate::launch::{Chosen, Prepared};
use crate::output::Output;
use crate::render::findings::FindingText;
use crate::replay;
pub(in crate::commands) use document::GpuRow;

/// Schedules of the exhaustive search of a small launch, for each that was asked for.
const EXHAUSTIVE: u64 = 20;

/// A comparison with what the driver made of the program at one level.
pub(in crate::commands) struct OfLevel {
    /// The level, where it is known.
    pub(in crate::commands) level: Option<u8>,
    pub(in crate::commands) compared: Compared,
    /// Cells for which a recording keeps digests only. They are compared, too.
    pub(in crate::commands) digested: u64,
}

/// What a command line has compared.
pub(in crate::commands) struct Comparison<'a> {
    pub(in crate::commands) args: &'a CompareArgs,
    pub(in crate::commands) chosen: &'a Chosen,
    /// What the simulator was compared with.
    pub(in crate::commands) gpu: GpuRow,
    pub(in crate::commands) levels: Vec<OfLevel>,
}

pub(super) fn run(args: &CompareArgs, output: &mut Output) -> Result<Exit, Failure> {
    if args.launch.on == Target::Gpu {
        return Err(Failure::usage_with_help(
            "`compare` runs on both the simulator and a GPU",
            "leave out `--on gpu`",
        ));
    }
    let done = match &args.recording {
        Some(path) => recorded::run(args, path, output),
        None => with_gpu(args, output),
    };
    if let (Err(failure), Format::Json) = (&done, args.format) {
        write_unsupported(failure, output)?;
    }
    done
}

/// Compares with a GPU that is here.
fn with_gpu(args: &CompareArgs, output: &mut Output) -> Result<Exit, Failure> {
    let mut gpu =
        gpu(args.launch.gpu_timeout, JitLevel::Default).map_err(|error| no_gpu(&error))?;
    let chosen = Chosen::read(&args.launch, output)?;
    let facts = GpuRow::of(gpu.facts());
    let levels = args.launch.jit_opt.as_ref().map_or(vec![0], |levels| levels.0.clone());
    let mut compared = Vec::new();
    for level in levels {
        gpu.settings_mut().jit = JitLevel::Level(level);
        let (of_level, after) = at_level(args, gpu, &chosen, output)?;
        gpu = after;
        compared.push(OfLevel { level: Some(level), compared: of_level, digested: 0 });
    }
    Comparison { args, chosen: &chosen, gpu: facts, levels: compared }.report(output)
}

/// The error when there is no GPU to compare with.
pub(in crate::commands) fn no_gpu(error: &GpuError) -> Failure {
    Failure::Missing {
        message: format!("cannot compare with a GPU: {error}"),
        help: Some(
            "run it on a machine with an NVIDIA GPU and its driver, or compare with a recording: \
             `warpsim compare FILE --recording REC.json`"
                .to_owned(),
        ),
    }
}

/// Compares at the level that is set, and gives the GPU back, with nothing on it.
fn at_level(
    args: &CompareArgs,
    gpu: Isolated,
    chosen: &Chosen,
    output: &Output,
) -> Result<(Compared, Isolated), Failure> {
    let options = &args.launch;
    let mut ours = Prepared::on(simulator(options)?, chosen, options, output)?;
    let mut theirs = OnGpu { prepared: Prepared::on(gpu, chosen, options, output)?, options };
    let compared = compare(&mut ours, &mut theirs, options, &how(args), output)?;
    let mut gpu = theirs.prepared.device;
    gpu.clear().map_err(|error| Failure::usage(error.to_string()))?;
    Ok((compared, gpu))
}

/// How to compare it, according to the options.
pub(in crate::commands) fn how(args: &CompareArgs) -> How {
    How {
        tolerances: Tolerances { ulp: args.ulp.clone(), abs: args.abs.clone() },
        keep: args.max_differences,
        schedules: args.schedules,
        exhaustive: args.schedules.saturating_mul(EXHAUSTIVE),
        seed: args.seed,
    }
}

impl Comparison<'_> {
    /// The worst verdict of all levels.
    fn verdict(&self) -> Verdict {
        let verdicts = self.levels.iter().map(|of_level| of_level.compared.verdict());
        // There is one at least: without a level, or a recorded run, nothing is compared.
        verdicts.max().unwrap_or(Verdict::Equal)
    }

    /// Prints the result, and gives the exit code.
    pub(in crate::commands) fn report(&self, output: &mut Output) -> Result<Exit, Failure> {
        match self.args.format {
            Format::Json => {
                document::write(self, output)?;
                self.print_findings(output)?;
            }
            Format::Text => self.print(output)?,
        }
        Ok(if self.verdict().is_clean() { Exit::CLEAN } else { Exit::FINDING })
    }

    /// Prints it for people.
    fn print(&self, output: &mut Output) -> Result<(), Failure> {
        words::print(self, output)?;
        self.print_findings(output)
    }

    /// What stopped the simulator; printed once, because it does the same at every level.
    fn print_findings(&self, output: &mut Output) -> Result<(), Failure> {
        output.flush()?;
        let launches = self.levels.first().map(|of_level| of_level.compared.launches.as_slice());
        let findings = launches.unwrap_or_default().iter().flat_map(|launch| &launch.ours.findings);
        let text = FindingText::new(&self.args.launch.file, output.colour_of_messages());
        for finding in findings {
            let replay = replay::run_under(output, self.schedule());
            output.message(&text.of(finding, &replay));
        }
        Ok(())
    }

    /// The schedule of the simulator, as text.
    fn schedule(&self) -> &str {
        self.args.launch.schedule.as_deref().unwrap_or("in-order")
    }
}
