//! `warpsim compare --recording`: the simulator compared with the recording of a GPU.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use warpsim::host::{Launch, SharedInit};
use warpsim_gpu::recording::{Compiled, Ended, Recording, Run, Simulated, Submission, Work};

use super::document::{self, GpuRow};
use super::{Comparison, OfLevel, how};
use crate::args::{CompareArgs, Format, LaunchOptions};
use crate::compare::{Verdict, compare};
use crate::failure::{Exit, Failure};
use crate::input;
use crate::launch::device::simulator;
use crate::launch::{Chosen, Prepared};
use crate::output::Output;
use crate::recorder::{self, FromRecording};

/// Why runs of a program are not compared here, and what does it.
pub(super) const LEFT_OUT: &str = "they are runs of a program with its own host code; the tests \
                                   replay them: cargo test -p warpsim-tests --test cases replay";

/// Runs of one launch, at all levels that were recorded.
struct Group<'a> {
    submission: &'a Submission,
    simulated: Option<&'a Simulated>,
    runs: Vec<&'a Run>,
}

/// Compares with the runs that the options describe.
pub(super) fn run(args: &CompareArgs, path: &Path, output: &mut Output) -> Result<Exit, Failure> {
    let wrong = |error: &dyn std::fmt::Display| Failure::usage(error.to_string());
    let recording = Recording::read(path).map_err(|error| wrong(&error))?;
    let LaunchOptions { file, compiler, .. } = &args.launch;
    let links = links(args, &recording);
    let module = input::read_linked(file, &links, compiler, output)?;
    recording.is_of(module.source.text().as_bytes()).map_err(|error| wrong(&error))?;
    let wanted = wanted(args, output)?;
    let groups = groups(&recording, args, wanted.as_ref());
    let left_out = match (&wanted, &args.launch.kernel) {
        (None, None) => program_runs(&recording, args),
        _ => 0,
    };
    if groups.is_empty() {
        return Err(none_of(&recording));
    }
    let mut documents = Vec::new();
    let (mut worst, mut is_first) = (Verdict::Equal, true);
    for group in &groups {
        let file = &args.launch.file;
        let words = recorder::simulated_options(file, group.submission, group.simulated);
        let own = with_options(args, recorder::parse(&words).map_err(Failure::usage)?);
        let chosen = Chosen::read(&own.launch, output)?;
        let command_line = ["warpsim", "compare"].into_iter().map(OsString::from);
        output.answer(command_line.chain(words.iter().map(OsString::from)).collect());
        let (levels, digests) = levels(&own, &chosen, group, output)?;
        let first = group.runs.first();
        let made = first.map_or(&recording.made, |run| recording.made_of(run));
        let gpu = GpuRow::recorded(made);
        let comparison = Comparison { args: &own, chosen: &chosen, gpu, levels };
        worst = worst.max(comparison.verdict());
        match args.format {
            Format::Json => documents.push(document::text(&comparison)?),
            Format::Text => {
                if !std::mem::take(&mut is_first) {
                    output.line("")?;
                }
                comparison.print(output)?;
                digests.iter().try_for_each(|line| output.line(&format!("  {line}")))?;
            }
        }
    }
    match args.format {
        Format::Json => document::write_all(&documents, worst.name(), left_out, output)?,
        Format::Text if left_out > 0 => {
            output.line(&format!("\nleft out: {left_out} of the recorded runs: {LEFT_OUT}"))?;
        }
        Format::Text => {}
    }
    output.flush()?;
    Ok(if worst.is_clean() { Exit::CLEAN } else { Exit::FINDING })
}

/// The modules that were linked: from the command line, or else from the recording. They are the
/// same in all its runs, because it has one hash of all texts.
fn links(args: &CompareArgs, recording: &Recording) -> Vec<PathBuf> {
    let recorded = recording.runs.iter().find_map(|run| match &run.work {
        Work::Launch(submission) => Some(&submission.links),
        Work::Program(_) => None,
    });
    match args.launch.links.as_slice() {
        [] => recorded.into_iter().flatten().map(PathBuf::from).collect(),
        given => given.to_vec(),
    }
}

/// The launch that the command line describes, when it describes one.
fn wanted(args: &CompareArgs, output: &mut Output) -> Result<Option<Submission>, Failure> {
    let LaunchOptions { args: specs, globals, links, pass, launches, .. } = &args.launch;
    let usual = (args.launch.launch(), *launches) == (Launch::default(), 1);
    if usual && specs.is_empty() && globals.is_empty() && links.is_empty() && pass.is_empty() {
        return Ok(None);
    }
    let chosen = Chosen::read(&args.launch, output)?;
    let words = recorder::in_two_words(output.arguments());
    Ok(Some(recorder::submission(&args.launch, &chosen.kernel, &words)))
}

