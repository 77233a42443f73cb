//! `ptx_run` of `libgpuocelot.so`, as mocks of devices call it: kernels in the program's own
//! memory.

#![allow(clippy::print_stdout, reason = "a test that is skipped says so")]

use super::exec::{c_program, exec, text};

#[test]
fn a_mock_of_a_device_finds_the_library_and_its_kernels_change_its_own_memory() {
    let Some(program) = c_program("own_memory") else { return println!("skipped: no cc") };
    for options in [&[][..], &["--check"]] {
        let output = exec(options, &[&program]);
        let err = text(&output.stderr);
        assert_eq!(text(&output.stdout), "code 0, 0 wrong\n", "{err}");
        assert_eq!(output.status.code(), Some(0), "{err}");
    }
}

#[test]
fn races_and_addresses_that_the_program_has_not_are_found_there() {
    let Some(program) = c_program("own_memory") else { return println!("skipped: no cc") };
    let racy = exec(&["--check"], &[&program, "racy"]);
    let err = text(&racy.stderr);
    assert_eq!(racy.status.code(), Some(1), "{err}");
    assert!(err.contains("error[race]: write-write race on global memory"), "{err}");
    assert!(err.ends_with("warpsim exec: 1 error in 1 launch\n"), "{err}");
    let beyond = exec(&[], &[&program, "beyond"]);
    let err = text(&beyond.stderr);
    assert!(err.contains("warpsim: ptx_run: `add` ended with finding: "), "{err}");
    assert!(err.contains("error[out-of-bounds]"), "{err}");
    assert_eq!(text(&beyond.stdout), "code 719, 0 wrong\n", "{err}");
    assert_eq!(beyond.status.code(), Some(1), "{err}");
}
