//! A device in a child process, with a simulator standing in for the GPU.
//!
//! The child is this program, so it has a `main` of its own. Asked by the environment, it is also the
//! parent that is killed in [`processes`].

#![expect(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and these are not marked as tests"
)]

mod kernels;
mod losses;
#[cfg(target_os = "linux")]
mod processes;
mod round_trips;

use std::time::Duration;

use libtest_mimic::{Arguments, Trial};
use warpsim_gpu::{Isolated, IsolatedSettings};

fn main() {
    if let Some(code) = warpsim_gpu::isolated::serve_if_asked() {
        std::process::exit(code);
    }
    #[cfg(target_os = "linux")]
    if std::env::var_os(processes::PARENT).is_some() {
        processes::be_a_parent();
    }
    #[cfg(target_os = "linux")]
    processes::write_scripts();
    let tests: Vec<(&str, fn())> = [
        round_trips::TESTS,
        losses::TESTS,
        #[cfg(target_os = "linux")]
        processes::TESTS,
    ]
    .concat();
    let trials = tests.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    let conclusion = libtest_mimic::run(&Arguments::from_args(), trials.collect());
    #[cfg(target_os = "linux")]
    processes::remove_scripts();
    conclusion.exit();
}

/// A stand-in with these words, and time enough.
fn start(stand_in: &str) -> Isolated {
    start_with_timeout(stand_in, Duration::from_secs(60))
}

/// A stand-in with these words.
fn start_with_timeout(stand_in: &str, timeout: Duration) -> Isolated {
    let settings = IsolatedSettings { timeout, ..IsolatedSettings::default() };
    Isolated::start_standing_in(stand_in, settings).expect("the child starts")
}

/// Tests, each under the name of its function.
macro_rules! tests {
    ($($test:ident),* $(,)?) => {
        pub(super) const TESTS: &[(&str, fn())] = &[$((stringify!($test), $test)),*];
    };
}
use tests;
