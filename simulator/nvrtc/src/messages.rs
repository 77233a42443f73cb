//! The compiler's messages as data.
//!
//! A message begins `FILE(LINE): KIND: TEXT`, KIND being `error`, `catastrophic error`, `warning`,
//! `remark` or an internal error's, with a number behind it where it can be suppressed
//! (`warning #177-D`). What follows up to an empty line is the line of the source, a caret under the
//! column, and where a template was instantiated, which is kept as notes. Whatever else stands in
//! the log (counts of errors, hints of the compiler) is not a message.

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// There is no PTX.
    Error,
    /// There may be something wrong.
    Warning,
    /// Something to know.
    Note,
}

/// A message of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// The file, as the compiler names it; none for a message about no place.
    pub file: Option<String>,
    /// The line, from 1.
    pub line: Option<u32>,
    /// The column, from 1, in characters, where the compiler shows it.
    pub column: Option<u32>,
    /// The number that suppresses it: `177-D`.
    pub number: Option<String>,
    /// What it says.
    pub text: String,
    /// What else it says: where a template was instantiated.
    pub notes: Vec<String>,
}

/// The messages of a log.
pub(crate) fn parse(log: &str) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    let mut is_open = false;
    let mut shown: Option<&str> = None;
    for line in log.lines() {
        if let Some(message) = head(line) {
            messages.push(message);
            (is_open, shown) = (true, None);
        } else if line.trim().is_empty() {
            is_open = false;
        } else if let Some(message) = messages.last_mut().filter(|_| is_open) {
            match (line.trim(), shown) {
                ("^", Some(source)) => message.column = column(source, line),
                (_, None) if line.starts_with("  ") && message.line.is_some() => shown = Some(line),
                (text, _) => message.notes.push(text.to_owned()),
            }
        }
    }
    messages
}

/// The column of a caret, from 1. The compiler indents the line of the source by two blanks, and
/// the caret by as many as there are bytes before it.
fn column(source: &str, caret: &str) -> Option<u32> {
    let bytes = caret.find('^')?;
    // A caret behind the end points at what is missing there.
    let at = source.char_indices().take_while(|(start, _)| *start < bytes).count();
    u32::try_from(at.checked_sub(1)?).ok()
}

const KINDS: [(&str, Severity); 7] = [
    ("catastrophic error", Severity::Error),
    ("internal error", Severity::Error),
    ("fatal error", Severity::Error),
    ("error", Severity::Error),
    ("warning", Severity::Warning),
    ("remark", Severity::Note),
    ("note", Severity::Note),
];

/// `FILE(LINE): KIND: TEXT`, or without a place, `KIND: TEXT`.
fn head(line: &str) -> Option<Message> {
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    if let Some((severity, number, text)) = kind(line) {
        return Some(message(None, severity, number, text));
    }
    // A file's name may hold `): ` too, so every place is tried.
    line.match_indices("): ").find_map(|(end, mark)| {
        let (place, rest) = (line.get(..end)?, line.get(end + mark.len()..)?);
        let (file, number) = place.rsplit_once('(')?;
        let place = (file.to_owned(), number.parse().ok()?);
        let (severity, number, text) = kind(rest)?;
        Some(message(Some(place), severity, number, text))
    })
}

fn message(
    place: Option<(String, u32)>,
    severity: Severity,
    number: Option<String>,
    text: &str,
) -> Message {
    let (file, line) = place.unzip();
    let (text, notes) = (text.to_owned(), Vec::new());
    Message { severity, file, line, column: None, number, text, notes }
}

/// `KIND: TEXT` or `KIND #NUMBER: TEXT`.
fn kind(text: &str) -> Option<(Severity, Option<String>, &str)> {
    KINDS.iter().find_map(|(word, severity)| {
        let rest = text.strip_prefix(word)?;
        if let Some(rest) = rest.strip_prefix(": ") {
            return Some((*severity, None, rest));
        }
        let (number, rest) = rest.strip_prefix(" #")?.split_once(": ")?;
        Some((*severity, Some(number.to_owned()), rest))
    })
}
