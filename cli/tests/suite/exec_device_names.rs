//! The device functions of our headers: all names in the documents are there, with their types, and
//! families of them do what their definitions say.
//!
//! `tests/cuda/device_names` has a list for each chapter. An entry has the first architecture with
//! the function, the type of its result, and a call. A program of all calls is compiled, and
//! nothing of it runs. The programs that compute are in `tests/exec`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(clippy::print_stdout, reason = "counts, and a test that is skipped, are to be seen")]

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;
use warpsim_effort::Effort;

const COMMAND: &str = env!("CARGO_BIN_EXE_warpsim");

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A clang that passes its trial; `None`, and a message, where there is none.
fn clang() -> Option<String> {
    let devices = Command::new(COMMAND).args(["devices", "--format", "json"]).output().unwrap();
    let said: Value = serde_json::from_slice(&devices.stdout).unwrap();
    let clangs = said["clangs"].as_array().unwrap().clone();
    let passing = clangs.iter().find(|clang| clang["verdict"] == "passes");
    if passing.is_none() {
        println!("skipped: no clang that passes its trial");
    }
    passing.map(|clang| clang["path"].as_str().unwrap().to_owned())
}

/// That clang, for another architecture than `exec` asks for.
fn for_architecture(clang: &str, architecture: u32) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("clang++");
    let version = if architecture >= 90 { "+ptx80" } else { "+ptx75" };
    let script = format!(
        r#"#!/bin/bash
given=()
for argument in "$@"; do
    case "$argument" in
        --cuda-gpu-arch=*) argument=--cuda-gpu-arch=sm_{architecture} ;;
        +ptx*) argument={version} ;;
    esac
    given+=("$argument")
done
exec '{clang}' "${{given[@]}}"
"#
    );
    fs::write(&path, script).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    (folder, path)
}

/// `warpsim exec` on a program for an architecture.
fn exec(clang: &str, architecture: u32, file: &Path) -> Output {
    let (_folder, clang) = for_architecture(clang, architecture);
    let mut command = Command::new(COMMAND);
    command.args(["exec", "--allow-compiler"]).arg(file).env("WARPSIM_CLANG", clang);
    command.output().unwrap()
}

struct Call {
    from: u32,
    result: String,
    call: String,
}

/// The lists, by the names of their files.
fn lists() -> Vec<(String, Vec<Call>)> {
    let folder = fs::read_dir(tests().join("cuda/device_names")).unwrap();
    let files = folder.map(|entry| entry.unwrap().path());
    let files = files.filter(|path| path.extension().is_some_and(|end| end == "txt"));
    let of_line = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let [from, result, call] = <[&str; 3]>::try_from(fields).unwrap();
        Call { from: from.parse().unwrap(), result: result.to_owned(), call: call.to_owned() }
    };
    let mut lists: Vec<_> = files
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            let text = fs::read_to_string(&path).unwrap();
            let lines = text.lines().filter(|line| !line.starts_with('#'));
            (name, lines.map(of_line).collect())
        })
        .collect();
    lists.sort_by(|(a, _), (b, _)| a.cmp(b));
    lists
}

/// A program of the calls that an architecture has. Architectures before sm_70 have their own list.
fn program(architecture: u32) -> (String, usize) {
    let variables = tests().join("cuda/device_names/variables.h");
    let mut source = fs::read_to_string(variables).unwrap();
    let mut count = 0;
    for (name, calls) in lists() {
        if (name == "legacy") != (architecture < 70) {
            continue;
        }
        let calls: Vec<_> = calls.iter().filter(|call| call.from <= architecture).collect();
        println!("sm_{architecture} {name}: {}", calls.len());
        count += calls.len();
        writeln!(source, "__global__ void {name}_() {{").unwrap();
        for Call { result, call, .. } in calls {
            writeln!(source, "    CALL({result}, {call})").unwrap();
        }
        source.push_str("}\n");
    }
    // That the functions of a kernel can be asked for says that the simulator takes all that the
    // file has.
    let first = if architecture < 70 { "legacy_" } else { "half_" };
    writeln!(
        source,
        "int main() {{ cudaFuncAttributes a; return cudaFuncGetAttributes(&a, {first}); }}"
    )
    .unwrap();
    (source, count)
}

#[test]
fn every_documented_device_function_is_there_with_its_types() {
    let Some(clang) = clang() else { return };
    for (architecture, least) in [(60, 40), (80, 1700), (90, 1750)] {
        let (source, count) = program(architecture);
        assert!(count >= least, "sm_{architecture}: only {count}");
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("names.cu");
        fs::write(&file, &source).unwrap();
        let run = exec(&clang, architecture, &file);
        assert_eq!(run.status.code(), Some(0), "sm_{architecture}: {}", text(&run.stderr));
        // A name that no header has is reported.
        fs::write(
            &file,
            source.replace("int main", "__global__ void k() { __no_such(1); }\nint main"),
        )
        .unwrap();
        let run = exec(&clang, architecture, &file);
        assert!(text(&run.stderr).contains("__no_such"), "{}", text(&run.stderr));
    }
}

/// Each computes what the headers do another way, and ends with 1 where they differ.
#[test]
fn families_of_device_functions_do_what_their_definitions_say() {
    let Some(clang) = clang() else { return };
    let all = ["pipelines.cu", "device_values.cu", "matrices.cu", "tiny.cu", "bessel.cu"];
    let tried = match Effort::asked() {
        Effort::Small => &all[..1],
        Effort::Full => &all[..],
    };
    if tried.len() < all.len() {
        println!("skipped: {}: a full run does it", all[1..].join(", "));
    }
    for name in tried {
        let file = tests().join("exec").join(name);
        // One of them has more to compute on sm_90.
        let architectures: &[u32] = if *name == "device_values.cu" { &[80, 90] } else { &[80] };
        for &architecture in architectures {
            let run = exec(&clang, architecture, &file);
            let (out, err) = (text(&run.stdout), text(&run.stderr));
            assert_eq!(run.status.code(), Some(0), "{name}, sm_{architecture}: {out}{err}");
            print!("{out}");
        }
    }
}

/// Programs of the host alone have the types, too.
#[test]
fn number_types_are_headers_of_plain_cpp_too() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("numbers");
    let headers = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/clang/include");
    for version in ["-std=c++14", "-std=c++20"] {
        let mut command = Command::new("g++");
        command.args(["-Wall", "-Wextra", "-Werror", version, "-isystem"]).arg(&headers);
        command.arg(tests().join("exec/numbers.cpp")).arg("-o").arg(&program);
        let Ok(built) = command.output() else { return println!("skipped: no g++") };
        assert!(built.status.success(), "{version}: {}", text(&built.stderr));
        let run = Command::new(&program).output().unwrap();
        assert_eq!(text(&run.stdout), "0 wrong\n", "{version}");
    }
}
