//! The two processes: what one does when the other ends, or sends nonsense.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use warpsim::host::{Device, DeviceError, Launch};
use warpsim::report::Outcome;
use warpsim_gpu::{GpuError, Isolated, IsolatedSettings, WorkerProgram};

use super::{kernels, start, tests};

tests![
    a_dropped_device_leaves_no_process,
    a_hung_process_is_killed_and_leaves_no_zombie,
    a_child_that_was_killed_between_calls_has_lost_everything,
    a_child_that_was_killed_between_calls_is_no_reason_not_to_begin_anew,
    a_child_that_is_killed_during_a_launch_is_a_fault,
    a_child_ends_when_its_parent_is_killed_while_a_kernel_runs,
    a_child_ends_when_its_parent_is_killed_while_it_is_idle,
    a_program_that_is_not_there_is_an_error,
    a_child_that_says_what_makes_no_sense_is_an_error,
    a_child_that_is_told_what_makes_no_sense_ends,
    a_child_that_is_asked_by_another_version_says_which_it_is,
    without_a_driver_no_child_is_started,
];

/// The environment variable that makes this program a parent for the test to kill. Its value says
/// what replaces the GPU.
const PARENT: &str = "WARPSIM_TEST_PARENT";

/// Whether this process is that parent.
pub(crate) fn is_asked() -> bool {
    std::env::var_os(PARENT).is_some()
}

/// Says the child's number, launches, and waits.
pub(crate) fn be_a_parent() -> ! {
    let stand_in = std::env::var(PARENT).expect("it is text");
    let mut gpu = start(&stand_in);
    let module = gpu.load(&kernels::empty()).expect("it loads");
    println!("{}", gpu.process().expect("there is a child"));
    let _ = gpu.launch(module, "empty", &Launch::new(1, 1), &[]);
    loop {
        thread::sleep(Duration::from_secs(60));
    }
}

/// Whether a process is there; `ended` ones whose parents have not asked for them are not.
fn runs(process: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"));
    stat.is_ok_and(|s| !s.rsplit(')').next().unwrap_or("").trim_start().starts_with('Z'))
}

fn wait_for_the_end(process: u32) {
    let until = Instant::now() + Duration::from_secs(10);
    while runs(process) {
        assert!(Instant::now() < until, "process {process} goes on");
        thread::sleep(Duration::from_millis(10));
    }
}

fn kill(process: u32) {
    let status = Command::new("kill").args(["-9", &process.to_string()]).status();
    assert!(status.expect("there is `kill`").success());
}

/// No process and no zombie has this number.
fn is_gone(process: u32) -> bool {
    !PathBuf::from(format!("/proc/{process}")).exists()
}

fn a_dropped_device_leaves_no_process() {
    let gpu = start("simulator");
    let process = gpu.process().expect("there is a child");
    assert!(runs(process));
    let begun = Instant::now();
    drop(gpu);
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert!(is_gone(process));
}

fn a_hung_process_is_killed_and_leaves_no_zombie() {
    let mut gpu = start("simulator:hang");
    let process = gpu.process().expect("there is a child");
    let module = gpu.load(&kernels::empty()).expect("it loads");
    gpu.settings_mut().timeout = Duration::from_millis(100);
    let report = gpu.launch(module, "empty", &Launch::new(1, 1), &[]).expect("it starts");
    assert_eq!(report.outcome, Outcome::Hung);
    assert!(is_gone(process));
}

fn a_child_that_was_killed_between_calls_has_lost_everything() {
    let mut gpu = start("simulator");
    let buffer = gpu.allocate(4).expect("there is room");
    let process = gpu.process().expect("there is a child");
    kill(process);
    wait_for_the_end(process);
    assert_eq!(gpu.upload(buffer, &[1]), Err(DeviceError::Lost));
    assert!(is_gone(process));
    let module = gpu.load(&kernels::empty()).expect("there is a new child");
    let report = gpu.launch(module, "empty", &Launch::new(1, 1), &[]).expect("it starts");
    assert_eq!(report.outcome, Outcome::Completed);
}

fn a_child_that_was_killed_between_calls_is_no_reason_not_to_begin_anew() {
    let mut gpu = start("simulator");
    let process = gpu.process().expect("there is a child");
    kill(process);
    wait_for_the_end(process);
    let buffer = gpu.allocate(4).expect("there is a new child");
    gpu.upload(buffer, &[1]).expect("it is there");
    assert!(is_gone(process));
}

fn a_child_that_is_killed_during_a_launch_is_a_fault() {
    let mut gpu = start("simulator:hang");
    let module = gpu.load(&kernels::empty()).expect("it loads");
    let process = gpu.process().expect("there is a child");
    let killer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(200));
        kill(process);
    });
    let report = gpu.launch(module, "empty", &Launch::new(1, 1), &[]).expect("it starts");
    killer.join().expect("it was killed");
    assert_eq!(report.outcome, Outcome::Fault);
    let words = "the process that ran it ended by signal 9";
    assert_eq!(report.findings[0].explanation, words);
}

fn child_of_a_killed_parent(stand_in: &str) -> u32 {
    let program = std::env::current_exe().expect("this program is somewhere");
    let mut parent = Command::new(program)
        .env(PARENT, stand_in)
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut line = String::new();
    let stdout = parent.stdout.take().expect("it is piped");
    BufReader::new(stdout).read_line(&mut line).expect("it says a number");
    let process = line.trim().parse().expect("it is a number");
    // Time for the launch to begin.
    thread::sleep(Duration::from_millis(200));
    assert!(runs(process));
    parent.kill().expect("it can be killed");
    parent.wait().expect("it ends");
    process
}

