//! Where text goes, and whether it may be coloured.
//!
//! Results go to standard output, and everything about them goes to standard error. Colour appears
//! only on a terminal, and never with `NO_COLOR` in the environment, whatever its value; `--color`
//! overrides both. Other
//! characters that a terminal obeys are escaped, whatever their source. Only PTX and the text that
//! a kernel prints are written as they are, by [`Output::exact`].

use std::cell::RefCell;
use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::rc::Rc;

use clap::error::ErrorKind;
use warpsim::diagnostics::{Colour, printable};
use warpsim_files as files;

use crate::args::Coloured;
use crate::failure::{Exit, Failure, bug_message};

/// The two streams of the command, and the command line that they answer.
pub(crate) struct Output {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    arguments: Vec<OsString>,
    colour_out: bool,
    colour_err: bool,
    watched: bool,
}

/// A stream that keeps everything written to it.
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

/// Writes a file: all of it, or nothing.
pub(crate) fn write_file(
    path: &Path,
    contents: impl FnOnce(&mut dyn Write) -> Result<(), Failure>,
) -> Result<(), Failure> {
    files::write(path, contents).map_err(|failure| match failure {
        Failure::Write(error) => {
            Failure::usage(format!("cannot write {}: {error}", path.display()))
        }
        other => other,
    })
}

