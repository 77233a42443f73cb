//! A device in a child process, with a simulator in place of the GPU.
//!
//! The child is this program. The environment can also make it the parent that is killed in
//! [`processes`].

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

use libtest_mimic::Trial;
use warpsim_gpu::{Isolated, IsolatedSettings};

#[cfg(target_os = "linux")]
pub(crate) use processes::{be_a_parent, is_asked, remove_scripts, write_scripts};

/// All tests.
pub(crate) fn trials() -> Vec<Trial> {
    let tests: Vec<(&str, fn())> = [
        round_trips::TESTS,
        losses::TESTS,
        #[cfg(target_os = "linux")]
        processes::TESTS,
    ]
    .concat();
    let trial = |(name, test): (&str, fn())| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    };
    tests.into_iter().map(trial).collect()
}

/// A stand-in with these words, and time enough.
fn start(stand_in: &str) -> Isolated {
    start_with_timeout(stand_in, Duration::from_secs(60))
}

/// A stand-in with these words.
fn start_with_timeout(stand_in: &str, timeout: Duration) -> Isolated {
    let settings = IsolatedSettings::default().with_timeout(timeout);
    Isolated::start_standing_in(stand_in, settings).expect("the child starts")
}

/// Tests, each under the name of its function.
macro_rules! tests {
    ($($test:ident),* $(,)?) => {
        pub(super) const TESTS: &[(&str, fn())] = &[$((stringify!($test), $test)),*];
    };
}
use tests;
