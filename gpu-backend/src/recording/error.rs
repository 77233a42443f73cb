//! Why a recording cannot be read or written.

use std::fmt;
use std::path::PathBuf;

/// Why a recording cannot be read, written or used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordingError {
    /// The file cannot be read or written.
    File {
        /// Which.
        path: PathBuf,
        /// The system's words.
        reason: String,
    },
    /// The file is no recording: no JSON, a field that is missing or unknown, a value of a wrong
    /// kind.
    Malformed {
        /// Line and column in the text are in it.
        reason: String,
    },
    /// The file is of another version than this program reads.
    Schema {
        /// The file's.
        found: u64,
    },
    /// It cannot be written as JSON, which would be a bug of warpsim.
    Unsayable {
        /// The words of the library that writes it.
        reason: String,
    },
    /// The module is not the one that was recorded.
    Stale {
        /// The hash in the recording.
        expected: String,
        /// The module's.
        found: String,
    },
}

impl fmt::Display for RecordingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RecordingError::File { path, reason } => {
                write!(f, "the recording {}: {reason}", path.display())
            }
            RecordingError::Malformed { reason } => write!(f, "not a recording: {reason}"),
            RecordingError::Unsayable { reason } => {
                write!(f, "this is a bug in warpsim: a recording that JSON cannot say: {reason}")
            }
            RecordingError::Schema { found } => write!(
                f,
                "the recording has schema {found}, and this program reads schema {}",
                super::SCHEMA
            ),
            RecordingError::Stale { expected, found } => write!(
                f,
                "the recording was made from another text: its ptx_sha256 is {expected}, the \
                 module's is {found}; record it again on a GPU"
            ),
        }
    }
}

impl std::error::Error for RecordingError {}
