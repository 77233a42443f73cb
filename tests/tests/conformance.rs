//! Runs every file of `tests/conformance`, each launch under both models and several schedules.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};
use warpsim_tests::conformance;

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("conformance");
    let entries = std::fs::read_dir(&folder).expect("the folder is there");
    let mut files: Vec<PathBuf> = entries.map(|e| e.expect("readable").path()).collect();
    files.retain(|f| f.extension().is_some_and(|e| e == "ptx"));
    files.sort();
    let trials = files.iter().flat_map(|file| trials(file)).collect();
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// One test for each way to run each launch; one that fails for a file that cannot be read.
fn trials(file: &Path) -> Vec<Trial> {
    let name = file.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let (module, cases) = match conformance::read(file) {
        Ok((module, cases)) => (Arc::new(module), cases),
        Err(error) => return vec![Trial::test(name, move || Err(error.into()))],
    };
    let mut trials = Vec::new();
    for (number, case) in cases.into_iter().enumerate() {
        for variant in case.variants() {
            let (module, case) = (Arc::clone(&module), case.clone());
            let name = format!("{name} run {} {variant}", number + 1);
            trials.push(Trial::test(name, move || Ok(case.check(&module, &variant)?)));
        }
    }
    trials
}
