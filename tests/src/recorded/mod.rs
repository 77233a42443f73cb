//! The work that is recorded on a GPU and replayed on the simulator: which module is launched how.
//!
//! Everything that the repository has and that ends: the conformance files, the labelled twins and
//! litmus tests, the corpus (`tests/corpus/launches.txt`), the modules of `tests/hardware`, and the
//! programs that come with warpsim. [`subjects`] lists it. [`perform`] runs a [`Subject`] on a GPU,
//! and [`replay`] on the simulator.

mod listed;
mod lists;
mod perform;
mod replay;
mod shards;

use std::path::{Path, PathBuf};
use std::time::Duration;

pub use listed::{Entry, Listed, launch_name, name};
pub use lists::subjects;
pub use perform::perform;
pub use replay::{Replayed, THOROUGH, recordings, replay, search_of};
pub use shards::{differences, merged_differences, write_differences};

/// A launch, or a program's run, of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// The module's file, from the root of the repository.
    pub module: PathBuf,
    /// The work on it.
    pub task: Task,
    /// Several results are legal: threads race, or who comes first decides.
    pub racy: bool,
    /// What shared memory still holds decides: it is recorded while nobody else uses the GPU.
    pub alone: bool,
    /// The levels of the driver's compiler at which it is recorded.
    pub levels: Vec<Option<u8>>,
    /// When it is given up.
    pub timeout: Duration,
}

/// The work on a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// A launch, in the options of `warpsim run`.
    Launch(Vec<String>),
    /// A program: its name, the form and the variant, and the SPEC of its input.
    Program {
        /// Its name.
        program: &'static str,
        /// `naive` or `optimised`.
        form: &'static str,
        /// The variant's name.
        variant: &'static str,
        /// A SPEC of ints.
        input: String,
    },
    /// The scan that a driver caches, launched five times, compiled at levels 0 to 4.
    FiveRows,
}

impl Subject {
    /// The recording of a module, from the root of the repository.
    pub fn recording_of(module: &Path) -> PathBuf {
        let inside = module.strip_prefix("tests").unwrap_or(module);
        let name = inside.with_extension("json");
        let src = Path::new("programs/src");
        let name = name.strip_prefix(src).map_or(name.clone(), |n| Path::new("programs").join(n));
        Path::new("tests/recordings").join(name)
    }

    /// What it is, for people.
    pub fn what(&self) -> String {
        match &self.task {
            Task::Launch(options) => options.join(" "),
            Task::Program { variant, form, input, .. } => format!("{variant} {form} {input}"),
            Task::FiveRows => "five rows".to_owned(),
        }
    }
}
