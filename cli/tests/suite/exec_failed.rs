//! Failed calls that the program does not notice: each is reported once, with its place, its error
//! and its cause. Nothing is reported for a program that checks its calls, or asks afterwards. The
//! limits are from the CUDA programming guide, "Technical Specifications per Compute Capability".

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::sync::OnceLock;

use super::exec::{exec, runtime_client, text};

const SOURCE: &str = include_str!("../exec/failed_calls.c");

fn program() -> Option<String> {
    static PROGRAM: OnceLock<Option<String>> = OnceLock::new();
    PROGRAM.get_or_init(|| runtime_client("failed_calls", "12")).clone()
}

fn line(mark: &str) -> usize {
    let is_marked = |line: &str| line.contains(&format!("/* {mark} */"));
    SOURCE.lines().position(is_marked).unwrap() + 1
}

/// The paragraphs that report failed calls, by the lines that they name.
fn told(err: &str) -> Vec<(usize, String)> {
    let of_calls = err.split("\n\n").filter(|text| text.contains("[api-error]"));
    let place = |text: &str| {
        let called = text.lines().find(|line| line.trim_start().starts_with("= called by"));
        called.and_then(|line| line.rsplit(':').next()?.parse().ok()).unwrap_or(0)
    };
    of_calls.map(|text| (place(text), text.to_owned())).collect()
}

/// The calls that fail, by their marks, with words of their reports.
const FAILED: [(usize, &str, &[&str]); 7] = [
    (1, "cudaErrorInvalidConfiguration", &["2048", "the most is 1024", "`put`"]),
    (2, "cudaErrorInvalidConfiguration", &["70000 in y", "the most is 65535", "grid=(1,70000,1)"]),
    (3, "cudaErrorInvalidValue", &["cudaMemcpy(", "the host's own memory"]),
    (4, "cudaErrorInvalidValue", &["8 bytes inside an allocation of 4096 bytes"]),
    (5, "cudaErrorInvalidValue", &["was freed before"]),
    (6, "cudaErrorInvalidValue", &["60000 bytes of dynamic shared memory", "49152"]),
    (7, "cudaErrorInvalidConfiguration", &["the block has no extent in x"]),
];

#[test]
fn each_call_that_failed_is_told_with_its_line_and_what_is_wrong() {
    let Some(program) = program() else { return };
    let run = exec(&["--check"], &[&program, "dropped"]);
    let err = text(&run.stderr);
    assert_eq!((run.status.code(), &*text(&run.stdout)), (Some(1), "done\n"), "{err}");
    let told = told(&err);
    assert_eq!(told.len(), FAILED.len(), "{err}");
    for ((number, error, words), (place, text)) in FAILED.iter().zip(&told) {
        assert_eq!(*place, line(&format!("failure {number}")), "{text}");
        assert!(text.starts_with("warning[api-error]: ") && text.contains(error), "{text}");
        assert!(words.iter().all(|word| text.contains(word)), "{words:?}: {text}");
    }
    let (allocated, freed) = (line("allocated"), line("freed"));
    assert!(told[4].1.contains(&format!(":{allocated}\n")), "{}", told[4].1);
    assert!(told[4].1.contains(&format!(":{freed}\n")), "{}", told[4].1);
    assert!(err.ends_with("warpsim exec: 7 warnings in 0 launches\n"), "{err}");
    // It is a warning, and it can be allowed. Without checking, nothing is reported.
    for options in [&["--check", "--level", "error"][..], &["--check", "--allow", "api-error"], &[]]
    {
        let run = exec(options, &[&program, "dropped"]);
        assert_eq!(run.status.code(), Some(0), "{options:?}: {}", text(&run.stderr));
    }
}

#[test]
fn a_program_that_looks_or_asks_is_told_nothing() {
    let Some(program) = program() else { return };
    for (what, out) in [
        ("looked", "4\ndone\n"),
        ("asked", "9\ndone\n"),
        ("peeked", "9\ndone\n"),
        ("none", "done\n"),
    ] {
        let run = exec(&["--check"], &[&program, what]);
        let err = text(&run.stderr);
        assert_eq!((run.status.code(), &*text(&run.stdout)), (Some(0), out), "{what}: {err}");
        assert!(!err.contains("api-error"), "{what}: {err}");
    }
    // Words of one error are no question about another.
    let run = exec(&["--check"], &[&program, "named"]);
    let err = text(&run.stderr);
    let places: Vec<usize> = told(&err).iter().map(|(place, _)| *place).collect();
    let left = [3, 4, 5, 6].map(|number| line(&format!("failure {number}")));
    assert_eq!(places, left, "{err}");
}

