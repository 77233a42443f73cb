//! Structs passed by value, with buffers in them: the documents, files and recordings.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

const STRUCTS: &str = "cli/tests/cmd/input/structs.ptx";
const ROWS: &str = "{0: f32[4]=list:1,2,3,4, 8: f32[4], 16: u32:4, 20: f32:0.5}";

/// Runs the command in the root of the repository: its exit code, what it printed and what it said.
pub(crate) fn warpsim(
    stand_in: &str,
    arguments: &[&str],
    input: &str,
) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_warpsim"))
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .env("WARPSIM_GPU_STAND_IN", stand_in)
        .env("NO_COLOR", "1")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn temporary(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_file(&path);
    path.display().to_string()
}

fn scale(command: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let arguments = [command, STRUCTS, "--kernel", "scale", "--block", "4"];
    warpsim("simulator", &[&arguments[..], more].concat(), "")
}

#[test]
fn a_document_says_of_each_buffer_where_it_was_given() {
    let (code, out, err) = scale("run", &["--arg", ROWS, "--format", "json"]);
    assert_eq!(code, Some(0), "{err}");
    let document: Value = serde_json::from_str(&out).unwrap();
    let place = |row: &Value| (row["param"].clone(), row["offset"].clone());
    let rows = document["buffers"].as_array().unwrap();
    let places: Vec<(Value, Value)> = rows.iter().map(place).collect();
    assert_eq!(places, [(json!(0), json!(0)), (json!(0), json!(8))]);
    assert_eq!(rows[1]["values"], json!([0.5, 1.0, 1.5, 2.0]));
}

#[test]
fn an_argument_may_point_into_its_buffer() {
    // The kernel reads rows 2 to 4 of five and writes rows 1 to 3 of four, each by its own pointer.
    let rows = "{0: f32[5]+4=iota:1, 8: f32[4]+4, 16: u32:3, 20: f32:0.5}";
    let (code, out, err) = scale("run", &["--arg", rows, "--format", "json"]);
    assert_eq!(code, Some(0), "{err}");
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["buffers"][1]["values"], json!([0.0, 1.0, 1.5, 2.0]));
    let (code, _, err) = scale("run", &["--arg", "{0: f32[4]+20, 8: f32[4]}"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("`+20` lies beyond the 16 bytes of the buffer"), "{err}");
}

#[test]
fn a_finding_names_the_argument_and_the_offset() {
    let rows = "{0: f32[4], 8: f32[3], 16: u32:4}";
    let (code, out, _) = scale("check", &["--arg", rows, "--format", "json"]);
    assert_eq!(code, Some(1), "{out}");
    let document: Value = serde_json::from_str(&out).unwrap();
    let finding = &document["findings"][0];
    assert_eq!(finding["code"], "out-of-bounds");
    assert_eq!((&finding["argument"], &finding["argument_offset"]), (&json!(0), &json!(8)));
}

#[test]
fn a_buffer_in_a_struct_is_dumped_and_looked_at_by_its_place() {
    let path = temporary("structs.npy");
    let (code, _, err) = scale("run", &["--arg", ROWS, "--dump", &format!("0.8={path}")]);
    assert_eq!(code, Some(0), "{err}");
    let cells = [0.5f32, 1.0, 1.5, 2.0].map(f32::to_le_bytes).concat();
    assert!(std::fs::read(&path).unwrap().ends_with(&cells));
    let step = ["step", STRUCTS, "--kernel", "scale", "--block", "4", "--arg", ROWS];
    let (code, out, err) = warpsim("none", &step, "continue\nmem @0.8\nmem @0\nquit\n");
    assert_eq!(code, Some(2), "{err}");
    assert!(out.contains("0 | 0.5 1.0 1.5 2.0"), "{out}");
    assert!(err.contains("argument 0 is not a buffer"), "{err}");
}

#[test]
fn a_gpu_gets_the_pointers_of_a_struct_and_its_recording_says_where_they_were() {
    let (code, out, err) = scale("compare", &["--arg", ROWS, "--format", "json"]);
    assert_eq!(code, Some(0), "{out}{err}");
    let document: Value = serde_json::from_str(&out).unwrap();
    assert!(out.contains("\"param\":0,\"offset\":8"), "{document}");
    let path = temporary("structs.json");
    let (code, _, err) = scale("record", &["--arg", ROWS, "-o", &path]);
    assert_eq!(code, Some(0), "{err}");
    let recorded = std::fs::read_to_string(&path).unwrap();
    assert!(recorded.contains("\"param\":0,\"offset\":8,"), "{recorded}");
    let (code, out, err) = warpsim("none", &["compare", STRUCTS, "--recording", &path], "");
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("equal"), "{out}");
    // One that was recorded for another place is not compared with nothing.
    std::fs::write(&path, recorded.replace("\"offset\":8", "\"offset\":16")).unwrap();
    let (code, _, err) = warpsim("none", &["compare", STRUCTS, "--recording", &path], "");
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("it has a buffer of parameter 0.16"), "{err}");
    let tolerant = ["--arg", ROWS, "--ulp", "0.8=2"];
    let off = |more: &[&str]| {
        let arguments = ["compare", STRUCTS, "--kernel", "scale", "--block", "4"];
        warpsim("simulator:off-by-one", &[&arguments[..], more].concat(), "").0
    };
    assert_eq!(off(&tolerant[..2]), Some(1));
}

#[test]
fn a_struct_that_no_kernel_takes_is_refused_before_there_is_room_for_it() {
    let text = ".version 8.1\n.target sm_70\n.address_size 64\n\
                .visible .entry k(.param .align 8 .b8 s[1000000000000]) { ret; }";
    let (code, _, err) = warpsim("none", &["run", "-", "--arg", "{0: u32:1}"], text);
    assert_eq!(code, Some(2), "{err}");
    assert!(err.contains("more than any memory holds"), "{err}");
}
