//! The results of compiler trials, kept in the user's cache folder so that each compiler is tried
//! once.
//!
//! A file belongs to one compiler and one trial. Its name is a hash of the compiler's binary, of
//! its messages about itself, and of the files that it loads. The hash also covers these headers,
//! the kernels and their expected results. The file is written beside its place and renamed
//! (`warpsim_files`). It begins with the hash of the rest; a file that does not read back as
//! written is ignored. Trials without a certain result are not kept.
//!
//! Folders (XDG Base Directory Specification): `$XDG_CACHE_HOME/warpsim`, else `~/.cache/warpsim`.
//! If that cannot be written, it is one in the folder of temporary files, which must be the user's
//! own and closed to others. If there is none, nothing is kept, and compilers are tried each time.

use std::env;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};

use super::{KERNELS, Mistake};
use crate::clang::headers;

/// What else the verdict depends on: the launches, the right results, how the kernels are compiled,
/// and the version of the simulator.
const TRIAL: [&str; 5] = [
    include_str!("cases.rs"),
    include_str!("expected.rs"),
    include_str!("mod.rs"),
    include_str!("../mod.rs"),
    env!("CARGO_PKG_VERSION"),
];

/// The folder of verdicts in a cache folder.
const FOLDER: &str = "compilers";

/// Longer than any verdict that is written.
const LONGEST: u64 = 1 << 20;

/// A compiler and a trial, by their hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity(String);

impl Identity {
    /// That of a compiler and this trial; `None` if its file cannot be read.
    pub(crate) fn of(compiler: &Path) -> Option<Identity> {
        let mut hash = Sha256::new();
        // A part that ends where another begins would be the same as both in one.
        let mut add = |part: &[u8]| {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        };
        add(&content(compiler)?);
        add(compiler.to_string_lossy().as_bytes());
        add(&said(compiler, "--version", &[])?);
        for library in libraries(compiler) {
            add(library.as_bytes());
        }
        TRIAL.iter().chain([&KERNELS]).for_each(|part| add(part.as_bytes()));
        headers::all().for_each(|(_, text)| add(text.as_bytes()));
        Some(Identity(hex(&hash.finalize())))
    }
}

/// The hash of a file.
fn content(file: &Path) -> Option<Vec<u8>> {
    let mut hash = Sha256::new();
    let mut file = BufReader::with_capacity(1 << 20, File::open(in_path(file)?).ok()?);
    loop {
        let part = file.fill_buf().ok()?;
        if part.is_empty() {
            return Some(hash.finalize().to_vec());
        }
        hash.update(part);
        let length = part.len();
        file.consume(length);
    }
}

