//! The files that this process writes: the journal with its findings, the ledger with its progress,
//! and the log of calls.
//!
//! One call writes a line, so lines of several processes stay whole. A failed write is reported
//! once, and counted in the ledger. The command has reserved the ledger's bytes, so it can be
//! written on a full disk, too.
//!
//! A process reports to the command, and ends if the command was killed: a thread waits for a lock
//! that the command holds.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use warpsim_driver_core::{LEDGER_WORDS, Note, Options, Row, is_over};

use crate::process::{shared_words, tell};
use crate::system::kill_process;

/// A file that gets lines appended.
pub(crate) struct Lines {
    file: Mutex<File>,
    what: String,
    /// The last line was written in part.
    is_torn: AtomicBool,
    was_told: AtomicBool,
}

impl Lines {
    fn open(path: &Path) -> Result<Lines, String> {
        let what = path.display().to_string();
        match OpenOptions::new().append(true).create(true).open(path) {
            Ok(file) => Ok(Lines {
                file: Mutex::new(file),
                what,
                is_torn: AtomicBool::new(false),
                was_told: AtomicBool::new(false),
            }),
            Err(error) => Err(format!("cannot write {what}: {error}")),
        }
    }

    /// Writes a line, which has its end. Whether it could be written.
    pub(crate) fn write(&self, line: &str) -> bool {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        // Text that follows half a line begins on a new line.
        let written = match self.is_torn.load(Ordering::Relaxed) {
            true => file.write_all(format!("\n{line}").as_bytes()),
            false => file.write_all(line.as_bytes()),
        };
        self.is_torn.store(written.is_err(), Ordering::Relaxed);
        if let Err(error) = &written
            && !self.was_told.swap(true, Ordering::Relaxed)
        {
            tell(&format!("warpsim: cannot write {}: {error}", self.what));
        }
        written.is_ok()
    }
}

/// Where a process under `warpsim exec` says what it found and how far it is.
pub(crate) struct Records {
    journal: Lines,
    /// `None` where the ledger has no row left, which it says itself.
    row: Option<Row>,
}

impl Records {
    /// Opens the files that are asked for; `None` where none are.
    ///
    /// # Errors
    /// One cannot be opened, in words: a process must not run if its findings would be lost.
    pub(crate) fn open(options: &Options) -> Result<Option<Records>, String> {
        let (Some(journal), Some(ledger)) = (&options.journal, &options.ledger) else {
            return Ok(None);
        };
        let journal = Lines::open(journal)?;
        let words = mapped(ledger).map_err(|error| {
            format!("cannot share {} with the command: {error}", ledger.display())
        })?;
        if let Some(lock) = &options.lock {
            watch(lock, words)
                .map_err(|error| format!("cannot watch {}: {error}", lock.display()))?;
        }
        Ok(Some(Records { journal, row: Row::take(words, std::process::id()) }))
    }

    /// Writes a line of the journal.
    pub(crate) fn record(&self, line: &str) {
        if !self.journal.write(line)
            && let Some(row) = &self.row
        {
            row.lose_line();
        }
    }

    /// Takes note of how far the process is.
    pub(crate) fn note(&self, note: Note<'_>) {
        if let Some(row) = &self.row {
            row.note(std::process::id(), note);
        }
    }
}

/// Ends the process when the command is killed.
fn watch(lock: &Path, ledger: &'static [AtomicU64]) -> io::Result<()> {
    let lock = File::open(lock)?;
    let watch = move || {
        // The command gives it back when it is no more. If the system cannot lock, there is no such
        // watch.
        if lock.lock_shared().is_ok() && !is_over(ledger) {
            kill_process();
        }
    };
    std::thread::Builder::new().name("warpsim watch".to_owned()).spawn(watch).map(|_| ())
}

fn mapped(ledger: &Path) -> io::Result<&'static [AtomicU64]> {
    let file = OpenOptions::new().read(true).write(true).open(ledger)?;
    let bytes = file.metadata()?.len();
    if bytes != LEDGER_WORDS as u64 * 8 {
        return Err(io::Error::other(format!("it has {bytes} bytes")));
    }
    shared_words(&file, LEDGER_WORDS)
}

/// Where calls are logged.
static LOG: OnceLock<Option<Lines>> = OnceLock::new();

/// Opens the log of calls, if one is asked for.
///
/// # Errors
/// It cannot be opened, in words.
pub(crate) fn open_log(options: &Options) -> Result<(), String> {
    let log = options.log.as_deref().map(Lines::open).transpose()?;
    LOG.get_or_init(|| log);
    Ok(())
}

/// The log of calls.
pub(crate) fn log() -> Option<&'static Lines> {
    LOG.get()?.as_ref()
}
