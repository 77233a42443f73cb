//! The lists: from heads of files, manifests and tables to [`Subject`]s.

use std::path::{Path, PathBuf};
use std::time::Duration;

use warpsim_programs::{Form, Program, Soundness, volatile};

use super::{Subject, Task};
use crate::conformance;
use crate::labelled::{Expected, Manifest};

/// Levels for programs with one result: as written, and by the driver's default.
const BOTH: [Option<u8>; 2] = [Some(0), None];
/// The level that keeps a program as written.
const AS_WRITTEN: [Option<u8>; 1] = [Some(0)];
/// When to give up a launch that ought to finish.
const SHORT: Duration = Duration::from_secs(2);

type Result<T> = std::result::Result<T, String>;

/// Everything, in the order of the modules' names. `root` is the root of the repository.
///
/// # Errors
/// A file or a line of one that is not understood.
pub fn subjects(root: &Path) -> Result<Vec<Subject>> {
    let mut all = corpus(root)?;
    all.extend(conformance_files(root)?);
    all.extend(labelled(root, "tests/litmus")?);
    all.extend(labelled(root, "tests/twins")?);
    all.extend(programs());
    all.sort_by(|a, b| a.module.cmp(&b.module));
    Ok(all)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn launch(module: PathBuf, kernel: &str, options: Vec<String>, racy: bool) -> Subject {
    let levels = if racy { AS_WRITTEN.to_vec() } else { BOTH.to_vec() };
    let alone = options.iter().any(|word| word == "leftover");
    let task = Task::Launch([words("--kernel"), vec![kernel.to_owned()], options].concat());
    Subject { module, task, racy, alone, levels, timeout: SHORT }
}

fn read(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// The files of a folder with this ending, sorted.
fn files(folder: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut found: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    found.retain(|path| path.to_string_lossy().ends_with(ending));
    found.sort();
    Ok(found)
}

fn below(root: &Path, path: &Path) -> PathBuf {
    path.strip_prefix(root).unwrap_or(path).to_owned()
}

/// `launches.txt`, for every form of each file.
fn corpus(root: &Path) -> Result<Vec<Subject>> {
    let corpus = root.join("tests/corpus");
    let mut forms = files(&corpus, "")?;
    forms.retain(|path| path.is_dir());
    let mut all = Vec::new();
    let table = read(&corpus.join("launches.txt"))?;
    for line in table.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty()) {
        let bad = || format!("launches.txt: `{line}`: FILE KERNEL KIND OPTIONS");
        let parts: Vec<&str> = line.splitn(4, ' ').collect();
        let [file, kernel, kind, options] = parts.as_slice() else { return Err(bad()) };
        let modules: Vec<PathBuf> = match file.contains('/') {
            true => vec![root.join(format!("tests/{file}.ptx"))],
            false => forms.iter().map(|form| form.join(format!("{file}.ptx"))).collect(),
        };
        let racy = match *kind {
            "same" | "warp" => false,
            "order" | "racy" | "waits" => true,
            _ => return Err(bad()),
        };
        for module in modules.iter().filter(|module| module.exists()) {
            if read(module)?.contains(&format!(".entry {kernel}(")) {
                all.push(launch(below(root, module), kernel, words(options), racy));
            }
        }
    }
    Ok(all)
}

/// The launches of conformance files that are not for the lockstep model alone, nor of modules for
/// one architecture alone (`sm_100a`), which few GPUs run. Those that name a schedule depend on it.
fn conformance_files(root: &Path) -> Result<Vec<Subject>> {
    let mut all = Vec::new();
    for path in files(&root.join("tests/conformance"), ".ptx")? {
        let text = read(&path)?;
        let target = text.lines().find_map(|line| line.strip_prefix(".target sm_"));
        if target.is_some_and(|number| number.parse::<u32>().is_err()) {
            continue;
        }
        let cases = conformance::cases(&text)?;
        for case in cases.iter().filter(|case| case.is_for_hardware()) {
            let racy = !case.is_deterministic();
            let kernel = case.kernel().to_owned();
            let of = |pass: Option<&str>| {
                let mut options = case.options();
                options.extend(pass.iter().flat_map(|p| ["--pass".to_owned(), (*p).to_owned()]));
                launch(below(root, &path), &kernel, options, racy)
            };
            all.push(of(None));
            all.extend(case.passes().iter().map(|pass| of(Some(pass))));
        }
    }
    Ok(all)
}

/// Options of `warpsim check` that a GPU knows nothing of, with their values.
const SIMULATED: [&str; 6] =
    ["--model", "--schedule", "--shared-init", "--max-steps", "--device", "--schedules"];

/// The labelled kernels of a folder: a `.cu` with its forms, or a `.ptx` with its own head.
fn labelled(root: &Path, folder: &str) -> Result<Vec<Subject>> {
    let folder = root.join(folder);
    let mut all = Vec::new();
    let mut add = |source: &Path, forms: &[PathBuf]| -> Result<()> {
        let manifest = Manifest::parse(&read(source)?);
        let manifest = manifest.map_err(|e| format!("{}: {e}", source.display()))?;
        for kernel in &manifest.kernels {
            let racy = kernel.expected != Expected::Clean;
            for form in forms {
                let options = for_hardware(&kernel.options);
                all.push(launch(below(root, form), &kernel.kernel, options, racy));
            }
        }
        Ok(())
    };
    for source in files(&folder, ".cu")? {
        let form = |ending: &str| source.with_extension(ending);
        add(&source, &[form("naive.ptx"), form("o3.ptx")])?;
    }
    for path in files(&folder, ".ptx")? {
        let is_compiled = [".naive.ptx", ".o3.ptx"];
        if !is_compiled.iter().any(|end| path.to_string_lossy().ends_with(end)) {
            add(&path, std::slice::from_ref(&path))?;
        }
    }
    Ok(all)
}

/// The options that mean something on a GPU.
fn for_hardware(options: &[String]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = options.iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or(word);
        if word.starts_with("--") && SIMULATED.contains(&name) {
            if !word.contains('=') {
                words.next();
            }
        } else if word != "--uninitialized" {
            kept.push(word.clone());
        }
    }
    kept
}

/// Every variant of every program in both forms, on its inputs; and the five rows.
fn programs() -> Vec<Subject> {
    let mut all = Vec::new();
    for program in warpsim_programs::all() {
        for (form, text) in program.ptx {
            for variant in program.variants {
                let racy = match variant.soundness {
                    Soundness::Synchronised | Soundness::WarpSynchronous | Soundness::Unmasked => {
                        false
                    }
                    Soundness::AsWritten | Soundness::Faulty(_) => true,
                };
                for input in program.inputs.recorded {
                    let form: Form = *form;
                    all.push(Subject {
                        module: Path::new("programs/src").join(folder_of(program)).join(text.file),
                        task: Task::Program {
                            program: program.name,
                            form: form.name(),
                            variant: variant.name,
                            input: (*input).to_owned(),
                        },
                        racy,
                        alone: false,
                        levels: if racy { AS_WRITTEN.to_vec() } else { BOTH.to_vec() },
                        timeout: SHORT,
                    });
                }
            }
        }
    }
    all.push(Subject {
        module: Path::new("programs/src/volatile").join(volatile::BY_HAND.file),
        task: Task::FiveRows,
        racy: false,
        alone: true,
        levels: Vec::new(),
        timeout: SHORT,
    });
    all
}

/// Where a program's files lie: `reduce-tail` in `reduce_tail`. The votes share a folder.
fn folder_of(program: &Program) -> String {
    let name = program.name.strip_suffix("-unmasked").unwrap_or(program.name);
    name.replace('-', "_")
}
