//! The compiler's messages as data.
//!
//! A message begins `FILE(LINE): KIND: TEXT`. KIND is `error`, `catastrophic error`, `warning`,
//! `remark` or the kind of an internal error. A number follows it where the message can be
//! suppressed (`warning #177-D`). The lines behind it, up to an empty one, show the line of the
//! source and a caret under the column. They also say where a template was instantiated, which is
//! kept as notes. The rest of the log (counts of errors, hints of the compiler) is no message.
//!
//! NVRTC numbers only messages that can be suppressed, even with `--display-error-number`. So the
//! subject of a message is recognised by its words: here, and nowhere else. Unknown words, as a
//! later version may have, give `Other`.

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

/// What a message is about, where more can be done about it than reading it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MessageKind {
    /// A file that an `#include` names is in none of the folders.
    MissingHeader {
        /// As the `#include` names it.
        name: String,
    },
    /// A name that nothing declares.
    UndefinedIdentifier {
        /// Which.
        name: String,
    },
    /// Something that the architecture that is compiled for does not have.
    NotForArchitecture,
    /// Something else.
    Other,
}

/// A message of the compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// How bad it is.
    pub severity: Severity,
    /// What it is about.
    pub kind: MessageKind,
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
    // A caret behind the end points at something missing there.
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
    let (kind, text, notes) = (about(text), text.to_owned(), Vec::new());
    Message { severity, kind, file, line, column: None, number, text, notes }
}

/// What the words of a message are about.
fn about(text: &str) -> MessageKind {
    // The latter where there is no folder to look in.
    let header = ["cannot open source file \"", "could not open source file \""];
    if let Some(name) = header.iter().find_map(|words| text.strip_prefix(words)) {
        let name = name.split('"').next().unwrap_or_default().to_owned();
        return MessageKind::MissingHeader { name };
    }
    let identifier = text.strip_prefix("identifier \"");
    if let Some(name) = identifier.and_then(|rest| rest.strip_suffix("\" is undefined")) {
        return MessageKind::UndefinedIdentifier { name: name.to_owned() };
    }
    match text.contains("not supported for this GPU architecture") {
        true => MessageKind::NotForArchitecture,
        false => MessageKind::Other,
    }
}

/// The error in an option.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OptionError {
    /// The compiler does not know it.
    Unknown {
        /// As it was given.
        option: String,
    },
    /// It does not take its value.
    Value {
        /// The option's long name: `--gpu-architecture`.
        option: String,
    },
    /// The text after `-D` is not a macro.
    Macro {
        /// As it was given.
        definition: String,
    },
    /// Something else.
    Other,
}

/// What a log says of an option, and its words for it; `None` when it is about the source.
pub(crate) fn refused_option(log: &str) -> Option<(OptionError, &str)> {
    // What may follow is `1 catastrophic error detected in the compilation of ...`.
    let first = log.lines().next()?;
    let beginnings = ["nvrtc: error: ", "Command-line error: "];
    let words = beginnings.iter().find_map(|words| first.strip_prefix(words))?.trim();
    Some((about_option(words), words))
}

fn about_option(words: &str) -> OptionError {
    let option = words.strip_prefix("unrecognized option ");
    if let Some(option) = option.and_then(|rest| rest.strip_suffix(" found")) {
        return OptionError::Unknown { option: option.to_owned() };
    }
    if let Some(definition) = words.strip_prefix("invalid macro definition:") {
        return OptionError::Macro { definition: definition.trim_start().to_owned() };
    }
    let value = [
        "invalid value for ",
        "invalid argument for option ",
        "invalid or no value specified with ",
    ];
    match value.iter().find_map(|beginning| words.strip_prefix(beginning)) {
        Some(rest) => {
            let option = rest.split(' ').next().unwrap_or_default().to_owned();
            OptionError::Value { option }
        }
        None => OptionError::Other,
    }
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
