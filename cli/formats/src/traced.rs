//! A launch that was traced: its steps as rows of JSON, up to so many bytes, and what else the page
//! of a launch shows.
//!
//! The command traces a launch in its own process. Under `warpsim exec` the program's process does,
//! and hands a [`TracedLaunch`] to the command as a file. A long run is cut: the rest of its steps
//! is counted.

use std::collections::BTreeSet;
use std::io;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use warpsim::element::ElementType;
use warpsim::host::{ArgumentPlace, Launch};
use warpsim::observe::{Step, Totals};
use warpsim::ptx::Source;
use warpsim::report::{Finding, Outcome};

use crate::compact::compact;
use crate::json;
use crate::shared::Variable;
use crate::steps::row;

/// Bytes of steps, as JSON, that a page holds: it stays quick to load and below 5 MB.
const MOST_BYTES: usize = 4 << 20;

/// Cells of a buffer that a page shows.
pub const SHOWN_CELLS: u64 = 1024;

/// Steps, up to so many bytes.
#[derive(Debug, Default)]
pub struct Steps {
    kept: Vec<Step>,
    rows: Vec<Value>,
    bytes: usize,
    left_out: u64,
    failed: Option<io::Error>,
}

/// The steps of a run that are kept.
#[derive(Debug, Default)]
pub struct KeptSteps {
    /// The steps.
    pub steps: Vec<Step>,
    /// The same as `trace --format json` writes them, with equal lanes written once.
    pub rows: Vec<Value>,
    /// How many steps follow those.
    pub left_out: u64,
}

impl Steps {
    /// Takes the next step of the run.
    pub fn add(&mut self, step: Step) {
        if self.bytes > MOST_BYTES {
            self.left_out += 1;
            return;
        }
        let text = json::to_string(&row(&step)).and_then(|text| {
            let mut value: Value = serde_json::from_str(&text)?;
            compact(&mut value, step.active);
            self.bytes += json::to_string(&value)?.len();
            Ok(value)
        });
        match text {
            Ok(row) => {
                self.kept.push(step);
                self.rows.push(row);
            }
            Err(error) => self.failed = Some(error),
        }
    }

    /// The steps that are kept.
    ///
    /// # Errors
    /// A step could not be written as JSON.
    pub fn finish(self) -> io::Result<KeptSteps> {
        match self.failed {
            Some(error) => Err(error),
            None => {
                let Steps { kept, rows, left_out, .. } = self;
                Ok(KeptSteps { steps: kept, rows, left_out })
            }
        }
    }
}

impl KeptSteps {
    /// The source files that steps name.
    pub fn sources(&self) -> BTreeSet<String> {
        self.steps.iter().filter_map(|step| Some(step.source.as_ref()?.file.to_string())).collect()
    }
}

/// A file, by its name and its text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextFile {
    /// Its name.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl TextFile {
    /// The own file of a module.
    pub fn of_module(source: &Source) -> TextFile {
        let text = source.files().next().map_or("", |(_, text)| text);
        TextFile { name: source.name().to_owned(), text: text.to_owned() }
    }
}

/// A buffer as a traced launch left it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TracedBuffer {
    /// The argument that points to it.
    pub place: ArgumentPlace,
    /// The type of its cells.
    pub element: ElementType,
    /// How many cells it has.
    pub length: u64,
    /// The bytes of the first ones.
    pub first: Vec<u8>,
}

/// A launch of a program, traced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracedLaunch {
    /// The process.
    pub process: u32,
    /// The number of the launch in its process, from 1.
    pub number: u64,
    /// The kernel, by its name in the PTX.
    pub kernel: String,
    /// The name of its module: a file, or `module 3`.
    pub module: String,
    /// The shape.
    pub launch: Launch,
    /// The schedule that it ran under.
    pub schedule: String,
    /// The PTX.
    pub ptx: TextFile,
    /// The source files that steps name.
    pub sources: BTreeSet<String>,
    /// The variables of shared memory.
    pub shared: Vec<Variable>,
    /// The first steps.
    pub steps: Vec<Value>,
    /// How many steps follow those.
    pub left_out: u64,
    /// How it ended.
    pub outcome: Outcome,
    /// What was found in this run.
    pub findings: Vec<Finding>,
    /// How it used the machine.
    pub totals: Totals,
    /// The buffers that its arguments point to.
    pub buffers: Vec<TracedBuffer>,
}
