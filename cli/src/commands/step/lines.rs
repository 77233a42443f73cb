//! The source of the debugger's commands. It is a person at a terminal, with a prompt, line editing
//! and a history, or a pipe, which is read as it comes.

use std::io::{self, BufRead, IsTerminal, StdinLock};

use rustyline::completion::Completer;
use rustyline::config::Config;
use rustyline::error::ReadlineError;
use rustyline::history::MemHistory;
use rustyline::{Context, Editor, Helper, Highlighter, Hinter, Validator};
use warpsim_debugger::text::Console;

use crate::failure::Failure;

const PROMPT: &str = "(warpsim) ";

/// Completes the names of commands, at the beginning of a line.
#[derive(Helper, Highlighter, Hinter, Validator)]
pub(crate) struct CommandNames;

impl Completer for CommandNames {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..position).unwrap_or_default();
        let begin = typed.rfind([';', ' ']).map_or(0, |at| at + 1);
        let (before, word) = typed.split_at(begin);
        let is_command = before.trim_end().is_empty() || before.trim_end().ends_with(';');
        let names = Console::command_names().filter(|name| is_command && name.starts_with(word));
        Ok((begin, names.map(str::to_owned).collect()))
    }
}

/// Lines of commands.
pub(crate) enum Lines {
    /// A terminal.
    Typed(Box<Editor<CommandNames, MemHistory>>),
    /// Anything else.
    Piped(StdinLock<'static>),
}

impl Lines {
    /// Those of standard input.
    pub(crate) fn of_standard_input() -> Result<Lines, Failure> {
        if !io::stdin().is_terminal() {
            return Ok(Lines::Piped(io::stdin().lock()));
        }
        let config = Config::builder().auto_add_history(true).build();
        let history = MemHistory::with_config(&config);
        let mut editor = Editor::with_history(config, history).map_err(|e| unreadable(&e))?;
        editor.set_helper(Some(CommandNames));
        Ok(Lines::Typed(Box::new(editor)))
    }

    /// Whether a person types them.
    pub(crate) fn are_typed(&self) -> bool {
        matches!(self, Lines::Typed(_))
    }

    /// The next line without its line feed; `None` when there are no more. What was printed before
    /// has to be flushed.
    pub(crate) fn next(&mut self) -> Result<Option<String>, Failure> {
        match self {
            Lines::Typed(editor) => loop {
                match editor.readline(PROMPT) {
                    Ok(line) => return Ok(Some(line)),
                    // Ctrl-C gives up the line, not the session.
                    Err(ReadlineError::Interrupted) => {}
                    Err(ReadlineError::Eof) => return Ok(None),
                    Err(error) => return Err(unreadable(&error)),
                }
            },
            Lines::Piped(input) => {
                let mut line = Vec::new();
                match input.read_until(b'\n', &mut line).map_err(|e| unreadable(&e))? {
                    0 => Ok(None),
                    _ => Ok(Some(String::from_utf8_lossy(&line).trim_end().to_owned())),
                }
            }
        }
    }
}

fn unreadable(error: &dyn std::fmt::Display) -> Failure {
    Failure::usage(format!("cannot read commands: {error}"))
}
