//! The reports of a program: one JSON object a line, appended to a file that all processes of the
//! program share.
//!
//! One call writes a line, so lines of several processes do not mix. A line is written as soon as
//! its launch is known to have ended, so it is there whatever becomes of the process.

use serde::{Deserialize, Serialize};
use warpsim::observe::Totals;
use warpsim::report::{Finding, Outcome};

use crate::told::spans::SpanEntry;

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    /// A launch that found something, or did not complete.
    Launch(LaunchEntry),
    /// Copies, which belong to no launch, found something.
    Copies {
        /// Which process.
        process: u32,
        /// The numbers of the later and the earlier operation on the device.
        #[serde(default)]
        operations: Option<(u64, u64)>,
        /// What was found.
        findings: Vec<Finding>,
    },
    /// Calls that failed alike, unnoticed by the program.
    Failed(FailedEntry),
    /// How a kernel used the machine so far. It replaces all earlier entries of this kernel.
    Counts(Box<CountsEntry>),
    /// An operation of a stream, where a timeline is wanted.
    Span(SpanEntry),
    /// The program asked for something that warpsim does not support.
    Unsupported {
        /// Which process.
        process: u32,
        /// A function's name, or a message.
        what: String,
        /// What does not happen for it.
        kind: Unsupported,
    },
    /// A bug in warpsim.
    Bug {
        /// Which process.
        process: u32,
        /// The error.
        what: String,
    },
}

/// What does not happen because it is unsupported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unsupported {
    /// A call, whose answer says so.
    Call,
    /// Launches of a kernel that cannot run here, or of a kind that does not exist here.
    Launches,
}

/// Why a line of the journal cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    /// It is not whole: its writer was stopped, or the disk was full.
    Torn,
    /// It is whole, but no line of ours; the text says why.
    Unknown(String),
}

/// Memory that was not given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaked {
    /// How many pieces.
    pub pieces: u64,
    /// How many bytes in all.
    pub bytes: u64,
}

/// Calls that failed alike.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FailedEntry {
    /// Which process.
    pub process: u32,
    /// The function.
    pub function: String,
    /// The arguments of the first, in words.
    pub arguments: String,
    /// The name of the error.
    pub error: String,
    /// Its meaning.
    pub words: String,
    /// Why the first failed, where that is known.
    pub reasons: Vec<String>,
    /// Where the program called: `main at sum.cu:31`.
    pub site: Option<String>,
    /// How many there were.
    pub count: u64,
}

/// How a kernel used the machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CountsEntry {
    /// Which process.
    pub process: u32,
    /// The kernel.
    pub kernel: String,
    /// The name of its module: a file, or `module 3`.
    pub module: String,
    /// How many launches were counted. The first entry of a process has 1.
    pub launches: u64,
    /// The counts of all of them.
    pub totals: Totals,
}

/// What a launch found.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LaunchEntry {
    /// Which process.
    pub process: u32,
    /// Its number among the launches of the process, from 1.
    pub launch: u64,
    /// The kernel.
    pub kernel: String,
    /// The name of its module: a file, or `module 3`.
    pub module: String,
    /// Where the program launched it: `main at sum.cu:31`.
    pub site: Option<String>,
    /// Of a race with another operation: the numbers of the later and the earlier one on the
    /// device.
    #[serde(default)]
    pub operations: Option<(u64, u64)>,
    /// How it ended.
    pub outcome: Outcome,
    /// What was found.
    pub findings: Vec<Finding>,
}

impl Entry {
    /// The line, with its end.
    pub fn line(&self) -> String {
        match serde_json::to_string(self) {
            Ok(line) => line + "\n",
            // A finding that cannot be written is reported as a bug.
            Err(error) => format!("{{\"bug\":{{\"process\":0,\"what\":\"{error}\"}}}}\n"),
        }
    }

    /// Reads a line.
    ///
    /// # Errors
    /// The line is torn, or not one of ours.
    ///
    /// ```
    /// use warpsim_driver_core::{Entry, Unreadable};
    ///
    /// let whole = Entry::Bug { process: 1, what: "a planted one".to_owned() };
    /// assert_eq!(Entry::read(&whole.line()), Ok(whole.clone()));
    /// assert_eq!(Entry::read(&whole.line()[..20]), Err(Unreadable::Torn));
    /// assert!(matches!(Entry::read("{\"bugs\":{}}"), Err(Unreadable::Unknown(_))));
    /// ```
    pub fn read(line: &str) -> Result<Entry, Unreadable> {
        use serde_json::error::Category;
        serde_json::from_str(line).map_err(|error| match error.classify() {
            Category::Eof | Category::Syntax => Unreadable::Torn,
            Category::Data | Category::Io => Unreadable::Unknown(error.to_string()),
        })
    }
}