/// The file of a program that is named as for a shell.
fn in_path(program: &Path) -> Option<PathBuf> {
    if program.components().count() > 1 {
        return Some(program.to_owned());
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// What a compiler writes to standard output.
fn said(compiler: &Path, option: &str, environment: &[(&str, &str)]) -> Option<Vec<u8>> {
    let mut command = Command::new(compiler);
    command.arg(option).envs(environment.iter().copied()).stdin(Stdio::null());
    Some(command.output().ok()?.stdout)
}

/// The libraries of LLVM that a compiler loads, which are most of it in many distributions: path,
/// size and time. Their loader lists them in place of running the program; one without that loader
/// says its version.
fn libraries(compiler: &Path) -> Vec<String> {
    let listed = said(compiler, "--version", &[("LD_TRACE_LOADED_OBJECTS", "1")]);
    let listed = String::from_utf8_lossy(&listed.unwrap_or_default()).into_owned();
    let paths = listed.lines().filter_map(|line| {
        let (_, path) = line.split_once(" => ")?;
        Some(path.rsplit_once(" (")?.0.to_owned())
    });
    let is_of_llvm = |path: &String| path.contains("LLVM") || path.contains("clang");
    paths
        .filter(is_of_llvm)
        .map(|path| match fs::metadata(&path) {
            Ok(file) => format!("{path} {} {:?}", file.len(), file.modified().ok()),
            Err(_) => path,
        })
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // A string takes whatever is written.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The verdict that is kept of a compiler; `None` if there is none, or it is not as it was written.
pub(super) fn read(identity: &Identity) -> Option<Vec<Mistake>> {
    folders().find_map(|folder| read_in(&folder, identity))
}

/// Keeps a verdict, where it can be kept: one that is not is found again by the next trial.
pub(super) fn write(identity: &Identity, mistakes: &[Mistake]) {
    for folder in folders() {
        if write_in(&folder, identity, mistakes).is_ok() {
            return;
        }
    }
}

fn read_in(folder: &Path, identity: &Identity) -> Option<Vec<Mistake>> {
    let text = warpsim_files::read(&folder.join(&identity.0), LONGEST).ok()?;
    let text = String::from_utf8(text).ok()?;
    let (hash, rest) = text.split_once('\n')?;
    let (name, mistakes) = rest.split_once('\n')?;
    let is_whole = hash == hex(&Sha256::digest(rest)) && name == identity.0;
    is_whole.then(|| serde_json::from_str(mistakes).ok()).flatten()
}

fn write_in(folder: &Path, identity: &Identity, mistakes: &[Mistake]) -> io::Result<()> {
    let mistakes = serde_json::to_string(mistakes).map_err(io::Error::other)?;
    let rest = format!("{}\n{mistakes}", identity.0);
    fs::create_dir_all(folder)?;
    let hash = hex(&Sha256::digest(&rest));
    warpsim_files::write(&folder.join(&identity.0), |file| write!(file, "{hash}\n{rest}"))
}

/// Where verdicts are kept, the first choice first.
fn folders() -> impl Iterator<Item = PathBuf> {
    let users = crate::cache::user_cache().map(|cache| cache.join("warpsim").join(FOLDER));
    users.into_iter().chain(own_temporary())
}

/// A folder among temporary files that nobody else can write to.
#[cfg(unix)]
fn own_temporary() -> Option<PathBuf> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};
    // Whose files are that this process makes.
    let user = tempfile::tempfile().ok()?.metadata().ok()?.uid();
    let folder = env::temp_dir().join(format!("warpsim-{user}"));
    // It may be there; what counts is whose it is.
    let _ = fs::DirBuilder::new().mode(0o700).create(&folder);
    let is = fs::symlink_metadata(&folder).ok()?;
    let is_own = is.is_dir() && is.uid() == user && is.mode() & 0o077 == 0;
    is_own.then(|| folder.join(FOLDER))
}

#[cfg(not(unix))]
fn own_temporary() -> Option<PathBuf> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity(text: &str) -> Identity {
        Identity(hex(&Sha256::digest(text)))
    }

    fn mistake() -> Mistake {
        let text = str::to_owned;
        let (wrong, kernel) = (text("it adds wrong"), text("sums"));
        Mistake { wrong, kernel, level: text("-O2"), evidence: text("out[0] is 3, 2 is right") }
    }

    #[test]
    fn a_verdict_is_read_as_it_was_written_and_of_that_compiler_alone() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("not/yet");
        assert_eq!(read_in(&at, &identity("a")), None);
        write_in(&at, &identity("a"), &[]).unwrap();
        write_in(&at, &identity("b"), &[mistake()]).unwrap();
        assert_eq!(read_in(&at, &identity("a")), Some(Vec::new()));
        assert_eq!(read_in(&at, &identity("b")), Some(vec![mistake()]));
        // Under the name of another one it counts for nothing.
        fs::copy(at.join(&identity("a").0), at.join(&identity("c").0)).unwrap();
        assert_eq!(read_in(&at, &identity("c")), None);
    }

    #[test]
    fn a_verdict_that_is_cut_short_or_changed_anywhere_counts_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let (a, at) = (identity("a"), folder.path());
        write_in(at, &a, &[mistake()]).unwrap();
        let whole = fs::read(at.join(&a.0)).unwrap();
        for length in 0..whole.len() {
            fs::write(at.join(&a.0), &whole[..length]).unwrap();
            assert_eq!(read_in(at, &a), None, "{length} bytes");
            let mut changed = whole.clone();
            changed[length] ^= 1;
            fs::write(at.join(&a.0), &changed).unwrap();
            assert_eq!(read_in(at, &a), None, "byte {length}");
        }
        // A trial writes it anew.
        write_in(at, &a, &[]).unwrap();
        assert_eq!(read_in(at, &a), Some(Vec::new()));
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_an_error_and_nothing_is_left_in_one_that_can() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(write_in(&file.join("below"), &identity("a"), &[]).is_err());
        let at = folder.path().join("at");
        write_in(&at, &identity("a"), &[]).unwrap();
        assert_eq!(fs::read_dir(&at).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_compiler_is_another_one_when_its_file_is() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("clang++");
        let of = |line: &str| {
            fs::write(&path, format!("#!/bin/sh\n{line}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            Identity::of(&path)
        };
        let one = of("echo clang version 19.1.7");
        assert!(one.is_some());
        assert_eq!(of("echo clang version 19.1.7"), one);
        assert_ne!(of("echo clang version 19.1.8"), one);
        assert_ne!(of("echo clang version 19.1.7 # built anew"), one);
        assert_eq!(Identity::of(&folder.path().join("none")), None);
    }
}
