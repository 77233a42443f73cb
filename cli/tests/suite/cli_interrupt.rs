//! Ctrl-C: long work ends at once, cleanly, and reports the work done so far.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, in its helpers too"
)]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// Counts to a number that nobody waits for, in registers; then stores it.
const ENDLESS: &str = ".version 7.0 .target sm_70 .address_size 64
    .visible .entry count(.param .u64 out) {
      .reg .u64 %n; .reg .u64 %a; .reg .pred %p;
      ld.param.u64 %a, [out]; st.global.u32 [%a], 7;
    more: add.u64 %n, %n, 1; setp.lt.u64 %p, %n, 100000000000000; @%p bra more;
      st.global.u64 [%a], %n; ret; }";

/// Some threads add one to a cell, not atomically.
const RACY: &str = ".version 7.0 .target sm_70 .address_size 64
    .visible .entry add(.param .u64 out) {
      .reg .u64 %a; .reg .u32 %v;
      ld.param.u64 %a, [out]; ld.global.u32 %v, [%a]; add.u32 %v, %v, 1; st.global.u32 [%a], %v; ret; }";

/// The result of a command that was interrupted.
struct Ended {
    code: Option<i32>,
    out: String,
    messages: String,
}

/// Runs a command on a text, and presses Ctrl-C after a second and a half: long after it has begun,
/// on a busy machine too.
fn interrupted(name: &str, text: &str, words: &[&str]) -> Ended {
    let file = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("interrupt-{name}.ptx"));
    std::fs::write(&file, text).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    command.arg(words[0]).arg(&file).args(&words[1..]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let pressed = Instant::now();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    while child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(20));
        if pressed.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("it goes on after Ctrl-C");
        }
    }
    let output = child.wait_with_output().unwrap();
    Ended {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        messages: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn a_run_that_is_interrupted_shows_its_buffers_as_far_as_it_got() {
    for threads in ["--threads=1", "--threads=2"] {
        let options = ["--grid=64", "--arg=u32[2]", "--format=json", threads];
        let ended = interrupted("run", ENDLESS, &[&["run"], &options[..]].concat());
        assert_eq!(ended.code, Some(1), "{}", ended.messages);
        let document: Value = serde_json::from_str(&ended.out).unwrap();
        assert_eq!(document["outcome"], "limit");
        assert_eq!(document["buffers"][0]["values"][0], 7);
        assert!(document["stats"]["warp_instructions"].as_u64().unwrap() > 1000);
        assert!(ended.messages.contains("was interrupted after"), "{}", ended.messages);
    }
}

#[test]
fn a_check_that_is_interrupted_says_so_and_is_not_clean() {
    let ended = interrupted("check", ENDLESS, &["check", "--arg=u32[2]"]);
    assert_eq!(ended.code, Some(1), "{}", ended.messages);
    assert!(ended.messages.contains("was interrupted after"), "{}", ended.messages);
    assert!(ended.out.contains("nothing after that was checked"), "{}", ended.out);
}

#[test]
fn what_was_interrupted_and_is_allowed_is_no_clean_answer() {
    let checked =
        interrupted("check-allowed", ENDLESS, &["check", "--arg=u32[2]", "--allow=limit"]);
    let allow = ["--allow=race", "--allow=schedule-dependent", "--allow=limit"];
    let options = ["explore", "--block=64", "--arg=u32[1]", "--schedules=100000000"];
    let explored = interrupted("explore-allowed", RACY, &[&options[..], &allow].concat());
    for Ended { code, out, messages } in [checked, explored] {
        assert_eq!(code, Some(1), "{messages}");
        assert!(!out.contains("no findings"), "{out}");
        assert!(out.lines().last().unwrap().starts_with("incomplete: "), "{out}");
    }
}

#[test]
fn an_exploration_that_is_interrupted_says_what_its_schedules_came_to() {
    let options = ["--block=64", "--arg=u32[1]", "--schedules=100000000", "--format=json"];
    let ended = interrupted("explore", RACY, &[&["explore"], &options[..]].concat());
    assert_eq!(ended.code, Some(1), "{}", ended.messages);
    let document: Value = serde_json::from_str(&ended.out).unwrap();
    let explored = &document["explored"][0];
    assert_eq!(explored["interrupted"], true);
    assert_eq!(explored["complete"], false);
    assert!(explored["schedules"].as_u64().unwrap() > 1);
    assert!(!explored["difference"]["cells"].as_array().unwrap().is_empty(), "{explored}");
}

#[test]
fn a_shard_that_is_interrupted_writes_no_file() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("interrupt-shard.json");
    let _ = std::fs::remove_file(&file);
    let shard_out = format!("--shard-out={}", file.display());
    let options = ["--block=64", "--arg=u32[1]", "--schedules=100000000", "--shard=1/2"];
    let words = [&["explore"], &options[..], &[&shard_out]].concat();
    let ended = interrupted("shard", RACY, &words);
    assert_eq!(ended.code, Some(1), "{}", ended.messages);
    assert!(ended.messages.contains("interrupted"), "{}", ended.messages);
    assert!(!file.exists());
}
