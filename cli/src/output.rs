//! Where text goes, and whether it may be coloured.
//!
//! Results go to standard output, everything about them to standard error. Colour only on a
//! terminal, and never with `NO_COLOR` in the environment, whatever its value.

use std::cell::RefCell;
use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::rc::Rc;

use clap::error::ErrorKind;

use crate::failure::{Exit, Failure};

/// The two streams of the command, and the command line that they answer.
pub(crate) struct Output {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    arguments: Vec<OsString>,
    colour_out: bool,
    colour_err: bool,
}

/// A stream that keeps what is written to it.
#[derive(Clone, Default)]
pub(crate) struct Memory(Rc<RefCell<Vec<u8>>>);

impl Memory {
    /// What was written so far.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.borrow()).into_owned()
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An ANSI style, written only where colour is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
    Bold,
    Dim,
    Error,
    Warning,
    Good,
    Note,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Style::Bold => "1",
            Style::Dim => "2",
            Style::Error => "1;31",
            Style::Warning => "1;33",
            Style::Good => "1;32",
            Style::Note => "1;36",
        }
    }

    /// The text in this style, or plain.
    pub(crate) fn paint(self, text: &str, colour: bool) -> String {
        if colour { format!("\x1b[{}m{text}\x1b[0m", self.code()) } else { text.to_owned() }
    }
}

impl Output {
    /// The process's own streams.
    pub(crate) fn of_process() -> Output {
        let allowed = env::var_os("NO_COLOR").is_none()
            && env::var_os("TERM").is_none_or(|term| term != "dumb");
        Output {
            out: Box::new(io::BufWriter::with_capacity(1 << 16, io::stdout())),
            err: Box::new(io::stderr()),
            arguments: env::args_os().collect(),
            colour_out: allowed && io::stdout().is_terminal(),
            colour_err: allowed && io::stderr().is_terminal(),
        }
    }

    /// Streams that write to memory, without colour; `arguments` begin with the command's name.
    pub(crate) fn to_memory(arguments: Vec<OsString>) -> (Output, Memory, Memory) {
        let (out, err) = (Memory::default(), Memory::default());
        let output = Output {
            out: Box::new(out.clone()),
            err: Box::new(err.clone()),
            arguments,
            colour_out: false,
            colour_err: false,
        };
        (output, out, err)
    }

    /// The arguments of the command, its own name first.
    pub(crate) fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    /// Answers another command line from now on, its command's name first: the one that messages
    /// name to do the same again.
    pub(crate) fn answer(&mut self, command_line: Vec<OsString>) {
        self.arguments = command_line;
    }

    /// Whether standard output may be coloured.
    pub(crate) fn colour(&self) -> bool {
        self.colour_out
    }

    /// Whether standard error may be coloured.
    pub(crate) fn colour_of_messages(&self) -> bool {
        self.colour_err
    }

    /// Standard output.
    pub(crate) fn results(&mut self) -> &mut dyn Write {
        &mut *self.out
    }

    /// Writes text to standard output.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.out.write_all(text.as_bytes())?)
    }

    /// Writes a text and a line feed to standard output.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(self.out, "{text}")?)
    }

    /// Sends standard output on its way.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }

    /// Writes a message to standard error. That nobody reads it is no reason to stop.
    pub(crate) fn message(&mut self, text: &str) {
        let _ = self.out.flush();
        let _ = writeln!(self.err, "{}", text.trim_end());
    }

    /// A note to standard error.
    pub(crate) fn note(&mut self, text: &str) {
        let head = Style::Note.paint("note", self.colour_err);
        self.message(&format!("{head}: {text}"));
    }

    /// What clap has to say: help and version are results, the rest is a usage error.
    pub(crate) fn clap(&mut self, error: &clap::Error) -> Exit {
        let rendered = error.render();
        let help = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
        let colour = if help { self.colour_out } else { self.colour_err };
        let text = if colour { rendered.ansi().to_string() } else { rendered.to_string() };
        if help {
            let written = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush());
            return match written {
                Ok(()) => Exit::CLEAN,
                Err(error) => Failure::Write(error).report(self),
            };
        }
        self.message(&text);
        Exit::USAGE
    }
}
