//! Every recording of hardware, replayed on the simulator: one test a module.
//!
//! A run that differs must be in `tests/recordings/differences.txt` with its reason, and the runs
//! there must differ.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use libtest_mimic::{Failed, Trial};
use warpsim_campaign::Shard;
use warpsim_effort::Effort;
use warpsim_gpu::recording::Recording;
use warpsim_tests::recorded::{
    Entry, Listed, differences, merged_differences, name, recordings, replay, search_of,
    write_differences,
};

use crate::root;

/// What was compared, for the summary.
#[derive(Default)]
struct Counts {
    runs: AtomicU64,
    cells: AtomicU64,
    several: AtomicU64,
    unnoticed: AtomicU64,
}

/// All recordings, the list of what differs, and what was compared so far.
pub(crate) struct Replays {
    all: Vec<(PathBuf, Recording)>,
    listed: Arc<Listed>,
    counts: Arc<Counts>,
}

impl Replays {
    /// The recordings of the repository.
    pub(crate) fn new() -> Replays {
        let all = recordings(&root()).unwrap_or_else(|error| panic!("{error}"));
        let listed = Listed::read(&root()).unwrap_or_else(|error| panic!("{error}"));
        Replays { all, listed: Arc::new(listed), counts: Arc::new(Counts::default()) }
    }

    /// One test for each module, and one of the list.
    pub(crate) fn trials(&self) -> Vec<Trial> {
        let unknown = unknown(&self.listed, &self.all);
        let mut trials =
            vec![Trial::test("differences.txt names runs that there are", move || {
                if unknown.is_empty() { Ok(()) } else { Err(unknown.join("\n").into()) }
            })];
        trials.extend(self.all.iter().map(|(_, recording)| {
            let (listed, counts) = (Arc::clone(&self.listed), Arc::clone(&self.counts));
            let recording = recording.clone();
            Trial::test(recording.module.clone(), move || {
                check(&root(), &recording, &listed, &counts)
            })
        }));
        trials
    }

    /// Says what was compared, if anything was.
    pub(crate) fn print_counts(&self) {
        let of = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let counts = &self.counts;
        if of(&counts.runs) == 0 {
            return;
        }
        println!(
            "replayed {} runs of {} recorded modules: {} cells compared; {} results were found \
             under another schedule; {} accesses outside of buffers that the GPU did not notice; \
             {} differences with a reason\n",
            of(&counts.runs),
            self.all.len(),
            of(&counts.cells),
            of(&counts.several),
            of(&counts.unnoticed),
            self.listed.entries().len()
        );
    }
}

/// Entries of the list without a run.
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
        let replayed = replay(run, &path, search_of(entry, Effort::asked()))
            .map_err(|e| format!("{name}: {e}"))?;
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

/// Prints the differences, in the form of the list, without reasons. The differences of a shard go
/// to a file.
pub(crate) fn print_differences(shard: Option<(Shard, PathBuf)>) -> ExitCode {
    let root = root();
    let all = recordings(&root).unwrap_or_else(|error| panic!("{error}"));
    if let Some((shard, file)) = shard {
        let written = write_differences(&root, &all, shard, &file);
        written.unwrap_or_else(|error| panic!("{error}"));
        return ExitCode::SUCCESS;
    }
    // Line by line, since it takes long.
    for one in all.chunks(1) {
        differences(&root, one).iter().for_each(|line| println!("{line}"));
    }
    ExitCode::SUCCESS
}

/// Prints the differences that all shards found.
pub(crate) fn print_merged(files: &[String]) -> ExitCode {
    match merged_differences(files) {
        Ok(lines) => {
            lines.iter().for_each(|line| println!("{line}"));
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::from(2)
        }
    }
}
