//! What may differ between the simulator and hardware, run by run, with its reason.

use std::path::Path;

use warpsim_gpu::recording::{Compiled, Run, Work};

/// What may differ, with its reason: `tests/recordings/differences.txt`.
#[derive(Clone, Debug, Default)]
pub struct Listed {
    entries: Vec<Entry>,
}

/// A line of the list.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The module.
    pub module: String,
    /// The run, in the form of [`name`].
    pub run: String,
    /// By how many units in the last place floats may differ; `None` if it is no matter of
    /// rounding.
    pub ulp: Option<u64>,
}

impl Listed {
    /// Reads `MODULE: RUN: [at most N ulp: ]REASON`, a line each; `#` begins a comment.
    ///
    /// # Errors
    /// A line that is not understood.
    pub fn parse(text: &str) -> Result<Listed, String> {
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        let entries = lines.map(|line| {
            let parts: Vec<&str> = line.splitn(3, ": ").collect();
            let [module, run, reason] = parts.as_slice() else {
                return Err(format!("differences.txt: `{line}`: MODULE: RUN: REASON"));
            };
            let bound = reason.strip_prefix("at most ").and_then(|rest| rest.split_once(" ulp: "));
            let ulp = bound.map(|(n, _)| n.parse().map_err(|_| format!("`{n}` is no number")));
            let (module, run) = ((*module).to_owned(), (*run).to_owned());
            Ok(Entry { module, run, ulp: ulp.transpose()? })
        });
        Ok(Listed { entries: entries.collect::<Result<Vec<Entry>, String>>()? })
    }

    /// Reads the file of the repository.
    ///
    /// # Errors
    /// It is not there, or a line is not understood.
    pub fn read(root: &Path) -> Result<Listed, String> {
        let path = root.join("tests/recordings/differences.txt");
        Listed::parse(&std::fs::read_to_string(path).map_err(|e| e.to_string())?)
    }

    /// All entries.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// The entry of a run.
    pub fn find(&self, module: &str, run: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.module == module && entry.run == run)
    }

    /// An entry of the same launch at any level.
    pub fn find_launch(&self, module: &str, launch: &str) -> Option<&Entry> {
        let is_it = |entry: &&Entry| {
            entry.module == module
                && entry.run.strip_prefix(launch).is_some_and(|rest| rest.starts_with(" at "))
        };
        self.entries.iter().find(is_it)
    }
}

/// A run's name in the list: the launch, and the levels at which it was recorded.
pub fn name(run: &Run) -> String {
    let levels = match &run.compiled {
        Compiled::At(levels) => levels.iter().map(|level| level_name(*level)).collect(),
        Compiled::InTurn(levels) => vec![format!("levels {levels:?}")],
    };
    format!("{} at {}", launch_name(run), levels.join(" and "))
}

/// The launch of a run, in the list.
pub fn launch_name(run: &Run) -> String {
    let what = match &run.work {
        Work::Launch(s) => {
            let [gx, gy, gz] = s.launch.grid;
            let [bx, by, bz] = s.launch.block;
            let passes = s.passes.join(" ");
            let args = s.args.join(" ");
            format!("{} {gx},{gy},{gz} x {bx},{by},{bz} {args} {passes}", s.kernel)
        }
        Work::Program(call) => {
            format!("{} {} {} {}", call.program, call.variant, call.form, call.input)
        }
    };
    what.replace(": ", " ").trim().to_owned()
}

fn level_name(level: Option<u8>) -> String {
    level.map_or_else(|| "the driver's level".to_owned(), |level| format!("level {level}"))
}
