//! Where a piece of the program text stands, and the text it stands in.
//!
//! A [`Span`] is a pair of byte offsets; lines and columns are computed from the [`Source`] only
//! when a message is worded. Spans take no part in the equality of syntax trees: two modules are
//! equal when they say the same thing, wherever they say it.

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

/// A named text, with the offsets of its lines.
#[derive(Clone)]
pub struct Source {
    name: Arc<str>,
    text: Arc<str>,
    line_starts: Arc<[u32]>,
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
        let starts = std::iter::once(0).chain(
            text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1),
        );
        Source { name: name.into(), text: text.into(), line_starts: starts.collect() }
    }

    /// What messages call this text.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line, from 1, in which a byte offset lies.
    pub fn line(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|start| *start <= offset) as u32
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: u32) -> Position {
        let line = self.line(offset);
        let start = self.line_starts[line as usize - 1] as usize;
        let before = self.text.get(start..offset as usize).unwrap_or("");
        Position { line, column: before.chars().count() as u32 + 1 }
    }

    /// The text under a span; empty when the span does not lie in this source.
    pub fn slice(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Source({}, {} bytes)", self.name, self.text.len())
    }
}

/// Where a module came from is not part of what it says.
impl PartialEq for Source {
    fn eq(&self, _: &Source) -> bool {
        true
    }
}

impl Eq for Source {}
