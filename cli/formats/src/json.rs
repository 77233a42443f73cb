//! JSON as the command writes it: it has no character that a terminal obeys.
//!
//! JSON escapes the control characters below a space. Names of files, kernels and variables may
//! hold others that a terminal obeys: DEL, C1 and the characters that turn the direction of text.
//! They are escaped, too (RFC 8259, section 7). So a document can be shown as it is, and reads back
//! the same.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter, Serializer};
use warpsim::diagnostics::is_obeyed;

/// Writes a value in one line.
pub fn to_writer(to: impl Write, value: &impl Serialize) -> io::Result<()> {
    let formatter = Harmless(CompactFormatter);
    Ok(value.serialize(&mut Serializer::with_formatter(to, formatter))?)
}

/// Writes a value over several lines.
pub fn to_writer_pretty(to: impl Write, value: &impl Serialize) -> io::Result<()> {
    let formatter = Harmless(PrettyFormatter::new());
    Ok(value.serialize(&mut Serializer::with_formatter(to, formatter))?)
}

/// A value in one line.
pub fn to_string(value: &impl Serialize) -> io::Result<String> {
    let mut bytes = Vec::new();
    to_writer(&mut bytes, value)?;
    String::from_utf8(bytes).map_err(io::Error::other)
}

/// A layout that escapes texts further.
struct Harmless<F>(F);

impl<F: Formatter> Formatter for Harmless<F> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(is_obeyed) {
            let (before, from) = rest.split_at(at);
            self.0.write_string_fragment(writer, before)?;
            let mut characters = from.chars();
            if let Some(obeyed) = characters.next() {
                let mut units = [0; 2];
                for unit in obeyed.encode_utf16(&mut units) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            }
            rest = characters.as_str();
        }
        self.0.write_string_fragment(writer, rest)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_text_reads_back_and_holds_nothing_that_a_terminal_obeys(
            text in "[a-z\u{0}-\u{1f}\u{7f}-\u{a0}\u{61c}\u{200e}-\u{202e}\u{2066}-\u{2069}\u{10ffff}é\"\\\\]{0,40}",
        ) {
            let value = serde_json::json!({ text.clone(): [text] });
            let mut pretty = Vec::new();
            to_writer_pretty(&mut pretty, &value).unwrap();
            let pretty = String::from_utf8(pretty).unwrap();
            let plain = to_string(&value).unwrap();
            for written in [&pretty, &plain] {
                let read: serde_json::Value = serde_json::from_str(written).unwrap();
                prop_assert_eq!(&read, &value);
                prop_assert!(!written.contains(is_obeyed), "{written:?}");
            }
            prop_assert!(!plain.contains('\n'));
        }
    }

    #[test]
    fn a_layout_is_the_one_that_it_was() {
        let value = serde_json::json!({"a": [1, {"b": null}], "c": "d"});
        let mut pretty = Vec::new();
        to_writer_pretty(&mut pretty, &value).unwrap();
        assert_eq!(
            String::from_utf8(pretty).unwrap(),
            serde_json::to_string_pretty(&value).unwrap()
        );
        assert_eq!(to_string(&value).unwrap(), serde_json::to_string(&value).unwrap());
    }
}
