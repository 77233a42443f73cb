//! The program: its environment, and its end.

use std::env;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use warpsim::host::DeviceProfile;
use warpsim::schedule::Schedule;
use warpsim_driver_core::{Choice, Ledger, Options, Profile, VARIABLE};

use super::cut::End;
use super::debugging::{self, Adapter};
use super::folder::{ASSEMBLER, DRIVER, Folder, PROGRAMS};
use super::python;
use super::signals::Signals;
use super::source;
use crate::args::ExecArgs;
use crate::args::launch::ModelName;
use crate::cache::user_cache;
use crate::failure::Failure;
use crate::output::Output;
use crate::reports::is_page;

/// The variable that says where libraries are looked for first.
const FOLDERS: &str = "LD_LIBRARY_PATH";

/// The variable that says where CuPy keeps machine code.
const CUPY_CACHE: &str = "CUPY_CACHE_DIR";

/// The variable that says which libraries come before all others.
const FIRST: &str = "LD_PRELOAD";

/// A program that has ended.
pub(super) struct Ended {
    /// Its exit code; 128 and the signal's number when one ended it, as shells have it.
    pub(super) code: u8,
    /// How it ended.
    pub(super) end: End,
    /// What it left in the journal.
    pub(super) journal: String,
    /// How far its processes came.
    pub(super) ledger: Ledger,
    /// The log of its calls, where a timeline is wanted.
    pub(super) calls: String,
    /// The folder of the run, with what else its processes left there.
    pub(super) folder: Folder,
}

/// Runs the program to its end.
pub(super) fn run(args: &ExecArgs, output: &mut Output) -> Result<Ended, Failure> {
    check_schedule(args)?;
    let folder = Folder::new()?;
    let options = options(args, &folder)?;
    let words = words(args, &folder, output)?;
    let mut command = command(&words, &folder, &options)?;
    let signals = Signals::hold_back().map_err(|error| refused("signals", &error))?;
    warpsim_driver::end_with_parent(&mut command, signals.of_the_program());
    let socket = options.debug.as_ref().and_then(|asked| Some((asked, asked.adapter.as_ref()?)));
    let mut adapter = match socket {
        Some((asked, socket)) => Some(Adapter::prepare(asked, socket, &mut command)?),
        None => None,
    };
    let mut child = command.spawn().map_err(|error| not_started(&words, &error))?;
    if let Some(adapter) = &mut adapter {
        adapter.start(&mut child);
    }
    let status = signals.wait(&mut child).map_err(|error| refused("the program", &error))?;
    let code = match (status.code(), status.signal()) {
        (Some(code), _) => u8::try_from(code & 0xff).unwrap_or(u8::MAX),
        (None, Some(signal)) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        (None, None) => u8::MAX,
    };
    if let Some(adapter) = adapter {
        adapter.end(code);
    }
    if let Some(asked) = &options.debug {
        debugging::tell_unreached(asked, output);
    }
    let (journal, ledger) = folder.read()?;
    let calls = match (&args.perfetto, &options.log) {
        (Some(_), Some(log)) => {
            fs::read(log).map_err(|error| refused("the log of calls", &error))?
        }
        (Some(_) | None, _) => Vec::new(),
    };
    let calls = String::from_utf8_lossy(&calls).into_owned();
    let end = End { process: child.id(), signal: status.signal() };
    Ok(Ended { code, end, journal, ledger, calls, folder })
}

pub(super) fn refused(what: &str, error: &io::Error) -> Failure {
    Failure::usage(format!("{what}: {error}"))
}

/// Compiles the files to a program that is kept, and does not run it.
pub(super) fn compile(args: &ExecArgs, to: &Path, output: &mut Output) -> Result<(), Failure> {
    let folder = Folder::new()?;
    let program = source::build(&args.files, &args.source, folder.path(), output)?;
    let copied = fs::copy(&program, to);
    copied.map(|_| ()).map_err(|error| refused(&to.display().to_string(), &error))
}

/// The program and its arguments; one that is to be compiled first is.
fn words(args: &ExecArgs, folder: &Folder, output: &mut Output) -> Result<Vec<OsString>, Failure> {
    if args.files.is_empty() {
        return Ok(args.command.clone());
    }
    let program = source::build(&args.files, &args.source, folder.path(), output)?;
    if let Some(kept) = &args.output {
        let copied = fs::copy(&program, kept);
        copied.map_err(|error| refused(&kept.display().to_string(), &error))?;
    }
    Ok(std::iter::once(program.into()).chain(args.command.iter().cloned()).collect())
}

fn not_started(words: &[OsString], error: &io::Error) -> Failure {
    match words.first() {
        Some(program) => {
            Failure::usage(format!("cannot start {}: {error}", program.to_string_lossy()))
        }
        None => no_program(),
    }
}

fn no_program() -> Failure {
    Failure::usage("no program: warpsim exec -- CMD")
}

fn check_schedule(args: &ExecArgs) -> Result<(), Failure> {
    let Some(name) = &args.schedule else { return Ok(()) };
    let parsed: Result<Box<dyn Schedule>, _> = name.parse();
    match parsed {
        Ok(_) => Ok(()),
        Err(error) => {
            Err(Failure::usage(format!("invalid value '{name}' for '--schedule': {error}")))
        }
    }
}

/// A path that means the same wherever the program goes.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| refused(&path.display().to_string(), &error))
}

