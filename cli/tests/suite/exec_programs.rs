//! The programs of `programs/cu` under `warpsim exec`. Each is right and clean, and its racy twin
//! is found at the place that its source names. A small run takes the first ones; a full run takes
//! all.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use warpsim_effort::{Effort, cases};

/// All of them. The programs of a small run come first.
const PROGRAMS: [&str; 15] = [
    "vector_add",
    "options",
    "reduction",
    "histogram",
    "matmul",
    "nbody",
    "bfs",
    "streams",
    "managed",
    "grid_sync",
    "scan",
    "sort",
    "graph",
    "textures",
    "halves",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../programs/cu")
}

fn check(file: &Path, options: &[&str]) -> Output {
    let warpsim = env!("CARGO_BIN_EXE_warpsim");
    Command::new(warpsim).args(["exec", "--check"]).args(options).arg(file).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The lines that the source marks.
fn marked(source: &str) -> Vec<usize> {
    let lines = source.lines().enumerate();
    lines.filter(|(_, line)| line.contains("// RACE")).map(|(index, _)| index + 1).collect()
}

/// The lines of the file at which findings are reported.
fn told(file: &str, said: &str) -> Vec<usize> {
    let name = format!("{file}:");
    let places = said.split(&name).skip(1);
    let digits = |place: &str| place.chars().take_while(char::is_ascii_digit).collect::<String>();
    places.filter_map(|place| digits(place).parse().ok()).collect()
}

#[test]
fn every_program_is_clean_and_its_racy_twin_is_found_at_a_line_that_it_marks() {
    for name in &PROGRAMS[..cases(2, PROGRAMS.len())] {
        let file = folder().join(name).with_extension("cu");
        let clean = check(&file, &[]);
        let (out, err) = (text(&clean.stdout), text(&clean.stderr));
        if clean.status.code() == Some(4) {
            assert!(err.contains("no clang"), "{err}");
            return println!("skipped: {err}");
        }
        assert_eq!(clean.status.code(), Some(0), "{name}: {out}{err}");
        assert!(err.starts_with("warpsim exec: no findings in "), "{name}: {err}");
        let racy = check(&file, &["-D", "RACY"]);
        let err = text(&racy.stderr);
        assert_eq!(racy.status.code(), Some(1), "{name}: {err}");
        assert!(err.contains("error[race]: "), "{name}: {err}");
        let marked = marked(&std::fs::read_to_string(&file).unwrap());
        let told = told(&format!("{name}.cu"), &err);
        assert!(!told.is_empty() && told.iter().any(|line| marked.contains(line)), "{name}: {err}");
    }
}

/// They compare each function of our headers with the host's library, in more digits; see there for
/// the bounds.
#[test]
fn the_functions_of_the_headers_are_within_their_bounds() {
    let all = ["halves.cu", "accuracy.cu", "intrinsics.cu"];
    let tried = match Effort::asked() {
        Effort::Small => &all[..1],
        Effort::Full => &all[..],
    };
    if tried.len() < all.len() {
        println!("skipped: {}: compiled in a minute; a full run does it", all[1..].join(", "));
    }
    for name in tried {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec").join(name);
        let warpsim = env!("CARGO_BIN_EXE_warpsim");
        let run = Command::new(warpsim).arg("exec").arg(&file).output().unwrap();
        let (out, err) = (text(&run.stdout), text(&run.stderr));
        if run.status.code() == Some(4) {
            return println!("skipped: {err}");
        }
        assert_eq!(run.status.code(), Some(0), "{name}: {out}{err}");
        print!("{out}");
    }
}

/// They say what they compare, and count the mistakes.
#[test]
fn random_numbers_are_those_that_papers_publish_and_the_host_s_are_the_device_s() {
    // Of each generator's thousands of numbers, checking takes a minute.
    let is_device_checked = cases(false, true);
    for (name, is_checked) in [("curand_device.cu", is_device_checked), ("curand_host.cu", true)] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec").join(name);
        let run = match is_checked {
            true => check(&file, &[]),
            false => crate::exec::exec(&[file.to_str().unwrap()], &[]),
        };
        let (out, err) = (text(&run.stdout), text(&run.stderr));
        if run.status.code() == Some(4) {
            return println!("skipped: {err}");
        }
        assert_eq!((out.as_str(), run.status.code()), ("0 wrong\n", Some(0)), "{name}: {err}");
        let is_clean = err.contains("warpsim exec: no findings in ");
        assert!(is_clean || !is_checked, "{name}: {err}");
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec/curand_host.cu");
    let racy = text(&check(&file, &["-D", "RACY"]).stderr);
    assert!(racy.contains("error[race]: write-read race on global memory"), "{racy}");
    assert!(
        racy.contains(
            "nothing orders the copy to the device in stream 1 and the launch of `doubled`"
        ),
        "{racy}"
    );
}

#[test]
fn grid_sync_ends_a_kernel_whose_launch_is_not_cooperative() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec/ordinary_grid_sync.cu");
    let ordinary = check(&file, &[]);
    let (out, err) = (text(&ordinary.stdout), text(&ordinary.stderr));
    if ordinary.status.code() == Some(4) {
        return println!("skipped: {err}");
    }
    assert_eq!((out.as_str(), ordinary.status.code()), ("719\n", Some(1)), "{err}");
    assert!(err.contains("`grid.sync()` needs a cooperative launch"), "{err}");
    let cooperative = check(&file, &["-D", "COOPERATIVE"]);
    let (out, err) = (text(&cooperative.stdout), text(&cooperative.stderr));
    assert_eq!((out.as_str(), cooperative.status.code()), ("0\n", Some(0)), "{err}");
}

