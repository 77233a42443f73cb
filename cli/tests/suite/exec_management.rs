//! NVML under `warpsim exec`: the checks of `tests/exec/management.cu`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]
#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use std::path::Path;
use std::process::Command;

#[test]
fn nvml_tells_of_the_device_what_the_runtime_tells_and_names_what_it_cannot_measure() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exec/management.cu");
    let run = Command::new(env!("CARGO_BIN_EXE_warpsim")).arg("exec").arg(&file).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&run.stdout), text(&run.stderr));
    if run.status.code() == Some(4) {
        return println!("skipped: {err}");
    }
    assert_eq!((run.status.code(), out.as_str()), (Some(0), "NVML is right\n"), "{err}");
    assert!(err.contains("warpsim does not support nvmlDeviceGetPowerUsage"), "{err}");
}
