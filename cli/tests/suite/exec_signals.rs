//! Signals of `warpsim exec`, its end, and the files that it opens before the program starts.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::io::{BufRead, BufReader, Lines};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use crate::exec::{c_program, exec, scratch, text};
use crate::exec_ends::send;

/// A script under `warpsim exec`, with its own folder for temporary files; and the lines that it
/// prints.
fn script(name: &str, script: &str) -> (Child, Lines<BufReader<ChildStdout>>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    command.args(["exec", "--", "sh", "-c", script]).env("TMPDIR", fresh(name));
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).process_group(0).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    (child, lines)
}

/// An empty folder.
fn fresh(name: &str) -> PathBuf {
    let folder = scratch(&format!("signals {name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Waits until something is so; a busy machine takes its time.
fn eventually(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(60), "it never came to: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The state of a process in Linux's letters: `T` is stopped, `Z` has ended; `None` where there is
/// none.
fn state(process: u32) -> Option<char> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Whether this process ignores a signal. The programs that it starts ignore it, too.
fn is_ignored(number: u32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    u64::from_str_radix(mask.trim(), 16).unwrap() >> (number - 1) & 1 == 1
}

fn program_of(command: u32) -> u32 {
    let path = format!("/proc/{command}/task/{command}/children");
    let mut program = None;
    eventually("a program that runs", || {
        program = std::fs::read_to_string(&path).unwrap().split(' ').next().unwrap().parse().ok();
        program.is_some()
    });
    program.unwrap()
}

#[test]
fn signals_that_end_stop_or_continue_the_command_go_on_to_the_program() {
    // A shell cannot trap what it was started to ignore. The tests may run under `nohup`, or in the
    // background of a script, which ignores INT and QUIT.
    let all = [
        ("TERM", 15),
        ("HUP", 1),
        ("INT", 2),
        ("QUIT", 3),
        ("USR1", 10),
        ("USR2", 12),
        ("TSTP", 20),
        ("CONT", 18),
    ];
    let trapped = all.into_iter().filter(|(_, number)| !is_ignored(*number));
    let names: Vec<&str> = trapped.map(|(name, _)| name).collect();
    let traps: String = names.iter().map(|name| format!("trap 'echo {name}' {name}; ")).collect();
    let (mut child, mut lines) = script(
        "traps",
        &format!("{traps} trap 'exit 5' ALRM; echo ready; while :; do sleep 0.1; done"),
    );
    for name in &names {
        send(&format!("-{name}"), child.id());
        assert_eq!(lines.next().unwrap().unwrap(), *name);
    }
    send("-ALRM", program_of(child.id()));
    assert_eq!(child.wait().unwrap().code(), Some(5));
}

#[test]
fn a_program_that_stops_takes_the_command_with_it_and_goes_on_with_it() {
    // By its own signal, and by one that the command was sent.
    for (name, stop) in [("own", "kill -STOP $$;"), ("sent", "")] {
        let waits = "i=0; while [ $i -lt 30 ]; do sleep 0.1; i=$((i+1)); done; exit 7";
        let (mut child, _lines) = script(name, &format!("echo ready; {stop} {waits}"));
        let program = program_of(child.id());
        if stop.is_empty() {
            send("-TSTP", child.id());
        }
        eventually("both have stopped", || {
            state(program) == Some('T') && state(child.id()) == Some('T')
        });
        send("-CONT", child.id());
        assert_eq!(child.wait().unwrap().code(), Some(7), "{name}");
    }
}

#[test]
fn the_exit_code_of_a_program_that_a_signal_ended_is_that_of_a_shell() {
    for (name, number) in [("TERM", 15), ("INT", 2), ("KILL", 9), ("SEGV", 11)] {
        let run = exec(&[], &["sh", "-c", &format!("kill -{name} $$; sleep 60")]);
        assert_eq!(run.status.code(), Some(128 + number), "{name}");
    }
}

#[test]
fn a_command_that_is_killed_takes_the_program_with_it_and_the_next_run_takes_its_folder_away() {
    let place = fresh("killed");
    let (mut child, _lines) = script("killed", "echo ready; while :; do sleep 0.1; done");
    let program = program_of(child.id());
    let folders = || std::fs::read_dir(&place).unwrap().count();
    assert_eq!(folders(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("the program has ended", || matches!(state(program), None | Some('Z' | 'X')));
    assert_eq!(folders(), 1);
    let mut next = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    assert!(next.args(["exec", "--", "true"]).env("TMPDIR", &place).status().unwrap().success());
    assert_eq!(folders(), 0);
}

#[test]
fn a_command_that_is_killed_takes_all_with_it_that_use_the_device_and_one_that_ends_does_not() {
    let Some(program) = c_program("ends") else { return };
    // The shell waits for a second program, so that the one that uses the device is none of the
    // command's own.
    let shell = format!("{program} busy & echo $!; wait");
    let start = |shell: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
        command.args(["exec", "--", "sh", "-c", shell]).stdin(Stdio::null());
        let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut lines = [lines.next().unwrap().unwrap(), lines.next().unwrap().unwrap()];
        lines.sort();
        assert_eq!(lines[1], "busy");
        (child, lines[0].parse::<u32>().unwrap())
    };
    let (mut child, busy) = start(&shell);
    assert!(!matches!(state(busy), None | Some('Z')));
    child.kill().unwrap();
    child.wait().unwrap();
    eventually("the process has ended", || matches!(state(busy), None | Some('Z' | 'X')));
    // One that goes on in the background when the program has ended is not ours to end.
    let (mut child, busy) = start(&format!("{program} busy & echo $!; sleep 2"));
    assert_eq!(child.wait().unwrap().code(), Some(0));
    std::thread::sleep(Duration::from_millis(500));
    assert!(!matches!(state(busy), None | Some('Z' | 'X')));
    send("-KILL", busy);
}

#[test]
fn a_file_that_cannot_be_written_is_an_error_before_the_program_starts() {
    let started = scratch("signals started");
    let _ = std::fs::remove_file(&started);
    let touch = ["touch", started.to_str().unwrap()];
    let folder = fresh("folder").display().to_string();
    for option in ["--report", "--log"] {
        for path in ["/no/such/folder/file", &folder] {
            let run = exec(&[option, path], &touch);
            let err = text(&run.stderr);
            assert_eq!(run.status.code(), Some(2), "{option} {path}: {err}");
            assert!(err.contains(path), "{err}");
            assert!(!started.exists(), "{option} {path}");
        }
    }
    // A pipe is not opened twice, and nothing is left beside a file.
    let report = Path::new(&folder).join("report.json");
    let run = exec(&["--report", report.to_str().unwrap()], &touch);
    assert!(run.status.success() && started.exists() && report.exists());
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    let run = exec(&["--report", "/dev/stdout"], &["true"]);
    let document: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(document["complete"], true);
}

#[test]
fn the_library_is_preloaded_by_its_path_before_what_the_user_has() {
    // The program itself, and not a script that starts it.
    let which = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output();
    let Ok(which) = which else { return println!("skipped: no Python") };
    let python = text(&which.stdout);
    let preloaded = |place: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
        let print = "import os; print(os.environ['LD_PRELOAD'])";
        command.args(["exec", "--", python.trim(), "-c", print]).env("TMPDIR", place);
        let run = command.env("LD_PRELOAD", "libm.so.6").output().unwrap();
        (run.status.code(), text(&run.stdout), text(&run.stderr))
    };
    let plain = tempfile::Builder::new().prefix("plain").tempdir().unwrap();
    let (code, out, err) = preloaded(plain.path());
    assert_eq!((code, &*err), (Some(0), ""));
    let start = plain.path().join("warpsim-exec-").display().to_string();
    assert!(out.starts_with(&start) && out.ends_with("/libcuda.so.1:libm.so.6\n"), "{out}");
    // A path with a space cannot stand there; the library is still found.
    let (code, out, err) = preloaded(&fresh("a b"));
    assert_eq!((code, &*out, &*err), (Some(0), "libcuda.so.1:libm.so.6\n", ""));
    let (code, out, err) = preloaded(&fresh("a:b"));
    assert_eq!((code, &*out), (Some(2), ""), "{err}");
    assert!(err.contains("TMPDIR"), "{err}");
}

#[test]
fn a_function_of_the_program_may_end_the_thread_that_calls_it() {
    let Some(program) = c_program("ends") else { return };
    let run = exec(&[], &[&program, "callbacks"]);
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    assert_eq!(
        (run.status.code(), &*out),
        (Some(0), "first\nsecond\nthird\nsynchronised\n"),
        "{err}"
    );
}