/// With the headers that `scripts/fetch-nvrtc.sh` fetched, or those in a folder that the
/// environment names, and the clang that they were tried with: older ones do not compile them.
#[test]
fn thrust_runs_through_the_headers_of_a_toolkit() {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/nvrtc-venv");
    let fetched = std::fs::read_dir(target.join("lib")).into_iter().flatten().flatten();
    let fetched = fetched.map(|python| python.path().join("site-packages/nvidia/cu13/include"));
    let named = std::env::var_os("WARPSIM_TEST_CUDA_INCLUDE").map(PathBuf::from);
    let Some(include) = named.into_iter().chain(fetched).find(|folder| folder.is_dir()) else {
        return println!("skipped: no headers of a toolkit (scripts/fetch-nvrtc.sh fetches them)");
    };
    if Command::new("clang++-19").arg("--version").output().is_err() {
        return println!("skipped: no clang++-19");
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec/thrust.cu");
    let mut warpsim = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    let warpsim = warpsim.env("WARPSIM_CLANG", "clang++-19").args(["exec", "--check", "-I"]);
    let run = warpsim.arg(include).arg(file).output().unwrap();
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    assert_eq!(out, "0 of 1000 are wrong\n", "{err}");
    assert_eq!(run.status.code(), Some(0), "{err}");
}

#[test]
fn every_program_of_the_folder_is_tried_and_named_in_its_table() {
    let table = std::fs::read_to_string(folder().join("README.md")).unwrap();
    let mut files: Vec<String> = Vec::new();
    for entry in std::fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "cu") {
            files.push(path.file_stem().unwrap().to_str().unwrap().to_owned());
        }
    }
    files.sort_unstable();
    let mut tried = PROGRAMS.map(str::to_owned);
    tried.sort_unstable();
    assert_eq!(files, tried);
    assert!(PROGRAMS.iter().all(|name| table.contains(&format!("| `{name}` |"))));
}

/// The pages that show what `warpsim exec` says: `<!-- exec: OPTIONS FILE -->`, and a block of
/// text.
const PAGES: [&str; 3] = ["README.md", "docs/exec-cpp.md", "docs/for-clang.md"];

/// What the command says on standard error, as a page shows it.
fn said(root: &Path, arguments: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    command.arg("exec").args(arguments.split(' ')).current_dir(root);
    let run = command.output().unwrap();
    format!("{}\n", text(&run.stderr).trim_end())
}

/// The version of clang with which the pages were written: lines of PTX and numbers of times go by
/// it.
const CLANG: &str = "version 19.";

fn is_that_clang() -> bool {
    let devices = env!("CARGO_BIN_EXE_warpsim");
    let devices = Command::new(devices).args(["devices", "--format", "json"]).output().unwrap();
    let said: serde_json::Value = serde_json::from_slice(&devices.stdout).unwrap();
    said["clang"]["version"].as_str().is_some_and(|line| line.contains(CLANG))
}

#[test]
fn pages_show_what_the_command_says() {
    if !is_that_clang() {
        return println!("skipped: no clang, or not of {CLANG}");
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for name in PAGES {
        let page = std::fs::read_to_string(root.join(name)).unwrap();
        let mut parts = page.split("<!-- exec: ");
        let mut new = parts.next().unwrap().to_owned();
        let mut shown = 0;
        for part in parts {
            let (arguments, rest) = part.split_once(" -->\n```text\n").unwrap();
            let (_, behind) = rest.split_once("```\n").unwrap();
            let said = said(&root, arguments);
            new += &format!("<!-- exec: {arguments} -->\n```text\n{said}```\n{behind}");
            shown += 1;
        }
        assert!(shown > 0, "{name}");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(root.join(name), &new).unwrap();
            continue;
        }
        assert_eq!(page, new, "{name}: UPDATE_DOCS=1 writes it anew");
    }
}
