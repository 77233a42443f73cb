//! Every recording of hardware, replayed on the simulator: one test a module.
//!
//! What differs must stand in `tests/recordings/differences.txt` with its reason, and what stands
//! there must differ. With `--differences` in place of a test's name it prints what differs.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use libtest_mimic::{Arguments, Failed, Trial};
use warpsim_gpu::recording::Recording;
use warpsim_tests::recorded::{
    Entry, Listed, Replayed, THOROUGH, name, recordings, replay, search_of,
};

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
    let listed = Arc::new(Listed::read(&root).unwrap_or_else(|error| panic!("{error}")));
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
        listed.entries().len()
    );
    conclusion.exit_code()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What is listed, but is no run.
fn unknown(listed: &Listed, all: &[(PathBuf, Recording)]) -> Vec<String> {
    let is_there = |entry: &&Entry| {
        let recording = all.iter().find(|(_, recording)| recording.module == entry.module);
        recording.is_some_and(|(_, r)| r.runs.iter().any(|run| name(run) == entry.run))
    };
    let missing = listed.entries().iter().filter(|entry| !is_there(entry));
    missing.map(|entry| format!("no such run: {}: {}", entry.module, entry.run)).collect()
}

fn check(
    root: &Path,
    recording: &Recording,
    listed: &Listed,
    counts: &Counts,
) -> Result<(), Failed> {
    let path = root.join(&recording.module);
    let text = std::fs::read(&path).map_err(|e| format!("{}: {e}", recording.module))?;
    recording.is_of(&text).map_err(|e| format!("{}: {e}", recording.module))?;
    let mut wrong = Vec::new();
    for run in &recording.runs {
        let name = name(run);
        let entry = listed.find(&recording.module, &name);
        let replayed = replay(run, &path, search_of(entry)).map_err(|e| format!("{name}: {e}"))?;
        counts.runs.fetch_add(1, Ordering::Relaxed);
        counts.cells.fetch_add(replayed.cells, Ordering::Relaxed);
        counts.several.fetch_add(replayed.is_one_of_several.into(), Ordering::Relaxed);
        counts.unnoticed.fetch_add(replayed.is_unnoticed.into(), Ordering::Relaxed);
        let differences = || replayed.differences.join("\n  ");
        match (replayed.differences.is_empty(), entry) {
            (true, Some(_)) => wrong.push(format!("{name}: listed, but nothing differs")),
            (false, Some(Entry { ulp: Some(most), .. })) if replayed.farthest > Some(*most) => {
                let farthest = replayed.farthest.unwrap_or_default();
                wrong.push(format!(
                    "{name}: {farthest} ulp, listed are {most}\n  {}",
                    differences()
                ));
            }
            (false, None) => wrong.push(format!("{name}:\n  {}", differences())),
            _ => {}
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

/// The differences, in the form of the list, without reasons.
fn print_differences(root: &Path, all: &[(PathBuf, Recording)]) -> ExitCode {
    for (_, recording) in all {
        for run in &recording.runs {
            let replayed = replay(run, &root.join(&recording.module), THOROUGH);
            let replayed = replayed.unwrap_or_else(|error| Replayed {
                differences: vec![error],
                ..Replayed::default()
            });
            if let Some(first) = replayed.differences.first() {
                let racy = if run.racy { "several legal results; " } else { "" };
                let farthest = replayed.farthest.map_or(String::new(), |n| format!("{n} ulp; "));
                println!("{}: {}: {racy}{farthest}{first}", recording.module, name(run));
            }
        }
    }
    ExitCode::SUCCESS
}
