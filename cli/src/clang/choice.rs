//! The clangs on this machine, the newest first.
//!
//! The environment variable `WARPSIM_CLANG` decides: the clang that it names is the only one, and
//! `none` means none. Otherwise each `clang++` and `clang++-N` in the folders of `PATH` is asked
//! for its version. The version decides, not the name. Empty and relative folders are left out:
//! nothing in the current directory is run.

use std::collections::HashSet;
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The environment variable that names a clang, or says `none`.
const VARIABLE: &str = "WARPSIM_CLANG";

/// What a clang is called; behind a hyphen there may be its version.
const NAME: &str = "clang++";

/// The first version whose output warpsim can use.
pub(crate) const OLDEST: u32 = 14;

/// A clang on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Installed {
    /// How it is started.
    pub(crate) path: PathBuf,
    /// What it says of itself.
    pub(crate) said: Said,
}

/// What a clang says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    /// Its version, and the line that says it.
    Version(Version, String),
    /// A line without a version: it is something else.
    Unknown(String),
    /// Nothing: it does not run.
    Nothing,
}

/// A version of clang, in the order of versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Version {
    pub(crate) major: u32,
    pub(crate) minor: u32,
    pub(crate) patch: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl Version {
    /// The version in a line such as `Debian clang version 19.1.7 (3~deb12u1)`.
    fn of(line: &str) -> Option<Version> {
        let (_, behind) = line.split_once("clang version ")?;
        let numbers = behind.split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
        let mut numbers = numbers.split('.').map(|number| number.parse().ok());
        let major = numbers.next()??;
        // Builds from the repository may leave the last ones out.
        let mut next = || numbers.next().flatten().unwrap_or(0);
        Some(Version { major, minor: next(), patch: next() })
    }
}

impl Installed {
    /// The clang at a path.
    fn at(path: PathBuf) -> Installed {
        Installed { said: Said::by(&path), path }
    }

    /// Its version, where it says one.
    pub(crate) fn version(&self) -> Option<Version> {
        match self.said {
            Said::Version(version, _) => Some(version),
            Said::Unknown(_) | Said::Nothing => None,
        }
    }
}

impl Said {
    fn by(path: &Path) -> Said {
        let said = Command::new(path).arg("--version").stdin(Stdio::null()).output();
        let Ok(said) = said else { return Said::Nothing };
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let Some(line) = said.lines().next().map(str::trim) else { return Said::Nothing };
        match Version::of(line) {
            Some(version) => Said::Version(version, line.to_owned()),
            None => Said::Unknown(line.to_owned()),
        }
    }
}

/// The clangs of this machine, the newest first; those that say no version come last.
pub(crate) fn installed() -> Vec<Installed> {
    match env::var_os(VARIABLE) {
        Some(none) if none == "none" => Vec::new(),
        Some(path) => vec![Installed::at(path.into())],
        None => in_folders(&env::var_os("PATH").unwrap_or_default()),
    }
}

/// Those in the folders of a variable such as `PATH`.
fn in_folders(variable: &OsString) -> Vec<Installed> {
    let folders = env::split_paths(variable).filter(|folder| folder.is_absolute());
    let paths = folders.flat_map(|folder| named_so(&folder));
    let mut seen = HashSet::new();
    let mut all: Vec<Installed> = Vec::new();
    for path in paths {
        // Two names of one file are one clang, unless it goes by its name what it is.
        let file = path.canonicalize().unwrap_or_else(|_| path.clone());
        let clang = Installed::at(path);
        if seen.insert((file, clang.version())) {
            all.push(clang);
        }
    }
    // It keeps the order of `PATH` among equals.
    all.sort_by_key(|clang| std::cmp::Reverse(clang.version()));
    all
}

/// The clangs of a folder by their names, `clang++` first.
fn named_so(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let mut numbered: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| Some((number(entry.file_name().to_str()?)?, entry.path())))
        .filter(|(_, path)| path.is_file())
        .collect();
    numbered.sort_unstable();
    numbered.into_iter().map(|(_, path)| path).collect()
}

/// The number in a clang's name; 0 where there is none.
fn number(name: &str) -> Option<u32> {
    match name.strip_prefix(NAME)? {
        "" => Some(0),
        version => version.strip_prefix('-')?.parse().ok(),
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking, in its helpers too")]

    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    /// A program that says a line.
    fn says(path: &Path, line: &str) {
        fs::write(path, format!("#!/bin/sh\necho '{line}'\n")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn majors(folders: &[&Path]) -> Vec<Option<u32>> {
        let all = in_folders(&env::join_paths(folders).unwrap());
        all.iter().map(|clang| clang.version().map(|version| version.major)).collect()
    }

    #[test]
    fn versions_are_read_as_vendors_write_them() {
        let of = |line| Version::of(line).map(|version| version.to_string());
        assert_eq!(of("Debian clang version 14.0.6").as_deref(), Some("14.0.6"));
        assert_eq!(of("Ubuntu clang version 18.1.3 (1ubuntu1)").as_deref(), Some("18.1.3"));
        assert_eq!(of("clang version 21.1.0-rc2").as_deref(), Some("21.1.0"));
        assert_eq!(of("clang version 22.0.0git (https://x/ 1a)").as_deref(), Some("22.0.0"));
        assert_eq!(of("clang version 15").as_deref(), Some("15.0.0"));
        assert_eq!(of("g++ (Debian 12.2.0-14) 12.2.0"), None);
        assert_eq!(of("clang version unknown"), None);
    }

    #[test]
    fn the_newest_comes_first_by_the_version_that_it_says_and_not_by_its_name() {
        let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        says(&one.path().join("clang++"), "Debian clang version 14.0.6");
        says(&one.path().join("clang++-9"), "clang version 31.0.0");
        says(&other.path().join("clang++-16"), "clang version 16.0.6");
        says(&other.path().join("clang++-30"), "clang version 30.1.0");
        // These are no clang by their names, or say nothing of a version.
        says(&other.path().join("clang++-format"), "clang version 99.0.0");
        says(&other.path().join("clang-40"), "clang version 40.0.0");
        says(&other.path().join("clang++-50"), "a shell script");
        let all = [Some(31), Some(30), Some(16), Some(14), None];
        assert_eq!(majors(&[one.path(), other.path()]), all);
        assert_eq!(majors(&[other.path(), one.path()]), all);
        assert_eq!(majors(&[]), []);
    }

    #[test]
    fn two_names_of_one_clang_are_one_but_not_those_of_a_program_that_goes_by_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        says(&at("clang++-19"), "clang version 19.1.7");
        symlink(at("clang++-19"), at("clang++")).unwrap();
        assert_eq!(majors(&[folder.path()]), [Some(19)]);
        fs::write(at("cache"), "#!/bin/sh\necho clang version ${0##*-}.0.0\n").unwrap();
        fs::set_permissions(at("cache"), fs::Permissions::from_mode(0o755)).unwrap();
        for name in ["clang++-41", "clang++-42"] {
            symlink(at("cache"), at(name)).unwrap();
        }
        assert_eq!(majors(&[folder.path()]), [Some(42), Some(41), Some(19)]);
    }

    #[test]
    fn what_lies_in_a_relative_folder_is_not_run() {
        assert_eq!(in_folders(&OsString::from(":.:bin")), []);
    }
}
