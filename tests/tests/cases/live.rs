//! The simulator beside a GPU, now: everything that recordings are made of, where there is a GPU.
//! Elsewhere it is said how many of these comparisons were skipped, as it is of those that need
//! more than the GPU or its driver have.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock, PoisonError};

use libtest_mimic::{Failed, Trial};
use warpsim_cli::recorder::Recorder;
use warpsim_gpu::probe::GpuFacts;
use warpsim_gpu::{GpuError, IsolatedSettings};
use warpsim_tests::recorded::{Listed, Subject, THOROUGH, launch_name, perform, replay, subjects};

use crate::root;

/// The GPU, which one test at a time has.
static RECORDER: Mutex<Option<Recorder>> = Mutex::new(None);

/// The known differences, and their reasons.
static LISTED: OnceLock<Listed> = OnceLock::new();

/// One test for each launch, where there is a GPU.
pub(crate) fn trials() -> Vec<Trial> {
    let root = root();
    let all = subjects(&root).unwrap_or_else(|error| panic!("{error}"));
    LISTED.get_or_init(|| Listed::read(&root).unwrap_or_else(|error| panic!("{error}")));
    let facts = match started() {
        Ok(facts) => facts,
        Err(error) => {
            println!("live comparisons with a GPU: {} skipped: {error}", all.len());
            return Vec::new();
        }
    };
    // What has several legal results is compared with recordings, by exploring.
    let (sure, open): (Vec<Subject>, Vec<Subject>) = all.into_iter().partition(|s| !s.racy);
    let modules: BTreeMap<PathBuf, Option<String>> =
        sure.iter().map(|s| (s.module.clone(), lack(&root.join(&s.module), &facts))).collect();
    let (sure, lacking): (Vec<Subject>, Vec<Subject>) =
        sure.into_iter().partition(|s| modules.get(&s.module).is_some_and(Option::is_none));
    println!(
        "live comparisons with a GPU: {}; {} left out because several results are legal; {} skipped",
        sure.len(),
        open.len(),
        lacking.len()
    );
    for (module, lack) in modules {
        if let Some(lack) = lack {
            println!("  skipped: {}: {lack}", module.display());
        }
    }
    let trial = |subject: Subject| {
        let name = format!("{} {}", subject.module.display(), subject.what());
        let root = root.clone();
        Trial::test(name, move || compared(&root, &subject))
    };
    sure.into_iter().map(trial).collect()
}

/// Opens the GPU for all of them and says what it is.
fn started() -> Result<GpuFacts, GpuError> {
    let mut recorder = Recorder::start(IsolatedSettings::default())?;
    let facts = recorder.with_gpu(|gpu| gpu.facts().clone())?;
    let mut here = RECORDER.lock().unwrap_or_else(PoisonError::into_inner);
    *here = Some(recorder);
    Ok(facts)
}

/// What a module needs and this GPU does not have.
fn lack(file: &Path, facts: &GpuFacts) -> Option<String> {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let module = warpsim::ptx::parse(&file.display().to_string(), &text)
        .unwrap_or_else(|error| panic!("{error}"));
    let (cause, lacking) = facts.lacks(&module)?;
    Some(format!("{} needs {lacking}", cause.name))
}

fn compared(root: &Path, subject: &Subject) -> Result<(), Failed> {
    let mut recorder = RECORDER.lock().map_err(|e| e.to_string())?;
    let recorder = recorder.as_mut().ok_or("the GPU is gone")?;
    for run in perform(subject, root, recorder)? {
        let replayed = replay(&run, &root.join(&subject.module), THOROUGH)?;
        let module = subject.module.to_string_lossy();
        let entry = LISTED.get().and_then(|l| l.find_launch(&module, &launch_name(&run)));
        let is_listed = entry.is_some_and(|e| e.ulp.is_none_or(|n| replayed.farthest <= Some(n)));
        // Who comes first may decide without any race, and differently each time.
        let is_open = is_listed || replayed.depends_on_schedule;
        if !replayed.differences.is_empty() && !is_open {
            let level = &run.compiled;
            return Err(format!("{level:?}: {}", replayed.differences.join("\n")).into());
        }
    }
    Ok(())
}
