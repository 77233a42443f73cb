//! Tests of kernels without Rust: `warpsim test`, `--expect`, and buffers with several dimensions.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::path::Path;
use std::process::Command;

const KERNELS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels");
const SWAP: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/input/swap.ptx");

/// A kernel that adds 1 to each of its numbers.
const MORE: &str = ".version 7.0\n.target sm_70\n.address_size 64\n\
    .visible .entry more(.param .u64 p) {\n.reg .u64 %d<3>; .reg .u32 %r<3>;\n\
    ld.param.u64 %d0, [p]; mov.u32 %r0, %tid.x; mul.wide.u32 %d1, %r0, 4;\n\
    add.u64 %d2, %d0, %d1; ld.global.u32 %r1, [%d2]; add.u32 %r1, %r1, 1;\n\
    st.global.u32 [%d2], %r1; ret; }\n";

/// Runs the command: its exit code, standard output and standard error.
fn warpsim(words: &[&str]) -> (i32, String, String) {
    let run = Command::new(env!("CARGO_BIN_EXE_warpsim")).args(words).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (run.status.code().unwrap(), text(run.stdout), text(run.stderr))
}

/// A folder with the kernel `more` and this launch file.
fn folder(launches: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("more.ptx"), MORE).unwrap();
    fs::write(folder.path().join("more.launch.toml"), launches).unwrap();
    folder
}

