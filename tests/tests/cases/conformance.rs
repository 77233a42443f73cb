//! Runs every file of `tests/conformance`, each launch under both models and several schedules.

use std::path::Path;
use std::sync::Arc;

use libtest_mimic::Trial;
use warpsim_tests::conformance;

use crate::files;

/// The tests of all files.
pub(crate) fn trials() -> Vec<Trial> {
    files("conformance", "ptx").iter().flat_map(|file| of_file(file)).collect()
}

/// One test for each way to run each launch; one that fails for a file that cannot be read.
fn of_file(file: &Path) -> Vec<Trial> {
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