/// Refuses a file that [`write_file`] could not write, before the work is done.
pub(crate) fn check_file(path: &Path) -> Result<(), Failure> {
    files::can_write(path)
        .map_err(|error| Failure::usage(format!("cannot write {}: {error}", path.display())))
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

/// The text with everything that a terminal would obey as escapes, except styles if colour is on.
pub(crate) fn shown(text: &str, colour: bool) -> String {
    let mut rest = text;
    let mut out = String::with_capacity(text.len());
    while let Some(at) = rest.find('\x1b').filter(|_| colour) {
        let (before, from) = rest.split_at(at);
        out.push_str(&printable(before));
        let length = style_length(from).unwrap_or(1);
        let (style, after) = from.split_at(length);
        if length > 1 {
            out.push_str(style)
        } else {
            out.push_str(&printable(style))
        }
        rest = after;
    }
    out.push_str(&printable(rest));
    out
}

/// The bytes of the style that a text begins with: a colour of letters, bold, dim, underlined, or
/// plain again. Styles that hide letters are none.
fn style_length(text: &str) -> Option<usize> {
    let inside = text.strip_prefix("\x1b[")?;
    let (numbers, _) = inside.split_once('m')?;
    let harmless = |number: &str| {
        matches!(number, "" | "0" | "1" | "2" | "3" | "4" | "22" | "23" | "24" | "38" | "39" | "5")
            || number.parse().is_ok_and(|n: u8| matches!(n, 30..=37 | 90..=97))
    };
    let numbered = numbers.strip_prefix("38;5;").is_some_and(|n| n.parse::<u8>().is_ok());
    let is_style = numbered || numbers.split(';').all(harmless);
    is_style.then_some(2 + numbers.len() + 1)
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
            watched: io::stderr().is_terminal(),
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
            watched: false,
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

    /// Colours both streams always, or never, if asked to.
    pub(crate) fn colour_if(&mut self, wanted: Coloured) {
        match wanted {
            Coloured::Auto => {}
            Coloured::Always => (self.colour_out, self.colour_err) = (true, true),
            Coloured::Never => (self.colour_out, self.colour_err) = (false, false),
        }
    }

    /// Whether standard output may be coloured.
    pub(crate) fn colour(&self) -> bool {
        self.colour_out
    }

    /// Whether standard error may be coloured.
    pub(crate) fn colour_of_messages(&self) -> bool {
        self.colour_err
    }

    /// How diagnostics with their places in a source are drawn.
    pub(crate) fn diagnostic_colour(&self) -> Colour {
        if self.colour_err { Colour::Always } else { Colour::Never }
    }

    /// Whether a person sees standard error at once, on a terminal.
    pub(crate) fn is_watched(&self) -> bool {
        self.watched
    }

    /// Standard output.
    pub(crate) fn results(&mut self) -> &mut dyn Write {
        &mut *self.out
    }

    /// Writes text to standard output.
    pub(crate) fn print(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.out.write_all(shown(text, self.colour_out).as_bytes())?)
    }

    /// Writes text to standard output as it is, for a program that reads it from there.
    pub(crate) fn exact(&mut self, text: &str) -> Result<(), Failure> {
        Ok(self.out.write_all(text.as_bytes())?)
    }

    /// Writes a text and a line feed to standard output.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(self.out, "{}", shown(text, self.colour_out))?)
    }

    /// Sends standard output on its way.
    pub(crate) fn flush(&mut self) -> Result<(), Failure> {
        Ok(self.out.flush()?)
    }

    /// Writes a message to standard error. The command goes on even if nobody reads it.
    pub(crate) fn message(&mut self, text: &str) {
        let _ = self.out.flush();
        let _ = writeln!(self.err, "{}", shown(text.trim_end(), self.colour_err));
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

impl Failure {
    /// Writes the message to standard error.
    pub(crate) fn report(&self, output: &mut Output) -> Exit {
        if !matches!(self, Failure::Write(e) if e.kind() == io::ErrorKind::BrokenPipe) {
            let text = match self {
                Failure::Rendered(text) => text.clone(),
                Failure::Unsupported { drawn, .. } => drawn.clone(),
                Failure::Bug { what, drawn: None } => bug_message(what),
                Failure::Bug { drawn: Some(drawn), .. } => drawn.clone(),
                Failure::Usage { .. }
                | Failure::Missing { .. }
                | Failure::Write(_)
                | Failure::Interrupted(_) => {
                    format!("{}: {self}", Style::Error.paint("error", output.colour_of_messages()))
                }
            };
            output.message(&text);
        }
        self.exit()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_our_styles_and_nothing_that_came_from_a_file() {
        let name = "a\x1b]0;owned\x07\x1b[2J\r\u{202e}\u{9b}8m.cu";
        let escaped = "a\\u{1b}]0;owned\\u{7}\\u{1b}[2J\\u{d}\\u{202e}\\u{9b}8m.cu";
        assert_eq!(shown(name, false), escaped);
        assert_eq!(shown(name, true), escaped);
        for style in [Style::Bold, Style::Dim, Style::Error, Style::Good, Style::Note] {
            let painted = style.paint("x\n\ty", true);
            assert_eq!(shown(&painted, true), painted);
            assert!(!shown(&painted, false).contains('\x1b'));
        }
        assert_eq!(shown("\x1b[8mhidden", true), "\\u{1b}[8mhidden");
        assert_eq!(shown("\x1b[38;5;12mx\x1b[0m", true), "\x1b[38;5;12mx\x1b[0m");
        assert_eq!(shown("\x1b", true), "\\u{1b}");
    }

    #[test]
    fn a_file_name_in_a_program_is_told_with_its_control_characters_escaped() {
        let text = ".version 8.0\n.target sm_80\n.address_size 64\n.file 1 \"a\x1b[2J.cu\"\n\
                    .visible .entry k(.param .u64 p) {\n.reg .u64 %d; .reg .u32 %t;\n.loc 1 7 1\n\
                    ld.param.u64 %d, [p]; mov.u32 %t, %tid.x; st.global.u32 [%d], %t;\nret; }\n";
        let folder = std::env::temp_dir().join(format!("warpsim-output-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("k.ptx");
        std::fs::write(&path, text).unwrap();
        let file = path.to_string_lossy();
        let run = crate::capture(["check", &file, "--arg", "u32[1]"]);
        std::fs::remove_dir_all(&folder).unwrap();
        assert_eq!(run.exit, 1, "{}", run.stderr);
        assert!(run.stderr.contains("a\\u{1b}[2J.cu:7"), "{}", run.stderr);
        assert!(!run.stderr.contains('\x1b') && !run.stdout.contains('\x1b'));
    }
}
