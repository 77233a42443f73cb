//! `warpsim record`: a launch on a GPU, kept with its provenance. `docs/recordings.md` describes
//! the file.

use std::path::{Path, PathBuf};
use std::time::Duration;

use warpsim_gpu::IsolatedSettings;
use warpsim_gpu::recording::{
    Compiled, Ended, Made, Recording, RecordingError, Run, Simulated, Work,
};

use crate::args::{LaunchOptions, RecordArgs};
use crate::failure::{Exit, Failure};
use crate::input::is_standard_input;
use crate::launch::Chosen;
use crate::launch::device::refuse_simulated;
use crate::output::Output;
use crate::recorder::{self, Recorder};
use crate::spec::{Init, Spec};

/// The levels at which is recorded unless others are asked for: as written, and the driver's own.
const LEVELS: [Option<u8>; 2] = [Some(0), None];

/// A launch to be recorded.
struct Order {
    options: LaunchOptions,
    /// The words of the options, with each option and its value as two words.
    words: Vec<String>,
    levels: Vec<Option<u8>>,
    racy: bool,
    /// What an old recording says that the simulator does otherwise. The GPU does not receive it.
    simulated: Option<Simulated>,
}

pub(super) fn run(args: &RecordArgs, output: &mut Output) -> Result<Exit, Failure> {
    let options = &args.launch;
    if is_standard_input(&options.file) {
        return Err(Failure::usage_with_help(
            "a recording names its file, and standard input has no name",
            "write the PTX to a file first",
        ));
    }
    refuse_simulated(options, "")?;
    let mut recorder = Recorder::start(IsolatedSettings::default()).map_err(|error| {
        let help = "run it on a machine with an NVIDIA GPU and its driver; `warpsim run` runs on the \
                    simulator";
        Failure::Missing {
            message: format!("cannot record: {error}"),
            help: Some(help.to_owned()),
        }
    })?;
    let timeout = Duration::from_secs(options.gpu_timeout.into());
    let (path, orders) = orders(args, output)?;
    let mut recording: Option<Recording> = None;
    let mut exit = Exit::CLEAN;
    for order in orders {
        let chosen = Chosen::read(&order.options, output)?;
        let recording = match &mut recording {
            Some(recording) => recording,
            None => recording.insert(begin(args, &path, &chosen, recorder.made())?),
        };
        for level in order.levels {
            let run =
                recorder.record(&order.options, &chosen, &order.words, level, timeout, output)?;
            if run.outcome != Ended::Completed {
                exit = Exit::FINDING;
            }
            output.line(&line(&order.options, &chosen, &run, level))?;
            let made = Some(recorder.made()).filter(|made| **made != recording.made).cloned();
            let simulated = order.simulated.clone().or(run.simulated);
            recording.add(Run { racy: order.racy, simulated, made, ..run });
        }
    }
    if let Some(recording) = recording {
        recording.write(&path).map_err(|error| Failure::usage(error.to_string()))?;
        let runs = match recording.runs.len() {
            1 => "1 run".to_owned(),
            n => format!("{n} runs"),
        };
        output.line(&format!("{}: {runs}", path.display()))?;
    }
    Ok(exit)
}

/// What to record, and where to write it.
fn orders(args: &RecordArgs, output: &Output) -> Result<(PathBuf, Vec<Order>), Failure> {
    if let Some(path) = &args.again {
        let old = Recording::read(path).map_err(|error| Failure::usage(error.to_string()))?;
        let orders: Result<Vec<Order>, Failure> =
            old.runs.iter().map(|run| again(args, run)).collect();
        return Ok((path.clone(), orders?));
    }
    let path = args.output.clone();
    let path = path.ok_or_else(|| warpsim::internal!("a recording is to be written nowhere"))?;
    let words = recorder::in_two_words(output.arguments());
    let options = recorder::parse(&for_run(&words)).map_err(Failure::usage)?;
    refuse_files(&options)?;
    let levels = match &args.launch.jit_opt {
        Some(levels) => levels.0.iter().copied().map(Some).collect(),
        None => LEVELS.to_vec(),
    };
    Ok((path, vec![Order { options, words, levels, racy: args.racy, simulated: None }]))
}

/// The words that `run` has, too.
fn for_run(words: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--racy" => {}
            "-o" | "--output" | "--jit-opt" => drop(rest.next()),
            _ if word.starts_with("-o") && !word.starts_with("--") => {}
            _ => kept.push(word.clone()),
        }
    }
    kept
}

/// A run of an old recording.
fn again(args: &RecordArgs, run: &Run) -> Result<Order, Failure> {
    let (Work::Launch(submission), Compiled::At(levels)) = (&run.work, &run.compiled) else {
        return Err(Failure::usage_with_help(
            "the recording has runs of a program with its own host code",
            "record them with scripts/record-everything.sh",
        ));
    };
    let words = recorder::options(&args.launch.file, submission);
    let options = recorder::parse(&words).map_err(Failure::usage)?;
    let (levels, racy) = (levels.clone(), run.racy || args.racy);
    Ok(Order { options, words, levels, racy, simulated: run.simulated.clone() })
}

/// Inputs must be in the recording itself.
fn refuse_files(options: &LaunchOptions) -> Result<(), Failure> {
    let specs = options.args.iter().chain(options.globals.iter().map(|(_, spec)| spec));
    let from_file =
        |spec: &Spec| spec.buffers(0).iter().any(|(_, b)| matches!(b.init, Init::File(_)));
    if specs.into_iter().any(from_file) {
        return Err(Failure::usage_with_help(
            "a recording keeps the SPECs of its inputs, and a file may change",
            "give the inputs as list:, iota: or rand:",
        ));
    }
    Ok(())
}

/// The recording that runs are added to: the one that is there, or a new one.
fn begin(
    args: &RecordArgs,
    path: &Path,
    chosen: &Chosen,
    made: &Made,
) -> Result<Recording, Failure> {
    let text = chosen.module.source.text().as_bytes();
    let module = args.launch.file.display().to_string();
    if args.again.is_some() || !path.exists() {
        return Ok(Recording::new(&module, text, made.clone()));
    }
    let old = Recording::read(path).map_err(|error| Failure::usage(error.to_string()))?;
    match old.is_of(text) {
        Ok(()) => Ok(old),
        Err(error @ RecordingError::Stale { .. }) => Err(Failure::usage_with_help(
            error.to_string(),
            format!("record all of it again: warpsim record {module} --again {}", path.display()),
        )),
        Err(error) => Err(Failure::usage(error.to_string())),
    }
}

/// What was recorded, in a line.
fn line(options: &LaunchOptions, chosen: &Chosen, run: &Run, level: Option<u8>) -> String {
    let level = level.map_or("the driver's level".to_owned(), |level| format!("level {level}"));
    let words = run.words.as_ref().map(|words| format!(": {words}")).unwrap_or_default();
    format!("{} ({}), {level}: {}{words}", chosen.kernel, options.launch(), run.outcome.name())
}
