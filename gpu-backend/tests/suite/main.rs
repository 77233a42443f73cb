//! The backend from the outside, in one program.
//!
//! It has its own `main` because it also serves as several children: the process that holds the GPU
//! for its parent, a parent that is killed, and a process that looks for libraries.

#[cfg(target_os = "linux")]
mod driver;
mod isolated;
mod live;
mod loading;
mod programs;

use std::process::ExitCode;

use libtest_mimic::{Arguments, Trial};
use warpsim_gpu::Gpu;

fn main() -> ExitCode {
    if let Some(code) = warpsim_gpu::isolated::serve_if_asked() {
        return ExitCode::from(u8::try_from(code).unwrap_or(1));
    }
    #[cfg(target_os = "linux")]
    if loading::is_asked() {
        return loading::be_a_child();
    }
    #[cfg(target_os = "linux")]
    if driver::is_asked() {
        return driver::be_a_child();
    }
    #[cfg(target_os = "linux")]
    if isolated::is_asked() {
        isolated::be_a_parent();
    }
    let arguments = Arguments::from_args();
    let live = live_trials();
    // One after the other where there is a GPU: a fault ruins the process's context.
    let test_threads = if live.is_empty() { arguments.test_threads } else { Some(1) };
    let kinds = [
        ("loading", loading::trials()),
        #[cfg(target_os = "linux")]
        ("driver", driver::trials()),
        ("isolated", isolated::trials()),
        // The last of these leaves the process without a context.
        ("live", live),
    ];
    let of_kind = |(kind, trials): (&'static str, Vec<Trial>)| {
        trials.into_iter().map(move |trial| trial.with_kind(kind))
    };
    let trials = kinds.into_iter().flat_map(of_kind).collect();
    #[cfg(target_os = "linux")]
    isolated::write_scripts();
    let conclusion = libtest_mimic::run(&Arguments { test_threads, ..arguments }, trials);
    #[cfg(target_os = "linux")]
    isolated::remove_scripts();
    conclusion.exit_code()
}

/// The tests on a GPU, where there is one; elsewhere it is said how many of these were skipped.
#[expect(clippy::print_stderr, reason = "what was skipped is to be seen")]
fn live_trials() -> Vec<Trial> {
    if let Err(error) = Gpu::open(0) {
        eprintln!("live tests of the GPU: {} skipped: {error}", live::all().count());
        return Vec::new();
    }
    live::all().map(|(name, test)| Trial::test(name, test)).collect()
}
