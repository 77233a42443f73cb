//! On a terminal, findings are reported at once. `script` of util-linux is the terminal. Without
//! that program, the test says that it was skipped.

#![expect(clippy::expect_used, reason = "a test fails by panicking")]

use std::process::{Command, Stdio};

/// All that a command writes at a terminal; `None` where there is no `script`.
fn at_a_terminal(words: &str) -> Option<String> {
    let line = format!("'{}' {words}", env!("CARGO_BIN_EXE_warpsim"));
    let output = Command::new("timeout")
        .args(["60", "script", "-qec", &line, "/dev/null"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("TERM", "xterm")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (!text.is_empty()).then_some(text)
}

/// A kernel whose threads store to one word.
fn racy() -> String {
    let file = format!("{}/found.ptx", env!("CARGO_TARGET_TMPDIR"));
    let text = ".version 7.0 .target sm_70 .address_size 64
        .visible .entry k(.param .u64 out) { .reg .u64 %a; .reg .u32 %t;
          ld.param.u64 %a, [out]; mov.u32 %t, %tid.x;
          st.global.u32 [%a], %t; ret; }";
    std::fs::write(&file, text).expect("it can be written");
    file
}

#[test]
fn at_a_terminal_a_finding_is_told_in_a_line_before_the_report() {
    let file = racy();
    for command in ["check", "explore --schedules 20"] {
        let Some(text) = at_a_terminal(&format!("{command} {file} --block 64 --arg 'u32[1]'"))
        else {
            eprintln!("findings at a terminal: skipped: `script` of util-linux is not there");
            return;
        };
        let told: Vec<usize> = text.match_indices("found: ").map(|(at, _)| at).collect();
        assert_eq!(told.len(), 1, "{text}");
        let line = text[told[0]..].lines().next().unwrap_or_default();
        assert!(line.contains("race") && line.contains("found.ptx:4"), "{line}");
        assert!(line.contains(", under in-order"), "{line}");
        let report = text.find("<- just now").expect("the report has it, too");
        assert!(told[0] < report, "{text}");
    }
}

#[test]
fn what_is_allowed_is_not_told() {
    let words = format!("check {} --block 64 --arg 'u32[1]' --allow race", racy());
    let Some(text) = at_a_terminal(&words) else {
        eprintln!("findings at a terminal: skipped: `script` of util-linux is not there");
        return;
    };
    assert!(!text.contains("found: "), "{text}");
}

#[test]
fn without_a_terminal_there_is_the_report_alone() {
    let output = Command::new(env!("CARGO_BIN_EXE_warpsim"))
        .args(["check", &racy(), "--block", "64", "--arg", "u32[1]"])
        .output()
        .expect("it runs");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(messages.contains("race") && !messages.contains("found: "), "{messages}");
}