/// The runs, by their launches. If a launch, a kernel or levels are given, only their runs.
fn groups<'a>(
    recording: &'a Recording,
    args: &CompareArgs,
    wanted: Option<&Submission>,
) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for run in &recording.runs {
        let Work::Launch(submission) = &run.work else { continue };
        let is_wanted = match wanted {
            Some(wanted) => wanted == submission,
            None => args.launch.kernel.as_ref().is_none_or(|kernel| *kernel == submission.kernel),
        };
        if !is_wanted || levels_of(run, args).is_empty() {
            continue;
        }
        let simulated = run.simulated.as_ref();
        let same = |g: &&mut Group<'_>| g.submission == submission && g.simulated == simulated;
        match groups.iter_mut().find(same) {
            Some(group) => group.runs.push(run),
            None => groups.push(Group { submission, simulated, runs: vec![run] }),
        }
    }
    groups
}

/// How many runs at the compared levels are of a program.
fn program_runs(recording: &Recording, args: &CompareArgs) -> usize {
    let of_program = |run: &&Run| matches!(run.work, Work::Program(_));
    let runs = recording.runs.iter().filter(of_program);
    runs.filter(|run| !levels_of(run, args).is_empty()).count()
}

/// The levels of a run to compare; one that is not known where each launch had its own.
fn levels_of(run: &Run, args: &CompareArgs) -> Vec<Option<u8>> {
    let levels = match &run.compiled {
        Compiled::At(levels) => levels.clone(),
        Compiled::InTurn(_) => vec![None],
    };
    let wanted = args.launch.jit_opt.as_ref().map(|levels| &levels.0);
    let is_wanted = |level: &Option<u8>| match (wanted, level) {
        (Some(wanted), Some(level)) => wanted.contains(level),
        (Some(_), None) => false,
        (None, _) => true,
    };
    levels.into_iter().filter(is_wanted).collect()
}

/// The error when there is nothing to compare with.
fn none_of(recording: &Recording) -> Failure {
    let launches = recording.runs.iter().filter_map(|run| match &run.work {
        Work::Launch(submission) => {
            let args: String = submission.args.iter().map(|a| format!(" --arg '{a}'")).collect();
            Some(format!("--kernel {}{args}", submission.kernel))
        }
        Work::Program(_) => None,
    });
    let mut launches: Vec<String> = launches.collect();
    launches.dedup();
    match launches.as_slice() {
        [] => Failure::usage_with_help(
            "the recording has only runs of a program with its own host code",
            "the tests replay them: cargo test -p warpsim-tests --test cases replay",
        ),
        _ => Failure::usage_with_help(
            "the recording has no run of this launch",
            format!("it has {}", launches.join("\n          ")),
        ),
    }
}

/// The options of a recorded launch. The options on how to compare come from the command line.
fn with_options(args: &CompareArgs, recorded: LaunchOptions) -> CompareArgs {
    let given = &args.launch;
    let shared_init = match given.shared_init {
        SharedInit::Zero => recorded.shared_init,
        asked_for => asked_for,
    };
    CompareArgs {
        launch: LaunchOptions {
            device: given.device.clone(),
            model: given.model,
            schedule: given.schedule.clone(),
            shared_init,
            max_steps: given.max_steps,
            threads: given.threads,
            jit_opt: given.jit_opt.clone(),
            compiler: given.compiler.clone(),
            ..recorded
        },
        format: args.format,
        ulp: args.ulp.clone(),
        abs: args.abs.clone(),
        max_differences: args.max_differences,
        schedules: args.schedules,
        seed: args.seed,
        recording: args.recording.clone(),
    }
}

/// Compares a launch with each of its runs. Differences where only digests were kept are returned
/// separately.
fn levels(
    args: &CompareArgs,
    chosen: &Chosen,
    group: &Group<'_>,
    output: &Output,
) -> Result<(Vec<OfLevel>, Vec<String>), Failure> {
    let options = &args.launch;
    let (mut levels, mut digests) = (Vec::new(), Vec::new());
    for run in &group.runs {
        let mut ours = Prepared::on(simulator(options)?, chosen, options, output)?;
        let mut theirs = FromRecording::of(run, &ours, options.launches)?;
        let mut compared = compare(&mut ours, &mut theirs, options, &how(args), output)?;
        let mut digested = 0;
        if run.outcome == Ended::Completed && compared.verdict() != Verdict::Unnoticed {
            let (cells, differ) = recorder::digests_that_differ(run, &mut ours)?;
            if let Some(last) = compared.launches.last_mut().filter(|_| !differ.is_empty()) {
                last.verdict = Verdict::Different;
            }
            digested = cells;
            digests.extend(differ);
        }
        let of_level = |level| OfLevel { level, compared: compared.clone(), digested };
        levels.extend(levels_of(run, args).into_iter().map(of_level));
    }
    Ok((levels, digests))
}