/// NumPy's file of these numbers, by its description and not by our writer.
fn npy(path: &Path, shape: &str, numbers: &[i32]) {
    let mut header = format!("{{'descr': '<i4', 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.bytes());
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    fs::write(path, bytes).unwrap();
}

#[test]
fn the_kernels_of_a_folder_are_as_their_launch_files_say() {
    let report = tempfile::NamedTempFile::with_suffix(".xml").unwrap();
    let path = report.path().to_str().unwrap();
    let (exit, out, err) = warpsim(&["test", KERNELS, "--report", path]);
    assert_eq!(exit, 0, "{out}{err}");
    let passed = out.lines().filter(|line| line.starts_with("ok ")).count();
    let (_, list, _) = warpsim(&["test", KERNELS, "--list"]);
    assert!(passed >= 24 && passed == list.lines().count(), "{passed} passed\n{out}");
    assert!(out.contains(&format!("{passed} tests: {passed} passed, 0 failed, in ")), "{out}");
    let xml = fs::read_to_string(path).unwrap();
    let read = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    let cases = read.test_suites.iter().map(|suite| suite.test_cases.len()).sum::<usize>();
    assert_eq!((read.tests, read.failures, cases), (passed, 0, passed));
}

#[test]
fn a_launch_that_comes_out_otherwise_fails_with_what_differs_and_the_others_pass() {
    let folder = folder(
        "[[launch]]\nname = 'right'\nblock = 4\nargs = ['s32[4]=iota']\nexpect = { 0 = 'iota:1' }\n\
         [[launch]]\nname = 'wrong'\nblock = 4\nargs = ['s32[4]=iota']\nexpect = { 0 = 'list:1,2,9,4' }\n\
         [[launch]]\nname = 'outside'\nblock = 5\nargs = ['s32[4]=iota']\n\
         [[launch]]\nname = 'outside as wanted'\nblock = 5\nargs = ['s32[4]=iota']\nfindings = ['out-of-bounds']\n\
         [[launch]]\nname = 'no race'\nblock = 4\nargs = ['s32[4]=iota']\nfindings = ['race']\n\
         [[launch]]\nname = 'no such argument'\nblock = 4\nargs = ['s32[4]=iota', '3']\n",
    );
    let report = folder.path().join("out.xml");
    let place = folder.path().to_str().unwrap();
    let (exit, out, _) = warpsim(&["test", place, "--report", report.to_str().unwrap()]);
    assert_eq!(exit, 1, "{out}");
    let verdict = |name: &str| {
        let line = out.lines().find(|line| line.ends_with(&format!("more.launch.toml: {name}")));
        line.unwrap_or_else(|| panic!("{name}: {out}")).split(' ').next().unwrap().to_owned()
    };
    for (name, wanted) in [
        ("right", "ok"),
        ("wrong", "FAILED"),
        ("outside", "FAILED"),
        ("outside as wanted", "ok"),
        ("no race", "FAILED"),
        ("no such argument", "FAILED"),
    ] {
        assert_eq!(verdict(name), wanted, "{name}\n{out}");
    }
    for text in [
        "1 of 4 cells differ\n  [2] 3, expected 9",
        "error[out-of-bounds]",
        "expected findings are missing: race",
        "kernel `more` takes 1 argument, but 2 are given",
        "6 tests: 2 passed, 4 failed, in ",
    ] {
        assert!(out.contains(text), "{text}\n{out}");
    }
    let xml = fs::read_to_string(report).unwrap();
    let read = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    assert_eq!((read.tests, read.failures), (6, 4));
    let (exit, out, _) = warpsim(&["test", place, "right"]);
    assert_eq!(exit, 0);
    assert!(out.contains("1 test: 1 passed, 0 failed, 5 left out"), "{out}");
}

#[test]
fn wrong_launch_files_and_folders_without_any_are_exit_code_2() {
    let folder = folder("[[launch]]\nblok = 4\n");
    let place = folder.path().to_str().unwrap();
    let (exit, _, err) = warpsim(&["test", place]);
    assert!(
        exit == 2 && err.contains("unknown field `blok`") && err.contains("more.launch.toml"),
        "{err}"
    );
    fs::remove_file(folder.path().join("more.launch.toml")).unwrap();
    let (exit, _, err) = warpsim(&["test", place]);
    assert!(exit == 2 && err.contains("there is no *.launch.toml in"), "{err}");
    let (exit, _, err) = warpsim(&["test", "/nowhere/at/all"]);
    assert!(exit == 2 && err.contains("cannot read /nowhere/at/all"), "{err}");
}

#[test]
fn an_expectation_is_held_to_type_shape_and_tolerance() {
    let folder = folder("");
    let ptx = folder.path().join("more.ptx");
    let file = folder.path().join("wanted.npy");
    let (ptx, named) = (ptx.to_str().unwrap(), format!("0={}", file.display()));
    let run = |spec: &str, expect: &str| {
        warpsim(&["run", ptx, "--block", "6", "--arg", spec, "--expect", expect])
    };
    npy(&file, "(2, 3)", &[1, 2, 3, 4, 5, 6]);
    let (exit, out, err) = run("s32[2x3]=iota", &named);
    assert!(exit == 0 && out.contains("s32[2x3]\n  0 | 1 2 3\n  3 | 4 5 6\n"), "{out}{err}");
    let (exit, _, err) = run("s32[3x2]=iota", &named);
    assert!(exit == 2 && err.contains("its shape is 2x3, the buffer's is 3x2"), "{err}");
    // A row takes any shape with as many cells.
    assert_eq!(run("s32[6]=iota", &named).0, 0);
    let (exit, _, err) = run("s32[6]=iota:5", &named);
    assert!(exit == 1 && err.contains("6 of 6 cells differ\n  [0] 6, expected 1\n"), "{err}");
    let (exit, _, err) = run("s32[6]=iota", "1=iota");
    assert!(exit == 2 && err.contains("--expect 1: argument 1 is not a buffer"), "{err}");
    let (exit, _, err) = run("s32[6]=iota", "0=list:1,2");
    assert!(exit == 2 && err.contains("--expect 0: "), "{err}");
    let (exit, _, err) = run("s32[6]=iota", "0");
    assert!(exit == 2 && err.contains("use K=INIT or K=FILE.npy"), "{err}");
    let (exit, out, _) = warpsim(&[
        "check",
        ptx,
        "--block",
        "6",
        "--arg",
        "s32[6]=iota",
        "--expect",
        "0=iota",
        "--format",
        "json",
    ]);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((exit, &document["expected"][0]["differing"]), (1, &6.into()));
    assert_eq!(
        document["expected"][0]["cells"][5],
        serde_json::json!({"index": 5, "value": 6, "expected": 5})
    );
}

#[test]
fn dumps_have_the_shape_of_the_buffer() {
    let folder = folder("");
    let (ptx, file) = (folder.path().join("more.ptx"), folder.path().join("out.npy"));
    let dump = format!("0={}", file.display());
    let (exit, ..) = warpsim(&[
        "run",
        ptx.to_str().unwrap(),
        "--block",
        "6",
        "--arg",
        "s32[3x2]=iota",
        "--dump",
        &dump,
    ]);
    assert_eq!(exit, 0);
    let bytes = fs::read(&file).unwrap();
    let header = String::from_utf8_lossy(&bytes[10..]).into_owned();
    assert!(
        header.starts_with("{'descr': '<i4', 'fortran_order': False, 'shape': (3, 2), }"),
        "{header}"
    );
    assert_eq!(
        warpsim(&[
            "run",
            SWAP,
            "--kernel",
            "swap_volatile",
            "--block",
            "64",
            "--arg",
            "s32[2x2x2x2x2]"
        ])
        .0,
        2
    );
}
