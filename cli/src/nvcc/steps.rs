//! The programs that nvcc starts: `-v` shows them, and `-dryrun` shows them without starting them.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::words;
use crate::clang;
use crate::failure::Failure;
use crate::output::Output;

/// A program and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) program: PathBuf,
    pub(super) arguments: Vec<String>,
}

impl Step {
    pub(super) fn new(program: &Path) -> Step {
        Step { program: program.to_owned(), arguments: Vec::new() }
    }

    pub(super) fn add<W: Into<String>>(&mut self, words: impl IntoIterator<Item = W>) -> &mut Step {
        self.arguments.extend(words.into_iter().map(Into::into));
        self
    }

    pub(super) fn add_path(&mut self, path: &Path) -> &mut Step {
        self.arguments.push(path.display().to_string());
        self
    }

    fn shown(&self) -> String {
        let words = self.arguments.iter().map(|word| words::quoted(word));
        let program = words::quoted(&self.program.display().to_string());
        std::iter::once(program).chain(words).collect::<Vec<_>>().join(" ")
    }
}

/// What happens to steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Steps {
    pub(super) shows: bool,
    pub(super) runs: bool,
}

impl Steps {
    /// A line in the form of `-v`.
    pub(super) fn say(self, line: &str, output: &mut Output) {
        if self.shows {
            output.message(&format!("#$ {line}"));
        }
    }

    /// Compiles a source by clang. What NVIDIA's compiler takes and clang refuses is mended, where
    /// it can be, in a copy.
    ///
    /// # Errors
    /// clang cannot be started, or it refuses the source: it has said why.
    pub(super) fn compile(
        self,
        (step, source): (&Step, &Path),
        scratch: &Path,
        output: &mut Output,
    ) -> Result<(), Failure> {
        self.say(&step.shown(), output);
        if !self.runs {
            return Ok(());
        }
        let mut arguments = step.arguments.clone();
        arguments.push(clang::colours(output.colour_of_messages()).to_owned());
        let done = clang::compiled(&step.program, &arguments, scratch);
        let name = step.program.display();
        let done = done.map_err(|error| Failure::usage(format!("cannot start {name}: {error}")))?;
        let said = String::from_utf8_lossy(&done.stderr);
        clang::tell(&said, output);
        if done.status.success() {
            return Ok(());
        }
        let message = format!("clang does not build {}", source.display());
        Err(match clang::advice(&said) {
            Some(help) => Failure::usage_with_help(message, help),
            None => Failure::usage(message),
        })
    }

    /// Starts a program and waits for it; its messages are its own.
    ///
    /// # Errors
    /// It cannot be started, or it says that it failed: it has said why.
    pub(super) fn run(self, step: &Step, output: &mut Output) -> Result<(), Failure> {
        self.say(&step.shown(), output);
        if !self.runs {
            return Ok(());
        }
        let mut command = Command::new(&step.program);
        let status = command.args(&step.arguments).stdin(Stdio::null()).status();
        let name = step.program.display();
        match status {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => Err(Failure::usage(format!("{name} does not take this"))),
            Err(error) => Err(Failure::usage(format!("cannot start {name}: {error}"))),
        }
    }
}
