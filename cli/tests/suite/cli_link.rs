//! Several linked modules, in files, recordings and the debugger.

use std::path::PathBuf;

use super::cli_structs::warpsim;

const MAIN: &str = "cli/tests/cmd/input/linked.ptx";
const LIBRARY: &str = "cli/tests/cmd/input/linked_atomic.ptx";

fn sum(command: &str, more: &[&str]) -> (Option<i32>, String, String) {
    let arguments = [command, MAIN, "--kernel", "sum", "--block", "4", "--arg", "u32[4]"];
    warpsim("simulator", &[&arguments[..], &["--link", LIBRARY], more].concat(), "")
}

#[test]
fn a_gpu_gets_the_linked_module_and_its_recording_names_the_files() {
    let (code, out, err) = sum("compare", &[]);
    assert_eq!(code, Some(0), "{out}{err}");
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("linked.json");
    let _ = std::fs::remove_file(&path);
    let path = path.display().to_string();
    let (code, out, err) = sum("record", &["-o", &path]);
    assert_eq!(code, Some(0), "{out}{err}");
    let recorded = std::fs::read_to_string(&path).unwrap();
    assert!(recorded.contains(&format!("\"links\":[\"{LIBRARY}\"]")), "{recorded}");
    let (code, out, err) = warpsim("none", &["compare", MAIN, "--recording", &path], "");
    assert_eq!(code, Some(0), "{out}{err}");
    // The text of another library is not the one that was recorded.
    let other = "cli/tests/cmd/input/linked_plain.ptx";
    let arguments = ["compare", MAIN, "--recording", &path, "--link", other];
    let (code, _, err) = warpsim("none", &arguments, "");
    assert_eq!(code, Some(2), "{err}");
}

#[test]
fn the_debugger_stops_at_lines_of_a_linked_file_and_lists_it() {
    let arguments = ["step", MAIN, "--kernel", "sum", "--link", LIBRARY, "--arg", "u32[32]"];
    let input = "break linked_atomic.ptx:18\ncontinue\nlist\nquit\n";
    let (code, out, err) = warpsim("none", &arguments, input);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("->    18 |   red.add.u32 [%a], %v;"), "{out}");
}

#[test]
fn json_says_which_file_a_line_is_of() {
    let plain = "cli/tests/cmd/input/linked_plain.ptx";
    let arguments = ["check", MAIN, "--kernel", "sum", "--link", plain, "--arg", "u32[32]"];
    let (code, out, _) = warpsim("none", &[&arguments[..], &["--format", "json"]].concat(), "");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains(&format!("\"ptx_file\":\"{plain}\",\"ptx_line\":16")), "{out}");
}

#[test]
fn a_gpu_makes_a_cooperative_launch_and_its_recording_says_so() {
    let file = "cli/tests/cmd/input/numba_sync.ptx";
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("cooperative.json");
    let _ = std::fs::remove_file(&path);
    let path = path.display().to_string();
    let launch =
        ["--grid", "3", "--block", "1", "--cooperative", "--arg", "u32[3]", "--arg=u32[3]"];
    let (code, out, err) = warpsim("simulator", &[&["compare", file][..], &launch].concat(), "");
    assert_eq!(code, Some(0), "{out}{err}");
    let record = [&["record", file][..], &launch, &["-o", &path]].concat();
    let (code, out, err) = warpsim("simulator", &record, "");
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(std::fs::read_to_string(&path).unwrap().contains("\"cooperative\":true"));
    let (code, out, err) = warpsim("none", &["compare", file, "--recording", &path], "");
    assert_eq!(code, Some(0), "{out}{err}");
}