#[test]
fn alike_failures_are_one_and_an_error_that_is_handed_on_is_followed_to_who_drops_it() {
    let Some(program) = program() else { return };
    let run = exec(&["--check"], &[&program, "wrapped"]);
    let err = text(&run.stderr);
    let told_of = told(&err);
    let places: Vec<usize> = told_of.iter().map(|(place, _)| *place).collect();
    assert_eq!(places, [line("failure 9"), line("failure 8")], "{err}");
    assert!(told_of[0].1.contains("it happened 3 times"), "{err}");
    assert!(told_of[1].1.contains("4097 bytes") && told_of[1].1.contains("4096"), "{err}");
    let run = exec(&["--check"], &[&program, "handed-on"]);
    assert_eq!(told(&text(&run.stderr)).len(), 1, "{}", text(&run.stderr));
}

#[test]
fn a_program_that_fails_itself_is_told_in_notes_and_a_kernel_s_fault_is_told_once() {
    let Some(program) = program() else { return };
    let run = exec(&["--check"], &[&program, "exit"]);
    let err = text(&run.stderr);
    assert_eq!(run.status.code(), Some(3), "{err}");
    assert!(err.contains("note[api-error]: ") && !err.contains("warning["), "{err}");
    let run = exec(&["--check"], &[&program, "fault"]);
    let err = text(&run.stderr);
    assert_eq!(run.status.code(), Some(1), "{err}");
    assert!(err.contains("error[out-of-bounds]: ") && !err.contains("api-error"), "{err}");
}

#[test]
fn reports_have_the_line_of_the_call() {
    let Some(program) = program() else { return };
    let report = concat!(env!("CARGO_TARGET_TMPDIR"), "/exec_failed.sarif");
    exec(&["--check", "--report", report], &[&program, "dropped"]);
    let document: serde_json::Value =
        serde_json::from_slice(&std::fs::read(report).unwrap()).unwrap();
    let first = &document["runs"][0]["results"][0];
    assert_eq!((&first["ruleId"], &first["level"]), (&"api-error".into(), &"warning".into()));
    let place = &first["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], line("failure 1"));
    assert!(place["artifactLocation"]["uri"].as_str().unwrap().ends_with("failed_calls.c"));
}

/// The code for `<<<>>>` drops the value of the launch, whatever the compiler is.
#[test]
fn launches_of_a_cu_file_that_never_ran_are_told_unless_the_program_asks() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/exec/failed_launch.cu");
    let source = std::fs::read_to_string(file).unwrap();
    let run = |options: &[&str]| {
        let warpsim = env!("CARGO_BIN_EXE_warpsim");
        let mut command = std::process::Command::new(warpsim);
        command.args(["exec", "--check"]).args(options).arg(file).output().unwrap()
    };
    let dropped = run(&[]);
    let err = text(&dropped.stderr);
    if dropped.status.code() == Some(4) {
        return println!("skipped: {err}");
    }
    assert_eq!(dropped.status.code(), Some(1), "{err}");
    let told = told(&err);
    let marked = source.lines().zip(1..).filter(|(line, _)| line.contains("// failure"));
    let marked: Vec<usize> = marked.map(|(_, number)| number).collect();
    assert_eq!(told.iter().map(|(place, _)| *place).collect::<Vec<_>>(), marked, "{err}");
    let words = ["2048", "70000 in y", "`coefficients`"];
    assert!(told.iter().zip(words).all(|((_, text), word)| text.contains(word)), "{err}");
    let asked = run(&["-D", "ASKED"]);
    let err = text(&asked.stderr);
    assert_eq!(asked.status.code(), Some(0), "{err}");
    assert_eq!(err, "warpsim exec: no findings in 0 launches\n");
}
