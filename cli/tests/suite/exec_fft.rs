//! cuFFT under `warpsim exec`: the checks of `tests/exec/fft.cu`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::path::Path;
use std::process::Command;

const SOURCE: &str = include_str!("../exec/fft.cu");

/// The exit code, the output and the messages of the program; `None` where there is no clang.
fn run(options: &[&str]) -> Option<(Option<i32>, String, String)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec/fft.cu");
    let warpsim = env!("CARGO_BIN_EXE_warpsim");
    let run = Command::new(warpsim).arg("exec").args(options).arg(&file).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    if run.status.code() == Some(4) {
        println!("skipped: {err}");
        return None;
    }
    Some((run.status.code(), out, err))
}

#[test]
fn transforms_are_the_sums_that_define_them_and_mistakes_get_the_documented_results() {
    let Some((code, out, err)) = run(&["--check"]) else { return };
    assert_eq!((code, out.as_str()), (Some(0), "transforms are right\n"), "{err}");
    assert!(err.starts_with("warpsim exec: no findings in 1 launch"), "{err}");
}

#[test]
fn a_kernel_in_another_stream_races_with_the_transform_that_writes_what_it_reads() {
    let Some((code, out, err)) = run(&["--check", "-D", "RACY"]) else { return };
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(err.contains("error[race]: read-write race on global memory"), "{err}");
    assert!(err.contains("kernel `take`"), "{err}");
    let line = SOURCE.lines().position(|line| line.ends_with("// RACE")).unwrap() + 1;
    assert!(err.contains(&format!("fft.cu:{line}")), "{err}");
}
