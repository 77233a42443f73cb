//! The folder of a run. It has links to this command under the names of the libraries that programs
//! load. It also has the files in which the program's processes write their findings and their
//! progress.
//!
//! A run that was killed leaves its folder behind; the next run removes it. A lock of a file in the
//! folder tells whether a run is over: the system releases it, however the process ends.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, MetadataExt, symlink};
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;
use warpsim::internal;
use warpsim_driver_core::{LEDGER_OVER, LEDGER_WORDS, Ledger};
use warpsim_files::{TempDir, private_folder};

use super::child::refused;
use super::python;
use crate::failure::Failure;
use crate::nvcc;

/// The driver's library, as programs load it.
pub(super) const DRIVER: &str = "libcuda.so.1";

/// The library of GPU Ocelot, whose `ptx_run` emulators of devices call.
const OCELOT: &str = "libgpuocelot.so";

/// The folder in the program's own, of programs that it starts: the assembler.
pub(super) const PROGRAMS: &str = "bin";
pub(super) const ASSEMBLER: &str = "ptxas";

/// What the names of these folders begin with.
const PREFIX: &str = "warpsim-exec-";

/// The file that is locked while the run goes on.
const LOCK: &str = "lock";

const JOURNAL: &str = "journal";
const LEDGER: &str = "ledger";
const CALLS: &str = "calls";
const PAGE: &str = "page";

/// A folder in which this command is the driver's library.
pub(super) struct Folder {
    folder: TempDir,
    /// It is locked as long as it is open.
    _lock: File,
}

impl Folder {
    /// Makes it, with all that the program needs there: a full disk has to show now, and not when a
    /// process has something to say.
    pub(super) fn new() -> Result<Folder, Failure> {
        let place = env::temp_dir();
        take_away_left_ones(&place);
        let folder = private_folder(PREFIX);
        let folder = folder.map_err(|error| refused("a temporary folder", &error))?;
        refuse_separators(folder.path())?;
        let lock = lock(folder.path())?;
        link(folder.path())?;
        let folder = Folder { folder, _lock: lock };
        write(&folder.journal(), &[])?;
        write(&folder.ledger(), &vec![0; LEDGER_WORDS * 8])?;
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The file to which processes append what they found.
    pub(super) fn journal(&self) -> PathBuf {
        self.path().join(JOURNAL)
    }

    /// The file that processes share as memory, in which they say how far they came.
    pub(super) fn ledger(&self) -> PathBuf {
        self.path().join(LEDGER)
    }

    /// The file for the log of calls, where the user has named none.
    pub(super) fn calls(&self) -> PathBuf {
        self.path().join(CALLS)
    }

    /// What the names of the files for traced launches begin with.
    pub(super) fn page(&self) -> PathBuf {
        self.path().join(PAGE)
    }

    /// The files of traced launches, by the number of the launch in its process and the process.
    pub(super) fn traced(&self) -> Result<BTreeMap<(u64, u32), PathBuf>, Failure> {
        let entries = fs::read_dir(self.path());
        let entries = entries.map_err(|error| refused("the folder of the program", &error))?;
        let traced = |path: PathBuf| {
            let name = path.file_name()?.to_str()?;
            let of = name.strip_prefix(PAGE)?.strip_prefix('.')?.strip_suffix(".json")?;
            let (process, number) = of.split_once('.')?;
            Some(((number.parse().ok()?, process.parse().ok()?), path))
        };
        Ok(entries.flatten().filter_map(|entry| traced(entry.path())).collect())
    }

    /// The file that is locked while the command is there.
    pub(super) fn lock(&self) -> PathBuf {
        self.path().join(LOCK)
    }

    /// The reports of the processes, when the program has ended. Processes that still run may go
    /// on.
    pub(super) fn read(&self) -> Result<(String, Ledger), Failure> {
        let (at, bytes) = LEDGER_OVER;
        let ledger = OpenOptions::new().write(true).open(self.ledger());
        let over = ledger.and_then(|ledger| ledger.write_all_at(&bytes, at));
        over.map_err(|error| refused("the ledger of the program", &error))?;
        let journal = fs::read(self.journal());
        let journal = journal.map_err(|error| refused("the journal of the program", &error))?;
        let ledger = fs::read(self.ledger());
        let ledger = ledger.map_err(|error| refused("the ledger of the program", &error))?;
        let ledger = Ledger::read(&ledger)
            .map_err(|what| internal!("the ledger of the program cannot be read: {what}"))?;
        Ok((String::from_utf8_lossy(&journal).into_owned(), ledger))
    }
}

/// The variables that name the folder hold lists, and the separators of a list cannot be escaped
/// (`ld.so(8)`, `environ(7)`).
fn refuse_separators(folder: &Path) -> Result<(), Failure> {
    match folder.as_os_str().as_bytes().iter().any(|byte| matches!(byte, b':' | b';')) {
        false => Ok(()),
        true => Err(Failure::usage_with_help(
            format!("programs cannot find libraries in {}: it has a `:` or `;`", folder.display()),
            "set TMPDIR to a folder without `:` and `;` in its path",
        )),
    }
}

/// The lock of a folder. It has its name when it is locked, so that it is never found open.
fn lock(folder: &Path) -> Result<File, Failure> {
    let locked = || {
        let new = folder.join("new");
        let file = File::create(&new)?;
        file.lock()?;
        fs::rename(&new, folder.join(LOCK))?;
        Ok(file)
    };
    locked().map_err(|error| refused("the lock of a temporary folder", &error))
}

fn link(folder: &Path) -> Result<(), Failure> {
    // What keeps the functions in this executable.
    let library = env::current_exe().map_err(|error| refused("the command's own file", &error))?;
    if warpsim_driver::functions().is_empty() {
        return Err(internal!("the driver has no functions").into());
    }
    let programs = folder.join(PROGRAMS);
    let made = fs::create_dir(&programs);
    made.map_err(|error| refused("a folder in a temporary folder", &error))?;
    let names = nvcc::library_names().chain([OCELOT]);
    let links = names.map(|name| folder.join(name));
    let of_python = folder.join(python::PYTHON);
    let made = fs::create_dir(&of_python);
    made.map_err(|error| refused("a folder in a temporary folder", &error))?;
    for (name, text) in python::FILES {
        write(&of_python.join(name), text.as_bytes())?;
    }
    for link in links.chain([programs.join(ASSEMBLER)]) {
        let linked = symlink(&library, link);
        linked.map_err(|error| refused("a link in a temporary folder", &error))?;
    }
    Ok(())
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| {
        Failure::usage_with_help(
            format!("cannot write {}: {error}", path.display()),
            "TMPDIR names the folder for temporary files; it needs 1 MiB of free space",
        )
    })
}