fn a_child_ends_when_its_parent_is_killed_while_a_kernel_runs() {
    wait_for_the_end(child_of_a_killed_parent("simulator:hang"));
}

fn a_child_ends_when_its_parent_is_killed_while_it_is_idle() {
    wait_for_the_end(child_of_a_killed_parent("simulator"));
}

/// Children that are shell scripts: a name, the text, and the words of the error. Standard input is
/// the socket, in both directions.
const SCRIPTS: &[(&str, &str, &str)] = &[
    ("silent.sh", "exit 3", "ended with exit code 3"),
    // A head of 4 GiB.
    ("oversized.sh", r"printf '\377\377\377\377\0\0\0\0\0\0\0\0' >&0; exec sleep 60", NONSENSE),
    // A body of 2^64 bytes.
    (
        "overweight.sh",
        r"printf '\1\0\0\0\377\377\377\377\377\377\377\377' >&0; exec sleep 60",
        NONSENSE,
    ),
    // A whole message that is none.
    ("garbled.sh", r"printf '\1\0\0\0\0\0\0\0\0\0\0\0\377' >&0; exec sleep 60", NONSENSE),
    // An answer to another question.
    ("other.sh", r"printf '\1\0\0\0\0\0\0\0\0\0\0\0\4' >&0; exec sleep 60", NONSENSE),
    // The version of another program, 24 bytes, in a message of 25.
    (
        "older.sh",
        r"printf '\31\0\0\0\0\0\0\0\0\0\0\0\30warpsim-gpu 0.0.1 wire 1' >&0; exec sleep 60",
        "is `warpsim-gpu 0.0.1 wire 1`, and this program `warpsim-gpu ",
    ),
    // Half a message: there should be ten bytes more.
    ("half.sh", r"printf '\13\0\0\0\0\0\0\0\0\0\0\0\0' >&0; exit 5", "ended with exit code 5"),
];

const NONSENSE: &str = "gives an answer that makes no sense";

/// A folder of this process alone.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("isolated-{}", std::process::id()))
}

/// Writes the scripts. This must happen before other threads start processes. For a moment, these
/// hold files that are open for writing, and such files cannot be executed.
pub(crate) fn write_scripts() {
    use std::os::unix::fs::PermissionsExt;

    fs::create_dir_all(folder()).expect("it can be made");
    for (name, text, _) in SCRIPTS {
        let path = folder().join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("it can be written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
}

/// Removes them.
pub(crate) fn remove_scripts() {
    fs::remove_dir_all(folder()).expect("it is ours");
}

fn start_program(path: PathBuf) -> String {
    let program = WorkerProgram::At(path);
    let settings = IsolatedSettings::default().with_program(program);
    match Isolated::start_standing_in("simulator", settings) {
        Err(GpuError::Worker { what }) => what,
        other => panic!("it is no such error: {other:?}"),
    }
}

fn a_program_that_is_not_there_is_an_error() {
    let what = start_program(PathBuf::from("/nowhere/at/all"));
    assert!(what.starts_with("cannot be started"), "{what}");
}

fn a_child_that_says_what_makes_no_sense_is_an_error() {
    for (name, _, expected) in SCRIPTS {
        let begun = Instant::now();
        let what = start_program(folder().join(name));
        assert!(what.starts_with(expected), "{name}: {what}");
        assert!(begun.elapsed() < Duration::from_secs(9), "{name}");
    }
}

/// What a child answers to these bytes before it ends.
fn answer_to(bytes: &[u8]) -> Vec<u8> {
    let (mut ours, theirs) = UnixStream::pair().expect("there are sockets");
    let program = std::env::current_exe().expect("this program is somewhere");
    let mut child = Command::new(program)
        .env("WARPSIM_GPU_WORKER", "1")
        .env("WARPSIM_GPU_STAND_IN", "simulator")
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        .spawn()
        .expect("it starts");
    ours.write_all(bytes).expect("it reads");
    ours.set_read_timeout(Some(Duration::from_secs(10))).expect("it can be set");
    let mut answer = Vec::new();
    ours.read_to_end(&mut answer).expect("it ends");
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(2));
    answer
}

/// A message without a body.
fn message(head: &[u8]) -> Vec<u8> {
    let length = u32::try_from(head.len()).expect("it is short");
    [&length.to_le_bytes()[..], &[0; 8], head].concat()
}

fn a_child_that_is_told_what_makes_no_sense_ends() {
    let early = message(&[2, 4, 0, 0, 0, 0, 0, 0, 0]);
    for bytes in [&[0xff; 12][..], &message(&[0xff]), &early] {
        assert!(answer_to(bytes).is_empty());
    }
}

fn a_child_that_is_asked_by_another_version_says_which_it_is() {
    let older = [&[24][..], b"warpsim-gpu 0.0.1 wire 1", &[0; 40]].concat();
    let answer = answer_to(&message(&older));
    let version = answer.get(13..).map(String::from_utf8_lossy).unwrap_or_default();
    assert!(version.starts_with("warpsim-gpu ") && version.ends_with(" wire 3"), "{version}");
}

/// The child would be a program that does not exist, which would be another error.
fn without_a_driver_no_child_is_started() {
    if warpsim_gpu::probe::gpus() != Err(GpuError::NoDriver) {
        return;
    }
    let program = WorkerProgram::At(PathBuf::from("/nowhere/at/all"));
    let settings = IsolatedSettings::default().with_program(program);
    assert_eq!(Isolated::start(settings).expect_err("no driver"), GpuError::NoDriver);
}
