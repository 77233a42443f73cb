//! The program: its folder, its environment, its signals, its end.

use std::env;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal, Read};
use std::os::unix::fs::symlink;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;

use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;
use warpsim::host::DeviceProfile;
use warpsim::schedule::Schedule;
use warpsim_driver_core::{Choice, Options, Profile, VARIABLE};
use warpsim_files::{TempDir, private_folder};

use super::source;
use crate::args::ExecArgs;
use crate::args::launch::ModelName;
use crate::cache::user_cache;
use crate::failure::Failure;
use crate::output::Output;

/// What programs load.
const NAMES: [&str; 11] = [
    "libcuda.so.1",
    "libcuda.so",
    "libcudart.so.12",
    "libcudart.so.13",
    "libcudart.so",
    "libnvJitLink.so.12",
    "libnvJitLink.so.13",
    "libnvJitLink.so",
    "libnvrtc.so.12",
    "libnvrtc.so.13",
    "libnvrtc.so",
];

/// The variable that says where libraries are looked for first.
const FOLDERS: &str = "LD_LIBRARY_PATH";

/// The variable that says where CuPy keeps machine code.
const CUPY_CACHE: &str = "CUPY_CACHE_DIR";

/// The folder in the program's own, of programs that it starts: the assembler.
const PROGRAMS: &str = "bin";
const ASSEMBLER: &str = "ptxas";

/// The variable that says which libraries come before all others.
const FIRST: &str = "LD_PRELOAD";

/// A program that has ended.
pub(super) struct Ended {
    /// Its exit code; 128 and the signal's number when one ended it, as shells have it.
    pub(super) code: u8,
    /// What it left in the journal.
    pub(super) journal: String,
}

/// Runs the program to its end.
pub(super) fn run(args: &ExecArgs, output: &mut Output) -> Result<Ended, Failure> {
    check_schedule(args)?;
    let folder = folder()?;
    let journal = folder.path().join("journal");
    let options = options(args, journal.clone())?;
    let words = words(args, &folder, output)?;
    let mut command = command(&words, &folder, &options)?;
    let signals = forwarded();
    let mut child = command.spawn().map_err(|error| not_started(&words, &error))?;
    // Now and not before: a child has the signals that its parent does not take.
    signals.thread_block().map_err(|error| refused("signals", &error.into()))?;
    forward(signals, &child);
    let status = child.wait().map_err(|error| refused("the program", &error))?;
    let code = match (status.code(), status.signal()) {
        (Some(code), _) => u8::try_from(code & 0xff).unwrap_or(u8::MAX),
        (None, Some(signal)) => u8::try_from(128 + signal).unwrap_or(u8::MAX),
        (None, None) => u8::MAX,
    };
    let journal = match std::fs::read(&journal) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        // It never used the device.
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(refused("the journal of the program", &error)),
    };
    Ok(Ended { code, journal })
}

fn refused(what: &str, error: &io::Error) -> Failure {
    Failure::usage(format!("{what}: {error}"))
}

/// The program and its arguments; one that is to be compiled first is.
fn words(args: &ExecArgs, folder: &TempDir, output: &mut Output) -> Result<Vec<OsString>, Failure> {
    let Some(file) = &args.file else { return Ok(args.command.clone()) };
    let program = source::build(file, &args.source, folder.path(), output)?;
    if let Some(kept) = &args.output {
        let copied = std::fs::copy(&program, kept);
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

/// A folder in which this command is the driver's library.
fn folder() -> Result<TempDir, Failure> {
    let folder = private_folder("warpsim-exec-");
    let folder = folder.map_err(|error| refused("a temporary folder", &error))?;
    // What keeps the functions in this executable.
    let library = env::current_exe().map_err(|error| refused("the command's own file", &error))?;
    if warpsim_driver::functions().is_empty() {
        return Err(warpsim::internal!("the driver has no functions").into());
    }
    let programs = folder.path().join(PROGRAMS);
    let made = std::fs::create_dir(&programs);
    made.map_err(|error| refused("a folder in a temporary folder", &error))?;
    let links = NAMES.iter().map(|name| folder.path().join(name));
    for link in links.chain([programs.join(ASSEMBLER)]) {
        let linked = symlink(&library, link);
        linked.map_err(|error| refused("a link in a temporary folder", &error))?;
    }
    Ok(folder)
}

/// A path that means the same wherever the program goes.
fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| refused(&path.display().to_string(), &error))
}

/// What the program's driver is asked for.
fn options(args: &ExecArgs, journal: PathBuf) -> Result<Options, Failure> {
    let is_default = args.device == DeviceProfile::h200();
    let log = args.log.as_deref().map(absolute).transpose()?;
    if let Some(log) = &log {
        // It is this run's.
        std::fs::write(log, "").map_err(|error| refused(&log.display().to_string(), &error))?;
    }
    Ok(Options {
        check: args.check,
        choice: Choice { only: args.only.clone(), first: args.first, sample: args.sample },
        schedule: args.schedule.clone(),
        lockstep: args.model == ModelName::Lockstep,
        shared: args.shared_init.into(),
        passes: args.pass.clone(),
        max_steps: args.max_steps,
        threads: args.threads.map(|threads| threads as usize),
        profile: (!is_default).then(|| Profile::from(&args.device)),
        journal: Some(journal),
        log,
    })
}

fn command(words: &[OsString], folder: &TempDir, options: &Options) -> Result<Command, Failure> {
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
        command.env(FIRST, first());
    }
    // numba looks there first.
    command.env("NUMBA_CUDA_DRIVER", folder.path().join(NAMES[0]));
    // Triton has an assembler of its own, which it takes where these are not set, and two names for it.
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
fn before(folder: &Path, variable: &str) -> OsString {
    let mut folders = OsString::from(folder);
    if let Some(others) = env::var_os(variable).filter(|others| !others.is_empty()) {
        folders.push(":");
        folders.push(others);
    }
    folders
}

/// This library before the others that are to come first.
fn first() -> OsString {
    let mut first = OsString::from(NAMES[0]);
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

/// The signals that go on to the program. A terminal sends those of its keys to both.
fn forwarded() -> SigSet {
    use Signal as S;
    let mut signals = SigSet::empty();
    for signal in [S::SIGTERM, S::SIGHUP, S::SIGUSR1, S::SIGUSR2] {
        signals.add(signal);
    }
    for signal in [S::SIGINT, S::SIGQUIT] {
        signals.add(signal);
    }
    signals
}

fn forward(signals: SigSet, child: &Child) {
    let from_keys = io::stdin().is_terminal() || io::stderr().is_terminal();
    let Ok(id) = i32::try_from(child.id()) else { return };
    // It ends with the command. Where there is no thread to be had, signals wait until the program ends.
    let _ = thread::Builder::new().spawn(move || {
        while let Ok(signal) = signals.wait() {
            let is_key = matches!(signal, Signal::SIGINT | Signal::SIGQUIT);
            if !(is_key && from_keys) {
                let _ = kill(Pid::from_raw(id), signal);
            }
        }
    });
}
