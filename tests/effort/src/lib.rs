//! How much the tests try, and with which compilers, said once for the tests of all crates.
//!
//! The environment variable `WARPSIM_TEST_EFFORT` is `small` by default, which fits between two
//! pushes. Or it is `full`, for a run before a release and after a change of the engine. Both run
//! the same tests. They differ in how many cases a random test draws, how many schedules a search
//! tries, and what it searches exhaustively.

use std::path::{Path, PathBuf};

/// The environment variable.
pub const VARIABLE: &str = "WARPSIM_TEST_EFFORT";

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effort {
    /// What fits between two pushes.
    Small,
    /// Everything.
    Full,
}

impl Effort {
    /// What the environment asks for.
    ///
    /// # Panics
    /// It asks for something else: a run that was meant to be full must not pass as a small one.
    pub fn asked() -> Effort {
        let asked = std::env::var_os(VARIABLE);
        Effort::of(asked.as_deref().map(|word| word.to_string_lossy()).as_deref())
    }

    #[expect(clippy::panic, reason = "a test fails by panicking")]
    fn of(asked: Option<&str>) -> Effort {
        match asked {
            None | Some("" | "small") => Effort::Small,
            Some("full") => Effort::Full,
            Some(other) => panic!("{VARIABLE} is `small` or `full`, and not `{other}`"),
        }
    }

    /// The number for this effort.
    pub fn pick<T>(self, small: T, full: T) -> T {
        match self {
            Effort::Small => small,
            Effort::Full => full,
        }
    }
}

/// The first in a small run, the second in a full one: a number of cases, mostly.
pub fn cases<T>(small: T, full: T) -> T {
    Effort::asked().pick(small, full)
}

/// The CUDA compilers that tests try, as paths: each that `scripts/fetch-nvrtc.sh` fetched. Where
/// there is none, or where the environment variable `WARPSIM_NVRTC` names one, it is the one that
/// is found without a path: `None`.
pub fn compilers() -> Vec<Option<PathBuf>> {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target");
    let folders =
        ["nvrtc-venv", "nvrtc-venv-12", "nvrtc-venv-latest"].map(|name| target.join(name));
    let fetched: Vec<PathBuf> = folders.into_iter().filter(|folder| folder.is_dir()).collect();
    match std::env::var_os("WARPSIM_NVRTC").is_some() || fetched.is_empty() {
        true => vec![None],
        false => fetched.into_iter().map(Some).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_said_is_small_and_another_word_is_refused() {
        assert_eq!(Effort::of(None), Effort::Small);
        assert_eq!(Effort::of(Some("small")).pick(1, 2), 1);
        assert_eq!(Effort::of(Some("full")).pick(1, 2), 2);
        assert!(std::panic::catch_unwind(|| Effort::of(Some("ful"))).is_err());
    }
}
