//! Messages about a piece of text, drawn into that text.
//!
//! A [`Diagnostic`] says what (a title), where (labelled spans of one text) and what to do (notes
//! and help); [`render`] draws it. Errors of the parser, of lowering and of the command all use
//! this, so they look alike. Nothing here knows the subjects of the messages.
//!
//! Spans are made to fit: a span that reaches beyond the text, or into the middle of a character,
//! is moved to the nearest place that exists. Only labelled lines are looked at, so the cost does
//! not grow with the text. Very long lines are cut around the labels.
//!
//! Names and messages may come from an untrusted file. [`printable`] keeps them from controlling
//! the terminal.

use std::borrow::Cow;

use std::fmt;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::ptx::{Source, Span, SyntaxError};

/// How bad a finding is, in rising order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably wrong.
    Warning,
    /// Wrong.
    Error,
}

impl Severity {
    /// The word in messages and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A message about a text.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// A short name in brackets after the severity: `error[race]`.
    pub code: Option<String>,
    /// What it is, in one line.
    pub title: String,
    /// Where; the first primary one gives the line and column. May be empty.
    pub labels: Vec<Label>,
    /// More about it.
    pub notes: Vec<String>,
    /// What to do about it.
    pub help: Vec<String>,
}

/// A place in the text and what to say there.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What to say; may be empty.
    pub text: String,
    /// Whether the message is about this place, or the label only helps to understand it.
    pub primary: bool,
}

impl Diagnostic {
    /// An error with nothing but a title.
    pub fn error(title: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code: None,
            title: title.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// A warning with nothing but a title.
    pub fn warning(title: impl Into<String>) -> Diagnostic {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(title) }
    }

    /// The same with all its text printable.
    fn printable(&self) -> Diagnostic {
        let all = |texts: &[String]| texts.iter().map(|text| printable(text).into()).collect();
        let label = |label: &Label| Label { text: printable(&label.text).into(), ..label.clone() };
        Diagnostic {
            severity: self.severity,
            code: self.code.clone(),
            title: printable(&self.title).into(),
            labels: self.labels.iter().map(label).collect(),
            notes: all(&self.notes),
            help: all(&self.help),
        }
    }

    /// Adds the place that the message is about.
    #[must_use]
    pub fn primary(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into(), primary: true });
        self
    }

    /// Adds a place that helps to understand it.
    #[must_use]
    pub fn secondary(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into(), primary: false });
        self
    }

    /// Adds a note.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Diagnostic {
        self.notes.push(text.into());
        self
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help.push(text.into());
        self
    }
}

impl From<&SyntaxError> for Diagnostic {
    fn from(error: &SyntaxError) -> Diagnostic {
        let diagnostic =
            Diagnostic::error(error.to_string()).primary(error.span, error.kind.label());
        match error.kind.help() {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }
}

/// Whether to use terminal colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Never,
    /// ANSI escape sequences.
    Always,
}

/// A text that cannot control a terminal: control characters, and characters that change the
/// direction of text, become escapes. Line feeds and tabs stay.
///
/// ```
/// use warpsim::diagnostics::printable;
///
/// assert_eq!(printable("a.cu\x1b[2J\tb\n"), "a.cu\\u{1b}[2J\tb\n");
/// ```
pub fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_obeyed) {
        return text.into();
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if is_obeyed(c) { shown.extend(c.escape_unicode()) } else { shown.push(c) }
    }
    shown.into()
}

/// Whether a character makes a terminal do something else than show it: control characters, and
/// those that turn the direction of text (Unicode Standard Annex 9, "Directional Formatting
/// Characters").
///
/// ```
/// use warpsim::diagnostics::is_obeyed;
/// assert!(is_obeyed('\u{1b}') && is_obeyed('\u{202e}') && !is_obeyed('\n'));
/// ```
pub fn is_obeyed(c: char) -> bool {
    let turns = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    turns || c.is_control() && !matches!(c, '\n' | '\t')
}

