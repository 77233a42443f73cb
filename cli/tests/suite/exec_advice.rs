//! Advice about programs, with the lines that it names: each program is wrong as it is, and right
//! with `-D FIXED`, which follows the advice.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn file(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec/advice");
    folder.join(name).with_extension("cu")
}

/// The exit code of `exec --check`, and what it says on standard error; `None` without clang.
fn check(name: &str, options: &[&str]) -> Option<(i32, String)> {
    let warpsim = env!("CARGO_BIN_EXE_warpsim");
    let mut command = Command::new(warpsim);
    let run = command.args(["exec", "--check"]).args(options).arg(file(name)).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    let code = run.status.code().unwrap();
    if code == 4 {
        assert!(said.contains("clang"), "{said}");
        println!("skipped: {said}");
        return None;
    }
    Some((code, said))
}

/// What is said of the program as it is; with `FIXED` nothing is found.
fn found(name: &str) -> Option<String> {
    let (code, said) = check(name, &["-D", "FIXED"])?;
    assert!(code == 0 && said.contains("no findings"), "{name}: {said}");
    check(name, &[]).map(|(_, said)| said)
}

/// The line of the source with these words, from 1.
fn line(name: &str, words: &str) -> usize {
    let source = std::fs::read_to_string(file(name)).unwrap();
    1 + source.lines().position(|line| line.contains(words)).unwrap()
}

fn helps(said: &str) -> Vec<&str> {
    said.lines().filter_map(|line| line.trim().strip_prefix("= help: ")).collect()
}

#[test]
fn a_barrier_behind_a_branch_is_advised_where_all_threads_come() {
    for name in ["one_thread_fills", "one_thread_scans"] {
        let Some(said) = found(name) else { return };
        let wanted = format!("before line {}", line(name, "(after)"));
        let helps = helps(&said);
        assert!(!helps.is_empty(), "{name}: {said}");
        for help in helps {
            assert!(help.starts_with("put __syncthreads() between "), "{name}: {help}");
            assert!(help.ends_with(&wanted), "{name}: {help}");
            assert!(!help.contains("loop"), "{name}: {help}");
        }
    }
}

#[test]
fn blocks_that_have_a_flag_are_told_to_gather_and_not_to_use_a_flag() {
    let Some(said) = found("grid_barrier") else { return };
    let wanted = "put __syncthreads() before the __threadfence() of the thread that sets the flag";
    let place = format!("before line {}", line("grid_barrier", "(before)"));
    assert!(!helps(&said).is_empty(), "{said}");
    for help in helps(&said) {
        assert!(help.starts_with(wanted) && help.contains(&place), "{help}");
    }
}

#[test]
fn the_third_value_of_a_launch_is_named_to_programs_and_no_option_that_exec_has_not() {
    let Some(said) = found("dynamic_shared") else { return };
    assert!(said.contains("set the size by the third value in <<< >>>, in bytes"), "{said}");
    assert!(!said.contains("--shared"), "{said}");
}

#[test]
fn what_happens_in_a_header_is_told_at_the_users_line() {
    let report = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tile_in_branch.json");
    let sarif = report.with_extension("sarif");
    let Some(said) = found("tile_in_branch") else { return };
    let line = line("tile_in_branch", "if (i < n) { int s = cg::reduce");
    assert!(said.contains(&format!("tile_in_branch.cu:{line} ")), "{said}");
    assert!(said.contains(&format!("      {line} | if (i < n) {{ int s = cg::reduce")), "{said}");
    for path in [&report, &sarif] {
        check("tile_in_branch", &["--report", path.to_str().unwrap()]).unwrap();
    }
    let document = read(&report);
    let source = &document["findings"][0]["accesses"][0]["source"];
    assert_eq!(source["line"], line, "{document}");
    assert!(source["file"].as_str().unwrap().ends_with("tile_in_branch.cu"), "{document}");
    let place = &read(&sarif)["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["region"]["startLine"], line, "{place}");
    let file = place["artifactLocation"]["uri"].as_str().unwrap();
    assert!(file.ends_with("tile_in_branch.cu"), "{place}");
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn what_has_a_line_in_a_header_is_told_with_it_behind_the_users_line() {
    let report = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ordinary_grid_sync.json");
    let name = "../ordinary_grid_sync";
    let Some((code, said)) = check(name, &["--report", report.to_str().unwrap()]) else { return };
    let line = line(name, "// TRAP");
    assert!(code == 1 && said.contains(&format!("ordinary_grid_sync.cu:{line} (in ")), "{said}");
    let document = read(&report);
    let source = &document["findings"][0]["accesses"][0]["source"];
    assert_eq!(source["line"], line, "{document}");
    let header = source["library"].as_array().unwrap().last().unwrap();
    let file = header["file"].as_str().unwrap();
    assert!(file.contains("/cooperative_groups/"), "{document}");
}

#[test]
fn two_dynamic_arrays_at_one_address_are_noted() {
    let Some(said) = found("two_dynamic_arrays") else { return };
    assert!(
        said.contains("note[shared-overlap]: `keys` holds a value that was written to `weights`"),
        "{said}"
    );
    assert!(said.contains("warpsim exec: 1 note in 1 launch"), "{said}");
}

#[test]
fn one_wait_that_is_missing_between_two_launches_is_one_finding_and_a_long_name_is_said_once() {
    let Some(said) = found("two_launches") else { return };
    assert!(said.ends_with("warpsim exec: 1 error in 2 launches\n"), "{said}");
    assert!(said.contains("3 other pairs of their instructions also conflict"), "{said}");
    // Once as each of its two template arguments.
    assert_eq!(said.matches("a_policy_with_a_long_name_that_goes_on").count(), 2, "{said}");
    assert_eq!(said.matches("sums_of_several<...>").count(), 2, "{said}");
}