/// What the program's driver is asked for.
fn options(args: &ExecArgs, folder: &Folder) -> Result<Options, Failure> {
    let is_default = args.device == DeviceProfile::h200();
    let log = log(args, folder)?;
    Ok(Options {
        check: args.check,
        stats: args.stats,
        choice: Choice {
            only: args.only.clone(),
            first: args.first,
            sample: args.sample,
            budget: args.budget,
        },
        schedule: args.schedule.clone(),
        lockstep: args.model == ModelName::Lockstep,
        shared: args.shared_init.into(),
        passes: args.pass.clone(),
        max_steps: args.max_steps,
        threads: args.threads.map(|threads| threads as usize),
        profile: (!is_default).then(|| Profile::from(&args.device)),
        journal: Some(folder.journal()),
        ledger: Some(folder.ledger()),
        lock: Some(folder.lock()),
        log,
        timeline: args.perfetto.is_some(),
        page: args.report.as_deref().is_some_and(is_page).then(|| folder.page()),
        debug: debugging::asked(args, folder)?,
    })
}

/// The file for the log of calls, made empty. The timeline is made of it, too.
fn log(args: &ExecArgs, folder: &Folder) -> Result<Option<PathBuf>, Failure> {
    let asked = args.log.as_deref().map(absolute).transpose()?;
    let log = asked.or_else(|| args.perfetto.is_some().then(|| folder.calls()));
    if let Some(log) = &log {
        // It is this run's.
        fs::write(log, "").map_err(|error| refused(&log.display().to_string(), &error))?;
        if args.perfetto.is_some() && !log.is_file() {
            return Err(Failure::usage_with_help(
                format!("--perfetto reads the log of calls, and {} is no file", log.display()),
                "name a file after --log, or leave it out",
            ));
        }
    }
    Ok(log)
}

fn command(words: &[OsString], folder: &Folder, options: &Options) -> Result<Command, Failure> {
    let (program, arguments) = words.split_first().ok_or_else(no_program)?;
    let programs = folder.path().join(PROGRAMS);
    let assembler = programs.join(ASSEMBLER);
    let asked = options.text().map_err(|error| {
        Failure::usage(format!("cannot hand the options to the program: {error}"))
    })?;
    let mut command = Command::new(program);
    command.args(arguments).env(VARIABLE, asked);
    command.env(FOLDERS, before(folder.path(), FOLDERS)).env("PATH", before(&programs, "PATH"));
    if found(program).and_then(interpreter).is_some_and(|path| has_runtimes(&path)) {
        command.env(FIRST, first(folder));
    }
    command.env(python::VARIABLE, python::path(folder.path()));
    // numba looks there first.
    command.env("NUMBA_CUDA_DRIVER", folder.path().join(DRIVER));
    // Triton has its own assembler, which it uses if these are not set, and two names for it.
    command.env("TRITON_PTXAS_PATH", &assembler).env("TRITON_PTXAS_BLACKWELL_PATH", &assembler);
    command.env("TRITON_LIBCUDA_PATH", folder.path());
    // What CuPy keeps there is loaded as it is, also by programs with a GPU.
    if env::var_os(CUPY_CACHE).is_none()
        && let Some(cache) = user_cache()
    {
        command.env(CUPY_CACHE, cache.join("warpsim/cupy"));
    }
    Ok(command)
}

/// A folder before those that a variable names.
pub(super) fn before(folder: &Path, variable: &str) -> OsString {
    let mut folders = OsString::from(folder);
    if let Some(others) = env::var_os(variable).filter(|others| !others.is_empty()) {
        folders.push(":");
        folders.push(others);
    }
    folders
}

/// This library before the others that are to come first: by its path, which means the same to a
/// program that starts others with another [`FOLDERS`]. A path with a space cannot be named there;
/// the library is then found by that variable.
fn first(folder: &Folder) -> OsString {
    let path = folder.path().join(DRIVER);
    let has_space = path.as_os_str().as_encoded_bytes().iter().any(u8::is_ascii_whitespace);
    let mut first = if has_space { OsString::from(DRIVER) } else { path.into_os_string() };
    if let Some(others) = env::var_os(FIRST).filter(|others| !others.is_empty()) {
        first.push(":");
        first.push(others);
    }
    first
}

/// The file of a program that is named as for a shell.
fn found(program: &OsString) -> Option<PathBuf> {
    let path = Path::new(program);
    if path.components().count() > 1 {
        return Some(path.to_owned());
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(path)).find(|path| path.is_file())
}

/// Whether a program has NVIDIA's runtime in it, or may load libraries that have.
fn has_runtimes(path: &Path) -> bool {
    warpsim_driver::Linked::read(path).is_some() || warpsim_driver::is_interpreter(path)
}

/// The file that the system starts for a program: of a script the one that its first line names.
fn interpreter(program: PathBuf) -> Option<PathBuf> {
    const LONGEST: u64 = 256;
    let mut head = Vec::new();
    File::open(&program).ok()?.take(LONGEST).read_to_end(&mut head).ok()?;
    let Some(line) = head.strip_prefix(b"#!") else { return Some(program) };
    let line = String::from_utf8_lossy(line.split(|byte| *byte == b'\n').next()?).into_owned();
    let mut words = line.split_whitespace();
    let first = words.next()?;
    match Path::new(first).file_name()?.to_str()? {
        // `env` starts what comes behind its options and the variables that it sets.
        "env" => found(&words.find(|word| !word.starts_with('-') && !word.contains('='))?.into()),
        _ => Some(first.into()),
    }
}
