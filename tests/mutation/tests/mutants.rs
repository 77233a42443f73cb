//! Whatever a PTX file contains, warpsim answers.

use std::path::Path;

use warpsim_mutation::{Limits, Reached, Settings, files, run};

#[test]
fn no_mutant_of_a_real_file_panics_hangs_or_exhausts_memory() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let files = files(&root).unwrap();
    assert!(files.len() > 400, "{} files", files.len());
    let settings = Settings {
        seed: 2026,
        first: 0,
        count: warpsim_effort::cases(2000, 100_000),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        limits: Limits::default(),
        folder: None,
        tell_every: None,
    };
    let summary = run(&files, &settings);
    for failure in &summary.failures {
        eprintln!("mutant {} of {}: {:?}", failure.number, failure.file, failure.trouble);
        eprintln!("cargo run -p warpsim-mutation -- --seed {} --one {}", 2026, failure.number);
    }
    assert!(summary.failures.is_empty());
    assert_eq!(summary.examined(), settings.count);
    // Mutants that are no PTX at all would show nothing.
    let launched = summary.reached.get(&Reached::Launched).copied().unwrap_or(0);
    assert!(launched * 5 > settings.count, "only {launched} got as far as a launch");
}
