//! Records on a GPU everything that the tests replay: see `docs/recordings.md`.
//!
//! `record-everything [--root DIR] [--only SUBSTRING] [--out DIR] [--jobs N]`: the root of the
//! repository (the current directory), modules whose path holds SUBSTRING only, where to write the
//! recordings (below the root), and how many processes share the GPU (8).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::time::Instant;

use warpsim_cli::recorder::Recorder;
use warpsim_gpu::IsolatedSettings;
use warpsim_gpu::recording::{Ended, Recording};
use warpsim_tests::recorded::{Subject, perform, subjects};

/// What the command line says.
struct Options {
    root: PathBuf,
    only: String,
    out: PathBuf,
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
    match options().and_then(|options| record(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("record-everything: {error}");
            ExitCode::FAILURE
        }
    }
}

fn options() -> Result<Options, String> {
    let mut options =
        Options { root: PathBuf::from("."), only: String::new(), out: PathBuf::new(), jobs: 8 };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let value = words.next().ok_or_else(|| format!("{word} takes a value"))?;
        match word.as_str() {
            "--root" => options.root = value.into(),
            "--only" => options.only = value,
            "--out" => options.out = value.into(),
            "--jobs" => options.jobs = value.parse().map_err(|_| "--jobs takes a number")?,
            _ => return Err(format!("there is no option {word}")),
        }
    }
    if options.out.as_os_str().is_empty() {
        options.out.clone_from(&options.root);
    }
    Ok(options)
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

/// A job: a process of its own on the GPU.
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

/// Records a module; what the driver refuses is told.
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
    let path = options.out.join(Subject::recording_of(module));
    if !recording.runs.is_empty()
        && let Err(error) = recording.write(&path)
    {
        refused.push(error.to_string());
    }
    refused
}
