//! Programs that end too early: what `warpsim exec --check` says about the part it did not see.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};

use serde_json::Value;

use crate::exec::{c_program, exec, scratch, text};

/// The result of `warpsim exec OPTIONS -- ends WORDS`: its exit code and its messages; `None`
/// without a C compiler.
fn ends(options: &[&str], words: &[&str]) -> Option<(i32, String)> {
    let program = c_program("ends")?;
    let run = exec(options, &[&[&*program], words].concat());
    Some((run.status.code().unwrap(), text(&run.stderr)))
}

/// The last line of a checked program's answer, which has to be incomplete and not clean.
fn cut_short(words: &[&str]) -> Option<String> {
    let (code, err) = ends(&["--check"], words)?;
    assert_eq!(code, 1, "{words:?}: {err}");
    assert!(!err.contains("no findings"), "{words:?}: {err}");
    Some(err.lines().last().unwrap().to_owned())
}

#[test]
fn a_program_that_is_ended_before_its_time_is_not_clean_and_says_what_ended_it() {
    let Some((code, err)) = ends(&["--check"], &["well"]) else { return };
    assert_eq!(
        (code, &*err),
        (
            0,
            "note: 1 piece of device memory (256 bytes) not freed when the program ended\nwarpsim exec: no findings in 1 launch\n"
        )
    );
    let checked = "incomplete: the one launch was checked, and nothing was found; the program";
    for (how, what) in [
        ("abort", "was ended by SIGABRT"),
        ("crash", "was ended by SIGSEGV"),
        ("killed", "was ended by SIGKILL"),
        ("left", "left by `_exit`, or started another program in its place"),
        ("replaced", "left by `_exit`, or started another program in its place"),
    ] {
        assert_eq!(cut_short(&[how]), Some(format!("{checked} {what}")));
    }
    let early = "incomplete: there were no launches to check; the program was ended by SIGTERM";
    assert_eq!(cut_short(&["early"]).as_deref(), Some(early));
    let again = "incomplete: all 2 launches were checked, and nothing was found; the program started another program in its place";
    assert_eq!(cut_short(&["again"]).as_deref(), Some(again));
    let thread = "incomplete: 1 of 2 launches was checked, and nothing was found; the program ended while one of its threads was in a call during launch 2 (kernel `busy`)";
    assert_eq!(cut_short(&["thread"]).as_deref(), Some(thread));
    // Without a check nothing is claimed, and the exit code is as in a shell.
    assert_eq!(ends(&[], &["abort"]), Some((128 + 6, String::new())));
}

#[test]
fn what_was_found_before_the_end_is_told_also_where_nobody_waited_for_it() {
    let Some((code, err)) = ends(&["--check"], &["race-and-abort"]) else { return };
    assert_eq!(code, 1, "{err}");
    assert!(err.starts_with("error[race]: "), "{err}");
    let last: Vec<&str> = err.lines().rev().take(2).collect();
    assert_eq!(
        last,
        [
            "incomplete: the one launch was checked; the program was ended by SIGABRT",
            "warpsim exec: 1 error in 1 launch",
        ]
    );
}

#[test]
fn children_that_are_killed_are_told_and_those_that_end_well_are_not() {
    let Some((code, err)) = ends(&["--check"], &["child", "well"]) else { return };
    assert_eq!(code, 0, "{err}");
    assert!(err.ends_with("warpsim exec: no findings in 2 launches of 2 processes\n"), "{err}");
    for how in ["killed", "left"] {
        let last = cut_short(&["child", how]).unwrap();
        let (all, unseen) = (
            "incomplete: all 2 launches were checked, and nothing was found; process ",
            " ended without a report: by a signal, by `_exit`, or by starting another program in its place",
        );
        assert!(last.starts_with(all) && last.ends_with(unseen), "{last}");
    }
    // A child that is forked later has no driver and says nothing.
    let (code, err) = ends(&["--check"], &["forked"]).unwrap();
    assert_eq!(code, 0, "{err}");
    assert!(err.ends_with("warpsim exec: no findings in 1 launch\n"), "{err}");
}

/// `warpsim exec --check -- ends HOW`, when its kernel has begun.
pub(crate) fn begun(options: &[&str], how: &str) -> Option<Child> {
    let program = c_program("ends")?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    command.arg("exec").args(options).args(["--", &program, how]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "busy\n");
    // The launch that follows the word has begun by then, on a busy machine too.
    std::thread::sleep(std::time::Duration::from_millis(1500));
    Some(child)
}

pub(crate) fn send(signal: &str, process: u32) {
    let kill = Command::new("kill").args([signal, &process.to_string()]).status().unwrap();
    assert!(kill.success());
}

fn stopped_by(signal: &str, mut options: Vec<&str>, how: &str) -> Option<(Output, String)> {
    options.push("--check");
    let child = begun(&options, how)?;
    send(signal, child.id());
    let output = child.wait_with_output().unwrap();
    let err = text(&output.stderr);
    Some((output, err))
}

