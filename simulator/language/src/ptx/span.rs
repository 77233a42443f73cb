//! The place of a piece of the program text, and the text that contains it.
//!
//! A [`Span`] is a pair of byte offsets. Lines and columns are computed from the [`Source`] only
//! when a message is worded. Spans take no part in the equality of syntax trees: two modules are
//! equal when they have the same content, whatever its places are.

use std::fmt;
use std::sync::Arc;

/// A half-open range of byte offsets into a [`Source`].
///
/// All spans compare equal, so that `#[derive(PartialEq)]` on a syntax tree compares what was
/// written and not where. Compare `start` and `end` to compare places.
#[derive(Clone, Copy, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset one past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from `start` up to, not including, `end`.
    pub fn new(start: u32, end: u32) -> Span {
        Span { start, end }
    }

    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl PartialEq for Span {
    fn eq(&self, _: &Span) -> bool {
        true
    }
}

impl Eq for Span {}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A named text, with the offsets of its lines; or several, one behind the other, of modules that
/// are linked. Then offsets belong to the whole text, and lines to each file.
#[derive(Clone)]
pub struct Source {
    text: Arc<str>,
    line_starts: Arc<[u32]>,
    /// At least one, in the order of their texts.
    files: Arc<[File]>,
}

/// A file of a [`Source`].
#[derive(Clone, Debug)]
struct File {
    name: Arc<str>,
    /// Where its text begins and ends.
    start: u32,
    end: u32,
}

/// A place in a [`Source`], as an editor counts: both from 1, columns in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl Source {
    /// Wraps `text`, which messages call `name` (usually the file's name).
    pub fn new(name: &str, text: &str) -> Source {
        let file = File { name: name.into(), start: 0, end: text.len() as u32 };
        Source::of(text.into(), vec![file])
    }

    /// The texts of several files, each with its name. All together must be shorter than 4 GiB.
    pub fn joined(files: &[(&str, &str)]) -> Source {
        let mut text = String::new();
        let mut places = Vec::new();
        for (name, of_file) in files {
            // An error at the end of a file is not one at the beginning of the next.
            if !places.is_empty() {
                text.push('\n');
            }
            let start = text.len() as u32;
            text.push_str(of_file);
            places.push(File { name: (*name).into(), start, end: text.len() as u32 });
        }
        if places.is_empty() {
            places.push(File { name: "".into(), start: 0, end: 0 });
        }
        Source::of(text.into(), places)
    }

    fn of(text: Arc<str>, files: Vec<File>) -> Source {
        let starts = line_starts(text.as_bytes());
        Source { line_starts: starts.into(), files: files.into(), text }
    }

    /// What messages call this text; the first file of several.
    pub fn name(&self) -> &str {
        &self.files[0].name
    }

    /// The names and the texts of its files.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|file| (&*file.name, self.slice(Span::new(file.start, file.end))))
    }

    /// The file that a byte offset lies in.
    fn file(&self, offset: u32) -> &File {
        let after = self.files.partition_point(|file| file.start <= offset);
        &self.files[after.saturating_sub(1)]
    }

    /// The name of the file that a byte offset lies in.
    pub fn file_name(&self, offset: u32) -> &Arc<str> {
        &self.file(offset).name
    }

    /// The same if it is not the first file: most modules have only one.
    pub fn other_file(&self, offset: u32) -> Option<&Arc<str>> {
        let file = self.file(offset);
        (file.start > 0).then_some(&file.name)
    }

    /// Where the text of the file that a byte offset lies in begins, and that text.
    pub fn file_text(&self, offset: u32) -> (u32, &str) {
        let file = self.file(offset);
        (file.start, self.slice(Span::new(file.start, file.end)))
    }

    /// Where the texts of its files begin and end.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Span> {
        self.files.iter().map(|file| Span::new(file.start, file.end))
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line of its file, from 1, in which a byte offset lies.
    pub fn line(&self, offset: u32) -> u32 {
        self.whole_line(offset) - self.whole_line(self.file(offset).start) + 1
    }

    /// The line of all files together.
    fn whole_line(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|start| *start <= offset) as u32
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        let start = self.line_starts[self.whole_line(offset) as usize - 1] as usize;
        let before = self.text.get(start..offset as usize).unwrap_or("");
        Position { line: self.line(offset), column: before.chars().count() as u32 + 1 }
    }

    /// The text under a span; empty when the span does not lie in this source.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

/// Where lines begin: at 0, and behind each line break. Eight bytes at a time, since it looks at
/// all of a text.
fn line_starts(text: &[u8]) -> Vec<u32> {
    const BREAKS: u64 = u64::from_le_bytes([b'\n'; 8]);
    const LOW: u64 = u64::from_le_bytes([0x7f; 8]);
    let mut starts = vec![0];
    let (words, rest) = text.as_chunks::<8>();
    for (at, word) in words.iter().enumerate() {
        let differing = u64::from_le_bytes(*word) ^ BREAKS;
        // The top bit of each byte that is 0, and no other.
        let mut breaks = !(((differing & LOW) + LOW) | differing | LOW);
        while breaks != 0 {
            starts.push((8 * at) as u32 + breaks.trailing_zeros() / 8 + 1);
            breaks &= breaks - 1;
        }
    }
    let first = 8 * words.len();
    starts.extend((first..).zip(rest).filter(|(_, b)| **b == b'\n').map(|(at, _)| at as u32 + 1));
    starts
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({}, {} bytes)", self.name(), self.text.len())
    }
}

/// Where a module came from is not part of what it says.
impl PartialEq for Source {
    fn eq(&self, _: &Source) -> bool {
        true
    }
}

impl Eq for Source {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_begin_behind_each_break_wherever_it_stands() {
        // Each pattern of breaks and other bytes in 12 places, one of them such that a borrow would
        // reach its neighbour.
        for pattern in 0..1 << 12 {
            for other in ["x", "\u{b}", "\t"] {
                let breaks = |at: &u32| pattern >> at & 1 == 1;
                let text: String =
                    (0..12).map(|at| if breaks(&at) { "\n" } else { other }).collect();
                let mut expected = vec![0];
                expected.extend((0..12).filter(breaks).map(|at| at + 1));
                assert_eq!(line_starts(text.as_bytes()), expected, "{text:?}");
            }
        }
    }
}
