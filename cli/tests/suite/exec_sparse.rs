//! cuSPARSE under `warpsim exec`: the checks of `tests/exec/sparse.cu`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::path::Path;
use std::process::Command;

const SOURCE: &str = include_str!("../exec/sparse.cu");

/// The exit code, the output and the messages of the program; `None` where there is no clang.
fn run(options: &[&str]) -> Option<(Option<i32>, String, String)> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec/sparse.cu");
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
fn products_are_those_of_dense_matrices_and_what_is_absent_is_told_by_its_name() {
    let Some((code, out, err)) = run(&["--check"]) else { return };
    assert_eq!((code, out.as_str()), (Some(0), "products are right\n"), "{err}");
    assert!(err.contains("no findings in 1 launch"), "{err}");
    assert!(err.contains("warpsim does not support cusparseSpGEMM_createDescr"), "{err}");
}

#[test]
fn a_kernel_in_another_stream_races_with_the_product_that_reads_what_it_writes() {
    let Some((code, out, err)) = run(&["--check", "-D", "RACY"]) else { return };
    assert_eq!(code, Some(1), "{out}{err}");
    assert!(err.contains("error[race]") && err.contains("kernel `fill`"), "{err}");
    let line = SOURCE.lines().position(|line| line.ends_with("// RACE")).unwrap() + 1;
    assert!(err.contains(&format!("sparse.cu:{line}")), "{err}");
}
