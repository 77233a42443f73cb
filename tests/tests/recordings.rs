//! Every recording of hardware, replayed on the simulator: one test a module.
//!
//! What differs must stand in `tests/recordings/differences.txt` with its reason, and what stands
//! there must differ. With `--differences` in place of a test's name it prints what differs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use libtest_mimic::{Arguments, Failed, Trial};
use warpsim_gpu::recording::{Compiled, Recording, Run, Work};
use warpsim_tests::recorded::{recordings, replay};

/// What was compared, for the summary.
#[derive(Default)]
struct Counts {
    runs: AtomicU64,
    cells: AtomicU64,
    several: AtomicU64,
    unnoticed: AtomicU64,
}

fn main() -> ExitCode {
    let root = root();
    let all = recordings(&root).unwrap_or_else(|error| panic!("{error}"));
    if std::env::args().any(|word| word == "--differences") {
        return print_differences(&root, &all);
    }
    let text = std::fs::read_to_string(root.join("tests/recordings/differences.txt"));
    let listed = Arc::new(listed(&text.unwrap_or_default()));
    let counts = Arc::new(Counts::default());
    let unknown = unknown(&listed, &all);
    let modules = all.len();
    let mut trials = vec![Trial::test("differences.txt names runs that there are", move || {
        if unknown.is_empty() { Ok(()) } else { Err(unknown.join("\n").into()) }
    })];
    trials.extend(all.into_iter().map(|(_, recording)| {
        let (root, listed, counts) = (root.clone(), Arc::clone(&listed), Arc::clone(&counts));
        Trial::test(recording.module.clone(), move || check(&root, &recording, &listed, &counts))
    }));
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
    println!(
        "replayed {} runs of {modules} recorded modules: {} cells compared; {} results were found \
         under another schedule; {} accesses outside of buffers that the GPU did not notice; {} \
         differences with a reason\n",
        of(&counts.runs),
        of(&counts.cells),
        of(&counts.several),
        of(&counts.unnoticed),
        listed.len()
    );
    conclusion.exit_code()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// `MODULE: RUN: REASON`, a line each.
fn listed(text: &str) -> BTreeSet<(String, String)> {
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let parts = lines.filter_map(|line| line.split_once(": "));
    let parts = parts.filter_map(|(module, rest)| Some((module, rest.split_once(": ")?.0)));
    parts.map(|(module, run)| (module.to_owned(), run.to_owned())).collect()
}

/// What is listed, but is no run.
fn unknown(listed: &BTreeSet<(String, String)>, all: &[(PathBuf, Recording)]) -> Vec<String> {
    let is_there = |(module, run): &&(String, String)| {
        let recording = all.iter().find(|(_, recording)| recording.module == *module);
        recording.is_some_and(|(_, r)| r.runs.iter().any(|r| name(r) == *run))
    };
    let missing = listed.iter().filter(|entry| !is_there(entry));
    missing.map(|(module, run)| format!("no such run: {module}: {run}")).collect()
}

/// A run's name in the list.
fn name(run: &Run) -> String {
    let what = match &run.work {
        Work::Launch(s) => {
            let [gx, gy, gz] = s.grid;
            let [bx, by, bz] = s.block;
            let passes = s.passes.join(" ");
            let args = s.args.join(" ");
            format!("{} {gx},{gy},{gz} x {bx},{by},{bz} {args} {passes}", s.kernel)
        }
        Work::Program(call) => {
            format!("{} {} {} {}", call.program, call.variant, call.form, call.input)
        }
    };
    let levels = match &run.compiled {
        Compiled::At(levels) => levels.iter().map(|level| level_name(*level)).collect(),
        Compiled::InTurn(levels) => vec![format!("levels {levels:?}")],
    };
    format!("{} at {}", what.replace(": ", " ").trim(), levels.join(" and "))
}

fn level_name(level: Option<u8>) -> String {
    level.map_or_else(|| "the driver's level".to_owned(), |level| format!("level {level}"))
}

fn check(
    root: &Path,
    recording: &Recording,
    listed: &BTreeSet<(String, String)>,
    counts: &Counts,
) -> Result<(), Failed> {
    let path = root.join(&recording.module);
    let text = std::fs::read(&path).map_err(|e| format!("{}: {e}", recording.module))?;
    recording.is_of(&text).map_err(|e| format!("{}: {e}", recording.module))?;
    let mut wrong = Vec::new();
    for run in &recording.runs {
        let name = name(run);
        let replayed = replay(run, &path).map_err(|e| format!("{name}: {e}"))?;
        counts.runs.fetch_add(1, Ordering::Relaxed);
        counts.cells.fetch_add(replayed.cells, Ordering::Relaxed);
        counts.several.fetch_add(replayed.is_one_of_several.into(), Ordering::Relaxed);
        counts.unnoticed.fetch_add(replayed.is_unnoticed.into(), Ordering::Relaxed);
        let is_listed = listed.contains(&(recording.module.clone(), name.clone()));
        match (replayed.differences.is_empty(), is_listed) {
            (true, true) => wrong.push(format!("{name}: listed, but nothing differs")),
            (false, false) => {
                wrong.push(format!("{name}:\n  {}", replayed.differences.join("\n  ")))
            }
            _ => {}
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The differences, in the form of the list, without reasons.
fn print_differences(root: &Path, all: &[(PathBuf, Recording)]) -> ExitCode {
    for (_, recording) in all {
        for run in &recording.runs {
            let replayed = replay(run, &root.join(&recording.module));
            let differences = replayed.map_or_else(|e| vec![e], |r| r.differences);
            if let Some(first) = differences.first() {
                let racy = if run.racy { " (several legal results)" } else { "" };
                println!("{}: {}:{racy} {first}", recording.module, name(run));
            }
        }
    }
    ExitCode::SUCCESS
}
