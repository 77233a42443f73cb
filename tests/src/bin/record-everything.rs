//! Records on a GPU everything that the tests replay: see `docs/recordings.md`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

use clap::Parser;
use warpsim_cli::recorder::Recorder;
use warpsim_gpu::IsolatedSettings;
use warpsim_gpu::recording::{Ended, Recording};
use warpsim_tests::recorded::{Subject, perform, subjects};

/// Records on a GPU everything that the tests replay.
#[derive(Parser)]
struct Options {
    /// The root of the repository
    #[arg(long, default_value = ".", value_name = "DIR")]
    root: PathBuf,
    /// Only modules whose path holds this
    #[arg(long, default_value = "", hide_default_value = true, value_name = "SUBSTRING")]
    only: String,
    /// The folder below which recordings are written, instead of the root
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// So many processes share the GPU
    #[arg(long, default_value_t = 8, value_name = "N")]
    jobs: usize,
}

/// What was done so far.
#[derive(Default)]
struct Done {
    modules: usize,
    runs: usize,
    faults: usize,
    hung: usize,
    refused: Vec<String>,
}

fn main() -> ExitCode {
    if let Some(code) = warpsim_gpu::isolated::serve_if_asked() {
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    match record(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("record-everything: {error}");
            ExitCode::FAILURE
        }
    }
}

fn record(options: &Options) -> Result<(), String> {
    let started = Instant::now();
    let mut modules: BTreeMap<PathBuf, Vec<Subject>> = BTreeMap::new();
    for subject in subjects(&options.root)? {
        if subject.module.to_string_lossy().contains(&options.only) {
            modules.entry(subject.module.clone()).or_default().push(subject);
        }
    }
    let total = modules.len();
    let (alone, shared): (Vec<_>, Vec<_>) =
        modules.into_iter().partition(|(_, subjects)| subjects.iter().any(|s| s.alone));
    let done = Mutex::new(Done::default());
    // It also says at once when there is no GPU.
    let recorder = Recorder::start(IsolatedSettings::default()).map_err(|e| e.to_string())?;
    take_turns(options, recorder, &Mutex::new(alone.into_iter()), &done, total);
    let queue = Mutex::new(shared.into_iter());
    std::thread::scope(|scope| {
        for _ in 0..options.jobs.max(1) {
            scope.spawn(|| work(options, &queue, &done, total));
        }
    });
    let done = done.into_inner().map_err(|e| e.to_string())?;
    for refused in &done.refused {
        println!("not recorded: {refused}");
    }
    println!(
        "{} modules, {} runs, of them {} faults and {} hung; {} not recorded; {:.1} s",
        done.modules,
        done.runs,
        done.faults,
        done.hung,
        done.refused.len(),
        started.elapsed().as_secs_f64()
    );
    Ok(())
}

/// A job: a separate process on the GPU.
fn work(
    options: &Options,
    queue: &Mutex<impl Iterator<Item = (PathBuf, Vec<Subject>)>>,
    done: &Mutex<Done>,
    total: usize,
) {
    match Recorder::start(IsolatedSettings::default()) {
        Ok(recorder) => take_turns(options, recorder, queue, done, total),
        Err(error) => eprintln!("a job ends: {error}"),
    }
}

/// Takes modules from the queue until there is none.
fn take_turns(
    options: &Options,
    mut recorder: Recorder,
    queue: &Mutex<impl Iterator<Item = (PathBuf, Vec<Subject>)>>,
    done: &Mutex<Done>,
    total: usize,
) {
    loop {
        let next = queue.lock().ok().and_then(|mut queue| queue.next());
        let Some((module, subjects)) = next else { return };
        let refused = of_module(options, &module, &subjects, &mut recorder, done);
        let Ok(mut done) = done.lock() else { return };
        done.refused.extend(refused);
        done.modules += 1;
        if done.modules.is_multiple_of(50) {
            println!("{} of {total} modules, {} runs", done.modules, done.runs);
        }
    }
}

/// Records a module. Returns what the driver refuses.
fn of_module(
    options: &Options,
    module: &Path,
    subjects: &[Subject],
    recorder: &mut Recorder,
    done: &Mutex<Done>,
) -> Vec<String> {
    let mut refused = Vec::new();
    let text = match std::fs::read(options.root.join(module)) {
        Ok(text) => text,
        Err(error) => return vec![format!("{}: {error}", module.display())],
    };
    let name = module.to_string_lossy();
    let mut recording = Recording::new(&name, &text, recorder.made().clone());
    for subject in subjects {
        match perform(subject, &options.root, recorder) {
            Ok(runs) => runs.into_iter().for_each(|run| {
                if let Ok(mut done) = done.lock() {
                    done.runs += 1;
                    done.faults += usize::from(run.outcome == Ended::Fault);
                    done.hung += usize::from(run.outcome == Ended::Hung);
                }
                recording.add(run);
            }),
            Err(why) => {
                let why = why.lines().next().unwrap_or_default();
                refused.push(format!("{name} {}: {why}", subject.what()));
            }
        }
    }
    let out = options.out.as_ref().unwrap_or(&options.root);
    let path = out.join(Subject::recording_of(module));
    if !recording.runs.is_empty()
        && let Err(error) = recording.write(&path)
    {
        refused.push(error.to_string());
    }
    refused
}
