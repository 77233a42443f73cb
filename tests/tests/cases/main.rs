//! Tests that are one for each file, launch or kernel of a folder, in one program.
//!
//! In place of a test's name it takes `--matrix`, which prints the confusion matrix of the labelled
//! kernels, and `--differences`, which prints where recordings and the simulator differ:
//!
//! ```text
//! cargo test -p warpsim-tests --test cases              all
//! cargo test -p warpsim-tests --test cases labelled     those of one kind
//! cargo test -p warpsim-tests --test cases -- --matrix
//! cargo test -p warpsim-tests --test cases -- --differences --shard 3/8 --shard-out 3.json
//! cargo test -p warpsim-tests --test cases -- --merge 1.json 2.json ...
//! ```

mod conformance;
mod live;
mod recordings;
mod twins;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use warpsim_campaign::Shard;

fn main() -> ExitCode {
    // With a GPU here, this program is also the child process that has it.
    if let Some(code) = warpsim_gpu::isolated::serve_if_asked() {
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    let asked = |word: &str| std::env::args().any(|argument| argument == word);
    if asked("--matrix") {
        return twins::print_matrix();
    }
    if asked("--merge") {
        let words = std::env::args().skip_while(|word| word != "--merge");
        return recordings::print_merged(&words.skip(1).collect::<Vec<String>>());
    }
    if asked("--differences") {
        return recordings::print_differences(shard());
    }
    let recordings = recordings::Replays::new();
    let kinds = [
        ("conformance", conformance::trials()),
        ("labelled", twins::trials()),
        ("replay", recordings.trials()),
        ("live", live::trials()),
    ];
    let of_kind = |(kind, trials): (&'static str, Vec<Trial>)| {
        trials.into_iter().map(move |trial| trial.with_kind(kind))
    };
    let trials = kinds.into_iter().flat_map(of_kind).collect();
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials);
    recordings.print_counts();
    conclusion.exit_code()
}

/// Which shard is asked for, and its file.
fn shard() -> Option<(Shard, PathBuf)> {
    let behind = |word: &str| std::env::args().skip_while(|argument| argument != word).nth(1);
    match (behind("--shard"), behind("--shard-out")) {
        (None, None) => None,
        (Some(shard), Some(file)) => {
            Some((shard.parse().unwrap_or_else(|error| panic!("{error}")), file.into()))
        }
        (Some(_), None) | (None, Some(_)) => panic!("--shard K/N and --shard-out FILE go together"),
    }
}

/// The root of the repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files of a folder of this crate with an extension, in order of their names.
fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join("tests").join(folder));
    let entries = entries.unwrap_or_else(|error| panic!("tests/{folder}: {error}"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == extension));
    files.sort();
    files
}