#[test]
fn a_signal_during_a_kernel_leaves_what_was_found_and_the_launch_that_was_not_judged() {
    let report = scratch("exec_ends.json");
    let option = report.display().to_string();
    let run = stopped_by("-TERM", vec!["--report", &option], "race-and-busy");
    let Some((output, err)) = run else { return };
    assert_eq!(output.status.code(), Some(1), "{err}");
    assert!(err.contains("error[race]: ") && err.contains("1 error in 3 launches\n"), "{err}");
    let why = "the program was ended by SIGTERM during launch 3 (kernel `busy`)";
    let last = format!("incomplete: 2 of 3 launches were checked; {why}");
    assert_eq!(err.lines().last(), Some(&*last));
    let document: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    assert_eq!((&document["complete"], &document["exit"]), (&false.into(), &143.into()));
    assert_eq!(document["launches"], 3);
    assert_eq!(document["judged_launches"], 2);
    let codes: Vec<&Value> =
        document["findings"].as_array().unwrap().iter().map(|row| &row["code"]).collect();
    assert_eq!(codes, ["race", "incomplete"]);
    assert_eq!(document["findings"][1]["message"], why);
}

#[test]
fn a_program_that_ends_itself_when_it_is_told_to_is_incomplete_and_sarif_says_so() {
    let report = scratch("exec_ends.sarif");
    let option = report.display().to_string();
    let run = stopped_by("-TERM", vec!["--report", &option], "handler");
    let Some((output, err)) = run else { return };
    assert_eq!(output.status.code(), Some(1), "{err}");
    let why =
        "the program ended while one of its threads was in a call during launch 2 (kernel `busy`)";
    assert!(err.ends_with(&format!("; {why}\n")), "{err}");
    let document: Value = serde_json::from_slice(&std::fs::read(&report).unwrap()).unwrap();
    let run = &document["runs"][0];
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    assert_eq!(run["results"][0]["ruleId"], "incomplete");
    // Who lives with it says so.
    let allowed = stopped_by("-TERM", vec!["--allow", "incomplete"], "handler");
    let (output, err) = allowed.unwrap();
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(err.ends_with("no findings in 2 launches; 1 allowed (--allow)\n"), "{err}");
}

#[test]
fn findings_that_a_full_disk_keeps_back_are_missed_aloud() {
    for options in [&["--check"][..], &[]] {
        let Some((code, err)) = ends(options, &["full"]) else { return };
        match options {
            [] => assert_eq!((code, &*err), (0, "")),
            _ => {
                assert_eq!(code, 1, "{err}");
                assert!(err.contains("warpsim: cannot write "), "{err}");
                let last = err.lines().last().unwrap();
                let lost = "incomplete: the one launch was checked; 1 line with findings could not be written";
                assert!(last.starts_with(lost), "{err}");
            }
        }
    }
    // Where it is full before the program starts, it does not start.
    let program = c_program("ends").unwrap();
    let script = "trap '' XFSZ; ulimit -f 0; exec \"$@\"";
    let warpsim = env!("CARGO_BIN_EXE_warpsim");
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh", warpsim, "exec", "--check", "--", &program, "busy"]);
    let run = command.stdin(Stdio::null()).output().unwrap();
    let err = text(&run.stderr);
    assert_eq!(run.status.code(), Some(2), "{err}");
    assert!(err.contains("cannot write ") && err.contains("TMPDIR"), "{err}");
    assert_eq!(text(&run.stdout), "");
}

#[test]
fn launches_that_did_not_happen_or_did_not_end_make_no_clean_answer() {
    let last = cut_short(&["unsupported"]);
    let Some(last) = last else { return };
    let lacks = "incomplete: the one launch was checked, and nothing was found; launches that need unsupported features: ";
    assert!(last.starts_with(lacks) && last.contains("wgmma"), "{last}");
    // A program that fails on it says by its exit code that it is not supported, as ever.
    let (code, err) = ends(&["--check"], &["unsupported", "5"]).unwrap();
    assert_eq!(code, 3, "{err}");
    let options = ["--check", "--max-steps", "1", "--allow", "limit"];
    let (code, err) = ends(&options, &["forked"]).unwrap();
    assert_eq!(code, 1, "{err}");
    let given_up = "1 launch did not end; `--allow` covers the cause";
    assert!(err.lines().last().unwrap().ends_with(given_up), "{err}");
    let (code, err) = ends(&["--check", "--only", "other"], &["well"]).unwrap();
    assert_eq!(code, 1, "{err}");
    let none = "incomplete: the one launch was not checked; --only, --first and --sample leave no launch to check";
    assert_eq!(err.lines().last(), Some(none));
}

#[test]
fn a_program_that_does_not_use_the_device_is_told_apart_from_one_that_is_clean() {
    let run = exec(&["--check"], &["true"]);
    assert_eq!(run.status.code(), Some(0));
    let told = "warpsim exec: no findings in 0 launches; the program did not use the device\n";
    assert_eq!(text(&run.stderr), told);
    let killed = exec(&["--check"], &["sh", "-c", "kill -KILL $$"]);
    assert_eq!(killed.status.code(), Some(1));
    let told = "incomplete: there were no launches to check; the program was ended by SIGKILL\n";
    assert_eq!(text(&killed.stderr), told);
}
