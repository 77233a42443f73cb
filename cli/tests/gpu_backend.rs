//! The backend for GPUs on the simulator. `warpsim exec` runs the tests that `gpu-backend` has for
//! a machine with a GPU; its library replaces NVIDIA's driver. They are the same sources.
//!
//! If the simulator's driver behaves differently from NVIDIA's, the reason is given below. Such a
//! test must fail, so that the reason stays true. Only Linux has `exec`; elsewhere the test says
//! that all were skipped.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "what was run and skipped is to be seen"
)]

#[path = "../../gpu-backend/tests/suite/live/mod.rs"]
mod live;
#[path = "../../gpu-backend/tests/suite/programs.rs"]
mod programs;

use std::env;
use std::error::Error;
use std::process::{Command, ExitCode};

use libtest_mimic::{Arguments, Trial};

/// What says to a process that `exec` has started it.
const UNDER_EXEC: &str = warpsim_driver_core::VARIABLE;

/// What fails here, and why.
const DIFFERENT: &[(&str, &str)] = &[
    ("a_kernel_that_never_ends_is_hung_and_the_next_launch_is_unaffected", HUNG),
    ("a_warp_that_waits_at_two_barriers_is_hung", HUNG),
    (
        "the_levels_of_the_driver_s_compiler_above_0_keep_values_in_registers",
        "the levels of the driver's compiler change nothing",
    ),
    ("text_that_the_driver_refuses_is_an_error_with_its_line", LATER),
    ("what_no_file_defines_is_refused_by_the_driver_s_linker", LATER),
    ("a_file_that_the_driver_does_not_take_is_named", LATER),
];

const HUNG: &str = "a kernel that never ends is found, and ends as CUDA_ERROR_LAUNCH_TIMEOUT";
const LATER: &str =
    "what is wrong with a kernel shows when it is first asked for, not when it is loaded";

/// The tests, each as it has to come out.
fn trials() -> Vec<Trial> {
    let as_it_comes_out = |(name, test): live::Named| {
        let Some((_, why)) = DIFFERENT.iter().find(|(different, _)| *different == name) else {
            return Trial::test(name, test);
        };
        let fails = move || match test() {
            Err(_) => Ok(()),
            Ok(()) => Err(format!("it passes, though it is said here: {why}").into()),
        };
        Trial::test(name, fails).with_kind("fails here")
    };
    live::all().map(as_it_comes_out).collect()
}

/// Starts this program again by `exec`. What stops a kernel is a finding, and some of the kernels
/// are there to be stopped, so that the exit code does not say how it went: the last line does.
fn by_exec() -> Result<bool, Box<dyn Error>> {
    let mut warpsim = Command::new(env!("CARGO_BIN_EXE_warpsim"));
    let warpsim = warpsim.args(["exec", "--error-exitcode", "0", "--"]).arg(env::current_exe()?);
    let run = warpsim.args(env::args_os().skip(1)).output()?;
    let said = String::from_utf8_lossy(&run.stdout);
    print!("{said}");
    let is_right = said.contains("test result: ok.") || env::args().any(|given| given == "--list");
    if !is_right {
        eprint!("{}", String::from_utf8_lossy(&run.stderr));
    }
    Ok(is_right)
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    if let Some(code) = warpsim_gpu::isolated::serve_if_asked() {
        return Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)));
    }
    if !cfg!(target_os = "linux") {
        println!("the backend for GPUs on the simulator: all skipped: `exec` needs Linux");
        return Ok(ExitCode::SUCCESS);
    }
    if env::var_os(UNDER_EXEC).is_none() {
        return Ok(ExitCode::from(u8::from(!by_exec()?)));
    }
    println!("the backend for GPUs on the simulator: {} of its tests fail here:", DIFFERENT.len());
    DIFFERENT.iter().for_each(|(name, why)| println!("  {name}: {why}"));
    // The last of them leaves the process without a context.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    Ok(libtest_mimic::run(&arguments, trials()).exit_code())
}
