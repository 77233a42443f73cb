//! Files that are read and written: no more is read than needed, and a written file appears when it
//! is complete.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const SCAN: &str = "tests/hardware/scan_naive.ptx";

/// A folder of a test's own, empty.
fn folder(name: &str) -> io::Result<PathBuf> {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("files-{name}"));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path)?;
    Ok(path)
}

/// The command, in the root of the repository.
fn warpsim() -> Command {
    in_the_root(Command::new(env!("CARGO_BIN_EXE_warpsim")))
}

fn in_the_root(mut command: Command) -> Command {
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    command.env("WARPSIM_GPU_STAND_IN", "simulator").env("NO_COLOR", "1");
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The command where no file can be longer than a kilobyte or two: as on a disk that is full.
#[cfg(unix)]
fn on_a_full_disk() -> Command {
    let mut shell = in_the_root(Command::new("sh"));
    // A program that ignores the signal gets an error instead.
    shell.args([
        "-c",
        "trap '' XFSZ; ulimit -f 2; exec \"$@\"",
        "sh",
        env!("CARGO_BIN_EXE_warpsim"),
    ]);
    shell
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_what_was_there_before() {
    let folder = folder("full").unwrap();
    let path = folder.join("out");
    let (out, dump) = (path.display().to_string(), format!("0={}", path.display()));
    let large = ["--kernel", "half", "--block", "4", "--arg", "f32[8192]=fill:1"];
    let commands: [Vec<&str>; 4] = [
        vec!["compile", "programs/src/volatile/scan32.ptx", "-o", &out],
        vec!["trace", SCAN, "--arg", "s32[32]", "--arg", "s32[32]", "-o", &out],
        [&["run", "cli/tests/cmd/input/slots.ptx", "--dump", &dump][..], &large].concat(),
        vec!["record", SCAN, "--arg", "s32[2048]=iota:1", "--arg", "s32[2048]", "-o", &out],
    ];
    for arguments in commands {
        let name = arguments[0];
        let _ = fs::remove_file(&path);
        let whole = warpsim().args(&arguments).output().unwrap();
        assert_eq!(whole.status.code(), Some(0), "{name}: {}", said(&whole));
        let written = fs::read(&path).unwrap();
        assert!(written.len() > 2048, "{name}: {} bytes", written.len());
        // A recording is added to, so it must be one.
        let before = if name == "record" { written } else { b"before".to_vec() };
        fs::write(&path, &before).unwrap();
        let full = on_a_full_disk().args(&arguments).output().unwrap();
        assert_eq!(full.status.code(), Some(2), "{name}: {}", said(&full));
        assert!(said(&full).contains("File too large"), "{name}: {}", said(&full));
        assert_eq!(fs::read(&path).unwrap(), before, "{name}");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "{name} leaves something beside");
    }
}

/// What a pipe that is named as a file holds becomes a buffer: `given` bytes for 4 cells.
#[cfg(unix)]
fn piped(given: usize) -> io::Result<Output> {
    let spec = "u32[4]=file:/dev/stdin";
    let mut child = warpsim()
        .args(["run", SCAN, "--arg", spec, "--arg", "u32[32]"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // It may be refused before all is written.
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(&vec![7; given]));
    child.wait_with_output()
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_up_to_the_size_of_the_buffer() {
    let out = |given| String::from_utf8_lossy(&piped(given).unwrap().stdout).into_owned();
    assert!(out(16).contains("117901063 117901063 117901063 117901063"), "{}", out(16));
    for (given, found) in [(15, "15 bytes"), (17, "more than 16 bytes"), (1 << 20, "more than 16")]
    {
        let output = piped(given).unwrap();
        assert_eq!(output.status.code(), Some(2));
        let expected = format!("argument 0: /dev/stdin: the file has {found}");
        assert!(said(&output).contains(&expected), "{}", said(&output));
    }
}

#[cfg(unix)]
#[test]
fn results_can_be_written_to_what_is_no_file() {
    let output = warpsim().args(["compile", SCAN, "-o", "/dev/stdout"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains(".entry scan"));
}
