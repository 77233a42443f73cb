//! `warpsim devices`: what can run here.

use serde::Serialize;
use warpsim::cuda::{Nvrtc, NvrtcError, PIP_COMMAND, Search};
use warpsim::host::DeviceProfile;
use warpsim_gpu::probe::{self, GpuFacts};
use warpsim_gpu::{GpuError, Isolated};

use crate::args::{DevicesArgs, Format};
use crate::clang::{self, Mistake, Said, Verdict};
use crate::failure::{Exit, Failure};
use crate::json;
use crate::output::Output;
use crate::render::table;

#[derive(Serialize)]
struct Document {
    schema: u32,
    profiles: Vec<Profile>,
    gpus: Looked<Gpu>,
    compilers: Looked<Compiler>,
    /// The clang that is used.
    clang: Option<Chosen>,
    /// All that are here.
    clangs: Vec<Clang>,
}

/// What compiles whole programs.
#[derive(Clone, Serialize)]
struct Chosen {
    path: String,
    version: Option<String>,
}

/// A clang and its trial.
#[derive(Serialize)]
struct Clang {
    path: String,
    version: Option<String>,
    /// What it says of itself, in a line.
    says: Option<String>,
    verdict: &'static str,
    /// What it gets wrong.
    mistakes: Vec<Mistake>,
    /// Why it cannot be used.
    note: Option<String>,
    chosen: bool,
}

#[derive(Serialize)]
struct Profile {
    name: String,
    default: bool,
    multiprocessors: u32,
    blocks: u32,
    threads: u32,
    threads_per_block: u32,
    shared: u32,
    shared_per_block: u32,
    memory: u64,
}

/// What was found of something, or why there is none and what to do.
#[derive(Serialize)]
struct Looked<T> {
    found: Vec<T>,
    note: Option<String>,
}

#[derive(Serialize)]
struct Gpu {
    ordinal: u32,
    name: String,
    architecture: String,
    multiprocessors: u32,
    memory: u64,
    driver: Option<String>,
    cuda: String,
    /// The latest version of PTX that its driver takes.
    ptx: String,
}

#[derive(Serialize)]
struct Compiler {
    version: Option<String>,
    path: String,
    place: &'static str,
    /// Whether it is the one that compiles `.cu` files.
    chosen: bool,
    /// Why it cannot be used.
    note: Option<String>,
}

pub(super) fn run(args: &DevicesArgs, output: &mut Output) -> Result<Exit, Failure> {
    let clangs = clangs()?;
    let document = Document {
        schema: 1,
        profiles: DeviceProfile::all().into_iter().map(profile).collect(),
        gpus: gpus(),
        compilers: compilers(&Search::of_process(args.nvrtc.as_deref())),
        clang: clangs
            .iter()
            .find(|clang| clang.chosen)
            .map(|clang| Chosen { path: clang.path.clone(), version: clang.says.clone() }),
        clangs,
    };
    match args.format {
        Format::Json => {
            let text = json::to_string(&document)?;
            output.line(&text)?;
        }
        Format::Text => text(&document, output)?,
    }
    Ok(Exit::CLEAN)
}

/// The GPUs, or what the child process of a GPU serves in place of one.
fn gpus() -> Looked<Gpu> {
    let looked = match std::env::var_os("WARPSIM_GPU_STAND_IN") {
        None => probe::gpus(),
        Some(_) => Isolated::start(Default::default()).map(|gpu| vec![gpu.facts().clone()]),
    };
    let none = GpuError::NoGpu { ordinal: 0, count: 0 };
    match looked {
        Ok(found) if found.is_empty() => Looked { found: Vec::new(), note: Some(none.to_string()) },
        Ok(found) => Looked { found: found.into_iter().map(gpu).collect(), note: None },
        Err(error) => Looked { found: Vec::new(), note: Some(error.to_string()) },
    }
}

fn gpu(facts: GpuFacts) -> Gpu {
    let version = |(major, minor): (u32, u32)| format!("{major}.{minor}");
    let (major, minor) = facts.capability;
    Gpu {
        ordinal: facts.ordinal,
        architecture: format!("sm_{major}{minor}"),
        multiprocessors: facts.multiprocessors,
        memory: facts.memory,
        cuda: version(facts.cuda),
        ptx: version(facts.ptx()),
        driver: facts.driver,
        name: facts.name,
    }
}

fn compilers(search: &Search) -> Looked<Compiler> {
    let mut found: Vec<Compiler> = Vec::new();
    for candidate in search.found().unwrap_or_default() {
        let (path, place) = (candidate.library.display().to_string(), candidate.place);
        let (version, note) = match Nvrtc::open(candidate) {
            Ok(nvrtc) => {
                let (major, minor) = nvrtc.version();
                (Some(format!("{major}.{minor}")), None)
            }
            Err(error) => (None, Some(error.to_string())),
        };
        let chosen = version.is_some() && !found.iter().any(|c| c.chosen);
        found.push(Compiler { version, path, place: place.words(), chosen, note });
    }
    let is_usable = found.iter().any(|c| c.chosen);
    let none = NvrtcError::NotFound { given: search.given.clone() };
    let note = (!is_usable).then(|| format!("{none}; `{PIP_COMMAND}` installs it"));
    Looked { found, note }
}