/// Draws a diagnostic into the text that it is about, which messages call `name`.
///
/// # Examples
///
/// ```
/// use warpsim::diagnostics::{Colour, Diagnostic, render};
///
/// let text = ".version 7.0\n.target sm_80\n.entry k() {\n\tret\n}\n";
/// let error = warpsim::ptx::parse("k.ptx", text).unwrap_err();
/// assert_eq!(render(&Diagnostic::from(&error), "k.ptx", text, Colour::Never), "\
/// error: expected `;`, found `}`
///  --> k.ptx:4:5
///   |
/// 4 |     ret
///   |        ^ `;` is missing here
/// ");
/// ```
pub fn render(diagnostic: &Diagnostic, name: &str, text: &str, colour: Colour) -> String {
    let (diagnostic, name) = (&diagnostic.printable(), &*printable(name));
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let mut title = level.primary_title(diagnostic.title.as_str());
    if let Some(code) = &diagnostic.code {
        title = title.id(code.as_str());
    }
    let mut group = Group::with_title(title);
    if !diagnostic.labels.is_empty() {
        let window = Window::around(&diagnostic.labels, text);
        let annotations = diagnostic.labels.iter().map(|label| {
            let kind = match label.primary {
                true => AnnotationKind::Primary,
                false => AnnotationKind::Context,
            };
            let text = (!label.text.is_empty()).then_some(label.text.as_str());
            kind.span(window.fit(label.span)).label(text)
        });
        let snippet = Snippet::source(window.text).line_start(window.line).path(name);
        group = group.element(snippet.annotations(annotations));
    }
    let notes = diagnostic.notes.iter().map(|note| Level::NOTE.message(note.as_str()));
    let help = diagnostic.help.iter().map(|help| Level::HELP.message(help.as_str()));
    let report = [group.elements(notes).elements(help)];
    let renderer = match colour {
        Colour::Never => Renderer::plain(),
        Colour::Always => Renderer::styled(),
    };
    let mut rendered = renderer.render(&report);
    rendered.push('\n');
    rendered
}

/// Draws a diagnostic into the source file of its first label.
pub fn render_in(diagnostic: &Diagnostic, source: &Source, colour: Colour) -> String {
    let first = diagnostic.labels.iter().find(|label| label.primary);
    let at = first.or(diagnostic.labels.first()).map_or(0, |label| label.span.start);
    let (start, text) = source.file_text(at);
    let mut of_file = diagnostic.clone();
    for label in &mut of_file.labels {
        let Span { start: from, end } = label.span;
        label.span = Span::new(from.saturating_sub(start), end.saturating_sub(start));
    }
    render(&of_file, source.file_name(at), text, colour)
}

/// The lines of a text that have labels.
struct Window<'a> {
    text: &'a str,
    /// Where it begins in the whole text.
    start: usize,
    /// The number of its first line.
    line: usize,
}

impl<'a> Window<'a> {
    fn around(labels: &[Label], text: &'a str) -> Window<'a> {
        let boundary = |offset: u32| floor_boundary(text, offset as usize);
        let first = labels.iter().map(|label| boundary(label.span.start)).min().unwrap_or(0);
        let last = labels.iter().map(|label| boundary(label.span.end)).max().unwrap_or(0);
        let before = text.get(..first).unwrap_or("");
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let after = text.get(last.max(first)..).unwrap_or("");
        let end = last.max(first) + after.find('\n').unwrap_or(after.len());
        let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
        Window { text: text.get(start..end).unwrap_or(""), start, line }
    }

    /// A span of the whole text as a range of the window.
    fn fit(&self, span: Span) -> std::ops::Range<usize> {
        let inside =
            |offset: u32| floor_boundary(self.text, (offset as usize).saturating_sub(self.start));
        let start = inside(span.start);
        start..inside(span.end).max(start)
    }
}

/// The nearest character boundary at or before `offset`.
fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut offset = offset.min(text.len());
    while !text.is_char_boundary(offset) {
        offset -= 1;
    }
    offset
}