/// Takes away the folders of this user's runs that were killed. A folder that cannot be removed
/// stays, and does no harm.
fn take_away_left_ones(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    let is_named = |name: &OsStr| name.as_bytes().starts_with(PREFIX.as_bytes());
    for entry in entries.flatten().filter(|entry| is_named(&entry.file_name())) {
        // The entry itself, and not what a link leads to.
        let is_own = |entry: &fs::Metadata| entry.is_dir() && entry.uid() == geteuid().as_raw();
        if entry.metadata().is_ok_and(|entry| is_own(&entry)) && is_left(&entry.path()) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Whether no process holds the lock of a folder. One without a lock is being made.
fn is_left(folder: &Path) -> bool {
    let Ok(lock) = File::open(folder.join(LOCK)) else { return false };
    match lock.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_of_a_run_that_is_over_is_taken_away_and_no_other_one() {
        let place = tempfile::tempdir().unwrap();
        let folder = |name: &str| {
            let path = place.path().join(format!("{PREFIX}{name}"));
            fs::create_dir(&path).unwrap();
            path
        };
        let (left, held, young) = (folder("left"), folder("held"), folder("young"));
        fs::create_dir(left.join(PROGRAMS)).unwrap();
        drop(lock(&left).unwrap());
        let _held = lock(&held).unwrap();
        let other = place.path().join("other");
        fs::create_dir(&other).unwrap();
        drop(lock(&other).unwrap());
        let link = place.path().join(format!("{PREFIX}link"));
        symlink(&other, &link).unwrap();
        take_away_left_ones(place.path());
        assert!(!left.exists() && held.exists() && young.exists());
        assert!(other.exists() && link.is_symlink());
    }

    #[test]
    fn a_folder_that_no_list_can_name_is_refused() {
        assert!(refuse_separators(Path::new("/tmp/a b/warpsim")).is_ok());
        assert!(refuse_separators(Path::new("/tmp/a:b/warpsim")).is_err());
        assert!(refuse_separators(Path::new("/tmp/a;b/warpsim")).is_err());
    }
}
