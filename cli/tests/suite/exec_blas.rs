//! cuBLAS under `warpsim exec`: the checks of `tests/exec/blas.cu`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::path::Path;
use std::process::Command;

/// The exit code, the output and the messages of a program; `None` where there is no clang.
fn run(file: &str, options: &[&str]) -> Option<(Option<i32>, String, String)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec").join(file);
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
fn a_program_on_cublas_gets_what_its_own_loops_give_and_the_statuses_that_are_documented() {
    let Some((code, out, err)) = run("blas.cu", &["--check"]) else { return };
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.starts_with("0 wrong of "), "{out}{err}");
    assert!(err.starts_with("warpsim exec: no findings in "), "{err}");
}

#[test]
fn a_kernel_in_another_stream_races_with_the_product_that_reads_what_it_writes() {
    let Some((code, out, err)) = run("blas.cu", &["--check", "-D", "RACY"]) else { return };
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(err.contains("error[race]: read-write race"), "{err}");
    assert!(err.contains("kernel `fill`"), "{err}");
    let source = include_str!("../exec/blas.cu");
    let line = source.lines().position(|line| line.ends_with("// RACE")).unwrap() + 1;
    assert!(err.contains(&format!("blas.cu:{line}")), "{err}");
}

#[test]
fn what_is_not_supported_is_told_by_its_name_and_answered_so() {
    let Some((code, out, err)) = run("blas.cu", &["-D", "ABSENT"]) else { return };
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.starts_with("0 wrong of "), "{out}{err}");
    // CUBLASLT_EPILOGUE_BGRADA.
    assert!(err.contains("warpsim does not support cublasLt's epilogue 256"), "{err}");
}

#[test]
fn the_api_without_handles_returns_results_and_keeps_the_last_error() {
    let Some((code, out, err)) = run("blas_legacy.cu", &[]) else { return };
    assert_eq!((code, out.as_str()), (Some(0), "right\n"), "{err}");
}
