//! What comes back from a program: one JSON object a line, appended to a file that all processes of the program share.
//!
//! A line is written by one call, so that lines of several processes do not mix, and as soon as its launch is known to
//! have ended, so that it is there whatever becomes of the process.

use serde::{Deserialize, Serialize};
use warpsim::report::{Finding, Outcome};

/// A line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Entry {
    /// A launch that found something, or did not come to its end.
    Launch(LaunchEntry),
    /// Copies, of which no launch is one, found something.
    Copies {
        /// Which process.
        process: u32,
        /// What was found.
        findings: Vec<Finding>,
    },
    /// Something that warpsim does not support was asked for.
    Unsupported {
        /// Which process.
        process: u32,
        /// A function's name, or a message.
        what: String,
    },
    /// warpsim is wrong.
    Bug {
        /// Which process.
        process: u32,
        /// What is wrong.
        what: String,
    },
    /// A process that used the device has come to its end.
    Ended {
        /// Which process.
        process: u32,
        /// How many launches it made.
        launches: u64,
        /// How many of them were left unchecked where others were checked.
        unchecked: u64,
        /// What of the device's memory it never gave back.
        leaked: Leaked,
    },
}

/// Memory that was not given back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Leaked {
    /// How many pieces.
    pub pieces: u64,
    /// How many bytes in all.
    pub bytes: u64,
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
    /// What its module is called: a file, or `module 3`.
    pub module: String,
    /// Where the program launched it: `main at sum.cu:31`.
    pub site: Option<String>,
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
            // A finding that cannot be said is told as what it is.
            Err(error) => format!("{{\"bug\":{{\"process\":0,\"what\":\"{error}\"}}}}\n"),
        }
    }

    /// What a line says.
    ///
    /// # Errors
    /// It is none.
    pub fn read(line: &str) -> Result<Entry, String> {
        serde_json::from_str(line).map_err(|error| error.to_string())
    }
}