/// The clangs that are here, each tried; the first that passes is the one that is used.
fn clangs() -> Result<Vec<Clang>, Failure> {
    let mut all: Vec<Clang> = Vec::new();
    for installed in clang::installed() {
        let tried = clang::tried(installed)?;
        let says = match &tried.clang.said {
            Said::Version(_, line) | Said::Unknown(line) => Some(line.clone()),
            Said::Nothing => None,
        };
        let (verdict, mistakes, note) = match tried.verdict {
            Verdict::Passes => ("passes", Vec::new(), None),
            Verdict::Fails(mistakes) => ("fails", mistakes, None),
            Verdict::Unusable(why) => ("unusable", Vec::new(), Some(why)),
        };
        all.push(Clang {
            path: tried.clang.path.display().to_string(),
            version: tried.clang.version().map(|version| version.to_string()),
            says,
            chosen: verdict == "passes" && !all.iter().any(|clang| clang.chosen),
            verdict,
            mistakes,
            note,
        });
    }
    Ok(all)
}

fn profile(p: DeviceProfile) -> Profile {
    Profile {
        default: p == DeviceProfile::default(),
        name: p.name,
        multiprocessors: p.multiprocessors,
        blocks: p.blocks_per_multiprocessor,
        threads: p.threads_per_multiprocessor,
        threads_per_block: p.threads_per_block,
        shared: p.shared_per_multiprocessor,
        shared_per_block: p.shared_per_block,
        memory: p.global_memory,
    }
}

fn text(document: &Document, output: &mut Output) -> Result<(), Failure> {
    output.line("simulator, with the device profiles (--device):\n")?;
    let mut table = table([
        "name",
        "multiprocessors",
        "blocks",
        "threads",
        "threads-per-block",
        "shared",
        "shared-per-block",
        "memory",
    ]);
    for p in &document.profiles {
        table.add_row([
            format!("{}{}", p.name, if p.default { " (default)" } else { "" }),
            p.multiprocessors.to_string(),
            p.blocks.to_string(),
            p.threads.to_string(),
            p.threads_per_block.to_string(),
            p.shared.to_string(),
            p.shared_per_block.to_string(),
            p.memory.to_string(),
        ]);
    }
    output.line(&table.trim_fmt())?;
    output.line("\nany limit can be changed: --device multiprocessors=2,blocks=1")?;
    gpu_text(&document.gpus, output)?;
    compiler_text(&document.compilers, output)?;
    clang_text(&document.clangs, output)
}

fn clang_text(clangs: &[Clang], output: &mut Output) -> Result<(), Failure> {
    const WHAT: &str = "\nclang, for `exec FILE.cu` and where there is no other compiler";
    if clangs.is_empty() {
        return output.line(&format!("{WHAT}: none: {}", clang::INSTALL));
    }
    output.line(&format!("{WHAT} (WARPSIM_CLANG), the newest first:\n"))?;
    let mut table = table(["clang", "trial", "path"]);
    for clang in clangs {
        let version = clang.version.as_deref().unwrap_or("unknown");
        let chosen = if clang.chosen { " (chosen)" } else { "" };
        let cells = [format!("{version}{chosen}"), clang.verdict.to_owned(), clang.path.clone()];
        table.add_row(cells);
    }
    output.line(&table.trim_fmt())?;
    for clang in clangs {
        let lines = clang::mistakes_in_words(&clang.mistakes);
        for line in lines.iter().chain(&clang.note) {
            output.line(&format!("  {}: {line}", clang.path))?;
        }
    }
    match clangs.iter().any(|clang| clang.chosen) {
        true => Ok(()),
        false => output.line(&format!("  none of these is used: {}", clang::INSTALL)),
    }
}

fn gpu_text(gpus: &Looked<Gpu>, output: &mut Output) -> Result<(), Failure> {
    if let Some(note) = &gpus.note {
        return output.line(&format!("\nGPUs: none: {note}"));
    }
    output.line("\nGPUs (--on gpu):\n")?;
    let mut table = table([
        "number",
        "name",
        "architecture",
        "multiprocessors",
        "memory",
        "driver",
        "CUDA",
        "PTX up to",
    ]);
    for gpu in &gpus.found {
        table.add_row([
            gpu.ordinal.to_string(),
            gpu.name.clone(),
            gpu.architecture.clone(),
            gpu.multiprocessors.to_string(),
            gpu.memory.to_string(),
            gpu.driver.clone().unwrap_or_default(),
            gpu.cuda.clone(),
            gpu.ptx.clone(),
        ]);
    }
    output.line(&table.trim_fmt())
}

fn compiler_text(compilers: &Looked<Compiler>, output: &mut Output) -> Result<(), Failure> {
    if !compilers.found.is_empty() {
        output
            .line("\ncompilers of .cu files, in the order in which they are tried (--nvrtc):\n")?;
        let mut table = table(["NVRTC", "found in", "path"]);
        for compiler in &compilers.found {
            let version = compiler.version.as_deref().unwrap_or("unusable");
            let chosen = if compiler.chosen { " (chosen)" } else { "" };
            table.add_row([
                format!("{version}{chosen}"),
                compiler.place.to_owned(),
                compiler.path.clone(),
            ]);
        }
        output.line(&table.trim_fmt())?;
        for note in compilers.found.iter().filter_map(|c| c.note.as_ref()) {
            output.line(&format!("  {note}"))?;
        }
    }
    match &compilers.note {
        Some(note) => output.line(&format!("\ncompilers: none: {note}")),
        None => Ok(()),
    }
}
