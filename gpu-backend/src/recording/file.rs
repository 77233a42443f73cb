//! The file: its head, and runs that are added, replaced, written and read.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::error::RecordingError;
use super::run::{Compiled, Run};
use super::wire::WireRun;
use crate::probe::GpuFacts;

/// The version of the format that this program reads and writes.
pub const SCHEMA: u64 = 1;

/// What the hardware did with a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// Where the module lies, from the root of the repository, with `/`.
    pub module: String,
    /// SHA-256 of the module's text.
    pub ptx_sha256: String,
    /// On what all runs ran that do not say otherwise.
    pub made: Made,
    /// The runs, in the order in which they were added.
    pub runs: Vec<Run>,
}

/// On what a recording was made, and when.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Made {
    /// The GPU's name: `NVIDIA H200`.
    pub device: String,
    /// The driver's version: `580.159.04`; `unknown` where the system does not tell.
    pub driver: String,
    /// The version of CUDA that the driver supports: `13.0`.
    pub cuda: String,
    /// The day, in UTC: `2026-03-01`.
    pub date: String,
}

/// The file's fields.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WireFile {
    #[serde(rename = "schema")]
    _schema: u64,
    module: String,
    ptx_sha256: String,
    made: Made,
    runs: Vec<WireRun>,
}

/// The only field that every version has.
#[derive(Deserialize)]
struct AnyVersion {
    schema: u64,
}

/// SHA-256 in hexadecimal.
pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Made {
    /// On this GPU, today.
    pub fn now(facts: &GpuFacts) -> Made {
        Made {
            device: facts.name.clone(),
            driver: facts.driver.clone().unwrap_or_else(|| "unknown".to_owned()),
            cuda: format!("{}.{}", facts.cuda.0, facts.cuda.1),
            date: super::today(),
        }
    }
}

impl Recording {
    /// A recording without runs.
    pub fn new(module: &str, ptx: &[u8], made: Made) -> Recording {
        let module = module.to_owned();
        Recording { module, ptx_sha256: sha256(ptx), made, runs: Vec::new() }
    }

    /// Adds a run, in place of what was recorded of the same work at the same levels. Two runs of
    /// the same work that gave the same are kept as one, with the levels of both.
    pub fn add(&mut self, run: Run) {
        let same_work = |other: &Run| other.work == run.work;
        let mut place = None;
        if let Compiled::At(levels) = &run.compiled {
            for other in self.runs.iter_mut().filter(|other| same_work(other)) {
                if let Compiled::At(known) = &mut other.compiled {
                    known.retain(|level| !levels.contains(level));
                }
            }
        }
        let mut index = 0;
        self.runs.retain(|other| {
            let is_replaced = match &other.compiled {
                Compiled::At(levels) => levels.is_empty(),
                Compiled::InTurn(_) => same_work(other) && other.compiled == run.compiled,
            };
            if is_replaced {
                place.get_or_insert(index);
            } else {
                index += 1;
            }
            !is_replaced
        });
        if let Compiled::At(levels) = &run.compiled {
            let alike = |other: &&mut Run| {
                Run { compiled: run.compiled.clone(), ..(**other).clone() } == run
            };
            let merged = self.runs.iter_mut().filter(|r| matches!(r.compiled, Compiled::At(_)));
            if let Some(Run { compiled: Compiled::At(known), .. }) = { merged }.find(alike) {
                known.extend(levels);
                return;
            }
        }
        self.runs.insert(place.unwrap_or(self.runs.len()), run);
    }

    /// That a module's text is the one that was recorded.
    ///
    /// # Errors
    /// [`RecordingError::Stale`] with both hashes.
    pub fn is_of(&self, ptx: &[u8]) -> Result<(), RecordingError> {
        let found = sha256(ptx);
        if found == self.ptx_sha256 {
            return Ok(());
        }
        Err(RecordingError::Stale { expected: self.ptx_sha256.clone(), found })
    }

    /// On what a run ran.
    pub fn made_of<'a>(&'a self, run: &'a Run) -> &'a Made {
        run.made.as_ref().unwrap_or(&self.made)
    }

    /// The file's text: a line for each run and each buffer.
    pub fn to_text(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let made = serde_json::to_string(&self.made).unwrap_or_default();
        let runs: Vec<String> = self.runs.iter().map(run_text).collect();
        format!(
            "{{\n\"schema\": {SCHEMA},\n\"module\": {},\n\"ptx_sha256\": {},\n\"made\": {made},\n\
             \"runs\": [\n{}\n]\n}}\n",
            quoted(&self.module),
            quoted(&self.ptx_sha256),
            runs.join(",\n")
        )
    }

    /// Reads a file's text.
    ///
    /// # Errors
    /// What is wrong in it, and where.
    pub fn from_text(text: &str) -> Result<Recording, RecordingError> {
        let malformed = |reason: String| RecordingError::Malformed { reason };
        let version: AnyVersion =
            serde_json::from_str(text).map_err(|e| malformed(e.to_string()))?;
        if version.schema != SCHEMA {
            return Err(RecordingError::Schema { found: version.schema });
        }
        let file: WireFile = serde_json::from_str(text).map_err(|e| malformed(e.to_string()))?;
        let mut runs = Vec::new();
        for (number, wire) in file.runs.into_iter().enumerate() {
            let run = Run::try_from(wire);
            runs.push(run.map_err(|e| malformed(format!("run {number}: {e}")))?);
        }
        let WireFile { module, ptx_sha256, made, .. } = file;
        Ok(Recording { module, ptx_sha256, made, runs })
    }

    /// Reads a file.
    ///
    /// # Errors
    /// The file cannot be read, or what is wrong in it.
    pub fn read(path: &Path) -> Result<Recording, RecordingError> {
        let text = fs::read_to_string(path).map_err(|e| of_file(path, &e.to_string()))?;
        Recording::from_text(&text).map_err(|error| match error {
            RecordingError::Malformed { reason } => of_file(path, &reason),
            other => other,
        })
    }

    /// Writes a file, and the folders that it lies in.
    ///
    /// # Errors
    /// What the system says.
    pub fn write(&self, path: &Path) -> Result<(), RecordingError> {
        let folder = path.parent().unwrap_or(Path::new(""));
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(path, self.to_text()));
        written.map_err(|e| of_file(path, &e.to_string()))
    }
}

fn of_file(path: &Path, reason: &str) -> RecordingError {
    RecordingError::File { path: path.to_owned(), reason: reason.to_owned() }
}

/// A run in a line, and its buffers in one each.
fn run_text(run: &Run) -> String {
    let mut wire = WireRun::from(run.clone());
    let buffers = std::mem::take(&mut wire.buffers);
    let buffers: Vec<String> =
        buffers.iter().map(|buffer| serde_json::to_string(buffer).unwrap_or_default()).collect();
    // An empty list of buffers is the last field.
    let head = serde_json::to_string(&wire).unwrap_or_default();
    let head = head.trim_end_matches("]}");
    let separator = if buffers.is_empty() { "" } else { "\n  " };
    format!("{head}{separator}{}]}}", buffers.join(",\n  "))
}
